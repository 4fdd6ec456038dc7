/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_recording.c: the cost of recording, put into made-up rows, is taken off them.
 */
#include "tests/lib/test.h"

#include "mastermind/counts/dual/dual.h"
#include "mastermind/reader/experiment.h"
#include "tests/lib/mm_rows.h"

#define METHODS 5
#define MOST 400

/* A cost that no length of a call changes. */
static struct mm_call_cost flat(double all_ns, double within_ns)
{
    return (struct mm_call_cost){all_ns, all_ns, within_ns, within_ns};
}

struct tree {
    struct rows rows;
    struct mm_method_cost costs[METHODS];
    int64_t own_ns[METHODS], taken_ns, now_ns, total_ns;
    uint64_t calls;
};

/* Grow the rows of one invocation: its measured time has its own part of the cost, and
 * those that its callees left to it. Returns the measured time. */
static int64_t grow(struct tree *t, uint64_t caller, int depth, int64_t *true_ns)
{
    int callees = depth < 7 ? (int)(rows_random() * 4) : 0;
    int method = (int)(rows_random() * METHODS);
    const struct mm_call_cost *cost = &t->costs[method].row;
    uint64_t self = ++t->calls;
    int64_t own_ns = 1 + (int64_t)(rows_random() * 1000), wall_ns;
    int64_t exclusive_ns = own_ns + (int64_t)cost->loop_within_ns;
    struct mm_row *row;

    t->own_ns[method] += own_ns;
    *true_ns += own_ns;
    wall_ns = 0;
    for (int i = 0; i < callees && t->calls < MOST; i++) {
        size_t at = t->rows.count;

        wall_ns += grow(t, self, depth + 1, true_ns);
        at = t->rows.count - 1; /* the callee's row came last */
        const struct mm_call_cost *left = &t->costs[t->rows.rows[at].method->index].row;
        exclusive_ns += (int64_t)(left->loop_ns - left->loop_within_ns);
    }
    wall_ns += exclusive_ns;
    row = rows_add(&t->rows, &t->rows.methods[method]);
    row->invocation = self;
    row->caller = caller;
    row->start_ns = t->now_ns += wall_ns;
    row->wall_ns = wall_ns;
    row->exclusive_ns = exclusive_ns;
    t->taken_ns += exclusive_ns - own_ns;
    return wall_ns;
}

TEST(costs_of_several_kinds_are_subtracted_exactly_under_recursion)
{
    static struct tree tree;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct cca_error err = {0};
        struct mm_row_source source;
        struct mm_dual *dual;

        memset(&tree, 0, sizeof tree);
        rows_seed = seed * 977;
        for (int m = 0; m < METHODS; m++) {
            static const char *const names[METHODS] = {"a", "b", "c", "d", "e"};

            rows_method(&tree.rows, names[m], "run", "Class", "t/1");
            tree.costs[m].row = flat(20 + 17 * m, 5 + 3 * m);
        }
        while (tree.calls < 50)
            grow(&tree, 0, 0, &tree.total_ns);
        source = rows_source(&tree.rows, "tree");
        source.costs = tree.costs;
        dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
        assert_non_null(dual);
        for (int m = 0; m < METHODS; m++)
            assert_int_equal(dual->vertices[m].exclusive_ns, tree.own_ns[m]);
        assert_int_equal(dual->total_ns, tree.total_ns);
        assert_int_equal(dual->overhead_ns, tree.taken_ns);
        mm_dual_free(dual);
        rows_done(&tree.rows);
    }
}

/* Calls of `method`, of `count` lengths in turn, without callers. */
static struct mm_dual *dual_of_calls(struct rows *rows, const int64_t *wall_ns, int count,
                                     int calls, const struct mm_method_cost *costs,
                                     mm_joined_function function)
{
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;

    rows_method(rows, "a", "run", "Class", "t/1");
    for (int i = 0; i < calls; i++) {
        struct mm_row *row = rows_add(rows, &rows->methods[0]);

        row->wall_ns = row->exclusive_ns = wall_ns[i % count];
    }
    source = rows_source(rows, "calls");
    source.costs = costs;
    dual = mm_dual_new(&source, function, NULL, NULL, &err);
    assert_non_null(dual);
    return dual;
}

