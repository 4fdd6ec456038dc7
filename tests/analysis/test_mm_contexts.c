/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_contexts.c: calling contexts against brute force on random call trees.
 */
#include "tests/lib/test.h"

#include "tests/lib/call_tree.h"

#define DEEPEST 24
#define LOST (METHODS + 1)

/* A path as vertices, and the calls of it on one rank with one mode. */
struct wanted {
    int path[DEEPEST + 2], length, rank, mode;
    uint64_t calls;
    int64_t exclusive_ns;
};

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

/* --- Aggregates, depth ------------------------------------------------------ */

/* Calls of the tree that went into aggregates. */
struct folded {
    struct tree tree;
    struct mm_context contexts[MOST];
    struct mm_aggregate aggregates[MOST];
    union monitor_value values[MOST][2];
    size_t count;
};

static int walk_tree(void *context, mm_row_function function, void *function_context,
                     struct cca_error *err)
{
    return rows_walk(&((struct folded *)context)->tree.rows, function, function_context,
                     err);
}

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    struct folded *folded = context;
    int result = 0;

    (void)err;
    for (size_t i = 0; i < folded->count && !result; i++)
        result = function(&folded->aggregates[i], function_context);
    return result;
}

static size_t row_of(const struct tree *t, const struct node *node)
{
    size_t k = 0;

    while (t->rows.rows[k].rank != node->rank || t->rows.rows[k].thread != node->thread ||
           t->rows.rows[k].invocation != node->number)
        k++;
    return k;
}

/* Move some calls with all below them into aggregates, a call each. Returns how many of
 * them are recursive or below a recursive call. */
static uint64_t fold_calls(struct folded *f)
{
    struct tree *t = &f->tree;
    unsigned char in_aggregates[MOST] = {0};
    uint64_t recursive = 0;
    size_t kept = 0;

    f->count = 0;
    for (int i = 0; i < t->count; i++) {
        const struct node *node = &t->nodes[i];
        size_t row = row_of(t, node);
        int nested = 0;

        f->contexts[i] = (struct mm_context){.method = &t->rows.methods[node->method],
                                             .caller_known = 1};
        if (node->parent >= 0) {
            f->contexts[i].parent = &f->contexts[node->parent];
            f->contexts[i].caller = f->contexts[node->parent].method;
        }
        for (int up = node->parent; up >= 0; up = t->nodes[up].parent)
            f->contexts[i].nested |= t->nodes[up].method == node->method;
        in_aggregates[i] =
            (node->parent >= 0 && in_aggregates[node->parent]) || rows_random() < .1;
        if (!in_aggregates[i])
            continue;
        for (const struct mm_context *at = &f->contexts[i]; at; at = at->parent)
            nested |= at->nested;
        recursive += (uint64_t)nested;
        memcpy(f->values[i], t->rows.row_values[row], sizeof f->values[i]);
        f->aggregates[f->count++] =
            (struct mm_aggregate){.method = f->contexts[i].method,
                                  .context = &f->contexts[i],
                                  .rank = node->rank,
                                  .thread = node->thread,
                                  .values = f->values[i],
                                  .calls = 1,
                                  .wall = {.sum_ns = t->rows.rows[row].wall_ns},
                                  .exclusive = {.sum_ns = node->own_ns}};
        t->rows.rows[row].invocation = 0; /* it has no row */
    }
    for (size_t i = 0; i < t->rows.count; i++) {
        struct mm_row *row = &t->rows.rows[i];

        if (!row->invocation)
            continue;
        row->folded = 1; /* some callees are in aggregates: take exclusive_ns as it is */
        memcpy(t->rows.row_values[kept], t->rows.row_values[i],
               sizeof *t->rows.row_values);
        t->rows.rows[kept++] = *row;
    }
    t->rows.count = kept;
    return recursive;
}

