/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids of calls against counts made one by one, and profiles of a fair sample. */
#include "tests/lib/mm_rows.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/page/calls.h"
#include "mastermind/page/timeline.h"

/* Calls of the points that lie in a cell. */
static double calls_in(const struct mm_grid *grid, const struct mm_grid_cell *cell,
                       int64_t (*points)[2], size_t count)
{
    double calls = 0;

    for (size_t i = 0; i < count; i++)
        calls += points[i][0] >> grid->shift_x == cell->x &&
                 points[i][1] >> grid->shift_y == cell->y;
    return calls;
}

TEST(few_calls_lie_in_bins_of_their_own)
{
    struct mm_grid grid = {0};

    for (int i = 0; i < 100; i++)
        assert_int_equal(mm_grid_add(&grid, i % 10 - 5, -(i / 10), 1), 0);
    mm_grid_end(&grid, 100);
    assert_int_equal(grid.count, 100);
    assert_int_equal(grid.shift_x, 0);
    assert_int_equal(grid.shift_y, 0);
    for (size_t i = 0; i < grid.count; i++) {
        assert_int_equal(grid.cells[i].x, (int)(i / 10) - 5);
        assert_int_equal(grid.cells[i].y, (int)(i % 10) - 9);
    }
    mm_grid_done(&grid);
}

TEST(joined_cells_have_all_calls_and_no_other)
{
    enum { POINTS = 30000 };
    int64_t(*points)[2] = calloc(POINTS, sizeof *points);
    struct mm_grid grid = {0};
    double sum = 0;

    assert_non_null(points);
    for (size_t i = 0; i < POINTS; i++) {
        points[i][0] = (int64_t)(rows_normal() * 3000);
        points[i][1] = (int64_t)(rows_normal() * 100 - 500);
        assert_int_equal(mm_grid_add(&grid, points[i][0], points[i][1], 1), 0);
    }
    assert_true(grid.count <= MM_GRID_MOST);
    mm_grid_end(&grid, 700);
    assert_true(grid.count <= 700 && grid.count > 100);
    assert_true(grid.shift_x > grid.shift_y); /* the longer axis is joined more */
    for (size_t i = 0; i < grid.count; i++) {
        assert_true(grid.cells[i].calls ==
                    calls_in(&grid, &grid.cells[i], points, POINTS));
        sum += grid.cells[i].calls;
    }
    assert_true(sum == POINTS && grid.calls == POINTS);
    mm_grid_done(&grid);
    free(points);
}

TEST(a_bin_is_a_64th_of_an_octave)
{
    assert_int_equal(mm_grid_log_bin(1), 0);
    assert_int_equal(mm_grid_log_bin(2), 64);
    assert_int_equal(mm_grid_log_bin(.5), -64);
    assert_int_equal(mm_grid_log_bin(1000), 637);
}

TEST(extremes_of_int64_end_in_few_cells)
{
    struct mm_grid grid = {0};

    for (int i = 0; i < 20000; i++)
        assert_int_equal(
            mm_grid_add(&grid, i % 2 ? INT64_MAX / 4 - i : INT64_MIN / 4 + i, i, 2), 0);
    mm_grid_end(&grid, 10);
    assert_true(grid.count <= 10);
    assert_true(grid.calls == 40000);
    mm_grid_done(&grid);
}

/* --- Calls --------------------------------------------------------------------- */

static void fill_rows(struct rows *r, int count)
{
    struct mm_method_info *m = rows_method(r, "a", "m", "A", "P");

    rows_value(m, "axis", MONITOR_INT64, MONITOR_MODE);
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    for (int i = 0; i < count; i++) {
        struct mm_row *row = rows_add(r, m);

        r->row_values[r->count - 1][0].i = i % 2;
        r->row_values[r->count - 1][1].i = 1 + i % 1000;
        row->start_ns = i * 1000;
        row->wall_ns = row->exclusive_ns = 100 + (int64_t)((i * 7919LL) % count);
    }
}

