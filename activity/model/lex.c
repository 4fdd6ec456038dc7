/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.c: tokens and comments of a model's text. */
#include "activity/model/lex.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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
    return lex->word.kind == CCA_TOKEN_END
               ? act_lex_refuse_at(lex, lex->word.place, "found the end, expected %s",
                                   expected)
               : act_lex_refuse_at(lex, lex->word.place, "found '%.40s', expected %s",
                                   lex->word.text, expected);
}

/* Append a comment to the comments read before it; each has its own line. */
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

/* The text of the comment at the cursor; moves to the end of the line. */
static const char *comment_text(struct act_lex *lex, size_t *length)
{
    const char *from = lex->cursor.at + 2;
    const char *end = memchr(from, '\n', (size_t)(lex->cursor.end - from));

    end = end ? end : lex->cursor.end;
    cca_cursor_step(&lex->cursor, (size_t)(end - lex->cursor.at));
    while (end > from && strchr(" \r\t", end[-1]))
        end--;
    from += end > from && *from == ' ';
    *length = (size_t)(end - from);
    return from;
}

static int is_at(const struct act_lex *lex, const char *pair)
{
    return lex->cursor.end - lex->cursor.at >= 2 && memcmp(lex->cursor.at, pair, 2) == 0;
}

/* Read a comment after the token in its line. */
static int take_tail(struct act_lex *lex)
{
    struct cca_cursor before = lex->cursor;
    size_t length;
    const char *from;

    while (lex->cursor.at < lex->cursor.end &&
           (*lex->cursor.at == ' ' || *lex->cursor.at == '\t'))
        cca_cursor_step(&lex->cursor, 1);
    if (!is_at(lex, "//")) {
        lex->cursor = before;
        return 0;
    }
    from = comment_text(lex, &length);
    lex->word.tail = act_arena_text(lex->arena, from, length);
    return lex->word.tail ? 0 : act_lex_no_memory(lex);
}

/* Read "{{ C }}", over any number of lines. */
static int take_raw(struct act_lex *lex)
{
    const char *from = lex->cursor.at + 2;
    size_t size = (size_t)(lex->cursor.end - from);
    const char *end = memmem(from, size, "}}", 2);

    lex->word.kind = CCA_TOKEN_RAW;
    if (!end || memchr(from, '\0', (size_t)(end - from)))
        return act_lex_refuse_at(lex, lex->word.place,
                                 "found {{ without end, expected C and }}");
    lex->word.text = act_arena_text(lex->arena, from, (size_t)(end - from));
    cca_cursor_step(&lex->cursor, (size_t)(end + 2 - lex->cursor.at));
    return lex->word.text ? 0 : act_lex_no_memory(lex);
}

static const struct cca_lexis words = {
    .pairs = "==!=<=>=&&||..<<>>", .singles = "(){}[],;=<>+-*/%!?:", .quotes = "\""};

static int take_token(struct act_lex *lex)
{
    struct act_word *word = &lex->word;
    struct cca_token token;
    enum cca_token_fault fault = cca_token_next(&words, &lex->cursor, &token);
    size_t quotes = token.kind == CCA_TOKEN_STRING && token.length > 1;

    word->kind = token.kind;
    word->whole = token.i;
    word->real = token.d;
    word->text =
        act_arena_text(lex->arena, token.start + quotes, token.length - 2 * quotes);
    if (!word->text)
        return act_lex_no_memory(lex);
    switch (fault) {
    case CCA_TOKEN_GOOD:
        return 0;
    case CCA_TOKEN_OPEN:
        return act_lex_refuse_at(lex, word->place,
                                 "found a text without end, expected '\"' in its line");
    case CCA_TOKEN_STRANGE:
        return act_lex_refuse_at(lex, word->place,
                                 "found the character 0x%02x, expected a word",
                                 (unsigned char)*token.start);
    default:
        return act_lex_refuse_at(lex, word->place,
                                 "found the number %.40s, expected one that fits 64 bits",
                                 word->text);
    }
}

int act_lex_next(struct act_lex *lex)
{
    int rc = 0;

    if (lex->failed)
        return lex->failed;
    lex->word = (struct act_word){.text = ""};
    /* A comment on its own line belongs to the next token. */
    for (cca_cursor_skip(&words, &lex->cursor); is_at(lex, "//") && !rc;
         cca_cursor_skip(&words, &lex->cursor)) {
        size_t length;
        const char *from = comment_text(lex, &length);

        rc = join(lex, &lex->word.comment, from, length);
    }
    lex->word.place = (struct act_place){lex->cursor.line, lex->cursor.column};
    if (!rc)
        rc = is_at(lex, "{{") ? take_raw(lex) : take_token(lex);
    return rc ? rc : take_tail(lex);
}

int act_lex_begin(struct act_lex *lex, const char *name, const char *text, size_t size,
                  struct act_arena *arena, struct cca_error *err)
{
    *lex = (struct act_lex){
        .name = name, .cursor = {text, text + size, 1, 1}, .arena = arena, .err = err};
    return act_lex_next(lex);
}
