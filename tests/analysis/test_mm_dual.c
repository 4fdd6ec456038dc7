/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_dual.c: the dual against brute force on random call trees. */
#include "tests/lib/test.h"

#include "mastermind/counts/dual/dual.h"
#include "tests/lib/mm_rows.h"

#define METHODS 5
#define MOST 400

/* An invocation as the test knows it. */
struct node {
    int thread, method, parent, open;
    int64_t own_ns, wall_ns;
    uint64_t number;
};

struct tree {
    struct node nodes[MOST];
    int count;
    struct rows rows;
    uint64_t next;
    int64_t now_ns;
};

/* Grow the subtree of one invocation and emit its row behind those of its callees. */
static int grow(struct tree *t, int thread, int parent, int depth)
{
    int self = t->count++;
    struct node *node = &t->nodes[self];
    int callees = depth < 8 ? (int)(rows_random() * 4) : 0;
    int64_t start_ns = t->now_ns;
    struct mm_row *row;

    *node = (struct node){.thread = thread,
                          .method = (int)(rows_random() * METHODS),
                          .parent = parent,
                          .own_ns = 1 + (int64_t)(rows_random() * 1000),
                          .number = ++t->next};
    node->wall_ns = node->own_ns;
    t->now_ns += node->own_ns;
    for (int i = 0; i < callees && t->count < (thread + 1) * (MOST / 4) - 10; i++)
        node->wall_ns += t->nodes[grow(t, thread, self, depth + 1)].wall_ns;
    row = rows_add(&t->rows, &t->rows.methods[node->method]);
    row->rank = thread / 2;
    row->thread = thread % 2;
    row->invocation = node->number;
    row->caller = parent < 0 ? 0 : t->nodes[parent].number;
    row->start_ns = start_ns;
    row->wall_ns = node->wall_ns;
    row->exclusive_ns = node->own_ns;
    return self;
}

static void tree_init(struct tree *t, uint64_t seed, int threads)
{
    static const char *const names[METHODS] = {"a", "b", "c", "d", "e"};

    rows_seed = seed * 977;
    memset(t, 0, sizeof *t);
    for (int i = 0; i < METHODS; i++)
        rows_method(&t->rows, names[i], "run", "Class", "t/1");
    for (int thread = 0; thread < threads; thread++) {
        t->next = 0;
        t->now_ns = 0;
        for (int i = 0; i < 3 && t->count < (thread + 1) * (MOST / 4) - 20; i++)
            grow(t, thread, -1, 0);
    }
}

static int outermost(const struct tree *t, int at)
{
    for (int up = t->nodes[at].parent; up >= 0; up = t->nodes[up].parent) {
        if (t->nodes[up].method == t->nodes[at].method)
            return 0;
    }
    return 1;
}

static void assert_matches(const struct tree *t, const struct mm_dual *dual)
{
    int64_t roots_ns = 0, exclusive_ns = 0;
    uint64_t edges = 0;

    for (size_t m = 0; m < METHODS; m++) {
        const struct mm_vertex *v = &dual->vertices[m];
        uint64_t calls = 0, subrs = 0;
        int64_t inclusive = 0, own = 0;
        double sum = 0, squares = 0;

        for (int i = 0; i < t->count; i++) {
            if (t->nodes[i].parent >= 0)
                subrs += (size_t)t->nodes[t->nodes[i].parent].method == m;
            if ((size_t)t->nodes[i].method != m)
                continue;
            calls++;
            own += t->nodes[i].own_ns;
            sum += (double)t->nodes[i].wall_ns;
            inclusive += outermost(t, i) ? t->nodes[i].wall_ns : 0;
        }
        for (int i = 0; i < t->count; i++) {
            if ((size_t)t->nodes[i].method == m)
                squares += pow((double)t->nodes[i].wall_ns - sum / (double)calls, 2);
        }
        assert_int_equal(v->calls, calls);
        assert_int_equal(v->subrs, subrs);
        assert_int_equal(v->inclusive_ns, inclusive);
        assert_int_equal(v->exclusive_ns, own);
        if (calls > 1)
            assert_true(fabs(mm_vertex_sd(v) - sqrt(squares / (double)(calls - 1))) <=
                        1e-6 * (1 + sqrt(squares)));
        exclusive_ns += v->exclusive_ns;
        for (size_t c = 0; c < METHODS; c++) {
            const struct mm_edge *edge = mm_dual_edge(dual, m, c);
            uint64_t count = 0;

            for (int i = 0; i < t->count; i++)
                count += (size_t)t->nodes[i].method == c && t->nodes[i].parent >= 0 &&
                         (size_t)t->nodes[t->nodes[i].parent].method == m;
            assert_int_equal(edge ? edge->calls : 0, count);
            edges += count;
        }
    }
    for (int i = 0; i < t->count; i++) {
        if (t->nodes[i].parent < 0) {
            roots_ns += t->nodes[i].wall_ns;
            edges++;
        }
    }
    assert_int_equal(edges, t->count);
    assert_int_equal(dual->total_ns, roots_ns);
    assert_int_equal(exclusive_ns, roots_ns);
    assert_int_equal(dual->vertices[dual->thread_vertex].inclusive_ns, roots_ns);
}