TEST(the_slowest_calls_are_kept_whole)
{
    enum { ROWS = 5000 };
    struct rows r = {0};
    struct mm_page_calls calls;
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_page_method *m;
    double least = 1e9;

    fill_rows(&r, ROWS); /* costs 100 .. 5099, each once */
    source = rows_source(&r, "rows");
    assert_int_equal(mm_page_calls_init(&calls, &source), 0);
    dual = mm_dual_new(&source, mm_page_calls_row, mm_page_calls_aggregate, &calls, NULL);
    assert_non_null(dual);
    assert_int_equal(mm_page_calls_end(&calls), 0);
    m = &calls.methods[0];
    assert_true(m->timed == ROWS);
    assert_int_equal(m->slowest_count, MM_PAGE_SLOWEST);
    assert_int_equal(m->fair_count, MM_PAGE_FAIR);
    for (size_t i = 0; i < m->slowest_count; i++)
        least = m->slowest[i].ns < least ? m->slowest[i].ns : least;
    assert_true(least == 100 + ROWS - MM_PAGE_SLOWEST);
    assert_int_equal(m->mode_count, 2);
    assert_true(m->by_mode[0].calls == ROWS / 2 && m->by_mode[1].calls == ROWS / 2);
    assert_true(m->by_mode[0].grids[1].calls == ROWS / 2);
    assert_int_equal(m->by_mode[0].grids[0].count, 0); /* a mode is no axis */
    mm_page_calls_done(&calls);
    mm_dual_free(dual);
    rows_done(&r);
}

TEST(a_fair_sample_of_rows_becomes_points)
{
    enum { ROWS = 20000, ONE_IN = 10 };
    struct rows r = {0};
    struct mm_row_source source;
    uint64_t one_in[ROWS_METHODS] = {ONE_IN};
    struct mm_profile_walk walk = {.one_in = one_in};
    struct mm_profile *profile;
    double calls[2] = {0};

    fill_rows(&r, ROWS);
    source = rows_source(&r, "rows");
    profile = mm_profile_follow(&source, NULL, &walk, NULL);
    assert_non_null(profile);
    assert_int_equal(profile->dual->vertices[0].calls, ROWS); /* the dual has all */
    for (size_t i = 0; i < profile->points[0].count; i++)
        calls[profile->points[0].points[i].in[0].i] +=
            (double)profile->points[0].points[i].calls;
    /* Both modes, though they alternate: 1000 each, sd 30. */
    assert_true(fabs(calls[0] - ROWS / 2 / ONE_IN) < 150);
    assert_true(fabs(calls[1] - ROWS / 2 / ONE_IN) < 150);
    mm_profile_free(profile);
    rows_done(&r);
}

/* --- The timeline -------------------------------------------------------------- */

enum { DEEPEST = 7 };

/* A call, as the test knows it. */
struct truth {
    int level, method;
    int64_t start_ns, end_ns;
};

struct tree {
    struct rows rows;
    struct truth *calls; /* [count] by end */
    size_t count;
    uint64_t begun;
    int64_t now_ns;
    int width;
};

/* Add a call with `width` callees, and these with theirs: rows by end, numbers by begin.
 */
static void add_call(struct tree *t, int level, uint64_t caller)
{
    int64_t start_ns = t->now_ns += 10000 + (int64_t)(rows_random() * 90000);
    uint64_t invocation = ++t->begun;
    int method = (int)(rows_random() * 3), callees = level < DEEPEST - 1 ? t->width : 0;
    struct mm_row *row;

    for (int i = 0; i < callees && rows_random() < .7; i++)
        add_call(t, level + 1, invocation);
    t->now_ns += 5000 + (int64_t)(rows_random() * 50000);
    row = rows_add(&t->rows, &t->rows.methods[method]);
    row->invocation = invocation;
    row->caller = caller;
    row->start_ns = start_ns;
    row->wall_ns = row->exclusive_ns = t->now_ns - start_ns;
    t->calls = realloc(t->calls, (t->count + 1) * sizeof *t->calls);
    assert_non_null(t->calls);
    t->calls[t->count++] = (struct truth){level, method, start_ns, t->now_ns};
}

static void fill_tree(struct tree *t, size_t least, int width)
{
    *t = (struct tree){.width = width};
    for (int i = 0; i < 3; i++)
        rows_method(&t->rows, "a", i == 0 ? "x" : i == 1 ? "y" : "z", "A", "P");
    while (t->count < least)
        add_call(t, 0, 0);
}

static void follow(struct tree *t, struct mm_row_source *source,
                   struct mm_timeline *timeline)
{
    struct mm_joined joined = {0};

    *source = rows_source(&t->rows, "rows");
    *timeline = (struct mm_timeline){.source = source};
    for (size_t i = 0; i < t->rows.count; i++)
        assert_int_equal(mm_timeline_row(&t->rows.rows[i], &joined, timeline), 0);
    mm_timeline_end(timeline);
}

static void tree_done(struct tree *t)
{
    rows_done(&t->rows);
    free(t->calls);
}

