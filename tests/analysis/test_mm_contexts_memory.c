/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_contexts_memory.c: calling contexts and their core when memory runs out. */
#include "tests/lib/fail_malloc.h"

#include "mastermind/counts/contexts/core.h"
#include "tests/lib/call_tree.h"

/* Let allocation `number` fail. Returns 0 once all succeed. */
static int try_walk(struct tree *tree, const struct mm_contexts_options *options,
                    long number)
{
    struct mm_core_options prune = {.2, .3};
    struct mm_row_source source = rows_source(&tree->rows, "tree");
    struct mm_contexts *contexts = NULL;
    struct mm_dual *dual = NULL;
    struct mm_core core = {0};
    struct cca_error err = {0};
    int result;

    failed = 0;
    countdown = number;
    result = mm_contexts_walk(&source, options, &dual, &contexts, &err);
    if (!result)
        result = mm_core_find(&core, contexts, &prune);
    countdown = -1;
    assert_true(result == 0 || (failed && result == -ENOMEM)); /* qsort needs none */
    if (!contexts) {
        assert_null(dual);
        assert_int_equal(err.code, -ENOMEM);
        assert_string_equal(err.text, "out of memory");
    }
    mm_core_done(&core);
    mm_contexts_free(contexts);
    mm_dual_free(dual);
    return failed;
}

TEST(out_of_memory_is_an_error_and_leaks_nothing)
{
    static struct tree tree;

    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct mm_contexts_options options = {.fold = seed % 3 == 1,
                                              .most = seed % 3 == 2 ? 150 : 0};
        long number = 0;

        tree_init(&tree, seed);
        while (try_walk(&tree, &options, number))
            number++;
        assert_true(number > 20);
        rows_done(&tree.rows);
    }
}

MEMORY_TESTS(NULL, NULL)
