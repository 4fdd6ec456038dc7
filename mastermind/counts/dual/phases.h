/* SPDX-License-Identifier: BSD-3-Clause */
/* phases.h: time outside MPI between the synchronisations of the ranks of a run.
 *
 *     rank 0  |--- compute ---|wait|-- compute --|          T = sum over phases of
 *     rank 1  |- compute -|..wait..|-- compute ----|            max over ranks of compute
 *             phase 0              phase 1
 *
 * Calls of methods that call MPI, and that all ranks call equally often and in the same
 * order, end a phase. The time of a call that spans several phases is spread evenly over
 * them. */
#ifndef MASTERMIND_COUNTS_DUAL_PHASES_H
#define MASTERMIND_COUNTS_DUAL_PHASES_H

#include "mastermind/reader/rows.h"

/* Time of one method on one rank, spread evenly over some phases. */
struct mm_phase_cost {
    size_t method;
    int rank;
    uint32_t first, last;
    double ns;
};

/* Empty: all zero. */
struct mm_phases {
    struct mm_phase_cost *costs; /* [cost_count] */
    size_t cost_count;
    size_t method_count;
    int ranks;
    size_t count;    /* number of phases; 1: where the ranks wait is unknown, see `why` */
    const char *why; /* reason, or NULL */
};

/* Read the phases of a run from a source of the metric TIME, whose rows have time inside
 * MPI. Returns 0 or a negative errno with `err`; call mm_phases_done either way. */
int mm_phases_read(struct mm_phases *phases, const struct mm_row_source *source,
                   struct cca_error *err);
/* The sum over phases of the largest time of a rank, if the time of each method is
 * multiplied by `factors` [method_count]; NULL: by 1. `together`: take the run as one
 * phase. NaN: out of memory. */
double mm_phases_total(const struct mm_phases *phases, const double *factors,
                       int together);
/* Rank with the largest time if the run is one phase. -1: out of memory. */
int mm_phases_busiest(const struct mm_phases *phases, const double *factors);
void mm_phases_done(struct mm_phases *phases);

#endif
