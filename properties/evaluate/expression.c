/* SPDX-License-Identifier: BSD-3-Clause */
/* expression.c: checks an expression word by word, and writes it anew. */
#include "properties/evaluate/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array.h"
#include "common/nearest.h"

enum { MOST_TEXT = 4000, MOST_DEPTH = 40, MOST_WORD = 64 };

/* Functions: those of SQLite and ours (functions.c). min and max of one value are
 * aggregates, of several they are not. */
static const struct {
    const char *name;
    int aggregate; /* 2: of one argument */
} functions[] = {{"abs", 0},    {"round", 0},  {"sqrt", 0},     {"ln", 0},
                 {"exp", 0},    {"pow", 0},    {"coalesce", 0}, {"ifnull", 0},
                 {"nullif", 0}, {"iif", 0},    {"min", 2},      {"max", 2},
                 {"avg", 1},    {"sum", 1},    {"count", 1},    {"total", 1},
                 {"sd", 1},     {"median", 1}, {"quantile", 1}, {"any", 1},
                 {"all", 1}};
static const char *const keywords[] = {"and",     "or",   "not",  "is",   "null",
                                       "between", "in",   "like", "glob", "case",
                                       "when",    "then", "else", "end",  NULL};

struct writing {
    struct mm_expression *e;
    const struct mm_property *property;
    const struct mm_property_text *text;
    const char *at;
    char *out;
    size_t used, size;
    int depth, value; /* open brackets; the last token was a value */
    struct {
        int function; /* its number, -1: a plain bracket */
        int commas;
        int bare; /* it has columns outside aggregates */
    } open[MOST_DEPTH];
    struct cca_error *err;
};

static int function_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcasecmp(functions[i].name, name) == 0)
            return (int)i;
    return -1;
}

int mm_expression_has_function(const char *name)
{
    return function_of(name) >= 0;
}

static int refuse(const struct writing *w, const char *found, const char *expected)
{
    return cca_error_set(w->err, -EBADMSG, "%s:%d: found '%.80s', expected %s",
                         w->property->path, w->text->line, found, expected);
}

static int put(struct writing *w, const char *text)
{
    size_t length = strlen(text);

    if (cca_array_extend(&w->out, &w->size, 1, w->used + length + 3))
        return -ENOMEM;
    memcpy(w->out + w->used, text, length + 1);
    w->used += length;
    return 0;
}

/* --- Names ----------------------------------------------------------------------------
 */

/* Refuse a name with the nearest one. */
static int refuse_name(const struct writing *w, const char *name,
                       const struct mm_scope_table *table, const char *column)
{
    struct cca_nearest nearest;
    char expected[160];

    cca_nearest_init(&nearest, column);
    for (const char *const *c = table->columns; *c; c++)
        cca_nearest_offer(&nearest, *c);
    if (nearest.best)
        snprintf(expected, sizeof expected, "'%s%s%s'",
                 strchr(name, '.') ? table->word : "", strchr(name, '.') ? "." : "",
                 nearest.best);
    else
        snprintf(expected, sizeof expected, "a column of %s (docs/reference/property-files.md)",
                 table->word);
    return refuse(w, name, expected);
}

/* Whether there are columns outside aggregates: in the innermost bracket, or in none. */
static int *bare_of(struct writing *w)
{
    return w->depth ? &w->open[w->depth - 1].bare : &w->e->bare;
}

/* Keep a column, once. */
static int keep_column(struct writing *w, const struct mm_scope_table *table,
                       enum mm_scope_word word, const char *column)
{
    struct mm_expression *e = w->e;
    char sql[48];
    int i = 0;

    snprintf(sql, sizeof sql, "%s.%s", table->alias, column);
    e->words |= 1u << word;
    *bare_of(w) |= word != MM_SCOPE_REGION && word != MM_SCOPE_EXPERIMENT;
    while (i < e->column_count && strcmp(e->columns[i].sql, sql) != 0)
        i++;
    if (i == MM_EXPRESSION_COLUMNS)
        return refuse(w, sql, "at most 32 columns");
    if (i == e->column_count) {
        strcpy(e->columns[i].sql, sql);
        e->columns[i].column = column;
        e->columns[i].word = word;
        e->column_count++;
    }
    return put(w, sql);
}

