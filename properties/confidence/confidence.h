/* SPDX-License-Identifier: BSD-3-Clause */
/* confidence.h: how sure a severity is: P(severity > threshold), and its interval.
 *
 * Each function takes one kind of evidence. Absent (NaN) is not 1: where nothing is known
 * of the noise, or too little, `confidence`, `low` and `high` are NaN and `reason` says
 * why. Texts are constants. */
#ifndef PROPERTIES_CONFIDENCE_CONFIDENCE_H
#define PROPERTIES_CONFIDENCE_CONFIDENCE_H

#include <stddef.h>

struct mm_blocks; /* batches.h */

struct mm_confidence {
    double severity;    /* corrected for what noise adds to a maximum */
    double confidence;  /* P(severity > threshold); NaN: absent */
    double low, high;   /* 95 %; NaN: absent */
    double sd, freedom; /* of severity; NaN, 0: absent */
    size_t among;       /* units of which it has the largest, as below */
    char how[32];       /* "within this run", "3 runs", "samples"; empty: absent */
    const char *reason; /* why it is absent; NULL: it is not */
};

/* Absent, with `reason`. */
struct mm_confidence mm_confidence_absent(double severity, const char *reason);

/* Repeats: runs of one configuration.
 *
 *   severities   in   [n], of each run; NaN: undefined in that run, absent then
 *   pooled       in   severity of the run that is the mean of all n, unit by unit; NaN:
 *                     not known, maxima are then not corrected
 *   among        in   of how many units the severity has the largest or the smallest, 1:
 *                     it has none. That one of so many stands out by chance is allowed
 *                     for: none may, P^among
 *
 * n >= 3: Student's t with n - 1 degrees of freedom; 2: the same, with its factor
 * of 12.7; 1 or 0: absent. */
struct mm_confidence mm_confidence_runs(const double *severities, size_t n, double pooled,
                                        size_t among, double threshold);

/* One run: what the severity is in each replicate (batches.h).
 *
 *   replicates   in   [MM_REPLICATES]; NaN: undefined in that one
 *   blocks       in   count 0: absent
 *   stream       in   that of the weights
 *   among        in   as above
 */
struct mm_confidence mm_confidence_replicates(double severity, const double *replicates,
                                              const struct mm_blocks *blocks,
                                              size_t stream, size_t among,
                                              double threshold);

/* Sampled messages: a severity > 0 and the 95 % interval of its estimate (lognormal). */
struct mm_confidence mm_confidence_sampled(double severity, double low, double high,
                                           double threshold);

/* Two independent kinds of evidence of the same severity, as repeats of a parallel run
 * and noise within the only sequential one: variances add; the severity is that of `a`.
 * Absent where one of them is. */
struct mm_confidence mm_confidence_both(const struct mm_confidence *a,
                                        const struct mm_confidence *b, double threshold);

/* The cost of measuring was taken off the times: up to `bias` of the severity (half of
 * what was taken off, over the basis) may be wrong, either way. Widens the interval and
 * takes the worse end for the confidence. A severity that is not above `bias`, and might
 * for that be above the threshold, is not decidable: absent. */
void mm_confidence_bias(struct mm_confidence *c, double bias, double threshold);

#endif
