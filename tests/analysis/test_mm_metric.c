/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_metric.c: whatever is kept of the calls, sums of other metrics than wall time
 * are those that the program itself has added up. */
#include "mastermind/counts/dual/metric.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/format/layout.h"
#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum {
    METHODS = 4,
    OPEN = METHODS - 1
}; /* the last one stays open where something does */

static const struct monitor_value_decl values[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "done", .type = MONITOR_INT64, .kind = MONITOR_OUT},
    {.name = "rest", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT},
};

/* What the program knows of its calls: all and by method. */
struct truth {
    uint64_t calls[METHODS];
    int64_t own[METHODS], outermost[METHODS];
    int64_t total;
};

static uint64_t random_state;
static __thread int64_t in_mpi, counted;
static struct truth mpi, count, done;
static int depth_of[METHODS];

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static const int64_t *mpi_time(void *context)
{
    (void)context;
    return &in_mpi;
}

static void read_counters(void *context, int64_t *to)
{
    (void)context;
    *to = counted;
}

struct program {
    struct fixture f;
    struct monitor_method *methods[METHODS];
};

static void begin(struct program *p, enum mm_storage_mode mode, uint64_t kept)
{
    static const char *const names[METHODS] = {"a", "b", "c", "d"};
    struct mm_recorder_options options = {.storage = {.mode = mode, .count = kept},
                                          .mpi_time = mpi_time,
                                          .read_counters = read_counters,
                                          .counter_count = 1};

    memset(p, 0, sizeof *p);
    memset(&mpi, 0, sizeof mpi);
    memset(&count, 0, sizeof count);
    memset(&done, 0, sizeof done);
    random_state = 4711;
    fixture_begin(&p->f, &options, NULL);
    for (int i = 0; i < METHODS; i++)
        p->methods[i] = fixture_method(&p->f, "i", names[i], values, 2, 2);
}

static void add(struct truth *truth, int method, int64_t own, int64_t inclusive)
{
    truth->calls[method]++;
    truth->own[method] += own;
    truth->total += own;
    truth->outermost[method] += depth_of[method] ? 0 : inclusive;
}

/* A call that calls others at random, itself too; some are left by an exception. Returns
 * what its out-parameters and those below add up to. */
static int64_t call(struct program *p, int method, int depth)
{
    int below = depth ? (int)(next_random() % 4) : 0, good = next_random() % 16 != 0;
    union monitor_value in[2] = {{.i = method % 2}, {.i = (int64_t)(next_random() % 5)}};
    union monitor_value out[2] = {{.i = (int64_t)(next_random() % 100)}, {.d = .5}};
    int64_t mpi_before = in_mpi, count_before = counted, mpi_own = 0, count_own = 0,
            sum = 0;
    struct monitor_frame *frame = p->f.port->begin(p->f.port, p->methods[method], in);

    depth_of[method]++;
    for (int i = 0; i <= below; i++) {
        int64_t some = (int64_t)(next_random() % 8);

        in_mpi += some; /* little: computing takes longer than that */
        mpi_own += some;
        counted += 1 + in[1].i;
        count_own += 1 + in[1].i;
        if (i < below)
            sum += call(p, (int)(next_random() % (METHODS - 1)), depth - 1);
    }
    depth_of[method]--;
    if (good)
        p->f.port->end(p->f.port, frame, out);
    else
        p->f.port->unwind(p->f.port, frame);
    sum += good ? out[0].i : 0;
    add(&mpi, method, mpi_own, in_mpi - mpi_before);
    add(&count, method, count_own, counted - count_before);
    add(&done, method, good ? out[0].i : 0, sum);
    return sum;
}

static void run(struct program *p, int roots)
{
    for (int i = 0; i < roots; i++)
        call(p, (int)(next_random() % (METHODS - 1)), 5);
}

/* --- Reading -------------------------------------------------------------- */

struct view {
    struct mm_experiment *experiment;
    struct mm_metric_source source;
    struct mm_dual *dual;
};

