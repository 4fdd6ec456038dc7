/* SPDX-License-Identifier: BSD-3-Clause */
/* expr.c: parse the operators of expressions and check types. */
#include "tools/proxygen/perf/expr.h"

#include <stdlib.h>

#include "tools/proxygen/perf/parts.h"

enum { DEPTH_MAX = 64, NODES_MAX = 500 };

int pg_parser_node(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr)
{
    if (++parser->nodes > NODES_MAX)
        return pg_lex_fail(parser->lexer,
                           "an expression of more than %d operands and operators",
                           NODES_MAX);
    *expr = calloc(1, sizeof **expr);
    if (!*expr)
        return cca_no_memory(parser->lexer->err);
    (*expr)->op = op;
    (*expr)->cls = PG_INTEGER;
    return 0;
}

int pg_parser_over(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr)
{
    struct pg_expr *whole = NULL;
    int status = pg_parser_node(parser, op, &whole);

    if (status < 0)
        return status;
    whole->left = *expr;
    *expr = whole;
    return 0;
}

int pg_parse_sign(struct pg_parser *parser, const char *sign)
{
    if (!pg_lex_is(parser->lexer, sign))
        return pg_lex_fail(parser->lexer, "%s where '%s' was expected",
                           pg_lex_show(&parser->lexer->token).text, sign);
    return pg_lex_next(parser->lexer);
}

int pg_parse_need(struct pg_parser *parser, const struct cca_token *at,
                  const struct pg_expr *expr, int pointer)
{
    const struct pg_type *type = expr->type;
    char *text;
    int status;

    if (expr->cls != PG_OTHER || (pointer && type && type->kind == PG_TYPE_POINTER))
        return 0;
    text = pg_expr_text(expr, parser->method);
    if (!text)
        return cca_no_memory(parser->lexer->err);
    if (type && type->kind == PG_TYPE_POINTER && type->to &&
        type->to->kind == PG_TYPE_NUMBER)
        status = pg_lex_fail_at(parser->lexer, at,
                                "'%.60s' is a pointer (%.60s); '*%.60s' is a number",
                                text, type->name, text);
    else
        status = pg_lex_fail_at(parser->lexer, at, "'%.60s' is no number (%.60s)", text,
                                type ? type->name : "");
    free(text);
    return status;
}

/* --- Signs ---------------------------------------------------------------- */

/* Parse a sign and its operand into a node `op`. If `op` is PG_ADD (a plus), no node is
 * made. */
static int parse_signed(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr)
{
    int status = pg_lex_next(parser->lexer);
    struct cca_token at = parser->lexer->token;

    if (status == 0)
        status = pg_parse_unary(parser, expr);
    if (status == 0 && op == PG_DEREF)
        return pg_parse_follow(parser, &at, expr);
    if (status == 0)
        status = pg_parse_need(parser, &at, *expr, op == PG_NOT);
    if (status == 0 && op != PG_ADD)
        status = pg_parser_over(parser, op, expr);
    if (status == 0 && op == PG_NEG)
        (*expr)->cls = (*expr)->left->cls;
    return status;
}

int pg_parse_unary(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    int status;

    if (++parser->depth > DEPTH_MAX)
        return pg_lex_fail(lexer, "an expression nested deeper than %d", DEPTH_MAX);
    if (pg_lex_is(lexer, "-"))
        status = parse_signed(parser, PG_NEG, expr);
    else if (pg_lex_is(lexer, "!"))
        status = parse_signed(parser, PG_NOT, expr);
    else if (pg_lex_is(lexer, "+"))
        status = parse_signed(parser, PG_ADD, expr);
    else if (pg_lex_is(lexer, "*"))
        status = parse_signed(parser, PG_DEREF, expr);
    else
        status = pg_parse_primary(parser, expr);
    parser->depth--;
    return status;
}

/* --- Operators between two operands --------------------------------------- */

/* Return the binary operator at the current token; PG_OP_COUNT: none. */
static enum pg_op operator_at(const struct pg_lexer *lexer)
{
    for (int op = 0; op < PG_OP_COUNT; op++)
        if (pg_operations[op].sign && pg_lex_is(lexer, pg_operations[op].sign))
            return (enum pg_op)op;
    return PG_OP_COUNT;
}

static int is_zero(const struct pg_expr *expr)
{
    return (expr->op == PG_INT && expr->i == 0) ||
           (expr->op == PG_REAL && !(expr->d < 0 || expr->d > 0));
}

