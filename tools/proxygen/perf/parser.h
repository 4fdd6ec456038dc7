/* SPDX-License-Identifier: BSD-3-Clause */
/* parser.h: what the two halves of the parser of expressions share: expr.c has the
 * operators, place.c what they work on. */
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
/* Put a new node over `*expr`, which becomes its left child. The same. */
int pg_parser_over(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);

/* A whole expression; an operand with the signs before it, which may be no number. */
int pg_parse_choice(struct pg_parser *parser, struct pg_expr **expr);
int pg_parse_unary(struct pg_parser *parser, struct pg_expr **expr);
/* An operand: a number, an argument with what follows it, a function, (...). */
int pg_parse_primary(struct pg_parser *parser, struct pg_expr **expr);
/* The place that the pointer `*expr`, written at `at`, points to. */
int pg_parse_follow(struct pg_parser *parser, const struct pg_token *at,
                    struct pg_expr **expr);

/* The current token must be `sign`, and is left behind. */
int pg_parse_sign(struct pg_parser *parser, char sign);
/* -EINVAL, at `at`, where `expr` is no number (0 where it is); `pointer` will do as well.
 */
int pg_parse_need(struct pg_parser *parser, const struct pg_token *at,
                  const struct pg_expr *expr, int pointer);

/* -EINVAL, at `at`, where `expr` is no handle. */
int pg_parse_handle(struct pg_parser *parser, const struct pg_token *at,
                    const struct pg_expr *expr);

/* Which of the port's memories has that name; where none has, a new one of integers,
 * first met at `at`. 0 or -ENOMEM. */
int pg_port_memory(struct pg_port *port, const char *name, const struct pg_token *at,
                   size_t *memory);

#endif
