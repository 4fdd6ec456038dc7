/* SPDX-License-Identifier: BSD-3-Clause */
/* diff.h: how two groups of runs differ, method by method: more calls, larger parameters,
 * dearer at equal parameters.
 *
 *   profiles ──▶ tables (calls and typical costs by run and cell) ──▶ parts, statistics
 *                statistics of all methods together ──▶ verdicts
 *
 * A cell is a tuple of in-values: parameters and modes. With n calls a run, share p_c of
 * them in cell c at cost y_c, the typical cost of a run of a side is N sum_c p_c y_c. Its
 * change is the sum of
 *
 *   calls   (N_B - N_A) mean(mu)           mu = sum_c p_c y_c; means over the two sides
 *   sizes   mean(N) sum_c (p_cB - p_cA) mean(y_c)
 *   dearer  mean(N) sum_c mean(p_c) (y_cB - y_cA)
 *
 * exactly; what the measured sums change beyond it is `rare`: calls far from the usual
 * cost. Intervals are of repeats: jackknife over the runs, Student's t. Verdicts of all
 * methods share one error of 5 %: the largest |t| of all of them over the ways to split
 * the runs in two groups (Westfall and Young 1993, max T); with too few runs for that,
 * Bonferroni. */
#ifndef MASTERMIND_COMPARE_DIFF_H
#define MASTERMIND_COMPARE_DIFF_H

#include <stddef.h>

#include "mastermind/counts/profile/profile.h"

/* One method on all runs: those of side A first. NaN is unknown. */
struct mm_diff_table {
    const char *name;     /* "libz.c.compress2"; borrowed */
    const char *class[2]; /* of a side, NULL: it has not the method; borrowed */
    size_t cells;
    double *calls;   /* [runs][cells] */
    double *typical; /* [runs][cells] ns, or counts; NaN: no calls with a cost */
    double *base;    /* [cells] ns by a model of side A, NaN: none; used if the sides have
                        too few cells in common */
    double *measured; /* [runs] exclusive cost of all calls */
};

struct mm_diff_tables {
    struct mm_diff_table *list;
    size_t count;
    size_t runs[2]; /* of A, of B */
    double *when;   /* [runs] when each began, s; NULL or 0: unknown */
};

/* Read the methods of runs[0] + runs[1] profiles, which must outlive the tables.
 *
 *   when  in  [runs] when each began, s; NULL: unknown
 *
 * 0, or a negative errno with `err`; mm_diff_tables_done in either case. */
int mm_diff_tables_read(struct mm_diff_tables *tables, struct mm_profile *const *profiles,
                        const size_t runs[2], const double *when, struct cca_error *err);
void mm_diff_tables_done(struct mm_diff_tables *tables);

enum mm_diff_part {
    MM_DIFF_CALLS,
    MM_DIFF_SIZES,
    MM_DIFF_DEARER,
    MM_DIFF_RARE,
    MM_DIFF_ALL, /* their sum: the change of the measured sums */
    MM_DIFF_PARTS
};

enum mm_diff_verdict {
    MM_DIFF_SAME, /* no relevant change was shown */
    MM_DIFF_WORSE,
    MM_DIFF_BETTER,
    MM_DIFF_OPEN /* one run per side: cannot be decided */
};

/* One part of a change, ns a run (or counts). */
struct mm_diff_amount {
    double ns;
    double low, high; /* 95 % interval of this part alone; NaN: one run per side */
    double p;         /* adjusted for all hypotheses together; NaN: not tested */
    int exact;        /* no run differs from others of its side: no randomness */
    enum mm_diff_verdict verdict;
};

struct mm_diff_method {
    const struct mm_diff_table *table;
    double calls[2], ns[2];                    /* of a run, in the mean */
    struct mm_diff_amount part[MM_DIFF_PARTS]; /* only the first three get verdicts */
    double dearer, dearer_low, dearer_high;    /* relative, at equal parameters; NaN */
    int by_model; /* the sides have no sizes in common: A's model gives costs at B's sizes
                   */
    int tested;   /* it is large enough to matter */
    enum mm_diff_verdict verdict;
};

struct mm_diff {
    struct mm_diff_method *methods; /* the largest change first */
    size_t count;
    size_t runs[2];
    double ns[2];                              /* all methods, of a run, in the mean */
    struct mm_diff_amount part[MM_DIFF_PARTS]; /* of all methods together */
    double serial; /* divisor of |t| for the correlation of successive runs: 1 if the
                      sides ran alternately */
    size_t questions, splits;     /* hypotheses; ways to split the runs, 0: Bonferroni */
    enum mm_diff_verdict verdict; /* WORSE if any method is, or all together */
};

/* Limits of relevance: changes below `threshold` of the method's own cost, and methods
 * below `share` of the run on both sides, do not matter. */
struct mm_diff_limits {
    double threshold, share;
};

/* Compare. 0, or -ENOMEM; mm_diff_done in either case. `tables` is borrowed. */
int mm_diff_compare(struct mm_diff *diff, const struct mm_diff_tables *tables,
                    const struct mm_diff_limits *limits);
void mm_diff_done(struct mm_diff *diff);

/* A change point of a series of runs. */
struct mm_diff_change {
    const struct mm_diff_table *table; /* NULL: all methods together */
    enum mm_diff_part part;            /* CALLS, SIZES or DEARER */
    size_t run;                        /* the first after the change, from 1 up */
    double relative; /* .05: 5 % more; infinity: it was not called before, -1: no more */
    double p;        /* adjusted for places and hypotheses */
};

/* Find where a series of runs changed: all runs are of side A, in their order. Changes
 * are split off one after the other, the clearest first; the error of 5 % is shared by
 * all methods and places (permutations of the runs).
 *
 *   changes  out  new, ascending by run; free it
 *
 * 0 or -ENOMEM. */
int mm_diff_series(const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, struct mm_diff_change **changes,
                   size_t *count);

#endif
