/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c: the spread between runs, from calls that several runs share. */
#include "mastermind/counts/profile/runs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sort.h"
#include "common/array.h"
#include "common/statistics.h"

/* least share of a measured spread that remains after subtracting the scatter of calls */
#define LEAST_SHARE .25
#define ONCE .25 /* assumed relative error of the cost of a method with a single call */
#define NEIGHBOURS 8 /* number of earlier runs that each run is compared with */
#define MOST_COMPARED 512
/* Prior spread of equal runs. 144 runs of shock-demo, twelve of each of four sizes in
 * three rounds on a shared host, differed by 1.4 to 10 % of their CPU time, half of these
 * groups by less than 3 %; the two rounds in which the host took a third of the wall time
 * differed no more than the other. */
#define PRIOR_SD .04
#define PRIOR_FREEDOM 3.
#define MOST_OF_PARTS .06  /* parts of short runs differ more than whole runs do */
#define LEAST_COMPARED .05 /* share of the shorter run that represents the whole */

/* The cost of a call less the time that the host may have taken (an upper bound). */
static double own_ns(const struct mm_call *call)
{
    return call->lost_ns > 0 && !call->waited ? fmax(call->ns - (double)call->lost_ns, 0)
                                              : call->ns;
}

double mm_point_own_ns(const struct mm_point *point)
{
    double lost = point->n ? point->lost_ns / (double)point->n : 0;

    return fmax(point->mean_ns - lost, fmin(point->min_ns, point->mean_ns));
}

double mm_point_own_variance(const struct mm_point *point)
{
    const struct mm_sample *sample = &point->sample;
    double weight = 0, sum = 0, squares = 0,
           whole = point->m2_ns2 / (double)(point->n - 1);

    for (uint32_t i = 0; i < mm_sample_count(sample) && point->lost_ns > 0; i++) {
        const struct mm_call *call = &sample->call[i];
        double w = mm_sample_weight(sample, i), ns = own_ns(call);

        weight += w;
        sum += w * ns;
        squares += w * ns * ns;
    }
    if (weight < 2)
        return whole;
    return fmin(fmax(squares - sum * sum / weight, 0) / (weight - 1), whole);
}

static const struct mm_point *same_point(const struct mm_points *points,
                                         const union monitor_value *in, size_t guess)
{
    size_t bytes = points->method->in_count * sizeof *in;

    if (guess < points->count && memcmp(points->points[guess].in, in, bytes) == 0)
        return &points->points[guess];
    return mm_points_find(points, in);
}

/* Variance of the mean cost of a point (calls with equal in-values); uses `cv2` if the
 * point has no spread of its own. */
static double mean_variance(const struct mm_point *point, double cv2)
{
    double n = (double)point->n;

    if (point->n < 2 || point->sums_only)
        return cv2 * point->mean_ns * point->mean_ns / n;
    return mm_point_own_variance(point) / n;
}

int mm_has_parameter(const struct mm_method_info *method)
{
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM)
            return 1;
    return 0;
}

double mm_runs_ratio(const struct mm_points *a, const struct mm_points *b, uint64_t least,
                     double *logarithm, double *noise)
{
    double cost_a = 0, cost_b = 0, variance_a = 0, variance_b = 0, calls = 0;
    double cv2_a = mm_points_cv2(a, ONCE * ONCE), cv2_b = mm_points_cv2(b, ONCE * ONCE);

    *logarithm = *noise = 0;
    if (!mm_same_in_values(a->method, b->method))
        return 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct mm_point *p = &a->points[i];
        const struct mm_point *q = p->n >= least ? same_point(b, p->in, i) : NULL;
        double w;

        if (!q || q->n < least)
            continue;
        w = (double)(p->n < q->n ? p->n : q->n);
        calls += w;
        cost_a += w * mm_point_own_ns(p);
        cost_b += w * mm_point_own_ns(q);
        variance_a += w * w * mean_variance(p, cv2_a);
        variance_b += w * w * mean_variance(q, cv2_b);
    }
    if (!(cost_a > 0) || !(cost_b > 0) || (least > 1 && calls < MM_ENOUGH_TO_COMPARE))
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

