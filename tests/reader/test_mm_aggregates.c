/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_aggregates.c: what is summed up is what rows would have said, and all is
 * counted. */
#include <math.h>
#include <pthread.h>

#include "mastermind/counts/dual/dual.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/format/aggregate.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum { METHODS = 4, MAX_KEYS = 4096, MAX_CALLS = 400000 };

static const struct monitor_value_decl values[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT},
};

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x9e3779b97f4a7c15u >> 32;
}

static __thread int64_t in_mpi; /* ns, cumulative */

static const int64_t *mpi_time(void *context)
{
    (void)context;
    return &in_mpi;
}

struct program {
    struct fixture f;
    struct monitor_method *methods[METHODS];
    uint64_t calls[METHODS], edges[METHODS + 1][METHODS];
    int keys; /* different values of n */
};

static void begin(struct program *p, enum mm_storage_mode mode, uint64_t count, int keys)
{
    static const char *const names[METHODS] = {"a", "b", "c", "d"};
    struct mm_recorder_options options = {.storage = {.mode = mode, .count = count},
                                          .mpi_time = mpi_time};
    int i;

    memset(p, 0, sizeof *p);
    p->keys = keys;
    fixture_begin(&p->f, &options, NULL);
    for (i = 0; i < METHODS; i++)
        p->methods[i] = fixture_method(&p->f, "i", names[i], values, 2, 1);
}

/* A call of `method` that calls others at random, itself too. */
static void call(struct program *p, int caller, int method, int depth)
{
    union monitor_value in[2], out[1] = {{.d = .5}};
    struct monitor_frame *frame;
    int i, below = depth ? (int)(next_random() % 4) : 0;

    in[0].i = (int64_t)(next_random() % 2);
    in[1].i = (int64_t)(next_random() % (uint64_t)p->keys) - 1;
    frame = p->f.port->begin(p->f.port, p->methods[method], in);
    if (next_random() % 3 == 0)
        in_mpi += (int64_t)(next_random() % 100000) << (next_random() % 30);
    for (i = 0; i < below; i++)
        call(p, method, (int)(next_random() % METHODS), depth - 1);
    p->calls[method]++;
    p->edges[caller + 1][method]++;
    if (next_random() % 64)
        p->f.port->end(p->f.port, frame, out);
    else
        p->f.port->unwind(p->f.port, frame);
}

static void run(struct program *p, int roots, int depth)
{
    int i;

    for (i = 0; i < roots; i++)
        call(p, -1, (int)(next_random() % METHODS), depth);
}

static struct mm_experiment *open_it(struct program *p)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(p->f.path, &err);

    if (!e)
        fail_msg("%s", err.text);
    return e;
}

/* --- Against rows of every invocation */

struct key {
    const struct mm_method_info *method, *caller;
    int64_t in[2];
    uint64_t hash;
    int nested, unfinished;
    uint64_t calls, callees, below;
    int64_t mpi, mpi_min, mpi_max, cpu, host, wait;
    int64_t wall, excl, wall_min, wall_max, excl_min, excl_max;
    double squares;
};

struct shadow {
    struct mm_row *rows; /* by invocation - 1 */
    union monitor_value (*in)[2];
    uint64_t count;
    struct key *keys;
    size_t key_count;
};

static int keep_row(const struct mm_row *row, void *context)
{
    struct shadow *s = context;

    assert_true(row->counted);
    assert_true(row->invocation <= MAX_CALLS);
    s->rows[row->invocation - 1] = *row;
    memcpy(s->in[row->invocation - 1], row->values, sizeof *s->in);
    s->count++;
    return 0;
}

static struct key *find_key(struct shadow *s, const struct key *wanted)
{
    struct key *k;
    size_t i;

