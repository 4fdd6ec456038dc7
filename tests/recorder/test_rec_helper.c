/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rec_helper.c: the thread that packs: when it is there, and what it leaves alone.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>

#include "mastermind/recorder/recorder.h"
#include "tests/lib/test.h"

enum { A_WINDOW = 7000 }; /* calls that fill more than one */

static const struct monitor_value_decl pair[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
};

static char folder[256];
static struct mm_recorder *recorder;
static struct monitor_port *port;
static struct monitor_method *method;

static int begin_with(enum mm_packing packing, struct cca_error *err)
{
    struct mm_recorder_options options = {.directory = folder, .packing = packing};
    struct monitor_method_decl decl = {.instance = "i",
                                       .port = "p",
                                       .method = "m",
                                       .class_name = "C",
                                       .build_id = "",
                                       .port_type = "t.T/1",
                                       .values = pair,
                                       .in_count = 2};

    snprintf(folder, sizeof folder, "%s/mm-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    recorder = mm_recorder_new(&options, err);
    if (!recorder)
        return 0;
    port = mm_recorder_port(recorder);
    method = port->method_open(port, &decl, NULL);
    return method ? 0 : -1;
}

static void *nothing(void *unused)
{
    return unused;
}

static int set_up(void **state)
{
    pthread_t thread;

    (void)state;
    /* A sanitizer makes a thread of its own with the first one. */
    if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return -1;
    return begin_with(MM_PACK_HELPER, NULL);
}

/* Entries of a directory; removes them if `clean`. */
static int entries(const char *path, int clean)
{
    char file[600];
    struct dirent *entry;
    DIR *dir = opendir(path);
    int n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        n++;
        if (clean)
            unlink(file);
    }
    closedir(dir);
    return n;
}

static int tear_down(void **state)
{
    (void)state;
    entries(folder, 1);
    return rmdir(folder);
}

static __attribute__((noinline)) void call(int64_t a, int64_t b)
{
    union monitor_value in[2] = {{.i = a}, {.i = b}};

    port->end(port, port->begin(port, method, in), NULL);
}

static void fill(int calls)
{
    int i;

    for (i = 0; i < calls; i++)
        call(i & 1, i);
}

static struct mm_recorder_stats stats(void)
{
    struct mm_recorder_stats s;

    mm_recorder_stats(recorder, &s);
    return s;
}

/* Threads of this process. */
static int tasks(void)
{
    return entries("/proc/self/task", 0);
}

TEST_WITH(it_comes_with_the_first_full_window, set_up, tear_down)
{
    int before = tasks();

    fill(100);
    assert_int_equal(tasks(), before);
    fill(A_WINDOW);
    assert_int_equal(tasks(), before + 1);
    assert_string_equal(stats().packing, "helper");
    fill(20 * A_WINDOW);
    assert_int_equal(tasks(), before + 1);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(tasks(), before);
    assert_int_equal(stats().rows, 100 + 21 * A_WINDOW);
    assert_int_equal(entries(folder, 0), 1); /* the segment */
    assert_string_equal(stats().packing, "helper");
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
}

/* Blocked signals mean that this may be a handler, where making a thread could hang. */
TEST_WITH(it_is_not_made_where_signals_are_blocked, set_up, tear_down)
{
    int before = tasks();
    sigset_t one, old;

    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &old);
    fill(3 * A_WINDOW);
    assert_int_equal(tasks(), before);
    sigprocmask(SIG_SETMASK, &old, NULL);
    fill(A_WINDOW);
    assert_int_equal(tasks(), before + 1);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().rows, 4 * A_WINDOW);
}

TEST_WITH(it_holds_no_descriptor_of_the_program, set_up, tear_down)
{
    int ends[2], low, files = entries("/proc/self/fd", 0), i;
    char byte;

    assert_int_equal(pipe(ends), 0);
    fill(2 * A_WINDOW);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody else has it open */
    low = ends[0];
    for (i = 0; i < 2000;
         i++) { /* the lowest free number stays ours, whatever it opens */
        fill(100);
        close(low);
        assert_int_equal(open("/dev/null", O_RDONLY), low);
    }
    close(low);
    assert_int_equal(entries("/proc/self/fd", 0), files);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().dropped, 0);
}

TEST_WITH(it_takes_no_signal, set_up, tear_down)
{
    sigset_t one, old;
    int taken = 0;

    fill(2 * A_WINDOW);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &old);
    kill(getpid(),
         SIGUSR1); /* to whichever thread does not block it: that would kill us */
    assert_int_equal(sigwait(&one, &taken), 0);
    assert_int_equal(taken, SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
}

TEST_WITH(a_forked_child_has_none, set_up, tear_down)
{
    int status;
    pid_t pid;

    fill(2 * A_WINDOW);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        alarm(60); /* to hang would be the mistake */
        fill(3 * A_WINDOW);
        _exit(tasks() == 1 && !mm_recorder_close(recorder, NULL) ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fill(2 * A_WINDOW);
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().rows, 4 * A_WINDOW);
    assert_int_equal(entries(folder, 0), 1);
}

static void *traffic(void *unused)
{
    fill(12 * A_WINDOW);
    return unused;
}

TEST_WITH(threads_share_it, set_up, tear_down)
{
    pthread_t threads[4];
    int i, round;

    for (round = 0; round < 3; round++) {
        for (i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, traffic, NULL), 0);
        for (i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    assert_int_equal(stats().rows, 3 * 4 * 12 * A_WINDOW);
    assert_int_equal(stats().dropped, 0);
    assert_int_equal(entries(folder, 0), 12);
}

TEST_WITH(closing_under_traffic_stops_it, set_up, tear_down)
{
    int before = tasks(), i;
    pthread_t threads[3];

    for (i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, traffic, NULL), 0);
    while (stats().rows < 2 * A_WINDOW)
        continue;
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(tasks(), before);
    assert_int_equal(stats().dropped, 0);
}

TEST(the_environment_decides_where_nothing_was_said)
{
    struct cca_error err = {0};
    int before = tasks();

    setenv("MM_PACKING", "caller", 1);
    assert_int_equal(begin_with(MM_PACK_AUTO, NULL), 0);
    fill(2 * A_WINDOW);
    assert_int_equal(tasks(), before);
    assert_string_equal(stats().packing, "caller");
    assert_int_equal(mm_recorder_close(recorder, NULL), 0);
    tear_down(test_state);
    setenv("MM_PACKING", "both", 1);
    assert_int_equal(begin_with(MM_PACK_AUTO, &err), 0);
    unsetenv("MM_PACKING");
    assert_null(recorder);
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text,
                        "MM_PACKING: found 'both', expected auto, caller or helper");
    tear_down(test_state);
    err = (struct cca_error){0};
    setenv("MM_CLOCK", "sun", 1);
    assert_int_equal(begin_with(MM_PACK_AUTO, &err), 0);
    unsetenv("MM_CLOCK");
    assert_null(recorder);
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text, "MM_CLOCK: found 'sun', expected auto or monotonic");
    tear_down(test_state);
}

TESTS(NULL, NULL)
