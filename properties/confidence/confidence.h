/* SPDX-License-Identifier: BSD-3-Clause */
/* confidence.h: confidence in a severity: P(severity > threshold), and its interval.
 *
 * Each function uses one kind of evidence. Absent (NaN) does not mean 1: if nothing, or
 * too little, is known of the noise, then `confidence`, `low` and `high` are NaN and
 * `reason` has the cause. Texts are constants. */
#ifndef PROPERTIES_CONFIDENCE_CONFIDENCE_H
#define PROPERTIES_CONFIDENCE_CONFIDENCE_H

#include <stddef.h>

struct mm_blocks; /* defined in batches.h */

struct mm_confidence {
    double severity;    /* severity of the property, corrected for the bias of maxima */
    double confidence;  /* P(severity > threshold); NaN: absent */
    double low, high;   /* 95 % interval of the severity; NaN: absent */
    double sd, freedom; /* standard deviation of the severity, and its degrees of freedom;
                           NaN, 0: absent */
    size_t among; /* number of units among which this unit was chosen as the largest; see
                   * mm_confidence_runs */
    char how[32]; /* evidence used: "within this run", "3 runs", "samples"; empty: none */
    const char *reason; /* reason why the confidence is absent; NULL: it is present */
};

/* A confidence that is absent, with `reason`. */
struct mm_confidence mm_confidence_absent(double severity, const char *reason);

/* Confidence from repeats: runs of one configuration.
 *
 *   severities   in   [n], of each run; NaN: undefined in that run, absent then
 *   pooled       in   severity of the mean run (mean of all n, unit by unit); NaN:
 *                     unknown, maxima are then not corrected
 *   among        in   number of units over which the severity has a maximum or minimum,
 *                     1: none. The confidence allows for the chance that one of so many
 *                     exceeds the threshold: P^among
 *
 * n >= 2: Student's t with n - 1 degrees of freedom (for n = 2 its factor is 12.7); 1 or
 * 0: absent. */
struct mm_confidence mm_confidence_runs(const double *severities, size_t n, double pooled,
                                        size_t among, double threshold);

/* Confidence from one run: the severity in each replicate (batches.h).
 *
 *   replicates   in   [MM_REPLICATES]; NaN: undefined in that replicate
 *   blocks       in   count 0: absent
 *   stream       in   as for mm_blocks_weight
 *   among in as for mm_confidence_runs */
struct mm_confidence mm_confidence_replicates(double severity, const double *replicates,
                                              const struct mm_blocks *blocks,
                                              size_t stream, size_t among,
                                              double threshold);

/* Confidence from sampled messages: a severity > 0 and the 95 % interval of its estimate
 * (lognormal). */
struct mm_confidence mm_confidence_sampled(double severity, double low, double high,
                                           double threshold);

/* Combine two independent kinds of evidence on the same severity, for example repeats of
 * a parallel run and noise within the only sequential run: their variances add; the
 * severity is taken from `a`. The confidence is absent if one of the two is. */
struct mm_confidence mm_confidence_both(const struct mm_confidence *a,
                                        const struct mm_confidence *b, double threshold);

/* Allow for the correction of times by the cost of measuring: up to `bias` of the
 * severity (half of the correction, relative to the basis) may be wrong in either
 * direction. Widens the interval, and uses its worse end for the confidence. A severity
 * that is not above `bias`, but might be above the threshold because of it, is
 * undecidable: absent. */
void mm_confidence_bias(struct mm_confidence *c, double bias, double threshold);

#endif