    for (i = 0; i < s->key_count; i++) {
        k = &s->keys[i];
        if (k->method == wanted->method && k->caller == wanted->caller &&
            k->in[0] == wanted->in[0] && k->in[1] == wanted->in[1] &&
            k->hash == wanted->hash && k->nested == wanted->nested &&
            k->unfinished == wanted->unfinished)
            return k;
    }
    assert_true(s->key_count < MAX_KEYS);
    s->keys[s->key_count] = *wanted;
    s->keys[s->key_count].wall_min = s->keys[s->key_count].excl_min =
        s->keys[s->key_count].mpi_min = INT64_MAX;
    return &s->keys[s->key_count++];
}

static void add_row(struct shadow *s, uint64_t i, const uint64_t *callees,
                    const uint64_t *below)
{
    const struct mm_row *row = &s->rows[i], *at;
    int64_t wall = row->wall_ns - row->host_ns;
    int64_t excl = row->exclusive_ns - row->host_exclusive_ns;
    struct key key = {.method = row->method, .unfinished = row->status != MM_ROW_DONE};
    struct key *k;
    uint64_t caller;

    key.in[0] = s->in[i][0].i;
    key.in[1] = s->in[i][1].i;
    key.hash = mm_values_hash(NULL, 0);
    for (caller = row->caller; caller; caller = at->caller) {
        at = &s->rows[caller - 1];
        if (caller == row->caller) {
            key.caller = at->method;
            key.hash = mm_values_hash((const uint64_t *)s->in[caller - 1], 2);
        }
        key.nested |= at->method == row->method;
    }
    k = find_key(s, &key);
    k->calls++;
    k->callees += callees[i];
    k->below += below[i];
    k->mpi += row->mpi_ns;
    k->cpu += row->cpu_ns;
    k->host += row->host_ns;
    k->wait += row->wait_ns;
    k->mpi_min = row->mpi_ns < k->mpi_min ? row->mpi_ns : k->mpi_min;
    k->mpi_max = row->mpi_ns > k->mpi_max ? row->mpi_ns : k->mpi_max;
    k->wall += wall;
    k->excl += excl;
    k->squares += (double)wall * (double)wall;
    k->wall_min = wall < k->wall_min ? wall : k->wall_min;
    k->wall_max = wall > k->wall_max ? wall : k->wall_max;
    k->excl_min = excl < k->excl_min ? excl : k->excl_min;
    k->excl_max = excl > k->excl_max ? excl : k->excl_max;
}

static int compare_aggregate(const struct mm_aggregate *a, void *context)
{
    struct shadow *s = context;
    struct key key = {.method = a->method,
                      .caller = a->context->caller,
                      .nested = a->context->nested,
                      .unfinished = a->unfinished,
                      .hash = a->caller_values};
    struct key *k;

    /* Contexts differ where the shadow's key does not: add them up there. */
    assert_non_null(a->values);
    key.in[0] = a->values[0].i;
    key.in[1] = a->values[1].i;
    k = find_key(s, &key);
    assert_true(k->calls >= a->calls);
    k->calls -= a->calls;
    k->callees -= a->callees;
    k->below -= a->below;
    k->mpi -= a->mpi.sum_ns;
    assert_true(a->has_cpu);
    k->cpu -= a->cpu.sum_ns;
    k->host -= a->host_ns;
    k->wait -= a->wait_ns;
    assert_true(a->mpi.min_ns >= k->mpi_min && a->mpi.max_ns <= k->mpi_max);
    assert_true(a->mpi.m2_ns2 >= 0 && a->wall.m2_ns2 > -1 && a->exclusive.m2_ns2 > -1);
    if (a->calls > 1) { /* the spread of values between least and greatest */
        double width = (double)(a->wall.max_ns - a->wall.min_ns) + 1;

        assert_true(a->wall.m2_ns2 <= (double)a->calls / 4 * width * width * 1.001);
        assert_true(a->wall.m2_ns2 * 1.001 + 4 >= (width - 2) * (width - 2) / 2);
    }
    k->wall -= a->wall.sum_ns;
    k->excl -= a->exclusive.sum_ns;
    k->squares -= a->wall.squares_ns2;
    /* Where the host took some of a call, its time is a difference of two rounded ones.
     */
    assert_true(a->wall.min_ns + 2 >= k->wall_min && a->wall.max_ns - 2 <= k->wall_max);
    assert_true(a->exclusive.min_ns >= k->excl_min - 2 &&
                a->exclusive.max_ns <= k->excl_max + 2);
    if (llabs(a->wall.min_ns - k->wall_min) <= 2)
        k->wall_min = -1;
    if (llabs(a->wall.max_ns - k->wall_max) <= 2)
        k->wall_max = INT64_MAX;
    assert_true(a->sample_count == (a->calls < 32 ? a->calls : 32));
    for (size_t i = 0; i < a->sample_count;
         i++) { /* kept with 26 bits, the rest cut off */
        double cut = a->sample[i] / (1 << 25);

        assert_true(a->sample[i] + cut > (double)a->exclusive.min_ns - 1 &&
                    a->sample[i] < (double)a->exclusive.max_ns + 1);
    }
    return 0;
}

