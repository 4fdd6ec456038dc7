/* SPDX-License-Identifier: BSD-3-Clause */
/* Given rows come back from the reader as they were given, whatever their callers, ranks,
 * threads and numbers; what is out of order is refused, and nothing half-written stays.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>

#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/reader/wiring.h"
#include "mastermind/writer/given.h"
#include "tests/lib/test.h"

static char place[64], path[80];
static uint64_t seed = 7;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static int remove_all(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command) ? 1 : 0;
}

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "/tmp/mm_given.XXXXXX");
    if (!mkdtemp(place))
        return 1;
    snprintf(path, sizeof path, "%s/exp", place);
    return 0;
}

/* Entries of the place: of a finished experiment one, of a failed one none. */
static int entries(void)
{
    DIR *dir = opendir(place);
    int count = -2;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static const struct monitor_label labels[] = {{0, "x"}, {1, "y"}};
static const struct monitor_value_decl values[] = {
    {.name = "axis", .kind = MONITOR_MODE, .labels = labels, .label_count = 2},
    {.name = "Q", .kind = MONITOR_PARAM},
    {.name = "h", .type = MONITOR_DOUBLE, .kind = MONITOR_PARAM},
    {.name = "count", .kind = MONITOR_OUT},
    {.name = "norm", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT}};
static const struct monitor_method_decl methods[] = {
    {"flux", "flux", "compute", "EFM", "b1", "shock.FluxPort/1", values, 3, 2},
    {"flux", "other", "reset", "EFM", "b1", "shock.Other/1", NULL, 0, 0},
    {"driver", "go", "go", "Driver", "", "GoPort", values + 1, 1, 0}};

static const struct mm_given_about plain = {
    .origin = "simulated", .ns_per_tick = 1, .ranks = 1};

static struct mm_given *begin(const struct mm_given_about *about)
{
    struct cca_error err = {0};
    struct mm_given *given = mm_given_new(path, about, &err);

    if (!given)
        fail_msg("%s", err.text);
    for (int i = 0; i < 3; i++)
        assert_int_equal(mm_given_method(given, &methods[i], &err), i);
    return given;
}

static struct mm_experiment *finish(struct mm_given *given)
{
    struct cca_error err = {0};
    struct mm_experiment *e;

    if (mm_given_finish(given, &err))
        fail_msg("%s", err.text);
    mm_given_free(given);
    assert_int_equal(entries(), 1);
    e = mm_experiment_open(path, &err);
    if (!e)
        fail_msg("%s", err.text);
    return e;
}

/* --- Random call trees ---------------------------------------------------- */

struct kept {
    struct mm_given_row row;
    union monitor_value in[3], out[2];
    uint64_t callees;
};

struct tree {
    struct kept *rows; /* in order of completion */
    size_t count, room;
    uint64_t next, now;
    int rank, thread, wide;
};

static int64_t number(int wide)
{
    static const int64_t odd[] = {MONITOR_ABSENT,
                                  INT64_MAX,
                                  INT64_MIN + 1,
                                  INT32_MAX,
                                  INT32_MIN,
                                  INT64_C(1) << 31,
                                  0,
                                  -1};

    return wide && draw(4) == 0 ? odd[draw(8)] : (int64_t)draw(2000) - 1000;
}

static uint64_t grow(struct tree *t, uint64_t caller, int depth)
{
    uint64_t invocation = t->next++, start = t->now, callees = 0;
    struct kept *k;

    t->now += draw(100);
    for (uint64_t n = depth ? draw(4) : 0; n > 0; n--)
        callees += grow(t, invocation, depth - 1);
    t->now += draw(t->wide ? UINT64_C(1) << 36 : 1000);
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->rows = realloc(t->rows, t->room * sizeof *t->rows);
        assert_non_null(t->rows);
    }
    k = &t->rows[t->count++];
    *k = (struct kept){.callees = callees};
    k->row =
        (struct mm_given_row){.method = (uint32_t)draw(3),
                              .rank = t->rank,
                              .thread = t->thread,
                              .invocation = invocation,
                              .caller = caller,
                              .start = start,
                              .wall = t->now - start,
                              .mpi_ns = number(0) + 1000,
                              .cpu_ns = number(t->wide) & INT64_MAX,
                              .status = draw(8) ? MM_STATUS_DONE : MM_STATUS_UNWOUND};
    k->in[0].i = k->row.method == 2 ? number(t->wide) : (int64_t)draw(2);
    k->in[1].i = number(t->wide);
    k->in[2].d = draw(5) ? (double)draw(1000) / 7 : MONITOR_ABSENT_DOUBLE;
    k->out[0].i = number(t->wide);
    k->out[1].d = (double)draw(1000) * 1e-3;
    return k->row.wall;
}

