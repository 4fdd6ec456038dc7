/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes of a program: what it tells is what stands in shared memory, clocks tell what
 * passed, and nothing waits. */
#include <math.h>
#include <time.h>

#include "mesh/probe/mm_mesh.h"
#include "tests/mesh/probe_segment.h"

static int meshes; /* opened so far in this process */

static void ask(const char *cells)
{
    setenv(MESH_CELLS_VARIABLE, cells, 1);
}

static struct mm_mesh *open_mesh(const char *cells, int dims, int64_t a, int64_t b,
                                 int64_t c)
{
    struct cca_error err = {0};
    struct mm_mesh *m;

    ask(cells);
    m = mm_mesh_open("field", dims, (const int64_t[]){a, b, c}, &err);
    if (!m)
        fail_msg("%s", err.text);
    meshes++;
    return m;
}

static struct mesh_shared *last_segment(int part)
{
    struct mesh_shared *h = segment_open(meshes - 1, part);

    assert_non_null(h);
    return h;
}

static int no_segments(void **state)
{
    (void)state;
    unsetenv(MESH_CELLS_VARIABLE);
    setenv(MESH_SESSION_VARIABLE, "probetest", 1);
    segments_remove();
    return 0;
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(int n)
{
    volatile double x = 1;

    for (int i = 0; i < n; i++)
        x = x * 1.000001;
}

TEST_WITH(unprofiled_costs_nothing_and_is_no_error, no_segments, no_segments)
{
    struct cca_error err = {0};
    const int64_t lo[3] = {0}, hi[3] = {1, 1, 1};
    struct mm_mesh *m = mm_mesh_open("field", 3, (const int64_t[]){3, 2, 2}, &err);

    assert_null(m);
    assert_int_equal(0, err.code);
    assert_int_equal(0, mm_mesh_probe(m, "cost", "no kind"));
    assert_int_equal(0, mm_mesh_custom(m, "", NULL, NULL, NULL));
    assert_int_equal(0, mm_mesh_levels(m, -1, 0));
    assert_int_equal(0, mm_mesh_place(m, NULL, NULL));
    assert_int_equal(0, mm_mesh_rank(m, -1, -1));
    assert_int_equal(0, mm_mesh_box(m, 9, lo, hi));
    assert_int_equal(0, mm_mesh_boxes(m, 9, -1, lo, hi));
    assert_int_equal(0, mm_mesh_elements(m, -1, NULL, NULL));
    assert_int_equal(0, mm_mesh_step(m, -1, NAN));
    mm_mesh_cell(m, 99, -1);
    mm_mesh_value(m, 99, -1, NAN);
    mm_mesh_add(m, 99, -1, NAN);
    mm_mesh_start(m, 99);
    assert_int_equal(0, mm_mesh_block(m, 99, 99, lo, hi));
    assert_int_equal(0, mm_mesh_block_value(m, 99, 99, lo, hi, NAN));
    assert_int_equal(0, (int)mm_mesh_index(m, 99, -1, -1, -1));
    assert_null(mm_mesh_error(m));
    assert_int_equal(0, mm_mesh_close(m));
    assert_int_equal(0, segments_remove());
}

static double truth(int64_t step, int64_t i, int64_t j, int64_t k)
{
    return (double)((i * 31 + j * 7 + k * 3 + step * 11) % 97) + .25;
}

/* A box in the middle, in both orders of its loops, with values that add and that set. */
TEST_WITH(values_arrive_as_they_were_given, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("all:eps=.5", 3, 30, 20, 20);
    int work_probe = mm_mesh_probe(m, "work", "given");
    int other = mm_mesh_probe(m, "other", "given");
    const int64_t lo[3] = {7, 3, 4}, hi[3] = {15, 11, 20};
    struct mesh_shared *h;
    struct mesh_slot *slot;

    assert_int_equal(0, mm_mesh_rank(m, 2, 4));
    assert_int_equal(
        0, mm_mesh_place(m, (const double[]){1, 2, 3}, (const double[]){.5, .25, 2}));
    assert_int_equal(0, mm_mesh_box(m, 0, lo, hi));
    for (int64_t step = 3; step < 5; step++) {
        assert_int_equal(0, mm_mesh_step(m, step, .5 * (double)step));
        for (int64_t k = lo[2]; k < hi[2]; k++)
            for (int64_t j = lo[1]; j < hi[1]; j++)
                for (int64_t i = lo[0]; i < hi[0]; i++) {
                    int64_t cell = mm_mesh_index(m, 0, i, j, k);

                    assert_int_equal((i * 20 + j) * 20 + k, cell);
                    mm_mesh_value(m, work_probe, cell, -1);
                    mm_mesh_value(m, work_probe, cell, truth(step, i, j, k));
                    if (step == 4) {
                        mm_mesh_add(m, other, cell, 1);
                        mm_mesh_add(m, other, cell, .5 * (double)k);
                    }
                }
    }
    h = last_segment(0);
    assert_int_equal(0, mm_mesh_close(m));
    assert_int_equal(MESH_SHARED_CLOSED, atomic_load(&h->state));
    assert_string_equal("field", h->about.name);
    assert_string_equal("probetest", h->session);
    assert_int_equal(2, h->rank);
    assert_int_equal(4, h->ranks);
    assert_int_equal(2, h->probes);
    assert_string_equal("other", h->probe[1].name);
    assert_true(h->probe[1].eps == .5 && h->about.spacing[2] == 2);
    assert_int_equal(2, atomic_load(&h->filled));
    for (int64_t step = 3; step < 5; step++) {
        slot = segment_full(h);
        assert_non_null(slot);
        assert_true(slot->step == step && slot->time_s == .5 * (double)step);
        assert_int_equal(step == 4 ? 3 : 1, slot->told);
        assert_int_equal(8 * 8 * 16, slot->cells);
        for (int64_t i = 0; i < 30; i++)
            for (int64_t j = 0; j < 20; j++)
                for (int64_t k = 0; k < 20; k++) {
                    float v = slot_value(h, slot, 0, 0, i, j, k);
                    float o = slot_value(h, slot, 1, 0, i, j, k);
                    int mine = i >= 7 && i < 15 && j >= 3 && j < 11 && k >= 4;

                    assert_int_equal(mine, !isnan(v));
                    assert_true(!mine || v == (float)truth(step, i, j, k));
                    assert_true(!mine || step == 3 || o == 1 + .5f * (float)k);
                }
        slot_free(slot);
    }
    assert_null(segment_full(h));
    munmap(h, h->bytes);
}

/* Two levels of several boxes; they move within a step and need a new segment. */
TEST_WITH(boxes_move_and_cells_that_stay_keep_values, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("work", 2, 8, 8, 0);
    int p = mm_mesh_probe(m, "work", "given");
    struct mesh_shared *first, *second;
    struct mesh_slot *slot;

    assert_int_equal(0, mm_mesh_levels(m, 2, 2));
    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0, 0}, (int64_t[]){4, 8}));
    assert_int_equal(
        0, mm_mesh_boxes(m, 1, 2, (int64_t[]){0, 0, 6, 6}, (int64_t[]){2, 16, 8, 8}));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    first = last_segment(0);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 8; j++)
            mm_mesh_value(m, p, mm_mesh_index(m, 0, i, j, 0), (double)(10 * i + j));
    mm_mesh_value(m, p, 64 + 1 * 16 + 15, 7);
    mm_mesh_value(m, p, mm_mesh_index(m, 1, 7, 7, 0), 8);
    /* cells of level 0 from 2 on stay, those of level 1 become more than there is room
     * for, of which one stays */
    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){2, 0}, (int64_t[]){6, 8}));
    assert_int_equal(0, mm_mesh_box(m, 1, (int64_t[]){4, 0}, (int64_t[]){16, 16}));
    mm_mesh_value(m, p, mm_mesh_index(m, 0, 5, 7, 0), 99);
    assert_int_equal(0, mm_mesh_step(m, 1, NAN));
    assert_int_equal(MESH_SHARED_MOVED, atomic_load(&first->state));
    assert_null(segment_full(first));
    second = last_segment(1);
    slot = segment_full(second);
    assert_non_null(slot);
    assert_true(slot->step == 0 && slot->told == 1 && isnan(slot->time_s));
    for (int64_t i = 0; i < 8; i++)
        for (int64_t j = 0; j < 8; j++) {
            float v = slot_value(second, slot, 0, 0, i, j, 0);

            assert_int_equal(i < 2 || i > 5, isnan(v));
            if (i >= 2 && i < 4)
                assert_true(v == (float)(10 * i + j));
            else if (i >= 4 && i < 6)
                assert_true(v == (i == 5 && j == 7 ? 99 : 0));
        }
    assert_true(isnan(slot_value(second, slot, 0, 1, 1, 15, 0)));
    assert_true(slot_value(second, slot, 0, 1, 7, 7, 0) == 8);
    assert_true(slot_sum(second, slot, 0) == 20 * 8 + 28 + 30 * 8 + 28 + 99 + 8);
    /* no cells at all */
    assert_int_equal(0, mm_mesh_boxes(m, 0, 0, NULL, NULL));
    assert_int_equal(0, mm_mesh_boxes(m, 1, 0, NULL, NULL));
    assert_int_equal(0, mm_mesh_close(m));
    slot_free(slot);
    slot = segment_full(second);
    assert_non_null(slot);
    assert_true(slot->step == 1 && slot->boxes == 0 && slot->told == 0);
    munmap(first, first->bytes);
    munmap(second, second->bytes);
}