TEST(aggregates_say_what_rows_say)
{
    struct shadow s = {.rows = calloc(MAX_CALLS, sizeof *s.rows),
                       .in = calloc(MAX_CALLS, sizeof *s.in),
                       .keys = calloc(MAX_KEYS, sizeof *s.keys)};
    uint64_t *callees = calloc(MAX_CALLS, 8), *below = calloc(MAX_CALLS, 8), i, n;
    struct cca_error err = {0};
    struct mm_experiment *e;
    struct program p;
    size_t k;

    begin(&p, MM_STORE_SAMPLE, 1, 3);
    run(&p, 4000, 4);
    assert_int_equal(fixture_end(&p.f), 0);
    e = open_it(&p);
    assert_int_equal(mm_experiment_rows(e, keep_row, &s, &err), 0);
    for (i = n = 0; i < METHODS; i++)
        n += p.calls[i];
    assert_int_equal(s.count, n);
    for (i = s.count; i-- > 0;) {
        if (!s.rows[i].caller)
            continue;
        callees[s.rows[i].caller - 1]++;
        below[s.rows[i].caller - 1] += 1 + below[i];
    }
    for (i = 0; i < s.count; i++)
        add_row(&s, i, callees, below);
    if (mm_experiment_aggregates(e, compare_aggregate, &s, &err))
        fail_msg("%s", err.text);
    for (k = 0; k < s.key_count; k++) {
        assert_int_equal(s.keys[k].calls, 0);
        assert_int_equal(s.keys[k].callees, 0);
        assert_int_equal(s.keys[k].mpi, 0);
        assert_int_equal(s.keys[k].below, 0);
        /* Rows are rounded one by one. */
        assert_true(llabs(s.keys[k].cpu) <= 2 * MAX_CALLS &&
                    llabs(s.keys[k].host) <= MAX_CALLS &&
                    llabs(s.keys[k].wait) <= MAX_CALLS);
        assert_true(llabs(s.keys[k].wall) <= MAX_CALLS &&
                    llabs(s.keys[k].excl) <= MAX_CALLS);
        assert_int_equal(s.keys[k].wall_min, -1);
        assert_true(s.keys[k].wall_max == INT64_MAX);
    }
    mm_experiment_free(e);
    fixture_remove(&p.f);
    free(s.rows);
    free(s.in);
    free(s.keys);
    free(callees);
    free(below);
}

/* --- Rows and aggregates together */

struct counts {
    uint64_t rows[METHODS], counted[METHODS], folded[METHODS], other[METHODS];
    uint64_t entries;
    int64_t positions; /* sum of `n` of the rows that are samples */
};

static int count_row(const struct mm_row *row, void *context)
{
    struct counts *c = context;

    if (row->counted)
        c->counted[row->method->index]++;
    else
        c->rows[row->method->index]++;
    if (row->counted)
        c->positions += row->values[1].i;
    return 0;
}