struct check {
    const struct tree *trees;
    size_t tree, at;
    double ns_per_tick;
};

static int check_row(const struct mm_row *row, void *context)
{
    struct check *c = context;
    const struct kept *k;
    size_t in = 0, out = 0;

    while (c->at == c->trees[c->tree].count) {
        c->tree++;
        c->at = 0;
    }
    k = &c->trees[c->tree].rows[c->at++];
    assert_int_equal(row->method->index, k->row.method);
    assert_int_equal(row->rank, k->row.rank);
    assert_int_equal(row->thread, k->row.thread);
    assert_int_equal(row->invocation, k->row.invocation);
    assert_int_equal(row->caller, k->row.caller);
    assert_int_equal(row->status, k->row.status);
    assert_int_equal(row->mpi_ns, k->row.mpi_ns);
    assert_int_equal(row->cpu_ns, k->row.cpu_ns);
    assert_int_equal(row->start_ns, llround((double)k->row.start * c->ns_per_tick));
    assert_true(fabs((double)row->wall_ns + row->wall_part_ns -
                     (double)k->row.wall * c->ns_per_tick) <=
                1e-15 * (double)k->row.wall);
    assert_true(fabs((double)row->exclusive_ns + row->exclusive_part_ns -
                     (double)(k->row.wall - k->callees) * c->ns_per_tick) <=
                1e-15 * (double)k->row.wall);
    in = row->method->in_count;
    out = row->status == MM_ROW_DONE ? row->method->value_count - in : 0;
    assert_memory_equal(row->values, k->in, in * sizeof *row->values);
    assert_memory_equal(row->values + in, k->out, out * sizeof *row->values);
    return 0;
}

/* 2 ranks with 3 threads each; enough rows for several blocks in one of them. */
static void round_trip(int wide)
{
    const struct mm_given_about about = {.origin = "simulated",
                                         .ns_per_tick = .01,
                                         .ranks = 2,
                                         .cpu_time = 1,
                                         .mpi_time = 1};
    struct mm_given *given = begin(&about);
    struct tree trees[6] = {{0}};
    struct check check = {.trees = trees, .ns_per_tick = .01};
    struct cca_error err = {0};
    struct mm_experiment *e;

    for (int i = 0; i < 6; i++) {
        trees[i] = (struct tree){.rank = i / 3, .thread = i % 3, .next = 1, .wide = wide};
        while (trees[i].count < (i == 4 ? 12000 : 30))
            grow(&trees[i], 0, 6);
    }
    for (int i = 0; i < 6; i++) {
        for (size_t k = 0; k < trees[i].count; k++) {
            trees[i].rows[k].row.in = trees[i].rows[k].in;
            trees[i].rows[k].row.out = trees[i].rows[k].out;
            if (mm_given_row(given, &trees[i].rows[k].row, &err))
                fail_msg("row %zu: %s", k, err.text);
        }
    }
    e = finish(given);
    assert_string_equal(e->origin, "simulated");
    assert_true(e->finished && e->has_cpu && e->has_mpi && e->ranks == 2);
    if (mm_experiment_rows(e, check_row, &check, &err))
        fail_msg("%s", err.text);
    assert_int_equal(check.at, trees[5].count);
    mm_experiment_free(e);
    for (int i = 0; i < 6; i++)
        free(trees[i].rows);
}

TEST_WITH(compact_rows_come_back_with_callers_ranks_and_threads, make_place, remove_all)
{
    round_trip(0);
}

TEST_WITH(rows_that_need_more_than_32_bits_come_back, make_place, remove_all)
{
    round_trip(1);
}

/* --- Order ---------------------------------------------------------------- */

struct step {
    uint64_t invocation, caller, start, wall;
    int refused;
};

