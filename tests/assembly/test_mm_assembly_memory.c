/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_assembly_memory.c: allocations fail once, some of all. A failure leaves a
 * choice or an error, and loses nothing (the leak checker of an asan build looks). */
#include "tests/lib/fail_malloc.h"

#include <errno.h>

#include "tests/assembly/made_sweep.h"

TEST(a_failed_allocation_loses_nothing)
{
    struct world *w = world_new(3, 0);
    struct mm_choice_query query = {"error", NAN, -1};
    struct mm_requirement r = {"error", MM_LESS_EQUAL, 18};
    struct cca_error first = {0};
    size_t tried = 0, most_alike = getenv("SOAK") ? 6 : 2; /* failures per step */
    long step = 1;

    /* The forecaster keeps its laws: what follows asks for none. */
    ask_size(w, "20");
    mm_open_choice_free(choose(w, &r, 1, &query, &first));
    assert_int_equal(first.code, 0);
    for (long number = 0;; number += step) {
        struct cca_error err = {0};
        struct mm_open_choice *choice;

        failed = 0;
        countdown = number;
        choice = choose(w, &r, 1, &query, &err);
        countdown = -1;
        if (!failed) {
            assert_non_null(choice);
            assert_int_equal(err.code, 0);
            mm_open_choice_free(choice);
            break;
        }
        /* The library of models goes on without some texts. */
        assert_true(choice ? err.code == 0 : err.code == -ENOMEM || err.code == -ENODATA);
        mm_open_choice_free(choice);
        if (++tried % most_alike == 0)
            step *= 2;
    }
    assert_true(tried > (most_alike > 2 ? 20 : 12));
    world_free(w);
}

TESTS(NULL, NULL)
