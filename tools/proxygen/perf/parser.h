/* SPDX-License-Identifier: BSD-3-Clause */
/* parser.h: shared by both files of the expression parser: operators (expr.c) and
 * operands (place.c). */
#ifndef PROXYGEN_PERF_PARSER_H
#define PROXYGEN_PERF_PARSER_H

#include "tools/proxygen/perf/expr.h"

struct pg_parser {
    struct pg_lexer *lexer;
    const struct pg_method *method;
    int depth, nodes;
};

/* Make a new node, zeroed, of class integer. Returns 0; -EINVAL too many nodes;
 * -ENOMEM. */
int pg_parser_node(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);
/* Make `*expr` the left child of a new node. Returns as pg_parser_node. */
int pg_parser_over(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);

/* Parse a whole expression; pg_parse_unary: an operand with the signs before it, which
 * need not be a number. */
int pg_parse_choice(struct pg_parser *parser, struct pg_expr **expr);
int pg_parse_unary(struct pg_parser *parser, struct pg_expr **expr);
/* Parse an operand: a number, an argument and the places reached from it, a function,
 * (...). */
int pg_parse_primary(struct pg_parser *parser, struct pg_expr **expr);
/* Replace the pointer `*expr`, written at `at`, by the place that it points to. */
int pg_parse_follow(struct pg_parser *parser, const struct cca_token *at,
                    struct pg_expr **expr);

/* Check that the current token is `sign`, and go to the next one. */
int pg_parse_sign(struct pg_parser *parser, const char *sign);
/* Return 0 if `expr` is a number, or with `pointer` a pointer; else -EINVAL, reported at
 * `at`. */
int pg_parse_need(struct pg_parser *parser, const struct cca_token *at,
                  const struct pg_expr *expr, int pointer);

/* Return 0 if `expr` can be a handle; else -EINVAL, reported at `at`. */
int pg_parse_handle(struct pg_parser *parser, const struct cca_token *at,
                    const struct pg_expr *expr);

/* The port's memory of that name, or a new one of integers that is first used at `at`.
 * Returns 0 or -ENOMEM. */
int pg_port_memory(struct pg_port *port, const char *name, const struct cca_token *at,
                   size_t *memory);

#endif
