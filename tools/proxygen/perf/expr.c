/* SPDX-License-Identifier: BSD-3-Clause */
/* expr.c: parser, type check and evaluation of expressions over arguments. */
#include "tools/proxygen/perf/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proxies/proxy_value.h"
#include "tools/proxygen/perf/word.h"

enum { DEPTH_MAX = 64, NODES_MAX = 500 };

struct parser {
    struct pg_lexer *lexer;
    const struct pg_method *method;
    int depth, nodes;
};

static int sum(struct parser *parser, struct pg_expr **expr);

static int node(struct parser *parser, enum pg_op op, struct pg_expr **expr)
{
    if (++parser->nodes > NODES_MAX)
        return pg_lex_fail(parser->lexer, "an expression of more than %d operands and operators",
                           NODES_MAX);
    *expr = calloc(1, sizeof **expr);
    if (!*expr)
        return cca_error_set(parser->lexer->err, -ENOMEM, "out of memory");
    (*expr)->op = op;
    (*expr)->cls = PG_INTEGER;
    return 0;
}

/* Which argument the current token names. */
static int argument(struct parser *parser, size_t *arg)
{
    struct pg_lexer *lexer = parser->lexer;
    const struct pg_token *token = &lexer->token;
    const struct pg_method *method = parser->method;
    ptrdiff_t found;

    if (token->kind != PG_NAME)
        return pg_lex_fail(lexer, "%s where an argument was expected", pg_lex_show(token).text);
    found = pg_method_find_arg(method, token->start, token->length);
    if (found >= 0) {
        *arg = (size_t)found;
        return 0;
    }
    for (size_t i = 0; i < method->arg_count; i++)
        if (pg_word_near(token->start, token->length, method->args[i].name))
            return pg_lex_fail(lexer, "%s is no argument of '%.60s'; did you mean '%.60s'?",
                               pg_lex_show(token).text, method->name, method->args[i].name);
    return pg_lex_fail(lexer, "%s is no argument of '%.60s'", pg_lex_show(token).text,
                       method->name);
}

static int plain_argument(struct parser *parser, struct pg_expr **expr)
{
    const struct pg_arg *arg;
    size_t index;
    int status = argument(parser, &index);

    if (status < 0)
        return status;
    arg = &parser->method->args[index];
    if (arg->value.cls == PG_OTHER)
        return pg_lex_fail(parser->lexer,
                           arg->pointee.cls ? "'%.60s' is a pointer (%.60s); '*%.60s' is a number"
                                            : "'%.60s' is no number (%.60s)",
                           arg->name, arg->type, arg->name);
    status = node(parser, PG_ARG, expr);
    if (status < 0)
        return status;
    (*expr)->arg = index;
    (*expr)->cls = arg->value.cls;
    return pg_lex_next(parser->lexer);
}

/* After '*'. */
static int pointed(struct parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int bracket = pg_lex_is(lexer, '('), status = bracket ? pg_lex_next(lexer) : 0;
    const struct pg_arg *arg;
    size_t index;

    if (status == 0)
        status = argument(parser, &index);
    if (status < 0)
        return status;
    arg = &parser->method->args[index];
    if (arg->pointee.cls == PG_OTHER)
        return pg_lex_fail(lexer, "'%.60s' is no pointer to a number (%.60s)", arg->name,
                           arg->type);
    status = node(parser, PG_DEREF, expr);
    if (status < 0)
        return status;
    (*expr)->arg = index;
    (*expr)->cls = arg->pointee.cls;
    status = pg_lex_next(lexer);
    if (status == 0 && bracket) {
        if (!pg_lex_is(lexer, ')'))
            return pg_lex_fail(lexer, "%s where ')' was expected",
                               pg_lex_show(&lexer->token).text);
        status = pg_lex_next(lexer);
    }
    return status;
}

static int literal(struct parser *parser, struct pg_expr **expr)
{
    const struct pg_token *token = &parser->lexer->token;
    int real = token->kind == PG_REAL_NUMBER;
    int status = node(parser, real ? PG_REAL : PG_INT, expr);

    if (status < 0)
        return status;
    (*expr)->cls = real ? PG_FLOATING : PG_INTEGER;
    (*expr)->i = token->i;
    (*expr)->d = token->d;
    return pg_lex_next(parser->lexer);
}

static int bracketed(struct parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status = pg_lex_next(lexer);

    if (status == 0)
        status = sum(parser, expr);
    if (status < 0)
        return status;
    if (!pg_lex_is(lexer, ')'))
        return pg_lex_fail(lexer, "%s where ')' was expected", pg_lex_show(&lexer->token).text);
    return pg_lex_next(lexer);
}

