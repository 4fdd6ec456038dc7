/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h: compute how much time the host may have taken from each row of a thread,
 * from the readings of CPU time between the rows (docs/internals/experiment.md,
 * Readings). */
#ifndef MASTERMIND_READER_EVIDENCE_H
#define MASTERMIND_READER_EVIDENCE_H

#include <stddef.h>

#include "mastermind/format/layout.h"
#include "mastermind/reader/rows.h"

struct mm_gap_group;

/* Readings and gaps of one thread so far; zeroed by the caller at first. Memory grows
 * with the depth of calls, not with their number. */
struct mm_evidence {
    double ns_per_tick;
    int known;    /* true if the thread has readings */
    int has_last; /* true if there is a previous reading */
    uint64_t last_ticks, last_cpu_ns, last_switches;
    int closes;      /* true if the next row ends a gap (a long time without the end of a
                      * call) */
    int64_t lost_ns; /* time that the thread has lost since the previous reading, in the
                        gap that the next row ends */
    int waited;
    uint64_t end;                /* end of the latest gap, in ticks */
    struct mm_gap_group *groups; /* [group_count] groups of gaps, one for each caller, in
                                    the order of time */
    size_t group_count;
};

/* Compare a reading with the previous one. Returns 1 and fills `interval` except for rank
 * and thread, with its start in ticks; or 0 if this is the first reading. */
int mm_evidence_reading(struct mm_evidence *evidence, const uint64_t *words,
                        struct mm_interval *interval);

/* The position of a row among the rows of its thread; times are in ticks. */
struct mm_row_place {
    uint64_t caller; /* invocation number of the caller, 0: none */
    uint64_t before; /* end of the previous row */
    uint64_t end, wall;
};

/* Set the evidence (lost time) of `row`, which ends a gap, or began before the latest gap
 * ended. The caller has set its other times. Returns 0 or -ENOMEM. */
int mm_evidence_of_gaps(struct mm_evidence *evidence, const struct mm_row_place *place,
                        struct mm_row *row);

/* Set the evidence of any row. To be called for all rows in the order of their ends.
 * Returns like mm_evidence_of_gaps. */
static inline int mm_evidence_row(struct mm_evidence *e, const struct mm_row_place *p,
                                  struct mm_row *row)
{
    row->lost_ns = row->lost_exclusive_ns = e->known ? 0 : -1;
    if (__builtin_expect(e->closes || e->end > p->end - p->wall, 0))
        return mm_evidence_of_gaps(e, p, row);
    return 0;
}

/* Remove all readings and gaps of a thread. */
void mm_evidence_reset(struct mm_evidence *evidence);
void mm_evidence_done(struct mm_evidence *evidence);

#endif