static void play(const struct step *steps, size_t count, int finishes)
{
    struct mm_given *given = begin(&plain);
    const union monitor_value none[5] = {{0}};
    struct cca_error err = {0};

    for (size_t i = 0; i < count; i++) {
        struct mm_given_row row = {.method = 1,
                                   .invocation = steps[i].invocation,
                                   .caller = steps[i].caller,
                                   .start = steps[i].start,
                                   .wall = steps[i].wall,
                                   .in = none,
                                   .out = none};

        memset(&err, 0, sizeof err);
        if (mm_given_row(given, &row, &err) != (steps[i].refused ? -EINVAL : 0))
            fail_msg("step %zu: '%s'", i, err.text);
        assert_true(!err.code == !steps[i].refused);
    }
    memset(&err, 0, sizeof err);
    assert_int_equal(mm_given_finish(given, &err), finishes ? 0 : -EINVAL);
    mm_given_free(given);
    assert_int_equal(entries(), finishes);
}

#define PLAY(finishes, ...)                                                              \
    do {                                                                                 \
        const struct step steps[] = {__VA_ARGS__};                                       \
        make_place(NULL);                                                                \
        play(steps, sizeof steps / sizeof *steps, finishes);                             \
        remove_all(NULL);                                                                \
    } while (0)

TEST(callers_must_be_open_and_older)
{
    /* 1 calls 2 and 4, 2 calls 3 */
    PLAY(1, {3, 2, 10, 5, 0}, {2, 1, 9, 8, 0}, {4, 1, 20, 5, 0}, {1, 0, 1, 50, 0});
    PLAY(1, {1, 1, 0, 5, 1}, {2, 3, 0, 5, 1}, {1, 0, 0, 5, 0}); /* younger */
    PLAY(1, {1, 0, 0, 5, 0}, {2, 1, 5, 5, 1}, {2, 0, 5, 5, 0}); /* has ended */
    PLAY(1, {2, 1, 0, 5, 0}, {3, 0, 5, 5, 1}, {1, 0, 0, 9, 0}); /* 1 is open */
    PLAY(1, {3, 2, 0, 5, 0}, {4, 1, 5, 5, 1}, {2, 1, 0, 9, 0}, {5, 1, 9, 1, 0},
         {1, 0, 0, 30, 0}, {0, 1, 30, 1, 1}, {0, 0, 30, 1, 0}); /* 2 is open; 1 not */
}

TEST(numbers_rise_and_times_do_not_go_back)
{
    PLAY(1, {5, 0, 0, 5, 0}, {5, 0, 5, 5, 1}, {4, 0, 5, 5, 1}, {0, 0, 5, 5, 0},
         {6, 0, 10, 5, 1}, {7, 0, 0, 9, 1}, {7, 0, 0, 10, 0});
    PLAY(1, {1, 0, UINT64_MAX, 5, 1}, {1, 0, 1, UINT64_MAX, 1}, {1, 0, 1, INT64_MAX, 1},
         {1, 0, 1, INT64_MAX - 1, 0});
}

TEST(a_caller_without_a_row_is_refused_at_the_end)
{
    PLAY(0, {2, 1, 0, 5, 0});
}

TEST_WITH(wrong_methods_rows_and_bounds_are_refused, make_place, remove_all)
{
    static const struct monitor_value_decl wrong[] = {
        {.name = "o", .kind = MONITOR_OUT},
        {.name = "m", .type = MONITOR_DOUBLE, .kind = MONITOR_MODE}};
    struct monitor_method_decl decl = methods[0];
    struct mm_given_about about = plain;
    const union monitor_value none[5] = {{0}};
    struct mm_given_row rows[] = {
        {.method = 3},  {.method = 0, .rank = 1},     {.rank = -1},
        {.thread = -1}, {.thread = MM_GIVEN_THREADS}, {.status = 3},
        {.status = -1}};
    struct mm_given *given = begin(&plain);

    decl.values = wrong;
    decl.in_count = 1;
    decl.out_count = 0;
    assert_int_equal(mm_given_method(given, &decl, NULL), -EINVAL);
    decl.values = wrong + 1;
    assert_int_equal(mm_given_method(given, &decl, NULL), -EINVAL);
    decl.in_count = MONITOR_MAX_IN + 1;
    assert_int_equal(mm_given_method(given, &decl, NULL), -EINVAL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].in = rows[i].out = none;
        assert_int_equal(mm_given_row(given, &rows[i], NULL), -EINVAL);
    }
    mm_given_free(given);
    about.ranks = 0;
    assert_null(mm_given_new(path, &about, NULL));
    about.ranks = 1;
    about.ns_per_tick = NAN;
    assert_null(mm_given_new(path, &about, NULL));
    assert_int_equal(entries(), 0);
}