static int count_aggregate(const struct mm_aggregate *a, void *context)
{
    struct counts *c = context;

    c->entries++;
    c->folded[a->method->index] += a->calls;
    if (!a->values)
        c->other[a->method->index] += a->calls;
    return 0;
}

static struct counts count(const struct mm_experiment *e)
{
    struct counts c = {0};
    struct cca_error err = {0};

    if (mm_experiment_rows(e, count_row, &c, &err) ||
        mm_experiment_aggregates(e, count_aggregate, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

/* Vertices and edges have the calls that were made, whatever was kept. */
static void check_dual(struct mm_experiment *e, const struct program *p, uint64_t entries)
{
    struct mm_row_source source = mm_row_source_of(e);
    struct cca_error err = {0};
    struct mm_dual *dual;
    int64_t exclusive = 0, inclusive = 0;
    int i, k;

    source.costs = NULL;
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    if (!dual)
        fail_msg("%s", err.text);
    for (i = 0; i < METHODS; i++) {
        uint64_t subrs = 0;

        assert_int_equal(dual->vertices[i].calls, p->calls[i]);
        for (k = -1; k < METHODS; k++) {
            size_t caller = k < 0 ? dual->thread_vertex : (size_t)k;
            const struct mm_edge *edge = mm_dual_edge(dual, caller, (size_t)i);

            assert_int_equal(edge ? edge->calls : 0, p->edges[k + 1][i]);
        }
        for (k = 0; k < METHODS; k++)
            subrs += p->edges[i + 1][k];
        assert_int_equal(dual->vertices[i].subrs, subrs);
        exclusive += dual->vertices[i].exclusive_ns;
        inclusive = dual->vertices[i].inclusive_ns;
        assert_true(inclusive <= dual->total_ns + MAX_CALLS &&
                    inclusive >= dual->vertices[i].exclusive_ns - MAX_CALLS);
    }
    /* Each number was rounded. */
    assert_true(llabs(exclusive - dual->total_ns) <=
                (int64_t)(dual->rows + entries + 10));
    mm_dual_free(dual);
}

TEST(a_budget_is_kept_exactly)
{
    static const uint64_t budgets[] = {1, 100, 1000, 1000000};
    struct mm_experiment *e;
    struct program p;
    struct counts c;
    size_t i;
    int k;

    for (i = 0; i < 4; i++) {
        begin(&p, MM_STORE_AUTO, budgets[i], 50);
        run(&p, 3000, 3);
        assert_int_equal(fixture_end(&p.f), 0);
        e = open_it(&p);
        c = count(e);
        for (k = 0; k < METHODS; k++) {
            uint64_t all = c.rows[k] + c.counted[k], most = budgets[i];

            assert_int_equal(c.rows[k] + c.folded[k], p.calls[k]);
            assert_int_equal(all, p.calls[k] < most ? p.calls[k] : most);
        }
        check_dual(e, &p, c.entries);
        mm_experiment_free(e);
        fixture_remove(&p.f);
    }
}

TEST(every_mode_counts_all)
{
    static const struct mm_storage modes[] = {{.mode = MM_STORE_ROWS},
                                              {.mode = MM_STORE_SAMPLE, .count = 10},
                                              {.mode = MM_STORE_RESERVOIR, .count = 100},
                                              {.mode = MM_STORE_AGGREGATES}};
    struct mm_experiment *e;
    struct program p;
    struct counts c;
    size_t i;
    int k;

    for (i = 0; i < 4; i++) {
        begin(&p, modes[i].mode, modes[i].count, 200);
        run(&p, 4000, 3);
        assert_int_equal(fixture_end(&p.f), 0);
        e = open_it(&p);
        c = count(e);
        for (k = 0; k < METHODS; k++) {
            assert_int_equal(c.rows[k] + c.folded[k], p.calls[k]);
            assert_int_equal(c.rows[k], i ? 0 : p.calls[k]);
            assert_int_equal(c.other[k], 0);
            if (i == 1) /* one of each ten, drawn by lot */
                assert_true(c.counted[k] >= p.calls[k] / 10 &&
                            c.counted[k] <= p.calls[k] / 10 + 1);
            else
                assert_int_equal(c.counted[k], i == 2 ? 100 : 0);
        }
        check_dual(e, &p, c.entries);
        mm_experiment_free(e);
        fixture_remove(&p.f);
    }
}

/* --- The analysis of rows and that of aggregates of the same run */

struct as_rows {
    struct mm_experiment *e;
    mm_row_function function;
    void *context;
};

static int give_as_own(const struct mm_row *row, void *context)
{
    struct as_rows *a = context;
    struct mm_row own = *row;

    own.counted = 0;
    mm_row_less_host(&own);
    return a->function(&own, a->context);
}

static int walk_as_rows(void *context, mm_row_function function, void *function_context,
                        struct cca_error *err)
{
    struct as_rows *a = context;

    a->function = function;
    a->context = function_context;
    return mm_experiment_rows(a->e, give_as_own, a, err);
}

static const struct mm_point *find_point(const struct mm_points *points,
                                         const union monitor_value *in)
{
    size_t i;

    for (i = 0; i < points->count; i++)
        if (!memcmp(points->points[i].in, in, 2 * sizeof *in))
            return &points->points[i];
    return NULL;
}

static void compare_points(const struct mm_points *a, const struct mm_points *b)
{
    size_t i;

    assert_int_equal(a->count, b->count);
    assert_int_equal(a->unknown, 0);
    for (i = 0; i < a->count; i++) {
        const struct mm_point *x = &a->points[i], *y = find_point(b, x->in);

        assert_non_null(y);
        assert_int_equal(x->calls, y->calls);
        assert_int_equal(x->n, y->n);
        /* One less those of up to three callees, each rounded, against one rounding of
         * all. */
        if (fabs(x->mean_ns - y->mean_ns) > 1 || fabs(x->min_ns - y->min_ns) > 3 ||
            fabs(x->max_ns - y->max_ns) > 3)
            fail_msg(
                "%lld calls: mean %.3f, %.3f to %.3f ns, but rows say %.3f, %.3f to %.3f",
                (long long)x->calls, x->mean_ns, x->min_ns, x->max_ns, y->mean_ns,
                y->min_ns, y->max_ns);
        assert_true(
            fabs(sqrt(x->m2_ns2 / (double)x->n) - sqrt(y->m2_ns2 / (double)y->n)) <=
            2 + .001 * sqrt(y->m2_ns2 / (double)y->n));
        assert_true(mm_sample_count(&x->sample) > 0 || !x->n);
    }
}

static void compare_duals(const struct mm_dual *a, const struct mm_dual *b)
{
    int64_t few = (int64_t)(b->rows + 10); /* roundings */
    size_t i;

    assert_int_equal(a->edge_count, b->edge_count);
    assert_true(llabs(a->total_ns - b->total_ns) <= few);
    for (i = 0; i < a->edge_count; i++) {
        assert_int_equal(a->edges[i].caller, b->edges[i].caller);
        assert_int_equal(a->edges[i].callee, b->edges[i].callee);
        assert_int_equal(a->edges[i].calls, b->edges[i].calls);
        assert_true(llabs(a->edges[i].inclusive_ns - b->edges[i].inclusive_ns) <= few);
    }
    for (i = 0; i < a->vertex_count; i++) {
        const struct mm_vertex *x = &a->vertices[i], *y = &b->vertices[i];

        assert_int_equal(x->calls, y->calls);
        assert_int_equal(x->subrs, y->subrs);
        assert_int_equal(x->broken, y->broken);
        assert_int_equal(x->mpi_ns, y->mpi_ns);
        assert_int_equal(x->mpi_inclusive_ns, y->mpi_inclusive_ns);
        assert_true(llabs(x->inclusive_ns - y->inclusive_ns) <= few);
        assert_true(llabs(x->exclusive_ns - y->exclusive_ns) <= few);
        assert_true(llabs(x->min_ns - y->min_ns) <= 2 &&
                    llabs(x->max_ns - y->max_ns) <= 2);
        assert_true(fabs(x->mean_ns - y->mean_ns) <= 1);
        assert_true(fabs(mm_vertex_sd(x) - mm_vertex_sd(y)) <=
                    2 + .001 * mm_vertex_sd(y));
    }
}

TEST(analysis_is_the_same)
{
    struct mm_row_source sums, rows;
    struct mm_profile *a, *b;
    struct cca_error err = {0};
    struct as_rows context;
    struct program p;
    int i;

    begin(&p, MM_STORE_SAMPLE, 1, 4);
    run(&p, 3000, 4);
    assert_int_equal(fixture_end(&p.f), 0);
    context.e = open_it(&p);
    sums = rows = mm_row_source_of(context.e);
    sums.costs = rows.costs = NULL;
    rows.walk = walk_as_rows;
    rows.walk_aggregates = NULL;
    rows.context = &context;
    a = mm_profile_new(&sums, NULL, &err);
    b = mm_profile_new(&rows, NULL, &err);
    if (!a || !b)
        fail_msg("%s", err.text);
    compare_duals(a->dual, b->dual);
    for (i = 0; i < METHODS; i++)
        compare_points(&a->points[i], &b->points[i]);
    mm_profile_free(a);
    mm_profile_free(b);
    mm_experiment_free(context.e);
    fixture_remove(&p.f);
}

/* A leaf called very often with n from 0: rows of the reservoir come from all of it. */
TEST(a_reservoir_is_fair)
{
    enum { CALLS = TEST_TSAN ? 200000 : 1000000, ROWS = 1000 };
    union monitor_value in[2] = {{.i = 0}}, out[1] = {{.d = 1}};
    struct mm_experiment *e;
    struct program p;
    struct counts c;
    double mean, error;
    int i;

    begin(&p, MM_STORE_RESERVOIR, ROWS, 1);
    for (i = 0; i < CALLS; i++) {
        in[1].i = i;
        p.f.port->end(p.f.port, p.f.port->begin(p.f.port, p.methods[0], in), out);
    }
    assert_int_equal(fixture_end(&p.f), 0);
    e = open_it(&p);
    c = count(e);
    assert_int_equal(c.folded[0], CALLS);
    assert_int_equal(c.counted[0], ROWS);
    assert_true(c.other[0] >= CALLS - 65536); /* too many keys: counted */
    mean = (double)c.positions / ROWS;
    error = CALLS / sqrt(12. * ROWS);
    assert_true(fabs(mean - CALLS / 2.) < 4 * error);
    mm_experiment_free(e);
    fixture_remove(&p.f);
}

static __attribute__((noinline)) void pass(struct program *p, int method, int n)
{
    union monitor_value in[2] = {{.i = 1}, {.i = n}}, out[1] = {{.d = 1}};
    struct monitor_frame *frame = p->f.port->begin(p->f.port, p->methods[method], in);

    if (!method)
        pass(p, 1, n);
    p->f.port->end(p->f.port, frame, out);
}

static void *work(void *argument)
{
    int i;

    for (i = 0; i < 20000; i++)
        pass(argument, 0, i % 100);
    return NULL;
}

TEST(threads_share_a_budget)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    struct mm_experiment *e;
    struct program p;
    struct counts c;
    int i, k;

    begin(&p, MM_STORE_AUTO, 5000, 1);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &p), 0);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(fixture_end(&p.f), 0);
    for (i = 0; i < 2; i++)
        p.calls[i] = 20000 * THREADS;
    p.edges[0][0] = p.edges[1][1] = 20000 * THREADS;
    e = open_it(&p);
    c = count(e);
    for (k = 0; k < 2; k++) {
        assert_int_equal(c.rows[k] + c.folded[k], 20000 * THREADS);
        /* What a thread had taken and not used when the others were done is not used. */
        assert_true(c.rows[k] + c.counted[k] <= 5000 && c.rows[k] + c.counted[k] > 3000);
    }
    check_dual(e, &p, c.entries);
    mm_experiment_free(e);
    fixture_remove(&p.f);
}