static int is_not_negative(const struct mm_row *row, const struct mm_joined *joined,
                           void *context)
{
    (void)row;
    (void)context;
    assert_true(joined->exclusive_ns >= 0 && joined->wall_ns >= 0);
    return 0;
}

TEST(what_short_calls_cannot_pay_longer_ones_do_and_none_is_negative)
{
    static const int64_t wall_ns[] = {7, 14, 9, 15, 8};
    const struct mm_method_cost costs = {.row = flat(30, 10.4)};
    struct rows rows = {0};
    struct mm_dual *dual =
        dual_of_calls(&rows, wall_ns, 5, 1000, &costs, is_not_negative);

    /* 53 in five calls, less 52 */
    assert_in_range(dual->vertices[0].exclusive_ns, 200, 210);
    mm_dual_free(dual);
    rows_done(&rows);
}

TEST(parts_of_a_nanosecond_add_up)
{
    static const int64_t wall_ns[] = {1000000};
    const struct mm_method_cost costs = {.row = flat(30, 10.3)};
    struct rows rows = {0};
    struct mm_dual *dual = dual_of_calls(&rows, wall_ns, 1, 1000, &costs, NULL);

    assert_in_range(dual->overhead_ns, 10299, 10301);
    mm_dual_free(dual);
    rows_done(&rows);
}

TEST(wide_rows_and_the_pace_of_the_core_change_the_cost)
{
    enum { CALLS = 40 };
    const struct mm_method_cost costs = {.row = flat(30, 10), .wide = flat(50, 20)};
    const double within = (10 + 20 + 10 * 1.5 + 20 * 1.5) / 4,
                 all = (30 + 50 + 30 * 1.5 + 50 * 1.5) / 4;
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;

    rows_method(&rows, "a", "run", "Class", "t/1");
    for (int i = 0; i < CALLS; i++) {
        struct mm_row *row = rows_add(&rows, &rows.methods[0]);

        row->wall_ns = row->exclusive_ns = 1000;
        row->wide = i % 2;
        row->pace = i % 4 < 2 ? 0 : 1.5; /* 0: unknown */
    }
    source = rows_source(&rows, "calls");
    source.costs = &costs;
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    assert_non_null(dual);
    assert_in_range(dual->overhead_ns, (int64_t)(CALLS * within) - 1,
                    (int64_t)(CALLS * within) + 1);
    assert_float_equal(dual->recording_ns, CALLS * all, 1e-6);
    assert_float_equal(dual->recording_least_ns, CALLS * all * (1 - MM_COST_UNCERTAIN),
                       1e-6);
    assert_float_equal(dual->recording_most_ns, CALLS * all * (1 + MM_COST_UNCERTAIN),
                       1e-6);
    assert_float_equal(dual->vertices[0].uncertain_ns, CALLS * within * MM_COST_UNCERTAIN,
                       1e-6);
    mm_dual_free(dual);
    rows_done(&rows);
}

TEST(costs_above_all_times_leave_nothing)
{
    static const int64_t wall_ns[] = {10};
    const struct mm_method_cost costs = {.row = flat(300, 100)};
    struct rows rows = {0};
    struct mm_dual *dual =
        dual_of_calls(&rows, wall_ns, 1, 1000, &costs, is_not_negative);

    assert_int_equal(dual->vertices[0].exclusive_ns, 0);
    assert_int_equal(dual->total_ns, 0);
    mm_dual_free(dual);
    rows_done(&rows);
}

TEST(long_calls_find_cold_caches)
{
    const struct mm_call_cost cost = {10, 30, 4, 8};
    double within;

    assert_float_equal(mm_call_cost_at(&cost, 0, &within), 10, 1e-4);
    assert_float_equal(within, 4, 1e-4);
    assert_float_equal(mm_call_cost_at(&cost, 500, &within), 20, 1e-4);
    assert_float_equal(within, 6, 1e-4);
    assert_float_equal(mm_call_cost_at(&cost, 1e9, &within), 30, 1e-4);
    assert_float_equal(within, 8, 1e-4);
}

/* A caller's time is less than what its callees are thought to have left to it: they
 * themselves have had more. */
