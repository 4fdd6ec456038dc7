/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_core.c: the core of calling contexts against the rules written as a recursion.
 */
#include "tests/lib/test.h"

#include "mastermind/analysis/contexts/core.h"
#include "tests/lib/call_tree.h"

/* The rules as the page has them, from a context downwards. */
static void rule_of(const struct mm_contexts *c, size_t at, double parent, double sibling,
                    unsigned char *rules)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].parent == at) {
            sum += (double)c->items[i].total_ns;
            count++;
        }
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].parent != at)
            continue;
        if (rules[at])
            rules[i] = MM_CORE_BELOW;
        else if (sum < parent * (double)c->items[at].total_ns)
            rules[i] = MM_CORE_TOGETHER;
        else if ((double)c->items[i].total_ns < sibling * (sum / count))
            rules[i] = MM_CORE_SIBLING;
        rule_of(c, i, parent, sibling, rules);
    }
}

TEST(the_core_is_that_of_the_rules_and_the_bound_holds)
{
    static struct tree tree;
    size_t together = 0, sibling = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct mm_core_options options = {.parent = (double)(seed % 7) / 10,
                                          .sibling = (double)(seed % 5) / 6};
        struct mm_contexts_options none = {0};
        unsigned char rules[MOST] = {0};
        struct mm_contexts *c;
        struct mm_core core;
        int64_t cut_ns = 0, kept_ns = 0;
        double share = 0;

        tree_init(&tree, seed);
        c = contexts_of(&tree, &none);
        assert_true(c->count <= MOST);
        for (size_t i = 0; i < c->count; i++)
            if (c->items[i].parent == MM_NO_CONTEXT)
                rule_of(c, i, options.parent, options.sibling, rules);
        assert_int_equal(0, mm_core_find(&core, c, &options));
        assert_memory_equal(rules, core.rules, c->count);
        for (size_t i = 0; i < c->count; i++)
            *(rules[i] ? &cut_ns : &kept_ns) += c->items[i].exclusive_ns;
        assert_int_equal(core.total_ns, cut_ns);
        assert_int_equal(cut_ns + kept_ns, c->total_ns);
        assert_true((double)core.total_ns <= core.limit_ns);
        assert_true(core.limit_ns <=
                    (options.parent + options.sibling * (double)core.levels) *
                        (double)c->total_ns * (1 + 1e-12));
        for (size_t i = 0; i < core.cut_count; i++) {
            assert_true((double)core.cuts[i].total_ns < core.cuts[i].limit_ns);
            together += core.cuts[i].rule == MM_CORE_TOGETHER;
            sibling += core.cuts[i].rule == MM_CORE_SIBLING;
        }
        for (int rank = 0; rank < c->ranks; rank++) {
            int64_t own_ns = 0, own_cut_ns = 0;

            for (int i = 0; i < tree.count; i++)
                own_ns += tree.nodes[i].rank == rank && !tree.nodes[i].is_lost
                              ? tree.nodes[i].own_ns
                              : 0;
            for (size_t i = 0; i < c->count; i++)
                for (size_t k = 0; k < c->items[i].cell_count; k++)
                    own_cut_ns += rules[i] && c->items[i].cells[k].rank == rank
                                      ? c->items[i].cells[k].exclusive_ns
                                      : 0;
            share = fmax(share, (double)own_cut_ns / (double)own_ns);
        }
        assert_true(fabs(core.rank_share - share) < 1e-12);
        mm_core_done(&core);
        mm_contexts_free(c);
        rows_done(&tree.rows);
    }
    assert_true(together > 50 && sibling > 50);
}

TESTS(NULL, NULL)
