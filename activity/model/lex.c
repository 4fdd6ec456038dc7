/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.c: words and comments of a model's text. */
#include "activity/model/lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int act_lex_no_memory(struct act_lex *lex)
{
    lex->failed = -ENOMEM;
    return cca_no_memory(lex->err);
}

int act_lex_refuse_at(struct act_lex *lex, struct act_place place, const char *format,
                      ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lex->failed = -EINVAL;
    return cca_error_set(lex->err, -EINVAL, "%s:%d:%d: %s", lex->name, place.line,
                         place.column, text);
}

int act_lex_refuse(struct act_lex *lex, const char *expected)
{
    if (lex->failed)
        return lex->failed;
    return lex->word.kind == ACT_WORD_END
               ? act_lex_refuse_at(lex, lex->word.place, "found the end, expected %s",
                                   expected)
               : act_lex_refuse_at(lex, lex->word.place, "found '%.40s', expected %s",
                                   lex->word.text, expected);
}

static struct act_place place_of(const struct act_lex *lex)
{
    return (struct act_place){lex->line, (int)(lex->at - lex->line_start) + 1};
}

/* Append a comment to those that are there, a line each. */
static int join(struct act_lex *lex, const char **comment, const char *from,
                size_t length)
{
    size_t before = *comment ? strlen(*comment) + 1 : 0;
    char *text = act_arena_take(lex->arena, before + length + 1);

    if (!text)
        return act_lex_no_memory(lex);
    if (before) {
        memcpy(text, *comment, before - 1);
        text[before - 1] = '\n';
    }
    memcpy(text + before, from, length);
    *comment = text;
    return 0;
}

/* The text of a comment from behind "//" to the end of its line. */
static const char *comment_text(struct act_lex *lex, size_t *length)
{
    const char *from = lex->at + 2;

    while (lex->at < lex->end && *lex->at != '\n')
        lex->at++;
    *length = (size_t)(lex->at - from);
    while (*length > 0 && (from[*length - 1] == ' ' || from[*length - 1] == '\r' ||
                           from[*length - 1] == '\t'))
        --*length;
    if (*length > 0 && *from == ' ') {
        from++;
        --*length;
    }
    return from;
}

static int at_comment(const struct act_lex *lex)
{
    return lex->end - lex->at >= 2 && lex->at[0] == '/' && lex->at[1] == '/';
}

/* Pass over blanks and comments; those on lines of their own belong to the next word. */
static int skip(struct act_lex *lex, const char **comment)
{
    int rc = 0;

    while (!rc && lex->at < lex->end) {
        if (*lex->at == '\n') {
            lex->line++;
            lex->line_start = ++lex->at;
        } else if (*lex->at == ' ' || *lex->at == '\t' || *lex->at == '\r') {
            lex->at++;
        } else if (at_comment(lex)) {
            size_t length;
            const char *from = comment_text(lex, &length);

            rc = join(lex, comment, from, length);
        } else {
            break;
        }
    }
    return rc;
}

/* A comment behind the word in its line. */
static int take_tail(struct act_lex *lex)
{
    const char *at = lex->at;

    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;
    if (at_comment(lex)) {
        size_t length;
        const char *from = comment_text(lex, &length);

        lex->word.tail = act_arena_text(lex->arena, from, length);
        return lex->word.tail ? 0 : act_lex_no_memory(lex);
    }
    lex->at = at;
    return 0;
}

static int take_number(struct act_lex *lex)
{
    const char *from = lex->at;
    int real = 0;
    char *end;

    while (lex->at < lex->end && isdigit((unsigned char)*lex->at))
        lex->at++;
    if (lex->at < lex->end && *lex->at == '.' &&
        !(lex->end - lex->at > 1 && lex->at[1] == '.')) { /* not the dots of a loop */
        real = 1;
        for (lex->at++; lex->at < lex->end && isdigit((unsigned char)*lex->at);)
            lex->at++;
    }
    if (lex->at < lex->end && (*lex->at == 'e' || *lex->at == 'E')) {
        const char *mark = lex->at++;

        if (lex->at < lex->end && (*lex->at == '+' || *lex->at == '-'))
            lex->at++;
        if (lex->at < lex->end && isdigit((unsigned char)*lex->at)) {
            real = 1;
            while (lex->at < lex->end && isdigit((unsigned char)*lex->at))
                lex->at++;
        } else {
            lex->at = mark;
        }
    }
    lex->word.text = act_arena_text(lex->arena, from, (size_t)(lex->at - from));
    if (!lex->word.text)
        return act_lex_no_memory(lex);
    errno = 0;
    lex->word.kind = real ? ACT_WORD_DOUBLE : ACT_WORD_LONG;
    if (real)
        lex->word.real = strtod(lex->word.text, &end);
    else
        lex->word.whole = strtoll(lex->word.text, &end, 10);
    if (*end || (!real && errno) || (real && isinf(lex->word.real)))
        return act_lex_refuse_at(lex, lex->word.place,
                                 "found the number %.40s, expected one that fits 64 bits",
                                 lex->word.text);
    return 0;
}

