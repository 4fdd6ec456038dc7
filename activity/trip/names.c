/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: names of the model's parts, and functions that build its text. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/tree.h"
#include "activity/trip/text.h"
#include "common/array.h"
#include "common/expr/words.h"

const char *text_print(struct text *text, const char *format, ...)
{
    va_list list;
    char *to;
    int length;

    va_start(list, format);
    length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    to = length < 0 ? NULL : trip_take(text->trip, (size_t)length + 1);
    if (!to) {
        text->failed = -ENOMEM;
        return "";
    }
    va_start(list, format);
    vsnprintf(to, (size_t)length + 1, format, list);
    va_end(list);
    return to;
}

const char *text_quoted(struct text *text, const char *words)
{
    char *copy = act_arena_text(text->trip->arena, words, strlen(words));

    if (!copy) {
        text->failed = cca_no_memory(text->trip->err);
        return "";
    }
    for (char *at = copy; *at; at++)
        if (*at == '"' || (unsigned char)*at < ' ')
            *at = '?';
    return copy;
}

static int is_known(const struct text *text, const char *name)
{
    for (size_t i = 0; i < text->name_count; i++)
        if (strcmp(text->names[i], name) == 0)
            return 1;
    return 0;
}

const char *text_name(struct text *text, const char *wanted)
{
    const char *name = text_print(text, "%s", wanted);
    int taken = is_known(text, name) || act_name_is_own(name) ||
                act_builtin_named(name) >= 0 ||
                cca_is_word("Main if elif else loop", name, strlen(name));

    for (int i = 2; taken && !text->failed; i++) {
        name =
            text_print(text, "%s%s%d", wanted,
                       isdigit((unsigned char)wanted[strlen(wanted) - 1]) ? "_" : "", i);
        taken = is_known(text, name);
    }
    if (cca_array_reserve(&text->names, text->name_count, sizeof *text->names))
        text->failed = cca_no_memory(text->trip->err);
    else
        text->names[text->name_count++] = name;
    return name;
}

void text_note(struct text *text, const char *note)
{
    for (size_t i = 0; i < text->note_count; i++)
        if (strcmp(text->notes[i], note) == 0)
            return;
    if (cca_array_reserve(&text->notes, text->note_count, sizeof *text->notes))
        text->failed = cca_no_memory(text->trip->err);
    else
        text->notes[text->note_count++] = note;
}

/* Append "restrict_level" as "RestrictLevel". */
static void append_word(char *to, size_t size, const char *word)
{
    size_t length = strlen(to);
    int upper = 1;

    for (; *word && length + 1 < size; word++) {
        unsigned char c = (unsigned char)*word;

        if (!isalnum(c)) {
            upper = 1;
            continue;
        }
        if (length == 0 && isdigit(c))
            to[length++] = 'M';
        to[length++] = (char)(upper ? toupper(c) : c);
        upper = 0;
    }
    to[length < size ? length : size - 1] = '\0';
}

/* Whether another symbol is like symbol `at` but for the property that `by` compares. */
static int differs(const struct text *text, size_t at,
                   int (*by)(const struct trip_symbol *a, const struct trip_symbol *b))
{
    const struct trip *trip = text->trip;

    for (size_t i = 0; i < trip->symbol_count; i++)
        if (i != at && by(&trip->symbols[at], &trip->symbols[i]))
            return 1;
    return 0;
}

static int by_instance(const struct trip_symbol *a, const struct trip_symbol *b)
{
    return strcmp(a->method->method, b->method->method) == 0 &&
           strcmp(a->method->instance, b->method->instance) != 0;
}

static int by_class(const struct trip_symbol *a, const struct trip_symbol *b)
{
    return strcmp(a->method->name, b->method->name) == 0 &&
           strcmp(a->method->class_name, b->method->class_name) != 0;
}

static int by_mode(const struct trip_symbol *a, const struct trip_symbol *b)
{
    return strcmp(a->method->name, b->method->name) == 0 && a->modes != b->modes &&
           strcmp(a->method->class_name, b->method->class_name) == 0;
}

static void append_modes(char *to, size_t size, const struct trip_symbol *s)
{
    for (size_t i = 0; i < s->method->in_count; i++) {
        const struct mm_value_info *value = &s->method->values[i];
        const char *label = NULL;
        char number[32];

        if (value->kind != MONITOR_MODE)
            continue;
        for (size_t k = 0; k < value->label_count; k++)
            if (value->labels[k].value == s->modes[i].i)
                label = value->labels[k].text;
        if (!label || isdigit((unsigned char)*label))
            append_word(to, size, value->name);
        snprintf(number, sizeof number, "%lld", (long long)s->modes[i].i);
        if (monitor_value_absent(s->modes[i], value->type))
            label = "none";
        append_word(to, size, label ? label : number);
    }
}

void text_name_symbols(struct text *text)
{
    struct trip *trip = text->trip;

    for (size_t i = 0; i < trip->symbol_count; i++) {
        struct trip_symbol *s = &trip->symbols[i];
        char name[200] = "";

        if (differs(text, i, by_instance))
            append_word(name, sizeof name, s->method->instance);
        append_word(name, sizeof name, s->method->method);
        if (differs(text, i, by_class))
            append_word(name, sizeof name, s->method->class_name);
        if (differs(text, i, by_mode))
            append_modes(name, sizeof name, s);
        s->name = text_name(text, *name ? name : "Method");
    }
}

FILE *text_open(struct text *text, char **buffer, size_t *size)
{
    FILE *out;

    *buffer = NULL;
    out = open_memstream(buffer, size);
    if (!out)
        text->failed = cca_no_memory(text->trip->err);
    return out;
}

const char *text_close(struct text *text, FILE *out, char **buffer, size_t *size)
{
    const char *copy;

    if (!out)
        return "";
    if (fclose(out) != 0 || !*buffer) {
        text->failed = cca_no_memory(text->trip->err);
        copy = "";
    } else {
        copy = act_arena_text(text->trip->arena, *buffer, *size);
        if (!copy) {
            text->failed = cca_no_memory(text->trip->err);
            copy = "";
        }
    }
    free(*buffer);
    *buffer = NULL;
    return copy;
}
