/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of equal cells, gaps between steps, means and columns, and that what is not asked
 * for is not decoded. With arguments `make DIR` it makes the experiments that
 * test_mesh_vtk.sh and test_mesh_verb.sh look at. */
#include "tests/lib/test.h"

#include <math.h>

#include "mesh/convert/parts.h"
#include "mesh/convert/columns.h"
#include "mesh/convert/gaps.h"
#include "mesh/convert/region.h"
#include "tests/mesh/profiles.h"

static char folder[] = "/tmp/test_mesh_convert.XXXXXX";

static int make_all(const char *dir)
{
    char path[256];
    int failed = 0;

#define MAKE(name, steps)                                                                \
    (snprintf(path, sizeof path, "%s/" #name ".mm", dir),                                \
     profile_make(path, &profile_##name, steps, profile_##name##_boxes))
    failed |= MAKE(amr2, 3);
    failed |= MAKE(amr3, 2);
    failed |= MAKE(elements, 3);
    failed |= MAKE(grid, 4);
    return failed;
}

static int set_up(void **state)
{
    (void)state;
    return !mkdtemp(folder) || make_all(folder);
}

static int tear_down(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}

static struct mesh_profile *open_profile(const char *name)
{
    char path[256];
    struct mesh_profile *p;

    snprintf(path, sizeof path, "%s/%s.mm", folder, name);
    p = mesh_profile_open(path, NULL, NULL);
    assert_non_null(p);
    return p;
}

/* --- Boxes and gaps ------------------------------------------------------- */

TEST(boxes_cover_each_cell_once_with_its_key)
{
    srand(3);
    for (int round = 0; round < 300; round++) {
        int64_t n[3] = {1 + rand() % 7, 1 + rand() % 7, 1 + rand() % 7}, count;
        int64_t cells = n[0] * n[1] * n[2];
        int32_t keys[343], kept[343];
        int kinds = 1 + rand() % 3;
        struct mesh_key_box *boxes;

        for (int64_t c = 0; c < cells; c++)
            kept[c] = keys[c] = rand() % 5 ? rand() % kinds : MESH_NO_KEY;
        count = mesh_boxes_cover(n, keys, &boxes);
        assert_true(count >= 0 && count <= cells);
        for (int64_t b = 0; b < count; b++)
            for (int64_t i = boxes[b].lo[0]; i < boxes[b].hi[0]; i++)
                for (int64_t j = boxes[b].lo[1]; j < boxes[b].hi[1]; j++)
                    for (int64_t k = boxes[b].lo[2]; k < boxes[b].hi[2]; k++) {
                        int64_t c = (i * n[1] + j) * n[2] + k;

                        assert_true(i < n[0] && j < n[1] && k < n[2]);
                        assert_int_not_equal(boxes[b].key, MESH_NO_KEY);
                        assert_int_equal(kept[c], boxes[b].key);
                        kept[c] = MESH_NO_KEY;
                    }
        for (int64_t c = 0; c < cells; c++)
            assert_int_equal(kept[c], MESH_NO_KEY);
        free(boxes);
    }
}

TEST(a_box_of_one_key_is_one_box)
{
    int64_t n[3] = {30, 20, 20};
    int32_t *keys = calloc(12000, sizeof *keys);
    struct mesh_key_box *boxes;

    assert_int_equal(mesh_boxes_cover(n, keys, &boxes), 1);
    assert_int_equal(boxes[0].hi[0] * boxes[0].hi[1] * boxes[0].hi[2], 12000);
    free(boxes);
    free(keys);
}

TEST(every_kth_step_is_no_gap)
{
    const int64_t fifth[] = {0, 5, 10, 15}, hole[] = {0, 5, 10, 25}, one[] = {7};
    const int64_t ends[] = {INT64_MIN, 0, INT64_MAX};
    struct mesh_gaps gaps;

    mesh_gaps_find(fifth, 4, &gaps);
    assert_int_equal(gaps.lost, 0);
    assert_int_equal(gaps.stride, 5);
    mesh_gaps_find(hole, 4, &gaps);
    assert_int_equal(gaps.lost, 2);
    assert_int_equal(gaps.first, 15);
    mesh_gaps_find(one, 1, &gaps);
    assert_int_equal(gaps.lost, 0);
    mesh_gaps_find(ends, 3, &gaps);
    assert_int_equal(gaps.stride, INT64_MAX);
    assert_int_equal(gaps.lost, 1);
    assert_int_equal(gaps.first, -1);
}

/* --- Regions -------------------------------------------------------------- */

/* The mean of a coarse cell by its definition. */
static double mean_of(const struct mesh_region *r, const int64_t coarse[3], int64_t step,
                      int dims)
{
    double sum = 0;
    int count = 0;
    int64_t c[3];

    for (c[0] = r->lo[0]; c[0] < r->hi[0]; c[0]++)
        for (c[1] = r->lo[1]; c[1] < r->hi[1]; c[1]++)
            for (c[2] = r->lo[2]; c[2] < r->hi[2]; c[2]++) {
                int inside = 1;

                for (int d = 0; d < dims; d++)
                    inside &= c[d] / r->coarse == coarse[d];
                if (inside) {
                    sum += (double)profile_value(step, r->level, c);
                    count++;
                }
            }
    return sum / count;
}

static void check_region(struct mesh_profile *p, const struct mesh_region *region)
{
    const struct mm_mesh_about *about = mesh_profile_about(p);
    int64_t n[3], first[3], at[3];
    double values[4096], *value = values;

    mesh_region_size(about, region, n, first);
    assert_true(n[0] * n[1] * n[2] <= 4096);
    assert_int_equal(mesh_region_values(p, 1, 0, region, values, NULL, NULL), 0);
    for (at[0] = first[0]; at[0] < first[0] + n[0]; at[0]++)
        for (at[1] = first[1]; at[1] < first[1] + n[1]; at[1]++)
            for (at[2] = first[2]; at[2] < first[2] + n[2]; at[2]++) {
                double mean = mean_of(region, at, 1, about->dims);

                assert_true(fabs(*value - mean) <= 1e-9 * mean);
                value++;
            }
}

TEST(means_of_coarse_cells_are_those_of_their_cells)
{
    struct mesh_profile *p = open_profile("grid");

    srand(5);
    for (int round = 0; round < 20; round++) {
        struct mesh_region region;

        mesh_region_whole(mesh_profile_about(p), 0, &region);
        region.coarse = 1 + rand() % 20;
        for (int d = 0; d < 3; d++) {
            region.lo[d] = rand() % (region.hi[d] - 10);
            region.hi[d] = region.lo[d] + 1 + rand() % 10;
        }
        check_region(p, &region);
    }
    mesh_profile_close(p);
}

TEST(coarse_cells_of_whole_bricks_decode_nothing)
{
    struct mesh_profile *p = open_profile("grid");
    struct mesh_region region;

    mesh_region_whole(mesh_profile_about(p), 0, &region);
    region.coarse = 16;
    check_region(p, &region);
    assert_int_equal(mesh_profile_decoded(p), 0);
    region.coarse = 32;
    check_region(p, &region);
    assert_int_equal(mesh_profile_decoded(p), 0);
    region.coarse = 15;
    check_region(p, &region);
    assert_true(mesh_profile_decoded(p) > 0);
    mesh_profile_close(p);
}

TEST(a_cell_decodes_its_brick_alone)
{
    struct mesh_profile *p = open_profile("grid");
    struct mesh_region region = {.lo = {40, 17, 3}, .hi = {41, 18, 4}, .coarse = 1};
    const struct mesh_step *step = mesh_profile_step(p, 0);
    uint64_t bytes = 0, decoded;
    double value;

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++)
        bytes += mesh_profile_block(p, b)->bytes;
    assert_int_equal(mesh_region_values(p, 0, 0, &region, &value, NULL, NULL), 0);
    assert_true(value == (double)profile_value(0, 0, region.lo));
    decoded = mesh_profile_decoded(p);
    assert_true(decoded > 0);
    assert_true(decoded * 20 < bytes); /* 48 bricks */
    mesh_profile_close(p);
}

TEST(a_cell_of_level_0_has_the_work_above_it)
{
    struct mesh_profile *p = open_profile("amr2");
    double total = 0, sum = 0;
    float values[128];
    int32_t owner[128];
    const struct mesh_step *step = mesh_profile_step(p, 2);
    int64_t corner[3] = {7, 7, 0}, fine[3];
    double wanted = (double)profile_value(2, 0, corner);

    assert_int_equal(mesh_columns_values(p, 2, 0, values, owner, NULL), 0);
    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++)
        total += mesh_profile_block(p, b)->sum;
    for (int c = 0; c < 128; c++) {
        sum += (double)values[c];
        assert_int_equal(owner[c], c / 8 >= 8);
    }
    assert_true(fabs(sum - total) < 1e-6 * total);
    /* Cell 7,7 is under no box of level 1. */
    assert_true(values[7 * 8 + 7] == (float)wanted);
    fine[2] = 0;
    wanted = (double)profile_value(2, 0, (int64_t[]){3, 2, 0});
    for (fine[0] = 6; fine[0] < 8; fine[0]++)
        for (fine[1] = 4; fine[1] < 6; fine[1]++)
            wanted += (double)profile_value(2, 1, fine);
    assert_true(fabs((double)values[3 * 8 + 2] - wanted) < 1e-3);
    mesh_profile_close(p);
}

TEST(ranks_are_those_that_have_blocks)
{
    struct mesh_profile *p = open_profile("elements");

    assert_int_equal(mesh_columns_ranks(p, NULL), 2);
    mesh_profile_close(p);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "make") == 0)
        return make_all(argv[2]);
    return cmocka_run_group_tests(test_list, set_up, tear_down);
}
