/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_laws.c: laws of counts have closed forms where there are some, intervals that
 * hold where runs scatter, and predict counts of recorded runs twice as large. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/ranks.h"

enum { MOST = 64, TEXT = 200 };

struct runs {
    struct mm_law_axis axis[MM_LAW_AXES];
    size_t axes, count;
    double x[MOST * MM_LAW_AXES], y[MOST];
};

static struct runs runs_of(const char *a, const char *b, const char *c)
{
    struct runs runs = {.axis = {{a, 0}, {b, 0}, {c, 0}}, .axes = c ? 3 : b ? 2 : 1};

    return runs;
}

static void runs_add(struct runs *runs, double a, double b, double c, double y)
{
    const double x[] = {a, b, c};

    assert_true(runs->count < MOST);
    memcpy(runs->x + runs->count * runs->axes, x, runs->axes * sizeof *x);
    runs->y[runs->count++] = y;
}

static struct mm_law *runs_law(const struct runs *runs)
{
    const struct mm_law_table table = {runs->axis, runs->axes, runs->count,
                                       runs->x,    runs->y,    0};
    struct cca_error err = {0};
    struct mm_law *law = mm_law_find(&table, &err);

    if (!law)
        fail_msg("%s", err.text);
    return law;
}

static struct mm_law_number exactly(double x)
{
    return (struct mm_law_number){x, x, x};
}

static struct mm_law_prediction predict(const struct mm_law *law, double a, double b,
                                        double c)
{
    const struct mm_law_number x[] = {exactly(a), exactly(b), exactly(c)};
    struct mm_law_prediction prediction;

    mm_law_predict(law, x, &prediction);
    return prediction;
}

/* The runs' law is exact and has `truth` at a, b, c. */
static void assert_exact(const struct runs *runs, double a, double b, double c,
                         double truth)
{
    struct mm_law *law = runs_law(runs);
    struct mm_law_prediction prediction = predict(law, a, b, c);
    char text[TEXT];

    mm_law_print(law, text, sizeof text);
    if (!prediction.exact || fabs(prediction.number.value - truth) > 1e-8 * fabs(truth))
        fail_msg("%s: %.10g (%.10g .. %.10g), not %.10g", text, prediction.number.value,
                 prediction.number.low, prediction.number.high, truth);
    mm_law_free(law);
}

static void assert_unknown(const struct mm_law_prediction *prediction,
                           enum mm_law_reason reason, const char *axis)
{
    assert_int_equal(prediction->reason, reason);
    assert_true(isnan(prediction->number.value));
    if (axis)
        assert_string_equal(prediction->axis, axis);
}

TEST(powers_and_constants_are_exact_from_three_runs)
{
    struct runs linear = runs_of("NX", NULL, NULL), constant = linear, cube = linear,
                affine = linear, logs = linear;

    for (double nx = 32; nx <= 128; nx *= 2) {
        runs_add(&linear, nx, 0, 0, 6 * nx);
        runs_add(&constant, nx, 0, 0, 17);
        runs_add(&cube, nx, 0, 0, 5 * nx * nx * nx);
        runs_add(&affine, nx, 0, 0, 2 * nx + 3);
        runs_add(&logs, nx, 0, 0, 2.5 * nx * log2(nx));
    }
    assert_exact(&linear, 1000, 0, 0, 6000);
    assert_exact(&constant, 1000, 0, 0, 17);
    assert_exact(&cube, 1000, 0, 0, 5e9);
    assert_exact(&affine, 1000, 0, 0, 2003);
    assert_exact(&logs, 1000, 0, 0, 2500 * log2(1000));
}

TEST(sums_of_three_terms_are_exact)
{
    static const double sizes[] = {10, 17, 32, 50, 64};
    struct runs runs = runs_of("NX", NULL, NULL);

    for (size_t i = 0; i < 5; i++)
        runs_add(&runs, sizes[i], 0, 0, 3 * sizes[i] * sizes[i] + 7 * sizes[i] + 12);
    assert_exact(&runs, 300, 0, 0, 3 * 9e4 + 7 * 300 + 12);
}

