/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_problem.c: answers are those of brute force and of dynamic programs. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/choice/exact/answer.h"
#include "tests/lib/mm_rows.h"

enum { SLOTS = 6, CLASSES = 4, PAIRS = 12, QUALITIES = 3, MOST = 4096 };

/* A problem as this test knows it. */
struct truth {
    int slots, classes[SLOTS], offered[SLOTS][CLASSES];
    double cost[SLOTS][CLASSES];
    int pairs, ends[PAIRS][2];
    double pair_cost[PAIRS][CLASSES][CLASSES];
    int qualities, stated[QUALITIES][SLOTS][CLASSES], bounded[QUALITIES];
    enum mm_composition rule[QUALITIES];
    double value[QUALITIES][SLOTS][CLASSES], low[QUALITIES], high[QUALITIES];
};

/* An assignment of it. */
struct tried {
    size_t classes[SLOTS];
    double cost, value;
};

static struct tried all[MOST];
static size_t all_count;

static int below(int n)
{
    return (int)(rows_random() * n);
}

/* Small whole numbers, which tie; multiples of 1/8; any numbers; wide ranges. */
static double random_number(int style)
{
    switch (style) {
    case 0:
        return below(5) - 1;
    case 1:
        return floor(rows_random() * 1000 - 300) / 8;
    case 2:
        return rows_random() - .3;
    default:
        return exp(12 * rows_random() - 4) * (below(4) ? 1 : -1);
    }
}

static double composed(const struct truth *t, int q, const size_t *classes)
{
    double value = NAN;

    for (int i = 0; i < t->slots; i++) {
        int stated = 0;
        double own = t->value[q][i][classes[i]];

        for (int k = 0; k < t->classes[i]; k++)
            stated |= t->stated[q][i][k];
        if (!stated)
            continue;
        if (!t->stated[q][i][classes[i]])
            return NAN;
        if (isnan(value))
            value = own;
        else if (t->rule[q] == MM_COMPOSITION_SUM)
            value += own;
        else if (t->rule[q] == MM_COMPOSITION_PRODUCT)
            value *= own;
        else if (t->rule[q] == MM_COMPOSITION_MAX)
            value = own > value ? own : value;
        else
            value = own < value ? own : value;
    }
    return value;
}

static void make_quality(struct truth *t, int q, int style)
{
    size_t some[SLOTS];
    double middle;

    t->rule[q] = (enum mm_composition)below(4);
    for (int i = 0; i < t->slots; i++) {
        int states = below(8) > 0;

        for (int k = 0; k < t->classes[i]; k++) {
            t->stated[q][i][k] = states && below(12) > 0;
            t->value[q][i][k] =
                style == 3 ? exp(3 * rows_random() - 1.5) : random_number(style);
        }
        some[i] = (size_t)below(t->classes[i]);
    }
    t->low[q] = -INFINITY;
    t->high[q] = INFINITY;
    t->bounded[q] = below(4) > 0;
    if (!t->bounded[q])
        return;
    middle = composed(t, q, some);
    middle = isnan(middle) ? 1 : middle;
    switch (below(5)) {
    case 0:
        t->low[q] = t->high[q] = middle;
        break;
    case 1:
        t->low[q] = middle;
        break;
    case 2:
        t->low[q] = middle - fabs(middle) * .3;
        t->high[q] = middle + .5;
        break;
    default:
        t->high[q] = middle;
        break;
    }
}

static void make_truth(struct truth *t, uint64_t seed)
{
    int style;

    rows_seed = seed;
    *t = (struct truth){.slots = 1 + below(SLOTS)};
    style = below(4);
    for (int i = 0; i < t->slots; i++) {
        int sure;

        t->classes[i] = 1 + below(CLASSES);
        sure = below(t->classes[i]);
        for (int k = 0; k < t->classes[i]; k++) {
            t->offered[i][k] = k == sure || below(10) > 0;
            t->cost[i][k] = random_number(style);
        }
    }
    t->pairs = t->slots > 1 ? below(PAIRS + 1) : 0;
    for (int c = 0; c < t->pairs; c++) {
        t->ends[c][0] = below(t->slots);
        do
            t->ends[c][1] = below(t->slots);
        while (t->ends[c][1] == t->ends[c][0]);
        for (int i = 0; i < CLASSES; i++)
            for (int k = 0; k < CLASSES; k++)
                t->pair_cost[c][i][k] = random_number(style);
    }
    t->qualities = 1 + below(QUALITIES);
    style = below(4);
    for (int q = 0; q < t->qualities; q++)
        make_quality(t, q, style);
}

