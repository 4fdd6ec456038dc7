/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_keep_kill.c: a process that is killed at any moment leaves a file that can be
 * read, with all that it had added; and so can a reader that looks meanwhile. */
#include "tests/messages/keep_file.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "messages/join/join.h"
#include "messages/keep/keep.h"
#include "messages/words/words.h"
#include "tests/messages/halves.h"

enum { CLASSES = 5, MOST_STEPS = 5000 };

static char path[PATH_MAX];
static struct keep_file file;

/* What the child has done for certain. */
static struct progress {
    uint64_t steps, filed, sealed;
} * progress;

static int make_folder(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/test_msg_keep_kill-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(path) || progress == MAP_FAILED)
        return -1;
    strcat(path, "/messages");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(file.bytes);
    unlink(path);
    *strrchr(path, '/') = '\0';
    return rmdir(path);
}

static struct mm_keep *new_keep(const char *word, int locked)
{
    struct mm_message_request request;
    struct mm_keep_options options = {.request = &request, .locked = locked};
    struct mm_keep *keep;

    if (mm_message_request_parse(word, &request, NULL) ||
        !(keep = mm_keep_new(&options, NULL)))
        abort();
    return keep;
}

/* Sample number `serial` of class `c`: latencies are 1, 2, 3 .. 1000 ns in turns, p 1/4.
 */
static void add_sample(struct mm_keep *keep, int c, uint64_t serial)
{
    struct mm_messages_half send = half_of(serial, MM_MESSAGES_SEND),
                            recv = half_of(serial, MM_MESSAGES_RECEIVE);
    struct mm_message_times times = {.latency = 1 + (double)(serial % 1000),
                                     .late_sender = 2,
                                     .late_receiver = 3,
                                     .transfer = 4};

    send.src = c;
    send.bytes = 8;
    send.p = 0.25;
    mm_keep_sample(keep, &send, &recv, &times);
}

static double sum_of(uint64_t samples)
{
    uint64_t turns = samples / 1000, rest = samples % 1000;

    return (double)(turns * 500500 + rest * (rest + 1) / 2);
}

/* Step i of a process that measures: a channel each 16th, a site each 64th. */
static void step(struct mm_keep *keep, uint64_t i)
{
    if (i % 16 == 0) {
        struct mm_messages_channel *channel = mm_keep_channel(keep);

        if (!channel)
            abort();
        channel->count = i;
        channel->hash = half_key(i) | 1;
    }
    if (i % 64 == 0) {
        struct mm_messages_site site = {.key = i, .frames = 1};

        mm_keep_site(keep, &site);
    }
    add_sample(keep, (int)(i % CLASSES), i / CLASSES);
}

static void run_until_killed(const char *word, uint64_t file_at, uint64_t seal_at)
{
    struct mm_keep *keep = new_keep(word, 0);

    for (uint64_t i = 0;; i++) {
        if (i == file_at) {
            if (mm_keep_file(keep, path))
                _exit(1);
            __atomic_store_n(&progress->filed, 1, __ATOMIC_RELEASE);
        }
        if (i == seal_at) {
            if (mm_keep_seal(keep))
                _exit(1);
            __atomic_store_n(&progress->sealed, 1, __ATOMIC_RELEASE);
            for (;;)
                pause();
        }
        step(keep, i);
        __atomic_store_n(&progress->steps, i + 1, __ATOMIC_RELEASE);
    }
}

static void sleep_us(unsigned us)
{
    struct timespec t = {0, (long)us * 1000};

    nanosleep(&t, NULL);
}

/* Samples of a class among the first `steps`. */
static uint64_t samples_of(uint64_t steps, int c)
{
    return (steps + CLASSES - 1 - (uint64_t)c) / CLASSES;
}

/* One sample more or less in each number, where the process died in a change. */
static void check_torn(const struct mm_messages_class *c, uint64_t known)
{
    assert_true(c->count >= known && c->count <= known + 1);
    assert_true(c->latency.sum >= sum_of(known) && c->latency.sum <= sum_of(known + 1));
}

