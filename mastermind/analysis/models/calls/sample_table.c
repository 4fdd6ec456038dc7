/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.c: typical costs of the sizes of one mode, as columns. */
#include "mastermind/analysis/models/calls/sample_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PSEUDO_SAMPLES 6 /* weight of the pooled spread against a size's own */
/* Relative spread where no size was seen twice; only ratios of weights matter. */
#define UNKNOWN_CV .02
#define SUSPECT .02    /* a call that may have lost this share is not used for typ */
#define AGREE .1       /* calls agree on a cost within so much, in logarithms */
#define VOTERS 64      /* most calls that are asked; squared, they are work */
#define EXPLAINED .5   /* share of an excess that the time lost must cover */
#define SPLIT_SHARE .1 /* least share of a population that may be the main one */
#define SPLIT_SIZES .3 /* share of the calls whose sizes must show two populations */
#define COLUMNS 9      /* without parameters */
#define NO_WEIGHT 1e6  /* factor on the variance of a size that says nothing */

/* Whether the larger population of most sizes is the lower or the upper one. */
enum side { ONE, LOWER, UPPER };

static int counts_for(const struct mm_points *points, const struct mm_point *point,
                      const union monitor_value *modes, int lacking)
{
    return point->n && mm_same_modes(points->method, point->in, modes) &&
           lacking == (mm_missing_parameter(points->method, point->in) != 0);
}

double mm_host_part(const struct mm_call *call, double typ, double usual)
{
    double excess = call->ns - typ;

    if (!(call->lost_ns > 0) || call->waited || call->ns <= usual ||
        call->lost_ns < EXPLAINED * excess)
        return 0;
    return fmin(call->lost_ns, excess);
}

static int is_suspect(const struct mm_call *call)
{
    return call->lost_ns > SUSPECT * call->ns && !call->waited;
}

/* What a call can have cost: all of its time, or what is left without the time lost.
 * Where as much was lost as it took, the interval of the reading is longer than the call
 * and only the first is known. Returns how many there are. */
static int call_costs(const struct mm_call *call, double cost[2])
{
    cost[0] = call->ns;
    cost[1] = call->ns - call->lost_ns;
    return is_suspect(call) && cost[1] > SUSPECT * call->ns ? 2 : 1;
}

/* Of what a call can have cost that which is nearest to `typ`, by ratio. */
static double nearest_cost(const struct mm_call *call, double typ)
{
    double cost[2];

    if (call_costs(call, cost) == 2 &&
        fabs(log(cost[1] / typ)) < fabs(log(fmax(cost[0], 1) / typ)))
        return cost[1];
    return cost[0];
}

/* The cost that most calls can have had, within AGREE of it: 0 without calls. */
static double agreed_cost(const struct mm_sample *sample)
{
    uint32_t count = mm_sample_count(sample), step = count / VOTERS + 1;
    double best = 0, best_votes = -1;

    for (uint32_t i = 0; i < count; i += step) {
        double cost[2];

        for (int k = call_costs(&sample->call[i], cost); k-- > 0;) {
            double votes = 0;

            if (!(cost[k] > 0))
                continue;
            for (uint32_t j = 0; j < count; j += step) {
                double near = nearest_cost(&sample->call[j], cost[k]);

                votes += mm_sample_weight(sample, j) *
                         fmax(0, 1 - fabs(log(fmax(near, 1) / cost[k])) / AGREE);
            }
            if (votes > best_votes) {
                best_votes = votes;
                best = cost[k];
            }
        }
    }
    return best;
}

/* The values of a size to locate: without calls that the host may have disturbed if the
 * others are enough; else what the calls can have cost and agree on. Returns their
 * number. */
static size_t gather_values(const struct mm_sample *sample, struct mm_value *values)
{
    uint32_t count = mm_sample_count(sample);
    size_t clean = 0, kept = 0;
    double agreed = 0;

    for (uint32_t i = 0; i < count; i++)
        clean += !is_suspect(&sample->call[i]);
    if (clean < 8 && 4 * clean < count)
        agreed = agreed_cost(sample);
    for (uint32_t i = 0; i < count; i++) {
        const struct mm_call *call = &sample->call[i];
        double value = call->ns;

        if (is_suspect(call)) {
            if (!(agreed > 0))
                continue;
            value = nearest_cost(call, agreed);
        }
        values[kept++] = (struct mm_value){value, mm_sample_weight(sample, i)};
    }
    return kept;
}

/* Typical cost of a point, of its population on `side`. Where nothing is to be cut (a
 * count, or calls of unknown size) and where a point has only sums, it is the mean. */
