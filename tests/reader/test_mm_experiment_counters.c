/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment_counters.c: counters of each row, against what the calls counted. */
#include <pthread.h>

#include "mastermind/reader/experiment.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum { COUNTERS = 8, THREADS = 3, CALLS = 3000, DEEP = 3000 };

/* This thread's counters. The last one cannot be read now and then. */
static __thread int64_t now[COUNTERS];
static __thread int hidden;

static void read_counters(void *context, int64_t *values)
{
    (void)context;
    memcpy(values, now, sizeof now);
    if (hidden)
        values[COUNTERS - 1] = MM_COUNT_MISSING;
}

static const struct mm_recorder_options with_counters = {.counter_count = COUNTERS,
                                                         .read_counters = read_counters};

static const struct monitor_value_decl values[] = {
    {.name = "a", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "b", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "o", .type = MONITOR_INT64, .kind = MONITOR_OUT},
};

/* What an invocation counted, with all below and in its callees. */
struct shadow {
    int64_t with[COUNTERS], callees[COUNTERS];
    int seen;
    int mixed, unwound; /* which method, and how it ended */
};

struct worker {
    struct fixture *fixture;
    struct monitor_method *plain, *mixed;
    struct shadow *shadows; /* by invocation */
    uint64_t count, room, seed;
};

static uint64_t next_random(struct worker *w)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return w->seed >> 33;
}

static void work(struct worker *w)
{
    for (int i = 0; i < COUNTERS; i++)
        now[i] += (int64_t)(next_random(w) % 1000) << (i == 3 ? 33 : 0);
    now[1] -= 300; /* one that goes back */
}

static int64_t plus(int64_t a, int64_t b)
{
    return a == MM_COUNT_MISSING || b == MM_COUNT_MISSING
               ? MM_COUNT_MISSING
               : (int64_t)((uint64_t)a + (uint64_t)b);
}

static uint64_t shadow_new(struct worker *w)
{
    if (++w->count >= w->room) {
        w->room = 2 * w->room + 1024;
        w->shadows = realloc(w->shadows, w->room * sizeof *w->shadows);
        assert_non_null(w->shadows);
    }
    memset(&w->shadows[w->count], 0, sizeof *w->shadows);
    return w->count;
}

/* One call with random work, and callees down to `depth`. Adds what it counted to
 * `above`. */
static __attribute__((noinline)) void call(struct worker *w, int depth, int width,
                                           int64_t *above)
{
    struct monitor_port *port = w->fixture->port;
    union monitor_value in[2] = {{.i = depth},
                                 {.i = next_random(w) % 8 ? 7 : INT64_C(1) << 40}};
    union monitor_value out[1] = {{.i = 5}};
    uint64_t self = shadow_new(w);
    struct monitor_frame *frame;
    int64_t before[COUNTERS], below[COUNTERS] = {0};
    int hidden_before, mixed;

    hidden_before = hidden = next_random(w) % 100 == 0;
    memcpy(before, now, sizeof before);
    mixed = w->shadows[self].mixed = next_random(w) % 2 == 0;
    frame = port->begin(port, mixed ? w->mixed : w->plain, in);
    assert_non_null(frame);
    work(w);
    for (int i = 0; depth && i < width; i++) {
        call(w, depth - 1, width, below);
        work(w);
    }
    hidden = next_random(w) % 100 == 0;
    for (int i = 0; i < COUNTERS; i++)
        w->shadows[self].with[i] = now[i] - before[i];
    if (hidden || hidden_before)
        w->shadows[self].with[COUNTERS - 1] = MM_COUNT_MISSING;
    memcpy(w->shadows[self].callees, below, sizeof below);
    for (int i = 0; i < COUNTERS; i++)
        above[i] = plus(above[i], w->shadows[self].with[i]);
    w->shadows[self].unwound = next_random(w) % 20 == 0;
    if (!w->shadows[self].unwound)
        port->end(port, frame, out);
    else
        port->unwind(port, frame);
    work(w);
}

static void *run(void *context)
{
    struct worker *w = context;
    int64_t above[COUNTERS] = {0};

    while (w->count < CALLS)
        call(w, (int)(next_random(w) % 5), 2, above);
    call(w, DEEP, 1, above); /* beyond the first chunk of frames */
    return NULL;
}

struct check {
    struct worker *workers; /* by thread */
    uint64_t rows;
};

static int check_row(const struct mm_row *row, void *context)
{
    struct check *check = context;
    struct shadow *shadow = &check->workers[row->thread].shadows[row->invocation];

    assert_true(row->invocation <= check->workers[row->thread].count);
    for (int i = 0; i < COUNTERS; i++) {
        int64_t exclusive = MM_COUNT_MISSING;

        assert_int_equal(row->counters[i], shadow->with[i]);
        if (shadow->with[i] != MM_COUNT_MISSING && shadow->callees[i] != MM_COUNT_MISSING)
            exclusive = shadow->with[i] - shadow->callees[i];
        assert_int_equal(row->exclusive_counters[i], exclusive);
    }
    assert_int_equal(shadow->seen++, 0);
    check->rows++;
    return 0;
}

