/* SPDX-License-Identifier: BSD-3-Clause */
/* parser.h: shared by the two halves of the expression parser: operators (expr.c) and
 * operands (place.c). */
#ifndef PROXYGEN_PERF_PARSER_H
#define PROXYGEN_PERF_PARSER_H

#include "tools/proxygen/perf/expr.h"

struct pg_parser {
    struct pg_lexer *lexer;
    const struct pg_method *method;
    int depth, nodes;
};

/* A new node, zeroed, of integers. 0; -EINVAL there are too many; -ENOMEM. */
int pg_parser_node(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);
/* Put a new node over `*expr`, which becomes its left child. Results as of
 * pg_parser_node. */
int pg_parser_over(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);

/* A whole expression; an operand with the signs before it, which may be no number. */
int pg_parse_choice(struct pg_parser *parser, struct pg_expr **expr);
int pg_parse_unary(struct pg_parser *parser, struct pg_expr **expr);
/* An operand: a number, an argument with what follows it, a function, (...). */
int pg_parse_primary(struct pg_parser *parser, struct pg_expr **expr);
/* The place that the pointer `*expr`, written at `at`, points to. */
int pg_parse_follow(struct pg_parser *parser, const struct cca_token *at,
                    struct pg_expr **expr);

/* The current token must be `sign`, and is left behind. */
int pg_parse_sign(struct pg_parser *parser, const char *sign);
/* 0 if `expr` is a number, or a pointer with `pointer` set; else -EINVAL, at `at`. */
int pg_parse_need(struct pg_parser *parser, const struct cca_token *at,
                  const struct pg_expr *expr, int pointer);

/* 0 if `expr` is a handle; else -EINVAL, at `at`. */
int pg_parse_handle(struct pg_parser *parser, const struct cca_token *at,
                    const struct pg_expr *expr);

/* The port's memory of that name, or a new one of integers, first met at `at`. 0 or
 * -ENOMEM. */
int pg_port_memory(struct pg_port *port, const char *name, const struct cca_token *at,
                   size_t *memory);

#endif
