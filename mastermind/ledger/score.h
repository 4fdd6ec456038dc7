/* SPDX-License-Identifier: BSD-3-Clause */
/* score.h: compute how well the statements of a ledger agree with the measured runs.
 *
 * A statement is compared with one run, the first that began after it: its interval is
 * for one run, so each statement is one trial. Later runs would repeat the error of the
 * prediction, and would make the share look more certain than it is. A run also counts
 * only once for each level: of several statements about it, only the latest before it
 * counts. */
#ifndef MASTERMIND_LEDGER_SCORE_H
#define MASTERMIND_LEDGER_SCORE_H

#include "mastermind/ledger/ledger.h"

/* A statement and the run with which it is compared; both are borrowed from the
 * ledger. */
struct mm_ledger_pair {
    const struct mm_ledger_entry *statement, *outcome;
    size_t further; /* number of other runs that the statement predicts */
};

/* The statements that have an interval of one level, and how many of these contained the
 * measured value. */
struct mm_ledger_share {
    double level;
    size_t count, held;
    double low, high; /* 95 % interval of the share (Clopper and Pearson) */
};

enum mm_ledger_group {               /* groups of ratios for which a median is computed */
                       MM_BY_ALL,    /* totals */
                       MM_BY_METRIC, /* totals by metric */
                       /* quantities other than the total, by kind: the sum of all calls,
                          of all bytes, compute */
                       MM_BY_KIND,
                       MM_BY_QUANTITY, /* quantities other than the total, by name */
                       MM_BY_VERB,     /* totals by verb */
                       MM_BY_BEYOND    /* totals, by the factor by which predicted sizes
                                          exceed the measured ones */
};

/* Ratios of measured to predicted values in one group. */
struct mm_ledger_bias {
    enum mm_ledger_group group;
    const char *name; /* name in the group, borrowed from the ledger or static */
    size_t name_length;
    size_t count; /* number of ratios, without ratios of a value that is 0 or less */
    /* median of log(measured / predicted); > 0 if predictions are too low */
    double median;
    double *ratios; /* [count] logarithms of the ratios, ascending */
};

struct mm_ledger_score {
    struct mm_ledger_pair *pairs;
    size_t pair_count;
    /* shares of intervals that contained the measured value, ascending by level */
    struct mm_ledger_share *shares;
    size_t share_count;
    struct mm_ledger_bias *biases; /* medians of ratios, ascending by group and name */
    size_t bias_count;
    size_t statements, outcomes;
    /* Numbers of statements and runs that are left out of `pairs` or `shares`; a
     * statement is in one of them at most: */
    size_t unknown; /* number of statements whose run has unknown parameters */
    size_t not_run; /* number of statements that no later run with their parameters has
                       tested */
    /* number of statements (predictions) whose later runs were all on another machine
     * than the statement's */
    size_t other_machine;
    size_t superseded;  /* number of statements with a later statement about the same
                           run */
    size_t no_interval; /* number of pairs without an interval, which are not in the
                           shares */
    size_t further;     /* number of runs that statements in `pairs` predict beside the
                           compared ones */
};

/* Compute the score of a ledger's statements. Returns 0 or -ENOMEM; call
 * mm_ledger_score_done in any case. The ledger must outlive the score. */
int mm_ledger_score(struct mm_ledger_score *score, const struct mm_ledger *ledger);
void mm_ledger_score_done(struct mm_ledger_score *score);

/* --- Recalibration, recalibrate.c ----------------------------------------------------
 */

/* with fewer statements than this, intervals are not changed */
#define MM_RECALIBRATE_LEAST 20

/* Factor by which intervals with the probability `level` are widened or narrowed. */
struct mm_recalibration {
    double level, factor; /* `factor` is 1 if intervals are not changed */
    size_t count;         /* number of statements with an interval and a run */
};

/* Find the factor for the logarithm of the half-width with which `level` of the past
 * intervals would have held. It is the ceil((n + 1) level)-th smallest value of
 * |log(measured / predicted)| / stated half-width on that side. With this factor the next
 * interval contains the measured value with at least the probability `level`, if it is
 * like the past intervals (conformal prediction: Vovk, Gammerman and Shafer, Algorithmic
 * Learning in a Random World, 2005; Lei et al., JASA 113, 2018). With few statements this
 * quantile is noisy, so its logarithm is shrunk by n / (n + 2). Recalibrated intervals
 * count with their original width. Returns 0 or -ENOMEM. */
int mm_recalibrate(const struct mm_ledger_score *score, double level,
                   struct mm_recalibration *recalibration);
/* Widen or narrow the interval about `value`; an end that is not finite is not
 * changed. */
void mm_recalibrated(const struct mm_recalibration *recalibration, double value,
                     double *low, double *high);

#endif
