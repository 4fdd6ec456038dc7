/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c: estimates of totals, with intervals, and quantiles. */
#include "messages/read/estimate.h"

#include <math.h>

#include "messages/keep/keep.h"
#include "common/statistics.h"

#define LEAST_FREEDOM 3. /* lower limit of the degrees of freedom */

static const double MOST_ABOVE = 100; /* maximum of an interval's upper end over the
                                       * estimate */

struct mm_message_estimate mm_estimate_interval(double total, double variance,
                                                double squares, uint64_t count,
                                                uint64_t positive)
{
    struct mm_message_estimate e = {.value = total};
    double m, s, t, heavy;

    if (!(total > 0) || !(variance >= 0) || !isfinite(variance))
        return e;
    if (count < MM_ESTIMATE_LEAST || !(squares > 0) || positive < 1)
        return e;
    m = total * total / squares;
    s = sqrt(log1p(variance / (total * total)));
    t = cca_student_quantile(.975, fmax(m - 1, LEAST_FREEDOM));
    heavy = log((double)positive / m) - .7;
    e.low = total * exp(-t * s);
    e.high = total * exp(t * s * (1 + (heavy > 0 ? .4 * heavy : 0)));
    /* with a larger upper end, one or two samples have nearly the whole total, and no
     * upper end is credible */
    e.has_interval = e.high <= MOST_ABOVE * total;
    return e;
}

/* Sum of (x/p)^2; exact if p is the same for all samples. */
static double squares_of(const struct mm_message_sums *sums,
                         const struct mm_messages_sum *sum)
{
    double p = sums->weight > 0 ? (double)sums->count / sums->weight : 1;

    return p < 1 ? sum->variance / (1 - p) : 0;
}

struct mm_message_estimate mm_estimate_total(const struct mm_message_sums *sums,
                                             const struct mm_messages_sum *sum)
{
    struct mm_message_estimate none = {.value = sum->weighted};

    if (sums->no_p)
        return none;
    if (sums->weight_variance <= 0 && sums->count) { /* p is 1 */
        none.has_interval = none.exact = 1;
        none.low = none.high = none.value;
        return none;
    }
    return mm_estimate_interval(sum->weighted, sum->variance, squares_of(sums, sum),
                                sums->count, sum->count);
}

struct mm_message_estimate mm_estimate_ratio(const struct mm_message_sums *sums,
                                             const struct mm_messages_sum *sum,
                                             double messages)
{
    struct mm_message_estimate none = {0};
    double mean, factor, variance, n = (double)sums->count;

    if (!(sums->weight > 0))
        return none;
    mean = sum->weighted / sums->weight;
    factor = messages / sums->weight;
    none.value = messages * mean;
    if (sums->no_p || sums->count < 2)
        return none;
    if (sums->weight_variance <= 0) { /* all messages are samples, except lost ones */
        none.has_interval = none.exact = n >= messages;
        none.low = none.high = none.value;
        return none;
    }
    variance = factor * factor * n / (n - 1) *
               (sum->variance - mean * mean * sums->weight_variance);
    return mm_estimate_interval(none.value, variance > 0 ? variance : 0,
                                factor * factor * squares_of(sums, sum), sums->count,
                                sum->count);
}

struct mm_message_estimate mm_estimate_count(const struct mm_message_sums *sums)
{
    const struct mm_messages_sum ones = {.weighted = sums->weight,
                                         .variance = sums->weight_variance,
                                         .count = sums->count};

    return mm_estimate_total(sums, &ones);
}

double mm_estimate_quantile(const double *buckets, double q, double min_ns, double max_ns)
{
    double total = 0, below = 0, low, high, ns;
    int i = 0;

    for (int b = 0; b < MM_MESSAGES_BUCKETS; b++)
        total += buckets[b];
    if (!(total > 0))
        return NAN;
    while (i < MM_MESSAGES_BUCKETS - 1 && below + buckets[i] < q * total)
        below += buckets[i++];
    low = i ? mm_messages_bucket_ns(i) : 0;
    high = i < MM_MESSAGES_BUCKETS - 1 ? mm_messages_bucket_ns(i + 1) : max_ns;
    low = low > min_ns ? low : min_ns;
    high = high < max_ns ? high : max_ns;
    if (!(high > low))
        return low;
    q = buckets[i] > 0 ? (q * total - below) / buckets[i] : 0;
    ns = low > 0 ? low * pow(high / low, q) : low + q * (high - low);
    return ns;
}