static struct mm_location locate(const struct mm_sample_table *t,
                                 const struct mm_point *point, enum side side,
                                 struct mm_value *values, double *least)
{
    size_t count, split;
    struct mm_location location;

    *least = -INFINITY;
    if (t->whole || !mm_sample_count(&point->sample)) {
        double n = (double)point->n;
        double sd = point->sums_only ? NAN
                    : n > 1          ? sqrt(fmax(point->m2_ns2, 0) / (n - 1))
                                     : 0;

        return (struct mm_location){
            .typ = point->mean_ns, .sd = sd, .cut = INFINITY, .weight = n, .count = n};
    }
    count = gather_values(&point->sample, values);
    if (side == ONE || count < MM_FEW_CALLS)
        return mm_location_of(values, count);
    mm_values_sort(values, count);
    split = mm_values_split(values, count, SPLIT_SHARE);
    if (!split)
        return mm_location_of(values, count);
    if (side == UPPER) {
        location = mm_location_of(values + split, count - split);
        *least = (values[split - 1].value + values[split].value) / 2;
        return location;
    }
    location = mm_location_of(values, split);
    location.cut =
        fmin(location.cut, (values[split - 1].value + values[split].value) / 2);
    return location;
}

/* See which of two populations is the larger one over all sizes. */
static enum side find_side(const struct mm_sample_table *t, struct mm_value *values)
{
    double all = 0, split_calls = 0, lower = 0;

    for (size_t i = 0; i < t->count && !t->whole; i++) {
        const struct mm_sample *sample = &t->point[i]->sample;
        size_t count = gather_values(sample, values), split;

        if (count < MM_FEW_CALLS)
            continue;
        mm_values_sort(values, count);
        split = mm_values_split(values, count, SPLIT_SHARE);
        all += t->n[i];
        if (!split)
            continue;
        split_calls += t->n[i];
        lower +=
            t->n[i] * mm_values_weight(values, split) / mm_values_weight(values, count);
    }
    if (!(split_calls > SPLIT_SIZES * all))
        return ONE;
    return 2 * lower >= split_calls ? LOWER : UPPER;
}

static int table_allocate(struct mm_sample_table *t)
{
    const struct mm_method_info *method = t->method;
    double *next = calloc((t->count + 1) * (COLUMNS + method->in_count), sizeof *next);
    double **columns[COLUMNS] = {&t->typ,   &t->variance, &t->sd,
                                 &t->n,     &t->mean,     &t->cut,
                                 &t->least, &t->host_ns,  &t->host_calls};

    t->point = calloc(t->count + 1, sizeof *t->point);
    t->memory = next;
    if (!next || !t->point) {
        mm_sample_table_done(t);
        return -ENOMEM;
    }
    for (size_t k = 0; k < COLUMNS; k++, next += t->count)
        *columns[k] = next;
    for (size_t k = 0; k < method->in_count; k++) {
        if (method->values[k].kind != MONITOR_PARAM)
            continue;
        t->x[k] = next;
        next += t->count;
    }
    return 0;
}

static void fill_parameters(struct mm_sample_table *t, size_t row)
{
    const struct mm_point *point = t->point[row];

    t->n[row] = (double)point->n;
    for (size_t k = 0; k < t->method->in_count; k++) {
        double x;

        if (!t->x[k])
            continue;
        x = mm_in_value(t->method, point->in, k);
        t->x[k][row] = x;
        t->low[k] = row ? fmin(t->low[k], x) : x;
        t->high[k] = row ? fmax(t->high[k], x) : x;
    }
}

/* What the host is shown to have taken of the calls of a size. The sample has only some
 * of the calls, but the time lost of all is known. */
static void set_host(struct mm_sample_table *t, size_t row)
{
    const struct mm_point *point = t->point[row];
    const struct mm_sample *sample = &point->sample;
    double usual = t->typ[row] + fmax(3 * t->sd[row], SUSPECT * t->typ[row]);
    double lost = 0, taken = 0, calls = 0, factor;

    t->mean[row] = point->mean_ns;
    if (t->host_free || !(point->lost_ns > 0))
        return;
    for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
        const struct mm_call *call = &sample->call[i];
        double weight = mm_sample_weight(sample, i);
        double part = mm_host_part(call, t->typ[row], usual);

        lost += call->lost_ns > 0 && !call->waited ? weight * call->lost_ns : 0;
        taken += weight * part;
        calls += part > 0 ? weight : 0;
    }
    factor = lost > 0 ? fmin(point->lost_ns / lost, 2) : 1;
    t->host_ns[row] = fmin(taken * factor, t->n[row] * point->mean_ns);
    t->host_calls[row] = fmin(calls * factor, t->n[row]);
    t->mean[row] -= t->host_ns[row] / t->n[row];
}