TEST(a_few_calls_have_bars_of_their_own_by_level)
{
    struct tree t;
    struct mm_row_source source;
    struct mm_timeline timeline;
    size_t expected = 0, found = 0;

    fill_tree(&t, 200, 3);
    follow(&t, &source, &timeline);
    assert_int_equal(timeline.count, 1);
    for (size_t i = 0; i < t.count; i++) {
        const struct truth *call = &t.calls[i];
        const struct mm_timeline_level *level;

        if (call->level >= MM_TIMELINE_LEVELS ||
            call->end_ns - call->start_ns < timeline.resolution_ns)
            continue;
        expected++;
        level = &timeline.threads[0].levels[call->level];
        for (size_t k = 0; k < level->count; k++)
            found += level->bars[k].start_ns == call->start_ns &&
                     level->bars[k].end_ns == call->end_ns &&
                     (int)level->bars[k].method == call->method &&
                     level->bars[k].calls == 1;
    }
    assert_true(expected > 30);
    assert_int_equal(found, expected);
    mm_timeline_done(&timeline);
    tree_done(&t);
}

TEST(any_number_of_calls_has_few_bars_with_all_their_time)
{
    struct tree t;
    struct mm_row_source source;
    struct mm_timeline timeline;
    double truth[MM_TIMELINE_LEVELS] = {0}, calls[MM_TIMELINE_LEVELS] = {0};
    size_t bars = 0;

    fill_tree(&t, 300000, 2);
    follow(&t, &source, &timeline);
    for (size_t i = 0; i < t.count; i++)
        if (t.calls[i].level < MM_TIMELINE_LEVELS) {
            truth[t.calls[i].level] += (double)(t.calls[i].end_ns - t.calls[i].start_ns);
            calls[t.calls[i].level]++;
        }
    for (int l = 0; l < MM_TIMELINE_LEVELS; l++) {
        const struct mm_timeline_level *level = &timeline.threads[0].levels[l];
        double covered = 0, number = 0;

        for (size_t k = 0; k < level->count; k++) {
            covered += (double)level->bars[k].covered_ns;
            number += (double)level->bars[k].calls;
            assert_true(level->bars[k].covered_ns <=
                        level->bars[k].end_ns - level->bars[k].start_ns);
            assert_true(k == 0 || level->bars[k].start_ns >= level->bars[k - 1].end_ns);
        }
        bars += level->count;
        assert_true(covered == truth[l]);
        assert_true(number == calls[l]);
    }
    assert_true(bars <= MM_TIMELINE_BARS && bars > MM_TIMELINE_STEPS / 2);
    mm_timeline_done(&timeline);
    tree_done(&t);
}

TEST(deep_recursion_with_callees_at_each_depth_keeps_all_of_them)
{
    enum { DEPTH = 20000 };
    struct rows r = {0};
    struct mm_method_info *m = rows_method(&r, "a", "x", "A", "P");
    struct mm_row_source source;
    struct mm_timeline timeline = {.source = &source};
    struct mm_joined joined = {0};

    /* call d begins at d, calls a leaf, then call d + 1; rows come by their ends */
    for (int i = 0; i < 2 * DEPTH; i++) {
        int leaf = i < DEPTH, depth = leaf ? i : 2 * DEPTH - 1 - i;
        struct mm_row *row = rows_add(&r, m);

        row->invocation = 2 * (uint64_t)depth + 1 + (uint64_t)leaf;
        row->caller = leaf    ? 2 * (uint64_t)depth + 1
                      : depth ? 2 * (uint64_t)depth - 1
                              : 0;
        row->start_ns = 100 * (int64_t)depth + (leaf ? 20 : 0);
        row->wall_ns = leaf ? 60 : 100LL * (2 * DEPTH - depth) - row->start_ns;
    }
    source = rows_source(&r, "rows");
    for (size_t i = 0; i < r.count; i++)
        assert_int_equal(mm_timeline_row(&r.rows[i], &joined, &timeline), 0);
    mm_timeline_end(&timeline);
    assert_int_equal(timeline.threads[0].levels[0].count, 1);
    assert_int_equal(timeline.start_ns, 0);
    assert_int_equal(timeline.end_ns, 200LL * DEPTH);
    for (int l = 1; l < MM_TIMELINE_LEVELS; l++) /* a leaf and a call that recurs */
        assert_in_range(timeline.threads[0].levels[l].count, 1, 2);
    mm_timeline_done(&timeline);
    rows_done(&r);
}

TESTS(NULL, NULL)