static uint64_t size_of(const char *path)
{
    char file[PATH_MAX];
    struct dirent *entry;
    uint64_t bytes = 0;
    struct stat st;
    DIR *dir = opendir(path);

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && !stat(file, &st))
            bytes += (uint64_t)st.st_size;
    }
    closedir(dir);
    return bytes;
}

TEST(a_limit_of_size_stops_rows)
{
    enum { LIMIT = 2 << 20 };
    struct mm_recorder_options options = {.storage = {.size_limit = LIMIT}};
    struct mm_recorder_stats stats;
    struct mm_experiment *e;
    struct program p;
    struct counts c;
    uint64_t all = 0;
    int i;

    memset(&p, 0, sizeof p);
    p.keys = 50;
    fixture_begin(&p.f, &options, NULL);
    for (i = 0; i < METHODS; i++)
        p.methods[i] = fixture_method(&p.f, "i", "m", values, 2, 1);
    run(&p, 100000, 1);
    assert_true(size_of(p.f.rank) <= LIMIT);
    assert_int_equal(fixture_end(&p.f), 0);
    assert_true(size_of(p.f.rank) <= LIMIT);
    mm_recorder_stats(p.f.recorder, &stats);
    for (i = 0; i < METHODS; i++)
        all += p.calls[i];
    assert_int_equal(stats.dropped, 0);
    assert_true(stats.rows > 1000 && stats.folded > 1000);
    assert_int_equal(stats.rows + stats.folded, all);
    e = open_it(&p);
    c = count(e); /* four methods of the same name are one */
    assert_int_equal(c.rows[0], stats.rows);
    assert_int_equal(c.folded[0], stats.folded);
    mm_experiment_free(e);
    fixture_remove(&p.f);
}

