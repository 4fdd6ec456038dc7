/* SPDX-License-Identifier: BSD-3-Clause */
/* scope.h: which names an expression of a property may use, and from which tables.
 *
 * A name is `column` of the property's own object, or `table.column`, as basis.exec_time.
 * The tables behind these words are joined only where an expression uses them. */
#ifndef PROPERTIES_EVALUATE_SCOPE_H
#define PROPERTIES_EVALUATE_SCOPE_H

#include "properties/words/property.h"

/* The words before the dot. */
enum mm_scope_word {
    MM_SCOPE_SELF, /* no word: the object itself; in experiments its word is `par` */
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
    const char *word;           /* before the dot */
    const char *alias;          /* in our statements */
    const char *const *columns; /* NULL at the end */
    const char *table;          /* whose rows are missing where `missing` says so */
};

/* What `word` means for an object; NULL: it has no such table. */
const struct mm_scope_table *mm_scope_find(enum mm_property_for object,
                                           enum mm_scope_word word);

#endif
