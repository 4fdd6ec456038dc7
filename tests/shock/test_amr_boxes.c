/* SPDX-License-Identifier: BSD-3-Clause */
/* test_amr_boxes.c: boxes, masks and clusters of AMRMesh against cell-by-cell answers;
 * patches shared among ranks. */
#include "tests/lib/test.h"

#include "components/AMRMesh/balance.h"
#include "components/AMRMesh/boxes/cluster.h"
#include "components/AMRMesh/boxes/layout.h"

#define SIDE 24

static uint32_t seed = 1;

static int random_below(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (uint32_t)n);
}

static struct box random_box(int side)
{
    int i = random_below(side), j = random_below(side);

    return (struct box){i, j, i + 1 + random_below(side - i),
                        j + 1 + random_below(side - j)};
}

static int box_has(struct box b, int64_t i, int64_t j)
{
    return i >= b.ilo && i < b.ihi && j >= b.jlo && j < b.jhi;
}

/* How many boxes of a list have a cell. */
static int boxes_have(const struct boxes *boxes, int64_t i, int64_t j)
{
    int count = 0;

    for (int k = 0; k < boxes->count; k++)
        count += box_has(boxes->at[k], i, j);
    return count;
}

TEST(boxes_agree_with_their_cells)
{
    for (int n = 0; n < 200; n++) {
        struct box a = random_box(SIDE), b = random_box(SIDE);
        struct boxes rest = {0};

        assert_int_equal(0, boxes_add(&rest, a));
        assert_int_equal(0, boxes_subtract(&rest, b));
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                assert_int_equal(box_has(a, i, j) && box_has(b, i, j),
                                 box_has(box_intersect(a, b), i, j));
                assert_int_equal(box_has(a, i, j) && !box_has(b, i, j),
                                 boxes_have(&rest, i, j));
            }
        boxes_done(&rest);
    }
}

TEST(coarsening_covers_and_refining_is_its_inverse)
{
    for (int n = 0; n < 200; n++) {
        struct box a =
            box_shift(random_box(SIDE), random_below(9) - 9, random_below(9) - 9);
        struct box c = box_coarsen(a, 2);

        assert_true(box_equal(a, box_coarsen(box_refine(a, 2), 2)));
        assert_true(box_equal(box_intersect(box_refine(c, 2), a), a));
        /* and no smaller box does */
        assert_true(box_refine(c, 2).ilo > a.ilo - 2 && box_refine(c, 2).ihi < a.ihi + 2);
        assert_true(box_refine(c, 2).jlo > a.jlo - 2 && box_refine(c, 2).jhi < a.jhi + 2);
    }
}

TEST(cuts_are_even_whole_and_within_the_largest_patch)
{
    for (int n = 0; n < 300; n++) {
        int grain = 1 + random_below(2), most = random_below(9);
        struct box a = box_refine(random_box(SIDE), grain);
        struct boxes cut = {0};
        int64_t columns = pieces_needed(box_nx(a), most, grain);
        int64_t rows = pieces_needed(box_ny(a), most, grain), cells = 0;
        int64_t bound = most && most < grain ? grain : most;

        assert_int_equal(0, boxes_add_cut(&cut, a, columns, rows, grain));
        assert_int_equal(columns * rows, cut.count);
        for (int k = 0; k < cut.count; k++) {
            struct box b = cut.at[k];

            assert_true(box_equal(box_intersect(a, b), b));
            cells += box_cells(b);
            assert_int_equal(0, (b.ilo - a.ilo) % grain + (b.jlo - a.jlo) % grain);
            assert_true(!most || (box_nx(b) <= bound && box_ny(b) <= bound));
            assert_true(box_nx(b) + grain >= box_nx(cut.at[0]));
        }
        assert_int_equal(box_cells(a), cells);
        boxes_done(&cut);
    }
}

/* --- Masks ----------------------------------------------------------------- */

static void mask_random(struct mask *m, struct box box, int count, int largest)
{
    assert_int_equal(0, mask_init(m, box));
    for (int n = 0; n < count; n++) {
        struct box b = random_box(SIDE);

        b.ihi = b.ilo + 1 + random_below(largest);
        b.jhi = b.jlo + 1 + random_below(largest);
        mask_fill(m, b, 1);
    }
}

