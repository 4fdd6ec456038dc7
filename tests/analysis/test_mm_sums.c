/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_sums.c: the sum that models give over a run's own calls is the sum measured,
 * within 2 % or within its interval, however costs are distributed and stored. */
#include "tests/lib/test.h"

#include "bench/models/tails.h"

enum { RUNS = 100 };

/* Count the runs of a storage mode, those whose sum is wrong, and those whose interval is
 * wide, more than a quarter, though neither a tail nor a drift makes it so: pauses that
 * the host is shown to have made are no reason. */
static void count_runs(enum storage storage, int *runs, int *wrong, int *wide)
{
    struct run *run = malloc(sizeof *run);

    assert_non_null(run);
    *runs = *wrong = *wide = 0;
    for (int i = 0; i < RUNS; i++) {
        struct answer a;

        run_number(run, 7, i);
        if ((int)storage >= run_storages(run))
            continue;
        run_store(run, storage);
        assert_int_equal(run_predict(run, &a), 0);
        assert_true(isfinite(a.predicted) && a.predicted > 0);
        *runs += 1;
        *wide += run->kind == PAUSED && !(a.half <= .25 * a.predicted);
        if (!answer_is_right(run, &a)) {
            *wrong += 1;
            print_message("%s, %s: %+.1f %%, interval +- %.1f %%\n", run->about,
                          storage_names[storage], 100 * (a.predicted / a.measured - 1),
                          100 * a.half / a.predicted);
        }
    }
    free(run);
}

/* One sum in fifty may be wrong: intervals hold for 95 %. */
static void check_storage(enum storage storage)
{
    int runs, wrong, wide;

    count_runs(storage, &runs, &wrong, &wide);
    assert_true(runs >= 90);
    assert_true(wrong * 50 <= runs);
    assert_int_equal(wide, 0);
}

TEST(sums_of_rows_are_those_measured)
{
    check_storage(ROWS);
}

TEST(sums_of_samples_are_those_measured)
{
    check_storage(SAMPLES);
}

TEST(sums_of_aggregates_are_those_measured)
{
    check_storage(AGGREGATES);
}

TESTS(NULL, NULL)
