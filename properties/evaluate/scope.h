/* SPDX-License-Identifier: BSD-3-Clause */
/* scope.h: the names that an expression of a property may use, and their tables.
 *
 * A name is `column` of the property's own object, or `table.column`, for example
 * basis.exec_time. The tables are joined only if an expression uses them. */
#ifndef PROPERTIES_EVALUATE_SCOPE_H
#define PROPERTIES_EVALUATE_SCOPE_H

#include "properties/words/property.h"

/* Qualifiers of columns in expressions: the words before the dot. */
enum mm_scope_word {
    MM_SCOPE_SELF, /* no qualifier: the object itself; for experiments its qualifier is
                    * `par` */
    MM_SCOPE_BASIS,
    MM_SCOPE_SEQ,
    MM_SCOPE_CACHE,
    MM_SCOPE_COUNTER,
    MM_SCOPE_MODEL,
    MM_SCOPE_REGION,
    MM_SCOPE_UNIT,
    MM_SCOPE_NODE,
    MM_SCOPE_EXPERIMENT,
    MM_SCOPE_WORDS
};

struct mm_scope_table {
    const char *word;           /* qualifier in an expression: the word before the dot */
    const char *alias;          /* name of the table in our statements */
    const char *const *columns; /* names of its columns; NULL ends the list */
    const char *table;          /* table whose missing rows the table `missing`
                                 * explains */
};

/* The table that a qualifier means for an object; NULL: none. */
const struct mm_scope_table *mm_scope_find(enum mm_property_for object,
                                           enum mm_scope_word word);

#endif