/* A set of cells that spans too much for a table is searched. */
TEST_WITH(cells_far_apart_are_found, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("work", 3, 400, 400, 400);
    int p = mm_mesh_probe(m, "work", "given");
    int64_t lo[20][3], hi[20][3];
    struct mesh_shared *h;
    struct mesh_slot *slot;
    double sum = 0;

    for (int b = 0; b < 20; b++)
        for (int d = 0; d < 3; d++) {
            lo[b][d] = (b * 20 + d * 3) % 395;
            hi[b][d] = lo[b][d] + 1 + (b + d) % 4;
        }
    assert_int_equal(0, mm_mesh_boxes(m, 0, 20, &lo[0][0], &hi[0][0]));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    for (int b = 19; b >= 0; b--)
        for (int64_t k = lo[b][2]; k < hi[b][2]; k++)
            for (int64_t j = lo[b][1]; j < hi[b][1]; j++)
                for (int64_t i = lo[b][0]; i < hi[b][0]; i++) {
                    mm_mesh_value(m, p, mm_mesh_index(m, 0, i, j, k), truth(0, i, j, k));
                    sum += truth(0, i, j, k);
                }
    assert_int_equal(0, mm_mesh_block_value(m, p, 0, lo[3], hi[3], 640));
    h = last_segment(0);
    assert_int_equal(0, mm_mesh_close(m));
    slot = segment_full(h);
    assert_non_null(slot);
    assert_true(fabs(slot_sum(h, slot, 0) - sum - 640) < 1e-3 * sum);
    for (int b = 0; b < 20; b++)
        if (b != 3)
            assert_true(slot_value(h, slot, 0, 0, hi[b][0] - 1, lo[b][1], hi[b][2] - 1) ==
                        (float)truth(0, hi[b][0] - 1, lo[b][1], hi[b][2] - 1));
    munmap(h, h->bytes);
}