/* Whether a cell up to `cells` away is (value 1) or is not (0) in the set. */
static int is_near(const struct mask *m, int64_t i, int64_t j, int cells, int value,
                   const int periodic[2])
{
    int64_t nx = box_nx(m->box), ny = box_ny(m->box);

    for (int64_t b = j - cells; b <= j + cells; b++)
        for (int64_t a = i - cells; a <= i + cells; a++) {
            int64_t x = periodic[0] ? (a + 4 * nx) % nx : a;
            int64_t y = periodic[1] ? (b + 4 * ny) % ny : b;

            if (box_has(m->box, x, y) && mask_has(m, x, y) == value)
                return 1;
        }
    return 0;
}

TEST(masks_grow_and_shrink_by_distance)
{
    for (int n = 0; n < 60; n++) {
        const int periodic[2] = {n & 1, n >> 1 & 1};
        struct box box = {0, 0, 3 + random_below(SIDE - 3), 3 + random_below(SIDE - 3)};
        struct mask m, grown, shrunk, fine;
        int cells = random_below(5);
        struct boxes found = {0};

        mask_random(&m, box, 1 + random_below(6), 7);
        assert_int_equal(0, mask_init(&grown, box));
        assert_int_equal(0, mask_init(&shrunk, box));
        memcpy(grown.at, m.at, (size_t)box_cells(box));
        memcpy(shrunk.at, m.at, (size_t)box_cells(box));
        assert_int_equal(0, mask_grow(&grown, cells, periodic));
        assert_int_equal(0, mask_shrink(&shrunk, cells, periodic));
        assert_int_equal(0, mask_refine(&fine, &m, 2));
        assert_int_equal(0, mask_rectangles(&m, box, &found));
        for (int64_t j = 0; j < box.jhi; j++)
            for (int64_t i = 0; i < box.ihi; i++) {
                assert_int_equal(is_near(&m, i, j, cells, 1, periodic),
                                 mask_has(&grown, i, j));
                assert_int_equal(!is_near(&m, i, j, cells, 0, periodic),
                                 mask_has(&shrunk, i, j));
                assert_int_equal(mask_has(&m, i, j),
                                 mask_has(&fine, 2 * i + (n & 1), 2 * j + 1));
                assert_int_equal(mask_has(&m, i, j), boxes_have(&found, i, j));
            }
        mask_done(&m);
        mask_done(&grown);
        mask_done(&shrunk);
        mask_done(&fine);
        boxes_done(&found);
    }
}

/* --- Clusters -------------------------------------------------------------- */

TEST(clusters_cover_all_flags_once_and_efficiently)
{
    for (int n = 0; n < 200; n++) {
        struct box box = {0, 0, SIDE, SIDE};
        double efficiency = .3 + .1 * random_below(8);
        struct mask m;
        struct boxes found = {0};

        mask_random(&m, box, 1 + random_below(12), 6);
        assert_int_equal(0, cluster_find(&m, efficiency, &found));
        assert_true(found.count > 0);
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                assert_true(boxes_have(&found, i, j) <= 1);
                assert_true(boxes_have(&found, i, j) >= mask_has(&m, i, j));
            }
        for (int k = 0; k < found.count; k++) {
            assert_true((double)mask_count(&m, found.at[k]) >=
                        efficiency * (double)box_cells(found.at[k]));
            assert_true(!k || box_compare(found.at[k - 1], found.at[k]) < 0);
        }
        mask_done(&m);
        boxes_done(&found);
    }
}

