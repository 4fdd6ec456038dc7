/* SPDX-License-Identifier: BSD-3-Clause */
/* confidence.c: probabilities and intervals from each kind of evidence. */
#include "properties/confidence/confidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "properties/confidence/batches.h"
#include "properties/confidence/maxima.h"
#include "common/statistics.h"

#define LEVEL .975 /* quantile at the upper end of a 95 % interval */
/* standard deviation of the correction of a maximum, relative to it */
#define CORRECTION_DOUBT .5

struct mm_confidence mm_confidence_absent(double severity, const char *reason)
{
    return (struct mm_confidence){.severity = severity,
                                  .confidence = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .sd = NAN,
                                  .reason = reason};
}

static struct mm_confidence from_spread(double severity, double sd, double freedom,
                                        double threshold)
{
    struct mm_confidence c = {.severity = severity, .sd = sd, .freedom = freedom};
    double reach = cca_student_quantile(LEVEL, freedom) * sd;

    c.low = severity - reach;
    c.high = severity + reach;
    c.confidence =
        sd > 0 ? cca_student((severity - threshold) / sd, freedom) : severity > threshold;
    return c;
}

/* Confidence of a severity that may contain a maximum and is corrected for the bias from
 * noise. The bias is not known well if several units are close to the maximum, so the
 * interval reaches from the corrected value to the observed one, and the correction adds
 * a variance component of its own. */
static struct mm_confidence from_noisy(double seen, double noisier, double times,
                                       double sd, double freedom, double threshold)
{
    double corrected = mm_without_noise(seen, noisier, times);
    double doubt = hypot(sd, (seen - corrected) * CORRECTION_DOUBT);
    struct mm_confidence c = from_spread(corrected, doubt, freedom, threshold);
    struct mm_confidence raw = from_spread(seen, doubt, freedom, threshold);

    c.low = fmin(c.low, raw.low);
    c.high = fmax(c.high, raw.high);
    if (seen * corrected < 0) /* noise must not change the sign of a severity */
        c.severity = 0;
    return c;
}

/* Allow for selection: the unit was chosen because it is the largest of `among` units. */
static void allow_for_choice(struct mm_confidence *c, size_t among)
{
    c->among = among > 1 ? among : 1;
    c->confidence = pow(c->confidence, (double)c->among);
}

static int is_share(double low, double high)
{
    return low >= 0 && high <= 1;
}

static void keep_a_share(struct mm_confidence *c)
{
    c->severity = fmin(fmax(c->severity, 0), 1);
    c->low = fmax(c->low, 0);
    c->high = fmin(c->high, 1);
}

/* Whether all severities are shares, 0 to 1; then the interval is limited to that
 * range. */
static int are_shares(const double *severities, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_share(severities[i], severities[i]))
            return 0;
    return 1;
}

/* Compute the mean of values and the sum of squares about it. Returns 0 if a value is
 * undefined. */
static int sums_of(const double *values, size_t n, double *mean, double *squares)
{
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++)
        *mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        *squares += (values[i] - *mean) * (values[i] - *mean);
    return n > 0 && isfinite(*mean) && isfinite(*squares);
}

struct mm_confidence mm_confidence_runs(const double *severities, size_t n, double pooled,
                                        size_t among, double threshold)
{
    struct mm_confidence c;
    double mean, squares, variance;

    if (n < 2)
        return mm_confidence_absent(n ? severities[0] : NAN, "one run");
    if (!sums_of(severities, n, &mean, &squares))
        return mm_confidence_absent(mean, "undefined in one of the runs");
    variance = squares / (double)(n - 1) / (double)n;
    c = isnan(pooled) ? from_spread(mean, sqrt(variance), (double)(n - 1), threshold)
                      : from_noisy(pooled, mean, (double)n, sqrt(variance),
                                   (double)(n - 1), threshold);
    allow_for_choice(&c, among);
    if (are_shares(severities, n))
        keep_a_share(&c);
    snprintf(c.how, sizeof c.how, "%zu runs", n);
    return c;
}