static void look(struct view *v, const struct program *p, const char *name)
{
    struct cca_error err = {0};
    struct mm_metric metric;

    v->experiment = mm_experiment_open(p->f.path, &err);
    if (!v->experiment || mm_metric_find(v->experiment, name, &metric, &err))
        fail_msg("%s", err.text);
    mm_metric_source_init(&v->source, v->experiment, &metric);
    v->source.source.costs = NULL; /* as it was measured */
    v->dual = mm_dual_new(&v->source.source, NULL, NULL, NULL, &err);
    if (!v->dual)
        fail_msg("%s: %s", name, err.text);
}

static void close_view(struct view *v)
{
    mm_dual_free(v->dual);
    mm_metric_source_done(&v->source);
    mm_experiment_free(v->experiment);
}

static int64_t sum_of_exclusive(const struct mm_dual *dual)
{
    int64_t sum = 0;

    for (size_t i = 0; i < dual->thread_vertex; i++)
        sum += dual->vertices[i].exclusive_ns;
    return sum;
}

/* Exact, with nothing missing. */
static void check(const struct mm_dual *dual, const struct truth *truth)
{
    for (int i = 0; i < METHODS - 1; i++) {
        const struct mm_vertex *v = &dual->vertices[i];

        assert_int_equal(v->calls, truth->calls[i]);
        assert_int_equal(v->missing, 0);
        assert_int_equal(v->exclusive_ns, truth->own[i]);
        assert_int_equal(v->inclusive_ns, truth->outermost[i]);
    }
    assert_int_equal(dual->total_ns, truth->total);
}

static const struct {
    enum mm_storage_mode mode;
    uint64_t kept;
} modes[] = {{MM_STORE_ROWS, 0},      {MM_STORE_AUTO, 60},  {MM_STORE_AUTO, 700},
             {MM_STORE_SAMPLE, 7},    {MM_STORE_SAMPLE, 1}, {MM_STORE_RESERVOIR, 5},
             {MM_STORE_AGGREGATES, 0}};

TEST(times_are_exact_whatever_is_kept)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct program p;
        struct view v;
        int64_t all;

        begin(&p, modes[i].mode, modes[i].kept);
        run(&p, 60);
        fixture_end(&p.f);
        look(&v, &p, "MPI_TIME");
        check(v.dual, &mpi);
        assert_int_equal(v.source.missing, 0);
        close_view(&v);

        look(&v, &p, "TIME");
        all = v.dual->total_ns;
        close_view(&v);
        look(&v, &p, "COMPUTE_TIME");
        /* Ticks became nanoseconds in other sums. */
        assert_true(llabs(v.dual->total_ns - (all - mpi.total)) <=
                    (int64_t)v.source.rows);
        assert_true(llabs(sum_of_exclusive(v.dual) - v.dual->total_ns) <=
                    (int64_t)v.source.rows);
        close_view(&v);

        look(&v, &p, "CPU_TIME");
        assert_int_equal(v.source.missing, 0);
        assert_true(llabs(sum_of_exclusive(v.dual) - v.dual->total_ns) <=
                    (int64_t)v.source.rows);
        for (int k = 0; k < METHODS - 1; k++)
            assert_true(v.dual->vertices[k].exclusive_ns >= 0 &&
                        v.dual->vertices[k].exclusive_ns <=
                            v.dual->vertices[k].inclusive_ns);
        close_view(&v);
        fixture_remove(&p.f);
    }
}

