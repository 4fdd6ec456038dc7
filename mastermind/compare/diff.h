/* SPDX-License-Identifier: BSD-3-Clause */
/* diff.h: compare two groups of runs, method by method: more calls, larger parameters,
 * higher cost at equal parameters (named `dearer` here and in the output).
 *
 *   profiles ──▶ tables (calls and typical costs by run and cell) ──▶ parts, statistics
 *                statistics of all methods together ──▶ verdicts
 *
 * A cell is a tuple of in-values: parameters and modes. With N calls in a run, a share
 * p_c of them in cell c at cost y_c, the typical cost of a run of a side is N sum_c p_c
 * y_c. The change of this cost from side A to side B is the sum of
 *
 *   calls   (N_B - N_A) mean(mu)           mu = sum_c p_c y_c; means over the two sides
 *   sizes   mean(N) sum_c (p_cB - p_cA) mean(y_c)
 *   dearer  mean(N) sum_c mean(p_c) (y_cB - y_cA)
 *
 * exactly. The rest of the change of the measured sums is called `rare`: it comes from
 * calls whose cost is far from the usual one. Intervals are from repeats: jackknife over
 * the runs, Student's t. The verdicts of all methods together have an error probability
 * of 5 %, computed from the distribution of the largest |t| over all ways to split the
 * runs into two groups (Westfall and Young 1993, max T); with too few runs for this, from
 * Bonferroni's inequality. */
#ifndef MASTERMIND_COMPARE_DIFF_H
#define MASTERMIND_COMPARE_DIFF_H

#include <stddef.h>

#include "mastermind/counts/counts.h"

/* The numbers of one method in all runs; the runs of side A come first. NaN: unknown. */
struct mm_diff_table {
    const char *name;     /* name of the method, "libz.c.compress2"; borrowed */
    const char *class[2]; /* class of the method on each side, NULL: the side lacks the
                             method; borrowed */
    size_t cells;
    double *calls;   /* [runs][cells] number of calls */
    double *typical; /* [runs][cells] typical cost of a call, ns or counts; NaN: no
                        calls with a cost */
    /* [cells] cost by a model of side A's calls, NaN: none; NULL unless the sides have
     * too few cells in common */
    double *base;
    double *measured; /* [runs] measured exclusive cost of all calls */
};

/* Costs of a whole run: MM_DIFF_CPU: its CPU time less the cost of measuring;
 * MM_DIFF_REST: the part of this time outside of all recorded calls; MM_DIFF_MEMORY: its
 * largest resident memory. */
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
    const double *when; /* start of each run, s; NULL: unknown */
    /* [runs] name of each run's program file, or NULL: unknown; functions of a program
     * match functions of the other program also if these names differ. NULL: all are
     * unknown */
    const char *const *programs;
    const double *whole[MM_DIFF_WHOLES]; /* as in the tables */
};

/* Read the methods of runs[0] + runs[1] profiles. These and the names of programs must
 * outlive the tables. Returns 0, or a negative errno with `err`; call mm_diff_tables_done
 * in any case. */
int mm_diff_tables_read(struct mm_diff_tables *tables, struct mm_profile *const *profiles,
                        const size_t runs[2], const struct mm_diff_runs *about,
                        struct cca_error *err);
void mm_diff_tables_done(struct mm_diff_tables *tables);

enum mm_diff_part {
    MM_DIFF_CALLS,
    MM_DIFF_SIZES,
    MM_DIFF_DEARER,
    MM_DIFF_RARE,
    MM_DIFF_ALL, /* sum of the other parts, which is the change of the measured sums */
    MM_DIFF_PARTS
};

enum mm_diff_verdict {
    MM_DIFF_SAME, /* the whole 95 % interval is within the bound of `limits.same` */
    MM_DIFF_WORSE,
    MM_DIFF_BETTER,
    MM_DIFF_OPEN /* undecided: no change was found, and the interval is wider than the
                    bound, or unknown because a side has only one run */
};

/* True if a verdict states a change: worse or better. */
int mm_diff_is_change(enum mm_diff_verdict verdict);

/* One part of a change of cost, in ns (or counts) for a run. */
struct mm_diff_amount {
    double ns;
    /* 95 % interval of this part alone; NaN if each side has only one run */
    double low, high;
    /* probability that chance alone gives such a change, adjusted for all hypotheses
     * together; NaN: not tested */
    double p;
    /* true if the runs of each side do not differ, so that chance plays no part */
    int exact;
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
    /* true if the sides have too few sizes in common, so that side A's costs at B's sizes
     * are taken from a model */
    int by_model;
    int tested; /* true if the method's change is large enough to be relevant */
    /* true if parts of the cost changed, but their sum did not; then the method has no
     * verdict */
    int shape;
    enum mm_diff_verdict verdict;
};