static int take_sign(struct act_lex *lex)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "&&",
                                        "||", "..", "<<", ">>"};
    size_t length = 1;

    if (lex->end - lex->at >= 2)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (lex->at[0] == pairs[i][0] && lex->at[1] == pairs[i][1])
                length = 2;
    if (length == 1 && !strchr("(){}[],;=<>+-*/%!?:", *lex->at))
        return act_lex_refuse_at(lex, lex->word.place,
                                 "found the character 0x%02x, expected a word",
                                 (unsigned char)*lex->at);
    lex->word.kind = ACT_WORD_SIGN;
    lex->word.text = act_arena_text(lex->arena, lex->at, length);
    lex->at += length;
    return lex->word.text ? 0 : act_lex_no_memory(lex);
}

/* "text" in one line, without escapes. */
static int take_text(struct act_lex *lex)
{
    const char *from = ++lex->at;

    while (lex->at < lex->end && *lex->at != '"' && (unsigned char)*lex->at >= ' ')
        lex->at++;
    if (lex->at == lex->end || *lex->at != '"')
        return act_lex_refuse_at(lex, lex->word.place,
                                 "found a text without end, expected '\"' in its line");
    lex->word.kind = ACT_WORD_TEXT;
    lex->word.text = act_arena_text(lex->arena, from, (size_t)(lex->at++ - from));
    return lex->word.text ? 0 : act_lex_no_memory(lex);
}

/* "{{ C }}", over any number of lines. */
static int take_raw(struct act_lex *lex)
{
    const char *from = lex->at += 2;

    while (lex->end - lex->at >= 2 && !(lex->at[0] == '}' && lex->at[1] == '}')) {
        if (*lex->at == '\n') {
            lex->line++;
            lex->line_start = lex->at + 1;
        }
        if (!*lex->at)
            break;
        lex->at++;
    }
    if (lex->end - lex->at < 2 || *lex->at != '}')
        return act_lex_refuse_at(lex, lex->word.place,
                                 "found {{ without end, expected C and }}");
    lex->word.kind = ACT_WORD_RAW;
    lex->word.text = act_arena_text(lex->arena, from, (size_t)(lex->at - from));
    lex->at += 2;
    return lex->word.text ? 0 : act_lex_no_memory(lex);
}

int act_lex_next(struct act_lex *lex)
{
    const char *from;
    int rc;

    if (lex->failed)
        return lex->failed;
    memset(&lex->word, 0, sizeof lex->word);
    rc = skip(lex, &lex->word.comment);
    lex->word.place = place_of(lex);
    lex->word.text = "";
    if (rc || lex->at == lex->end)
        return rc;
    from = lex->at;
    if (isdigit((unsigned char)*from)) {
        rc = take_number(lex);
    } else if (isalpha((unsigned char)*from) || *from == '_') {
        while (lex->at < lex->end &&
               (isalnum((unsigned char)*lex->at) || *lex->at == '_'))
            lex->at++;
        lex->word.kind = ACT_WORD_NAME;
        lex->word.text = act_arena_text(lex->arena, from, (size_t)(lex->at - from));
        rc = lex->word.text ? 0 : act_lex_no_memory(lex);
    } else if (*from == '"') {
        rc = take_text(lex);
    } else if (lex->end - from >= 2 && from[0] == '{' && from[1] == '{') {
        rc = take_raw(lex);
    } else {
        rc = *from ? take_sign(lex)
                   : act_lex_refuse_at(lex, lex->word.place,
                                       "found the character 0x00, expected a word");
    }
    return rc ? rc : take_tail(lex);
}

int act_lex_begin(struct act_lex *lex, const char *name, const char *text, size_t size,
                  struct act_arena *arena, struct cca_error *err)
{
    *lex = (struct act_lex){.name = name,
                            .at = text,
                            .end = text + size,
                            .line_start = text,
                            .line = 1,
                            .arena = arena,
                            .err = err};
    return act_lex_next(lex);
}
