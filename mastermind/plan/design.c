/* SPDX-License-Identifier: BSD-3-Clause */
/* design.c: choose the points of a plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/plan/parts.h"

/* Number of random candidates from which each point of the crossings (plan.h) is chosen:
 * FEW_TRIES from MANY points on. */
enum { TRIES = 30, FEW_TRIES = 2, MANY = 500 };

/* --- Covered values and pairs ---------------------------------------------------------
 */

int mm_plan_is_coarse(const struct mm_plan_axis *axis, size_t value)
{
    return !axis->numbers || value == 0 || value + 1 == axis->count ||
           value == (axis->count - 1) / 2;
}

static unsigned char *pair_of(const struct mm_cover *cover, size_t a, size_t value_a,
                              size_t b, size_t value_b)
{
    size_t all = cover->first[cover->plan->axis_count];

    return &cover->pairs[(cover->first[a] + value_a) * all + cover->first[b] + value_b];
}

static size_t coarse_count(const struct mm_plan_axis *axis)
{
    return axis->numbers && axis->count > 3 ? 3 : axis->count;
}

int mm_cover_init(struct mm_cover *cover, const struct mm_plan *plan)
{
    size_t all = 0;

    *cover = (struct mm_cover){.plan = plan};
    for (size_t i = 0; i < plan->axis_count; i++) {
        cover->first[i] = all;
        all += plan->axes[i].count;
        for (size_t k = 0; k < i; k++)
            cover->pairs_left +=
                coarse_count(&plan->axes[i]) * coarse_count(&plan->axes[k]);
    }
    cover->first[plan->axis_count] = all;
    cover->values = calloc(all + 1, 1);
    cover->pairs = calloc(all + 1, all + 1);
    return cover->values && cover->pairs ? 0 : -ENOMEM;
}

void mm_cover_done(struct mm_cover *cover)
{
    free(cover->values);
    free(cover->pairs);
}

void mm_cover_point(struct mm_cover *cover, const size_t *point)
{
    const struct mm_plan *plan = cover->plan;

    for (size_t a = 0; a < plan->axis_count; a++) {
        cover->values[cover->first[a] + point[a]] = 1;
        for (size_t b = 0; b < a && mm_plan_is_coarse(&plan->axes[a], point[a]); b++) {
            unsigned char *pair = pair_of(cover, a, point[a], b, point[b]);

            if (!mm_plan_is_coarse(&plan->axes[b], point[b]) || *pair)
                continue;
            *pair = 1;
            cover->pairs_left--;
        }
    }
}

size_t mm_cover_new_values(const struct mm_cover *cover, const size_t *point)
{
    size_t found = 0;

    for (size_t a = 0; a < cover->plan->axis_count; a++)
        found += !cover->values[cover->first[a] + point[a]];
    return found;
}

/* Return how many pairs of a point's value on one axis with its values on the axes
 * `others` are new. */
static size_t new_pairs_with(const struct mm_cover *cover, size_t a, const size_t *point,
                             const size_t *others, size_t count)
{
    const struct mm_plan *plan = cover->plan;
    size_t found = 0;

    if (!mm_plan_is_coarse(&plan->axes[a], point[a]))
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t b = others[i], high = a > b ? a : b, low = a > b ? b : a;

        found += mm_plan_is_coarse(&plan->axes[b], point[b]) &&
                 !*pair_of(cover, high, point[high], low, point[low]);
    }
    return found;
}

size_t mm_cover_new_pairs(const struct mm_cover *cover, const size_t *point)
{
    size_t found = 0, others[MM_PLAN_AXES];

    for (size_t a = 0; a < cover->plan->axis_count; a++) {
        found += new_pairs_with(cover, a, point, others, a);
        others[a] = a;
    }
    return found;
}

double mm_point_distance(const struct mm_plan *plan, const size_t *a, const size_t *b)
{
    double sum = 0;

    for (size_t i = 0; i < plan->axis_count; i++) {
        double step = a[i] > b[i] ? (double)(a[i] - b[i]) : (double)(b[i] - a[i]);

        sum += plan->axes[i].numbers && step > 0
                   ? step / (double)(plan->axes[i].count - 1)
                   : step > 0;
    }
    return sum;
}

/* --- The full grid --------------------------------------------------------------------
 */

static int refuse_points(struct cca_error *err)
{
    return cca_error_set(err, -E2BIG, "found more than %d points, expected at most these",
                         MM_PLAN_POINTS);
}

/* Add a point (a value on each axis) to a plan. Returns 0, -E2BIG or -ENOMEM. */
static int add_point(struct mm_plan *plan, const size_t *point, struct cca_error *err)
{
    size_t size = plan->axis_count * sizeof *plan->values, at = plan->point_count;
    size_t *values;

    if (at >= MM_PLAN_POINTS)
        return refuse_points(err);
    values = realloc(plan->values, (at + 1) * size + 1);
    if (!values)
        return cca_no_memory(err);
    plan->values = values;
    memcpy(&values[at * plan->axis_count], point, size);
    plan->point_count++;
    return 0;
}

int mm_plan_set_grid(struct mm_plan *plan, struct cca_error *err)
{
    size_t point[MM_PLAN_AXES] = {0}, axis;

    if (plan->grid_points > MM_PLAN_POINTS)
        return refuse_points(err);
    do {
        int result = add_point(plan, point, err);

        if (result)
            return result;
        axis = plan->axis_count;
        while (axis > 0 && ++point[axis - 1] == plan->axes[axis - 1].count)
            point[--axis] = 0;
    } while (axis > 0);
    return 0;
}

