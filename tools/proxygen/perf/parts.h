/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef TOOLS_PROXYGEN_PERF_PARTS_H
#define TOOLS_PROXYGEN_PERF_PARTS_H

#include <jansson.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/layout.h"
#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* --- describe_types.c ---------------------------------------------------- */

/* The types, with their fields, that the expressions of a port read. */
struct pg_used {
    size_t *places; /* places[type->number]: 1 + the type's index in the document; 0: the
                       type is not needed */
    unsigned char **fields;
    size_t count; /* number of types in the document */
    const struct pg_port *port;
};

/* Find the types that the expressions of a port read. Returns 0 or -ENOMEM. Call
 * pg_used_done also after a failure. */
int pg_used_init(struct pg_used *used, const struct pg_port *port);
void pg_used_done(struct pg_used *used);

/* Return the document's array "types", new; NULL: out of memory. */
json_t *pg_used_write(const struct pg_used *used);
/* Return the index of a type in the document; -1: not in it. */
json_int_t pg_used_place(const struct pg_used *used, const struct pg_type *type);

/* Read the array "types" into port->types, which must be empty. Returns 0; -EINVAL, with
 * the expected text in `*wrong`; or -ENOMEM. */
int pg_used_read(const json_t *types, struct pg_port *port, const char **wrong);

/* Write a scalar as new JSON; read it back, which returns 0 or -EINVAL. */
json_t *pg_scalar_write(const struct pg_scalar *scalar);
int pg_scalar_read(const json_t *json, struct pg_scalar *scalar);

/* --- layout_json.c ------------------------------------------------------- */

/* Layouts in describe documents.
 *
 *     "int32"
 *     {"struct": [{"offset": 0, "layout": "int32"}, ...], "size": 16, "align": 8}
 *     {"array": "float", "count": 3}
 *     {"other": "a union"} */

/* Return the layout as new JSON; NULL: out of memory. */
json_t *pg_layout_write(const struct pg_layout *layout);
/* Read a layout. Returns 0; -EINVAL, with the error in `*wrong`; or -ENOMEM. The caller
 * frees `layout` in any case. */
int pg_layout_read(const json_t *json, struct pg_layout *layout, const char **wrong);

/* --- parser -------------------------------------------------------------- */

/* Shared by both files of the expression parser: operators (expr.c) and
 * operands (place.c). */

struct pg_parser {
    struct pg_lexer *lexer;
    const struct pg_method *method;
    int depth, nodes;
};

/* Make a new node of class PG_INTEGER, zeroed otherwise. Returns 0; -EINVAL: too many
 * nodes; or -ENOMEM. */
int pg_parser_node(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);
/* Replace `*expr` by a new node whose left child it becomes. Returns like
 * pg_parser_node. */
int pg_parser_over(struct pg_parser *parser, enum pg_op op, struct pg_expr **expr);

/* pg_parse_choice parses a whole expression, pg_parse_unary an operand with the signs
 * before it, which need not be a number. */
int pg_parse_choice(struct pg_parser *parser, struct pg_expr **expr);
int pg_parse_unary(struct pg_parser *parser, struct pg_expr **expr);
/* Parse an operand: a number, an argument and the places reached from it, a function,
 * (...). */
int pg_parse_primary(struct pg_parser *parser, struct pg_expr **expr);
/* Replace the pointer `*expr`, which begins at the token `at`, by the place that it
 * points to. */
int pg_parse_follow(struct pg_parser *parser, const struct cca_token *at,
                    struct pg_expr **expr);

/* Check that the current token is `sign`, and go to the next one. */
int pg_parse_sign(struct pg_parser *parser, const char *sign);
/* Return 0 if `expr` is a number, or a pointer if `pointer` is set; else -EINVAL, with an
 * error reported at the token `at`. */
int pg_parse_need(struct pg_parser *parser, const struct cca_token *at,
                  const struct pg_expr *expr, int pointer);

/* Return 0 if `expr` can be a handle; else -EINVAL, with an error reported at the token
 * `at`. */
int pg_parse_handle(struct pg_parser *parser, const struct cca_token *at,
                    const struct pg_expr *expr);

/* Find the port's memory named `name`, or add one for integers, which is first used at
 * the token `at`. Returns 0 or -ENOMEM. */
int pg_port_memory(struct pg_port *port, const char *name, const struct cca_token *at,
                   size_t *memory);

/* --- value.c ------------------------------------------------------------- */

/* Take a value's name from the current token. */
int pg_value_name(struct pg_lexer *lexer, struct pg_value *value);

/* Parse the expression of value->kind at the current token; for a mode it may be a
 * string. */
int pg_value_expr(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_value *value);
/* Make the expression of a value that is just the argument with index `arg`, or, for an
 * out-value, the number that it points to. Errors are reported at the current token. */
int pg_value_argument(struct pg_lexer *lexer, const struct pg_method *method, size_t arg,
                      struct pg_value *value);

/* Parse LABEL (',' LABEL)* of a mode, up to one of `stops` or the end. */
int pg_value_labels(struct pg_lexer *lexer, const struct pg_method *method,
                    struct pg_value *value, const char *stops);
/* Add the labels of a mode's own type: enumerators, or true and false. */
int pg_value_own_labels(struct pg_lexer *lexer, struct pg_value *value);
int pg_value_add_label(struct pg_value *value, int64_t number, const char *text,
                       struct cca_error *err);

/* Check the complete `value` and add it to the method (the value is empty afterwards in
 * any case); errors are reported at `token`. */
int pg_value_give(const struct pg_lexer *lexer, const struct cca_token *token,
                  struct pg_method *method, struct pg_value *value);

#endif