TEST(calls_in_aggregates_are_in_their_contexts)
{
    static struct folded folded;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        for (int fold = 0; fold < 2; fold++) {
            struct mm_contexts_options options = {.fold = fold};
            struct cca_error err = {0};
            struct mm_contexts *c = NULL;
            struct mm_dual *dual = NULL;
            struct mm_row_source source;
            uint64_t recursive;

            tree_init(&folded.tree, 3 * seed + 1); /* without lost rows */
            source = rows_source(&folded.tree.rows, "tree");
            source.walk = walk_tree;
            source.walk_aggregates = walk_aggregates;
            source.context = &folded;
            recursive = fold_calls(&folded);
            assert_int_equal(0, mm_contexts_walk(&source, &options, &dual, &c, &err));
            assert_matches(&folded.tree, c, fold);
            assert_int_equal(c->recursive, recursive);
            mm_dual_free(dual);
            mm_contexts_free(c);
            rows_done(&folded.tree.rows);
        }
    }
}

/* A caller that the recorder had no context for, and modes that it has not kept. */
TEST(aggregates_without_a_known_caller_are_below_not_recorded)
{
    static struct folded folded;
    struct cca_error err = {0};
    struct mm_contexts *c = NULL;
    struct mm_dual *dual = NULL;
    struct mm_row_source source;

    tree_init(&folded.tree, 1);
    folded.tree.rows.count = 0;
    folded.count = 1;
    folded.contexts[0] = (struct mm_context){.method = &folded.tree.rows.methods[1]};
    folded.aggregates[0] = (struct mm_aggregate){.method = folded.contexts[0].method,
                                                 .context = &folded.contexts[0],
                                                 .rank = 3,
                                                 .calls = 7,
                                                 .wall = {.sum_ns = 70},
                                                 .exclusive = {.sum_ns = 70}};
    source = rows_source(&folded.tree.rows, "one");
    source.walk = walk_tree;
    source.walk_aggregates = walk_aggregates;
    source.context = &folded;
    assert_int_equal(0, mm_contexts_walk(&source, NULL, &dual, &c, &err));
    assert_int_equal(c->count, 3);
    assert_string_equal(c->items[0].name, "<thread>");
    assert_string_equal(c->items[1].name, "<not recorded>");
    assert_int_equal(c->items[2].calls, 7);
    assert_int_equal(c->items[2].cells[0].mode, MM_MODE_OTHER);
    assert_int_equal(c->lost, 7);
    assert_int_equal(c->ranks, 4);
    mm_dual_free(dual);
    mm_contexts_free(c);
    rows_done(&folded.tree.rows);
}

/* A method with more modes than are kept apart, called from a wide caller. */
TEST(modes_beyond_the_most_count_together)
{
    const int64_t modes = 3 * MM_MODES_MOST;
    struct rows rows = {0};
    struct mm_contexts *c = NULL;
    struct mm_dual *dual = NULL;
    struct cca_error err = {0};
    struct mm_row_source source;
    uint64_t calls = 0;

    rows_value(rows_method(&rows, "m", "run", "M", "m/1"), "k", MONITOR_INT64,
               MONITOR_MODE);
    for (int64_t i = 0; i < modes; i++) {
        struct mm_row *row = rows_add(&rows, &rows.methods[0]);

        row->wall_ns = row->exclusive_ns = 1;
        rows.row_values[i][0].i = modes - i;
    }
    source = rows_source(&rows, "modes");
    assert_int_equal(0, mm_contexts_walk(&source, NULL, &dual, &c, &err));
    assert_int_equal(c->count, 2);
    assert_int_equal(c->items[1].cell_count, MM_MODES_MOST + 1);
    for (size_t k = 0; k < MM_MODES_MOST; k++) {
        const union monitor_value *values =
            mm_modes_of(&c->modes[0], c->items[1].cells[k].mode);

        assert_int_equal(values[0].i, modes - MM_MODES_MOST + 1 + (int64_t)k);
        calls += c->items[1].cells[k].calls;
    }
    assert_int_equal(calls, MM_MODES_MOST);
    assert_null(mm_modes_of(&c->modes[0], c->items[1].cells[MM_MODES_MOST].mode));
    assert_int_equal(c->items[1].cells[MM_MODES_MOST].calls, modes - MM_MODES_MOST);
    mm_dual_free(dual);
    mm_contexts_free(c);
    rows_done(&rows);
}