TEST(two_axes_and_ceilings_are_exact)
{
    static const double sizes[] = {30, 64, 100}, patches[] = {8, 16, 24};
    struct runs product = runs_of("NX", "NY", NULL),
                ceiling = runs_of("NX", "PATCH", NULL), ghosts = ceiling;

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            double x = sizes[i], p = patches[k];

            runs_add(&product, x, p, 0, 2 * x * p + x);
            runs_add(&ceiling, x, p, 0, 12 * ceil(x / p));
            runs_add(&ghosts, x, p, 0, x * x + 4 * x * ceil(x / p) + 3);
        }
    }
    assert_exact(&product, 500, 90, 0, 2 * 500 * 90 + 500);
    assert_exact(&ceiling, 500, 24, 0, 12 * 21);
    assert_exact(&ghosts, 500, 16, 0, 500 * 500 + 4 * 500 * 32 + 3);
}

TEST(forms_that_the_runs_cannot_tell_apart_are_an_interval)
{
    struct runs runs = runs_of("NX", "PATCH", NULL);
    struct mm_law *law;
    struct mm_law_prediction prediction;

    for (double nx = 64; nx <= 256; nx *= 2)
        for (double p = 8; p <= 32; p *= 2)
            runs_add(&runs, nx, p, 0, 10 * nx / p);
    law = runs_law(&runs);
    prediction = predict(law, 512, 16, 0);
    assert_true(prediction.exact && prediction.number.value == 320);
    prediction = predict(law, 100, 16, 0);
    assert_false(prediction.exact);
    assert_true(prediction.number.low <= 62.5 + 1e-9 &&
                prediction.number.high >= 70 - 1e-9);
    mm_law_free(law);
}

/* Pieces of a rectangle, counted one by one. */
struct pieces {
    double border, sum_q_log_q, sum_uneven;
};

/* The length of piece `i` of `length` cells cut by `most`: as equal as can be, or full
 * but for the last one. */
static int piece_length(int length, int most, int i, int is_uneven)
{
    int count = (length + most - 1) / most;

    if (is_uneven)
        return i + 1 < count ? most : length - i * most;
    return length / count + (i < length % count);
}

static struct pieces count_pieces(int nx, int ny, int most)
{
    int across = (nx + most - 1) / most, along = (ny + most - 1) / most;
    struct pieces pieces = {0, 0, 0};

    for (int i = 0; i < across; i++) {
        for (int j = 0; j < along; j++) {
            double q = (piece_length(nx, most, i, 0) + 1) * piece_length(ny, most, j, 0);
            double uneven = piece_length(nx, most, i, 1) * piece_length(ny, most, j, 1);

            pieces.border += i == 0 || j == 0 || i == across - 1 || j == along - 1;
            pieces.sum_q_log_q += q * log2(q);
            pieces.sum_uneven += uneven * log2(uneven);
        }
    }
    return pieces;
}

TEST(patches_at_the_border_and_sums_over_pieces_are_exact)
{
    static const int sizes[] = {30, 64, 100}, others[] = {16, 25, 44},
                     most[] = {8, 11, 24};
    struct runs border = runs_of("NX", "NY", "PATCH"), even = border, uneven = border,
                last = runs_of("NX", "PATCH", NULL);
    struct pieces truth = count_pieces(200, 75, 13);

    for (size_t i = 0; i < 9; i++) {
        int nx = sizes[i % 3], ny = others[i / 3], p = most[(i + i / 3) % 3];
        struct pieces pieces = count_pieces(nx, ny, p);

        runs_add(&border, nx, ny, p, 6 * pieces.border);
        runs_add(&even, nx, ny, p, 4 * pieces.sum_q_log_q);
        runs_add(&uneven, nx, ny, p, 4 * pieces.sum_uneven);
        runs_add(&last, nx, p, 0, 3 * nx + 5 * (nx % p));
    }
    assert_exact(&border, 200, 75, 13, 6 * truth.border);
    assert_exact(&even, 200, 75, 13, 4 * truth.sum_q_log_q);
    assert_exact(&uneven, 200, 75, 13, 4 * truth.sum_uneven);
    assert_exact(&last, 200, 13, 0, 3 * 200 + 5 * (200 % 13));
}