static struct mm_problem *make_problem(const struct truth *t)
{
    struct mm_problem *p = mm_problem_new();

    assert_non_null(p);
    for (int i = 0; i < t->slots; i++) {
        assert_int_equal(mm_problem_add_slot(p, "slot", NULL), i);
        for (int k = 0; k < t->classes[i]; k++)
            assert_int_equal(
                t->offered[i][k]
                    ? mm_problem_add_class(p, (size_t)i, "class", t->cost[i][k], NULL)
                    : mm_problem_add_missing(p, (size_t)i, "class", NULL),
                k);
    }
    for (int c = 0; c < t->pairs; c++) {
        int a = t->ends[c][0], b = t->ends[c][1];
        double costs[CLASSES * CLASSES];

        for (int i = 0; i < t->classes[a]; i++)
            for (int k = 0; k < t->classes[b]; k++)
                costs[i * t->classes[b] + k] =
                    t->offered[a][i] && t->offered[b][k] ? t->pair_cost[c][i][k] : NAN;
        assert_int_equal(mm_problem_couple(p, (size_t)a, (size_t)b, costs, NULL), 0);
    }
    for (int q = 0; q < t->qualities; q++) {
        assert_int_equal(mm_problem_add_quality(p, "quality", t->rule[q], NULL), q);
        for (int i = 0; i < t->slots; i++)
            for (int k = 0; k < t->classes[i]; k++)
                if (t->stated[q][i][k])
                    assert_int_equal(mm_problem_set_value(p, (size_t)q, (size_t)i,
                                                          (size_t)k, t->value[q][i][k],
                                                          NULL),
                                     0);
        if (t->bounded[q])
            assert_int_equal(mm_problem_bound(p, (size_t)q, t->low[q], t->high[q], NULL),
                             0);
    }
    return p;
}

static double cost_of(const struct truth *t, const size_t *classes)
{
    double cost = 0;

    for (int i = 0; i < t->slots; i++)
        cost += t->cost[i][classes[i]];
    for (int c = 0; c < t->pairs; c++)
        cost += t->pair_cost[c][classes[t->ends[c][0]]][classes[t->ends[c][1]]];
    return cost;
}

static int is_allowed(const struct truth *t, const size_t *classes)
{
    for (int i = 0; i < t->slots; i++)
        if (!t->offered[i][classes[i]])
            return 0;
    for (int q = 0; q < t->qualities; q++) {
        double value = composed(t, q, classes);

        if (t->bounded[q] && !(value >= t->low[q] && value <= t->high[q]))
            return 0;
    }
    return 1;
}

