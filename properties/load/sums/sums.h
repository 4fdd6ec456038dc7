/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.h: the metrics that one walk sums, and their columns. */
#ifndef PROPERTIES_LOAD_SUMS_SUMS_H
#define PROPERTIES_LOAD_SUMS_SUMS_H

#include <stdint.h>

#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"

/* Indices in a vector of metrics. */
enum {
    MM_LOAD_EXEC,      /* wall time without recording, ns */
    MM_LOAD_MPI,       /* time inside MPI, ns */
    MM_LOAD_CPU,       /* CPU time, ns */
    MM_LOAD_RECORDING, /* recording time that was subtracted, ns */
    MM_LOAD_WAIT,      /* estimated waiting inside MPI, ns; set after the walk */
    MM_LOAD_COUNTERS,  /* first of the experiment's counters, in its order */
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
    size_t count; /* number of metrics in use */
    /* by column of summary: index of its metric; -1: not in the experiment */
    int at[MM_COLUMNS];
    int has_mpi, has_cpu;   /* 1: MPI time, CPU time was measured */
    int no_mpi;             /* the run had no MPI: its time is known to be 0 */
    int has_split, has_omp; /* 1: all columns of MPI_SPLIT, of OPENMP exist */
};

/* Sums of one region on one unit. Bit i of `lacks` and `own_lacks`: some call had no
 * value of metric i. */
struct mm_load_sum {
    uint64_t calls, open;
    uint32_t lacks, own_lacks;
    int64_t all[MM_LOAD_MOST]; /* by metric: inclusive sum over outermost activations */
    /* by metric: sum over all calls, without recorded callees */
    int64_t own[MM_LOAD_MOST];
};

void mm_load_metrics_find(struct mm_load_metrics *metrics, const struct mm_experiment *e);
void mm_load_sum_add(struct mm_load_sum *sum, const struct mm_load_sum *more,
                     size_t count);

#endif