TEST(levels_ranks_and_bounds_are_exact)
{
    static const double sizes[] = {32, 50, 100}, ranks[] = {1, 2, 3, 8};
    struct runs levels = runs_of("NX", "DEPTH", NULL),
                each = runs_of("NX", "ranks", NULL), least = runs_of("NX", "NY", NULL),
                most = least, zero = runs_of("NX", "PATCH", NULL);
    struct mm_law *law;
    struct mm_law_prediction prediction;

    for (size_t i = 0; i < 12; i++) {
        double nx = sizes[i % 3], level = (double)(i / 3), rank = ranks[i / 3];
        double ny = (double)(20 + 13 * (i * 7 % 5)),
               patch = i % 4 ? 8. * (double)(i % 4) : 0;

        runs_add(&levels, nx, level, 0, 3 * nx * exp2(level));
        runs_add(&each, nx, rank, 0, 4 * floor(nx / rank) + nx);
        runs_add(&least, nx, ny, 0, 7 * fmin(nx, ny));
        runs_add(&most, nx, ny, 0, 2 * fmax(nx, ny) + 40);
        runs_add(&zero, nx, patch, 0, 12 * (patch > 0 ? ceil(nx / patch) : 1) + nx);
    }
    assert_exact(&levels, 128, 6, 0, 3 * 128 * 64);
    assert_exact(&each, 333, 4, 0, 4 * 83 + 333);
    assert_exact(&least, 300, 47, 0, 7 * 47);
    assert_exact(&least, 30, 47, 0, 7 * 30);
    assert_exact(&most, 300, 47, 0, 2 * 300 + 40);
    assert_exact(&zero, 300, 0, 0, 12 + 300);
    assert_exact(&zero, 300, 16, 0, 12 * 19 + 300);
    /* Without runs that are not cut, PATCH = 0 is no small patch. */
    for (size_t i = 0; i < zero.count; i++)
        zero.x[2 * i + 1] += zero.x[2 * i + 1] == 0 ? 5 : 0;
    law = runs_law(&zero);
    prediction = predict(law, 300, 0, 0);
    assert_unknown(&prediction, MM_LAW_AXIS_IS_ZERO, "PATCH");
    mm_law_free(law);
}

static double uniform(void);

TEST(a_length_that_no_run_cut_may_be_cut)
{
    struct runs runs = runs_of("NX", "NY", "PATCH");
    struct mm_law *law;
    struct mm_law_prediction prediction;

    for (double nx = 40; nx <= 200; nx += 40)
        for (double patch = 16; patch <= 32; patch += 8)
            runs_add(&runs, nx, 8 + (nx > 100) * 4 + patch / 8, patch,
                     60 * ceil(nx / patch));
    law = runs_law(&runs);
    prediction = predict(law, 400, 16, 16);
    assert_true(prediction.exact && prediction.number.value == 1500);
    prediction = predict(law, 400, 40, 16);
    assert_false(prediction.exact);
    assert_true(prediction.number.low <= 1500 && prediction.number.high >= 4500);
    mm_law_free(law);
}

/* Small even sizes are no levels: nothing doubles with each. */
TEST(a_small_size_is_no_exponent)
{
    for (int i = 0; i < 60; i++) {
        struct runs runs = runs_of("NX", "NY", NULL);
        double power = 1.5 + 1.5 * uniform();
        char text[TEXT];
        struct mm_law *law;

        for (double ny = 4; ny <= 12; ny += 2)
            runs_add(&runs, 4 * ny, ny, 0,
                     floor(40 * pow(4 * ny, power) * (1 + .02 * uniform())));
        law = runs_law(&runs);
        mm_law_print(law, text, sizeof text);
        if (strstr(text, "2^N"))
            fail_msg("%s", text);
        mm_law_free(law);
    }
}