/* True if two methods made equally many calls per invocation; if not, their own times
 * differ as well. */
static int same_calls(const struct mm_vertex *a, const struct mm_vertex *b)
{
    double x = (double)a->subrs / (double)a->calls,
           y = (double)b->subrs / (double)b->calls;

    return fabs(x - y) <= .005 * fmax(x, y);
}

/* True if calls with equal in-values do equal work: they have a parameter, or the runs
 * have equal parameters. */
static int same_work(const struct mm_profile *a, const struct mm_profile *b,
                     const struct mm_method_info *method)
{
    if (mm_has_parameter(method))
        return 1;
    if (!a->wiring || !b->wiring)
        return a->wiring == b->wiring;
    return !mm_wiring_compare(a->wiring, b->wiring, NULL, NULL).differs;
}

/* Sums over the methods that two runs share. */
struct pair {
    double cost, squares,
        noise; /* `cost`: cost of the compared calls; `squares`, `noise`: sums, weighted
                  by cost, of the squared log cost differences and of their variances */
    /* sums of the log cost differences, weighted by cost, and of their variances,
     * weighted by the cost squared */
    double difference, variance;
};

static struct pair compare_runs(const struct mm_profile *a, const struct mm_profile *b)
{
    struct pair pair = {0, 0, 0, 0, 0};

    for (size_t i = 0; i < a->source.method_count; i++) {
        for (size_t k = 0; k < b->source.method_count; k++) {
            double logarithm, noise, cost;

            if (!a->dual->vertices[i].calls || !b->dual->vertices[k].calls ||
                !same_method(a->source.methods[i], b->source.methods[k]) ||
                !same_calls(&a->dual->vertices[i], &b->dual->vertices[k]) ||
                !same_work(a, b, a->source.methods[i]))
                continue;
            cost = mm_runs_ratio(&a->points[i], &b->points[k], MM_FEW_TO_COMPARE,
                                 &logarithm, &noise);
            pair.cost += cost;
            pair.squares += cost * logarithm * logarithm;
            pair.noise += cost * noise;
            pair.difference += cost * logarithm;
            pair.variance += cost * cost * noise;
        }
    }
    return pair;
}

/* --- Parts of a run ------------------------------------------------------------ */

#define PARTS 8       /* parts of a run, with equally many calls of each method */
#define LEAST_PARTS 4 /* least number of parts of a run that have calls */
#define LEAST_CALLS                                                                      \
    8 /* least number of calls of a size that is compared between parts                  \
       */
/* factor between the median and costs of another population */
#define FAR_FROM_MIDDLE 3.

struct part {
    double cost, usual, variance; /* `cost`: cost of the part's calls; `usual`: cost of as
                                     many calls at the run's mean */
};

/* The highest serial number of a call; it stands for the end of the run, because rows of
 * metrics other than time have no start. */
static double last_number(const struct mm_points *points)
{
    uint32_t last = 0;

    for (size_t k = 0; k < points->count; k++) {
        const struct mm_sample *sample = &points->points[k].sample;

        for (uint32_t i = 0; i < mm_sample_count(sample); i++)
            if (sample->call[i].number > last)
                last = sample->call[i].number;
    }
    return last;
}

static int part_of(double last, const struct mm_call *call)
{
    return (int)((double)(call->number - 1) / last * PARTS);
}

/* Median cost of the calls of a size. */
static double middle_of(const struct mm_sample *sample)
{
    double values[MM_SAMPLE_TOP + MM_SAMPLE_REST];
    uint32_t count = mm_sample_count(sample);

    for (uint32_t i = 0; i < count; i++)
        values[i] = own_ns(&sample->call[i]);
    return count ? cca_median(values, count) : 0;
}

/* True for a usual cost. Rare high costs belong to the method and occur by chance; the
 * relative speed of a run shows in the other calls. */
static int is_usual(const struct mm_call *call, double middle)
{
    double ns = own_ns(call);

    return call->number && ns <= FAR_FROM_MIDDLE * middle &&
           ns * FAR_FROM_MIDDLE >= middle;
}

