/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_own_time.c: own time, what the host took and waiting, against brute force on
 * random call trees, rows and aggregates mixed. */
#include "tests/lib/test.h"

#include "mastermind/counts/dual/dual.h"
#include "mastermind/counts/dual/metric.h"
#include "tests/lib/mm_rows.h"

enum { METHODS = 4, MOST = 400, KEYS = 4 * METHODS * (METHODS + 1) };

enum { WALL, HOST, WAIT, MPI, PARTS };

/* An invocation as the test knows it: its parts without and with its callees. */
struct node {
    int method, parent, is_leaf;
    int64_t own[PARTS], all[PARTS];
    uint64_t number;
};

struct tree {
    struct node nodes[MOST];
    int count, thread;
    struct rows rows;
    struct mm_context contexts[KEYS];
    struct mm_aggregate aggregates[KEYS];
    size_t aggregate_count;
    uint64_t next;
    int64_t now_ns;
    double fold; /* share of the calls without callees that go into the aggregates */
    int depth[METHODS];
};

static void add_parts(int64_t *sum, const int64_t *one)
{
    for (int i = 0; i < PARTS; i++)
        sum[i] += one[i];
}

/* What a call loses of its own time; half of the calls lose nothing. */
static void choose_parts(int64_t *own)
{
    own[WALL] = 1 + (int64_t)(rows_random() * 1000);
    own[HOST] =
        rows_random() < .5 ? 0 : (int64_t)(rows_random() * .6 * (double)own[WALL]);
    own[WAIT] =
        rows_random() < .5 ? 0 : (int64_t)(rows_random() * .4 * (double)own[WALL]);
    own[MPI] = own[WAIT] / 2;
}

static void grow_sum(struct mm_sum *sum, int64_t ns)
{
    sum->sum_ns += ns;
    sum->max_ns = ns > sum->max_ns ? ns : sum->max_ns;
}

/* Add a call without callees to the aggregate of its context. */
static void fold(struct tree *t, const struct node *node, int nested)
{
    const struct mm_method_info *method = &t->rows.methods[node->method];
    const struct mm_method_info *caller =
        node->parent < 0 ? NULL : &t->rows.methods[t->nodes[node->parent].method];
    struct mm_aggregate *a;
    size_t at = 0;

    while (at < t->aggregate_count &&
           (t->contexts[at].method != method || t->contexts[at].caller != caller ||
            t->contexts[at].nested != nested || t->aggregates[at].thread != t->thread))
        at++;
    a = &t->aggregates[at];
    if (at == t->aggregate_count) {
        t->aggregate_count++;
        assert_true(at < KEYS);
        t->contexts[at] = (struct mm_context){
            .method = method, .caller = caller, .caller_known = 1, .nested = nested};
        *a = (struct mm_aggregate){
            .method = method, .context = &t->contexts[at], .thread = t->thread};
    }
    a->calls++;
    grow_sum(&a->wall, node->all[WALL] - node->all[HOST]);
    a->exclusive = a->wall;
    grow_sum(&a->mpi, node->all[MPI]);
    a->host_ns = a->host_exclusive_ns += node->all[HOST];
    a->wait_ns = a->wait_exclusive_ns += node->all[WAIT];
}

static void put_row(struct tree *t, const struct node *node, int64_t start_ns,
                    uint64_t folded)
{
    struct mm_row *row = rows_add(&t->rows, &t->rows.methods[node->method]);

    row->thread = t->thread;
    row->invocation = node->number;
    row->caller = node->parent < 0 ? 0 : t->nodes[node->parent].number;
    row->start_ns = start_ns;
    row->wall_ns = node->all[WALL];
    row->exclusive_ns = node->own[WALL];
    row->host_ns = node->all[HOST];
    row->host_exclusive_ns = node->own[HOST];
    row->wait_ns = node->all[WAIT];
    row->wait_exclusive_ns = node->own[WAIT];
    row->mpi_ns = node->all[MPI];
    row->cpu_ns = node->all[WALL] - node->all[HOST] - node->all[WAIT];
    row->folded = row->folded_below = folded;
}

/* Grow the subtree of one invocation; its row comes behind those of its callees. Returns
 * 1 if the call went into the aggregates. */
