/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_select.c: the best two assemblies under requirements are those of brute force,
 * and many slots are no obstacle. */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/forecast/composite/select.h"
#include "tests/lib/mm_rows.h"

enum { SLOTS = 24, CLASSES = 4, FIXED = 2, RUN_NS = 1000 };

/* An assembly of `slots` slots, and two instances that stay; qualities "most" and "sum".
 */
struct assembly {
    int slots;
    char names[SLOTS + FIXED][8];
    struct mm_quality qualities[SLOTS + FIXED][CLASSES][2];
    struct mm_instance instances[SLOTS + FIXED], classes[SLOTS][CLASSES];
    struct mm_candidate candidates[SLOTS][CLASSES];
    struct mm_slot items[SLOTS];
    struct mm_wiring wiring;
    struct mm_choice choice;
};

static void assembly_init(struct assembly *a, int slots, uint64_t seed)
{
    rows_seed = seed;
    *a = (struct assembly){.slots = slots};
    for (int i = 0; i < slots + FIXED; i++) {
        snprintf(a->names[i], sizeof a->names[i], "i%d", i);
        for (int k = 0; k < CLASSES; k++) {
            struct mm_quality *q = a->qualities[i][k];

            q[0] = (struct mm_quality){"most", "", floor(20 * rows_random()),
                                       MM_COMPOSE_MAX};
            q[1] =
                (struct mm_quality){"sum", "", floor(20 * rows_random()), MM_COMPOSE_SUM};
        }
        a->instances[i] = (struct mm_instance){.name = a->names[i],
                                               .class_name = "C",
                                               .build_id = "",
                                               .qualities = a->qualities[i][0],
                                               .quality_count = i % 5 ? 2 : 1};
    }
    for (int i = 0; i < slots; i++) {
        a->items[i] = (struct mm_slot){.instance = a->names[i + 1],
                                       .candidates = a->candidates[i],
                                       .candidate_count = CLASSES};
        for (int k = 0; k < CLASSES; k++) {
            a->classes[i][k] = a->instances[i + 1];
            a->classes[i][k].qualities = a->qualities[i + 1][k];
            a->candidates[i][k] =
                (struct mm_candidate){.class_name = "C",
                                      .instance = &a->classes[i][k],
                                      .known = k == 0 || rows_random() < .9,
                                      .total_ns = floor(2 * RUN_NS * rows_random())};
        }
    }
    a->wiring = (struct mm_wiring){.instances = a->instances,
                                   .instance_count = (size_t)slots + FIXED};
    a->choice = (struct mm_choice){
        .slots = a->items, .slot_count = (size_t)slots, .measured_ns = RUN_NS};
}

static void free_listed(struct assembly *a)
{
    for (size_t i = 0; i < a->choice.listed_count; i++)
        free(a->choice.listed[i].at);
    free(a->choice.listed);
    a->choice.listed = NULL;
    a->choice.listed_count = 0;
}

static void assembly_done(struct assembly *a)
{
    free(a->choice.chosen);
    free(a->choice.second);
    for (size_t i = 0; i < a->choice.tie_count; i++)
        free(a->choice.ties[i].at);
    free(a->choice.ties);
    free_listed(a);
}

/* The cost of an assembly; infinite where it does not meet the requirements. */
static double cost_of(const struct assembly *a, const struct mm_requirement *r,
                      size_t count, const size_t *at)
{
    double most = -INFINITY, sum = 0, cost = RUN_NS;

    for (int i = 0; i < a->slots + FIXED; i++) {
        int in_slot = i > 0 && i <= a->slots;
        const struct mm_quality *q = a->qualities[i][in_slot ? at[i - 1] : 0];

        most = fmax(most, q[0].value);
        sum += i % 5 ? q[1].value : 0;
        if (!in_slot)
            continue;
        cost += a->candidates[i - 1][at[i - 1]].total_ns - RUN_NS;
        if (!a->candidates[i - 1][at[i - 1]].known)
            return INFINITY;
    }
    for (size_t i = 0; i < count; i++)
        if (!mm_requirement_holds(&r[i], strcmp(r[i].quality, "sum") ? most : sum))
            return INFINITY;
    return cost;
}