/* The change of a cost of the whole program. */
struct mm_diff_total {
    int known;
    double mean[2]; /* means over the runs of each side, ns or bytes */
    struct mm_diff_amount amount;
};

struct mm_diff {
    struct mm_diff_method *methods; /* methods with the largest change first */
    size_t count;
    size_t runs[2];
    double ns[2]; /* cost of all methods together, mean over the runs of each side */
    struct mm_diff_amount part[MM_DIFF_PARTS]; /* parts of the change of all methods
                                                  together */
    /* divisor of |t| that allows for a correlation of successive runs; 1 if the runs of
     * the two sides alternated */
    double serial;
    /* number of hypotheses; number of ways to split the runs that were compared, 0 if
     * Bonferroni's inequality was used */
    size_t questions, splits;
    /* changes of the costs of the whole program, also if no method was recorded */
    struct mm_diff_total whole[MM_DIFF_WHOLES];
    /* true if methods changed, but the sum of the methods, or the program's CPU time, did
     * not */
    int shape;
    double found_ns; /* sum of the changes of methods, and of the rest, with a verdict */
    /* verdict on the whole comparison: MM_DIFF_WORSE if one of the whole program's costs
     * is worse, or all methods together, or some methods whose sum is worse; else the
     * verdict on the CPU time, or on all methods together if this time is unknown */
    enum mm_diff_verdict verdict;
};

/* Limits of relevance: a change of less than `threshold` times the method's own cost is
 * irrelevant, and a method whose cost is less than `share` times the run's on both sides.
 * A cost is the same if the whole interval of its change is within `same` times the
 * cost. */
struct mm_diff_limits {
    double threshold, share, same;
};

/* The default of `same`, percent, for all verbs that compare. */
#define MM_DIFF_SAME_PERCENT 3.

/* Compare the runs of two sides. Returns 0, or -ENOMEM; call mm_diff_done in any case.
 * `tables` is borrowed. */
int mm_diff_compare(struct mm_diff *diff, const struct mm_diff_tables *tables,
                    const struct mm_diff_limits *limits);
void mm_diff_done(struct mm_diff *diff);
/* True if each side has two runs or more, so that changes can have verdicts. */
int mm_diff_has_repeats(const struct mm_diff *diff);

/* A change point of a series of runs. */
struct mm_diff_change {
    const struct mm_diff_table *table; /* method that changed; NULL: a total did */
    /* part of the method's cost that changed: MM_DIFF_CALLS, MM_DIFF_SIZES or
     * MM_DIFF_DEARER; MM_DIFF_ALL: a total changed */
    enum mm_diff_part part;
    /* cost of the whole program that changed, enum mm_diff_whole; MM_DIFF_WHOLES: the
     * cost of all methods together; -1: a method's cost */
    int total;
    size_t run;         /* index, from 0 on, of the first run after the change */
    size_t first, last; /* indexes of the runs that are compared, [first, run) with [run,
                           last) */
    double mean[2];     /* mean cost of a total before and after; NaN: of a method */
    double relative;    /* relative change: .05 is 5 % more; infinity: the method was not
                           called before; -1: it is no longer called */
    /* probability that chance alone gives such a change, adjusted for all positions and
     * hypotheses */
    double p;
    int shape; /* true if the cost of a method or of the rest changed, but no total did */
    enum mm_diff_verdict verdict; /* of a change of shape: MM_DIFF_OPEN */
};

/* Find the change points of a series of runs: all runs are on side A, in their order.
 * The costs of each method, of all methods together and of the whole program are
 * searched; the changes of each are split off one after the other, the most significant
 * first. The error probability of 5 % is for all costs and positions together, by the
 * distribution of the largest |t| over them in permutations of the runs (max T,
 * step-down); as in mm_diff_compare, |t| is divided by a factor for runs that follow
 * one another, here only if they started within an hour. The verdict on a change is the
 * verdict of mm_diff_compare on the runs before and after it.
 *
 * `*changes` is a new array, ascending by run, which the caller frees. Returns 0 or
 * -ENOMEM. */
int mm_diff_series(const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, struct mm_diff_change **changes,
                   size_t *count);

/* Return the verdict on a series: MM_DIFF_WORSE if a change is worse, else MM_DIFF_BETTER
 * if one is better, else MM_DIFF_OPEN. */
enum mm_diff_verdict mm_diff_series_verdict(const struct mm_diff_change *changes,
                                            size_t count);

#endif
