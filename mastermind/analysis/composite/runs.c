/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c: the spread between runs, from calls that several runs have. */
#include "mastermind/analysis/composite/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE .25 /* of a spread that scatter of calls seems to explain whole */
#define ONCE .25        /* relative; a method called once may be off by so much */
#define NEIGHBOURS 8    /* each run is compared with so many before it */
#define MOST_COMPARED 512

double mm_t975(double freedom)
{
    static const double t[] = {12.71, 4.303, 3.182, 2.776, 2.571,
                               2.447, 2.365, 2.306, 2.262, 2.228};
    double at = fmax(freedom, 1) - 1;
    size_t low = (size_t)at;

    if (at >= 9)
        return 1.96 + 2.7 / freedom;
    return t[low] + (at - (double)low) * (t[low + 1] - t[low]);
}

static const struct mm_point *same_point(const struct mm_points *points,
                                         const union monitor_value *in, size_t guess)
{
    size_t bytes = points->method->in_count * sizeof *in;

    if (guess < points->count && memcmp(points->points[guess].in, in, bytes) == 0)
        return &points->points[guess];
    return mm_points_find(points, in);
}

/* Variance of the mean of a point; `cv2` where it has no spread of its own. */
static double mean_variance(const struct mm_point *point, double cv2)
{
    double n = (double)point->n;

    if (point->n < 2 || point->sums_only)
        return cv2 * point->mean_ns * point->mean_ns / n;
    return point->m2_ns2 / (n - 1) / n;
}

/* Pooled squared relative spread of single calls. */
static double pooled_cv2(const struct mm_points *points)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *p = &points->points[i];

        if (p->n < 2 || p->sums_only || !(p->mean_ns > 0))
            continue;
        squares += p->m2_ns2 / (p->mean_ns * p->mean_ns);
        freedom += (double)p->n - 1;
    }
    return freedom > 0 ? squares / freedom : ONCE * ONCE;
}

double mm_runs_ratio(const struct mm_points *a, const struct mm_points *b,
                     double *logarithm, double *noise)
{
    double cost_a = 0, cost_b = 0, variance_a = 0, variance_b = 0;
    double cv2_a = pooled_cv2(a), cv2_b = pooled_cv2(b);

    *logarithm = *noise = 0;
    if (!mm_same_in_values(a->method, b->method))
        return 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct mm_point *p = &a->points[i];
        const struct mm_point *q = p->n ? same_point(b, p->in, i) : NULL;
        double w;

        if (!q || !q->n)
            continue;
        w = (double)(p->n < q->n ? p->n : q->n);
        cost_a += w * p->mean_ns;
        cost_b += w * q->mean_ns;
        variance_a += w * w * mean_variance(p, cv2_a);
        variance_b += w * w * mean_variance(q, cv2_b);
    }
    if (!(cost_a > 0) || !(cost_b > 0))
        return 0;
    *logarithm = log(cost_a / cost_b);
    *noise = variance_a / (cost_a * cost_a) + variance_b / (cost_b * cost_b);
    return (cost_a + cost_b) / 2;
}

static int same_method(const struct mm_method_info *a, const struct mm_method_info *b)
{
    return strcmp(a->class_name, b->class_name) == 0 &&
           strcmp(a->build_id, b->build_id) == 0 &&
           strcmp(a->instance, b->instance) == 0 &&
           strcmp(a->port_type, b->port_type) == 0 && strcmp(a->method, b->method) == 0;
}

struct sums {
    double weight, squares, noise; /* of all comparisons */
    double weight2;
};

static void compare_runs(const struct mm_profile *a, const struct mm_profile *b,
                         struct sums *sums, size_t *pairs)
{
    for (size_t i = 0; i < a->source.method_count; i++) {
        for (size_t k = 0; k < b->source.method_count; k++) {
            double logarithm, noise, cost;

            if (!a->dual->vertices[i].calls || !b->dual->vertices[k].calls ||
                !same_method(a->source.methods[i], b->source.methods[k]))
                continue;
            cost = mm_runs_ratio(&a->points[i], &b->points[k], &logarithm, &noise);
            if (!(cost > 0))
                continue;
            sums->weight += cost;
            sums->weight2 += cost * cost;
            sums->squares += cost * logarithm * logarithm;
            sums->noise += cost * noise;
            ++*pairs;
        }
    }
}

void mm_runs_fit(struct mm_runs *runs, struct mm_profile *const *profiles, size_t count)
{
    struct sums sums = {0};
    double square;

    *runs = (struct mm_runs){.relative = NAN};
    for (size_t i = 0; i < count; i++)
        for (size_t k = i > NEIGHBOURS ? i - NEIGHBOURS : 0; k < i; k++)
            compare_runs(profiles[k], profiles[i], &sums, &runs->pairs);
    if (!(sums.weight > 0))
        return;
    /* A logarithm is the difference of two runs. */
    square = fmax(sums.squares - sums.noise, LEAST_SHARE * sums.squares) / 2;
    runs->relative = sqrt(square / sums.weight);
    /* Pairs of one run are not independent: of r runs only r - 1 are. */
    runs->freedom = fmax(sums.weight * sums.weight / sums.weight2 * 2 / (double)count, 1);
}

static int number_order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

struct typical {
    double *squares;
    size_t count, room;
};

static void add_typical(struct typical *typical, const struct mm_profile *a,
                        const struct mm_profile *b, const struct mm_method_info *without)
{
    for (size_t i = 0; i < a->source.method_count; i++) {
        const struct mm_method_info *m = a->source.methods[i];

        for (size_t k = 0; k < b->source.method_count; k++) {
            double logarithm, noise;

            if (strcmp(m->class_name, without->class_name) == 0 ||
                !a->dual->vertices[i].calls || !b->dual->vertices[k].calls ||
                !same_method(m, b->source.methods[k]) ||
                !(mm_runs_ratio(&a->points[i], &b->points[k], &logarithm, &noise) > 0))
                continue;
            if (typical->count < typical->room)
                typical->squares[typical->count++] =
                    fmax(logarithm * logarithm - noise, 0);
        }
    }
}

double mm_runs_typical(struct mm_profile *const *profiles, size_t count,
                       const struct mm_method_info *without)
{
    double squares[MOST_COMPARED], median;
    struct typical typical = {squares, 0, MOST_COMPARED};

    for (size_t i = 0; i < count; i++)
        for (size_t k = i > NEIGHBOURS ? i - NEIGHBOURS : 0; k < i; k++)
            add_typical(&typical, profiles[k], profiles[i], without);
    if (!typical.count)
        return NAN;
    qsort(squares, typical.count, sizeof *squares, number_order);
    median = squares[typical.count / 2];
    return sqrt(median / 2) / .6745;
}