/* --- Damage */

struct digest {
    uint64_t sum;
};

static void digest_words(struct digest *d, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t i;

    for (i = 0; i < bytes; i++)
        d->sum = (d->sum ^ at[i]) * 0x100000001b3u;
}

static int digest_row(const struct mm_row *row, void *context)
{
    int64_t words[] = {(int64_t)row->invocation,
                       (int64_t)row->caller,
                       (int64_t)row->status,
                       row->wall_ns,
                       row->exclusive_ns,
                       row->values[0].i,
                       row->values[1].i,
                       (int64_t)row->folded,
                       (int64_t)row->folded_below,
                       row->folded_ns,
                       row->counted};

    digest_words(context, words, sizeof words);
    return 0;
}

static int digest_aggregate(const struct mm_aggregate *a, void *context)
{
    uint64_t words[] = {a->method->index,
                        (uint64_t)a->unfinished,
                        a->caller_values,
                        a->calls,
                        a->callees,
                        a->below,
                        (uint64_t)a->context->nested};

    digest_words(context, words, sizeof words);
    digest_words(context, &a->wall, sizeof a->wall);
    digest_words(context, &a->exclusive, sizeof a->exclusive);
    digest_words(context, &a->mpi, sizeof a->mpi);
    digest_words(context, a->values, 16);
    digest_words(context, a->sample, a->sample_count * sizeof *a->sample);
    return 0;
}

