/* SPDX-License-Identifier: BSD-3-Clause */
/* Which run is next: by hand for a few questions, and against all runs tried one by one.
 */
#include "tests/lib/test.h"

#include <math.h>

#include "properties/search/search.h"

static void near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

TEST(time_is_a_median_of_equal_ranks_or_a_power_law_of_two)
{
    static const struct mm_search_run made[] = {
        {2, 0, 8}, {2, 0, 6}, {2, 0, 40}, {8, 0, 2}, {1, 0, NAN}};

    near(mm_search_seconds(made, 5, 2, 0), 8);
    near(mm_search_seconds(made, 5, 8, 0), 2);
    near(mm_search_seconds(made, 5, 4, 0),
         4); /* a quarter of the time on 4 x the ranks */
    near(mm_search_seconds(made, 5, 1, 0), 16);
    near(mm_search_seconds(made, 3, 1, 0), 8); /* one number of ranks tells no law */
    near(mm_search_seconds(made, 3, 2, MM_ASK_SPLIT), 8 * 1.01);
    assert_true(isnan(mm_search_seconds(made, 0, 2, 0)));
}

static struct mm_search_choice choose(const struct mm_search_question *questions,
                                      size_t count, const struct mm_search_run *made,
                                      size_t made_count, double left)
{
    static const int ranks[] = {1, 2, 4};
    struct mm_search_choice choice;

    mm_search_choose(&choice, &(struct mm_search_request){.questions = questions,
                                                          .question_count = count,
                                                          .made = made,
                                                          .made_count = made_count,
                                                          .ranks = ranks,
                                                          .ranks_count = 3,
                                                          .allowed = 31,
                                                          .left = left,
                                                          .least_gain = .01});
    return choice;
}

TEST(the_first_run_is_the_one_that_asks_most_on_most_ranks)
{
    static const struct mm_search_question questions[] = {
        {.5, 1, 0, 0, 1},
        {.5, 4, 0, 0, 1},
        {.3, 1, MM_ASK_SPLIT | MM_ASK_MESSAGES, 0, 1},
        {.3, 4, MM_ASK_SPLIT | MM_ASK_MESSAGES, 0, 1}};
    struct mm_search_choice c = choose(questions, 4, NULL, 0, INFINITY);

    assert_true(c.found);
    assert_int_equal(c.run.ranks, 4);
    assert_int_equal(c.run.asks, MM_ASK_SPLIT | MM_ASK_MESSAGES);
    assert_int_equal(c.serves, 2);
    near(c.gain, .8);
}

TEST(cheap_runs_come_before_dear_ones_of_the_same_gain)
{
    static const struct mm_search_run made[] = {{1, 0, 1}, {4, 0, 10}};
    static const struct mm_search_question questions[] = {{.2, 1, 0, 1, 1},
                                                          {.3, 4, 0, 1, 1}};
    struct mm_search_choice c = choose(questions, 2, made, 2, INFINITY);

    assert_int_equal(c.run.ranks, 1);
    c = choose(questions + 1, 1, made, 2, 5);
    assert_false(c.found);
    assert_true(c.too_long);
    c = choose(questions, 0, made, 2, 5);
    assert_false(c.found || c.too_long);
}

TEST(repeats_are_of_one_configuration_and_share_their_gain)
{
    static const struct mm_search_question questions[] = {
        {.4, 2, MM_ASK_SPLIT, 1, 2}, {.1, 2, MM_ASK_SPLIT | MM_ASK_OPENMP, 0, 1}};
    struct mm_search_choice c = choose(questions, 2, NULL, 0, INFINITY);

    assert_int_equal(c.run.asks, MM_ASK_SPLIT);
    near(c.gain, .2);
    /* What would need so many runs that each is worth nothing is not asked. */
    c = choose(&(struct mm_search_question){.4, 2, 0, 1, 41}, 1, NULL, 0, INFINITY);
    assert_false(c.found);
}

TEST(no_run_measures_more_than_a_row_has_places_for)
{
    static const struct mm_search_question questions[] = {{.4, 2, MM_ASK_SPLIT, 0, 1},
                                                          {.4, 2, MM_ASK_CACHE, 0, 1},
                                                          {.3, 2, MM_ASK_OPENMP, 0, 1}};
    struct mm_search_choice c = choose(questions, 3, NULL, 0, INFINITY);

    assert_int_equal(c.run.asks & MM_ASK_CACHE && c.run.asks & MM_ASK_SPLIT, 0);
    assert_true(mm_search_places(c.run.asks) <= MM_SEARCH_PLACES);
    assert_int_equal(c.serves, 2);
}

/* Every run of every kind, tried one by one. */
TEST(the_choice_has_the_most_gain_a_second)
{
    static const int ranks[] = {1, 2, 4};
    uint64_t state = 12345;

    for (int round = 0; round < 2000; round++) {
        struct mm_search_question q[6];
        struct mm_search_run made[3];
        struct mm_search_choice c;
        double best = 0;

        for (int i = 0; i < 6; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            q[i] = (struct mm_search_question){.gain = (double)(state >> 40 & 255) / 255,
                                               .ranks = ranks[(state >> 20) % 3],
                                               .asks = (unsigned)(state >> 30 & 31),
                                               .exact = (int)(state >> 50 & 1),
                                               .runs = 1 + (double)(state >> 55 & 3)};
        }
        for (int i = 0; i < 3; i++)
            made[i] =
                (struct mm_search_run){ranks[i], 0, 1 + (double)(state >> (8 * i) & 31)};
        c = choose(q, 6, made, 3, INFINITY);
        for (int r = 0; r < 3; r++)
            for (unsigned asks = 0; asks < 32; asks++) {
                double gain = 0;

                for (int i = 0; i < 6; i++)
                    if (q[i].ranks == ranks[r] && (q[i].asks & asks) == q[i].asks &&
                        (!q[i].exact || q[i].asks == asks) &&
                        q[i].gain / q[i].runs >= .01)
                        gain += q[i].gain / q[i].runs;
                if (mm_search_places(asks) <= MM_SEARCH_PLACES)
                    best = fmax(best, gain / mm_search_seconds(made, 3, ranks[r], asks));
            }
        if (best > 0)
            near(c.gain / c.run.seconds, best);
        assert_int_equal(c.found, best > 0);
    }
}

TESTS(NULL, NULL)
