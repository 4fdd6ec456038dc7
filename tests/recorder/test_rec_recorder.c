/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rec_recorder.c: the recorder's life, its methods, counters, switch and clock. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "mastermind/format/layout.h"
#include "mastermind/recorder/pack.h"
#include "mastermind/recorder/recorder.h"
#include "tests/lib/test.h"

static char folder[256];
static struct mm_recorder *recorder;
static struct monitor_port *port;
static int announced, refuse, keep_off;

static const struct monitor_value_decl pair[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

static int on_method(void *context, uint32_t id, const struct monitor_method_decl *decl,
                     struct cca_error *err)
{
    assert_ptr_equal(context, folder);
    assert_int_equal(id, announced);
    assert_string_equal(decl->method, "m");
    if (refuse)
        return cca_error_set(err, -EIO, "no room to write it down");
    if (keep_off)
        return 1;
    announced++;
    return 0;
}

static int set_up(void **state)
{
    struct mm_recorder_options options = {
        .directory = folder, .on_method = on_method, .context = folder};

    (void)state;
    announced = refuse = keep_off = 0;
    snprintf(folder, sizeof folder, "%s/mm-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    recorder = mm_recorder_new(&options, NULL);
    if (!recorder)
        return -1;
    port = mm_recorder_port(recorder);
    return 0;
}

static int tear_down(void **state)
{
    char path[600];
    struct dirent *entry;
    DIR *dir = opendir(folder);

    (void)state;
    while (dir && (entry = readdir(dir)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
    return rmdir(folder);
}

static struct monitor_method_decl decl_of(const struct monitor_value_decl *values,
                                          size_t in, size_t out)
{
    return (struct monitor_method_decl){.instance = "i",
                                        .port = "p",
                                        .method = "m",
                                        .class_name = "C",
                                        .build_id = "",
                                        .port_type = "t.T/1",
                                        .values = values,
                                        .in_count = in,
                                        .out_count = out};
}

static struct monitor_method *open_pair(void)
{
    struct monitor_method_decl decl = decl_of(pair, 2, 0);

    return port->method_open(port, &decl, NULL);
}

static __attribute__((noinline)) int call(struct monitor_method *method, int64_t a,
                                          int64_t b)
{
    union monitor_value in[2] = {{.i = a}, {.i = b}};
    struct monitor_frame *frame = port->begin(port, method, in);

    port->end(port, frame, NULL);
    return frame != NULL;
}

static struct mm_recorder_stats stats(void)
{
    struct mm_recorder_stats s;

    mm_recorder_stats(recorder, &s);
    return s;
}

static int files(void)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);
    int n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

TEST_WITH(the_port_says_what_it_is, set_up, tear_down)
{
    assert_string_equal(port->base.type, MONITOR_PORT_TYPE);
    assert_int_equal(port->base.size, sizeof *port);
    mm_recorder_close(recorder, NULL);
}

TEST_WITH(methods_are_checked_and_announced, set_up, tear_down)
{
    struct monitor_value_decl nameless[] = {{.type = MONITOR_INT64}};
    struct monitor_method_decl decl = decl_of(pair, 2, 0);
    struct cca_error err = {0};

    assert_non_null(open_pair());
    assert_non_null(open_pair());
    assert_int_equal(announced, 2);
    decl.in_count = MONITOR_MAX_IN + 1;
    assert_null(port->method_open(port, &decl, &err));
    assert_int_equal(err.code, -EINVAL);
    decl = decl_of(pair, 2, 0);
    decl.instance = NULL;
    err.code = 0;
    assert_null(port->method_open(port, &decl, &err));
    assert_int_equal(err.code, -EINVAL);
    decl = decl_of(nameless, 1, 0);
    err.code = 0;
    assert_null(port->method_open(port, &decl, &err));
    assert_int_equal(err.code, -EINVAL);
    refuse = 1;
    decl = decl_of(pair, 2, 0);
    err.code = 0;
    assert_null(port->method_open(port, &decl, &err));
    assert_string_equal(err.text, "no room to write it down");
    assert_int_equal(stats().methods, 2);
    mm_recorder_close(recorder, NULL);
}

TEST_WITH(counts_are_exact, set_up, tear_down)
{
    struct monitor_method *method = open_pair();
    int i;

    for (i = 0; i < 30000; i++)
        assert_true(call(method, i, 5));
    assert_int_equal(stats().rows, 30000);
    assert_int_equal(stats().threads, 1);
    assert_int_equal(stats().dropped, 0);
    assert_int_equal(stats().nested, 0);
    assert_true(stats().costs.rows[MM_ROW_PAIR].loop_ns > 0);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().rows, 30000);
    assert_int_equal(files(), 1); /* the segment; the ring has done its work */
}

TEST_WITH(the_switch_works_now_and_later, set_up, tear_down)
{
    struct monitor_method *method = open_pair(), *later;

    assert_true(monitor_method_on(method));
    mm_recorder_switch(recorder, 0);
    assert_false(monitor_method_on(method));
    assert_false(call(method, 1, 1));
    later = open_pair();
    assert_false(monitor_method_on(later));
    mm_recorder_switch(recorder, 1);
    assert_true(call(method, 1, 1));
    assert_true(call(later, 1, 1));
    assert_int_equal(stats().rows, 2);
    mm_recorder_close(recorder, NULL);
}

TEST_WITH(what_has_no_id_stays_off, set_up, tear_down)
{
    struct monitor_method *off, *method;

    keep_off = 1;
    off = open_pair();
    keep_off = 0;
    assert_non_null(off);
    assert_false(call(off, 1, 1)); /* the first call of this thread */
    method = open_pair();
    mm_recorder_switch(recorder, 0);
    mm_recorder_switch(recorder, 1);
    assert_false(monitor_method_on(off));
    assert_true(monitor_method_on(method));
    assert_false(call(off, 1, 1));
    assert_true(call(method, 1, 1));
    assert_int_equal(stats().rows, 1);
    mm_recorder_close(recorder, NULL);
}

#if defined(SYS_fork)
/* Whoever forks without the C library tells nobody; the child may record for itself all
 * the same. */
TEST_WITH(a_child_may_have_its_own, set_up, tear_down)
{
    struct monitor_method *method = open_pair();
    struct mm_recorder *parents = recorder;
    char parents_folder[256];
    int status, good;
    long child;

    assert_true(call(method, 1, 1));
    strcpy(parents_folder, folder);
    child = syscall(SYS_fork);
    if (!child) {
        good = !set_up(test_state) && call(open_pair(), 1, 1) && stats().rows == 1 &&
               !mm_recorder_close(recorder, NULL) && !tear_down(test_state);
        _exit(!good);
    }
    assert_int_equal(waitpid((pid_t)child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(call(method, 1, 1));
    assert_ptr_equal(recorder, parents);
    assert_string_equal(folder, parents_folder);
    assert_int_equal(stats().rows, 2);
    mm_recorder_close(recorder, NULL);
}
#endif

TEST_WITH(after_close_nothing_is_recorded, set_up, tear_down)
{
    struct monitor_method *method = open_pair(), *late;

    assert_true(call(method, 1, 1));
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_false(call(method, 1, 1));
    mm_recorder_switch(recorder, 1);
    assert_false(call(method, 1, 1));
    late = open_pair(); /* a proxy connected too late still works */
    assert_non_null(late);
    assert_false(monitor_method_on(late));
    assert_false(call(late, 1, 1));
    assert_int_equal(announced, 1);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().rows, 1);
}

TEST_WITH(two_recorders_keep_apart, set_up, tear_down)
{
    struct mm_recorder *first = recorder, *second;
    struct monitor_method *a, *b;
    struct monitor_port *first_port = port;
    char first_folder[256];
    union monitor_value in[2] = {{1}, {2}};
    struct monitor_frame *outer;

    a = open_pair();
    strcpy(first_folder, folder);
    assert_int_equal(set_up(test_state), 0);
    second = recorder;
    b = open_pair();
    outer = first_port->begin(first_port, a, in);
    assert_true(call(b, 1, 1));
    assert_true(call(b, 1, 1));
    first_port->end(first_port, outer, NULL);
    assert_int_equal(stats().rows, 2);
    assert_int_equal(mm_recorder_close(second, NULL), 0);
    assert_int_equal(tear_down(test_state), 0);
    recorder = first;
    strcpy(folder, first_folder);
    assert_int_equal(stats().rows, 1);
    assert_int_equal(mm_recorder_close(first, NULL), 0);
}

TEST_WITH(bad_directories_are_errors_at_once, set_up, tear_down)
{
    struct mm_recorder_options options = {.directory = "/nonexistent/rank"};
    struct cca_error err = {0};

    assert_null(mm_recorder_new(&options, &err));
    assert_int_equal(err.code, -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/rank"));
    options.directory = "/dev/null";
    err.code = 0;
    assert_null(mm_recorder_new(&options, &err));
    assert_int_equal(err.code, -ENOTDIR);
    mm_recorder_close(recorder, NULL);
}

TEST_WITH(the_clock_runs_as_fast_as_the_kernels, set_up, tear_down)
{
    struct mm_clock clock;

    mm_recorder_clock(recorder, &clock);
    assert_true(clock.ns_per_tick > 0);
    assert_true(clock.epoch_ns > 0);
    mm_recorder_close(recorder, NULL);
    assert_int_equal(tear_down(test_state), 0);
    setenv("MM_CLOCK", "monotonic", 1);
    assert_int_equal(set_up(test_state), 0);
    unsetenv("MM_CLOCK");
    mm_recorder_clock(recorder, &clock);
    assert_string_equal(clock.name, "CLOCK_MONOTONIC");
    assert_true(clock.ns_per_tick == 1);
    assert_true(call(open_pair(), 1, 1));
    mm_recorder_close(recorder, NULL);
}

/* What the border promises: 40 bytes in the ring, 16 in the segment for two integers. */
TEST_WITH(rows_are_small, set_up, tear_down)
{
    enum { CALLS = 100000 };
    struct monitor_method *method = open_pair();
    char path[400];
    struct stat st;
    int i;

    for (i = 0; i < CALLS; i++)
        call(method, i % 2, (i % 100 + 10) * (i % 100 + 10));
    mm_recorder_close(recorder, NULL);
    snprintf(path, sizeof path, "%s/thread-000.seg", folder);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size <= 16 * CALLS);
}

TEST_WITH(every_single_flip_changes_a_check, set_up, tear_down)
{
    uint64_t words[MM_ROW_MAX_WORDS], sum, seed = 1;
    size_t i, bit;

    for (i = 0; i < MM_ROW_MAX_WORDS; i++)
        words[i] = seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    sum = mm_row_sum(words, MM_ROW_MAX_WORDS, 77) >> 32;
    for (i = 0; i < MM_ROW_MAX_WORDS; i++) {
        for (bit = 0; bit < (i ? 64 : 32); bit++) {
            words[i] ^= 1ULL << bit;
            assert_true(mm_row_sum(words, MM_ROW_MAX_WORDS, 77) >> 32 != sum);
            words[i] ^= 1ULL << bit;
        }
    }
    assert_true(mm_row_sum(words, MM_ROW_MAX_WORDS, 78) >> 32 != sum);
    mm_recorder_close(recorder, NULL);
}

/* Values are often equal, and counters with what they have in callees: such words must
 * not be able to vanish together, nor to change places. */
TEST_WITH(equal_words_do_not_cancel_out, set_up, tear_down)
{
    uint64_t words[MM_ROW_MAX_WORDS], sum;
    size_t i, j;

    for (i = 0; i < MM_ROW_MAX_WORDS; i++)
        words[i] = 1000 + i / 2;
    sum = mm_row_sum(words, MM_ROW_MAX_WORDS, 77) >> 32;
    for (i = 4; i < MM_ROW_MAX_WORDS; i++)
        for (j = i + 1; j < MM_ROW_MAX_WORDS; j++) {
            uint64_t a = words[i], b = words[j];

            words[i] = words[j] = 0;
            assert_true(mm_row_sum(words, MM_ROW_MAX_WORDS, 77) >> 32 != sum);
            words[i] = b;
            words[j] = a;
            assert_true(a == b || mm_row_sum(words, MM_ROW_MAX_WORDS, 77) >> 32 != sum);
            words[i] = a;
            words[j] = b;
        }
    mm_recorder_close(recorder, NULL);
}

/* An open call says what its check says, whatever bit of it flips. */
TEST_WITH(every_single_flip_changes_a_frame, set_up, tear_down)
{
    uint64_t values[16], seed = 1, check = 0, flipped;
    uint32_t i, j, bit;

    for (i = 0; i < 16; i++)
        values[i] = seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    for (i = 0; i <= 18; i++) /* nothing; then a value, the invocation, the start */
        for (bit = 0; bit < 64; bit++) {
            uint64_t sum = mm_frame_sum(3, 16, 4711 ^ (i == 17 ? 1ULL << bit : 0));

            for (j = 0; j < 16; j++)
                sum = mm_frame_value(sum, j, values[j] ^ (i == j + 1 ? 1ULL << bit : 0));
            flipped = mm_frame_check(sum, 815 ^ (i == 18 ? 1ULL << bit : 0));
            if (i)
                assert_true(flipped != check);
            else
                check = flipped;
        }
    assert_true(mm_frame_sum(3, 16, 1) != mm_frame_sum(2, 16, 1));
    assert_true(mm_frame_sum(3, 16, 1) != mm_frame_sum(3, 17, 1));
    mm_recorder_close(recorder, NULL);
}

static void *traffic(void *method)
{
    int i;

    for (i = 0; i < 20000; i++)
        call(method, i, i);
    return NULL;
}

/* Closing under traffic: nobody waits, nobody crashes, counts only grow. */
TEST_WITH(closing_under_traffic_is_safe, set_up, tear_down)
{
    struct monitor_method *method = open_pair();
    pthread_t threads[4];
    uint64_t rows;
    int i;

    for (i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, traffic, method), 0);
    while (!stats().rows)
        continue;
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    rows = stats().rows;
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_true(stats().rows >= rows);
    assert_true(stats().rows <= 80000);
}

TESTS(NULL, NULL)