/* Calls of three methods at random, up to 60 deep. Folded there are at most 15 paths. */
static void grow_deep(struct rows *rows, uint64_t caller, int depth)
{
    uint64_t number = ++rows->next;
    int method = (int)(rows_random() * 3);
    struct mm_row *row;

    for (int i = 0; i < 3 && depth < 60 && number < 40000; i++)
        if (rows_random() < .5 || (!depth && !i))
            grow_deep(rows, number, depth + 1);
    row = rows_add(rows, &rows->methods[method]);
    rows->next--; /* counted above */
    row->invocation = number;
    row->caller = caller;
    row->wall_ns = row->exclusive_ns = 10;
}

TEST(memory_is_bounded_under_recursion)
{
    struct rows rows = {0};
    struct mm_row_source source;
    struct mm_contexts *c[2] = {NULL, NULL};
    struct mm_dual *dual = NULL;
    struct cca_error err = {0};

    rows_seed = 1;
    rows_method(&rows, "a", "run", "A", "t/1");
    rows_method(&rows, "b", "run", "B", "t/1");
    rows_method(&rows, "c", "run", "C", "t/1");
    while (rows.count < 20000)
        grow_deep(&rows, 0, 0);
    source = rows_source(&rows, "deep");
    for (int k = 0; k < 2; k++) {
        struct mm_contexts_options options = {.fold = k, .most = 100};

        assert_int_equal(0, mm_contexts_walk(&source, &options, &dual, &c[k], &err));
        assert_int_equal(c[k]->overflow, !k);
        assert_true(c[k]->count <= 16);
        mm_dual_free(dual);
    }
    assert_int_equal(c[0]->count, c[1]->count);
    for (size_t i = 0; i < c[0]->count; i++) {
        assert_int_equal(c[0]->items[i].vertex, c[1]->items[i].vertex);
        assert_int_equal(c[0]->items[i].calls, c[1]->items[i].calls);
        assert_int_equal(c[0]->items[i].total_ns, c[1]->items[i].total_ns);
    }
    mm_contexts_free(c[0]);
    mm_contexts_free(c[1]);
    rows_done(&rows);
}

/* go calls work twice; the second work and go are still open when the run is killed. */
TEST(open_calls_are_in_their_contexts)
{
    struct rows rows = {0};
    struct cca_error err = {0};
    struct mm_contexts *c = NULL;
    struct mm_dual *dual = NULL;
    struct mm_row_source source;
    struct mm_row *row;

    rows_method(&rows, "driver", "go", "D", "go/1");
    rows_method(&rows, "work", "run", "W", "w/1");
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 2, row->caller = 1, row->start_ns = 100;
    row->wall_ns = row->exclusive_ns = 400;
    row = rows_add(&rows, &rows.methods[1]);
    row->invocation = 3, row->caller = 1, row->start_ns = 900, row->status = MM_ROW_OPEN;
    row->caller_uncertain = 1;
    row = rows_add(&rows, &rows.methods[0]);
    row->invocation = 1, row->start_ns = 50, row->status = MM_ROW_OPEN;
    source = rows_source(&rows, "killed");
    assert_int_equal(0, mm_contexts_walk(&source, NULL, &dual, &c, &err));
    assert_int_equal(c->count, 3);
    assert_int_equal(c->items[1].open, 1);
    assert_int_equal(c->items[1].exclusive_ns, 450); /* 850 until the last known time */
    assert_int_equal(c->items[2].calls, 2);
    assert_int_equal(c->items[2].open, 1);
    assert_int_equal(c->items[2].exclusive_ns, 400);
    assert_int_equal(c->uncertain, 1);
    mm_dual_free(dual);
    mm_contexts_free(c);
    rows_done(&rows);
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
