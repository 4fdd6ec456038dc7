/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.c: guards written by other tools become conditions of the language. */
#include "activity/xmi/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/tree.h"
#include "common/array.h"

/* --- Names. --- */

char *xmi_name(const char *words, const char *otherwise)
{
    size_t length = words ? strlen(words) : 0, used = 0;
    char *name = malloc(length + strlen(otherwise) + 4);

    if (!name)
        return NULL;
    for (size_t i = 0; i < length && used < 120; i++) {
        unsigned char c = (unsigned char)words[i];

        if (used == 0 && isdigit(c))
            name[used++] = '_';
        if (isalnum(c) || c == '_')
            name[used++] = (char)c;
        else if (used && name[used - 1] != '_')
            name[used++] = '_';
    }
    while (used && name[used - 1] == '_' && words[length - 1] != '_')
        used--;
    name[used] = '\0';
    if (!used)
        strcpy(name, otherwise);
    if (act_name_is_word(name))
        strcat(name, "_");
    return name;
}

const char *xmi_new_global(struct xmi_guards *g, const char *name, int line)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->globals[i], name) == 0)
            return g->globals[i];
    if (cca_array_reserve(&g->globals, g->count, sizeof *g->globals) ||
        cca_array_reserve(&g->lines, g->count, sizeof *g->lines) ||
        !(g->globals[g->count] = strdup(name)))
        return NULL;
    g->lines[g->count] = line;
    return g->globals[g->count++];
}

void xmi_guards_done(struct xmi_guards *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->globals[i]);
    free(g->globals);
    free(g->lines);
    g->globals = NULL;
    g->lines = NULL;
    g->count = 0;
}

/* --- Conditions. --- */

/* Whether the language's reader accepts `text` as a condition after the current
 * declarations; otherwise `err` has the reason. */
static int is_condition(const struct xmi_guards *g, const char *text,
                        struct cca_error *err)
{
    char *trial = NULL;
    size_t size;
    FILE *out = open_memstream(&trial, &size);
    struct act_model *model;

    if (!out) {
        cca_no_memory(err);
        return 0;
    }
    fprintf(out, "model t\n%s\n", g->declarations);
    for (size_t i = 0; i < g->count; i++)
        fprintf(out, "global long %s = 0\n", g->globals[i]);
    fprintf(out, "activity Main {\n%s\n", g->locals);
    for (int i = 0; i < g->turn_count; i++)
        fprintf(out, "loop %s = 1..1 {\n", g->turns[i]);
    fprintf(out, "if %s {\n}\n", text);
    for (int i = 0; i < g->turn_count; i++)
        fputs("}\n", out);
    fputs("}\n", out);
    if (fclose(out) != 0) {
        free(trial);
        cca_no_memory(err);
        return 0;
    }
    model = act_model_read("guard", trial, strlen(trial), err);
    free(trial);
    act_model_free(model);
    return model != NULL;
}

/* Translate operators of other tools: = and <>, and, or, not, true, false. */
static char *in_our_words(const char *guard)
{
    static const struct {
        const char *from, *to;
    } words[] = {{"and", "&&"}, {"AND", "&&"},  {"or", "||"},  {"OR", "||"},
                 {"not", "!"},  {"NOT", "!"},   {"true", "1"}, {"false", "0"},
                 {"TRUE", "1"}, {"FALSE", "0"}, {"True", "1"}, {"False", "0"}};
    size_t used = 0;
    char *text = malloc(2 * strlen(guard) + 4);

    if (!text)
        return NULL;
    for (const char *at = guard; *at;) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                   "0123456789");
        size_t w = 0;

        while (
            length && w < sizeof words / sizeof *words &&
            (strlen(words[w].from) != length || strncmp(words[w].from, at, length) != 0))
            w++;
        if (length && w < sizeof words / sizeof *words) {
            used += (size_t)sprintf(text + used, "%s", words[w].to);
        } else if (length) {
            memcpy(text + used, at, length);
            used += length;
        } else if (strncmp(at, "<>", 2) == 0) {
            used += (size_t)sprintf(text + used, "!=");
            length = 2;
        } else if (strchr("=!<>", *at) && at[1] == '=') {
            used += (size_t)sprintf(text + used, "%c=", *at);
            length = 2;
        } else if (*at == '=') {
            used += (size_t)sprintf(text + used, "==");
            length = 1;
        } else {
            text[used++] = *at == '\n' || *at == '\r' || *at == '\t' ? ' ' : *at;
            length = 1;
        }
        at += length;
    }
    text[used] = '\0';
    return text;
}

/* The undeclared NAME in an error "found NAME, expected a variable that was declared
 * ..". */
static char *undeclared(const struct cca_error *err)
{
    const char *at = strstr(err->text, "found "), *end;

    if (!at || !strstr(err->text, "expected a variable that was declared"))
        return NULL;
    at += strlen("found ");
    end = strchr(at, ',');
    return end && end > at ? strndup(at, (size_t)(end - at)) : NULL;
}

/* Make `text` a condition by declaring the undeclared names in it as globals. Returns 1;
 * 0: it is no condition. */
static int declare_all(struct xmi_guards *g, const char *text, int line)
{
    size_t before = g->count;

    if (!*text || strchr(text, '{') || strchr(text, '}') || strstr(text, "//"))
        return 0;
    for (int tries = 0; tries < 20; tries++) {
        struct cca_error err = {0};
        char *name;

        if (is_condition(g, text, &err))
            return 1;
        name = undeclared(&err);
        if (!name || !xmi_new_global(g, name, line)) {
            free(name);
            break;
        }
        free(name);
    }
    while (g->count > before)
        free(g->globals[--g->count]);
    return 0;
}

/* Whether a guard is words without an operator, such as "order accepted": together they
 * are one name. */
static int is_of_words(const char *text)
{
    return strpbrk(text, "<>=!&|+-*/%()") == NULL && strchr(text, ' ') != NULL;
}

char *xmi_condition(struct xmi_guards *g, const char *guard, int line)
{
    char *ours, *name;

    if (!is_of_words(guard)) {
        ours = strpbrk(guard, "\r\n") ? NULL : strdup(guard);
        if (ours && declare_all(g, ours, line))
            return ours;
        free(ours);
    }
    ours = in_our_words(guard);
    if (!ours)
        return NULL;
    if (!is_of_words(ours) && declare_all(g, ours, line))
        return ours;
    free(ours);
    if (strpbrk(guard, "<>=&|")) { /* operators show that the author meant a condition */
        struct cca_error err = {0};

        if (!is_condition(g, guard, &err))
            g->refused = guard;
    }
    name = xmi_name(guard, "guard");
    if (name && !xmi_new_global(g, name, line)) {
        free(name);
        return NULL;
    }
    return name;
}