/* The library is large, so nothing may be exact by chance. */
TEST(counts_without_a_law_are_not_exact)
{
    int tables = test_count("LAWS", 80, 2000), exact = 0;

    for (int i = 0; i < tables; i++) {
        struct runs runs = runs_of("NX", "NY", "PATCH");
        size_t count = 4 + (size_t)(6 * uniform());
        double most = exp2(2 + 9 * uniform());
        struct mm_law *law;

        for (size_t k = 0; k < count; k++)
            runs_add(&runs, floor(16 + 100 * uniform()), floor(8 + 40 * uniform()),
                     floor(4 + 20 * uniform()), floor(most * uniform()) + 1);
        law = runs_law(&runs);
        exact += mm_law_kind(law) == MM_LAW_EXACT;
        mm_law_free(law);
    }
    print_message("%d of %d tables without a law are taken for exact\n", exact, tables);
    assert_true(exact <= tables / 50);
}

/* Steps are nearly in proportion to NX: what is left could explain anything. */
TEST(a_driver_in_step_with_a_parameter_neither_proves_nor_runs_away)
{
    int tables = test_count("LAWS", 50, 1000);

    for (int i = 0; i < tables; i++) {
        struct runs runs = runs_of("NX", "steps", NULL);
        double power = 1 + 2 * uniform(), truth = 3.7 * pow(512, power);
        struct mm_law_prediction prediction;
        struct mm_law *law;

        runs.axis[1].is_driver = 1;
        for (double nx = 32; nx <= 256; nx *= i % 2 ? 2 : 1.5)
            runs_add(&runs, nx, round(2.26 * nx + uniform()), 0,
                     3.7 * pow(nx, power) * (1 + .01 * uniform()));
        law = runs_law(&runs);
        prediction = predict(law, 512, 1157, 0);
        assert_int_equal(mm_law_kind(law), MM_LAW_TREND);
        if (!(prediction.number.value > truth / 1.5 &&
              prediction.number.value < 1.5 * truth))
            fail_msg("%g, not %g", prediction.number.value, truth);
        mm_law_free(law);
    }
}

TEST(a_parameter_that_does_not_matter_is_left_out)
{
    struct runs runs = runs_of("NX", "PATCH", NULL);
    struct mm_law *law;
    struct mm_law_prediction prediction;

    for (double nx = 32; nx <= 128; nx *= 2)
        for (double patch = 8; patch <= 32; patch *= 2)
            runs_add(&runs, nx, patch, 0, 20001 + 31.7 * nx + .13 * nx * nx);
    law = runs_law(&runs);
    /* Nine runs, but three counts: they prove no sum of three terms. */
    assert_int_equal(mm_law_kind(law), MM_LAW_TREND);
    prediction = predict(law, 64, 11, 0);
    assert_true(prediction.exact);
    assert_true(fabs(prediction.number.value - runs.y[3]) < 1e-9 * runs.y[3]);
    mm_law_free(law);
}

TEST(area_and_length_of_a_refined_region_are_told_apart)
{
    struct runs runs = runs_of("NX", NULL, NULL);
    struct mm_law *law;
    double truth = 512. * 512 * (.04 + 9. / 512);
    struct mm_law_prediction prediction;

    for (double nx = 32; nx <= 256; nx *= 1.5)
        runs_add(&runs, floor(nx), 0, 0,
                 floor(floor(nx) * floor(nx) * (.04 + 9 / floor(nx)) *
                       (1 + .002 * (uniform() - .5))));
    law = runs_law(&runs);
    prediction = predict(law, 512, 0, 0);
    assert_true(fabs(prediction.number.value / truth - 1) < .03);
    assert_true(prediction.number.low < truth && prediction.number.high > truth);
    mm_law_free(law);
}

