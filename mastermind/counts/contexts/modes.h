/* SPDX-License-Identifier: BSD-3-Clause */
/* modes.h: numbers for the modes (in-values that select behaviour) of a method's
 * calls. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_MODES_H
#define MASTERMIND_COUNTS_CONTEXTS_MODES_H

#include "mastermind/reader/rows.h"

enum {
    MM_MODES_MOST = 4096, /* most modes of a method; further calls are MM_MODE_OTHER */
    MM_MODE_OTHER = MM_MODES_MOST /* further modes, or modes that an aggregate did not
                                     keep */
};

/* The modes of one method. Empty: all zero except `method`. */
struct mm_modes {
    const struct mm_method_info *method;
    union monitor_value *tuples; /* [count][in_count] in-values of each number;
                                    parameters are 0 */
    uint32_t count;
    uint32_t room;        /* size of `table`, a power of two, or 0 */
    uint32_t last;        /* number found last */
    uint32_t *table;      /* number + 1 of the modes in each slot, open addressing */
    uint32_t *renumbered; /* [count] new number of each old one, after mm_modes_sort */
    size_t tuple_room;    /* number of values that fit into `tuples` */
    int none, known;      /* whether the method has no modes; `known`: `none` is set */
};

/* Number the modes in `in`, from 0; a method without modes always gets 0. `in` NULL:
 * MM_MODE_OTHER. Returns the number, or -ENOMEM. */
int mm_modes_number(struct mm_modes *modes, const union monitor_value *in);
/* Look up the modes of a number, as in-values; NULL for MM_MODE_OTHER and for a method
 * without modes. Borrowed until the next new number. */
const union monitor_value *mm_modes_of(const struct mm_modes *modes, uint32_t number);
/* Renumber the modes in ascending order of their values; `renumbered` gets the new number
 * of each. No new modes may follow. 0 or -ENOMEM. */
int mm_modes_sort(struct mm_modes *modes);
void mm_modes_done(struct mm_modes *modes);

#endif
