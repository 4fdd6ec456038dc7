/* SPDX-License-Identifier: BSD-3-Clause */
/* call_tree.h: random call trees as rows, for tests of calling contexts: recursion,
 * modes, ranks, threads, lost rows. */
#ifndef TESTS_LIB_CALL_TREE_H
#define TESTS_LIB_CALL_TREE_H

#include "mastermind/counts/contexts/contexts.h"
#include "tests/lib/mm_rows.h"

#define METHODS 5 /* of a tree */
#define MOST 400

/* An invocation as the test knows it. */
struct node {
    int rank, thread, method, mode, parent, is_lost;
    int64_t own_ns;
    uint64_t number;
};

struct tree {
    struct node nodes[MOST];
    int count, most;
    struct rows rows;
    uint64_t next;
    int64_t now_ns;
    double lost; /* probability of a row to be lost */
};

/* Grow the calls below one call; its row comes behind theirs, or is lost. Returns its
 * inclusive time. */
static inline int64_t grow(struct tree *t, int rank, int thread, int parent, int depth)
{
    int self = t->count++, callees = depth < 8 ? (int)(rows_random() * 4) : 0;
    struct node node = {.rank = rank,
                        .thread = thread,
                        .method = (int)(rows_random() * METHODS),
                        .mode = (int)(rows_random() * 3),
                        .parent = parent,
                        .is_lost = rows_random() < t->lost,
                        .own_ns = 1000 + (int64_t)(rows_random() * 1000),
                        .number = ++t->next};
    int64_t start_ns = t->now_ns, wall_ns = node.own_ns;
    struct mm_row *row;

    if (rows_random() < .2) /* some costs differ a lot, so that there is a core */
        node.own_ns = wall_ns = node.own_ns * 400;
    t->nodes[self] = node;
    t->now_ns += node.own_ns;
    for (int i = 0; i < callees && t->count < t->most; i++)
        wall_ns += grow(t, rank, thread, self, depth + 1);
    if (node.is_lost)
        return wall_ns;
    row = rows_add(&t->rows, &t->rows.methods[node.method]);
    row->rank = rank;
    row->thread = thread;
    row->invocation = node.number;
    row->caller = parent < 0 ? 0 : t->nodes[parent].number;
    row->start_ns = start_ns;
    row->wall_ns = wall_ns;
    row->exclusive_ns = node.own_ns;
    if (node.method % 2)
        t->rows.row_values[t->rows.count - 1][1].i = node.mode;
    t->rows.row_values[t->rows.count - 1][0].i = (int64_t)(rows_random() * 100);
    return wall_ns;
}

static inline void tree_init(struct tree *t, uint64_t seed)
{
    static const char *const names[METHODS] = {"a", "b", "c", "d", "e"};
    int threads = 1 + (int)(seed % 4);

    rows_seed = seed * 977;
    memset(t, 0, sizeof *t);
    t->lost = seed % 3 ? 0 : .2;
    for (int i = 0; i < METHODS; i++) {
        struct mm_method_info *m = rows_method(&t->rows, names[i], "run", "Class", "t/1");

        rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
        if (i % 2)
            rows_value(m, "axis", MONITOR_INT64, MONITOR_MODE);
    }
    for (int thread = 0; thread < threads; thread++) {
        t->next = 0;
        t->now_ns = 0;
        t->most = (thread + 1) * (MOST / 4) - 10;
        for (int i = 0; i < 3 && t->count < t->most; i++)
            grow(t, thread / 2, thread % 2, -1, 0);
    }
}

static inline struct mm_contexts *contexts_of(struct tree *t,
                                              const struct mm_contexts_options *options)
{
    struct cca_error err = {0};
    struct mm_row_source source = rows_source(&t->rows, "tree");
    struct mm_contexts *contexts = NULL;
    struct mm_dual *dual = NULL;
    int64_t exclusive_ns = 0;

    assert_int_equal(0, mm_contexts_walk(&source, options, &dual, &contexts, &err));
    for (size_t i = 0; i < METHODS; i++)
        exclusive_ns += dual->vertices[i].exclusive_ns;
    assert_int_equal(exclusive_ns, contexts->total_ns);
    assert_int_equal(dual->rows, contexts->calls);
    mm_dual_free(dual);
    return contexts;
}

#endif
