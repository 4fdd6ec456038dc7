/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_core.c: the core of calling contexts against the rules written as a recursion.
 */
#include "tests/lib/test.h"

#include "mastermind/counts/contexts/core.h"
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

/* go (64 ns of its own) calls a, b and c; c calls d. */
TEST(what_is_as_large_as_a_threshold_stays)
{
    static const int64_t costs_ns[] = {64, 40, 8, 36, 12}; /* go a b c d */
    static const char *const names[] = {"go", "a", "b", "c", "d"};
    static const struct {
        struct mm_core_options options;
        const char *kept;
        int64_t cut_ns;
        double limit_ns;
    } cases[] = {
        {{0, 0}, "gacdb", 0, 0},
        {{.25, 0}, "gacdb", 0, 0},      /* d has 12 of the 48 ns of c, a quarter */
        {{.3, 0}, "gacb", 12, .3 * 48}, /* less than 30 % */
        {{.6, 0}, "gacb", 12, .6 * 48}, /* a, b, c have 96 of 160 ns, 60 % */
        {{.625, 0}, "g", 96, 100},
        {{0, .25}, "gacdb", 0, 0}, /* b has 8 ns; the mean of a, b, c is 32 ns */
        {{0, .5}, "gacd", 8, 16},
        {{.5, .5}, "gac", 20, 16 + 24},
    };
    struct rows rows = {0};
    struct mm_contexts *c = NULL;
    struct mm_dual *dual = NULL;
    struct cca_error err = {0};
    struct mm_row_source source;
    static const int order[] = {1, 2, 4, 3, 0}; /* of the ends of calls */

    for (int i = 0; i < 5; i++)
        rows_method(&rows, names[i], "run", "C", "t/1");
    for (int i = 0; i < 5; i++) {
        int at = order[i];
        struct mm_row *row = rows_add(&rows, &rows.methods[at]);

        row->invocation = (uint64_t)at + 1;
        row->caller = at == 0 ? 0 : at == 4 ? 4 : 1;
        row->exclusive_ns = costs_ns[at];
        row->wall_ns = at == 0 ? 160 : at == 3 ? 48 : costs_ns[at];
    }
    source = rows_source(&rows, "five");
    assert_int_equal(0, mm_contexts_walk(&source, NULL, &dual, &c, &err));
    assert_int_equal(c->total_ns, 160);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm_core core;
        char kept[8] = "";

        assert_int_equal(0, mm_core_find(&core, c, &cases[i].options));
        for (size_t k = 1; k < c->count; k++)
            if (!core.rules[k])
                strncat(kept, c->items[k].method->instance, 1);
        for (char *at = kept; *at; at++)
            assert_non_null(strchr(cases[i].kept, *at));
        assert_int_equal(strlen(kept), strlen(cases[i].kept));
        assert_int_equal(core.total_ns, cases[i].cut_ns);
        assert_true(fabs(core.limit_ns - cases[i].limit_ns) < 1e-9);
        mm_core_done(&core);
    }
    mm_dual_free(dual);
    mm_contexts_free(c);
    rows_done(&rows);
}

TESTS(NULL, NULL)
