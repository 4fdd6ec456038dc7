/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h: parse parts of marks: names and labels; add values to methods. All functions
 * return 0; -EINVAL with `file:line:column: error: ...`, -ENOMEM. */
#ifndef PROXYGEN_PERF_VALUE_H
#define PROXYGEN_PERF_VALUE_H

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Take a value's name from the current token. */
int pg_value_name(struct pg_lexer *lexer, struct pg_value *value);

/* Parse the expression of value->kind at the current token; for a mode it may be a
 * string. */
int pg_value_expr(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_value *value);
/* Make the expression for argument `arg` alone: the argument, or for an out-value its
 * target. Errors are reported at the current token. */
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