TEST(the_two_best_are_those_of_brute_force)
{
    static const char *const names[] = {"most", "sum"};
    int found = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct mm_requirement r[2];
        struct assembly a;
        size_t at[SLOTS] = {0}, count;
        double best = INFINITY, second = INFINITY;
        int i = 0;

        assembly_init(&a, 1 + (int)(seed % 5), seed);
        for (count = 0; count < seed % 3; count++) {
            int sum = rows_random() < .5;

            r[count] = (struct mm_requirement){
                .relation = (enum mm_relation)(5 * rows_random()),
                .bound = floor((sum ? 10 * a.slots + 10 : 20) * rows_random())};
            snprintf(r[count].quality, sizeof r[count].quality, "%s", names[sum]);
        }
        while (i < a.slots) {
            double cost = cost_of(&a, r, count, at);

            second = fmin(second, fmax(best, cost));
            best = fmin(best, cost);
            for (i = 0; i < a.slots && ++at[i] == CLASSES; i++)
                at[i] = 0;
        }
        assert_int_equal(mm_select_best(&a.choice, &a.wiring, r, count, NULL), 0);
        assert_int_equal(a.choice.found, isfinite(best));
        assert_int_equal(a.choice.has_second, isfinite(second));
        if (a.choice.found)
            assert_true(cost_of(&a, r, count, a.choice.chosen) == best);
        if (a.choice.has_second)
            assert_true(cost_of(&a, r, count, a.choice.second) == second);
        found += a.choice.found;
        assembly_done(&a);
    }
    assert_true(found > 100 && found < 290);
}

/* Lists of a random assembly, item by item as brute force has them. */
TEST(fronts_and_lists_within_a_factor_are_those_of_brute_force)
{
    size_t longest = 0;

    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct mm_choice_query front = {"most", NAN, -1}, within = {NULL, 1.5, -1};
        struct assembly a;
        size_t at[SLOTS] = {0}, expected = 0;
        double least[20], best = INFINITY;
        int i = 0;

        for (int q = 0; q < 20; q++)
            least[q] = INFINITY;
        assembly_init(&a, 1 + (int)(seed % 4), seed);
        for (int pass = 0; pass < 2; pass++) {
            for (i = 0; i < a.slots;) {
                double cost = cost_of(&a, NULL, 0, at), most = -INFINITY;

                for (int k = 0; k < a.slots + FIXED; k++)
                    most = fmax(
                        most,
                        a.qualities[k][k > 0 && k <= a.slots ? at[k - 1] : 0][0].value);
                least[(int)most] = fmin(least[(int)most], cost);
                best = fmin(best, cost);
                expected += pass && cost <= (best < 0 ? .5 : 1.5) * best;
                for (i = 0; i < a.slots && ++at[i] == CLASSES; i++)
                    at[i] = 0;
            }
        }
        assert_int_equal(mm_select_list(&a.choice, &a.wiring, NULL, 0, &within, NULL), 0);
        assert_int_equal(a.choice.listed_more, expected > MM_CHOICE_LISTED);
        if (!a.choice.listed_more)
            assert_int_equal(a.choice.listed_count, expected);
        for (size_t k = 0; k < a.choice.listed_count; k++)
            assert_true(cost_of(&a, NULL, 0, a.choice.listed[k].at) ==
                        a.choice.listed[k].total_ns);
        free_listed(&a);
        assert_int_equal(mm_select_list(&a.choice, &a.wiring, NULL, 0, &front, NULL), 0);
        assert_false(a.choice.listed_greater);
        longest = a.choice.listed_count > longest ? a.choice.listed_count : longest;
        best = INFINITY;
        expected = a.choice.listed_count;
        for (int q = 0; q < 20; q++) {
            if (!(least[q] < best))
                continue;
            best = least[q];
            assert_true(expected-- > 0);
            assert_true(a.choice.listed[expected].value == q);
            assert_true(a.choice.listed[expected].total_ns == best);
        }
        assert_int_equal(expected, 0);
        assembly_done(&a);
    }
    assert_true(longest > 2);
}

/* 4^24 assemblies. */
TEST(many_slots_are_chosen_together)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct mm_requirement r = {"sum", MM_LESS_EQUAL, 150};
        struct assembly a;

        assembly_init(&a, SLOTS, seed);
        assert_int_equal(mm_select_best(&a.choice, &a.wiring, &r, 1, NULL), 0);
        assert_true(a.choice.found && a.choice.has_second);
        assert_true(isfinite(cost_of(&a, &r, 1, a.choice.chosen)));
        assert_true(cost_of(&a, &r, 1, a.choice.chosen) <=
                    cost_of(&a, &r, 1, a.choice.second));
        assembly_done(&a);
    }
}

TEST(a_slot_without_models_leaves_no_choice)
{
    struct assembly a;

    assembly_init(&a, 3, 1);
    for (int k = 0; k < CLASSES; k++)
        a.candidates[1][k].known = 0;
    assert_int_equal(mm_select_best(&a.choice, &a.wiring, NULL, 0, NULL), 0);
    assert_false(a.choice.found);
    assembly_done(&a);
}

TEST(two_rules_for_a_required_quality_are_refused)
{
    struct mm_requirement r = {"sum", MM_LESS_EQUAL, 150};
    struct cca_error err = {0};
    struct assembly a;

    assembly_init(&a, 3, 1);
    a.qualities[2][1][1].compose = MM_COMPOSE_MAX;
    assert_int_equal(mm_select_best(&a.choice, &a.wiring, &r, 1, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "'sum'"));
    assembly_done(&a);
}

TESTS(NULL, NULL)
