/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.h: the metrics that one walk adds up, and where they go. */
#ifndef PROPERTIES_LOAD_SUMS_SUMS_H
#define PROPERTIES_LOAD_SUMS_SUMS_H

#include <stdint.h>

#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"

/* Places in a vector of metrics. */
enum {
    MM_LOAD_EXEC,      /* wall time less recording, ns */
    MM_LOAD_MPI,       /* ns */
    MM_LOAD_CPU,       /* ns */
    MM_LOAD_RECORDING, /* recording that was taken off, ns */
    MM_LOAD_WAIT,      /* waiting inside MPI, estimated, ns: after the walk */
    MM_LOAD_COUNTERS,  /* and those behind it: counters of the experiment, in its order */
    MM_LOAD_MOST = MM_LOAD_COUNTERS + MM_MAX_COUNTERS
};

/* Columns of summary that are counters of the experiment. */
enum mm_load_column {
    MM_COLUMN_RECV,
    MM_COLUMN_SEND,
    MM_COLUMN_SYNC,
    MM_COLUMN_COLL,
    MM_COLUMN_CTL,
    MM_COLUMN_OMP_SYNC,
    MM_COLUMN_OMP_CTL,
    MM_COLUMN_LOSS,
    MM_COLUMN_INSTRUCTIONS,
    MM_COLUMNS
};

struct mm_load_metrics {
    size_t count;           /* places in use */
    int at[MM_COLUMNS];     /* place of a column, -1: the experiment has none */
    int has_mpi, has_cpu;   /* measured */
    int no_mpi;             /* the run had no MPI: 0 is known */
    int has_split, has_omp; /* all columns of MPI_SPLIT, of OPENMP */
};

/* One region on one unit; bits of `lacks` and `own_lacks` by place: a call had no value.
 */
struct mm_load_sum {
    uint64_t calls, open;
    uint32_t lacks, own_lacks;
    int64_t all[MM_LOAD_MOST]; /* inclusive, outermost activations */
    int64_t own[MM_LOAD_MOST]; /* without recorded callees */
};

void mm_load_metrics_find(struct mm_load_metrics *metrics, const struct mm_experiment *e);
void mm_load_sum_add(struct mm_load_sum *sum, const struct mm_load_sum *more,
                     size_t count);

#endif