static int unary(struct parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status;

    if (++parser->depth > DEPTH_MAX)
        return pg_lex_fail(lexer, "an expression nested deeper than %d", DEPTH_MAX);
    if (pg_lex_is(lexer, '-')) {
        status = node(parser, PG_NEG, expr);
        if (status == 0)
            status = pg_lex_next(lexer);
        if (status == 0)
            status = unary(parser, &(*expr)->left);
        if (status == 0)
            (*expr)->cls = (*expr)->left->cls;
    } else if (pg_lex_is(lexer, '+')) {
        status = pg_lex_next(lexer);
        if (status == 0)
            status = unary(parser, expr);
    } else if (pg_lex_is(lexer, '*')) {
        status = pg_lex_next(lexer);
        if (status == 0)
            status = pointed(parser, expr);
    } else if (pg_lex_is(lexer, '(')) {
        status = bracketed(parser, expr);
    } else if (lexer->token.kind == PG_INT_NUMBER || lexer->token.kind == PG_REAL_NUMBER) {
        status = literal(parser, expr);
    } else {
        status = plain_argument(parser, expr);
    }
    parser->depth--;
    return status;
}

static enum pg_op operator_of(const struct pg_lexer *lexer, const char *characters)
{
    static const char *const all = "+-*/%";
    static const enum pg_op ops[] = {PG_ADD, PG_SUB, PG_MUL, PG_DIV, PG_MOD};

    if (lexer->token.kind != PG_PUNCT || !strchr(characters, *lexer->token.start))
        return PG_INT; /* no operator */
    return ops[strchr(all, *lexer->token.start) - all];
}

/* operand (operator operand)*, the operators being one of `characters`. */
static int chain(struct parser *parser, const char *characters,
                 int (*operand)(struct parser *, struct pg_expr **), struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status = operand(parser, expr);
    enum pg_op op;

    while (status == 0 && (op = operator_of(lexer, characters)) != PG_INT) {
        struct pg_token sign = lexer->token;
        struct pg_expr *whole = NULL;

        status = node(parser, op, &whole);
        if (status < 0)
            return status;
        whole->left = *expr;
        *expr = whole;
        status = pg_lex_next(lexer);
        if (status == 0)
            status = operand(parser, &whole->right);
        if (status < 0)
            return status;
        if (whole->left->cls == PG_FLOATING || whole->right->cls == PG_FLOATING)
            whole->cls = PG_FLOATING;
        if (op == PG_MOD && whole->cls == PG_FLOATING)
            return pg_lex_fail_at(lexer, &sign, "'%%' takes integers on both sides");
        if ((op == PG_DIV || op == PG_MOD) &&
            ((whole->right->op == PG_INT && whole->right->i == 0) ||
             (whole->right->op == PG_REAL && !(whole->right->d < 0 || whole->right->d > 0))))
            return pg_lex_fail_at(lexer, &sign, "division by zero");
    }
    return status;
}

static int product(struct parser *parser, struct pg_expr **expr)
{
    return chain(parser, "*/%", unary, expr);
}

static int sum(struct parser *parser, struct pg_expr **expr)
{
    return chain(parser, "+-", product, expr);
}

int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr)
{
    struct parser parser = {.lexer = lexer, .method = method};
    struct pg_expr *parsed = NULL;
    int status = sum(&parser, &parsed);

    if (status < 0) {
        pg_expr_free(parsed);
        return status;
    }
    *expr = parsed;
    return 0;
}

static double as_double(const struct pg_expr *expr, const union monitor_value *what)
{
    union monitor_value value = pg_expr_value(expr, what);

    return expr->cls == PG_FLOATING ? value.d : (double)value.i;
}

static double floating(const struct pg_expr *expr, const union monitor_value *what)
{
    double left = as_double(expr->left, what);
    double right = expr->right ? as_double(expr->right, what) : 0.0;

    switch (expr->op) {
    case PG_NEG:
        return -left;
    case PG_ADD:
        return left + right;
    case PG_SUB:
        return left - right;
    case PG_MUL:
        return left * right;
    default:
        return proxy_ratio(left, right);
    }
}

static int64_t integer(const struct pg_expr *expr, const union monitor_value *what)
{
    int64_t left = pg_expr_value(expr->left, what).i;
    int64_t right = expr->right ? pg_expr_value(expr->right, what).i : 0;

    switch (expr->op) {
    case PG_NEG:
        return proxy_sub(0, left);
    case PG_ADD:
        return proxy_add(left, right);
    case PG_SUB:
        return proxy_sub(left, right);
    case PG_MUL:
        return proxy_mul(left, right);
    case PG_DIV:
        return proxy_div(left, right);
    default:
        return proxy_mod(left, right);
    }
}

union monitor_value pg_expr_value(const struct pg_expr *expr, const union monitor_value *what)
{
    union monitor_value value;

    if (expr->op == PG_ARG || expr->op == PG_DEREF)
        value = what[expr->arg];
    else if (expr->op == PG_INT)
        value.i = expr->i;
    else if (expr->op == PG_REAL)
        value.d = expr->d;
    else if (expr->cls == PG_FLOATING)
        value.d = floating(expr, what);
    else
        value.i = integer(expr, what);
    return value;
}
