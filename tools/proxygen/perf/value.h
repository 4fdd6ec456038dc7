/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h: parts of marks: names, labels, and adding a value to its method. All return
 * 0; -EINVAL with `file:line:column: error: ...`, -ENOMEM. */
#ifndef PROXYGEN_PERF_VALUE_H
#define PROXYGEN_PERF_VALUE_H

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* Take a value's name from the current token. */
int pg_value_name(struct pg_lexer *lexer, struct pg_value *value);

/* The expression of value->kind at the current token: of a mode it may be a string. */
int pg_value_expr(struct pg_lexer *lexer, const struct pg_method *method,
                  struct pg_value *value);
/* The expression for argument `arg` alone: the argument, or its target for an out-
 * value. Errors are reported at the current token. */
int pg_value_argument(struct pg_lexer *lexer, const struct pg_method *method, size_t arg,
                      struct pg_value *value);

/* LABEL (',' LABEL)* of a mode, up to one of `stops` or the end. */
int pg_value_labels(struct pg_lexer *lexer, const struct pg_method *method,
                    struct pg_value *value, const char *stops);
/* The labels of a mode's own type: enumerators, or those of a boolean. */
int pg_value_own_labels(struct pg_lexer *lexer, struct pg_value *value);
int pg_value_add_label(struct pg_value *value, int64_t number, const char *text,
                       struct cca_error *err);

/* Check `value` as a whole and give it to the method (it is emptied in any case); errors
 * are reported at `token`. */
int pg_value_give(const struct pg_lexer *lexer, const struct cca_token *token,
                  struct pg_method *method, struct pg_value *value);

#endif