/* Check the operands of a node and set its class. */
static int check_expr(struct pg_parser *parser, struct pg_expr *whole,
                      const struct cca_token *left, const struct cca_token *sign,
                      const struct cca_token *right)
{
    int truth = whole->op == PG_BOTH || whole->op == PG_EITHER;
    int status = pg_parse_need(parser, left, whole->left, truth), floating;

    if (status == 0)
        status = pg_parse_need(parser, right, whole->right, truth);
    if (status < 0)
        return status;
    floating = whole->left->cls == PG_FLOATING || whole->right->cls == PG_FLOATING;
    switch (whole->op) {
    case PG_MOD:
    case PG_SHL:
    case PG_SHR:
    case PG_BIT_AND:
    case PG_BIT_OR:
        if (floating)
            return pg_lex_fail_at(parser->lexer, sign,
                                  "'%s' takes integers on both sides",
                                  pg_operations[whole->op].sign);
        break;
    case PG_MUL:
    case PG_DIV:
    case PG_ADD:
    case PG_SUB:
        whole->cls = floating ? PG_FLOATING : PG_INTEGER;
        break;
    default:
        break;
    }
    if ((whole->op == PG_DIV || whole->op == PG_MOD) && is_zero(whole->right))
        return pg_lex_fail_at(parser->lexer, sign, "division by zero");
    return 0;
}

/* Parse operands joined by operators whose binding strength is at least `least`. */
static int parse_binary(struct pg_parser *parser, int least, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token left = lexer->token;
    int status = pg_parse_unary(parser, expr);
    enum pg_op op;

    while (status == 0 && (op = operator_at(lexer)) != PG_OP_COUNT &&
           pg_op_strength(op) >= least) {
        struct cca_token sign = lexer->token, right;

        status = pg_parser_over(parser, op, expr);
        if (status == 0)
            status = pg_lex_next(lexer);
        right = lexer->token;
        if (status == 0)
            status = parse_binary(parser, pg_op_strength(op) + 1, &(*expr)->right);
        if (status == 0)
            status = check_expr(parser, *expr, &left, &sign, &right);
    }
    return status;
}

int pg_parse_choice(struct pg_parser *parser, struct pg_expr **expr)
{
    struct pg_lexer *lexer = parser->lexer;
    struct cca_token at = lexer->token;
    int status = parse_binary(parser, 0, expr);
    struct pg_expr *whole;

    if (status < 0 || !pg_lex_is(lexer, "?"))
        return status;
    if (++parser->depth > DEPTH_MAX)
        return pg_lex_fail(lexer, "an expression nested deeper than %d", DEPTH_MAX);
    status = pg_parse_need(parser, &at, *expr, 1);
    if (status == 0)
        status = pg_parser_over(parser, PG_CHOOSE, expr);
    if (status == 0)
        status = pg_lex_next(lexer);
    whole = *expr;
    at = lexer->token;
    if (status == 0)
        status = pg_parse_choice(parser, &whole->right);
    if (status == 0)
        status = pg_parse_need(parser, &at, whole->right, 0);
    if (status == 0)
        status = pg_parse_sign(parser, ":");
    at = lexer->token;
    if (status == 0)
        status = pg_parse_choice(parser, &whole->third);
    if (status == 0)
        status = pg_parse_need(parser, &at, whole->third, 0);
    if (status == 0 &&
        (whole->right->cls == PG_FLOATING || whole->third->cls == PG_FLOATING))
        whole->cls = PG_FLOATING;
    parser->depth--;
    return status;
}

/* --- Whole expressions ---------------------------------------------------- */

static int parse(struct pg_lexer *lexer, const struct pg_method *method, int strings,
                 struct pg_expr **expr)
{
    struct pg_parser parser = {.lexer = lexer, .method = method};
    struct cca_token at = lexer->token;
    struct pg_expr *parsed = NULL;
    int status = pg_parse_choice(&parser, &parsed);

    if (status == 0 && !(strings && pg_type_is_string(parsed->type)))
        status = pg_parse_need(&parser, &at, parsed, 0);
    if (status < 0) {
        pg_expr_free(parsed);
        return status;
    }
    *expr = parsed;
    return 0;
}

int pg_expr_parse(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_expr **expr)
{
    return parse(lexer, method, 0, expr);
}

int pg_expr_parse_mode(struct pg_lexer *lexer, const struct pg_method *method,
                       struct pg_expr **expr)
{
    return parse(lexer, method, 1, expr);
}

int pg_expr_has(const struct pg_expr *expr, enum pg_op op)
{
    return expr && (expr->op == op || pg_expr_has(expr->left, op) ||
                    pg_expr_has(expr->right, op) || pg_expr_has(expr->third, op));
}

/* True if the expression computes nothing and just reads a number of at most 64 bits. */
static int is_plain(const struct pg_expr *expr)
{
    return expr->op <= PG_RECALL && expr->type && expr->type->scalar.bits <= 64;
}

int pg_expr_computes(const struct pg_expr *expr)
{
    if (!expr)
        return 0;
    return (expr->cls == PG_FLOATING && !is_plain(expr) && expr->op != PG_REAL) ||
           pg_expr_computes(expr->left) || pg_expr_computes(expr->right) ||
           pg_expr_computes(expr->third);
}
