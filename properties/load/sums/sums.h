/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.h: the metrics that one walk sums, and their columns. */
#ifndef PROPERTIES_LOAD_SUMS_SUMS_H
#define PROPERTIES_LOAD_SUMS_SUMS_H

#include <stddef.h>
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
    int has_mpi, has_cpu;   /* has_mpi: 1: MPI time was measured; has_cpu: 1: CPU time was
                             * measured */
    int no_mpi;             /* 1: the run had no MPI, so its MPI time is known to be 0 */
    int has_split, has_omp; /* has_split: 1: all columns of MPI_SPLIT exist; has_omp: 1:
                             * all columns of OPENMP exist */
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

/* --- functions.c --------------------------------------------------------- */

enum mm_mpi_class {
    MM_MPI_RECV, /* receives, probes, and combined send-receives */
    MM_MPI_SEND,
    MM_MPI_COMPLETION, /* receive or send, depending on the completed requests */
    MM_MPI_SYNC,       /* barriers, synchronisation of windows */
    MM_MPI_COLL,       /* other collectives */
    MM_MPI_CTL,        /* start, end, processes, communicators, types and all other
                        * functions */
    MM_MPI_IO,
    MM_MPI_CLASSES
};

/* The class of "MPI_Waitsome()"; parentheses may be missing. */
enum mm_mpi_class mm_mpi_class_of(const char *name);

/* --- outer.c ------------------------------------------------------------- */

/* Inclusive sums of a method over its outermost activations.
 * Rows are in the order in which invocations end (callee before caller); their numbers
 * are in the order in which they begin. So every invocation that has ended since another
 * one began is below that one in the call tree, and for a method
 *
 *     sum(now) = sum(when this call began) + inclusive value of this call
 *
 * replaces the activations below this call by the call itself. A past sum is kept as long
 * as an open frame may need it: memory grows with the depth of calls. */

/* A sum, and the time from which it was current; times count rows of the thread. */
struct mm_outer_past {
    uint64_t from;
    int64_t sum[MM_LOAD_MOST];
};

/* Inclusive sums of one method in one thread; initialise the struct with zeros. */
struct mm_outer {
    /* sums by time, ascending; the last one is the current sum */
    struct mm_outer_past *past;
    size_t count, room;
};

/* Add a call that began at `began` and ends at `now`. `open[open_count]`: begin times of
 * the frames that are still open, ascending. Its values are `value[count]`;
 * `delta[count]` becomes the change of the sum. Returns 0 or -ENOMEM. */
int mm_outer_add(struct mm_outer *outer, uint64_t began, uint64_t now,
                 const uint64_t *open, size_t open_count, const int64_t *value,
                 int64_t *delta, size_t count);
/* Reset the sums to zero before the rows of the next thread. */
static inline void mm_outer_clear(struct mm_outer *outer)
{
    outer->count = 0;
}
void mm_outer_done(struct mm_outer *outer);

/* --- text.c -------------------------------------------------------------- */

/* A growing text. Initialise the struct with zeros; release `text` by free(). */
struct mm_text {
    char *text; /* the text so far; NULL: it is empty */
    size_t length, room;
    int failed; /* 1: memory has run out, and text added since then is lost */
};

void mm_text_add(struct mm_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
