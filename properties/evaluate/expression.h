/* SPDX-License-Identifier: BSD-3-Clause */
/* expression.h: an expression of a property: checked by its words, and written anew with
 * the names of our statements before it reaches SQLite.
 *
 * What is written anew is one scalar in brackets: no text of the file gets through except
 * numbers, operators and names that are known, and strings with their quotes doubled. */
#ifndef PROPERTIES_EVALUATE_EXPRESSION_H
#define PROPERTIES_EVALUATE_EXPRESSION_H

#include "properties/evaluate/scope.h"

enum { MM_EXPRESSION_COLUMNS = 32 };

struct mm_expression {
    char *sql;      /* "(...)" */
    unsigned words; /* bits of enum mm_scope_word that it uses */
    int aggregates; /* it has aggregates over rows */
    int bare;       /* it has columns of rows outside aggregates */
    int guards;     /* it says what stands for NULL: coalesce, ifnull */
    /* The columns it uses, "s.exec_time", and their plain names, for "NULL because". */
    struct {
        char sql[48];
        const char *column;
        enum mm_scope_word word;
    } columns[MM_EXPRESSION_COLUMNS];
    int column_count;
};

/* Check `text` of `property` and write it anew. 0; -EBADMSG with "file:line: found,
 * expected"; -ENOMEM. mm_expression_done in any case. */
int mm_expression_read(struct mm_expression *expression,
                       const struct mm_property *property,
                       const struct mm_property_text *text, struct cca_error *err);
void mm_expression_done(struct mm_expression *expression);

/* True for the functions that expressions may call. */
int mm_expression_has_function(const char *name);

#endif