TEST(counts_are_exact_where_they_are_all_there)
{
    static const char *const names[] = {"counter 0", "o.done"};
    const struct truth *truths[] = {&count, &done};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct program p;

        begin(&p, modes[i].mode, modes[i].kept);
        run(&p, 60);
        fixture_end(&p.f);
        for (int k = 0; k < 2; k++) {
            uint64_t missing = 0;
            struct view v;

            look(&v, &p, names[k]);
            if (k == 0) /* whatever is kept */
                check(v.dual, truths[k]);
            for (int m = 0; m < METHODS - 1; m++) {
                const struct mm_vertex *vertex = &v.dual->vertices[m];

                assert_int_equal(vertex->calls, truths[k]->calls[m]);
                assert_true(vertex->exclusive_ns <= truths[k]->own[m]);
                if (k == 0 ? !vertex->missing : modes[i].mode == MM_STORE_ROWS)
                    assert_int_equal(vertex->exclusive_ns, truths[k]->own[m]);
                if (modes[i].mode >= MM_STORE_SAMPLE && k == 1) {
                    assert_int_equal(vertex->missing, vertex->calls);
                    assert_int_equal(vertex->exclusive_ns, 0);
                }
                missing += vertex->missing;
            }
            assert_int_equal(missing, v.source.missing);
            close_view(&v);
        }
        fixture_remove(&p.f);
    }
}

/* Two calls are open, one in the other, with others of all kinds below them. */
static __attribute__((noinline)) void leave_open(struct program *p, int depth)
{
    union monitor_value in[2] = {{.i = 0}, {.i = 1}};
    struct monitor_frame *frame = p->f.port->begin(p->f.port, p->methods[OPEN], in);

    run(p, 20);
    if (depth) {
        leave_open(p, depth - 1);
    } else {
        struct view v;

        look(&v, p, "MPI_TIME");
        check(v.dual, &mpi);
        assert_int_equal(v.dual->vertices[OPEN].open, 2);
        assert_int_equal(v.dual->vertices[OPEN].exclusive_ns, 0);
        assert_int_equal(v.dual->vertices[OPEN].inclusive_ns, mpi.total);
        close_view(&v);
    }
    p->f.port->unwind(p->f.port, frame);
}

TEST(open_calls_have_what_is_below_them)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct program p;

        begin(&p, modes[i].mode, modes[i].kept);
        leave_open(&p, 1);
        fixture_end(&p.f);
        fixture_remove(&p.f);
    }
}

/* --- Models --------------------------------------------------------------- */

/* Times of calls without callees are known in aggregates, and counters of all; for
 * out-parameters samples speak. */
TEST(points_have_all_calls_and_good_values)
{
    static const char *const names[] = {"MPI_TIME", "counter 0", "o.done"};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct program p;

        begin(&p, modes[i].mode, modes[i].kept);
        run(&p, 60);
        fixture_end(&p.f);
        for (int k = 0; k < 3; k++) {
            struct cca_error err = {0};
            struct mm_profile *profile;
            struct view v;

            look(&v, &p, names[k]);
            profile = mm_profile_new(&v.source.source, NULL, &err);
            if (!profile)
                fail_msg("%s", err.text);
            for (int m = 0; m < METHODS - 1; m++) {
                uint64_t calls = profile->points[m].unknown, timed = 0;

                for (size_t at = 0; at < profile->points[m].count; at++) {
                    const struct mm_point *point = &profile->points[m].points[at];

                    calls += point->calls;
                    timed += point->n;
                    if (point->n && k == 0) /* 0 to 7, up to four times */
                        assert_true(point->min_ns >= 0 && point->max_ns <= 28);
                    if (point->n && k == 1) /* 1 + n, one to four times */
                        assert_true(point->mean_ns >= 1 + (double)point->in[1].i &&
                                    point->mean_ns <= 4. * (1 + (double)point->in[1].i));
                    if (point->n && k == 2)
                        assert_true(point->min_ns >= 0 && point->max_ns < 100);
                }
                assert_int_equal(calls, mpi.calls[m]);
                assert_true(timed <= calls);
                if (modes[i].mode == MM_STORE_ROWS)
                    assert_true(timed > calls * 8 / 10);
                if (modes[i].mode == MM_STORE_SAMPLE || (modes[i].mode == MM_STORE_AUTO))
                    assert_true(timed > 0);
                if (modes[i].mode == MM_STORE_AGGREGATES)
                    assert_int_equal(timed > 0, k != 2);
                if (k == 1) /* all that ended in order */
                    assert_true(timed > calls * 8 / 10);
            }
            mm_profile_free(profile);
            close_view(&v);
        }
        fixture_remove(&p.f);
    }
}