static int grow(struct tree *t, int parent, int depth)
{
    int self = t->count++, callees = depth < 6 ? (int)(rows_random() * 4) : 0;
    struct node *node = &t->nodes[self];
    int64_t start_ns = t->now_ns;
    uint64_t folded = 0;

    *node = (struct node){
        .method = (int)(rows_random() * METHODS), .parent = parent, .number = ++t->next};
    choose_parts(node->own);
    add_parts(node->all, node->own);
    t->now_ns += node->own[WALL];
    t->depth[node->method]++;
    node->is_leaf = 1;
    for (int i = 0; i < callees && t->count < MOST - 10; i++) {
        int callee = t->count;

        folded += (uint64_t)grow(t, self, depth + 1);
        add_parts(node->all, t->nodes[callee].all);
        node->is_leaf = 0;
    }
    t->depth[node->method]--;
    if (node->is_leaf && rows_random() < t->fold) {
        fold(t, node, t->depth[node->method] > 0);
        return 1;
    }
    put_row(t, node, start_ns, folded);
    return 0;
}

static void tree_init(struct tree *t, uint64_t seed, double share)
{
    static const char *const names[METHODS] = {"a", "b", "c", "d"};

    rows_seed = seed * 977;
    memset(t, 0, sizeof *t);
    t->fold = share;
    for (int i = 0; i < METHODS; i++)
        rows_method(&t->rows, names[i], "run", "Class", "t/1");
    for (t->thread = 0; t->thread < 2; t->thread++) {
        t->next = 0;
        t->now_ns = 0;
        for (int i = 0; i < 3 && t->count < MOST - 20; i++)
            grow(t, -1, 0);
    }
}

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    struct tree *t = context;
    int result = 0;

    (void)err;
    for (size_t i = 0; i < t->aggregate_count && !result; i++)
        result = function(&t->aggregates[i], function_context);
    return result;
}

static int walk_rows(void *context, mm_row_function function, void *function_context,
                     struct cca_error *err)
{
    struct tree *t = context;

    return rows_walk(&t->rows, function, function_context, err);
}

static struct mm_dual *dual_of(struct tree *t, const char *name, int has_losses)
{
    char name_text[] = "rows";
    struct mm_experiment experiment = {.name = name_text,
                                       .methods = t->rows.pointers,
                                       .method_count = t->rows.method_count,
                                       .has_mpi = 1,
                                       .has_losses = has_losses};
    struct mm_row_source given = {
        .walk = walk_rows, .walk_aggregates = walk_aggregates, .context = t};
    struct mm_metric_source source;
    struct cca_error err = {0};
    struct mm_metric metric;
    struct mm_dual *dual;

    if (mm_metric_find(&experiment, name, &metric, &err))
        fail_msg("%s", err.text);
    mm_metric_source_init(&source, &experiment, &metric);
    source.given = &given;
    dual = mm_dual_new(&source.source, NULL, NULL, NULL, &err);
    if (!dual)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(source.missing, 0);
    mm_metric_source_done(&source);
    return dual;
}

/* What the metric has of the parts, in signs. */
static const struct {
    const char *name;
    int sign[PARTS];
} metrics[] = {
    {"TIME", {[WALL] = 1, [HOST] = -1}},
    {"WALL_TIME", {[WALL] = 1}},
    {"HOST_TIME", {[HOST] = 1}},
    {"WAIT_TIME", {[WAIT] = 1}},
    {"CPU_TIME", {[WALL] = 1, [HOST] = -1, [WAIT] = -1}},
    {"MPI_TIME", {[MPI] = 1}},
    {"COMPUTE_TIME", {[WALL] = 1, [HOST] = -1, [MPI] = -1}},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static int64_t value_of(size_t metric, const int64_t *parts)
{
    int64_t value = 0;

    for (int i = 0; i < PARTS; i++)
        value += metrics[metric].sign[i] * parts[i];
    return value;
}

static int is_outermost(const struct tree *t, int at)
{
    for (int up = t->nodes[at].parent; up >= 0; up = t->nodes[up].parent)
        if (t->nodes[up].method == t->nodes[at].method)
            return 0;
    return 1;
}

/* Aggregates know whether their method is further out; those of rows below one are
 * outermost only where no row above has it, which the dual sees. */
static void check(const struct tree *t, size_t metric, const struct mm_dual *dual)
{
    int64_t total = 0;

    for (int m = 0; m < METHODS; m++) {
        int64_t own = 0, inclusive = 0;

        for (int i = 0; i < t->count; i++) {
            if (t->nodes[i].method != m)
                continue;
            own += value_of(metric, t->nodes[i].own);
            inclusive += is_outermost(t, i) ? value_of(metric, t->nodes[i].all) : 0;
        }
        assert_int_equal(dual->vertices[m].exclusive_ns, own);
        assert_int_equal(dual->vertices[m].inclusive_ns, inclusive);
        total += own;
    }
    assert_int_equal(dual->total_ns, total);
}

TEST(every_metric_is_the_sum_of_its_parts_to_the_nanosecond)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct tree t;
        struct mm_dual *duals[METRICS];

        tree_init(&t, seed, (double)(seed % 3) / 2);
        for (size_t i = 0; i < METRICS; i++) {
            duals[i] = dual_of(&t, metrics[i].name, 1);
            check(&t, i, duals[i]);
        }
        assert_int_equal(duals[0]->total_ns + duals[2]->total_ns, duals[1]->total_ns);
        assert_int_equal(duals[4]->total_ns + duals[3]->total_ns, duals[0]->total_ns);
        for (size_t i = 0; i < METRICS; i++)
            mm_dual_free(duals[i]);
        rows_done(&t.rows);
    }
}