static void check_class(const struct mm_messages_class *c, uint64_t known)
{
    uint64_t in_buckets = 0;

    if (c->version % 2) {
        check_torn(c, known);
        return;
    }
    assert_true(c->check == mm_messages_class_check(c));
    assert_true(c->count >= known && c->count <= known + 1);
    assert_true(c->version == 2 * c->count);
    assert_true(c->latency.sum == sum_of(c->count));
    assert_true(c->latency.weighted == 4 * sum_of(c->count));
    assert_true(c->late_sender.sum == 2 * (double)c->count);
    assert_true(c->weight == 4 * (double)c->count);
    assert_int_equal(c->bytes, 8 * c->count);
    for (int b = 0; b < MM_MESSAGES_BUCKETS; b++)
        in_buckets += c->buckets[b];
    assert_int_equal(in_buckets, c->count);
}

static void check_classes(uint64_t steps)
{
    size_t classes = file.count[MM_MESSAGES_CLASSES];

    /* The first is of all others. */
    assert_true(classes <= CLASSES + 1);
    assert_true(classes >= (steps < CLASSES ? steps : CLASSES) + (steps > 0));
    for (size_t i = 1; i < classes; i++) {
        const struct mm_messages_class *c = file_entry(&file, MM_MESSAGES_CLASSES, i);

        check_class(c, samples_of(steps, c->src));
    }
}

static void check_records(uint64_t steps)
{
    size_t records = file.count[MM_MESSAGES_RECORDS];

    assert_true(records + file.head->counts[MM_MESSAGES_DROPPED_LIMIT] >= steps);
    for (size_t i = 0; i < records; i++) {
        const struct mm_messages_record *record =
            file_entry(&file, MM_MESSAGES_RECORDS, i);

        assert_int_equal(record->send.src, i % CLASSES);
        assert_int_equal(record->send.k, i / CLASSES);
    }
}

static void check_channels(uint64_t steps)
{
    size_t channels = file.count[MM_MESSAGES_CHANNELS], known = (steps + 15) / 16;

    assert_true(channels >= known && channels <= known + 1);
    for (size_t i = 0; i < known; i++) {
        const struct mm_messages_channel *channel =
            file_entry(&file, MM_MESSAGES_CHANNELS, i);

        assert_int_equal(channel->count, 16 * i);
    }
}

/* Until the child has done so many steps; where it was to seal its file some time before
 * them, until it has. */
static void wait_for(uint64_t steps, uint64_t seal_at)
{
    if (seal_at < steps / 2)
        while (!__atomic_load_n(&progress->sealed, __ATOMIC_ACQUIRE))
            sleep_us(20);
    else
        while (__atomic_load_n(&progress->steps, __ATOMIC_ACQUIRE) <
               (steps < seal_at ? steps : seal_at))
            sleep_us(20);
}

static void kill_at_random(const char *word, int kills)
{
    uint64_t random = 123;
    int filed = 0, sealed = 0, torn = 0;

    for (int i = 0; i < kills; i++) {
        uint64_t file_at = half_random(&random) % 2 ? half_random(&random) % 2000 : 0,
                 seal_at =
                     half_random(&random) % 4 ? UINT64_MAX : half_random(&random) % 4000;
        pid_t child;

        unlink(path);
        *progress = (struct progress){0};
        if (seal_at < file_at)
            seal_at = file_at;
        child = fork();
        if (!child)
            run_until_killed(word, file_at, seal_at);
        wait_for(half_random(&random) % MOST_STEPS, seal_at);
        sleep_us((unsigned)(half_random(&random) % 100));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        if (access(path, F_OK)) {
            assert_int_equal(progress->filed, 0);
            continue;
        }
        file_read(&file, path);
        if (file.wrong && !progress->filed) {
            assert_string_equal(file.wrong, "magic");
            continue;
        }
        filed++;
        sealed += file.head->state == MM_MESSAGES_SEALED;
        if (file.wrong)
            fail_msg("kill %d: %s", i, file.wrong);
        if (!strcmp(word, "P-0.25-FREQ"))
            check_classes(progress->steps);
        else
            check_records(progress->steps);
        check_channels(progress->steps);
        if (progress->sealed)
            assert_int_equal(file.head->state, MM_MESSAGES_SEALED);
        for (size_t c = 1; c < file.count[MM_MESSAGES_CLASSES]; c++)
            torn += ((const struct mm_messages_class *)file_entry(&file,
                                                                  MM_MESSAGES_CLASSES, c))
                        ->version %
                    2;
    }
    printf("%s: %d kills, %d files, %d sealed, %d classes torn\n", word, kills, filed,
           sealed, torn);
    assert_true(filed > kills / 4);
    assert_true(sealed > 0);
}