TEST_WITH(a_step_without_a_free_slot_is_dropped_and_counted, no_segments, no_segments)
{
    struct mm_mesh *m;
    struct mesh_shared *h;
    int p;

    setenv(MESH_SLOTS_VARIABLE, "2", 1);
    m = open_mesh("work:every=3", 1, 10, 0, 0);
    unsetenv(MESH_SLOTS_VARIABLE);
    p = mm_mesh_probe(m, "work", "given");
    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){10}));
    for (int64_t step = 0; step < 13; step++) {
        assert_int_equal(0, mm_mesh_step(m, step, NAN));
        mm_mesh_value(m, p, step % 10, (double)step + 1);
    }
    h = last_segment(0);
    assert_int_equal(2, h->slots);
    assert_int_equal(13, atomic_load(&h->begun));
    assert_int_equal(2, atomic_load(&h->filled));
    assert_int_equal(3, atomic_load(&h->dropped));
    assert_int_equal(6, atomic_load(&h->dropped_first));
    assert_int_equal(12, atomic_load(&h->dropped_last));
    assert_int_equal(0, segment_full(h)->step);
    slot_free(segment_full(h));
    assert_int_equal(3, segment_full(h)->step);
    assert_true(slot_value(h, segment_full(h), 0, 0, 3, 0, 0) == 4);
    assert_int_equal(0, mm_mesh_step(m, 15, NAN));
    mm_mesh_value(m, p, 9, 5);
    assert_int_equal(0, mm_mesh_close(m));
    slot_free(segment_full(h));
    assert_int_equal(15, segment_full(h)->step);
    assert_true(slot_sum(h, segment_full(h), 0) == 5);
    munmap(h, h->bytes);
}