TEST(own_and_wall_time_show_the_hosts_share_and_waiting_of_each_method)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct tree t;

        tree_init(&t, seed, (double)(seed % 3) / 2);
        for (int metric = 0; metric < 2; metric++) {
            struct mm_dual *dual = dual_of(&t, metrics[metric].name, 1);
            int64_t host = 0, wait = 0;

            for (int m = 0; m < METHODS; m++) {
                int64_t own[2] = {0}, all[2] = {0};

                for (int i = 0; i < t.count; i++) {
                    const struct node *node = &t.nodes[i];

                    for (int k = 0; k < 2 && node->method == m; k++) {
                        own[k] += node->own[HOST + k];
                        all[k] += is_outermost(&t, i) ? node->all[HOST + k] : 0;
                    }
                }
                assert_int_equal(dual->vertices[m].off.host_ns, own[0]);
                assert_int_equal(dual->vertices[m].off.wait_ns, own[1]);
                assert_int_equal(dual->vertices[m].off_inclusive.host_ns, all[0]);
                assert_int_equal(dual->vertices[m].off_inclusive.wait_ns, all[1]);
                host += own[0];
                wait += own[1];
            }
            assert_int_equal(dual->off.host_ns, host);
            assert_int_equal(dual->off.wait_ns, wait);
            assert_int_equal(dual->off_unknown, 0);
            mm_dual_free(dual);
        }
        rows_done(&t.rows);
    }
}

/* Rows of a run that does not tell: own time is what the clock says. */
TEST(without_losses_own_time_is_wall_time)
{
    char old_name[] = "old";
    struct mm_experiment old = {.name = old_name};
    struct mm_dual *own, *wall;
    struct cca_error err = {0};
    struct mm_metric metric;
    struct tree t;

    tree_init(&t, 7, 0);
    for (size_t i = 0; i < t.rows.count; i++) {
        t.rows.rows[i].host_ns = t.rows.rows[i].host_exclusive_ns = -1;
        t.rows.rows[i].wait_ns = t.rows.rows[i].wait_exclusive_ns = -1;
    }
    own = dual_of(&t, "TIME", 0);
    wall = dual_of(&t, "WALL_TIME", 0);
    check(&t, 1, own);
    check(&t, 1, wall);
    assert_int_equal(own->off_unknown, t.rows.count);
    assert_int_equal(own->off.host_ns, 0);
    assert_int_equal(mm_metric_find(&old, "HOST_TIME", &metric, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no time off the core"));
    mm_dual_free(own);
    mm_dual_free(wall);
    rows_done(&t.rows);
}

/* A call that runs at the end has what its callees have, and of the rest of its time what
 * they did not lose. */
TEST(an_open_call_is_less_what_the_host_took_of_its_callees)
{
    struct mm_dual *own, *wall;
    struct mm_row *row;
    struct tree t;

    memset(&t, 0, sizeof t);
    rows_method(&t.rows, "outer", "run", "Class", "t/1");
    rows_method(&t.rows, "inner", "run", "Class", "t/1");
    row = rows_add(&t.rows, &t.rows.methods[1]);
    row->invocation = 2;
    row->caller = 1;
    row->start_ns = 100;
    row->wall_ns = row->exclusive_ns = 1000;
    row->host_ns = row->host_exclusive_ns = 700;
    row = rows_add(&t.rows, &t.rows.methods[0]);
    row->invocation = 1;
    row->status = MM_ROW_OPEN;
    row->host_ns = row->host_exclusive_ns = row->wait_ns = row->wait_exclusive_ns = -1;
    own = dual_of(&t, "TIME", 1);
    wall = dual_of(&t, "WALL_TIME", 1);
    assert_int_equal(own->total_ns, 400);
    assert_int_equal(own->vertices[0].exclusive_ns, 100);
    assert_int_equal(own->vertices[0].off_inclusive.host_ns, 700);
    assert_int_equal(wall->total_ns, 1100);
    assert_int_equal(wall->vertices[0].exclusive_ns, 100);
    mm_dual_free(own);
    mm_dual_free(wall);
    rows_done(&t.rows);
}

TESTS(NULL, NULL)