TEST(sums_are_right_where_the_split_is_wrong)
{
    struct mm_method_cost costs[2] = {{.row = flat(0, 0)}, {.row = flat(50, 10)}};
    struct cca_error err = {0};
    struct rows rows = {0};
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_row *row;
    uint64_t number = 0;

    rows_method(&rows, "sort", "run", "S", "s/1");
    rows_method(&rows, "compare", "run", "C", "c/1");
    for (int i = 0; i < 100; i++) { /* truly 100 ns and 100 of 3, 15 within and 35 not */
        uint64_t caller = ++number;

        for (int k = 0; k < 100; k++) {
            row = rows_add(&rows, &rows.methods[1]);
            row->invocation = ++number;
            row->caller = caller;
            row->wall_ns = row->exclusive_ns = 18;
        }
        row = rows_add(&rows, &rows.methods[0]);
        row->invocation = caller;
        row->exclusive_ns = 3600;
        row->wall_ns = 3600 + 1800;
    }
    source = rows_source(&rows, "split");
    source.costs = costs;
    dual = mm_dual_new(&source, is_not_negative, NULL, NULL, &err);
    assert_non_null(dual);
    /* all but the debt of the last caller */
    assert_in_range(dual->total_ns, 100 * 400, 100 * 400 + 400);
    mm_dual_free(dual);
    rows_done(&rows);
}

/* --- Aggregates ----------------------------------------------------------- */

enum { MAIN, PAIR, MIXED, LEAF };

struct sums {
    struct rows rows;
    struct mm_context contexts[4];
    struct mm_aggregate aggregates[3];
    struct mm_method_cost costs[4];
};

static int walk_sums(void *context, mm_aggregate_function function,
                     void *function_context, struct cca_error *err)
{
    struct sums *s = context;

    (void)err;
    for (int i = 0; i < 3; i++) {
        int result = function(&s->aggregates[i], function_context);

        if (result)
            return result;
    }
    return 0;
}

static int walk_sum_rows(void *context, mm_row_function function, void *function_context,
                         struct cca_error *err)
{
    return rows_walk(&((struct sums *)context)->rows, function, function_context, err);
}

/* Main has a row, and calls in aggregates 100 calls of pair (own 50 ns) and 10 of mixed
 * (own 400), each of which calls leaf 5 times (own 20). Main itself takes 7000. */
static void make_sums(struct sums *s, int derived)
{
    static const char *const names[] = {"main", "pair", "mixed", "leaf"};
    struct mm_row *row;
    int64_t pair_ns = 100 * (50 + 6), mixed_ns, leaf_ns = 50 * (20 + 4), own_ns;

    memset(s, 0, sizeof *s);
    for (int m = 0; m < 4; m++)
        rows_method(&s->rows, names[m], "run", "C", "c/1");
    s->costs[MAIN].row = flat(30, 9);
    s->costs[PAIR].sum = flat(28, 6);
    s->costs[MIXED].sum = flat(75, 11);
    s->costs[LEAF].sum = flat(40, 4);
    own_ns = 10 * (400 + 11 + 5 * 36);
    mixed_ns = own_ns + leaf_ns;
    for (int m = 0; m < 4; m++)
        s->contexts[m] =
            (struct mm_context){.method = &s->rows.methods[m], .caller_known = 1};
    for (int m = PAIR; m <= LEAF; m++) {
        int up = m == LEAF ? MIXED : MAIN;

        s->contexts[m].parent = &s->contexts[up];
        s->contexts[m].caller = &s->rows.methods[up];
    }
    s->aggregates[0] = (struct mm_aggregate){
        .calls = 100, .wall.sum_ns = pair_ns, .exclusive.sum_ns = pair_ns};
    s->aggregates[1] =
        (struct mm_aggregate){.calls = 10,
                              .callees = 50,
                              .below = 50,
                              .wall.sum_ns = mixed_ns,
                              .exclusive.sum_ns = derived ? mixed_ns : own_ns};
    s->aggregates[2] = (struct mm_aggregate){
        .calls = 50, .wall.sum_ns = leaf_ns, .exclusive.sum_ns = leaf_ns};
    for (int i = 0; i < 3; i++) {
        s->aggregates[i].method = &s->rows.methods[PAIR + i];
        s->aggregates[i].context = &s->contexts[PAIR + i];
        s->aggregates[i].host_ns = s->aggregates[i].wait_ns = -1;
    }
    row = rows_add(&s->rows, &s->rows.methods[MAIN]);
    own_ns = 7000 + 9 + 100 * 22 + 10 * 64;
    row->wall_ns = own_ns + pair_ns + mixed_ns;
    row->exclusive_ns = derived ? row->wall_ns : own_ns;
    row->folded = 110;
    row->folded_below = 160;
    row->folded_ns = pair_ns + mixed_ns;
}