TEST(axes_of_which_runs_tell_nothing_are_named)
{
    struct runs fixed = runs_of("NX", "NY", NULL), step = fixed,
                few = runs_of("NX", NULL, NULL);
    struct mm_law *law;
    struct mm_law_prediction prediction;
    char text[TEXT];

    for (double nx = 32; nx <= 256; nx *= 2) {
        runs_add(&fixed, nx, 8, 0, 3 * nx * 8);
        runs_add(&step, nx, nx / 4, 0, 3 * nx * nx / 4);
    }
    law = runs_law(&fixed);
    prediction = predict(law, 512, 16, 0);
    assert_unknown(&prediction, MM_LAW_AXIS_DID_NOT_VARY, "NY");
    mm_law_print_reason(&prediction, text, sizeof text);
    assert_string_equal(text, "NY did not vary");
    mm_law_free(law);
    law = runs_law(&step);
    prediction = predict(law, 512, 16, 0);
    assert_unknown(&prediction, MM_LAW_AXIS_NOT_ALONE, NULL);
    prediction = predict(law, 512, 128, 0);
    assert_true(prediction.exact && prediction.number.value == 3 * 512 * 128);
    assert_true(prediction.beyond == 4 || prediction.beyond == 2);
    mm_law_free(law);
    runs_add(&few, 32, 0, 0, 1);
    runs_add(&few, 64, 0, 0, 2);
    law = runs_law(&few);
    assert_int_equal(mm_law_kind(law), MM_LAW_NONE);
    prediction = predict(law, 128, 0, 0);
    assert_unknown(&prediction, MM_LAW_TOO_FEW_RUNS, NULL);
    prediction = predict(law, 64, 0, 0);
    assert_true(prediction.exact && prediction.number.value == 2);
    mm_law_free(law);
}

TEST(bad_runs_are_left_out_and_equal_ones_merged)
{
    struct runs runs = runs_of("NX", NULL, NULL), backwards = runs;
    struct mm_law *law, *same;
    struct mm_law_prediction prediction;
    struct cca_error err = {0};
    char text[TEXT], again[TEXT];

    runs_add(&runs, 16, 0, 0, NAN);
    runs_add(&runs, INFINITY, 0, 0, 3);
    for (double nx = 32; nx <= 256; nx *= 2) {
        runs_add(&runs, nx, 0, 0, 5 * nx);
        runs_add(&runs, nx, 0, 0, 5 * nx);
    }
    law = runs_law(&runs);
    assert_int_equal(mm_law_runs(law), 4);
    assert_int_equal(mm_law_kind(law), MM_LAW_EXACT);
    mm_law_print(law, text, sizeof text);
    assert_string_equal(text, "5 * NX");
    for (size_t i = runs.count; i-- > 0;)
        runs_add(&backwards, runs.x[i], 0, 0, runs.y[i]);
    same = runs_law(&backwards);
    mm_law_print(same, again, sizeof again);
    assert_string_equal(text, again);
    mm_law_free(same);
    mm_law_free(law);
    runs_add(&runs, 64, 0, 0, 330);
    law = runs_law(&runs);
    prediction = predict(law, 512, 0, 0);
    assert_false(prediction.exact);
    assert_true(prediction.number.low < prediction.number.high);
    prediction = predict(law, 64, 0, 0);
    assert_true(prediction.number.low < 330 && prediction.number.high > 320);
    mm_law_free(law);
    runs.count = 2;
    assert_null(mm_law_find(
        &(struct mm_law_table){runs.axis, 1, runs.count, runs.x, runs.y, 0}, &err));
    assert_int_equal(err.code, -ENODATA);
}