struct mm_confidence mm_confidence_replicates(double severity, const double *replicates,
                                              const struct mm_blocks *blocks,
                                              size_t stream, size_t among,
                                              double threshold)
{
    struct mm_block_spread spread = mm_blocks_spread(replicates, blocks, stream);
    struct mm_confidence c;

    if (blocks->count < MM_BLOCKS_LEAST)
        return mm_confidence_absent(severity,
                                    "one run, with too few independent iterations");
    if (!(spread.freedom > 0) || !isfinite(severity))
        return mm_confidence_absent(severity, "undefined in parts of the run");
    c = from_noisy(severity, spread.noisier, spread.times, spread.sd, spread.freedom,
                   threshold);
    allow_for_choice(&c, among);
    if (are_shares(replicates, MM_REPLICATES))
        keep_a_share(&c);
    snprintf(c.how, sizeof c.how, "within this run");
    return c;
}

/* P(severity > threshold) for a normal distribution with a different spread on each side;
 * the side that contains the threshold is used. */
static double two_sided(double severity, double low, double high, double threshold)
{
    double way = threshold < severity ? severity - low : high - severity;

    if (!(way > 0))
        return severity > threshold;
    return cca_student((severity - threshold) / way * CCA_NORMAL_95, INFINITY);
}

struct mm_confidence mm_confidence_sampled(double severity, double low, double high,
                                           double threshold)
{
    struct mm_confidence c = {.severity = severity, .low = low, .high = high};

    if (!(severity > 0 && low > 0 && high >= severity && severity >= low) ||
        !isfinite(high))
        return mm_confidence_absent(severity, "too few samples");
    c.sd = (high - low) / (2 * CCA_NORMAL_95);
    c.freedom = INFINITY;
    c.confidence =
        threshold > 0 ? two_sided(log(severity), log(low), log(high), log(threshold)) : 1;
    snprintf(c.how, sizeof c.how, "samples");
    return c;
}

struct mm_confidence mm_confidence_both(const struct mm_confidence *a,
                                        const struct mm_confidence *b, double threshold)
{
    struct mm_confidence c = *a;
    size_t used = strlen(c.how);

    if (isnan(a->confidence) || isnan(b->confidence))
        return isnan(a->confidence) ? *a : *b;
    c.sd = hypot(a->sd, b->sd);
    c.low = a->severity - hypot(a->severity - a->low, b->severity - b->low);
    c.high = a->severity + hypot(a->high - a->severity, b->high - b->severity);
    c.freedom = fmin(a->freedom, b->freedom);
    c.confidence = two_sided(c.severity, c.low, c.high, threshold);
    allow_for_choice(&c, a->among > b->among ? a->among : b->among);
    if (is_share(a->low, a->high) && is_share(b->low, b->high))
        keep_a_share(&c);
    if (*b->how && strcmp(a->how, b->how) != 0)
        snprintf(c.how + used, sizeof c.how - used, "%s%s", used ? ", " : "", b->how);
    return c;
}

void mm_confidence_bias(struct mm_confidence *c, double bias, double threshold)
{
    double at = threshold + bias;
    int was_share;

    if (!(bias > 0) || isnan(c->confidence))
        return;
    if (fabs(c->severity) <= bias && c->severity + bias > threshold) {
        c->confidence = c->low = c->high = c->sd = NAN;
        c->reason = "below the cost of measuring";
        return;
    }
    /* the confidence is computed as if the threshold were higher by the bias */
    if (c->sd > 0 && isfinite(c->freedom))
        c->confidence = cca_student((c->severity - at) / c->sd, c->freedom);
    else
        c->confidence = two_sided(c->severity, c->low, c->high, at);
    allow_for_choice(c, c->among);
    was_share = is_share(c->low, c->high);
    c->low -= bias;
    c->high += bias;
    if (was_share)
        keep_a_share(c);
}
