/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_contexts.c: calling contexts against brute force on random call trees, the core
 * against the rules written as a recursion. */
#include "tests/lib/test.h"

#include "mastermind/analysis/contexts/core.h"
#include "tests/lib/mm_rows.h"

#define METHODS 5
#define MOST 400
#define DEEPEST 24
#define LOST (METHODS + 1)

/* An invocation as the test knows it. */
struct node {
    int rank, thread, method, mode, parent, is_lost, is_open;
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

/* A path as vertices, and the calls of it on one rank with one mode. */
struct wanted {
    int path[DEEPEST + 2], length, rank, mode;
    uint64_t calls;
    int64_t exclusive_ns;
};

/* Grow the calls below one call; its row comes behind theirs, or is lost. Returns its
 * inclusive time. */
static int64_t grow(struct tree *t, int rank, int thread, int parent, int depth)
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

static void tree_init(struct tree *t, uint64_t seed)
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

/* The path of a call: lost callers in a row are one <not recorded>. */
static int path_of(const struct tree *t, int at, int *path)
{
    int back[DEEPEST], count = 0, length = 0;

    for (int up = at; up >= 0; up = t->nodes[up].parent) {
        int vertex = t->nodes[up].is_lost ? LOST : t->nodes[up].method;

        if (vertex != LOST || !count || back[count - 1] != LOST)
            back[count++] = vertex;
    }
    path[length++] = t->nodes[at].thread ? METHODS + 2 : METHODS;
    while (count)
        path[length++] = back[--count];
    return length;
}

/* Fold a path by the definition: from its end, go to the outermost activation of the
 * same method, then on with the caller of that one. */
static int path_fold(int *path, int length)
{
    int back[DEEPEST], count = 0, at = length - 1;

    while (at > 0) {
        int outermost = at;

        for (int i = 1; i < at && path[at] != LOST; i++)
            if (path[i] == path[at]) {
                outermost = i;
                break;
            }
        back[count++] = path[at];
        at = outermost - 1;
    }
    for (int i = 1; i <= count; i++)
        path[i] = back[count - i];
    return count + 1;
}

static size_t wanted_of(const struct tree *t, int fold, struct wanted *wanted)
{
    size_t count = 0;

    for (int i = 0; i < t->count; i++) {
        const struct node *node = &t->nodes[i];
        struct wanted own = {.rank = node->rank};
        size_t k = 0;

        if (node->is_lost)
            continue;
        own.mode = node->method % 2 ? node->mode : -1;
        own.length = path_of(t, i, own.path);
        if (fold)
            own.length = path_fold(own.path, own.length);
        while (k < count &&
               (wanted[k].rank != own.rank || wanted[k].mode != own.mode ||
                wanted[k].length != own.length ||
                memcmp(wanted[k].path, own.path, (size_t)own.length * sizeof *own.path)))
            k++;
        if (k == count)
            wanted[count++] = own;
        wanted[k].calls++;
        wanted[k].exclusive_ns += node->own_ns;
    }
    return count;
}

/* The context of a path. */
static const struct mm_calling_context *find_path(const struct mm_contexts *c,
                                                  const int *path, int length)
{
    size_t parent = MM_NO_CONTEXT;

    for (int i = 0; i < length; i++) {
        size_t k = 0;

        while (k < c->count &&
               (c->items[k].parent != parent || c->items[k].vertex != (uint32_t)path[i]))
            k++;
        if (k == c->count)
            return NULL;
        parent = k;
    }
    return &c->items[parent];
}

static void assert_cell(const struct mm_contexts *c, const struct mm_calling_context *x,
                        const struct wanted *wanted)
{
    size_t found = 0;

    for (size_t k = 0; k < x->cell_count; k++) {
        const union monitor_value *modes =
            mm_modes_of(&c->modes[x->vertex], x->cells[k].mode);

        if (x->cells[k].rank != wanted->rank ||
            (wanted->mode >= 0 && modes[1].i != wanted->mode))
            continue;
        found++;
        assert_int_equal(x->cells[k].calls, wanted->calls);
        assert_int_equal(x->cells[k].exclusive_ns, wanted->exclusive_ns);
    }
    assert_int_equal(found, 1);
}

/* The order, the totals, and that nothing is there without a call. */
static void assert_tree(const struct mm_contexts *c)
{
    int64_t total_ns = 0;
    uint64_t calls = 0;

    for (size_t i = 0; i < c->count; i++) {
        const struct mm_calling_context *x = &c->items[i];
        int64_t below_ns = x->exclusive_ns, last_ns = INT64_MAX;
        size_t end = i + x->extent, k = i + 1;

        assert_true(x->calls || x->extent > 1);
        assert_true(x->calls || x->vertex >= c->thread_vertex);
        for (; k < end; k += c->items[k].extent) {
            assert_int_equal(c->items[k].parent, i);
            assert_int_equal(c->items[k].depth, x->depth + 1);
            assert_true(c->items[k].total_ns <= last_ns);
            last_ns = c->items[k].total_ns;
            below_ns += last_ns;
        }
        assert_int_equal(k, end);
        assert_int_equal(below_ns, x->total_ns);
        calls += x->calls;
        total_ns += x->exclusive_ns;
    }
    assert_int_equal(calls, c->calls);
    assert_int_equal(total_ns, c->total_ns);
}

static void assert_matches(const struct tree *t, const struct mm_contexts *c, int fold)
{
    static struct wanted wanted[MOST];
    size_t count = wanted_of(t, fold, wanted), cells = 0;
    uint64_t lost = 0, begun = 0;

    for (size_t i = 0; i < count; i++) {
        const struct mm_calling_context *x =
            find_path(c, wanted[i].path, wanted[i].length);
        int above = wanted[i].path[wanted[i].length - 2];

        assert_non_null(x);
        assert_cell(c, x, &wanted[i]);
        lost += above == LOST ? wanted[i].calls : 0;
        begun += above == METHODS + 2 ? wanted[i].calls : 0;
    }
    for (size_t i = 0; i < c->count; i++)
        cells += c->items[i].cell_count;
    assert_int_equal(cells, count);
    assert_tree(c);
    if (!fold) {
        assert_int_equal(c->lost, lost);
        assert_int_equal(c->begun, begun);
    }
}

static struct mm_contexts *contexts_of(struct tree *t,
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

TEST(contexts_are_brute_force_with_recursion_modes_ranks_and_lost_callers)
{
    static struct tree tree;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        for (int fold = 0; fold < 2; fold++) {
            struct mm_contexts_options options = {.fold = fold};
            struct mm_contexts *c;

            tree_init(&tree, seed);
            c = contexts_of(&tree, &options);
            assert_int_equal(c->folded, fold);
            assert_matches(&tree, c, fold);
            mm_contexts_free(c);
            rows_done(&tree.rows);
        }
    }
}

/* Wherever the number is reached, the contexts are those folded from the beginning. */
TEST(too_many_contexts_are_folded)
{
    static struct tree tree;
    int overflows = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct mm_contexts_options options = {.most = 40 + seed % 90};
        struct mm_row_source source;
        struct mm_contexts *c = NULL;
        struct mm_dual *dual = NULL;
        struct cca_error err = {0};
        int result;

        tree_init(&tree, seed);
        source = rows_source(&tree.rows, "tree");
        result = mm_contexts_walk(&source, &options, &dual, &c, &err);
        if (result) {
            assert_int_equal(result, -EOVERFLOW);
            assert_non_null(strstr(err.text, "calling contexts"));
        } else {
            overflows += c->overflow;
            assert_int_equal(c->overflow, c->folded);
            assert_matches(&tree, c, c->folded);
        }
        mm_dual_free(dual);
        mm_contexts_free(c);
        rows_done(&tree.rows);
    }
    assert_true(overflows > 50);
}

