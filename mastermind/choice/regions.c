/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.c: split the calls of a method by their in-values, greedily. */
#include "mastermind/choice/regions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"

/* A point and the value by which it is sorted, its first member. */
struct sorted_point {
    double x;
    size_t point;
};

/* The tree while it is made. */
struct maker {
    struct mm_regions *regions;
    const struct mm_regions_input *input;
    size_t *order; /* [count] points; the points of a node stand side by side */
    struct sorted_point *sorted; /* [count] points of a node, sorted by one value */
    double *left; /* [class_count] costs on one side of a split that is tried */
    /* [class_count] sums of standard errors and costs of a class over the regions in
     * which it takes the place of the best single class; of that class, minus their sums
     * over the same regions */
    double *error, *cost;
    double whole; /* cost of all calls with the best single class */
};

/* A split that is tried. */
struct trial {
    double cost; /* cost of both sides, each with its best class; infinite: no split */
    size_t value;
    int equal;
    double bound;
};

static double cost_of(const struct mm_region_point *point, size_t class_index)
{
    double cost = point->cost[class_index];

    return isfinite(cost) ? cost * point->calls : INFINITY;
}

static double x_of(const struct maker *m, size_t point, size_t value)
{
    return m->input->points[point].x[value];
}

/* --- Nodes ---------------------------------------------------------------- */

/* Add a node with the points order[from] to order[to - 1]. Returns 0 or -ENOMEM. */
static int add_node(struct maker *m, size_t from, size_t to, size_t *index)
{
    struct mm_regions *regions = m->regions;
    struct mm_region *node =
        cca_array_add(&regions->nodes, &regions->count, sizeof *node);

    if (!node || !(node->cost = calloc(regions->class_count, sizeof *node->cost)))
        return -ENOMEM;
    for (size_t i = from; i < to; i++) {
        const struct mm_region_point *point = &m->input->points[m->order[i]];

        node->calls += point->calls;
        for (size_t c = 0; c < regions->class_count; c++)
            node->cost[c] += cost_of(point, c);
    }
    for (size_t c = 1; c < regions->class_count; c++)
        if (node->cost[c] < node->cost[node->best])
            node->best = c;
    *index = regions->count - 1;
    return 0;
}

/* Variance of the difference of two classes' costs over the points of a node. The errors
 * of one model at several points are taken as common. */
static double difference_variance(const struct maker *m, size_t from, size_t to, size_t a,
                                  size_t b)
{
    double error[2] = {0, 0}, cost[2] = {0, 0};
    const size_t classes[2] = {a, b};
    const double run = m->input->run_error;

    for (size_t i = from; i < to && a != b; i++) {
        const struct mm_region_point *point = &m->input->points[m->order[i]];

        for (int k = 0; k < 2; k++) {
            error[k] += point->calls * point->error[classes[k]];
            cost[k] += point->calls * point->cost[classes[k]];
        }
    }
    return error[0] * error[0] + error[1] * error[1] +
           run * run * (cost[0] * cost[0] + cost[1] * cost[1]);
}

/* --- Splits --------------------------------------------------------------- */

static double smallest(const double *costs, size_t count)
{
    double least = INFINITY;

    for (size_t c = 0; c < count; c++)
        least = fmin(least, costs[c]);
    return least;
}

static double smallest_rest(const double *all, const double *part, size_t count)
{
    double least = INFINITY;

    for (size_t c = 0; c < count; c++)
        if (isfinite(all[c]))
            least = fmin(least, all[c] - part[c]);
    return least;
}

/* A short number between two neighbouring values, low <= bound < high. */
static double bound_between(double low, double high, int whole)
{
    double middle = low > 0 ? sqrt(low * high) : .5 * (low + high);

    for (int digits = 1; digits < 17; digits++) {
        char text[40];
        double bound;

        snprintf(text, sizeof text, "%.*g", digits, middle);
        bound = strtod(text, NULL);
        if (whole)
            bound = floor(bound);
        if (bound >= low && bound < high)
            return bound;
    }
    return low;
}

static void sort_points(struct maker *m, size_t from, size_t to, size_t value)
{
    for (size_t i = from; i < to; i++) {
        const double x = x_of(m, m->order[i], value);

        /* conditions do not hold for absent values: these are beyond all bounds */
        m->sorted[i - from] = (struct sorted_point){isnan(x) ? INFINITY : x, m->order[i]};
    }
    qsort(m->sorted, to - from, sizeof *m->sorted, cca_order_double);
}

