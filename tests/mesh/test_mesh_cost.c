/* SPDX-License-Identifier: BSD-3-Clause */
/* What a bound costs is what the writer then needs, and errors are where they are told.
 */
#include <math.h>
#include <sys/stat.h>

#include "mesh/trace/cost.h"
#include "mesh/trace/profile.h"
#include "mesh/trace/writer.h"
#include "tests/lib/test.h"

enum { N0 = 30, N1 = 20, N2 = 20, CELLS = N0 * N1 * N2, STEPS = 40 };

/* A shell that grows, its weights not quite smooth. */
static void weights(int step, float *values)
{
    for (int c = 0; c < CELLS; c++) {
        double x = c / (N1 * N2) - 15, y = c / N2 % N1 - 10, z = c % N2 - 10;
        double off = sqrt(x * x + y * y + z * z) - 2 - .2 * step;

        values[c] = (float)(1 + 8 * exp(-off * off / 8) + .01 * (c * 7 % 11));
    }
}

static uint64_t written(double eps)
{
    char folder[] = "/tmp/mesh_cost.XXXXXX", command[64];
    struct mm_mesh_about about = {.kind = MM_MESH_GRID,
                                  .dims = 3,
                                  .n = {N0, N1, N2},
                                  .levels = 1,
                                  .ratio = 1,
                                  .spacing = {1, 1, 1},
                                  .name = "field"};
    struct mm_mesh_probe probe = {.name = "work", .eps = eps};
    struct mesh_box box = {.rank = 0, .hi = {N0, N1, N2}};
    struct mm_mesh_step_end end = {0, 0, 1, 0};
    static float values[CELLS];
    struct mesh_writer *w;
    struct mesh_profile *p;
    uint64_t bytes = 0;

    assert_non_null(mkdtemp(folder));
    w = mesh_writer_new(folder, &about, NULL);
    assert_non_null(w);
    assert_int_equal(mesh_writer_probe(w, &probe, NULL), 0);
    for (int s = 0; s < STEPS; s++) {
        weights(s, values);
        box.step = s;
        assert_int_equal(mesh_writer_values(w, &box, values, NULL), 0);
        assert_int_equal(mesh_writer_step(w, s, &end, NULL), 0);
    }
    assert_int_equal(mesh_writer_close(w, NULL), 0);
    p = mesh_profile_open(folder, NULL, NULL);
    assert_non_null(p);
    for (size_t s = 0; s < mesh_profile_steps(p); s++)
        for (size_t b = 0; b < mesh_profile_step(p, s)->blocks; b++)
            bytes +=
                mesh_profile_block(p, mesh_profile_step(p, s)->first_block + b)->bytes;
    mesh_profile_close(p);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return bytes;
}

TEST(test_a_cost_is_what_the_writer_needs)
{
    static float values[CELLS], decoded[CELLS];
    double bounds[] = {0, .01, .05, .25};
    uint64_t before = UINT64_MAX;

    for (int e = 0; e < 4; e++) {
        struct mesh_costing *c = mesh_costing_new(3, bounds[e], NULL);
        struct mesh_box box = {.rank = 0, .hi = {N0, N1, N2}};
        const struct mesh_cost *cost = mesh_costing_result(c);
        double largest = 0, told = 0;

        for (int s = 0; s < STEPS; s++) {
            box.step = s;
            weights(s, values);
            assert_int_equal(
                mesh_costing_add(c, &box, values, s % 3 ? decoded : NULL, NULL), 0);
            for (int i = 0; i < CELLS && s % 3; i++)
                largest = fmax(largest, fabs((double)decoded[i] - (double)values[i]));
            if (cost->worst_step == s && s % 3) {
                const int64_t *w = cost->worst_cell;
                int64_t at = (w[0] * N1 + w[1]) * N2 + w[2];

                told = fabs((double)decoded[at] - (double)values[at]);
                assert_true(cost->largest == 0 || told == cost->largest);
            }
        }
        assert_true(cost->largest <= bounds[e] && cost->largest >= largest);
        assert_true(cost->rms <= cost->largest);
        assert_true(cost->sum_error <= 1e-6 * cost->sum);
        assert_int_equal(cost->cells, STEPS * CELLS);
        assert_int_equal(cost->bytes, written(bounds[e]));
        assert_true(cost->bytes < before);
        before = cost->bytes;
        mesh_costing_free(c);
    }
    assert_null(mesh_costing_new(3, -1, NULL));
}

TESTS(NULL, NULL)