static int put_name(struct writing *w, char *name)
{
    char *dot = strchr(name, '.'), *column = dot ? dot + 1 : name;
    enum mm_scope_word word = MM_SCOPE_SELF;
    const struct mm_scope_table *table = mm_scope_find(w->property->object, word);

    if (dot) {
        int known = 0;

        *dot = '\0';
        for (word = MM_SCOPE_SELF; word < MM_SCOPE_WORDS && !known; word++) {
            table = mm_scope_find(w->property->object, word);
            known = table && strcmp(table->word, name) == 0;
        }
        if (!known)
            return refuse(w, name,
                          w->property->object == MM_FOR_EXPERIMENTS
                              ? "par, seq, basis, region or experiment before the dot"
                              : "basis, region, experiment or another table of "
                                "docs/reference/property-files.md before the dot");
        word--;
        *dot = '.';
    }
    for (const char *const *c = table->columns; *c; c++)
        if (strcmp(*c, column) == 0)
            return keep_column(w, table, word, *c);
    return refuse_name(w, name, table, column);
}

static int put_param(struct writing *w, const char *name)
{
    for (size_t i = 0; i < w->property->param_count; i++)
        if (strcmp(w->property->params[i].name, name) == 0) {
            char number[40];

            snprintf(number, sizeof number, "(%.17e)", w->property->params[i].value);
            return put(w, number);
        }
    return refuse(w, name, "a parameter that 'params:' states");
}

static int put_keyword(struct writing *w, const char *word)
{
    static const char *const values[] = {"null", "end"};

    w->value = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        w->value |= strcasecmp(word, values[i]) == 0;
    return put(w, word);
}

/* --- Tokens ---------------------------------------------------------------------------
 */

static int open_bracket(struct writing *w, int function)
{
    if (w->depth == MOST_DEPTH)
        return refuse(w, "(", "at most 40 brackets in one another");
    w->open[w->depth].function = function;
    w->open[w->depth].commas = w->open[w->depth].bare = 0;
    w->depth++;
    w->value = 0;
    return put(w, "(");
}

static int close_bracket(struct writing *w)
{
    int function;

    if (!w->depth)
        return refuse(w, w->at, "as many '(' as ')'");
    function = w->open[--w->depth].function;
    if (function >= 0 && functions[function].aggregate &&
        !(functions[function].aggregate == 2 && w->open[w->depth].commas))
        w->e->aggregates = 1;
    else
        *bare_of(w) |= w->open[w->depth].bare;
    w->value = 1;
    w->at++;
    return put(w, ")");
}

/* A word: keyword, function or name. */
static int take_word(struct writing *w)
{
    char word[MOST_WORD + 1];
    size_t n = 0, blank;

    while (isalnum((unsigned char)w->at[n]) || w->at[n] == '_' || w->at[n] == '.')
        n++;
    if (n > MOST_WORD)
        return refuse(w, w->at, "a shorter name");
    memcpy(word, w->at, n);
    word[n] = '\0';
    w->at += n;
    for (const char *const *k = keywords; *k; k++)
        if (strcasecmp(*k, word) == 0)
            return put_keyword(w, word);
    blank = strspn(w->at, " \t");
    if (w->at[blank] == '(') {
        int function = function_of(word), result;

        if (function < 0)
            return refuse(w, word,
                          "a function: abs, min, max, avg, sum, count, sd, median, "
                          "quantile, sqrt, ln, exp, pow, round, coalesce, iif, any, all");
        if (w->value)
            return refuse(w, word, "an operator before it");
        w->at += blank + 1;
        w->e->guards |= strcmp(functions[function].name, "coalesce") == 0 ||
                        strcmp(functions[function].name, "ifnull") == 0;
        /* ALL is a word of SQL itself. */
        result = put(w, strcmp(functions[function].name, "all") == 0
                            ? "mm_all"
                            : functions[function].name);
        return result ? result : open_bracket(w, function);
    }
    if (w->value)
        return refuse(w, word, "an operator before it");
    w->value = 1;
    return put_name(w, word);
}

static int take_number(struct writing *w)
{
    char number[40], *end;
    double value = strtod(w->at, &end);

    if (w->value)
        return refuse(w, w->at, "an operator before the number");
    if (*w->at == '0' && tolower((unsigned char)w->at[1]) == 'x')
        return refuse(w, w->at, "a decimal number");
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '.' || value > 1e300)
        return refuse(w, w->at, "a finite number");
    /* As REAL, so that 1/3 is a third. */
    snprintf(number, sizeof number, "%.17e", value);
    w->at = end;
    w->value = 1;
    return put(w, number);
}