TEST(zeros_and_negative_numbers_are_numbers)
{
    struct runs zero = runs_of("NX", NULL, NULL), minus = zero, at_zero = zero,
                some = zero;
    struct mm_law *law;

    for (double nx = 0; nx < 6; nx++) {
        runs_add(&zero, nx + 1, 0, 0, 0);
        runs_add(&minus, nx + 20, 0, 0, 100 - 7 * (nx + 20));
        runs_add(&at_zero, nx * 10, 0, 0, 30 * nx);
        runs_add(&some, nx * nx + 1, 0, 0, nx < 3 ? 0 : nx * 31);
    }
    assert_exact(&zero, 100, 0, 0, 0);
    assert_exact(&minus, 100, 0, 0, -600);
    assert_exact(&at_zero, 100, 0, 0, 300);
    law = runs_law(&some);
    assert_false(predict(law, 50, 0, 0).exact);
    mm_law_free(law);
}

TEST(drivers_carry_their_intervals)
{
    struct runs runs = runs_of("NX", "cells", NULL);
    struct mm_law_prediction prediction;
    struct mm_law_number x[2] = {exactly(256), {40000, 38000, 42000}};
    struct mm_law *law;

    runs.axis[1].is_driver = 1;
    runs_add(&runs, 32, 1021, 0, 4 * 1021 + 32);
    runs_add(&runs, 48, 1870, 0, 4 * 1870 + 48);
    runs_add(&runs, 64, 3391, 0, 4 * 3391 + 64);
    runs_add(&runs, 96, 7004, 0, 4 * 7004 + 96);
    law = runs_law(&runs);
    mm_law_predict(law, x, &prediction);
    assert_false(prediction.exact);
    assert_true(fabs(prediction.number.value - 160256) < 1e-6);
    assert_true(fabs(prediction.number.low - 152256) < 1e-6);
    assert_true(fabs(prediction.number.high - 168256) < 1e-6);
    assert_true(prediction.own < 1e-9 && prediction.drivers > .04);
    x[1] = exactly(40000);
    mm_law_predict(law, x, &prediction);
    assert_true(prediction.exact);
    mm_law_free(law);
}

static unsigned long long state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) * 0x1p-53;
}

/* One table of cells of an adaptive mesh: true where its interval has an unseen run,
 * twice as large. */
