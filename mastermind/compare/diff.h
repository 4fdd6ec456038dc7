/* SPDX-License-Identifier: BSD-3-Clause */
/* diff.h: compare two groups of runs, method by method: more calls, larger parameters,
 * higher cost at equal parameters (named `dearer` here and in the output).
 *
 *   profiles ──▶ tables (calls and typical costs by run and cell) ──▶ parts, statistics
 *                statistics of all methods together ──▶ verdicts
 *
 * A cell is a tuple of in-values: parameters and modes. With N calls in a run, a share
 * p_c of them in cell c at cost y_c, the typical cost of a run of a side is N sum_c p_c
 * y_c. Its change is the sum of
 *
 *   calls   (N_B - N_A) mean(mu)           mu = sum_c p_c y_c; means over the two sides
 *   sizes   mean(N) sum_c (p_cB - p_cA) mean(y_c)
 *   dearer  mean(N) sum_c mean(p_c) (y_cB - y_cA)
 *
 * exactly; the remaining change of the measured sums is `rare`: calls far from the usual
 * cost. Intervals are from repeats: jackknife over the runs, Student's t. The verdicts of
 * all methods together have an error probability of 5 %, by the distribution of the
 * largest |t| over the ways to split the runs into two groups (Westfall and Young 1993,
 * max T); with too few runs for that, by Bonferroni. */
#ifndef MASTERMIND_COMPARE_DIFF_H
#define MASTERMIND_COMPARE_DIFF_H

#include <stddef.h>

#include "mastermind/counts/counts.h"

/* One method in all runs; runs of side A come first. NaN: unknown. */
struct mm_diff_table {
    const char *name;     /* name of the method, "libz.c.compress2"; borrowed */
    const char *class[2]; /* class of the method on each side, NULL: the side lacks the
                             method; borrowed */
    size_t cells;
    double *calls;    /* [runs][cells] number of calls */
    double *typical;  /* [runs][cells] typical cost of a call, ns or counts; NaN: no
                         calls with a cost */
    double *base;     /* [cells] ns from a model of side A, NaN: none; used if the sides
                         have too few cells in common */
    double *measured; /* [runs] measured exclusive cost of all calls */
};

/* Costs of a whole run: its CPU time less the cost of measuring, the part of that outside
 * of all recorded calls, and the largest resident memory. */
enum mm_diff_whole { MM_DIFF_CPU, MM_DIFF_REST, MM_DIFF_MEMORY, MM_DIFF_WHOLES };

/* Smaller changes of peak memory are irrelevant: the kernel counts resident pages in
 * steps for each thread. */
#define MM_DIFF_LEAST_BYTES (256. * 1024)

struct mm_diff_tables {
    struct mm_diff_table *list;
    size_t count;
    size_t runs[2]; /* number of runs of A and of B */
    double *when;   /* [runs] start of each run, s; NULL or 0: unknown */
    /* [runs] costs of the whole runs, ns and bytes; NULL: unknown */
    double *whole[MM_DIFF_WHOLES];
};

/* Facts about [runs] runs; all are borrowed. */
struct mm_diff_runs {
    const double *when; /* start of each, s; NULL: unknown */
    /* name of the file of each program; functions of programs match whatever these names
     * are; NULL, also for one run: unknown */
    const char *const *programs;
    const double *whole[MM_DIFF_WHOLES]; /* as in the tables */
};

/* Read the methods of runs[0] + runs[1] profiles, which must outlive the tables, as must
 * the names of programs. 0, or a negative errno with `err`; mm_diff_tables_done in either
 * case. */
int mm_diff_tables_read(struct mm_diff_tables *tables, struct mm_profile *const *profiles,
                        const size_t runs[2], const struct mm_diff_runs *about,
                        struct cca_error *err);
void mm_diff_tables_done(struct mm_diff_tables *tables);

enum mm_diff_part {
    MM_DIFF_CALLS,
    MM_DIFF_SIZES,
    MM_DIFF_DEARER,
    MM_DIFF_RARE,
    MM_DIFF_ALL, /* sum of the parts: the change of the measured sums */
    MM_DIFF_PARTS
};