/* Try all splits of a node by one value. */
static void try_value(struct maker *m, size_t from, size_t to, size_t value,
                      const struct mm_region *node, struct trial *best)
{
    const size_t classes = m->regions->class_count;
    const int mode = m->input->modes[value];

    for (size_t i = from; mode && i < to; i++)
        if (isnan(x_of(m, m->order[i], value)))
            return; /* where calls lack a mode, no condition is made about it */
    sort_points(m, from, to, value);
    memset(m->left, 0, classes * sizeof *m->left);
    for (size_t i = 0; i + !mode < to - from; i++) {
        const struct mm_region_point *point = &m->input->points[m->sorted[i].point];
        const double here = m->sorted[i].x;
        const double next = i + 1 < to - from ? m->sorted[i + 1].x : INFINITY;
        double cost;

        for (size_t c = 0; c < classes; c++)
            m->left[c] += cost_of(point, c);
        if (here == next)
            continue;
        cost = smallest(m->left, classes) + smallest_rest(node->cost, m->left, classes);
        if (cost < best->cost)
            *best = (struct trial){
                cost, value, mode,
                mode ? here : bound_between(here, next, m->input->whole[value])};
        if (mode) /* a category is split off alone */
            memset(m->left, 0, classes * sizeof *m->left);
    }
}

static int holds(const struct maker *m, size_t point, const struct trial *trial)
{
    const double x = x_of(m, point, trial->value);

    return trial->equal ? x == trial->bound : x <= trial->bound;
}

/* Move the points for which the condition holds to the front. Returns the end of
 * these. */
static size_t part(struct maker *m, size_t from, size_t to, const struct trial *trial)
{
    size_t front = from;

    for (size_t i = from; i < to; i++)
        if (holds(m, m->order[i], trial)) {
            size_t point = m->order[front];

            m->order[front++] = m->order[i];
            m->order[i] = point;
        }
    return front;
}

/* Split node `index`, whose points are order[from] to order[to - 1], as long as that
 * gains. Returns 0 or -ENOMEM. */
static int split(struct maker *m, size_t index, size_t from, size_t to, int depth)
{
    struct mm_regions *regions = m->regions;
    struct trial best = {.cost = INFINITY};
    size_t middle, yes, no;
    const size_t was = regions->nodes[index].best;
    double gain, variance;

    for (size_t v = 0; v < m->input->value_count && depth < MM_REGIONS_DEPTH; v++)
        try_value(m, from, to, v, &regions->nodes[index], &best);
    gain = regions->nodes[index].cost[was] - best.cost;
    if (!isfinite(best.cost) || !(gain >= MM_REGIONS_GAIN * m->whole))
        return 0;
    middle = part(m, from, to, &best);
    if (add_node(m, from, middle, &yes) || add_node(m, middle, to, &no))
        return -ENOMEM;
    variance = difference_variance(m, from, middle, was, regions->nodes[yes].best) +
               difference_variance(m, middle, to, was, regions->nodes[no].best);
    if (isfinite(gain) && gain < MM_REGIONS_SIGMAS * sqrt(variance)) {
        free(regions->nodes[--regions->count].cost);
        free(regions->nodes[--regions->count].cost);
        return 0;
    }
    regions->nodes[index].split = 1;
    regions->nodes[index].value = best.value;
    regions->nodes[index].equal = best.equal;
    regions->nodes[index].bound = best.bound;
    regions->nodes[index].yes = yes;
    regions->nodes[index].no = no;
    return split(m, yes, from, middle, depth + 1) || split(m, no, middle, to, depth + 1)
               ? -ENOMEM
               : 0;
}

/* --- Laws ----------------------------------------------------------------- */

/* Sums for the regression of log cost on the logarithm of a value. */
struct moments {
    double n, x, y, xx, xy, yy;
};

/* Fit the law of a class over the points order[from] to order[to - 1] to one value.
 * Returns the share of the variance of log cost that it explains. */
static double fit_law(const struct maker *m, size_t from, size_t to, size_t class_index,
                      size_t value, struct mm_region_law *law)
{
    struct moments s = {0};
    double xx, xy, yy;

    for (size_t i = from; i < to; i++) {
        const struct mm_region_point *point = &m->input->points[m->order[i]];
        const double x = log(x_of(m, m->order[i], value));
        const double y = log(point->cost[class_index]);

        s.n += point->calls;
        s.x += point->calls * x;
        s.y += point->calls * y;
        s.xx += point->calls * x * x;
        s.xy += point->calls * x * y;
        s.yy += point->calls * y * y;
    }
    xx = s.xx - s.x * s.x / s.n;
    xy = s.xy - s.x * s.y / s.n;
    yy = s.yy - s.y * s.y / s.n;
    if (!(xx > 1e-9 * s.n) || !(yy > 1e-9 * s.n)) /* also where a value is not positive */
        return 0;
    law->value = value;
    law->at = exp(s.x / s.n);
    law->power = xy / xx;
    return xy * xy / (xx * yy);
}

