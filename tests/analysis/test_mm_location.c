/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_location.c: the main population of a size is found, whatever lies above it. */
#include <math.h>

#include "mastermind/cost/calls/location.h"
#include "tests/lib/test.h"

/* Deterministic noise in [0, 1). */
static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.;
}

TEST(rare_large_values_are_not_typical)
{
    struct mm_value values[1000];
    struct mm_location location;
    uint64_t seed = 1;

    for (int i = 0; i < 1000; i++)
        values[i] = (struct mm_value){100 + noise(&seed), 1};
    for (int i = 0; i < 50; i++)
        values[20 * i].value = 400;
    location = mm_location_of(values, 1000, 0, 0);
    assert_true(fabs(location.typ - 100.5) < .05);
    assert_true(fabs(location.weight - 950) < 1e-9);
    assert_true(location.cut > 101 && location.cut < 110);
    assert_true(fabs(location.sd - .2887) < .02);
}

TEST(weights_count_as_so_many_values)
{
    struct mm_value few[3 * 40], many[4 * 40];
    struct mm_location a, b;
    uint64_t seed = 3;

    for (int i = 0; i < 40; i++) {
        double value = 50 + noise(&seed);

        few[i] = (struct mm_value){value, 2};
        many[i] = many[40 + i] = (struct mm_value){value, 1};
        few[40 + i] = many[80 + i] = (struct mm_value){value + .1, 1};
        few[80 + i] = many[120 + i] = (struct mm_value){value - .1, 1};
    }
    a = mm_location_of(few, 120, 0, 0);
    b = mm_location_of(many, 160, 0, 0);
    assert_true(fabs(a.typ - b.typ) < .01);
    assert_true(fabs(a.weight - b.weight) < 1e-9);
}

/* Five values of a wide distribution do not tell their scale; other sizes do. */
TEST(few_values_keep_their_mean)
{
    double alone = 0, with_others = 0;
    uint64_t seed = 4;

    for (int k = 0; k < 4000; k++) {
        struct mm_value values[5], same[5];

        for (int i = 0; i < 5; i++) {
            double normal = sqrt(-2 * log(noise(&seed) + 1e-12)) *
                            cos(6.283185307179586 * noise(&seed));

            values[i] = same[i] = (struct mm_value){1 + .2 * normal, 1};
        }
        alone += mm_location_of(values, 5, 0, 0).typ / 4000;
        with_others += mm_location_of(same, 5, .2, 0).typ / 4000;
    }
    assert_true(fabs(with_others - 1) < fabs(alone - 1));
    assert_true(fabs(with_others - 1) < .01);
}

TEST(two_populations_are_parted_and_one_is_not)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct mm_value two[60], one[60];
        uint64_t state = seed;

        for (int i = 0; i < 60; i++) {
            two[i] =
                (struct mm_value){(i % 10 < 3 ? 10 : 30) * (1 + .1 * noise(&state)), 1};
            one[i] = (struct mm_value){exp(noise(&state) + noise(&state)), 1};
        }
        mm_values_sort(two, 60);
        mm_values_sort(one, 60);
        assert_int_equal(mm_values_split(two, 60, .1), 18);
        assert_int_equal(mm_values_split(one, 60, .1), 0);
    }
}

TEST(equal_values_and_single_values_are_themselves)
{
    struct mm_value same[] = {{3, 1}, {3, 1}, {3, 1}, {3, 1}, {3, 1}}, one[] = {{7, 1}};
    struct mm_value pause[] = {{900, 1}, {7, 1}}, three[] = {{8, 1}, {7, 1}, {900, 1}};
    struct mm_location location = mm_location_of(same, 5, 0, 0);

    assert_true(location.typ == 3 && location.sd == 0 && location.weight == 5);
    location = mm_location_of(one, 1, 0, 0);
    assert_true(location.typ == 7 && location.sd == 0 && location.count == 1);
    assert_true(mm_location_of(pause, 2, 0, 0).typ == 7);
    assert_true(mm_location_of(three, 3, 0, 0).typ == 8);
}

TEST(quantiles_interpolate)
{
    struct mm_value values[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}};

    assert_true(mm_values_quantile(values, 4, .5) == 2.5);
    assert_true(mm_values_quantile(values, 4, 0) == 1);
    assert_true(mm_values_quantile(values, 4, 1) == 4);
}

TESTS(NULL, NULL)