/* All cells together have what passed between first and last border, cells with more work
 * more of it; runs of cells have it evenly. Returns whether that is so. */
static int is_time_of_cells(const char *cells, const char *kind, clockid_t clock,
                            int even)
{
    enum { N = 400 };
    struct mm_mesh *m = open_mesh(cells, 1, N, 0, 0);
    int p = mm_mesh_probe(m, "cost", kind), right;
    double outer, inner, sum, light = 0, heavy = 0;
    struct mesh_shared *h;
    struct mesh_slot *slot;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){N}));
    outer = seconds(clock);
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    work(100000);
    mm_mesh_start(m, p);
    outer = seconds(clock) - outer > 0 ? seconds(clock) : 0;
    inner = seconds(clock);
    mm_mesh_start(m, p);
    for (int c = 0; c < N; c++) {
        work(c < N / 2 ? 1000 : 5000);
        mm_mesh_cell(m, p, c);
    }
    inner = seconds(clock) - inner;
    outer = seconds(clock) - outer;
    h = last_segment(0);
    assert_int_equal(0, mm_mesh_close(m));
    slot = segment_full(h);
    assert_non_null(slot);
    assert_int_equal(even ? 1 : 0, slot->blocks);
    sum = 1e-9 * slot_sum(h, slot, 0);
    for (int c = 0; c < N; c++)
        *(c < N / 2 ? &light : &heavy) += (double)slot_value(h, slot, 0, 0, c, 0, 0);
    assert_true(light > 0);
    /* a sanitizer's own work may be most of a time */
    right = TEST_ASAN || TEST_TSAN || heavy > 1.5 * light;
    /* the last run that is not whole has the mean of the one before */
    if (!even)
        right = right && sum < inner * 1.001 + 1e-5 && sum > .9 * inner;
    else
        right = right && sum < 1.5 * outer && sum > .5 * inner;
    if (even)
        assert_true(slot_value(h, slot, 0, 0, 1, 0, 0) ==
                    slot_value(h, slot, 0, 0, 2, 0, 0));
    munmap(h, h->bytes);
    return right;
}

/* Another program may take the core between two borders: one of three attempts has to be
 * right. */
static void time_cells(const char *cells, const char *kind, clockid_t clock, int even)
{
    int attempt = 1;

    while (!is_time_of_cells(cells, kind, clock, even))
        assert_true(attempt++ < 3);
}

TEST_WITH(cells_have_the_time_that_passed, no_segments, no_segments)
{
    time_cells("cost", "time", CLOCK_MONOTONIC, 0);
    time_cells("cost", "cpu", CLOCK_THREAD_CPUTIME_ID, 0);
}

TEST_WITH(cells_of_a_run_share_its_time, no_segments, no_segments)
{
    time_cells("cost:blocks", "time", CLOCK_MONOTONIC, 1);
    time_cells("cost:blocks", "cpu", CLOCK_THREAD_CPUTIME_ID, 1);
}

static double count_up(void *argument)
{
    return *(double *)argument;
}

