/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h: the SELECT statement of a property, with its expressions embedded.
 *
 * Columns of the result: experiment, region, unit, detail, severity, holds, confidence,
 * and a number with a bit for each used column that was NULL. */
#ifndef PROPERTIES_EVALUATE_SELECT_H
#define PROPERTIES_EVALUATE_SELECT_H

#include <sqlite3.h>

#include "properties/evaluate/expression.h"

struct mm_store;

enum {
    MM_RESULT_EXPERIMENT,
    MM_RESULT_REGION,
    MM_RESULT_UNIT,
    MM_RESULT_DETAIL,
    MM_RESULT_SEVERITY,
    MM_RESULT_HOLDS,
    MM_RESULT_CONFIDENCE,
    MM_RESULT_NULLS,
    MM_RESULTS
};

/* Bit of MM_RESULT_NULLS: a member of a Metaproperty was not evaluated. */
enum { MM_NULL_MEMBER = 40 };

struct mm_select {
    struct mm_expression severity, holds, confidence, where;
    unsigned words; /* qualifiers in all expressions of the property: bits of enum
                       mm_scope_word */
    int grouped;    /* 1: GROUP BY is needed, since several rows make one answer */
    char *sql;
    sqlite3_stmt *compiled;
};

/* Build and prepare the statement on tables temp.asked and, for `for: properties`,
 * temp.member, which must exist. `region_glob`: may be NULL. 0; -EBADMSG with "file:line:
 * found, expected"; -EIO, -ENOMEM. Call mm_select_done in any case. */
int mm_select_make(struct mm_select *statement, struct mm_store *store,
                   const struct mm_property *property, const char *region_glob,
                   struct cca_error *err);
void mm_select_done(struct mm_select *statement);

#endif