static int read_all(const char *path, uint64_t *digest)
{
    struct digest d = {0};
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(path, &err);
    int code;

    if (!e)
        fail_msg("%s", err.text);
    code = mm_experiment_rows(e, digest_row, &d, &err);
    if (!code)
        code = mm_experiment_aggregates(e, digest_aggregate, &d, &err);
    mm_experiment_free(e);
    *digest = d.sum;
    assert_true(!code || code == -EBADMSG);
    return code;
}

/* Single bits flipped everywhere, `flips` at random or each of them where that is no
 * more: seen, or without a meaning. Then it is cut shorter and shorter. */
static void harm(const char *experiment, const char *path, int flips)
{
    const size_t cut = 64 * 3 * (TEST_TSAN ? 5 : 1);
    uint64_t right, digest;
    struct stat st;
    int i, every, fd = open(path, O_RDWR), refused = 0;
    size_t size, at;

    assert_true(fd >= 0 && !fstat(fd, &st));
    size = (size_t)st.st_size;
    assert_int_equal(read_all(experiment, &right), 0);
    every = (size_t)flips >= 8 * size;
    if (every)
        flips = (int)(8 * size);
    for (i = 0; i < flips; i++) {
        uint64_t bit =
            every ? (uint64_t)i : (next_random() << 20 ^ next_random()) % (8 * size);
        unsigned char byte, other;

        if (i % 2 && !every) /* where the journal is, too */
            bit = 8 * 512 + bit % (8 * 4096);
        assert_int_equal(pread(fd, &byte, 1, (off_t)(bit / 8)), 1);
        other = (unsigned char)(byte ^ 1u << bit % 8);
        assert_int_equal(pwrite(fd, &other, 1, (off_t)(bit / 8)), 1);
        if (read_all(experiment, &digest))
            refused++;
        else if (digest != right)
            fail_msg("%s: a flipped bit %d of byte %zu changed what is read", path,
                     (int)(bit % 8), (size_t)(bit / 8));
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
    }
    assert_true(every || refused > flips / 20);
    for (at = size; at > cut; at -= cut) {
        assert_int_equal(ftruncate(fd, (off_t)(at - 64)), 0);
        if (at == size && read_all(experiment, &digest) == 0)
            assert_true(digest == right); /* room that was not used */
        else if (at < size / 2)
            assert_int_equal(read_all(experiment, &digest), -EBADMSG);
    }
    close(fd);
}