static int take_string(struct writing *w)
{
    int result = put(w, "'");

    for (w->at++; *w->at && !result; w->at++) {
        char one[3] = {*w->at, 0, 0};

        if (*w->at == '\'') {
            if (w->at[1] != '\'')
                break;
            w->at++;
            one[1] = '\'';
        }
        result = put(w, one);
    }
    if (result)
        return result;
    if (!*w->at)
        return refuse(w, "'", "the end of the text, another '");
    w->at++;
    w->value = 1;
    return put(w, "'");
}

static int take_param(struct writing *w)
{
    char name[MOST_WORD + 1];
    size_t n = 0;

    while (n < MOST_WORD && (isalnum((unsigned char)w->at[1 + n]) || w->at[1 + n] == '_'))
        n++;
    memcpy(name, w->at + 1, n);
    name[n] = '\0';
    if (w->value)
        return refuse(w, w->at, "an operator before it");
    w->at += n + 1;
    w->value = 1;
    return put_param(w, name);
}

static int take_operator(struct writing *w)
{
    static const char *const operators[] = {"<=", ">=", "<>", "!=", "==", "<",
                                            ">",  "=",  "+",  "-",  "*",  "/"};

    if (w->at[0] == '-' && w->at[1] == '-')
        return refuse(w, "--", "one '-'; comments are lines that begin with '#'");
    if (w->at[0] == '/' && w->at[1] == '*')
        return refuse(w, "/*", "one '/'; comments are lines that begin with '#'");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t n = strlen(operators[i]);

        if (strncmp(w->at, operators[i], n) != 0)
            continue;
        if (*w->at == '*' && !w->value && w->depth &&
            w->at[1 + strspn(w->at + 1, " ")] == ')') {
            w->value = 1; /* count(*) */
            w->at++;
            return put(w, "*");
        }
        if (!w->value && *w->at != '-' && *w->at != '+')
            return refuse(w, w->at, "a value before it");
        w->value = 0;
        w->at += n;
        /* Blanks, so that two minus signs are no comment. */
        return put(w, " ") || put(w, operators[i]) || put(w, " ") ? -ENOMEM : 0;
    }
    return refuse(w, w->at, "an expression of names, numbers, brackets and operators");
}

/* Values stand behind a blank: a keyword before them would become another word. */
static int take_token(struct writing *w)
{
    if ((isdigit((unsigned char)*w->at) || strchr(".':", *w->at)) && put(w, " "))
        return -ENOMEM;
    if (isdigit((unsigned char)*w->at) ||
        (*w->at == '.' && isdigit((unsigned char)w->at[1])))
        return take_number(w);
    if (isalpha((unsigned char)*w->at))
        return put(w, " ") ? -ENOMEM : take_word(w);
    switch (*w->at) {
    case '\'':
        return w->value ? refuse(w, w->at, "an operator before it") : take_string(w);
    case ':':
        return take_param(w);
    case '(':
        /* `x in (...)`: the keyword before it leaves no value. */
        if (w->value)
            return refuse(w, w->at, "an operator before it");
        w->at++;
        return open_bracket(w, -1);
    case ')':
        return close_bracket(w);
    case ',':
        if (!w->depth)
            return refuse(w, w->at, "one expression");
        w->open[w->depth - 1].commas++;
        w->value = 0;
        w->at++;
        return put(w, ", ");
    default:
        return take_operator(w);
    }
}

int mm_expression_read(struct mm_expression *expression,
                       const struct mm_property *property,
                       const struct mm_property_text *text, struct cca_error *err)
{
    struct writing w = {.e = expression,
                        .property = property,
                        .text = text,
                        .at = text->text,
                        .err = err};
    int result;

    memset(expression, 0, sizeof *expression);
    if (strlen(text->text) > MOST_TEXT)
        return refuse(&w, "a longer expression", "at most 4,000 characters");
    result = put(&w, "(");
    while (!result && *(w.at += strspn(w.at, " \t")))
        result = take_token(&w);
    if (!result && w.depth)
        result = refuse(&w, "(", "its ')'");
    if (!result)
        result = put(&w, ")");
    if (result == -ENOMEM)
        cca_no_memory(err);
    expression->sql = w.out;
    return result;
}

void mm_expression_done(struct mm_expression *expression)
{
    free(expression->sql);
    memset(expression, 0, sizeof *expression);
}
