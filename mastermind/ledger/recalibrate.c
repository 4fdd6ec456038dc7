/* SPDX-License-Identifier: BSD-3-Clause */
/* recalibrate.c: compute the factor by which past intervals should have been wider or
 * narrower. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/ledger/score.h"

/* The factor is shrunk towards 1, with the weight of this number of compared predictions.
 * The logarithm of the 90 % quantile of n normal errors has a standard deviation of about
 * .9 / sqrt(n); for the logarithm of factors among programs we assume a standard
 * deviation of log 2;
 * (.9 / log 2)^2 = 1.7. */
#define PRIOR 2.

/* Return the factor by which the prediction's interval, before any recalibration, would
 * have to be wider to contain the measured value; infinity if the interval has no width
 * on that value's side. */
static double need(const struct mm_ledger_pair *pair)
{
    const struct mm_ledger_entry *s = pair->statement;
    double error = log(pair->outcome->value / s->value);
    double half = error > 0 ? log(s->high / s->value) : log(s->value / s->low);

    return error == 0 ? 0 : fabs(error) / (half / s->factor);
}

int mm_recalibrate(const struct mm_ledger_score *score, double level,
                   struct mm_recalibration *recalibration)
{
    double *needs = NULL;
    size_t count = 0, at;

    for (size_t i = 0; i < score->pair_count; i++) {
        const struct mm_ledger_pair *pair = &score->pairs[i];
        double *own;

        if (isnan(pair->statement->low) || pair->statement->level != level ||
            !(pair->statement->value > 0) || !(pair->outcome->value > 0))
            continue;
        own = cca_array_add(&needs, &count, sizeof *own);
        if (!own) {
            free(needs);
            return -ENOMEM;
        }
        *own = need(pair);
    }
    *recalibration = (struct mm_recalibration){level, 1, count};
    at = (size_t)ceil((double)(count + 1) * level - 1e-9);
    if (count >= MM_RECALIBRATE_LEAST && at <= count) {
        qsort(needs, count, sizeof *needs, cca_order_double);
        if (isfinite(needs[at - 1]) && needs[at - 1] > 0)
            recalibration->factor =
                pow(needs[at - 1], (double)count / ((double)count + PRIOR));
    }
    free(needs);
    return 0;
}

void mm_recalibrated(const struct mm_recalibration *recalibration, double value,
                     double *low, double *high)
{
    if (recalibration->factor == 1 || !(value > 0) || !isfinite(*low) || !isfinite(*high))
        return;
    *low = value * pow(*low / value, recalibration->factor);
    *high = value * pow(*high / value, recalibration->factor);
}