TEST(transposed_flags_give_the_transposed_clusters)
{
    for (int n = 0; n < 200; n++) {
        struct box box = {0, 0, SIDE, SIDE};
        struct mask m, turned;
        struct boxes found = {0}, other = {0};

        mask_random(&m, box, 1 + random_below(12), 6);
        /* Every other one is symmetric: each cut is a tie between the axes. */
        for (int j = 0; n & 1 && j < SIDE; j++)
            for (int i = 0; i < j; i++)
                mask_row(&m, j)[i] = mask_row(&m, i)[j];
        assert_int_equal(0, mask_init(&turned, box));
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++)
                mask_row(&turned, i)[j] = mask_row(&m, j)[i];
        assert_int_equal(0, cluster_find(&m, .8, &found));
        assert_int_equal(0, cluster_find(&turned, .8, &other));
        assert_int_equal(found.count, other.count);
        for (int k = 0; k < other.count; k++) {
            struct box b = other.at[k];

            other.at[k] = (struct box){b.jlo, b.ilo, b.jhi, b.ihi};
        }
        boxes_sort(&other);
        for (int k = 0; k < found.count; k++)
            assert_true(box_equal(found.at[k], other.at[k]));
        mask_done(&m);
        mask_done(&turned);
        boxes_done(&found);
        boxes_done(&other);
    }
}

TEST(clusters_separate_what_is_apart_and_cut_at_corners)
{
    struct mask m;
    struct boxes found = {0};

    /* Two blocks with a hole between them, and an L, whose cut is the inflection. */
    assert_int_equal(0, mask_init(&m, (struct box){0, 0, SIDE, SIDE}));
    mask_fill(&m, (struct box){1, 1, 5, 4}, 1);
    mask_fill(&m, (struct box){9, 1, 13, 6}, 1);
    assert_int_equal(0, cluster_find(&m, .9, &found));
    assert_int_equal(2, found.count);
    assert_true(box_equal(found.at[0], (struct box){1, 1, 5, 4}));
    assert_true(box_equal(found.at[1], (struct box){9, 1, 13, 6}));
    found.count = 0;
    memset(m.at, 0, SIDE * SIDE);
    mask_fill(&m, (struct box){2, 2, 20, 6}, 1);
    mask_fill(&m, (struct box){2, 6, 8, 12}, 1);
    assert_int_equal(0, cluster_find(&m, .9, &found));
    assert_int_equal(2, found.count);
    assert_true(box_equal(found.at[0], (struct box){2, 2, 20, 6}));
    mask_done(&m);
    boxes_done(&found);
}

/* --- Layouts --------------------------------------------------------------- */

TEST(search_finds_every_tile_in_a_box_once)
{
    for (int n = 0; n < 100; n++) {
        struct space space = {{0, 0, SIDE, SIDE}, {n & 1, n >> 1 & 1}};
        struct box box = box_shift(random_box(SIDE), random_below(SIDE) - SIDE / 2,
                                   random_below(SIDE) - SIDE / 2);
        struct mask m;
        struct boxes tiles = {0}, found = {0};
        struct layout layout = {0};
        struct images images = {0};

        mask_random(&m, space.box, 6, 7);
        assert_int_equal(0, mask_rectangles(&m, space.box, &tiles));
        boxes_sort(&tiles);
        for (int k = 0; k < tiles.count; k++)
            assert_int_equal(0, layout_add(&layout, tiles.at[k], 0));
        assert_int_equal(0, layout_share(&layout, 0, 1));
        assert_int_equal(0, layout_find(&layout, &space, box, &images));
        for (int k = 0; k < images.count; k++)
            assert_int_equal(
                0, boxes_add(&found, box_shift(tiles.at[images.at[k].tile],
                                               images.at[k].di, images.at[k].dj)));
        for (int64_t j = box.jlo; j < box.jhi; j++)
            for (int64_t i = box.ilo; i < box.ihi; i++) {
                int64_t x = space.periodic[0] ? (i + SIDE) % SIDE : i;
                int64_t y = space.periodic[1] ? (j + SIDE) % SIDE : j;
                int is = box_has(space.box, x, y) && mask_has(&m, x, y);

                assert_int_equal(is, boxes_have(&found, i, j));
            }
        mask_done(&m);
        boxes_done(&tiles);
        boxes_done(&found);
        layout_done(&layout);
        images_done(&images);
    }
}

/* --- Owners ---------------------------------------------------------------- */