static void fill_row(struct mm_sample_table *t, size_t row,
                     const struct mm_location *location)
{
    t->typ[row] = fmax(location->typ, t->counts ? 0 : 1); /* the clock's resolution */
    t->sd[row] = location->sd;
    t->cut[row] = location->cut;
    /* For a while, the number of calls that the typical cost comes from. */
    t->variance[row] = location->count;
}

/* Variances of the typical costs; a size's own spread is shrunk towards the pooled one.
 */
static void set_variances(struct mm_sample_table *t)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1);

        if (t->variance[i] < 1.5 || isnan(t->sd[i]))
            continue;
        squares += (t->variance[i] - 1) * (t->sd[i] / scale) * (t->sd[i] / scale);
        freedom += t->variance[i] - 1;
    }
    t->pooled = freedom > 0 ? sqrt(squares / freedom) : NAN;
    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1), n = t->variance[i];
        double pooled = isnan(t->pooled) ? UNKNOWN_CV : t->pooled;
        double seen = isnan(t->sd[i]) || n < 1.5 ? 0 : n - 1;
        double own = seen > 0 ? (t->sd[i] / scale) * (t->sd[i] / scale) : 0;
        double cv2 =
            (seen * own + PSEUDO_SAMPLES * pooled * pooled) / (seen + PSEUDO_SAMPLES);

        t->variance[i] = scale * scale * cv2 / n;
    }
}

int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking)
{
    struct mm_sample_table *t = table;
    struct mm_value *values = malloc((MM_SAMPLE_TOP + MM_SAMPLE_REST) * sizeof *values);
    enum side side;

    *t = (struct mm_sample_table){.method = points->method,
                                  .floor_ns = points->floor_ns,
                                  .counts = points->counts,
                                  .whole = points->counts || lacking,
                                  .host_free = points->host_free,
                                  .runs = points->runs};
    for (size_t i = 0; i < points->count; i++)
        t->count += (size_t)counts_for(points, &points->points[i], modes, lacking);
    if (!values || table_allocate(t) < 0) {
        free(values);
        return -ENOMEM;
    }
    for (size_t i = 0, row = 0; i < points->count; i++) {
        if (!counts_for(points, &points->points[i], modes, lacking))
            continue;
        t->point[row] = &points->points[i];
        fill_parameters(t, row++);
    }
    side = find_side(t, values);
    for (size_t i = 0; i < t->count; i++) {
        struct mm_location location = locate(t, t->point[i], side, values, &t->least[i]);

        fill_row(t, i, &location);
        set_host(t, i);
    }
    free(values);
    set_variances(t);
    return 0;
}

void mm_sample_table_done(struct mm_sample_table *table)
{
    free(table->memory);
    free(table->point);
    *table = (struct mm_sample_table){0};
}

void mm_sample_table_tuple(const struct mm_sample_table *table, size_t row, double *x)
{
    for (size_t k = 0; k < MONITOR_MAX_IN; k++)
        x[k] = table->x[k] ? table->x[k][row] : 0;
}

struct mm_usual mm_usual_of(const struct mm_sample_table *t, struct mm_value *ratios,
                            size_t count)
{
    struct mm_usual usual = {0, INFINITY};
    struct mm_location location;
    size_t split;

    if (count < MM_FEW_CALLS)
        return usual;
    mm_values_sort(ratios, count);
    split = mm_values_split(ratios, count, SPLIT_SHARE);
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
    location = mm_location_of(ratios, count);
    usual.most = fmin(
        usual.most,
        fmax(location.cut, location.typ * (1 + 4 * (isnan(t->pooled) ? 0 : t->pooled))));
    return usual;
}

/* Locate size `row` without its calls that are not usual; all of them may be. */
static int trim_row(struct mm_sample_table *t, size_t row, double least, double most,
                    struct mm_value *values)
{
    const struct mm_sample *sample = &t->point[row]->sample;
    size_t count = gather_values(sample, values), kept = 0;
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
    location = mm_location_of(values, kept);
    if (location.typ == t->typ[row])
        return 0;
    t->variance[row] *= (double)count / (double)kept;
    t->typ[row] = fmax(location.typ, 1);
    t->sd[row] = location.sd;
    set_host(t, row);
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
    return changed;
}