/* Find the law of a class in a region: the value that explains most, if that is most of
 * the variance. */
static void find_law(const struct maker *m, size_t from, size_t to, size_t class_index,
                     struct mm_region_law *law)
{
    double calls = 0, cost = 0, error = 0, most = .5;

    *law = (struct mm_region_law){.cost = NAN};
    for (size_t i = from; i < to; i++) {
        const struct mm_region_point *point = &m->input->points[m->order[i]];

        cost += cost_of(point, class_index);
        error += point->calls * point->error[class_index];
    }
    if (!isfinite(cost) || !(cost > 0))
        return;
    for (size_t v = 0; v < m->input->value_count; v++) {
        struct mm_region_law tried;
        const double share =
            m->input->modes[v] ? 0 : fit_law(m, from, to, class_index, v, &tried);

        if (share > most) {
            most = share;
            *law = tried;
        }
    }
    for (size_t i = from; i < to; i++)
        calls +=
            m->input->points[m->order[i]].calls *
            (law->power != 0 ? pow(x_of(m, m->order[i], law->value) / law->at, law->power)
                             : 1);
    law->cost = cost / calls; /* the sum over all calls is the predicted one */
    law->error = hypot(error / cost, m->input->run_error);
}

/* Add up the leaves below a node, whose points are order[from] to order[to - 1]. Returns
 * the end of these. */
static size_t add_leaves(struct maker *m, size_t index, size_t from)
{
    const struct mm_region *node = &m->regions->nodes[index];
    const size_t root = m->regions->nodes[0].best;
    size_t to = from;
    double calls = 0;

    if (node->split)
        return add_leaves(m, node->no, add_leaves(m, node->yes, from));
    m->regions->cost += node->cost[node->best];
    for (; to < m->input->count && calls < node->calls; to++) {
        const struct mm_region_point *point = &m->input->points[m->order[to]];

        calls += point->calls;
        if (node->best == root)
            continue;
        m->error[node->best] += point->calls * point->error[node->best];
        m->cost[node->best] += point->calls * point->cost[node->best];
        m->error[root] -= point->calls * point->error[root];
        m->cost[root] -= point->calls * point->cost[root];
    }
    for (size_t c = 0; node->laws && c < m->regions->class_count; c++)
        find_law(m, from, to, c, &node->laws[c]);
    return to;
}

/* Variance of the gain: the errors of a class, and the differences between its runs, are
 * common to all its regions. */
static double gain_variance(const struct maker *m)
{
    const double run = m->input->run_error;
    double variance = 0;

    for (size_t c = 0; c < m->regions->class_count; c++)
        variance += m->error[c] * m->error[c] + run * run * m->cost[c] * m->cost[c];
    return variance;
}

int mm_regions_make(struct mm_regions *regions, const struct mm_regions_input *input)
{
    struct maker m = {.regions = regions,
                      .input = input,
                      .order = calloc(input->count + 1, sizeof *m.order),
                      .sorted = calloc(input->count + 1, sizeof *m.sorted),
                      .left = calloc(input->class_count + 1, sizeof *m.left),
                      .error = calloc(input->class_count + 1, sizeof *m.error),
                      .cost = calloc(input->class_count + 1, sizeof *m.cost)};
    size_t root;
    int status = m.order && m.sorted && m.left && m.error && m.cost ? 0 : -ENOMEM;

    *regions = (struct mm_regions){.class_count = input->class_count};
    for (size_t i = 0; i < input->count && !status; i++)
        m.order[i] = i;
    if (!status)
        status = add_node(&m, 0, input->count, &root);
    if (!status) {
        m.whole = regions->nodes[0].cost[regions->nodes[0].best];
        status = !input->count || !isfinite(m.whole) ? -ENODATA : 0;
    }
    if (!status)
        status = split(&m, 0, 0, input->count, 0);
    for (size_t i = 0; i < regions->count && !status; i++)
        if (!regions->nodes[i].split &&
            !(regions->nodes[i].laws =
                  calloc(regions->class_count, sizeof *regions->nodes[i].laws)))
            status = -ENOMEM;
    if (!status) {
        add_leaves(&m, 0, 0);
        regions->gain = m.whole - regions->cost;
        regions->gain_error = sqrt(gain_variance(&m));
    }
    free(m.order);
    free(m.sorted);
    free(m.left);
    free(m.error);
    free(m.cost);
    return status;
}

void mm_regions_done(struct mm_regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        free(regions->nodes[i].cost);
        free(regions->nodes[i].laws);
    }
    free(regions->nodes);
    *regions = (struct mm_regions){0};
}