TEST(no_rank_gets_more_than_the_mean_and_one_patch)
{
    for (int n = 0; n < 100; n++) {
        int ranks = 1 + random_below(5), tiles = random_below(30);
        double loads[5] = {0}, sum = 0., dearest = 0.;
        struct layout layout = {0};
        const struct layout *levels[] = {&layout};

        for (int k = 0; k < tiles; k++)
            assert_int_equal(0, layout_add(&layout, random_box(SIDE), 0));
        assert_int_equal(0, balance_assign(&layout, ranks));
        for (int k = 0; k < tiles; k++) {
            double cost = patch_cost(layout.tiles[k].box);

            assert_in_range(layout.tiles[k].rank, 0, ranks - 1);
            loads[layout.tiles[k].rank] += cost;
            sum += cost;
            dearest = cost > dearest ? cost : dearest;
        }
        for (int rank = 0; rank < ranks; rank++)
            assert_true(loads[rank] <= sum / ranks + dearest);
        assert_true(balance_imbalance(levels, 1, ranks) >= 1. - 1e-12);
        layout_done(&layout);
    }
}

TEST(imbalance_weighs_levels_by_their_steps)
{
    struct layout coarse = {0}, fine = {0};
    const struct layout *levels[] = {&coarse, &fine};

    /* Ranks have 3 and 1 cells on level 0, 1 and 3 on level 1, which makes two steps. */
    assert_int_equal(0, layout_add(&coarse, (struct box){0, 0, 3, 1}, 0));
    assert_int_equal(0, layout_add(&coarse, (struct box){3, 0, 4, 1}, 1));
    assert_int_equal(0, layout_add(&fine, (struct box){0, 0, 1, 1}, 0));
    assert_int_equal(0, layout_add(&fine, (struct box){1, 0, 4, 1}, 1));
    assert_true(balance_imbalance(levels, 1, 2) == 3. / 2.);
    assert_true(balance_imbalance(levels, 2, 2) == (3. + 2. * 3.) / (2. + 2. * 2.));
    layout_done(&coarse);
    layout_done(&fine);
}

static struct balance_rule rule_of(const char *text)
{
    struct balance_rule rule;
    struct cca_error err = {0};

    if (balance_rule_read(text, &rule, &err))
        fail_msg("'%s': %s", text, err.text);
    return rule;
}

TEST(patches_move_when_a_rule_says_so)
{
    const struct balance_rule never = rule_of("never"), often = rule_of("every:3"),
                              once = rule_of("at:5"), above = rule_of("above:1.25"),
                              all = rule_of("above:2,every:4,at:0");

    for (int step = 0; step < 10; step++) {
        assert_int_equal(0, balance_due(&never, step, 9.));
        assert_int_equal(step && step % 3 == 0, balance_due(&often, step, 1.));
        assert_int_equal(step == 5, balance_due(&once, step, 1.));
        assert_int_equal(0, balance_due(&above, step, 1.25));
        assert_int_equal(1, balance_due(&above, step, 1.26));
        assert_int_equal(step % 4 == 0, balance_due(&all, step, 2.));
        assert_int_equal(1, balance_due(&all, step, 2.5));
    }
}

TEST(wrong_words_of_a_rule_are_one_clear_line)
{
    static const char *const wrong[][2] = {
        {"", "''"},
        {"often", "'often'"},
        {"every", "'every'"},
        {"every:", "'every:'"},
        {"every:0", "'every:0'"},
        {"every:2.5", "'every:2.5'"},
        {"every:99999999999999999999", "'every:99999999999999999999'"},
        {"every:1,every:2", "'every:2'"},
        {"every:1,", "''"},
        {"never,every:1", "'never'"},
        {"at:-1", "'at:-1'"},
        {"above:0.5", "'above:0.5'"},
        {"above:nan", "'above:nan'"},
        {"above:inf", "'above:inf'"},
        {"every:3 ,at:5", "'every:3 '"},
        {"at:1,a-word-of-more-than-thirty-two-characters,every:3",
         "'a-word-of-more-than-thirty-two-characters'"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct balance_rule rule;
        struct cca_error err = {0};

        assert_int_equal(-EINVAL, balance_rule_read(wrong[k][0], &rule, &err));
        if (!strstr(err.text, wrong[k][1]) || !strstr(err.text, "expected never"))
            fail_msg("'%s': %s", wrong[k][0], err.text);
    }
}

TESTS(NULL, NULL)