/* The drift test needs the order of the calls, whatever the metric. */
TEST(calls_of_a_metric_keep_their_times)
{
    struct program p;

    begin(&p, MM_STORE_ROWS, 0);
    run(&p, 20);
    fixture_end(&p.f);
    for (int k = 0; k < 2; k++) {
        struct cca_error err = {0};
        struct mm_profile *profile;
        struct view v;
        int64_t first = INT64_MAX, last = 0;

        look(&v, &p, k ? "counter 0" : "MPI_TIME");
        profile = mm_profile_new(&v.source.source, NULL, &err);
        if (!profile)
            fail_msg("%s", err.text);
        for (int m = 0; m < METHODS - 1; m++) {
            for (size_t at = 0; at < profile->points[m].count; at++) {
                const struct mm_sample *sample = &profile->points[m].points[at].sample;

                for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
                    int64_t start = sample->call[i].start_ns;

                    assert_true(start > 0);
                    first = start < first ? start : first;
                    last = start > last ? start : last;
                }
            }
        }
        assert_true(last > first);
        mm_profile_free(profile);
        close_view(&v);
    }
    fixture_remove(&p.f);
}

/* --- What is not there ---------------------------------------------------- */

TEST(a_metric_that_is_not_there_is_refused_with_a_reason)
{
    static const struct {
        const char *name, *says;
    } wrong[] = {
        {"MPI_TIME", "time inside MPI is not measured"},
        {"COMPUTE_TIME", "TIME less MPI_TIME"},
        {"time", "expected one of: TIME, WALL_TIME"},
        {"o.nothing", "no out-parameter 'nothing'"},
        {"o.rest", "real number"},
        {"o.", "no out-parameter ''"},
        {"", "expected one of"},
    };
    struct mm_experiment *e;
    struct mm_metric metric;
    struct fixture f;

    fixture_begin(&f, NULL, NULL);
    fixture_method(&f, "i", "a", values, 2, 2);
    fixture_end(&f);
    e = mm_experiment_open(f.path, NULL);
    assert_non_null(e);
    e->has_losses = e->has_cpu = 0; /* an older run */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cca_error err = {0};

        assert_int_equal(mm_metric_find(e, wrong[i].name, &metric, &err), -ENOENT);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("'%s': %s", wrong[i].name, err.text);
    }
    assert_int_equal(mm_metric_find(e, "o.done", &metric, NULL), 0);
    assert_string_equal(mm_metric_unit(&metric), "count");
    mm_experiment_free(e);
    fixture_remove(&f);
}

/* --- The clock and what was lost ------------------------------------------ */

static int count_back(const struct mm_row *row, void *context)
{
    *(int *)context += row->clock_back;
    return 0;
}

/* The ring of a run that was killed, as the first page and the first row say it. */
static void set_in_ring(const struct program *p, uint64_t offset, const void *data,
                        size_t size)
{
    char path[400];
    int fd;

    snprintf(path, sizeof path, "%s/thread-000.ring", p->f.rank);
    fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, data, size, (off_t)offset), size);
    close(fd);
}

