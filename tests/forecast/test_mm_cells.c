/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells have the calls and sums that brute force over all invocations finds: random call
 * trees with recursion, modes, levels, ranks; methods and in-values in another order in
 * each run; whole subtrees in aggregates instead of rows. */
#include "mastermind/counts/cells.h"
#include "tests/lib/mm_rows.h"

#define METHODS 4
#define MOST 600
#define RUNS 3

/* b has a level and hands it on, c has a mode and a level as its mode. */
static const char *const names[METHODS] = {"a", "b", "c", "d"};
enum { VALUE_Q, VALUE_LEVEL, VALUE_AXIS, VALUES };
static const char *const value_names[VALUES] = {"q", "level", "axis"};
static const int has[METHODS][VALUES] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 1}, {1, 0, 1}};

struct node {
    int method, parent, rank, is_folded;
    int64_t value[VALUES];
    uint64_t number;
};

struct tree {
    struct node nodes[MOST];
    int count;
    struct rows rows;
    size_t at[METHODS]; /* index of the method in rows */
    uint64_t next;
    double folded; /* probability of a subtree to be in aggregates */
    struct mm_row_source source;
    struct mm_profile *profile;
};

static const struct mm_method_info *method_of(const struct tree *t, int node)
{
    return &t->rows.methods[t->at[t->nodes[node].method]];
}

/* In-values of a node in the order of its method. */
static void fill_values(const struct tree *t, int node, union monitor_value *in)
{
    const struct mm_method_info *m = method_of(t, node);

    for (size_t i = 0; i < m->in_count; i++)
        for (int v = 0; v < VALUES; v++)
            if (strcmp(m->values[i].name, value_names[v]) == 0)
                in[i].i = t->nodes[node].value[v];
}

static int64_t grow(struct tree *t, int rank, int parent, int depth)
{
    int self = t->count++, callees = depth < 7 ? (int)(rows_random() * 4) : 0;
    struct node node = {.rank = rank,
                        .parent = parent,
                        .method = (int)(rows_random() * METHODS),
                        .number = ++t->next};
    int64_t wall_ns = 1000;
    struct mm_row *row;

    node.is_folded = (parent >= 0 && t->nodes[parent].is_folded) ||
                     (t->folded > 0 && rows_random() < t->folded);
    node.value[VALUE_Q] = (int64_t)(rows_random() * 6);
    node.value[VALUE_LEVEL] = (int64_t)(rows_random() * 3);
    node.value[VALUE_AXIS] = (int64_t)(rows_random() * 2);
    t->nodes[self] = node;
    for (int i = 0; i < callees && t->count < MOST - 10; i++)
        wall_ns += grow(t, rank, self, depth + 1);
    if (node.is_folded)
        return wall_ns;
    row = rows_add(&t->rows, method_of(t, self));
    row->rank = rank;
    row->invocation = node.number;
    row->caller = parent < 0 ? 0 : t->nodes[parent].number;
    row->wall_ns = wall_ns;
    row->exclusive_ns = 1000;
    fill_values(t, self, t->rows.row_values[t->rows.count - 1]);
    return wall_ns;
}

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    const struct tree *t = context;

    (void)err;
    for (int i = 0; i < t->count; i++) {
        const struct node *n = &t->nodes[i];
        union monitor_value in[ROWS_VALUES], caller[ROWS_VALUES];
        struct mm_context path = {.method = method_of(t, i), .caller_known = 1};
        struct mm_sum sum = {1000, 1000, 1000, 1e6, 0};
        struct mm_aggregate a = {.method = path.method,
                                 .context = &path,
                                 .rank = n->rank,
                                 .values = in,
                                 .calls = 1,
                                 .wall = sum,
                                 .exclusive = sum};
        int result;

        if (!n->is_folded)
            continue;
        fill_values(t, i, in);
        if (n->parent >= 0) {
            path.caller = method_of(t, n->parent);
            fill_values(t, n->parent, caller);
            a.caller_values = mm_in_values_hash(caller, path.caller->in_count);
        }
        result = function(&a, function_context);
        if (result)
            return result;
    }
    return 0;
}

/* Methods and their values begin at another one in each run. */
static void tree_init(struct tree *t, int run, double folded)
{
    memset(t, 0, sizeof *t);
    t->folded = folded;
    for (int i = 0; i < METHODS; i++) {
        int method = (i + run) % METHODS;
        struct mm_method_info *m =
            rows_method(&t->rows, names[method], "run", run % 2 ? "One" : "Other", "t/1");

        t->at[method] = m->index;
        for (int v = 0; v < VALUES; v++) {
            int value = (v + run) % VALUES;

            if (has[method][value])
                rows_value(m, value_names[value], MONITOR_INT64,
                           value == VALUE_AXIS ? MONITOR_MODE : MONITOR_PARAM);
        }
    }
    for (int rank = 0; rank < 2; rank++) {
        t->next = 0;
        for (int i = 0; i < 12 && t->count < MOST - 10; i++)
            grow(t, rank, -1, 0);
    }
}