/* Add the typical calls of a size that was called throughout the run to the parts. */
static void add_point(struct part *parts, double last, const struct mm_point *point)
{
    const struct mm_sample *sample = &point->sample;
    double cost = 0, weight = 0, squares = 0, middle, mean, variance;
    unsigned seen = 0;

    if (point->n < LEAST_CALLS || point->sums_only)
        return;
    middle = middle_of(sample);
    for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
        double w = mm_sample_weight(sample, i), ns = own_ns(&sample->call[i]);

        if (!is_usual(&sample->call[i], middle))
            continue;
        seen |= 1u << part_of(last, &sample->call[i]);
        cost += w * ns;
        squares += w * ns * ns;
        weight += w;
    }
    if (__builtin_popcount(seen) < LEAST_PARTS || !(cost > 0))
        return;
    mean = cost / weight;
    variance = fmax(squares / weight - mean * mean, 0);
    for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
        struct part *part;
        double w = mm_sample_weight(sample, i);

        if (!is_usual(&sample->call[i], middle))
            continue;
        part = &parts[part_of(last, &sample->call[i])];
        part->cost += w * own_ns(&sample->call[i]);
        part->usual += w * mean;
        part->variance += w * w * variance;
    }
}

/* Relative sd of the cost of equal calls over the parts of a run, less the scatter of
 * single calls; `*freedom` gets its degrees of freedom. NaN: unknown, as without rows, or
 * if each size was called in one part only. */
static double fit_run(const struct mm_profile *profile, double *freedom)
{
    struct part parts[PARTS] = {{0, 0, 0}};
    double squares = 0, noise = 0, weight = 0, used = 0;

    *freedom = 0;
    for (size_t i = 0; i < profile->source.method_count; i++) {
        double last = last_number(&profile->points[i]);

        for (size_t k = 0; k < profile->points[i].count; k++)
            add_point(parts, last, &profile->points[i].points[k]);
    }
    for (int i = 0; i < PARTS; i++) {
        double apart;

        if (!(parts[i].usual > 0))
            continue;
        apart = parts[i].cost / parts[i].usual - 1;
        squares += parts[i].usual * apart * apart;
        noise += parts[i].variance / parts[i].usual;
        weight += parts[i].usual;
        used++;
    }
    if (used < LEAST_PARTS)
        return NAN;
    *freedom = used - 1;
    return sqrt(fmax(squares - noise, LEAST_SHARE * squares) / weight * used /
                (used - 1));
}

/* The sd between parts of runs, pooled over the runs. Returns 0 if no run can show it. */
static double parts_sd(struct mm_profile *const *profiles, size_t count)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < count; i++) {
        double own, relative = fit_run(profiles[i], &own);

        if (isnan(relative))
            continue;
        squares += own * relative * relative;
        freedom += own;
    }
    return freedom > 0 ? fmin(sqrt(squares / freedom), MOST_OF_PARTS) : 0;
}

/* --- Prior and sample ---------------------------------------------------------- */

static struct mm_run_sd mm_runs_prior(struct mm_profile *const *profiles, size_t count)
{
    return (struct mm_run_sd){hypot(PRIOR_SD, parts_sd(profiles, count)), PRIOR_FREEDOM};
}

struct mm_run_sd mm_run_sd_combine(struct mm_run_sd prior, double sd, double freedom)
{
    double squares = prior.freedom * prior.sd * prior.sd;

    if (!(freedom > 0) || !isfinite(sd))
        return prior;
    prior.freedom += freedom;
    prior.sd = sqrt((squares + freedom * sd * sd) / prior.freedom);
    return prior;
}

double mm_run_sd_half(struct mm_run_sd spread, double runs, double level)
{
    return spread.sd * sqrt(1 + 1 / runs) *
           cca_student_quantile(.5 + level / 2, spread.freedom);
}

/* --- Pairs of runs ------------------------------------------------------------- */

/* Pairs of runs, one with each of two sets of classes. */
struct pairs {
    size_t a, b; /* indexes of the first runs with these sets of classes */
    size_t count;
    double sum, squares, noise; /* sums of the logarithms of cost ratios, their squares
                                   and their noise */
};

struct pairs_list {
    struct pairs *items;
    size_t count;
};