TEST(a_killed_process_leaves_its_classes_and_channels)
{
    kill_at_random("P-0.25-FREQ", test_count("KILLS", 60, 3000));
}

TEST(a_killed_process_leaves_its_records)
{
    kill_at_random("P-0.25-WRITE", test_count("KILLS", 40, 2000));
}

/* --- A reader meanwhile ----------------------------------------------------------------
 */

/* Copy a class as a reader does: between two equal, even versions. */
static int copy_class(const struct mm_messages_class *live,
                      struct mm_messages_class *copy, size_t bytes)
{
    for (int attempt = 0; attempt < 1000000; attempt++) {
        uint64_t version = __atomic_load_n(&live->version, __ATOMIC_ACQUIRE);

        memcpy(copy, live, bytes);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (version % 2 == 0 && copy->version == version &&
            __atomic_load_n(&live->version, __ATOMIC_ACQUIRE) == version)
            return 1;
    }
    return 0;
}

TEST(a_reader_of_a_running_process_sees_whole_classes)
{
    enum { BYTES = sizeof(struct mm_messages_class) + MM_MESSAGES_BUCKETS * 4 };
    struct mm_messages_class *copy = calloc(1, BYTES);
    uint64_t last[CLASSES + 1] = {0};
    unsigned char *map;
    pid_t child;
    int fd;

    unlink(path);
    *progress = (struct progress){0};
    child = fork();
    if (!child)
        run_until_killed("P-0.25-FREQ", 1000, UINT64_MAX);
    while (__atomic_load_n(&progress->steps, __ATOMIC_ACQUIRE) < 2000)
        sleep_us(100);
    kill(child, SIGSTOP); /* so that all of the file is of one moment */
    waitpid(child, NULL, WUNTRACED);
    file_read(&file, path);
    kill(child, SIGCONT);
    assert_null(file.wrong);
    fd = open(path, O_RDONLY);
    map = mmap(NULL, file.size, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(map != MAP_FAILED);
    close(fd);
    for (int round = 0; round < 20000; round++) {
        size_t i = 1 + (size_t)round % CLASSES;
        const unsigned char *at = file_entry(&file, MM_MESSAGES_CLASSES, i);

        assert_true(copy_class((const void *)(map + (at - file.bytes)), copy, BYTES));
        assert_true(copy->count >= last[i]);
        last[i] = copy->count;
        check_class(copy, copy->count);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(map, file.size);
    free(copy);
}

/* --- Threads ---------------------------------------------------------------------------
 */

enum { THREADS = 3, STEPS = 20000 };

static struct mm_keep *shared;
static uint64_t ready;

static void *add_many(void *argument)
{
    int c = *(int *)argument;
    uint64_t *counts = mm_keep_head(shared)->counts;

    for (uint64_t i = 0; i < STEPS; i++) {
        add_sample(shared, c, i);
        __atomic_fetch_add(&counts[MM_MESSAGES_SENT], 1, __ATOMIC_RELAXED);
        if (i % 100 == 0) {
            struct mm_messages_channel *channel = mm_keep_channel(shared);

            __atomic_store_n(&channel->count, i + 1, __ATOMIC_RELAXED);
        }
        if (i == STEPS / 4)
            __atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

TEST(threads_add_while_all_moves_into_the_file)
{
    for (int round = 0; round < 5; round++) {
        pthread_t threads[THREADS];
        int numbers[THREADS];

        unlink(path);
        ready = 0;
        shared = new_keep("P-0.25-FREQ", 1);
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            assert_int_equal(pthread_create(&threads[i], NULL, add_many, &numbers[i]), 0);
        }
        while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
            sleep_us(20);
        assert_int_equal(mm_keep_file(shared, path), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(mm_keep_seal(shared), 0);
        file_read(&file, path);
        assert_null(file.wrong);
        assert_int_equal(file.count[MM_MESSAGES_CLASSES], THREADS + 1);
        for (size_t i = 1; i <= THREADS; i++) {
            const struct mm_messages_class *c = file_entry(&file, MM_MESSAGES_CLASSES, i);

            assert_int_equal(c->count, STEPS);
            check_class(c, STEPS);
        }
        assert_int_equal(file.count[MM_MESSAGES_CHANNELS], THREADS * STEPS / 100);
        assert_int_equal(file.head->counts[MM_MESSAGES_SENT], THREADS * STEPS);
        mm_keep_free(shared);
    }
}

TESTS(make_folder, remove_folder)
