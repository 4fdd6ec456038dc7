/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_aggregates.c: what is summed up is what rows would have said, and all is counted. */
#include <pthread.h>
#include <setjmp.h>

#include "mastermind/analysis/experiment.h"
#include "mastermind/recorder/aggregate.h"
#include "tests/experiment_fixture.h"
#include "tests/test.h"

enum { METHODS = 4, MAX_KEYS = 4096, MAX_CALLS = 400000 };

static const struct monitor_value_decl values[] = {
    { .name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE },
    { .name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM },
    { .name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT },
};

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x9e3779b97f4a7c15u >> 32;
}

struct program {
    struct fixture f;
    struct monitor_method *methods[METHODS];
    uint64_t calls[METHODS], edges[METHODS + 1][METHODS];
    int keys; /* different values of n */
};

static void begin(struct program *p, enum mm_storage_mode mode, uint64_t count, int keys)
{
    static const char *const names[METHODS] = { "a", "b", "c", "d" };
    struct mm_recorder_options options = { .storage = { .mode = mode, .count = count } };
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
    union monitor_value in[2], out[1] = { { .d = .5 } };
    struct monitor_frame *frame;
    int i, below = depth ? (int)(next_random() % 4) : 0;

    in[0].i = (int64_t)(next_random() % 2);
    in[1].i = (int64_t)(next_random() % (uint64_t)p->keys) - 1;
    frame = p->f.port->begin(p->f.port, p->methods[method], in);
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
    struct cca_error err = { 0 };
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
            k->in[0] == wanted->in[0] && k->in[1] == wanted->in[1] && k->hash == wanted->hash &&
            k->nested == wanted->nested && k->unfinished == wanted->unfinished)
            return k;
    }
    assert_true(s->key_count < MAX_KEYS);
    s->keys[s->key_count] = *wanted;
    s->keys[s->key_count].wall_min = s->keys[s->key_count].excl_min = INT64_MAX;
    return &s->keys[s->key_count++];
}

static void add_row(struct shadow *s, uint64_t i, const uint64_t *callees, const uint64_t *below)
{
    const struct mm_row *row = &s->rows[i], *at;
    struct key key = { .method = row->method, .unfinished = row->status != MM_ROW_DONE };
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
    k->wall += row->wall_ns;
    k->excl += row->exclusive_ns;
    k->squares += (double)row->wall_ns * (double)row->wall_ns;
    k->wall_min = row->wall_ns < k->wall_min ? row->wall_ns : k->wall_min;
    k->wall_max = row->wall_ns > k->wall_max ? row->wall_ns : k->wall_max;
    k->excl_min = row->exclusive_ns < k->excl_min ? row->exclusive_ns : k->excl_min;
    k->excl_max = row->exclusive_ns > k->excl_max ? row->exclusive_ns : k->excl_max;
}

static int compare_aggregate(const struct mm_aggregate *a, void *context)
{
    struct shadow *s = context;
    struct key key = { .method = a->method,
                       .caller = a->context->caller,
                       .nested = a->context->nested,
                       .unfinished = a->unfinished,
                       .hash = a->caller_values };
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
    k->wall -= a->wall.sum_ns;
    k->excl -= a->exclusive.sum_ns;
    k->squares -= a->wall.squares_ns2;
    assert_true(a->wall.min_ns >= k->wall_min && a->wall.max_ns <= k->wall_max);
    assert_true(a->exclusive.min_ns >= k->excl_min && a->exclusive.max_ns <= k->excl_max);
    if (a->wall.min_ns == k->wall_min)
        k->wall_min = -1;
    if (a->wall.max_ns == k->wall_max)
        k->wall_max = INT64_MAX;
    assert_true(a->sample_count == (a->calls < 32 ? a->calls : 32));
    for (size_t i = 0; i < a->sample_count; i++)
        assert_true(a->sample[i] > (double)a->exclusive.min_ns - 1 &&
                    a->sample[i] < (double)a->exclusive.max_ns + 1);
    return 0;
}

static void aggregates_say_what_rows_say(void **state)
{
    struct shadow s = { .rows = calloc(MAX_CALLS, sizeof *s.rows),
                        .in = calloc(MAX_CALLS, sizeof *s.in),
                        .keys = calloc(MAX_KEYS, sizeof *s.keys) };
    uint64_t *callees = calloc(MAX_CALLS, 8), *below = calloc(MAX_CALLS, 8), i, n;
    struct cca_error err = { 0 };
    struct mm_experiment *e;
    struct program p;
    size_t k;

    (void)state;
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
        assert_int_equal(s.keys[k].below, 0);
        /* Rows are rounded one by one. */
        assert_true(llabs(s.keys[k].wall) <= MAX_CALLS && llabs(s.keys[k].excl) <= MAX_CALLS);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aggregates_say_what_rows_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
