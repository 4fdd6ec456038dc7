/* SPDX-License-Identifier: BSD-3-Clause */
/* modes.h: ids for the modes (in-values that select behaviour) of a method's calls. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_MODES_H
#define MASTERMIND_COUNTS_CONTEXTS_MODES_H

#include "mastermind/reader/rows.h"

enum {
    MM_MODES_MOST = 4096, /* largest number of ids of a method; calls with yet other modes
                             get MM_MODE_OTHER */
    /* modes without an id of their own, or not kept by an aggregate */
    MM_MODE_OTHER = MM_MODES_MOST
};

/* The modes of one method. Empty: all zero except `method`. */
struct mm_modes {
    const struct mm_method_info *method;
    union monitor_value *tuples; /* [count][in_count] in-values of the modes with each id;
                                    parameters are 0 */
    uint32_t count;
    uint32_t room;        /* size of `table`, a power of two, or 0 */
    uint32_t last;        /* id found last */
    uint32_t *table;      /* id + 1 of the modes in each slot of a hash table with open
                             addressing; 0: free */
    uint32_t *renumbered; /* [count] new id for each old id, after mm_modes_sort */
    size_t tuple_room;    /* number of values that fit into `tuples` */
    int none, known; /* `none`: true if the method has no modes; `known`: true if `none`
                        is set */
};

/* Return the id (0, 1, ...) of the modes among the in-values `in`, a new id for new
 * modes; always 0 for a method without modes; MM_MODE_OTHER if `in` is NULL; or -ENOMEM.
 */
int mm_modes_number(struct mm_modes *modes, const union monitor_value *in);
/* Look up the modes with the id `number`, as in-values; NULL for MM_MODE_OTHER and for a
 * method without modes. Borrowed until the next new id. */
const union monitor_value *mm_modes_of(const struct mm_modes *modes, uint32_t number);
/* Give new ids in ascending order of the modes' values; `renumbered` gets the new id for
 * each old id. No new modes may follow. Returns 0 or -ENOMEM. */
int mm_modes_sort(struct mm_modes *modes);
void mm_modes_done(struct mm_modes *modes);

#endif