/* --- The directory -------------------------------------------------------- */

TEST_WITH(an_experiment_without_finish_leaves_nothing, make_place, remove_all)
{
    const union monitor_value none[5] = {{0}};
    const struct mm_given_row row = {.method = 1, .in = none, .out = none};
    struct mm_given *given = begin(&plain);

    for (int i = 0; i < 20000; i++)
        assert_int_equal(mm_given_row(given, &row, NULL), 0);
    assert_int_equal(entries(), 1);
    mm_given_free(given);
    assert_int_equal(entries(), 0);
}

TEST_WITH(a_place_that_is_taken_is_refused_and_an_empty_one_is_used, make_place,
          remove_all)
{
    struct cca_error err = {0};
    struct mm_given *first = begin(&plain), *second;
    char inside[100];

    assert_int_equal(mkdir(path, 0777), 0);
    second = begin(&plain);
    assert_int_equal(mm_given_finish(second, NULL), 0);
    mm_given_free(second);
    assert_int_equal(mm_given_finish(first, &err), -ENOTEMPTY);
    assert_non_null(strstr(err.text, "exists and is not an empty directory"));
    mm_given_free(first);
    assert_null(mm_given_new(path, &plain, NULL));
    snprintf(inside, sizeof inside, "%s/experiment.json", path);
    assert_null(mm_given_new(inside, &plain, NULL));
    snprintf(inside, sizeof inside, "%s/no/such", path);
    memset(&err, 0, sizeof err);
    assert_null(mm_given_new(inside, &plain, &err));
    assert_int_equal(err.code, -ENOENT);
    assert_null(mm_given_new("", &plain, NULL));
    assert_int_equal(entries(), 1);
}

TEST_WITH(methods_tell_the_wiring_unless_it_is_given, make_place, remove_all)
{
    struct monitor_method_decl other = methods[0];
    struct mm_given *given = begin(&plain);
    struct mm_experiment *e;

    other.instance = "twice";
    assert_int_equal(mm_given_method(given, &other, NULL), 3);
    other.class_name = "Other";
    assert_int_equal(mm_given_method(given, &other, NULL), 4);
    e = finish(given);
    assert_int_equal(e->wiring->instance_count, 2);
    assert_int_equal(mm_wiring_instance(e->wiring, "flux")->provides_count, 2);
    assert_string_equal(mm_wiring_instance(e->wiring, "driver")->class_name, "Driver");
    assert_null(mm_wiring_instance(e->wiring, "twice"));
    mm_experiment_free(e);
}

/* --- The clock ------------------------------------------------------------ */

TEST(the_clock_keeps_decimals_and_one_in_a_million)
{
    const double whole[] = {1, 5e9, 0}, tenths[] = {1.1, 1000.3, 7},
                 third[] = {1. / 3, 3e4}, zero[] = {0, 0}, far[] = {1e-3 / 3, 1e15},
                 age[] = {5e18, 5e18}, tiny[] = {3e-300};

    assert_float_equal(mm_given_ticks_per_ns(whole, 3), 1, 0);
    assert_float_equal(mm_given_ticks_per_ns(tenths, 3), 10, 0);
    assert_float_equal(mm_given_ticks_per_ns(third, 2), 1e7, 0);
    assert_float_equal(mm_given_ticks_per_ns(zero, 2), 1, 0);
    assert_float_equal(mm_given_ticks_per_ns(far, 2), 1e3, 0);
    assert_float_equal(mm_given_ticks_per_ns(age, 2), 0, 0);
    assert_float_equal(mm_given_ticks_per_ns(tiny, 1), 1e22, 0);
    for (int i = 0; i < 10000; i++) {
        double time = (double)(draw(1000000) + 1) / (double)(draw(1000) + 1);
        double ticks = mm_given_ticks_per_ns(&time, 1);

        assert_true(fabs(nearbyint(time * ticks) / ticks - time) <= 5.1e-7 * time);
    }
}

TESTS(NULL, NULL)