/* True if each instance that both runs called has the same class in both. */
static int same_classes(const struct mm_profile *a, const struct mm_profile *b)
{
    for (size_t i = 0; i < a->source.method_count; i++)
        for (size_t k = 0; k < b->source.method_count && a->dual->vertices[i].calls; k++)
            if (b->dual->vertices[k].calls &&
                strcmp(a->source.methods[i]->instance, b->source.methods[k]->instance) ==
                    0 &&
                strcmp(a->source.methods[i]->class_name,
                       b->source.methods[k]->class_name) != 0)
                return 0;
    return 1;
}

/* The first run with the classes of run `i`. */
static size_t first_with_classes(struct mm_profile *const *profiles, size_t i)
{
    size_t k = 0;

    while (k < i && !same_classes(profiles[k], profiles[i]))
        k++;
    return k;
}

/* Add a pair of runs with different classes: the classes' effect on each other's cost is
 * common to all such pairs. Returns 0 or -ENOMEM. */
static int add_pair(struct pairs_list *list, size_t a, size_t b, const struct pair *pair)
{
    double logarithm = pair->difference / pair->cost;
    struct pairs *pairs;
    size_t i = 0;

    while (i < list->count && (list->items[i].a != a || list->items[i].b != b))
        i++;
    if (i == list->count && !cca_array_add(&list->items, &list->count, sizeof *pairs))
        return -ENOMEM;
    pairs = &list->items[i];
    pairs->a = a;
    pairs->b = b;
    pairs->count++;
    pairs->sum += logarithm;
    pairs->squares += logarithm * logarithm;
    pairs->noise += pair->variance / (pair->cost * pair->cost);
    return 0;
}

int mm_runs_fit(struct mm_runs *runs, struct mm_profile *const *profiles, size_t count)
{
    struct pairs_list list = {NULL, 0};
    double squares = 0, noise = 0;
    int result = 0;

    *runs = (struct mm_runs){.sample_sd = NAN};
    for (size_t i = 0; i < count && !result; i++) {
        size_t with = 0, classes = first_with_classes(profiles, i);

        for (size_t k = i > NEIGHBOURS ? i - NEIGHBOURS : 0; k < i && !result; k++) {
            struct pair pair = compare_runs(profiles[k], profiles[i]);
            double least = fmin((double)profiles[k]->dual->total_ns,
                                (double)profiles[i]->dual->total_ns);
            size_t others = first_with_classes(profiles, k);

            if (!(pair.cost > LEAST_COMPARED * least))
                continue;
            if (others != classes) {
                result = add_pair(&list, others, classes, &pair);
                continue;
            }
            squares += pair.squares / pair.cost;
            noise += pair.noise / pair.cost;
            runs->pairs++;
            with = 1;
        }
        /* of the pairs of a run, only one is independent: count one degree of freedom */
        runs->sample_freedom += (double)with;
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct pairs *p = &list.items[i];
        double n = (double)p->count;

        if (p->count < 2)
            continue;
        squares += fmax(p->squares - p->sum * p->sum / n, 0) * n / (n - 1);
        noise += p->noise;
        runs->pairs += p->count;
        runs->sample_freedom +=
            (n - 1) / 2; /* each run is in pairs of several sets of classes: count half of
                            the degrees of freedom */
    }
    free(list.items);
    /* A logarithm is the difference between two runs, with twice the variance. */
    if (runs->pairs)
        runs->sample_sd =
            sqrt(fmax(squares - noise, LEAST_SHARE * squares) / 2 / (double)runs->pairs);
    runs->prior = mm_runs_prior(profiles, count);
    runs->all = mm_run_sd_combine(runs->prior, runs->sample_sd, runs->sample_freedom);
    return result;
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
                !same_calls(&a->dual->vertices[i], &b->dual->vertices[k]) ||
                !same_work(a, b, m) ||
                !(mm_runs_ratio(&a->points[i], &b->points[k], MM_FEW_TO_COMPARE,
                                &logarithm, &noise) > 0))
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
    qsort(squares, typical.count, sizeof *squares, cca_order_double);
    median = squares[typical.count / 2];
    return CCA_NORMAL_SCALE * sqrt(median / 2);
}