static int table_covers(double *half)
{
    struct runs runs = runs_of("NX", "NY", NULL);
    double power = .8 + 1.4 * uniform(), other = 1.2 * uniform();
    double factor = 2 + 30 * uniform(), noise = .02 + .08 * uniform(), truth, nx, ny;
    size_t count = 5 + (size_t)(5 * uniform());
    struct mm_law_prediction prediction;
    struct mm_law *law;

    for (size_t i = 0; i < count; i++) {
        nx = floor(24 * pow(2, 3 * (double)i / (double)(count - 1)));
        ny = floor(8 + 40 * uniform());
        runs_add(&runs, nx, ny, 0,
                 floor(factor * pow(nx, power) * pow(ny, other) *
                       (1 + noise * (2 * uniform() - 1))));
    }
    truth = floor(factor * pow(384, power) * pow(30, other) *
                  (1 + noise * (2 * uniform() - 1)));
    law = runs_law(&runs);
    prediction = predict(law, 384, 30, 0);
    assert_int_equal(prediction.reason, MM_LAW_IS_KNOWN);
    *half =
        (prediction.number.high - prediction.number.low) / 2 / prediction.number.value;
    mm_law_free(law);
    return truth >= prediction.number.low && truth <= prediction.number.high;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

TEST(intervals_of_trends_hold_as_often_as_stated)
{
    int tables = test_count("LAWS", 120, 2000), inside = 0;
    double *half = calloc((size_t)tables, sizeof *half);

    assert_non_null(half);
    state = 1;
    for (int i = 0; i < tables; i++)
        inside += table_covers(&half[i]);
    qsort(half, (size_t)tables, sizeof *half, compare_doubles);
    print_message("%d of %d intervals hold (%.1f %%), median half-width %.1f %%\n",
                  inside, tables, 100. * inside / tables, 100 * half[tables / 2]);
    assert_in_range(1000 * inside / tables, 850, 970);
    free(half);
}
/* --- What runs prove --------------------------------------------------------------- */

/* Calls of the right-hand side of scripts/shock-amr.rc, three levels, PATCH = 16, NY =
 * 16, and its steps, whose law alone would be NX^3 or NX^4. */
TEST(powers_beyond_the_extents_of_a_mesh_are_not_made_of_four_runs)
{
    static const double calls[] = {1160, 1742, 2400, 5572}, steps[] = {10, 13, 15, 19};
    static const double nx[] = {32, 48, 64, 96};
    struct runs runs = {.axis = {{"NX", 0}, {"steps", 1}}, .axes = 2};
    struct mm_law_prediction prediction;
    struct mm_law *law;

    for (size_t i = 0; i < 4; i++)
        runs_add(&runs, nx[i], steps[i], 0, calls[i]);
    law = runs_law(&runs);
    prediction = predict(law, 384, 58, 0);
    assert_true(prediction.number.value < 5572 * 4 * 58 / 19. * 1.5);
    mm_law_free(law);
}

/* A cube is true where it predicts the larger runs, whatever it is of. */
TEST(a_power_that_larger_runs_prove_is_taken)
{
    struct runs runs = runs_of("N", NULL, NULL);
    struct mm_law_prediction prediction;
    struct mm_law *law;

    state = 3;
    for (double n = 20; n < 200; n *= 1.4)
        runs_add(&runs, floor(n), 0, 0,
                 floor(7 * pow(floor(n), 3) * (1 + .04 * (uniform() - .5))));
    law = runs_law(&runs);
    prediction = predict(law, 400, 0, 0);
    assert_true(fabs(prediction.number.value / (7 * pow(400, 3)) - 1) < .1);
    mm_law_free(law);
}

/* Values 10 % about a constant hardly ever prove growth, three runs of a line never; a
 * line of five runs with 3 % does. */
TEST(growth_is_proven_by_larger_runs_alone)
{
    size_t proven = 0, by_chance = 0;

    state = 5;
    for (int t = 0; t < 100; t++) {
        struct runs level = runs_of("NX", NULL, NULL), line = level, few = level;
        struct mm_law *law;

        for (size_t i = 0; i < 5; i++) {
            double nx = 32 + 16 * (double)i;

            runs_add(&level, nx, 0, 0, 100 * (1 + .2 * (uniform() - .5)));
            runs_add(&line, nx, 0, 0, 3 * nx * (1 + .06 * (uniform() - .5)));
            if (i < 3)
                runs_add(&few, nx, 0, 0, 3 * nx * (1 + .06 * (uniform() - .5)));
        }
        law = runs_law(&few);
        assert_false(mm_law_is_proven(law));
        mm_law_free(law);
        law = runs_law(&line);
        proven += (size_t)mm_law_is_proven(law);
        mm_law_free(law);
        law = runs_law(&level);
        by_chance += (size_t)mm_law_is_proven(law);
        mm_law_free(law);
    }
    print_message("%zu of 100 lines are proven, and %zu constants\n", proven, by_chance);
    assert_true(proven >= 90 && by_chance <= 3);
}

TEST(three_numbers_of_ranks_tell_those_between_and_none_beyond)
{
    static const double number[] = {4, 1, 2, 2, 8}, y[] = {1, 1, 1, 1, 1};
    static const unsigned char selected[] = {1, 1, 1, 1, 0};
    struct mm_law_ranks ranks;
    char text[40];

    mm_law_ranks_init(&ranks, number, y, selected, 5);
    assert_int_equal(ranks.count, 3);
    assert_true(mm_law_ranks_nearest(&ranks, 3) == 4);
    assert_true(mm_law_ranks_nearest(&ranks, 1) == 1);
    assert_true(isnan(mm_law_ranks_nearest(&ranks, 8)));
    mm_law_ranks_print(&ranks, text, sizeof text);
    assert_string_equal(text, "1, 2 and 4");
    mm_law_ranks_init(&ranks, number, y, NULL, 5);
    assert_int_equal(ranks.count, MM_LAW_RANKS);
}
TESTS(NULL, NULL)
