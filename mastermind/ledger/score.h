/* SPDX-License-Identifier: BSD-3-Clause */
/* score.h: how good the statements of a ledger were.
 *
 * A statement is held against one run, the first that began after it: an interval is one
 * for a run, so each is one trial. Runs after that repeat the error of the prediction;
 * were they counted, the share would look surer than it is. A run counts once for each
 * level, too: of several statements about it the last one made before it counts, which is
 * the one that people then had. */
#ifndef MASTERMIND_LEDGER_SCORE_H
#define MASTERMIND_LEDGER_SCORE_H

#include "mastermind/ledger/ledger.h"

/* A statement and the run that it is held against. Borrowed from the ledger. */
struct mm_ledger_pair {
    const struct mm_ledger_entry *statement, *outcome;
    size_t further; /* runs of the statement after that one */
};

/* Statements of one level that had an interval. */
struct mm_ledger_share {
    double level;
    size_t count, held;
    double low, high; /* 95 % interval of the share, Clopper and Pearson */
};

enum mm_ledger_group {                 /* by what a median is */
                       MM_BY_ALL,      /* totals */
                       MM_BY_METRIC,   /* totals by metric */
                       MM_BY_KIND,     /* further quantities by kind: sums of all calls,
                                          compute */
                       MM_BY_QUANTITY, /* further quantities by name */
                       MM_BY_VERB,     /* totals by verb */
                       MM_BY_BEYOND    /* totals by how far beyond the sizes measured */
};

/* Measured against predicted. */
struct mm_ledger_bias {
    enum mm_ledger_group group;
    const char *name; /* borrowed from the ledger or static */
    size_t name_length;
    size_t count;   /* ratios; those of zeros and less are left out */
    double median;  /* of log(measured / predicted): > 0 where predictions are low */
    double *ratios; /* [count] those logarithms, ascending */
};

struct mm_ledger_score {
    struct mm_ledger_pair *pairs;
    size_t pair_count;
    struct mm_ledger_share *shares; /* by level */
    size_t share_count;
    struct mm_ledger_bias *biases; /* by group, name */
    size_t bias_count;
    size_t statements, outcomes;
    /* Statements that do not count, each once, and runs that do not: */
    size_t unknown;       /* the parameters of the run are not known */
    size_t not_run;       /* no later run of these parameters */
    size_t other_machine; /* it ran on another machine only */
    size_t superseded;    /* a later statement was made about its run */
    size_t no_interval;   /* of the pairs: without an interval, not in the shares */
    size_t further;       /* runs of the pairs' statements after their first */
};

/* Score. 0 or -ENOMEM; mm_ledger_score_done in any case. The ledger must outlive it. */
int mm_ledger_score(struct mm_ledger_score *score, const struct mm_ledger *ledger);
void mm_ledger_score_done(struct mm_ledger_score *score);

/* Clopper and Pearson's interval of a share (Biometrika 26, 1934, 404): its ends are the
 * shares by which `held` or more, `held` or fewer, of `count` trials have the probability
 * (1 - level) / 2. 0 to 1 where there are no trials. binomial.c */
void mm_binomial_interval(size_t held, size_t count, double level, double *low,
                          double *high);

/* --- Recalibration, recalibrate.c ----------------------------------------------------
 */

#define MM_RECALIBRATE_LEAST 20 /* statements; with fewer no interval is changed */

/* What intervals of a level are to be multiplied by. */
struct mm_recalibration {
    double level, factor; /* 1: nothing is changed */
    size_t count;         /* statements with an interval and a run */
};

/* The factor for the logarithm of the half-width by which `level` of the past intervals
 * would have held: the ceil((n + 1) level)-th smallest of
 * |log(measured / predicted)| / stated half-width on that side, which makes the next one
 * hold with at least that probability if it is like the past ones (conformal prediction:
 * Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005; Lei et al.,
 * JASA 113, 2018). With few statements that quantile is noisy: its logarithm is shrunk by
 * n / (n + 2). Intervals that were recalibrated count as they were before. 0 or -ENOMEM.
 */
int mm_recalibrate(const struct mm_ledger_score *score, double level,
                   struct mm_recalibration *recalibration);
/* Set the ends of an interval about `value`; those that are not finite stay. */
void mm_recalibrated(const struct mm_recalibration *recalibration, double value,
                     double *low, double *high);

#endif
