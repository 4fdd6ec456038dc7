/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: count samples by rank of MPI: by process, and by the processes that it
 * started. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_RANKS_H
#define MASTERMIND_LIBRARY_SAMPLE_RANKS_H

#include "mastermind/library/sample/ring.h"
#include "mastermind/library/sample/sampler.h"

/* Samples of a process that has not ended; `counts.rank` -1: it is of no rank. */
struct sample_tally {
    int32_t pid;
    struct mm_rank_samples counts;
};

/* A struct of zeros is valid, and has no ranks. */
struct sample_ranks {
    struct sample_tally *tallies; /* [tally_count] */
    size_t tally_count;
    struct mm_rank_samples *list; /* [count] samples of processes that have ended */
    size_t count;
};

/* Set the rank of a process. Returns 0 or -ENOMEM. */
int sample_ranks_set(struct sample_ranks *ranks, int32_t pid, int rank);
/* Count an event. Events of a process must come in the order of time. `path`: file of the
 * sampled code; NULL: unknown. Returns 0 or -ENOMEM. */
int sample_ranks_add(struct sample_ranks *ranks, const struct sample_event *event,
                     const char *path);
/* Add the samples of all processes to `list`, in the order of ranks. Returns 0 or
 * -ENOMEM. */
int sample_ranks_end(struct sample_ranks *ranks);
void sample_ranks_done(struct sample_ranks *ranks);

#endif