enum mm_diff_verdict {
    MM_DIFF_SAME, /* no relevant change was found */
    MM_DIFF_WORSE,
    MM_DIFF_BETTER,
    MM_DIFF_OPEN /* one run on each side: undecidable */
};

/* One part of a change, ns (or counts) for a run. */
struct mm_diff_amount {
    double ns;
    double low, high; /* 95 % interval of this part alone; NaN: one run on each side */
    double p;         /* probability of such a change by chance, adjusted for all
                         hypotheses together; NaN: not tested */
    int exact;        /* true if the runs of a side do not differ: no randomness */
    enum mm_diff_verdict verdict;
};

struct mm_diff_method {
    const struct mm_diff_table *table;
    double calls[2], ns[2];                    /* means over the runs of each side */
    struct mm_diff_amount part[MM_DIFF_PARTS]; /* parts of the change; only the first
                                                  three get verdicts */
    double dearer, dearer_low, dearer_high;    /* relative change of the cost at equal
                                                  parameters, and its interval; NaN:
                                                  unknown */
    int by_model; /* true if the sides have no sizes in common, so A's model gives costs
                     at B's sizes */
    int tested;   /* true if the method's change is large enough to be relevant */
    /* true if parts of the cost changed, but their sum did not: no verdict */
    int shape;
    enum mm_diff_verdict verdict;
};

/* The change of a cost of the whole program. */
struct mm_diff_total {
    int known;
    double mean[2]; /* of the runs of each side, ns or bytes */
    struct mm_diff_amount amount;
};

struct mm_diff {
    struct mm_diff_method *methods; /* methods with the largest change first */
    size_t count;
    size_t runs[2];
    double ns[2];                              /* cost of all methods, mean over the
                                                  runs of each side */
    struct mm_diff_amount part[MM_DIFF_PARTS]; /* parts of the change of all methods
                                                  together */
    double serial; /* divisor of |t| for the correlation of successive runs: 1 if the
                      sides alternated */
    size_t questions, splits; /* number of hypotheses; number of ways to split the
                                 runs, 0: Bonferroni */
    struct mm_diff_total whole[MM_DIFF_WHOLES]; /* the program, also without methods */
    /* 1: methods changed, but their sum, or the program's CPU time, did not */
    int shape;
    /* verdict on the whole: WORSE if the program's CPU time, the rest or memory, or all
     * methods together are, or methods whose sum is */
    enum mm_diff_verdict verdict;
};

/* Limits of relevance: changes below `threshold` of the method's own cost, and methods
 * below `share` of the run on both sides, are irrelevant. */
struct mm_diff_limits {
    double threshold, share;
};

/* Compare the runs of two sides. Returns 0, or -ENOMEM; call mm_diff_done in any case.
 * `tables` is borrowed. */
int mm_diff_compare(struct mm_diff *diff, const struct mm_diff_tables *tables,
                    const struct mm_diff_limits *limits);
void mm_diff_done(struct mm_diff *diff);

/* A change point of a series of runs. */
struct mm_diff_change {
    const struct mm_diff_table *table; /* method that changed; NULL: all methods
                                          together */
    enum mm_diff_part part;            /* part of the cost that changed: CALLS, SIZES
                                          or DEARER */
    size_t run;                        /* index of the first run after the change, >= 1 */
    double relative; /* relative change: .05 is 5 % more; infinity: the method was not
                        called before; -1: it is no longer called */
    double p;        /* probability of such a change by chance, adjusted for positions
                        and hypotheses */
};

/* Find the change points of a series of runs: all runs are on side A, in their order.
 * Changes are split off one after the other, the most significant first; the error
 * probability of 5 % is for all methods and positions together (permutations of the
 * runs).
 *
 * changes is an output: new, ascending by run; free it. Returns 0 or -ENOMEM. */
int mm_diff_series(const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, struct mm_diff_change **changes,
                   size_t *count);

#endif
