/* SPDX-License-Identifier: BSD-3-Clause */
/* score.h: how well the statements of a ledger agree with the measured runs.
 *
 * A statement is compared with one run, the first that began after it: its interval is
 * for one run, so each statement is one trial. Later runs repeat the error of the
 * prediction; counting them would make the share look more certain than it is. A run also
 * counts only once for each level: of several statements about it, the latest one made
 * before it counts. */
#ifndef MASTERMIND_LEDGER_SCORE_H
#define MASTERMIND_LEDGER_SCORE_H

#include "mastermind/ledger/ledger.h"

/* A statement and the run with which it is compared. Borrowed from the ledger. */
struct mm_ledger_pair {
    const struct mm_ledger_entry *statement, *outcome;
    size_t further; /* number of later runs of the statement */
};

/* Statements of one level with an interval. */
struct mm_ledger_share {
    double level;
    size_t count, held;
    double low, high; /* 95 % interval of the share, Clopper and Pearson */
};

enum mm_ledger_group {                 /* grouping of the medians */
                       MM_BY_ALL,      /* totals */
                       MM_BY_METRIC,   /* totals by metric */
                       MM_BY_KIND,     /* further quantities by kind: sum of all calls,
                                          of all bytes, compute */
                       MM_BY_QUANTITY, /* further quantities by name */
                       MM_BY_VERB,     /* totals by verb */
                       MM_BY_BEYOND    /* totals by factor beyond the measured sizes */
};

/* Ratios of measured to predicted values. */
struct mm_ledger_bias {
    enum mm_ledger_group group;
    const char *name; /* borrowed from the ledger or static */
    size_t name_length;
    size_t count; /* number of ratios; those with a value of 0 or less are omitted */
    /* median of log(measured / predicted); > 0 if predictions are too low */
    double median;
    double *ratios; /* [count] logarithms of the ratios, ascending */
};

struct mm_ledger_score {
    struct mm_ledger_pair *pairs;
    size_t pair_count;
    struct mm_ledger_share *shares; /* shares of statements that held, ascending by
                                       level */
    size_t share_count;
    struct mm_ledger_bias *biases; /* medians of ratios, ascending by group and name */
    size_t bias_count;
    size_t statements, outcomes;
    /* Statements that do not count, each in one class, and runs that do not count: */
    size_t unknown;       /* number of statements: the parameters of the run are
                             unknown */
    size_t not_run;       /* number of statements without a later run with these
                             parameters */
    size_t other_machine; /* number of statements with runs on another machine only */
    size_t superseded;    /* number of statements with a later statement about the same
                             run */
    size_t no_interval;   /* number of pairs without an interval, which are not in the
                             shares */
    size_t further;       /* number of later runs of the pairs' statements */
};

/* Compute the score of a ledger's statements. Returns 0 or -ENOMEM; call
 * mm_ledger_score_done in any case. The ledger must outlive the score. */
int mm_ledger_score(struct mm_ledger_score *score, const struct mm_ledger *ledger);
void mm_ledger_score_done(struct mm_ledger_score *score);

/* --- Recalibration, recalibrate.c ----------------------------------------------------
 */

/* least number of statements; with fewer, intervals are unchanged */
#define MM_RECALIBRATE_LEAST 20

/* Factor by which intervals of a level are widened or narrowed. */
struct mm_recalibration {
    double level, factor; /* factor 1: intervals stay unchanged */
    size_t count;         /* number of statements with an interval and a run */
};

/* Find the factor for the logarithm of the half-width with which `level` of the past
 * intervals would have held. It is the ceil((n + 1) level)-th smallest of |log(measured /
 * predicted)| / stated half-width on that side. With it the next interval holds with at
 * least this probability, if it is like the past ones (conformal prediction: Vovk,
 * Gammerman and Shafer, Algorithmic Learning in a Random World, 2005; Lei et al., JASA
 * 113, 2018). With few statements this quantile is noisy, so its logarithm is shrunk by n
 * / (n + 2). Recalibrated intervals count with their original width. Returns 0 or
 * -ENOMEM. */
int mm_recalibrate(const struct mm_ledger_score *score, double level,
                   struct mm_recalibration *recalibration);
/* Set the ends of an interval about `value`; ends that are not finite remain. */
void mm_recalibrated(const struct mm_recalibration *recalibration, double value,
                     double *low, double *high);

#endif
