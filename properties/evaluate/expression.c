/* SPDX-License-Identifier: BSD-3-Clause */
/* expression.c: check an expression token by token, and rewrite it. */
#include "properties/evaluate/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/expr/token.h"
#include "common/expr/words.h"
#include "common/nearest.h"

enum { MOST_TEXT = 4000, MOST_DEPTH = 40, MOST_WORD = 64 };

/* Functions of SQLite, and ours (functions.c). min and max of one argument are
 * aggregates, of several arguments they are not. */
static const struct {
    const char *name;
    int aggregate; /* 1: an aggregate over rows; 2: an aggregate if it has one argument */
} functions[] = {{"abs", 0},    {"round", 0},  {"sqrt", 0},     {"ln", 0},
                 {"exp", 0},    {"pow", 0},    {"coalesce", 0}, {"ifnull", 0},
                 {"nullif", 0}, {"iif", 0},    {"min", 2},      {"max", 2},
                 {"avg", 1},    {"sum", 1},    {"count", 1},    {"total", 1},
                 {"sd", 1},     {"median", 1}, {"quantile", 1}, {"any", 1},
                 {"all", 1}};

struct writing {
    struct mm_expression *e;
    const struct mm_property *property;
    const struct mm_property_text *text;
    struct cca_cursor cursor;
    struct cca_token token; /* the current token */
    enum cca_token_fault fault;
    FILE *out;
    int depth, value; /* depth: open parentheses; value: the last token was a value */
    struct {
        int function; /* index of the function that has these parentheses; -1: none, plain
                       * parentheses */
        int commas;
        int bare; /* 1: the parenthesis has columns outside of aggregates */
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

/* Refuse the current token; the error quotes the name, or the text from there on. */
static int refuse_here(const struct writing *w, const char *expected)
{
    char found[MOST_WORD + 17];

    snprintf(found, sizeof found, "%.*s",
             w->token.kind == CCA_TOKEN_NAME ? (int)w->token.length : MOST_WORD + 16,
             w->token.start);
    return refuse(w, found, expected);
}

/* Read the next token. Returns 0 at the end. */
static int next_token(struct writing *w)
{
    static const struct cca_lexis lexis = {.pairs = "<=>=<>!===--/*",
                                           .singles = "<>=+-*/(),:",
                                           .quotes = "'",
                                           .options = CCA_LEX_POINT | CCA_LEX_SEPARATE |
                                                      CCA_LEX_DOTS | CCA_LEX_DOUBLED};

    w->fault = cca_token_next(&lexis, &w->cursor, &w->token);
    return w->token.kind != CCA_TOKEN_END;
}

static int is_before_sign(const struct writing *w, char sign)
{
    return w->cursor.at[strspn(w->cursor.at, " \t")] == sign;
}

/* --- Names -------------------------------------------------------------- */

/* Refuse a name and propose the nearest one. */
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
        snprintf(expected, sizeof expected,
                 "a column of %s (docs/reference/property-files.md)", table->word);
    return refuse(w, name, expected);
}

/* The flag "has columns outside of aggregates" of the innermost parenthesis, or of the
 * whole expression. */
static int *bare_of(struct writing *w)
{
    return w->depth ? &w->open[w->depth - 1].bare : &w->e->bare;
}

/* Add a column to the list of used columns, unless the list has it. */
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
    fputs(sql, w->out);
    return 0;
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

/* Write the parameter whose name is the next token. */
static int put_param(struct writing *w)
{
    next_token(w);
    for (size_t i = 0; i < w->property->param_count; i++)
        if (cca_token_is(&w->token, w->property->params[i].name)) {
            fprintf(w->out, "(%.17e)", w->property->params[i].value);
            return 0;
        }
    return refuse_here(w, "a parameter that 'params:' states");
}

/* --- Tokens ------------------------------------------------------------- */

static int open_bracket(struct writing *w, int function)
{
    if (w->depth == MOST_DEPTH)
        return refuse(w, "(", "at most 40 brackets in one another");
    w->open[w->depth].function = function;
    w->open[w->depth].commas = w->open[w->depth].bare = 0;
    w->depth++;
    w->value = 0;
    fputc('(', w->out);
    return 0;
}

static int close_bracket(struct writing *w)
{
    int function;

    if (!w->depth)
        return refuse_here(w, "as many '(' as ')'");
    function = w->open[--w->depth].function;
    if (function >= 0 && functions[function].aggregate &&
        !(functions[function].aggregate == 2 && w->open[w->depth].commas))
        w->e->aggregates = 1;
    else
        *bare_of(w) |= w->open[w->depth].bare;
    w->value = 1;
    fputc(')', w->out);
    return 0;
}

static int put_function(struct writing *w, const char *word)
{
    int function = function_of(word);

    if (function < 0)
        return refuse(w, word,
                      "a function: abs, min, max, avg, sum, count, sd, median, "
                      "quantile, sqrt, ln, exp, pow, round, coalesce, iif, any, all");
    w->e->guards |= strcmp(functions[function].name, "coalesce") == 0 ||
                    strcmp(functions[function].name, "ifnull") == 0;
    /* ALL is a keyword of SQL, so our function all has another name there */
    fputs(strcmp(functions[function].name, "all") == 0 ? "mm_all"
                                                       : functions[function].name,
          w->out);
    next_token(w);
    return open_bracket(w, function);
}

/* Write a number as REAL, so that 1/3 is a third. */
static int put_number(struct writing *w)
{
    if (w->fault == CCA_TOKEN_NO_NUMBER)
        return refuse_here(w, "a decimal number");
    if (w->fault == CCA_TOKEN_LONG || w->token.d > 1e300)
        return refuse_here(w, "a finite number");
    fprintf(w->out, "%.17e", w->token.d);
    return 0;
}

/* Write the start of a value. */
static int put_value(struct writing *w, char *word)
{
    if (w->value)
        return refuse_here(w, "an operator before it");
    w->value = 1;
    if (cca_token_is(&w->token, "("))
        return open_bracket(w, -1);
    if (cca_token_is(&w->token, ":"))
        return put_param(w);
    if (w->token.kind == CCA_TOKEN_NAME)
        return is_before_sign(w, '(') ? put_function(w, word) : put_name(w, word);
    if (w->token.kind != CCA_TOKEN_STRING)
        return put_number(w);
    if (w->fault)
        return refuse_here(w, "the end of the text, another '");
    fwrite(w->token.start, 1, w->token.length, w->out);
    return 0;
}

static int put_operator(struct writing *w)
{
    const char *sign = w->token.start;

    if (w->fault)
        return refuse_here(w, "an expression of names, numbers, brackets and operators");
    if (cca_token_is(&w->token, "--"))
        return refuse(w, "--", "one '-'; comments are lines that begin with '#'");
    if (cca_token_is(&w->token, "/*"))
        return refuse(w, "/*", "one '/'; comments are lines that begin with '#'");
    if (!w->value && *sign == '*' && w->depth && is_before_sign(w, ')'))
        w->value = 1; /* the argument of count(*) is complete */
    else if (!w->value && *sign != '-' && *sign != '+')
        return refuse_here(w, "a value before it");
    else
        w->value = 0;
    fwrite(sign, 1, w->token.length, w->out);
    return 0;
}

/* Write the current token after a blank, so that two minus signs become no comment and
 * two tokens never form a third. */
static int put_token(struct writing *w)
{
    static const char keywords[] =
        "and or not is null between in like glob case when then else end";
    char word[MOST_WORD + 1] = "", lower[MOST_WORD + 1] = "";

    fputc(' ', w->out);
    if (w->token.kind == CCA_TOKEN_NAME) {
        if (w->token.length > MOST_WORD)
            return refuse_here(w, "a shorter name");
        for (size_t i = 0; i < w->token.length; i++)
            lower[i] = (char)tolower((unsigned char)(word[i] = w->token.start[i]));
        if (cca_is_word(keywords, lower, w->token.length)) {
            w->value = cca_is_word("null end", lower, w->token.length);
            fputs(word, w->out);
            return 0;
        }
    }
    if (cca_token_is(&w->token, ")"))
        return close_bracket(w);
    if (cca_token_is(&w->token, ",")) {
        if (!w->depth)
            return refuse_here(w, "one expression");
        w->open[w->depth - 1].commas++;
        w->value = 0;
        fputc(',', w->out);
        return 0;
    }
    return w->token.kind != CCA_TOKEN_SIGN || cca_token_is(&w->token, "(") ||
                   cca_token_is(&w->token, ":")
               ? put_value(w, word)
               : put_operator(w);
}

int mm_expression_read(struct mm_expression *expression,
                       const struct mm_property *property,
                       const struct mm_property_text *text, struct cca_error *err)
{
    struct writing w = {.e = expression,
                        .property = property,
                        .text = text,
                        .cursor = {text->text, text->text + strlen(text->text), 1, 1},
                        .err = err};
    size_t size;
    int result = 0;

    memset(expression, 0, sizeof *expression);
    if (strlen(text->text) > MOST_TEXT)
        return refuse(&w, "a longer expression", "at most 4,000 characters");
    w.out = open_memstream(&expression->sql, &size);
    if (!w.out)
        return cca_no_memory(err);
    fputc('(', w.out);
    while (!result && next_token(&w))
        result = put_token(&w);
    if (!result && w.depth)
        result = refuse(&w, "(", "its ')'");
    fputc(')', w.out);
    return fclose(w.out) && !result ? cca_no_memory(err) : result;
}

void mm_expression_done(struct mm_expression *expression)
{
    free(expression->sql);
    memset(expression, 0, sizeof *expression);
}
