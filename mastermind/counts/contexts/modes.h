/* SPDX-License-Identifier: BSD-3-Clause */
/* modes.h: numbers for the modes that calls of a method had. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_MODES_H
#define MASTERMIND_COUNTS_CONTEXTS_MODES_H

#include "mastermind/reader/rows.h"

enum {
    MM_MODES_MOST = 4096, /* of a method; calls with further ones are MM_MODE_OTHER */
    MM_MODE_OTHER = MM_MODES_MOST /* or modes that an aggregate has not kept */
};

/* The modes of one method. Zero-initialised but for `method` is empty. */
struct mm_modes {
    const struct mm_method_info *method;
    union monitor_value *tuples; /* [count][in_count]; parameters are 0 */
    uint32_t count;
    uint32_t room;        /* of `table`, a power of two, or 0 */
    uint32_t last;        /* the number found last */
    uint32_t *table;      /* of numbers + 1, open addressing */
    uint32_t *renumbered; /* [count] after mm_modes_sort */
    size_t tuple_room;    /* values */
    int none, known;      /* the method has no modes; `none` is known */
};

/* The number of the modes in `in`, from 0; 0 for each call of a method without modes.
 * `in` NULL: MM_MODE_OTHER. Returns it, or -ENOMEM. */
int mm_modes_number(struct mm_modes *modes, const union monitor_value *in);
/* The modes of a number, as in-values; NULL for MM_MODE_OTHER and where there are none.
 * Borrowed until the next new number. */
const union monitor_value *mm_modes_of(const struct mm_modes *modes, uint32_t number);
/* Renumber the modes in ascending order of their values; `renumbered` then has the new
 * number of each. No new modes may follow. 0 or -ENOMEM. */
int mm_modes_sort(struct mm_modes *modes);
void mm_modes_done(struct mm_modes *modes);

#endif
