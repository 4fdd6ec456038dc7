/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c: find change points of a series of runs. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/random.h"
#include "common/same.h"
#include "mastermind/compare/statistics.h"

enum { LEAST_SIDE = 2, LEAST_RUNS = 6, SHUFFLES = 4000 };

struct search {
    const struct mm_diff_table *table;
    enum mm_diff_part part;
    int presence;   /* true if a run's number is only 1 if it called the method, and 0 if
                       not */
    double *values; /* [runs] known values */
    size_t *runs;   /* [runs] indexes of the runs whose values are known */
    double *work;   /* [runs] scratch memory */
    size_t questions;
    double threshold;
    struct mm_diff_change *changes;
    size_t count;
};

/* Find the position in `count` values at which a change has the largest |t|. Returns a
 * number that grows with |t|. */
static double best_place(const double *values, size_t count, size_t *place)
{
    double all = 0, squares = 0, left = 0, best = -1;

    for (size_t i = 0; i < count; i++)
        all += values[i];
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - all / (double)count) * (values[i] - all / (double)count);
    for (size_t i = 1; i < count; i++) {
        double a = (double)i, b = (double)(count - i), between, within, t;

        left += values[i - 1];
        if (i < LEAST_SIDE || count - i < LEAST_SIDE)
            continue;
        between = a * b / (a + b) * pow(left / a - (all - left) / b, 2);
        within = fmax(squares - between, 1e-24);
        t = between <= 1e-24 ? 0 : between / within;
        if (t > best * (1 + CCA_SAME)) {
            best = t;
            *place = i;
        }
    }
    return best;
}

/* Return the probability that chance gives a change at least as significant as `best`:
 * its frequency in random orders of the runs. */
static double chance(struct search *search, const double *values, size_t count,
                     double best)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    size_t above = 1, ignored;

    memcpy(search->work, values, count * sizeof *values);
    for (int s = 0; s < SHUFFLES; s++) {
        for (size_t i = count; i > 1; i--) {
            size_t other = cca_random_shift(&state) % i;
            double kept = search->work[i - 1];

            search->work[i - 1] = search->work[other];
            search->work[other] = kept;
        }
        above += best_place(search->work, count, &ignored) >= best * (1 - CCA_SAME);
    }
    return (double)above / (SHUFFLES + 1);
}

/* Return the relative increase of the mean at a change; infinity if before it the method
 * was hardly called, -1 if it is hardly called afterwards. */
static double relative_change(const struct search *search, double before, double after)
{
    if (search->presence)
        return after > before ? INFINITY : -1;
    return expm1(after - before);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Split the runs [first, first + count) of a series at their most significant change,
 * then split both parts likewise. */
static int split(struct search *search, size_t first, size_t count)
{
    const double *values = search->values + first;
    size_t place = 0;
    double best, p, relative;
    struct mm_diff_change *change;
    int status;

    if (count < LEAST_RUNS)
        return 0;
    best = best_place(values, count, &place);
    if (best <= 0)
        return 0;
    p = fmin(1, chance(search, values, count, best) * (double)search->questions);
    relative = relative_change(search, mean_of(values, place),
                               mean_of(values + place, count - place));
    if (p > MM_DIFF_ERROR || fabs(relative) < search->threshold)
        return 0;
    change = cca_array_add(&search->changes, &search->count, sizeof *change);
    if (!change)
        return -ENOMEM;
    *change = (struct mm_diff_change){.table = search->table,
                                      .part = search->part,
                                      .run = search->runs[first + place] + 1,
                                      .relative = relative,
                                      .p = p};
    status = split(search, first, place);
    return status ? status : split(search, first + place, count - place);
}

static int by_run(const void *left, const void *right)
{
    const struct mm_diff_change *a = left, *b = right;

    return a->run != b->run ? (a->run > b->run) - (a->run < b->run)
                            : (int)a->part - (int)b->part;
}

/* Collect the known values of a series, or, if `presence` is set, for each run whether
 * its value is known. Returns how many were collected. */
static size_t take_values(struct search *search, const double *values, size_t count)
{
    size_t known = 0;

    for (size_t r = 0; r < count; r++) {
        if (isnan(values[r]) && !search->presence)
            continue;
        search->values[known] = search->presence ? !isnan(values[r]) : values[r];
        search->runs[known++] = r;
    }
    return known;
}

/* Return the method's largest share of the cost of a run. */
static double largest_share(const struct mm_diff_tables *tables, size_t at)
{
    double most = 0;

    for (size_t r = 0; r < tables->runs[0]; r++) {
        double all = 0;

        for (size_t i = 0; i < tables->count; i++)
            all += fmax(tables->list[i].measured[r], 0);
        if (all > 0)
            most = fmax(most, tables->list[at].measured[r] / all);
    }
    return most;
}

/* True if all numbers of the series are equal. */
static int is_constant(const double *values, size_t count)
{
    for (size_t r = 1; r < count; r++)
        if (fabs(values[r] - values[0]) > 1e-12 * fmax(1, fabs(values[0])))
            return 0;
    return 1;
}

/* Search all series for changes; if `find` is 0, only count the series. Returns 0 or
 * -ENOMEM. */
static int walk(struct search *search, const struct mm_diff_tables *tables, double share,
                int find)
{
    size_t runs = tables->runs[0], known;
    int status = 0;

    for (size_t i = 0; i < tables->count && !status; i++) {
        struct mm_diff_numbers numbers;

        if (!(largest_share(tables, i) >= share))
            continue;
        status = mm_diff_numbers_of(&numbers, &tables->list[i], tables->runs);
        for (int part = 0; part <= MM_DIFF_RARE && !status; part++) {
            search->table = &tables->list[i];
            search->presence = part == MM_DIFF_RARE;
            search->part = search->presence ? MM_DIFF_CALLS : (enum mm_diff_part)part;
            known = take_values(search, numbers.value[search->part], runs);
            if (known < LEAST_RUNS || is_constant(search->values, known))
                continue;
            if (find)
                status = split(search, 0, known);
            else
                search->questions++;
        }
        mm_diff_numbers_done(&numbers);
    }
    return status;
}

int mm_diff_series(const struct mm_diff_tables *tables,
                   const struct mm_diff_limits *limits, struct mm_diff_change **changes,
                   size_t *count)
{
    size_t runs = tables->runs[0] + 1;
    struct search search = {.work = calloc(runs, sizeof *search.work),
                            .values = calloc(runs, sizeof *search.values),
                            .runs = calloc(runs, sizeof *search.runs),
                            .threshold = limits->threshold};
    int status = search.work && search.values && search.runs
                     ? walk(&search, tables, limits->share, 0)
                     : -ENOMEM;

    if (!status)
        status = walk(&search, tables, limits->share, 1);
    free(search.work);
    free(search.values);
    free(search.runs);
    if (!status && search.count)
        qsort(search.changes, search.count, sizeof *search.changes, by_run);
    if (status) {
        free(search.changes);
        search.changes = NULL;
        search.count = 0;
    }
    *changes = search.changes;
    *count = search.count;
    return status;
}
