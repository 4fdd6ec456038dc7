/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_problem_memory.c: allocations fail once, in a soak run all. Each failure is
 * reported and loses nothing (the leak checker of an asan build looks). */
#include "tests/lib/fail_malloc.h"
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/choice/exact/answer.h"

enum { SLOTS = 8, CLASSES = 4 };

/* Slots coupled with their next four, whose tables do not fit into the first bounds; two
 * bounded qualities. NULL: out of memory. */
static struct mm_problem *make_problem(struct cca_error *err)
{
    struct mm_problem *p = mm_problem_new();
    int result = p ? 0 : cca_no_memory(err);

    if (p && (mm_problem_add_quality(p, "q", MM_COMPOSITION_SUM, err) < 0 ||
              mm_problem_add_quality(p, "r", MM_COMPOSITION_PRODUCT, err) < 0))
        result = -ENOMEM;
    for (size_t i = 0; i < SLOTS && result >= 0; i++) {
        result = mm_problem_add_slot(p, "s", err);
        for (size_t k = 0; k < CLASSES && result >= 0; k++) {
            double cost = (double)((i * 7 + k * 5) % 11);

            result = mm_problem_add_class(p, i, "c", cost, err);
            if (result >= 0)
                result = mm_problem_set_value(p, 0, i, k, cost * .3, err);
            if (result >= 0)
                result = mm_problem_set_value(p, 1, i, k, 1 + cost / 16, err);
        }
    }
    for (size_t i = 0; i < SLOTS && result >= 0; i++) {
        for (size_t j = i + 1; j < SLOTS && result >= 0; j++) {
            double costs[CLASSES * CLASSES];

            for (size_t k = 0; k < CLASSES * CLASSES; k++)
                costs[k] = (double)((i * 31 + j * 17 + k * k * 3) % 23) - 9;
            result = mm_problem_couple(p, j, i, costs, err);
        }
    }
    if (result >= 0)
        result = mm_problem_bound(p, 0, 6, 25, err);
    if (result >= 0)
        return p;
    mm_problem_free(p);
    return NULL;
}

/* Ask with allocation `number` failing. 0: there are not so many. */
static int run(long number, int way)
{
    struct mm_answer_limits limits = {9, 200};
    struct cca_error err = {0};
    struct mm_problem *p;
    struct mm_answer *a = NULL;

    failed = 0;
    countdown = number;
    p = make_problem(&err);
    if (p && way == 0)
        a = mm_answer_best(p, &limits, &err);
    else if (p && way == 1)
        a = mm_answer_within(p, 1.1, &limits, &err);
    else if (p)
        a = mm_answer_front(p, 1, 0, &limits, &err);
    countdown = -1;
    if (a) {
        assert_int_equal(err.code, 0);
        assert_false(failed);
    } else {
        assert_true(failed);
        assert_int_equal(err.code, -ENOMEM);
        assert_string_equal(err.text, "out of memory");
    }
    mm_answer_free(a);
    mm_problem_free(p);
    return failed;
}

TEST(any_allocation_may_fail)
{
    for (int way = 0; way < 3; way++) {
        long number = 0, many = test_count("RUNS", 16, 1 << 20);

        while (run(number, way))
            number += 1 + number / many;
        assert_true(number > 300);
    }
}

MEMORY_TESTS(NULL, NULL)