TEST(a_clock_that_went_back_is_told)
{
    uint64_t words[MM_ROW_MAX_WORDS];
    struct mm_file_head head;
    struct program p;
    uint64_t offset;
    struct view v;
    char path[400];
    int fd, back = 0;

    begin(&p, MM_STORE_ROWS, 0);
    call(&p, 0, 0);
    call(&p, 1, 0);
    snprintf(path, sizeof path, "%s/thread-000.ring", p.f.rank);
    fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &head, sizeof head, 0), sizeof head);
    offset = MM_HEAD_BYTES + (uint64_t)head.frame_count * MM_FRAME_BYTES +
             sizeof(struct mm_window_head);
    assert_int_equal(pread(fd, words, sizeof words, (off_t)offset), sizeof words);
    while (mm_is_reading(words[0])) {
        offset += MM_READING_WORDS * sizeof *words;
        assert_int_equal(pread(fd, words, sizeof words, (off_t)offset), sizeof words);
    }
    close(fd);
    words[0] |= MM_ROW_CLOCK;
    words[0] = (words[0] & 0xffffffff) |
               mm_row_sum(words, mm_row_words(words[0]), 0) >> 32 << 32;
    set_in_ring(&p, offset, words, sizeof words);

    look(&v, &p, "TIME");
    assert_int_equal(mm_experiment_rows(v.experiment, count_back, &back, NULL), 0);
    assert_int_equal(back, 1);
    assert_int_equal(v.dual->vertices[0].clock_back, 1);
    assert_int_equal(v.dual->vertices[1].clock_back, 0);
    close_view(&v);
    fixture_end(&p.f);
    fixture_remove(&p.f);
}

/* Of a run that was killed the ring says it; of one that ended the trailer does. */
TEST(losses_are_known_of_every_run)
{
    struct mm_ring_live live = {0};
    struct mm_losses losses;
    struct program p;
    struct view v;

    begin(&p, MM_STORE_ROWS, 0);
    call(&p, 0, 0);
    look(&v, &p, "TIME");
    assert_int_equal(mm_experiment_losses(v.experiment, &losses, NULL), 0);
    assert_int_equal(losses.dropped, 0);
    assert_int_equal(losses.nested, 0);
    live.rows = 1;
    live.dropped = mm_count_word(7);
    live.nested = mm_count_word(3);
    set_in_ring(&p, MM_LIVE_OFFSET, &live, sizeof live);
    assert_int_equal(mm_experiment_losses(v.experiment, &losses, NULL), 0);
    assert_int_equal(losses.dropped, 7);
    assert_int_equal(losses.nested, 3);
    close_view(&v);
    fixture_end(&p.f);

    v.experiment = mm_experiment_open(p.f.path, NULL);
    assert_int_equal(mm_experiment_losses(v.experiment, &losses, NULL), 0);
    assert_int_equal(losses.dropped, 7);
    assert_int_equal(losses.nested, 3);
    mm_experiment_free(v.experiment);
    fixture_remove(&p.f);
}

/* One flipped bit of what nothing else says: the check knows. */
TEST(a_loss_that_is_damaged_is_refused)
{
    struct mm_ring_live live = {.rows = 1, .dropped = mm_count_word(7)};
    struct cca_error err = {0};
    struct mm_losses losses;
    struct program p;
    struct view v;

    begin(&p, MM_STORE_ROWS, 0);
    call(&p, 0, 0);
    look(&v, &p, "TIME");
    for (int bit = 0; bit < 64; bit++) {
        live.dropped ^= UINT64_C(1) << bit;
        set_in_ring(&p, MM_LIVE_OFFSET, &live, sizeof live);
        live.dropped ^= UINT64_C(1) << bit;
        err = (struct cca_error){0};
        assert_int_equal(mm_experiment_losses(v.experiment, &losses, &err), -EBADMSG);
        assert_non_null(
            strstr(err.text, "thread-000.ring: offset 512: found damaged counters"));
    }
    live.limited = mm_count_word(1);
    set_in_ring(&p, MM_LIVE_OFFSET, &live, sizeof live);
    assert_int_equal(mm_experiment_losses(v.experiment, &losses, NULL), 0);
    assert_int_equal(losses.limited, 1);
    close_view(&v);
    fixture_end(&p.f);
    v.experiment = mm_experiment_open(p.f.path, NULL);
    assert_int_equal(mm_experiment_losses(v.experiment, &losses, NULL), 0);
    assert_int_equal(losses.limited, 1);
    mm_experiment_free(v.experiment);
    fixture_remove(&p.f);
}

TESTS(NULL, NULL)