TEST(dual_is_brute_force_under_recursion_and_threads)
{
    static struct tree tree;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct cca_error err = {0};
        struct mm_row_source source;
        struct mm_dual *dual;

        tree_init(&tree, seed, 1 + (int)(seed % 4));
        source = rows_source(&tree.rows, "tree");
        dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
        assert_non_null(dual);
        assert_matches(&tree, dual);
        assert_int_equal(dual->rows, tree.count);
        assert_int_equal(dual->threads, 1 + tree.nodes[tree.count - 1].thread);
        mm_dual_free(dual);
        rows_done(&tree.rows);
    }
}

/* driver calls work twice; the second work and driver are still open when the run is
 * killed. */
TEST(open_invocations_count_up_to_the_last_thing_known)
{
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_row *row;

    rows_method(&rows, "driver", "go", "D", "go/1");
    rows_method(&rows, "work", "run", "W", "w/1");
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 2, row->caller = 1, row->start_ns = 100;
    row->wall_ns = row->exclusive_ns = 400;
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 3, row->caller = 1, row->start_ns = 900, row->status = MM_ROW_OPEN;
    row = rows_add(&rows, &rows.methods[0]);
    row->invocation = 1, row->start_ns = 50, row->status = MM_ROW_OPEN;
    source = rows_source(&rows, "killed");
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    assert_non_null(dual);
    assert_int_equal(dual->open_count, 2);
    assert_ptr_equal(dual->open[0].method, &rows.methods[1]);
    assert_int_equal(dual->open[1].elapsed_ns, 850);
    assert_int_equal(dual->vertices[1].calls, 2);
    assert_int_equal(dual->vertices[1].open, 1);
    assert_int_equal(dual->vertices[0].inclusive_ns, 850);
    assert_int_equal(dual->vertices[0].exclusive_ns, 450);
    assert_int_equal(dual->total_ns, 850);
    assert_int_equal(mm_dual_edge(dual, 0, 1)->calls, 2);
    mm_dual_free(dual);
    rows_done(&rows);
}

/* A caller whose row was dropped: its callees hang below <not recorded>, nothing else
 * moves. */
TEST(callers_that_were_not_kept_are_named_so)
{
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_row *row;

    rows_method(&rows, "driver", "go", "D", "go/1");
    rows_method(&rows, "work", "run", "W", "w/1");
    row = rows_add(&rows, &rows.methods[1]); /* called by 2, whose row is missing */
    row->invocation = 3, row->caller = 2, row->wall_ns = row->exclusive_ns = 10;
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 4, row->caller = 1, row->wall_ns = row->exclusive_ns = 20;
    row = rows_add(&rows, &rows.methods[0]);
    row->invocation = 1, row->wall_ns = 100, row->exclusive_ns = 50;
    source = rows_source(&rows, "dropped");
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    assert_non_null(dual);
    assert_int_equal(mm_dual_edge(dual, dual->lost_vertex, 1)->calls, 1);
    assert_int_equal(mm_dual_edge(dual, 0, 1)->calls, 1);
    assert_int_equal(mm_dual_edge(dual, dual->thread_vertex, 0)->calls, 1);
    assert_int_equal(dual->vertices[0].exclusive_ns,
                     50); /* the recorder knew what was dropped */
    mm_dual_free(dual);
    rows_done(&rows);
}

/* Nanoseconds of rows are rounded one by one: callees may seem to take longer than the
 * call around them. Exclusive times still add up to the total, at each depth. */
TEST(exclusive_times_add_up_where_callees_round_up)
{
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;
    struct mm_row *row;
    int64_t sum_ns = 0;

    rows_method(&rows, "driver", "go", "D", "go/1");
    rows_method(&rows, "rhs", "evaluate", "R", "r/1");
    rows_method(&rows, "work", "run", "W", "w/1");
    for (uint64_t i = 0; i < 8; i++) { /* 8 of 11 ns in 80 ns, and that in 84 ns */
        row = rows_add(&rows, &rows.methods[2]);
        row->invocation = 3 + i, row->caller = 2, row->wall_ns = row->exclusive_ns = 11;
    }
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 2, row->caller = 1, row->wall_ns = 80, row->exclusive_ns = 0;
    row = rows_add(&rows, &rows.methods[0]);
    row->invocation = 1, row->wall_ns = 84, row->exclusive_ns = 4;
    source = rows_source(&rows, "rounded");
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    assert_non_null(dual);
    for (size_t i = 0; i < dual->vertex_count; i++)
        sum_ns += dual->vertices[i].exclusive_ns;
    assert_int_equal(dual->total_ns, 88);
    assert_int_equal(sum_ns, dual->total_ns);
    assert_int_equal(dual->vertices[1].inclusive_ns, 88);
    mm_dual_free(dual);
    rows_done(&rows);
}

TEST(deep_recursion_takes_no_stack)
{
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_dual *dual;
    const uint64_t depth = 200000;

    rows_method(&rows, "r", "run", "R", "r/1");
    for (uint64_t i = depth; i >= 1; i--) {
        struct mm_row *row = rows_add(&rows, &rows.methods[0]);

        row->invocation = i, row->caller = i - 1, row->exclusive_ns = 3;
        row->wall_ns = (int64_t)(3 * (depth - i + 1));
    }
    source = rows_source(&rows, "deep");
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    assert_non_null(dual);
    assert_int_equal(dual->vertices[0].inclusive_ns, 3 * depth);
    assert_int_equal(dual->vertices[0].exclusive_ns, 3 * depth);
    assert_int_equal(dual->vertices[0].subrs, depth - 1);
    mm_dual_free(dual);
    rows_done(&rows);
}

TESTS(NULL, NULL)
