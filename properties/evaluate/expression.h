/* SPDX-License-Identifier: BSD-3-Clause */
/* expression.h: expressions of properties: tokens are checked, and the expression is
 * rewritten with the names of our statements before it reaches SQLite.
 *
 * The result is one scalar in parentheses. Only numbers, operators, known names, and
 * strings with doubled quotes get through; no other text of the file does. */
#ifndef PROPERTIES_EVALUATE_EXPRESSION_H
#define PROPERTIES_EVALUATE_EXPRESSION_H

#include "properties/evaluate/scope.h"

enum { MM_EXPRESSION_COLUMNS = 32 };

struct mm_expression {
    char *sql;      /* the expression in SQL, "(...)" */
    unsigned words; /* qualifiers used in the expression: bits of enum mm_scope_word */
    int aggregates; /* 1: the expression has aggregates over rows */
    int bare;       /* 1: the expression has columns of rows outside of aggregates */
    int guards;     /* 1: the expression replaces NULL by coalesce or ifnull */
    /* The columns it uses, "s.exec_time", and their names for messages "NULL because". */
    struct {
        char sql[48];
        const char *column;
        enum mm_scope_word word;
    } columns[MM_EXPRESSION_COLUMNS];
    int column_count;
};

/* Check and rewrite `text` of `property`. 0; -EBADMSG with "file:line: found, expected";
 * -ENOMEM. Call mm_expression_done in any case. */
int mm_expression_read(struct mm_expression *expression,
                       const struct mm_property *property,
                       const struct mm_property_text *text, struct cca_error *err);
void mm_expression_done(struct mm_expression *expression);

/* Whether expressions may call the function. */
int mm_expression_has_function(const char *name);

#endif