TEST_WITH(custom_counters_and_blocks_share_growth_evenly, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("all", 2, 6, 5, 0);
    double counter = 100;
    int p = mm_mesh_custom(m, "flops", "flop", count_up, &counter);
    int given = mm_mesh_probe(m, "given", "given");
    const int64_t lo[2] = {1, 1}, hi[2] = {3, 4};
    struct mesh_shared *h;
    struct mesh_slot *slot;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0, 0}, (int64_t[]){6, 5}));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    counter += 12;
    assert_int_equal(0, mm_mesh_block(m, p, 0, lo, hi));
    counter += 5;
    mm_mesh_cell(m, p, mm_mesh_index(m, 0, 1, 1, 0));
    counter += 50;
    mm_mesh_start(m, p);
    counter += 3;
    mm_mesh_cell(m, p, 29);
    assert_int_equal(0, mm_mesh_block_value(m, given, 0, lo, hi, 3));
    h = last_segment(0);
    assert_int_equal(0, mm_mesh_close(m));
    slot = segment_full(h);
    assert_non_null(slot);
    assert_string_equal("flop", h->probe[0].unit);
    assert_true(slot_value(h, slot, 0, 0, 1, 1, 0) == 7);
    assert_true(slot_value(h, slot, 0, 0, 2, 3, 0) == 2);
    assert_true(slot_value(h, slot, 0, 0, 5, 4, 0) == 3);
    assert_true(slot_sum(h, slot, 0) == 20);
    assert_true(slot_sum(h, slot, 1) == 3);
    munmap(h, h->bytes);
}

TEST_WITH(elements_have_coordinates, no_segments, no_segments)
{
    struct cca_error err = {0};
    const int64_t mine[5] = {9, 3, 4, 0, 5};
    double centres[5][2];
    struct mm_mesh *m;
    struct mesh_shared *h, *c;
    struct mesh_slot *slot;
    const double *x;
    int p;

    ask("all");
    m = mm_mesh_open_elements("tri", 2, 10, &err);
    assert_non_null(m);
    meshes++;
    p = mm_mesh_probe(m, "work", "given");
    for (int e = 0; e < 5; e++) {
        centres[e][0] = (double)mine[e];
        centres[e][1] = (double)(100 + mine[e]);
    }
    assert_int_equal(0, mm_mesh_elements(m, 5, mine, &centres[0][0]));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    for (int e = 0; e < 5; e++)
        mm_mesh_value(m, p, mine[e], (double)mine[e] + 1);
    c = last_segment(0);
    h = last_segment(1);
    assert_int_equal(0, mm_mesh_close(m));
    assert_int_equal(MESH_SHARED_CENTRES, c->kind);
    assert_int_equal(MM_MESH_UNSTRUCTURED, h->about.kind);
    slot = segment_full(c);
    assert_non_null(slot);
    assert_int_equal(3, slot->boxes); /* 0, 3 to 5, 9 */
    x = (const double *)(const void *)((const char *)slot + c->value_first);
    for (int e = 0; e < 5; e++) {
        static const double order[5] = {0, 3, 4, 5, 9};

        assert_true(x[3 * e] == order[e] && x[3 * e + 1] == 100 + order[e] &&
                    x[3 * e + 2] == 0);
    }
    slot = segment_full(h);
    assert_non_null(slot);
    for (int e = 0; e < 5; e++)
        assert_true(slot_value(h, slot, 0, 0, mine[e], 0, 0) == (float)mine[e] + 1);
    munmap(h, h->bytes);
    munmap(c, c->bytes);
}

TEST_WITH(probes_that_were_not_asked_for_tell_nothing, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("work", 1, 4, 0, 0);
    int cost = mm_mesh_probe(m, "cost", "time"), w = mm_mesh_probe(m, "work", "given");
    struct mesh_shared *h;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){4}));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    mm_mesh_cell(m, cost, 1);
    mm_mesh_start(m, cost);
    assert_int_equal(0, mm_mesh_block(m, cost, 0, (int64_t[]){0}, (int64_t[]){4}));
    mm_mesh_value(m, w, 1, 3);
    h = last_segment(0);
    assert_int_equal(0, mm_mesh_close(m));
    assert_int_equal(1, h->probes);
    assert_string_equal("work", h->probe[0].name);
    assert_int_equal(1, segment_full(h)->told);
    assert_true(slot_sum(h, segment_full(h), 0) == 3);
    munmap(h, h->bytes);
}

