/* SPDX-License-Identifier: BSD-3-Clause */
/* trim.c: correct sizes with few calls, and all weights, with the help of a first form.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/calls/evidence.h"
#include "mastermind/cost/calls/numbers.h"
#include "mastermind/cost/calls/sample_table.h"

#define BIASED .002 /* relative bias of a form above which the search is repeated */
/* factor by which the variance of a size without usable calls is multiplied */
#define NO_WEIGHT 1e6

struct mm_usual mm_usual_of(const struct mm_sample_table *t, struct mm_value *ratios,
                            size_t count)
{
    struct mm_usual usual = {0, INFINITY};
    struct mm_location location;
    size_t split;

    if (count < MM_FEW_CALLS || t->tick > 0)
        return usual;
    mm_values_sort(ratios, count);
    split = mm_values_split(ratios, count, MM_SPLIT_SHARE);
    if (split) {
        double middle = (ratios[split - 1].value + ratios[split].value) / 2;

        if (2 * mm_values_weight(ratios, split) < mm_values_weight(ratios, count)) {
            usual.least = middle;
            ratios += split;
            count -= split;
        } else {
            usual.most = middle;
            count = split;
        }
    }
    location = mm_location_of(ratios, count, 0, 0);
    usual.most = fmin(
        usual.most,
        fmax(location.cut, location.typ * (1 + 4 * (isnan(t->pooled) ? 0 : t->pooled))));
    return usual;
}

/* Compute the typical cost of size `row` again without its unusual calls. All of its
 * calls may be unusual. */
static int trim_row(struct mm_sample_table *t, size_t row, double least, double most,
                    struct mm_value *values)
{
    const struct mm_sample *sample = &t->point[row]->sample;
    size_t count = mm_evidence_values(sample, values), kept = 0;
    struct mm_location location;

    for (size_t i = 0; i < count; i++)
        if (values[i].value <= most && values[i].value >= least)
            values[kept++] = values[i];
    if (kept == count)
        return 0;
    t->cut[row] = most;
    t->least[row] = least;
    if (kept == 0) {
        t->variance[row] *= NO_WEIGHT;
        return 1;
    }
    location = mm_location_of(values, kept, t->scale, t->tick);
    if (location.typ == t->typ[row])
        return 0;
    t->variance[row] *= (double)count / (double)kept;
    t->typ[row] = fmax(location.typ, 1);
    t->sd[row] = location.sd;
    mm_sample_table_set_host(t, row);
    return 1;
}

/* Make variances proportional to the squared fitted costs, if the bias matters: a size
 * that is cheap by chance has a smaller variance, and so a larger weight, than a size
 * that is costly by chance. This lowers the form by twice the mean relative variance. */
static int reweigh(struct mm_sample_table *t, const double *fitted)
{
    double sum = 0;

    for (size_t i = 0; i < t->count; i++)
        if (t->variance[i] < NO_WEIGHT / 2 * t->typ[i] * t->typ[i])
            sum += t->variance[i] / (t->typ[i] * t->typ[i]);
    if (!(2 * sum > BIASED * (double)t->count))
        return 0;
    for (size_t i = 0; i < t->count; i++)
        if (fitted[i] > t->floor_ns)
            t->variance[i] *= fitted[i] * fitted[i] / (t->typ[i] * t->typ[i]);
    return 1;
}

int mm_sample_table_trim(struct mm_sample_table *t, const double *fitted)
{
    size_t most = MM_SAMPLE_TOP + MM_SAMPLE_REST;
    struct mm_value *values;
    struct mm_usual usual;
    int changed = 0;

    if (t->whole || t->count < MM_FEW_CALLS)
        return 0;
    values = malloc((t->count > most ? t->count : most) * sizeof *values);
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++)
        values[i] = (struct mm_value){fitted[i] > 0 ? t->typ[i] / fitted[i] : 1, 1};
    usual = mm_usual_of(t, values, t->count);
    for (size_t i = 0; i < t->count; i++)
        if (fitted[i] > 0 && t->n[i] < MM_FEW_CALLS &&
            mm_sample_count(&t->point[i]->sample))
            changed +=
                trim_row(t, i, usual.least * fitted[i], usual.most * fitted[i], values);
    free(values);
    return changed + reweigh(t, fitted);
}