/* Under the thread sanitizer a file takes twenty times as long to read. */
static int flips(void)
{
    return test_count("FLIPS", 150, 200000);
}

TEST(damage_is_seen)
{
    struct mm_recorder_options options = {
        .storage = {.mode = MM_STORE_RESERVOIR, .count = 5}};
    char path[400];
    struct program p;

    begin(&p, options.storage.mode, options.storage.count, 3);
    run(&p, 40, 3);
    assert_int_equal(fixture_end(&p.f), 0);
    snprintf(path, sizeof path, "%s/thread-000.agg", p.f.rank);
    harm(p.f.path, path, flips());
    fixture_remove(&p.f);
}

/* The same of a run that is not finished, with calls open below which there are
 * aggregates. */
TEST(damage_is_seen_while_calls_are_open)
{
    union monitor_value in[2] = {{.i = 1}, {.i = 2}};
    struct monitor_frame *frames[3];
    char path[800];
    struct program p, copy;
    int i;

    begin(&p, MM_STORE_AUTO, 2, 3);
    for (i = 0; i < 3; i++) {
        frames[i] = p.f.port->begin(p.f.port, p.methods[i], in);
        run(&p, 20, 2);
    }
    copy = p;
    snprintf(copy.f.path, sizeof copy.f.path, "%.240s.copy", p.f.path);
    snprintf(path, sizeof path, "cp -r %s %s", p.f.path, copy.f.path);
    assert_int_equal(system(path), 0);
    snprintf(copy.f.rank, sizeof copy.f.rank, "%s/rank-0000", copy.f.path);
    snprintf(path, sizeof path, "%s/thread-000.agg", copy.f.rank);
    harm(copy.f.path, path, flips() / 2);
    for (i = 3; i-- > 0;)
        p.f.port->end(p.f.port, frames[i], in);
    assert_int_equal(fixture_end(&p.f), 0);
    json_incref(copy.f.methods);
    fixture_remove(&copy.f);
    fixture_remove(&p.f);
}

TESTS(NULL, NULL)