/* --- The design -----------------------------------------------------------------------
 */

static size_t base_value(const struct mm_plan_axis *axis)
{
    return axis->numbers ? (axis->count - 1) / 2 : 0;
}

/* Add the base point and, for each axis, the points that differ from it in this axis
 * alone. */
static int add_main_lines(struct mm_plan *plan, struct mm_cover *cover,
                          struct cca_error *err)
{
    size_t point[MM_PLAN_AXES];
    int result;

    for (size_t a = 0; a < plan->axis_count; a++)
        point[a] = base_value(&plan->axes[a]);
    result = add_point(plan, point, err);
    mm_cover_point(cover, point);
    for (size_t a = 0; a < plan->axis_count && !result; a++) {
        size_t base = point[a];

        for (size_t value = 0; value < plan->axes[a].count && !result; value++) {
            point[a] = value;
            if (value == base)
                continue;
            result = add_point(plan, point, err);
            mm_cover_point(cover, point);
        }
        point[a] = base;
    }
    plan->main_points = plan->point_count;
    return result;
}

/* Choose at random a pair of values that no point has yet; there must be one. */
static void choose_pair(const struct mm_cover *cover, uint64_t *random, size_t axes[2],
                        size_t *point)
{
    const struct mm_plan *plan = cover->plan;
    size_t left = mm_random_below(random, cover->pairs_left);

    for (size_t a = 0; a < plan->axis_count; a++)
        for (size_t va = 0; va < plan->axes[a].count; va++)
            for (size_t b = 0; b < a && mm_plan_is_coarse(&plan->axes[a], va); b++)
                for (size_t vb = 0; vb < plan->axes[b].count; vb++) {
                    if (!mm_plan_is_coarse(&plan->axes[b], vb) ||
                        *pair_of(cover, a, va, b, vb) || left--)
                        continue;
                    axes[0] = a;
                    axes[1] = b;
                    point[a] = va;
                    point[b] = vb;
                    return;
                }
}

/* Choose the value of an axis that makes the most new pairs with the axes that have a
 * value already; equal values are chosen at random. */
static void choose_value(const struct mm_cover *cover, uint64_t *random, size_t axis,
                         const size_t *set, size_t set_count, size_t *point)
{
    const struct mm_plan_axis *a = &cover->plan->axes[axis];
    size_t best = 0, best_count = 0, equal = 0;

    for (size_t value = 0; value < a->count; value++) {
        size_t count;

        if (!mm_plan_is_coarse(a, value))
            continue;
        point[axis] = value;
        count = new_pairs_with(cover, axis, point, set, set_count);
        if (!equal || count > best_count) {
            best = value;
            best_count = count;
            equal = 1;
        } else if (count == best_count && mm_random_below(random, ++equal) == 0) {
            best = value;
        }
    }
    point[axis] = best;
}

static void make_candidate(const struct mm_cover *cover, uint64_t *random, size_t *point)
{
    size_t count = cover->plan->axis_count, axes[2] = {0, 0}, order[MM_PLAN_AXES],
           set = 2;

    choose_pair(cover, random, axes, point);
    order[0] = axes[0];
    order[1] = axes[1];
    for (size_t a = 0; a < count; a++)
        if (a != axes[0] && a != axes[1])
            order[set++] = a;
    mm_random_shuffle(random, order + 2, count - 2);
    for (size_t i = 2; i < count; i++)
        choose_value(cover, random, order[i], order, i, point);
}

static double nearest_distance(const struct mm_plan *plan, const size_t *point)
{
    double nearest = INFINITY;

    for (size_t i = 0; i < plan->point_count; i++)
        nearest = fmin(
            nearest, mm_point_distance(plan, point, &plan->values[i * plan->axis_count]));
    return nearest;
}

static int add_crossing(struct mm_plan *plan, struct mm_cover *cover, uint64_t *random,
                        struct cca_error *err)
{
    size_t best[MM_PLAN_AXES] = {0}, best_pairs = 0;
    double best_distance = 0;
    int result, tries = plan->point_count > MANY ? FEW_TRIES : TRIES;

    for (int i = 0; i < tries; i++) {
        size_t point[MM_PLAN_AXES], pairs;
        double distance;

        make_candidate(cover, random, point);
        pairs = mm_cover_new_pairs(cover, point);
        if (pairs < best_pairs)
            continue;
        distance = nearest_distance(plan, point);
        if (pairs == best_pairs && distance <= best_distance)
            continue;
        memcpy(best, point, sizeof best);
        best_pairs = pairs;
        best_distance = distance;
    }
    result = add_point(plan, best, err);
    mm_cover_point(cover, best);
    return result;
}

int mm_plan_set_design(struct mm_plan *plan, uint64_t *random, struct cca_error *err)
{
    struct mm_cover cover;
    int result = mm_cover_init(&cover, plan);

    if (result)
        cca_no_memory(err);
    else
        result = add_main_lines(plan, &cover, err);
    while (!result && cover.pairs_left)
        result = add_crossing(plan, &cover, random, err);
    mm_cover_done(&cover);
    return result;
}