static struct mm_experiment *open_it(const struct fixture *f)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(f->path, &err);

    assert_string_equal(err.text, "");
    return e;
}

TEST(each_row_has_what_the_call_counted)
{
    struct mm_recorder_options options = with_counters;
    struct worker workers[THREADS] = {{0}};
    struct check check = {.workers = workers};
    struct fixture f;
    struct mm_experiment *e;
    struct cca_error err = {0};
    uint64_t calls = 0;

    fixture_begin(&f, &options, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;

        workers[i] = (struct worker){.fixture = &f, .seed = 17 + (uint64_t)i};
        workers[i].plain = fixture_method(&f, "i", "plain", values, 2, 0);
        workers[i].mixed = fixture_method(&f, "i", "mixed", values, 2, 1);
        assert_int_equal(pthread_create(&thread, NULL, run, &workers[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0); /* so they are numbered */
    }
    assert_int_equal(fixture_end(&f), 0);
    e = open_it(&f);
    assert_int_equal(e->counter_count, COUNTERS);
    assert_string_equal(e->counters[3], "counter 3");
    check.rows = calls = 0;
    assert_int_equal(mm_experiment_rows(e, check_row, &check, &err), 0);
    for (int i = 0; i < THREADS; i++) {
        calls += workers[i].count;
        free(workers[i].shadows);
    }
    assert_int_equal(check.rows, calls);
    mm_experiment_free(e);
    fixture_remove(&f);
}

/* --- Sums */

struct sums {
    int64_t with[COUNTERS], own[COUNTERS];
    uint64_t calls;
};

static void add_to(struct sums *sums, const int64_t *with, const int64_t *own,
                   uint64_t calls)
{
    sums->calls += calls;
    for (int i = 0; i < COUNTERS; i++) {
        sums->with[i] = plus(sums->with[i], with[i]);
        sums->own[i] = plus(sums->own[i], own[i]);
    }
}

struct found {
    struct sums sums[THREADS][2][2]; /* by method and end */
    int known, missing;              /* sums of the counter that cannot always be read */
};

static int sum_row(const struct mm_row *row, void *context)
{
    struct found *found = context;

    if (!row->counted)
        add_to(&found->sums[row->thread][row->method->method[0] == 'm']
                           [row->status == MM_ROW_UNWOUND],
               row->counters, row->exclusive_counters, 1);
    return 0;
}

static int sum_aggregate(const struct mm_aggregate *a, void *context)
{
    struct found *found = context;

    add_to(&found->sums[a->thread][a->method->method[0] == 'm'][a->unfinished],
           a->counters, a->exclusive_counters, a->calls);
    found->known += a->counters[COUNTERS - 1] != MM_COUNT_MISSING;
    found->missing += a->counters[COUNTERS - 1] == MM_COUNT_MISSING;
    return 0;
}

static void sum_shadows(struct found *truth, const struct worker *w, int thread)
{
    for (uint64_t k = 1; k <= w->count; k++) {
        const struct shadow *s = &w->shadows[k];
        int64_t own[COUNTERS];

        for (int i = 0; i < COUNTERS; i++)
            own[i] = s->with[i] == MM_COUNT_MISSING || s->callees[i] == MM_COUNT_MISSING
                         ? MM_COUNT_MISSING
                         : s->with[i] - s->callees[i];
        add_to(&truth->sums[thread][s->mixed][s->unwound], s->with, own, 1);
    }
}

TEST(each_sum_has_what_its_calls_counted)
{
    static const struct mm_storage modes[] = {{.mode = MM_STORE_AUTO, .count = 50},
                                              {.mode = MM_STORE_SAMPLE, .count = 3},
                                              {.mode = MM_STORE_RESERVOIR, .count = 5},
                                              {.mode = MM_STORE_AGGREGATES}};
    struct mm_recorder_options options = with_counters;
    struct cca_error err = {0};

    for (int k = 0; k < 4; k++) {
        struct worker workers[THREADS] = {{0}};
        struct found truth = {0}, found = {0};
        struct mm_experiment *e;
        struct fixture f;

        options.storage = modes[k];
        fixture_begin(&f, &options, NULL);
        for (int i = 0; i < THREADS; i++) {
            pthread_t thread;

            workers[i] = (struct worker){.fixture = &f, .seed = 17 + (uint64_t)i};
            workers[i].plain = fixture_method(&f, "i", "plain", values, 2, 0);
            workers[i].mixed = fixture_method(&f, "i", "mixed", values, 2, 1);
            assert_int_equal(pthread_create(&thread, NULL, run, &workers[i]), 0);
            assert_int_equal(pthread_join(thread, NULL), 0);
            sum_shadows(&truth, &workers[i], i);
            free(workers[i].shadows);
        }
        assert_int_equal(fixture_end(&f), 0);
        e = open_it(&f);
        assert_int_equal(mm_experiment_rows(e, sum_row, &found, &err), 0);
        assert_int_equal(mm_experiment_aggregates(e, sum_aggregate, &found, &err), 0);
        assert_memory_equal(&found.sums, &truth.sums, sizeof truth.sums);
        assert_true(found.known > 0 && found.missing > 0);
        mm_experiment_free(e);
        fixture_remove(&f);
    }
}

static int expect_missing(const struct mm_row *row, void *context)
{
    int *rows = context;

    (*rows)++;
    if (strcmp(row->method->method, "outer") == 0) {
        assert_int_equal(row->status, MM_ROW_DONE);
        assert_int_equal(row->counters[0], 111);
        assert_int_equal(row->exclusive_counters[0], MM_COUNT_MISSING);
    } else {
        assert_true(row->status == MM_ROW_LONGJMP || row->status == MM_ROW_OPEN);
        assert_int_equal(row->counters[0], MM_COUNT_MISSING);
        assert_int_equal(row->exclusive_counters[0], MM_COUNT_MISSING);
    }
    return 0;
}

static jmp_buf back;

static __attribute__((noinline)) void jump_out(struct fixture *f,
                                               struct monitor_method *m)
{
    assert_non_null(f->port->begin(f->port, m, NULL));
    now[0] += 11;
    longjmp(back, 1);
}

TEST(a_skipped_call_and_an_open_one_have_no_counts)
{
    struct fixture f;
    struct monitor_method *outer, *inner;
    struct monitor_frame *frame;
    struct mm_experiment *e;
    struct cca_error err = {0};
    int rows = 0;

    fixture_begin(&f, &with_counters, NULL);
    outer = fixture_method(&f, "i", "outer", NULL, 0, 0);
    inner = fixture_method(&f, "i", "inner", NULL, 0, 0);
    frame = f.port->begin(f.port, outer, NULL);
    now[0] += 100;
    if (!setjmp(back))
        jump_out(&f, inner);
    f.port->end(f.port, frame, NULL);
    assert_non_null(f.port->begin(f.port, inner, NULL));
    e = open_it(&f);
    assert_int_equal(mm_experiment_rows(e, expect_missing, &rows, &err), 0);
    assert_int_equal(rows, 3);
    mm_experiment_free(e);
    fixture_end(&f);
    fixture_remove(&f);
}

static int ignore(const struct mm_row *row, void *context)
{
    (void)row;
    (void)context;
    return 0;
}

TEST(rows_and_names_must_agree)
{
    struct fixture f;
    struct monitor_method *m;
    struct mm_experiment *e;
    struct cca_error err = {0};

    fixture_begin(&f, &with_counters, NULL);
    m = fixture_method(&f, "i", "m", NULL, 0, 0);
    f.port->end(f.port, f.port->begin(f.port, m, NULL), NULL);
    f.counters = COUNTERS - 1;
    assert_int_equal(fixture_end(&f), 0);
    e = open_it(&f);
    assert_int_equal(mm_experiment_rows(e, ignore, NULL, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "found rows with 8 counters, expected the 7"));
    mm_experiment_free(e);
    f.counters = COUNTERS + 1;
    fixture_about(&f, 1);
    err = (struct cca_error){0};
    assert_null(mm_experiment_open(f.path, &err));
    assert_int_equal(err.code, -EBADMSG);
    assert_non_null(strstr(err.text, "experiment.json"));
    fixture_remove(&f);
}

TEST(the_cost_of_reading_is_in_the_cost_of_a_call)
{
    struct fixture plain, counted;
    struct mm_recorder_stats without, with;
    static const struct mm_recorder_options slow = {.counter_count = 1,
                                                    .read_counters = read_counters};

    fixture_begin(&plain, NULL, NULL);
    fixture_begin(&counted, &slow, NULL);
    mm_recorder_stats(plain.recorder, &without);
    mm_recorder_stats(counted.recorder, &with);
    assert_true(with.costs.rows[MM_ROW_PAIR].loop_ns >
                without.costs.rows[MM_ROW_PAIR].loop_ns);
    fixture_end(&plain);
    fixture_end(&counted);
    fixture_remove(&plain);
    fixture_remove(&counted);
}

TEST(readings_around_a_call_do_not_blur_its_time)
{
    struct mm_experiment experiment = {.costs.rows[MM_ROW_PAIR] = {30, 40, 8, 9}};
    double plain = mm_row_source_of(&experiment).floor_ns;

    assert_true(plain > 0 && plain <= 8);
    experiment.costs.rows[MM_ROW_PAIR].loop_ns = 5000; /* counters */
    assert_float_equal(mm_row_source_of(&experiment).floor_ns, plain, 1e-4);
    experiment.costs.rows[MM_ROW_PAIR].loop_within_ns = 4000; /* a slow clock */
    assert_true(mm_row_source_of(&experiment).floor_ns > 100 * plain);
}

TESTS(NULL, NULL)