/* --- The core -------------------------------------------------------------- */

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

/* --- Aggregates, depth ------------------------------------------------------ */

struct given_aggregates {
    struct mm_aggregate items[4];
    size_t count;
};

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    struct given_aggregates *given =
        ((struct rows *)context)->rows ? NULL : (struct given_aggregates *)NULL;
    (void)given, (void)function, (void)function_context, (void)err, (void)context;
    return 0;
}

TEST(deep_recursion_is_a_context_a_call_or_one)
{
    const uint64_t depth = 200000;

    for (int fold = 0; fold < 2; fold++) {
        struct mm_contexts_options options = {.fold = fold};
        struct cca_error err = {0};
        struct rows rows = {0};
        struct mm_row_source source;
        struct mm_contexts *c = NULL;
        struct mm_dual *dual = NULL;

        rows_method(&rows, "r", "run", "R", "r/1");
        for (uint64_t i = depth; i >= 1; i--) {
            struct mm_row *row = rows_add(&rows, &rows.methods[0]);

            row->invocation = i, row->caller = i - 1, row->exclusive_ns = 3;
            row->wall_ns = (int64_t)(3 * (depth - i + 1));
        }
        source = rows_source(&rows, "deep");
        source.walk_aggregates = walk_aggregates;
        assert_int_equal(0, mm_contexts_walk(&source, &options, &dual, &c, &err));
        assert_int_equal(c->count, fold ? 2 : depth + 1);
        assert_int_equal(c->items[1].calls, fold ? depth : 1);
        assert_int_equal(c->total_ns, 3 * depth);
        mm_dual_free(dual);
        mm_contexts_free(c);
        rows_done(&rows);
    }
}

TESTS(NULL, NULL)
