/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_difference.c: the interval of a difference agrees with the intervals of the two
 * forecasts that it is of. */
#include "tests/lib/test.h"

#include "mastermind/choice/difference.h"
#include "tests/assembly/made_sweep.h"

enum { TRIALS = 20000, ITEMS = 2 };

static double log_uniform(double low, double high)
{
    return low * pow(high / low, rows_random());
}

/* Make a forecast up: costs of parts over four decades, errors of models and laws up to
 * five times what they are of, an interval of its own. */
static void make_up(struct mm_forecast *f)
{
    double squares = 0;

    f->total_ns = 0;
    for (size_t i = 0; i < f->part_count; i++)
        for (size_t k = 0; k < f->parts[i].cell_count; k++) {
            struct mm_forecast_cell *cell = &f->parts[i].cells[k];

            cell->cost_ns = log_uniform(1e3, 1e7);
            cell->model_ns = cell->cost_ns * log_uniform(1e-4, 5);
            cell->own_ns = rows_random() < .5 ? 0 : cell->cost_ns * log_uniform(1e-4, 5);
            f->total_ns += cell->cost_ns;
            squares += cell->model_ns * cell->model_ns + cell->own_ns * cell->own_ns;
        }
    for (size_t i = 0; i < f->part_count; i++) {
        f->parts[i].cost_ns = 0;
        for (size_t k = 0; k < f->parts[i].cell_count; k++)
            f->parts[i].cost_ns += f->parts[i].cells[k].cost_ns;
    }
    f->run_sd = rows_random() < .1 ? NAN : log_uniform(.01, .5);
    squares = sqrt(squares) / f->total_ns + (isnan(f->run_sd) ? 0 : 2 * f->run_sd);
    f->low_ns = f->total_ns * exp(-squares);
    f->high_ns = f->total_ns * exp(squares);
    if (rows_random() < .05)
        f->low_ns = f->high_ns = NAN;
}

/* The forecasts of a choice and of the next best assembly. */
TEST(a_tie_includes_zero_is_within_a_factor_of_two_and_no_wider_than_both_intervals)
{
    struct world *w = world_new(7, .02);
    struct cca_error err = {0};
    struct mm_open_choice *choice;
    size_t ties = 0, apart = 0, none = 0;

    ask_size(w, "40");
    choice = choose(w, NULL, 0, NULL, &err);
    assert_non_null(choice);
    assert_true(choice->count >= ITEMS);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct mm_open_assembly *a = &choice->items[0], *b = &choice->items[1];
        struct mm_decider decider;
        double ratio, half, low, high;

        make_up(a->forecast);
        make_up(b->forecast);
        assert_int_equal(mm_difference_find(choice, a, b, &decider), 0);
        ratio = b->forecast->total_ns / a->forecast->total_ns;
        half = hypot(log(a->forecast->high_ns / a->forecast->total_ns),
                     log(b->forecast->high_ns / b->forecast->total_ns));
        low = 1 + b->apart_low_ns / a->forecast->total_ns;
        high = 1 + b->apart_high_ns / a->forecast->total_ns;
        none += isnan(low);
        ties += b->is_tie;
        apart += !b->is_tie && fabs(log(ratio)) <= log(2);
        assert_int_equal(isnan(low), isnan(high));
        if (isnan(half)) {
            assert_true(isnan(low) && !b->is_tie);
            continue;
        }
        if (b->is_tie)
            assert_true(ratio <= 2 && ratio >= .5 &&
                        (isnan(low) || (low <= 1 && 1 <= high)));
        else if (ratio <= 2 && ratio >= .5)
            assert_true(low > 1 || high < 1);
        if (isnan(low))
            continue;
        assert_true(low >= ratio * exp(-half) * (1 - 1e-9));
        assert_true(high <= ratio * exp(half) * (1 + 1e-9));
        assert_true(high / low < 60);
        assert_true(decider.share >= 0 && decider.share <= 1);
    }
    assert_true(ties > TRIALS / 100 && apart > TRIALS / 1000 && none > TRIALS / 100);
    mm_open_choice_free(choice);
    world_free(w);
}

/* A costly class's error is a share of its own total, however cheap the choice is. */
TEST(a_large_error_of_a_much_dearer_assembly_is_no_tie)
{
    struct world *w = world_new(8, .02);
    struct cca_error err = {0};
    struct mm_open_choice *choice;
    struct mm_open_assembly *a, *b;

    ask_size(w, "40");
    choice = choose(w, NULL, 0, NULL, &err);
    assert_non_null(choice);
    a = &choice->items[0];
    b = &choice->items[1];
    for (int side = 0; side < 2; side++) {
        struct mm_forecast *f = choice->items[side].forecast;

        f->total_ns = side ? 1.67e9 : 89e6;
        f->low_ns = side ? .43e9 : 50e6;
        f->high_ns = side ? 6.5e9 : 160e6;
        for (size_t i = 0; i < f->part_count; i++)
            for (size_t k = 0; k < f->parts[i].cell_count; k++)
                f->parts[i].cells[k].own_ns = side && !i && !k ? 2e9 : 0;
    }
    assert_int_equal(mm_difference_find(choice, a, b, NULL), 0);
    assert_false(b->is_tie);
    assert_true(isnan(b->apart_low_ns) || b->apart_low_ns > 0);
    mm_open_choice_free(choice);
    world_free(w);
}

/* Numbers of calls that did not vary have no error: they are no reason. */
TEST(the_reason_named_is_the_largest_contribution)
{
    struct world *w = world_new(9, .02);
    struct cca_error err = {0};
    struct mm_open_choice *choice;

    ask_size(w, "40");
    choice = choose(w, NULL, 0, NULL, &err);
    assert_non_null(choice);
    for (int kind = 0; kind < 2; kind++) {
        struct mm_decider decider = {.kind = MM_DOUBT_MPI};

        for (int side = 0; side < 2; side++) {
            struct mm_forecast *f = choice->items[side].forecast;

            f->run_sd = NAN;
            for (size_t i = 0; i < f->part_count; i++)
                for (size_t k = 0; k < f->parts[i].cell_count; k++) {
                    struct mm_forecast_cell *cell = &f->parts[i].cells[k];

                    memset(cell->driver_ns, 0, sizeof cell->driver_ns);
                    cell->model_ns = !kind * side * cell->cost_ns / 10;
                    cell->own_ns = kind * side * cell->cost_ns / 10;
                }
        }
        assert_int_equal(
            mm_difference_find(choice, &choice->items[0], &choice->items[1], &decider),
            0);
        assert_int_equal(decider.kind, kind ? MM_DOUBT_COUNTS : MM_DOUBT_COST);
        assert_int_equal(decider.item, 1);
    }
    mm_open_choice_free(choice);
    world_free(w);
}

TESTS(NULL, NULL)