static int by_cost(const void *left, const void *right)
{
    const struct tried *a = left, *b = right;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* All assignments that are allowed, by cost, with the value of quality 0, or its negative
 * with `greater`. */
static void try_all(const struct truth *t, int greater)
{
    size_t classes[SLOTS] = {0};
    int i = 0;

    for (all_count = 0; i < t->slots;) {
        if (is_allowed(t, classes)) {
            struct tried *one = &all[all_count++];

            memcpy(one->classes, classes, sizeof classes);
            one->cost = cost_of(t, classes);
            one->value = composed(t, 0, classes) * (greater ? -1 : 1);
        }
        for (i = 0; i < t->slots && ++classes[i] == (size_t)t->classes[i]; i++)
            classes[i] = 0;
    }
    qsort(all, all_count, sizeof *all, by_cost);
}

/* How far sums may differ by their order. */
static double tolerance(const struct truth *t)
{
    double most = 0;

    for (int i = 0; i < t->slots; i++)
        for (int k = 0; k < t->classes[i]; k++)
            most = fmax(most, fabs(t->cost[i][k]));
    for (int c = 0; c < t->pairs; c++)
        for (int i = 0; i < CLASSES * CLASSES; i++)
            most = fmax(most, fabs(t->pair_cost[c][i / CLASSES][i % CLASSES]));
    return 1e-14 * most * (t->slots + t->pairs);
}

static void check_items(const struct truth *t, const struct mm_answer *a)
{
    assert_true(a->proven);
    for (size_t i = 0; i < a->count; i++) {
        assert_true(is_allowed(t, a->items[i].classes));
        assert_true(fabs(a->items[i].cost - cost_of(t, a->items[i].classes)) <=
                    tolerance(t));
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(a->items[i].classes, a->items[k].classes,
                                    (size_t)t->slots * sizeof(size_t));
    }
    if (a->count)
        assert_true(a->lower <= a->items[0].cost);
    else
        assert_true(a->lower == INFINITY);
}

/* The answer's costs are the first ones of all. */
static void check_costs(const struct truth *t, const struct mm_answer *a, size_t count)
{
    assert_int_equal(a->count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(a->items[i].cost - all[i].cost) <= tolerance(t));
    check_items(t, a);
}

static void check_best(const struct truth *t, const struct mm_problem *p)
{
    struct mm_answer_limits limits = {1 + (size_t)below(9), 0};
    struct mm_answer *a = mm_answer_best(p, &limits, NULL);

    assert_non_null(a);
    check_costs(t, a, all_count < limits.most ? all_count : limits.most);
    assert_false(a->more);
    mm_answer_free(a);
}

static void check_within(const struct truth *t, const struct mm_problem *p)
{
    static const double factors[] = {1, 1.2, 1.5, 3};
    double factor = factors[below(4)], limit;
    struct mm_answer_limits limits = {below(3) ? MOST : 3, 0};
    struct mm_answer *a = mm_answer_within(p, factor, &limits, NULL);
    size_t count = 0, sure = 0;

    assert_non_null(a);
    limit = all_count ? all[0].cost * (all[0].cost < 0 ? 2 - factor : factor) : 0;
    while (count < all_count && all[count].cost <= limit + tolerance(t))
        sure += all[count++].cost < limit - tolerance(t);
    if (sure < count && !a->more && a->count >= sure && a->count < count)
        count = a->count; /* at the limit, but for the order of additions */
    assert_int_equal(a->more, count > limits.most);
    check_costs(t, a, count < limits.most ? count : limits.most);
    mm_answer_free(a);
}

static void check_front(const struct truth *t, const struct mm_problem *p, int greater)
{
    struct mm_answer_limits limits = {below(3) ? MOST : 2, 0};
    struct mm_answer *a = mm_answer_front(p, 0, greater, &limits, NULL);
    double last = INFINITY, last_cost = -INFINITY;
    size_t count = 0;

    assert_non_null(a);
    check_items(t, a);
    for (size_t i = 0; i < all_count; i++) {
        /* Sums of the same cost that differ by their order are one cost. */
        size_t end = i;
        double value = all[i].value;

        for (; end < all_count && all[end].cost <= all[i].cost + tolerance(t); end++)
            value = fmin(isnan(value) ? INFINITY : value, all[end].value);
        if (!(value < last) || all[i].cost <= last_cost + tolerance(t))
            continue;
        last = value;
        last_cost = all[i].cost;
        if (count < limits.most) {
            assert_true(count < a->count);
            assert_true(fabs(a->items[count].cost - all[i].cost) <= tolerance(t));
            assert_true(a->items[count].value == (greater ? -value : value));
        }
        count++;
    }
    assert_int_equal(a->count, count < limits.most ? count : limits.most);
    assert_int_equal(a->more, count > limits.most);
    mm_answer_free(a);
}

TEST(answers_are_those_of_brute_force)
{
    int problems = test_count("PROBLEMS", 1000, 300000);

    for (int seed = 1; seed <= problems; seed++) {
        struct truth t;
        struct mm_problem *p;
        int greater;

        make_truth(&t, (uint64_t)seed);
        greater = below(2);
        try_all(&t, greater);
        p = make_problem(&t);
        check_best(&t, p);
        check_within(&t, p);
        check_front(&t, p, greater);
        mm_problem_free(p);
    }
}

/* --- larger ones ------------------------------------------------------------------- */

enum { DENSE = 22 };

/* `slots` slots of two classes, all coupled with all; a quality of whole numbers. */
struct dense {
    int slots;
    double pair_cost[DENSE][DENSE][2][2];
    double value[DENSE][2], most;
};

static void make_dense(struct dense *d, int slots, uint64_t seed)
{
    double sum = 0;

    rows_seed = seed;
    d->slots = slots;
    for (int i = 0; i < slots; i++) {
        for (int k = 0; k < i; k++)
            for (int c = 0; c < 4; c++)
                d->pair_cost[i][k][c / 2][c % 2] = floor(1024 * rows_normal()) / 64;
        for (int c = 0; c < 2; c++) {
            d->value[i][c] = below(10);
            sum += d->value[i][c] / 2;
        }
    }
    d->most = floor(.7 * sum);
}

static struct mm_problem *make_dense_problem(const struct dense *d, int bounded)
{
    struct mm_problem *p = mm_problem_new();

    assert_non_null(p);
    assert_int_equal(mm_problem_add_quality(p, "q", MM_COMPOSITION_SUM, NULL), 0);
    for (int i = 0; i < d->slots; i++) {
        assert_int_equal(mm_problem_add_slot(p, "s", NULL), i);
        for (int c = 0; c < 2; c++) {
            assert_int_equal(mm_problem_add_class(p, (size_t)i, "c", 0, NULL), c);
            assert_int_equal(
                mm_problem_set_value(p, 0, (size_t)i, (size_t)c, d->value[i][c], NULL),
                0);
        }
    }
    for (int i = 0; i < d->slots; i++)
        for (int k = 0; k < i; k++)
            assert_int_equal(
                mm_problem_couple(p, (size_t)i, (size_t)k, d->pair_cost[i][k][0], NULL),
                0);
    if (bounded)
        assert_int_equal(mm_problem_bound(p, 0, -INFINITY, d->most, NULL), 0);
    return p;
}

/* The least cost for each sum of the quality, by trying all; costs are exact. */
static void least_costs(const struct dense *d, double *least)
{
    int chosen[DENSE] = {0};
    double cost = 0, sum = 0;

    for (int i = 0; i < 10 * DENSE; i++)
        least[i] = INFINITY;
    for (int i = 0; i < d->slots; i++) {
        sum += d->value[i][0];
        for (int k = 0; k < i; k++)
            cost += d->pair_cost[i][k][0][0];
    }
    /* Each step changes the slot of the lowest bit that is set in its number. */
    for (uint32_t step = 1;; step++) {
        int i = __builtin_ctz(step), was;

        least[(int)sum] = fmin(least[(int)sum], cost);
        if (i == d->slots)
            return;
        was = chosen[i];
        chosen[i] = !was;
        sum += d->value[i][!was] - d->value[i][was];
        for (int k = 0; k < d->slots; k++) {
            if (k < i)
                cost += d->pair_cost[i][k][!was][chosen[k]] -
                        d->pair_cost[i][k][was][chosen[k]];
            else if (k > i)
                cost += d->pair_cost[k][i][chosen[k]][!was] -
                        d->pair_cost[k][i][chosen[k]][was];
        }
    }
}

/* The tables of such problems do not fit into the first levels' bounds. */
static void check_dense(int slots, uint64_t seed)
{
    struct dense d;
    double least[10 * DENSE], best = INFINITY, bounded = INFINITY, last = INFINITY;
    struct mm_problem *p;
    struct mm_answer *a;
    size_t count;

    make_dense(&d, slots, seed);
    least_costs(&d, least);
    for (int i = 0; i < 10 * DENSE; i++) {
        best = fmin(best, least[i]);
        if (i <= d.most)
            bounded = fmin(bounded, least[i]);
    }
    p = make_dense_problem(&d, 1);
    a = mm_answer_best(p, NULL, NULL);
    assert_non_null(a);
    assert_true(a->proven);
    assert_int_equal(a->count, isfinite(bounded));
    if (a->count)
        assert_true(a->items[0].cost == bounded);
    mm_answer_free(a);
    mm_problem_free(p);
    p = make_dense_problem(&d, 0);
    a = mm_answer_front(p, 0, 0, NULL, NULL);
    assert_non_null(a);
    assert_true(a->proven);
    assert_true(a->items[0].cost == best);
    count = a->count;
    for (int i = 0; i < 10 * DENSE; i++) {
        if (!(least[i] < last))
            continue;
        last = least[i];
        assert_true(count > 0);
        count--;
        assert_true(a->items[count].cost == least[i]);
        assert_true(a->items[count].value == i);
    }
    assert_int_equal(count, 0);
    mm_answer_free(a);
    mm_problem_free(p);
}

TEST(bounds_that_are_not_exact_lead_to_the_best)
{
    int problems = test_count("PROBLEMS", 500, 10000) / 100;

    for (int seed = 1; seed <= problems; seed++)
        check_dense(16, (uint64_t)seed);
}

/* Costs of all assignments of a dense problem; new. */
static double *all_costs(const struct dense *d, size_t *count)
{
    double *costs;

    *count = (size_t)1 << d->slots;
    costs = calloc(*count, sizeof *costs);
    assert_non_null(costs);
    for (size_t bits = 0; bits < *count; bits++)
        for (int i = 0; i < d->slots; i++)
            for (int k = 0; k < i; k++)
                costs[bits] += d->pair_cost[i][k][bits >> i & 1][bits >> k & 1];
    return costs;
}

static int by_number(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* So many are asked for that the nodes of the first bounds do not do. */
TEST(finer_bounds_follow_where_nodes_are_spent)
{
    struct mm_answer_limits limits = {120000, 0};
    struct dense d;
    struct mm_problem *p;
    struct mm_answer *a;
    double *costs;
    size_t count;

    make_dense(&d, 19, 5);
    costs = all_costs(&d, &count);
    qsort(costs, count, sizeof *costs, by_number);
    p = make_dense_problem(&d, 0);
    a = mm_answer_best(p, &limits, NULL);
    assert_non_null(a);
    assert_true(a->proven);
    assert_true(a->nodes > 1 << 17);
    assert_int_equal(a->count, limits.most);
    for (size_t i = 0; i < a->count; i++)
        assert_true(a->items[i].cost == costs[i]);
    mm_answer_free(a);
    mm_problem_free(p);
    free(costs);
}

/* Whatever the budget, the least cost is between what was found and what is proven. */
TEST(where_nodes_are_spent_the_gap_is_stated)
{
    struct dense d;
    struct mm_problem *p;
    struct mm_answer *a;
    double *costs, least = INFINITY;
    size_t count;
    int unproven = 0;

    make_dense(&d, 16, 7);
    costs = all_costs(&d, &count);
    for (size_t i = 0; i < count; i++)
        least = fmin(least, costs[i]);
    free(costs);
    p = make_dense_problem(&d, 0);
    for (uint64_t nodes = 1; nodes < 100000; nodes *= 3) {
        struct mm_answer_limits limits = {1, nodes};

        a = mm_answer_best(p, &limits, NULL);
        assert_non_null(a);
        assert_true(a->nodes <= nodes);
        assert_true(a->lower <= least);
        if (a->count)
            assert_true(a->items[0].cost >= least);
        if (a->proven)
            assert_true(a->items[0].cost == least && a->lower == least);
        unproven += !a->proven;
        mm_answer_free(a);
        limits.most = 50;
        a = mm_answer_within(p, 1.05, &limits, NULL);
        assert_non_null(a);
        assert_true(a->nodes <= nodes);
        assert_true(a->lower <= least);
        mm_answer_free(a);
        a = mm_answer_front(p, 0, 1, &limits, NULL);
        assert_non_null(a);
        assert_true(a->nodes <= nodes);
        assert_true(a->lower <= least);
        mm_answer_free(a);
    }
    assert_true(unproven > 2);
    mm_problem_free(p);
}

/* --- dynamic programs -------------------------------------------------------------- */

enum { LONG = 60, WIDE = 5 };

/* A chain of costs alone, against a dynamic program along it. */
TEST(long_chains_are_those_of_a_dynamic_program)
{
    for (int seed = 1; seed <= 20; seed++) {
        struct mm_problem *p = mm_problem_new();
        double best[WIDE] = {0}, least = INFINITY;
        struct mm_answer *a;

        rows_seed = (uint64_t)seed;
        assert_non_null(p);
        for (size_t i = 0; i < LONG; i++) {
            double pair[WIDE][WIDE], next[WIDE];

            mm_problem_add_slot(p, "s", NULL);
            for (int k = 0; k < WIDE; k++) {
                double cost = below(1000);

                mm_problem_add_class(p, i, "c", cost, NULL);
                next[k] = i ? INFINITY : cost;
                for (int m = 0; m < WIDE && i; m++) {
                    pair[m][k] = below(1000) - 500;
                    next[k] = fmin(next[k], best[m] + pair[m][k] + cost);
                }
            }
            memcpy(best, next, sizeof best);
            if (i)
                assert_int_equal(mm_problem_couple(p, i - 1, i, pair[0], NULL), 0);
        }
        for (int k = 0; k < WIDE; k++)
            least = fmin(least, best[k]);
        a = mm_answer_best(p, NULL, NULL);
        assert_non_null(a);
        assert_true(a->proven && a->items[0].cost == least);
        mm_answer_free(a);
        mm_problem_free(p);
    }
}

/* No couplings, and a sum of whole numbers that is bounded on one side: a dynamic program
 * over the sum; the front is its staircase. */
TEST(bounded_sums_are_those_of_a_dynamic_program)
{
    enum { MOST_SUM = LONG * 20 };

    for (int seed = 1; seed <= 20; seed++) {
        static double least[MOST_SUM + 1], next[MOST_SUM + 1];
        struct mm_problem *p = mm_problem_new();
        struct mm_answer *a;
        double best = INFINITY, all_least = INFINITY;
        int bound = LONG * (4 + seed % 5);

        rows_seed = (uint64_t)seed;
        assert_non_null(p);
        mm_problem_add_quality(p, "q", MM_COMPOSITION_SUM, NULL);
        for (int s = 0; s <= MOST_SUM; s++)
            least[s] = s ? INFINITY : 0;
        for (size_t i = 0; i < LONG; i++) {
            mm_problem_add_slot(p, "s", NULL);
            for (int s = 0; s <= MOST_SUM; s++)
                next[s] = INFINITY;
            for (size_t k = 0; k < WIDE; k++) {
                double cost = below(100000);
                int value = below(20);

                mm_problem_add_class(p, i, "c", cost, NULL);
                mm_problem_set_value(p, 0, i, k, value, NULL);
                for (int s = value; s <= MOST_SUM; s++)
                    next[s] = fmin(next[s], least[s - value] + cost);
            }
            memcpy(least, next, sizeof least);
        }
        for (int s = 0; s <= MOST_SUM; s++) {
            best = s <= bound ? fmin(best, least[s]) : best;
            all_least = fmin(all_least, least[s]);
        }
        mm_problem_bound(p, 0, -INFINITY, bound, NULL);
        a = mm_answer_best(p, NULL, NULL);
        assert_non_null(a);
        assert_true(a->proven && a->items[0].cost == best && best > all_least);
        mm_answer_free(a);
        mm_problem_free(p);
    }
}

/* Each slot has a cheap class and a good one: one good one is enough, and it is the one
 * that costs least. */
TEST(one_large_value_is_found_among_many_slots)
{
    struct mm_problem *p = mm_problem_new();
    struct mm_answer *a;

    assert_non_null(p);
    mm_problem_add_quality(p, "most", MM_COMPOSITION_MAX, NULL);
    mm_problem_add_quality(p, "least", MM_COMPOSITION_MIN, NULL);
    for (size_t i = 0; i < LONG; i++) {
        double n = (double)((i * 37) % LONG);

        mm_problem_add_slot(p, "s", NULL);
        mm_problem_add_class(p, i, "cheap", 1 + n / 1000, NULL);
        mm_problem_add_class(p, i, "good", 1.5 + n, NULL);
        mm_problem_add_class(p, i, "low", 2.5 + n, NULL);
        for (size_t k = 0; k < 3; k++) {
            mm_problem_set_value(p, 0, i, k, k == 1 ? 7 : 1, NULL);
            mm_problem_set_value(p, 1, i, k, k == 2 ? -7 : 1, NULL);
        }
    }
    mm_problem_bound(p, 0, 7, INFINITY, NULL);
    mm_problem_bound(p, 1, -INFINITY, -7, NULL);
    a = mm_answer_best(p, NULL, NULL);
    assert_non_null(a);
    assert_true(a->proven);
    /* The slots with n = 0 and 1 take them, in the cheaper way. */
    assert_true(fabs(a->items[0].cost - (LONG + 1.77 + .5 + 2.5 - .001)) < 1e-9);
    assert_true(mm_problem_value(p, 0, a->items[0].classes) >= 7);
    assert_true(mm_problem_value(p, 1, a->items[0].classes) <= -7);
    mm_answer_free(a);
    mm_problem_free(p);
}

/* --- numbers at the ends, and refusals --------------------------------------------- */

TEST(costs_of_any_size_are_compared)
{
    static const double scales[] = {0, 5e-324, 1e-300, 1, 1e300};

    for (size_t s = 0; s < 5; s++) {
        struct mm_problem *p = mm_problem_new();
        double costs[4] = {0, 3 * scales[s], 2 * scales[s], -2 * scales[s]};
        struct mm_answer_limits limits = {4, 0};
        struct mm_answer *a;

        assert_non_null(p);
        for (size_t i = 0; i < 2; i++) {
            mm_problem_add_slot(p, "s", NULL);
            mm_problem_add_class(p, i, "a", scales[s], NULL);
            mm_problem_add_class(p, i, "b", -scales[s], NULL);
        }
        assert_int_equal(mm_problem_couple(p, 1, 0, costs, NULL), 0);
        a = mm_answer_best(p, &limits, NULL);
        assert_non_null(a);
        assert_int_equal(a->count, 4);
        assert_true(a->items[0].cost == -4 * scales[s]);
        assert_true(a->items[1].cost == 2 * scales[s]);
        assert_true(a->items[3].cost == 3 * scales[s]);
        mm_answer_free(a);
        mm_problem_free(p);
    }
}

static void assert_refused(int code, struct cca_error *err, const char *text)
{
    assert_true(code < 0);
    assert_int_equal(err->code, code);
    assert_string_equal(err->text, text);
    *err = (struct cca_error){0};
}

static void assert_unanswered(const struct mm_problem *p, int code, const char *text)
{
    struct cca_error err = {0};

    assert_null(mm_answer_best(p, NULL, &err));
    assert_refused(code, &err, text);
}

TEST(bad_numbers_are_refused_in_one_line)
{
    struct mm_problem *p = mm_problem_new();
    struct mm_answer_limits none = {0, 0};
    struct cca_error err = {0};
    double costs[2] = {1, INFINITY};

    assert_non_null(p);
    assert_unanswered(p, -EINVAL, "the problem has no slot");
    assert_int_equal(mm_problem_add_slot(p, "flux", &err), 0);
    assert_unanswered(p, -EINVAL, "slot 'flux' has no class");
    assert_refused(mm_problem_add_class(p, 0, "EFM", NAN, &err), &err,
                   "slot 'flux': class 'EFM' has a cost of nan");
    assert_refused(mm_problem_add_class(p, 0, "EFM", -INFINITY, &err), &err,
                   "slot 'flux': class 'EFM' has a cost of -inf");
    assert_refused(mm_problem_add_class(p, 1, "EFM", 1, &err), &err,
                   "slot 1: found 1 slots");
    assert_int_equal(mm_problem_add_missing(p, 0, "EFM", &err), 0);
    assert_unanswered(p, -ENODATA, "slot 'flux': no class has a cost");
    assert_int_equal(mm_problem_add_class(p, 0, "HLLC", 1, &err), 1);
    assert_int_equal(mm_problem_add_slot(p, "states", &err), 1);
    assert_refused(mm_problem_couple(p, 0, 1, costs, &err), &err,
                   "slot 'states' has no class and cannot be coupled");
    mm_problem_add_class(p, 1, "St", 1, &err);
    assert_refused(mm_problem_couple(p, 0, 0, costs, &err), &err,
                   "slot 'flux' is coupled with itself");
    assert_refused(mm_problem_couple(p, 0, 1, costs, &err), &err,
                   "slots 'flux' and 'states': classes 'HLLC' and 'St' have a cost of "
                   "inf");
    costs[1] = 1;
    assert_int_equal(mm_problem_couple(p, 0, 1, costs, &err), 0);
    assert_refused(mm_problem_add_class(p, 1, "St2", 1, &err), &err,
                   "slot 'states': class 'St2' was added after the slot was coupled");
    assert_int_equal(mm_problem_add_quality(p, "error", MM_COMPOSITION_PRODUCT, &err), 0);
    assert_refused(mm_problem_set_value(p, 0, 0, 1, NAN, &err), &err,
                   "slot 'flux': class 'HLLC' has 'error' of nan");
    assert_refused(mm_problem_set_value(p, 0, 0, 2, 1, &err), &err,
                   "slot 'flux': class 2: found 2 classes");
    assert_refused(mm_problem_set_value(p, 1, 0, 1, 1, &err), &err,
                   "quality 1: found 1 qualities");
    assert_refused(mm_problem_bound(p, 0, NAN, 1, &err), &err,
                   "quality 'error' is bounded by nan");
    assert_null(mm_answer_best(p, &none, &err));
    assert_refused(-EINVAL, &err, "expected at least one assignment to keep");
    assert_null(mm_answer_within(p, .5, NULL, &err));
    assert_refused(-EINVAL, &err, "expected a factor of at least 1, found 0.5");
    assert_null(mm_answer_front(p, 1, 0, NULL, &err));
    assert_refused(-EINVAL, &err, "quality 1: found 1 qualities");
    mm_problem_set_value(p, 0, 0, 1, 1e300, &err);
    mm_problem_set_value(p, 0, 1, 0, 1e300, &err);
    assert_unanswered(p, -ERANGE, "products of 'error' overflow");
    mm_problem_free(p);
}

TEST(sums_that_overflow_are_refused)
{
    struct mm_problem *p = mm_problem_new();

    assert_non_null(p);
    for (size_t i = 0; i < 2; i++) {
        mm_problem_add_slot(p, "s", NULL);
        mm_problem_add_class(p, i, "c", 1e308, NULL);
    }
    assert_unanswered(p, -ERANGE, "sums of costs overflow");
    mm_problem_free(p);
}

/* A bound on what no class states holds for no assignment; contradictory bounds, too. */
TEST(bounds_that_nothing_meets_are_proven)
{
    for (int way = 0; way < 2; way++) {
        struct mm_problem *p = mm_problem_new();
        struct mm_answer *a;

        assert_non_null(p);
        mm_problem_add_slot(p, "s", NULL);
        mm_problem_add_class(p, 0, "c", 1, NULL);
        mm_problem_add_quality(p, "q", MM_COMPOSITION_MAX, NULL);
        if (way)
            mm_problem_set_value(p, 0, 0, 0, 1, NULL);
        mm_problem_bound(p, 0, -INFINITY, way ? 2 : INFINITY, NULL);
        mm_problem_bound(p, 0, way ? 3 : -INFINITY, INFINITY, NULL);
        a = mm_answer_best(p, NULL, NULL);
        assert_non_null(a);
        assert_true(a->proven && !a->count && a->lower == INFINITY);
        mm_answer_free(a);
        a = mm_answer_front(p, 0, 0, NULL, NULL);
        assert_non_null(a);
        assert_true(a->proven && !a->count);
        mm_answer_free(a);
        mm_problem_free(p);
    }
}

TESTS(NULL, NULL)
