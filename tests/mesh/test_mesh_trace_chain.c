/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that need those before them are read the same in any order, all of them or in
 * part, also where a step between never ended. */
#include <math.h>

#include "mesh/trace/cost.h"
#include "mesh/trace/profile.h"
#include "mesh/trace/writer.h"
#include "tests/lib/test.h"

enum { N0 = 20, N1 = 21, N2 = 18, CELLS = N0 * N1 * N2, STEPS = 80, UNENDED = 37 };

static const int64_t whole_lo[3] = {0, 0, 0}, whole_hi[3] = {N0, N1, N2};
static char folder[] = "/tmp/mesh_chain.XXXXXX";
static float truth[STEPS][CELLS], decoded[STEPS][CELLS];

static void make_values(void)
{
    for (int s = 0; s < STEPS; s++)
        for (int c = 0; c < CELLS; c++)
            truth[s][c] =
                (float)(3 + sin(c * .01 + s * .02) + .3 * ((c * 7 + s / 9) % 5));
}

/* Two ranks; what a reader should have comes from packing the same again. */
static void write_profile(void)
{
    struct mm_mesh_about about = {.kind = MM_MESH_GRID,
                                  .dims = 3,
                                  .n = {N0, N1, N2},
                                  .levels = 1,
                                  .ratio = 1,
                                  .spacing = {1, 1, 1},
                                  .name = "field"};
    struct mm_mesh_probe probe = {.name = "work", .eps = .05};
    struct mesh_writer *w = mesh_writer_new(folder, &about, NULL);
    struct mesh_costing *c = mesh_costing_new(3, .05, NULL);
    struct mm_mesh_step_end end = {0, 0, 2, 0};

    assert_non_null(w);
    assert_int_equal(mesh_writer_probe(w, &probe, NULL), 0);
    for (int s = 0; s < STEPS; s++) {
        for (int rank = 0; rank < 2; rank++) {
            struct mesh_box box = {.step = s,
                                   .rank = rank,
                                   .lo = {rank ? 9 : 0, 0, 0},
                                   .hi = {rank ? N0 : 9, N1, N2}};
            int64_t first = box.lo[0] * N1 * N2;

            assert_int_equal(mesh_writer_values(w, &box, truth[s] + first, NULL), 0);
            assert_int_equal(
                mesh_costing_add(c, &box, truth[s] + first, decoded[s] + first, NULL), 0);
        }
        if (s != UNENDED)
            assert_int_equal(mesh_writer_step(w, s, &end, NULL), 0);
    }
    assert_true(mesh_costing_result(c)->chained > mesh_costing_result(c)->blocks / 2);
    mesh_costing_free(c);
    assert_int_equal(mesh_writer_close(w, NULL), 0);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    make_values();
    write_profile();
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static struct mesh_profile *open_profile(void)
{
    struct mesh_profile *p = mesh_profile_open(folder, NULL, NULL);

    assert_non_null(p);
    assert_int_equal(mesh_profile_steps(p), STEPS - 1);
    return p;
}

static void check_box(struct mesh_profile *p, size_t i, const int64_t lo[3],
                      const int64_t hi[3])
{
    static float values[CELLS];
    int64_t s = mesh_profile_step(p, i)->number, at = 0;
    struct cca_error err = {0};

    if (mesh_profile_values(p, i, 0, 0, lo, hi, values, NULL, &err) != 0)
        fail_msg("%s", err.text);
    for (int64_t x = lo[0]; x < hi[0]; x++)
        for (int64_t y = lo[1]; y < hi[1]; y++)
            for (int64_t z = lo[2]; z < hi[2]; z++, at++)
                assert_memory_equal(values + at, decoded[s] + (x * N1 + y) * N2 + z,
                                    sizeof *values);
}

TEST(test_steps_in_order_are_decoded_once)
{
    struct mesh_profile *p = open_profile();
    uint64_t payloads = 0;

    for (size_t i = 0; i < STEPS - 1; i++) {
        check_box(p, i, whole_lo, whole_hi);
        for (size_t b = 0; b < mesh_profile_step(p, i)->blocks; b++)
            payloads +=
                mesh_profile_block(p, mesh_profile_step(p, i)->first_block + b)->bytes;
    }
    /* The step that never ended is decoded, too. */
    assert_in_range(mesh_profile_decoded(p), payloads, payloads + payloads / 20);
    mesh_profile_close(p);
}

TEST(test_steps_in_any_order_are_the_same)
{
    struct mesh_profile *p = open_profile();

    for (size_t i = 0; i < STEPS - 1; i++)
        check_box(p, i * 29 % (STEPS - 1), whole_lo, whole_hi);
    for (size_t i = STEPS - 1; i-- > 0;)
        check_box(p, i, whole_lo, whole_hi);
    mesh_profile_close(p);
}

TEST(test_parts_are_the_same)
{
    struct mesh_profile *p = open_profile();
    int64_t lo[3], hi[3];
    const int64_t *n = whole_hi;

    srand(3);
    for (int i = 0; i < 600; i++) {
        for (int d = 0; d < 3; d++) {
            int64_t most = i % 3 ? n[d] : 3;

            lo[d] = rand() % n[d];
            hi[d] = lo[d] + 1 + rand() % (n[d] - lo[d] < most ? n[d] - lo[d] : most);
        }
        check_box(p, (size_t)(rand() % (STEPS - 1)), lo, hi);
    }
    mesh_profile_close(p);
}

TESTS(set_up, tear_down)