TEST(aggregated_calls_have_costs_of_their_own)
{
    for (int derived = 0; derived < 2; derived++) {
        struct cca_error err = {0};
        struct mm_row_source source;
        struct mm_dual *dual;
        struct sums s;

        make_sums(&s, derived);
        source = rows_source(&s.rows, "sums");
        source.walk = walk_sum_rows;
        source.walk_aggregates = walk_sums;
        source.context = &s;
        source.costs = s.costs;
        source.derived = derived;
        dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
        assert_non_null(dual);
        assert_int_equal(dual->vertices[MAIN].exclusive_ns, 7000);
        assert_int_equal(dual->vertices[PAIR].exclusive_ns, 100 * 50);
        assert_int_equal(dual->vertices[MIXED].exclusive_ns, 10 * 400);
        assert_int_equal(dual->vertices[LEAF].exclusive_ns, 50 * 20);
        assert_int_equal(dual->vertices[MIXED].inclusive_ns, 10 * 500);
        assert_int_equal(dual->total_ns, 7000 + 5000 + 5000);
        assert_float_equal(dual->recording_ns, 30 + 100 * 28 + 10 * 75 + 50 * 40, 1e-3);
        mm_dual_free(dual);
        rows_done(&s.rows);
    }
}

/* --- Kinds ---------------------------------------------------------------- */

TEST(costs_of_a_method_are_put_together_by_entry_and_values)
{
    struct mm_call_costs costs = {.value_ns = 2};
    struct mm_method_cost cost;
    struct rows rows = {0};
    struct mm_method_info *m = rows_method(&rows, "a", "run", "C", "c/1");

    for (int kind = 0; kind < MM_ROW_KINDS; kind++) {
        costs.rows[kind] = flat(100 + 10 * kind, 10 + kind);
        costs.sums[kind] = flat(200 + 10 * kind, 20 + kind);
    }
    costs.entries[MM_ENTRY_PATCHED] = flat(40, 7);
    rows_value(m, "nx", MONITOR_INT64, MONITOR_PARAM);
    rows_value(m, "ny", MONITOR_INT64, MONITOR_PARAM);
    cost = mm_method_cost_of(&costs, m);
    assert_float_equal(cost.row.loop_ns, 100, 1e-4); /* a pair */
    assert_float_equal(cost.sum.loop_ns, 200, 1e-4);
    m->entry = MM_ENTRY_PATCHED;
    cost = mm_method_cost_of(&costs, m);
    assert_float_equal(cost.row.loop_ns, 100 + 40, 1e-4);
    assert_float_equal(cost.row.loop_within_ns, 10 + 7, 1e-4);
    rows_value(m, "n", MONITOR_INT64, MONITOR_OUT);
    cost = mm_method_cost_of(&costs, m);
    assert_float_equal(cost.row.loop_ns, 110 + 3 * 2 + 40, 1e-4); /* integers */
    assert_float_equal(cost.sum.loop_ns, 210 + 2 * 2 + 40, 1e-4);
    rows_value(m, "residual", MONITOR_DOUBLE, MONITOR_OUT);
    cost = mm_method_cost_of(&costs, m);
    assert_float_equal(cost.row.loop_ns, 120 + 4 * 2 + 40, 1e-4); /* mixed */
    assert_float_equal(cost.wide.loop_ns, 130 + 4 * 2 + 40, 1e-4);
    costs.pace = 1.5;
    cost = mm_method_cost_of(&costs, m);
    assert_float_equal(cost.row.loop_ns, 1.5 * (120 + 4 * 2 + 40), 1e-4);
    assert_float_equal(cost.wide.loop_ns, 1.5 * (130 + 4 * 2 + 40), 1e-4);
    assert_float_equal(cost.sum.loop_within_ns, 1.5 * (22 + 7), 1e-4);
    rows_done(&rows);
}

TESTS(NULL, NULL)