TEST_WITH(a_forked_child_writes_nothing, no_segments, no_segments)
{
    struct mm_mesh *m = open_mesh("work", 1, 4, 0, 0);
    int w = mm_mesh_probe(m, "work", "given"), status;
    struct mesh_shared *h;
    pid_t child;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){4}));
    assert_int_equal(0, mm_mesh_step(m, 0, NAN));
    mm_mesh_value(m, w, 1, 3);
    child = fork();
    if (child == 0) {
        struct cca_error err = {0};

        mm_mesh_value(m, w, 2, 9);
        if (mm_mesh_step(m, 1, NAN) != 0 || mm_mesh_box(m, 7, NULL, NULL) != 0 ||
            mm_mesh_close(m) != 0)
            _exit(1);
        if (mm_mesh_open("field", 1, (int64_t[]){4}, &err) || err.code != -ECHILD)
            _exit(2);
        _exit(0);
    }
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_int_equal(0, status);
    h = last_segment(0);
    assert_int_equal(MESH_SHARED_OPEN, atomic_load(&h->state));
    mm_mesh_value(m, w, 0, 1);
    assert_int_equal(0, mm_mesh_close(m));
    assert_true(slot_sum(h, segment_full(h), 0) == 4);
    munmap(h, h->bytes);
}

/* Cells that cost less than a clock: `auto` comes to tell few steps, those of powers of
 * two, and does not pay for steps that nobody takes. */
TEST_WITH(auto_tells_fewer_steps_where_cells_cost_little, no_segments, no_segments)
{
    enum { N = 2000, STEPS = 30000 };
    /* Starting costs some 0.1 ms, which is 0.5 % only of a run that is long enough. */
    const double long_enough = .3, begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct mm_mesh *m = open_mesh("all:auto", 1, N, 0, 0);
    int p = mm_mesh_probe(m, "cost", "time");
    volatile double x[16] = {0};
    struct mesh_shared *h = NULL;
    struct mesh_slot *slot;
    int64_t told = 0, step = 0;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){N}));
    for (; step < STEPS || seconds(CLOCK_PROCESS_CPUTIME_ID) < begin + long_enough;
         step++) {
        assert_int_equal(0, mm_mesh_step(m, step, NAN));
        for (int c = 0; c < N; c++) {
            x[c % 16] = x[c % 16] * .5 + 1;
            mm_mesh_cell(m, p, c);
        }
        if (!h)
            h = last_segment(0);
        while ((slot = segment_full(h)) != NULL) {
            assert_int_equal(0, slot->every & (slot->every - 1));
            assert_int_equal(0, slot->step % slot->every);
            told++;
            slot_free(slot);
        }
    }
    assert_true(told >= 3 && told <= step / 8);
    assert_true(atomic_load(&h->every) >= 8);
    assert_int_equal(0, atomic_load(&h->dropped));
    assert_int_equal(0, mm_mesh_close(m));
    munmap(h, h->bytes);
}

/* Cells that cost much are all told; an agent's wish, and what it costs, count. */
TEST_WITH(auto_tells_all_where_cells_cost_much, no_segments, no_segments)
{
    enum { N = 64, STEPS = 40 };
    struct mm_mesh *m = open_mesh("all:auto", 1, N, 0, 0);
    int p = mm_mesh_probe(m, "cost", "time");
    struct mesh_shared *h = NULL;
    struct mesh_slot *slot;
    int64_t told = 0;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){N}));
    for (int64_t step = 0; step < STEPS; step++) {
        assert_int_equal(0, mm_mesh_step(m, step, NAN));
        for (int c = 0; c < N; c++) {
            work(20000);
            mm_mesh_cell(m, p, c);
        }
        if (!h)
            h = last_segment(0);
        while ((slot = segment_full(h)) != NULL) {
            told++;
            assert_true(step < 8 || !slot->blocks);
            slot_free(slot);
        }
    }
    assert_true(told >= STEPS / 2);
    atomic_store(&h->every_least, 5);
    assert_int_equal(0, mm_mesh_step(m, 48, NAN));
    assert_int_equal(8, atomic_load(&h->every));
    assert_int_equal(0, mm_mesh_close(m));
    munmap(h, h->bytes);
}

TESTS(NULL, NULL)