/* rows_walk and walk_aggregates share the context of a source. */
static int walk_rows(void *context, mm_row_function function, void *function_context,
                     struct cca_error *err)
{
    return rows_walk(&((struct tree *)context)->rows, function, function_context, err);
}

static void tree_profile(struct tree *t)
{
    struct cca_error err = {0};

    t->source = rows_source(&t->rows, "tree");
    t->source.context = t;
    t->source.walk = walk_rows;
    t->source.walk_aggregates = walk_aggregates;
    t->profile = mm_profile_new(&t->source, NULL, &err);
    assert_non_null(t->profile);
}

/* --- Brute force ------------------------------------------------------------------- */

static int level_of(const struct tree *t, int node)
{
    const struct node *n = &t->nodes[node];

    if (has[n->method][VALUE_LEVEL])
        return (int)n->value[VALUE_LEVEL];
    if (n->parent >= 0 && has[t->nodes[n->parent].method][VALUE_LEVEL])
        return (int)t->nodes[n->parent].value[VALUE_LEVEL];
    return MM_NO_LEVEL;
}

static const struct mm_method_info *vertex_method(const struct mm_cells *cells,
                                                  const struct mm_cell *cell)
{
    return cells->vertices[cell->vertex].method;
}

static int64_t mode_of(const struct mm_cells *cells, const struct mm_cell *cell)
{
    const struct mm_method_info *m = vertex_method(cells, cell);

    for (size_t i = 0; i < m->in_count; i++)
        if (strcmp(m->values[i].name, "axis") == 0)
            return cell->mode[i].i;
    return 0;
}

static int is_in(const struct mm_cells *cells, const struct mm_cell *cell,
                 const struct tree *t, int node)
{
    const struct node *n = &t->nodes[node];
    const char *caller = cells->vertices[cell->caller].name;

    if (strcmp(vertex_method(cells, cell)->instance, names[n->method]) != 0 ||
        (n->parent < 0 ? cell->caller != MM_CELL_THREAD
                       : caller[0] != names[t->nodes[n->parent].method][0]))
        return 0;
    return cell->level == level_of(t, node) &&
           (!has[n->method][VALUE_AXIS] || mode_of(cells, cell) == n->value[VALUE_AXIS]);
}

static double function_of(const void *context, const double *x)
{
    const struct mm_method_info *m = context;
    double value = 1;

    for (size_t i = 0; i < m->in_count; i++)
        if (strcmp(m->values[i].name, "q") == 0)
            value += 3 * x[i] * x[i] + log2(1 + x[i]);
    return value;
}

static void check_cells(double folded, uint64_t seed)
{
    struct tree *trees = calloc(RUNS, sizeof *trees);
    const struct mm_profile *profiles[RUNS];
    struct mm_cells cells;

    assert_non_null(trees);
    rows_seed = seed;
    for (int r = 0; r < RUNS; r++) {
        tree_init(&trees[r], r, folded);
        tree_profile(&trees[r]);
        profiles[r] = trees[r].profile;
    }
    assert_int_equal(0, mm_cells_init(&cells, profiles, RUNS, 0));
    for (int r = 0; r < RUNS; r++) {
        double all = 0;

        for (size_t i = 0; i < cells.count; i++) {
            const struct mm_cell *cell = &cells.items[i];
            double calls = 0, sum = 0, found;

            for (int k = 0; k < trees[r].count; k++) {
                const struct node *n = &trees[r].nodes[k];
                double q = (double)n->value[VALUE_Q];

                if (!is_in(&cells, cell, &trees[r], k))
                    continue;
                calls++;
                sum += 1 + (has[n->method][VALUE_Q] ? 3 * q * q + log2(1 + q) : 0);
            }
            found = mm_cells_sum(&cells, i, (size_t)r, function_of,
                                 vertex_method(&cells, cell));
            assert_true(cell->runs[r].calls == calls && cell->runs[r].unknown == 0);
            assert_true(fabs(found - sum) <= 1e-12 * sum);
            all += calls;
        }
        assert_true(all == trees[r].count);
    }
    mm_cells_done(&cells);
    for (int r = 0; r < RUNS; r++) {
        mm_profile_free(trees[r].profile);
        rows_done(&trees[r].rows);
    }
    free(trees);
}

TEST(cells_of_rows_are_those_of_brute_force)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_cells(0, seed);
}

TEST(cells_of_rows_and_aggregates_are_those_of_brute_force)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_cells(seed % 4 ? .3 : 1, seed);
}

TESTS(NULL, NULL)
