/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_join_batch.c: each half that is added arrives at its process once or is
 * counted as dropped, whatever the transport does. */
#include "tests/lib/test.h"

#include <pthread.h>
#include <sys/mman.h>

#include "messages/join/batch.h"
#include "tests/messages/halves.h"

enum { PROCESSES = 5000, HALVES = 40000 };

/* A transport that sends slowly, and looks whether buffers are left alone meanwhile. */
static struct wire {
    uint64_t random;
    int slow;   /* of 100 questions for done so many get a no */
    int broken; /* of 100 starts so many fail */
    struct {
        const void *data;
        size_t bytes;
        int process;
        struct mm_messages_half copy[MM_BATCH_HALVES];
    } buffers[MM_BATCH_BUFFERS];
    int under_way, most_under_way, wrong, started, failed_halves;
    unsigned char arrived[HALVES];
} wire;

static int wire_start(void *context, int process, int buffer, const void *data,
                      size_t bytes)
{
    struct wire *w = context;
    size_t halves = bytes / sizeof(struct mm_messages_half);

    if (buffer < 0 || buffer >= MM_BATCH_BUFFERS || w->buffers[buffer].data || !halves ||
        bytes % sizeof(struct mm_messages_half) || halves > MM_BATCH_HALVES) {
        w->wrong++;
        return -EINVAL;
    }
    if ((int)(half_random(&w->random) % 100) < w->broken) {
        w->failed_halves += (int)halves;
        return -EIO;
    }
    w->buffers[buffer].data = data;
    w->buffers[buffer].bytes = bytes;
    w->buffers[buffer].process = process;
    memcpy(w->buffers[buffer].copy, data, bytes);
    w->started++;
    if (++w->under_way > w->most_under_way)
        w->most_under_way = w->under_way;
    return 0;
}

static int wire_done(void *context, int buffer)
{
    struct wire *w = context;
    size_t bytes = w->buffers[buffer].bytes;

    if (!w->buffers[buffer].data) {
        w->wrong++; /* asked again */
        return 1;
    }
    if ((int)(half_random(&w->random) % 100) < w->slow)
        return 0;
    w->wrong += memcmp(w->buffers[buffer].copy, w->buffers[buffer].data, bytes) != 0;
    for (size_t i = 0; i < bytes / sizeof(struct mm_messages_half); i++) {
        const struct mm_messages_half *half = &w->buffers[buffer].copy[i];

        w->wrong += half->dst != w->buffers[buffer].process || half->k >= HALVES;
        w->arrived[half->k % HALVES]++;
    }
    w->buffers[buffer].data = NULL;
    w->under_way--;
    return 1;
}

static uint64_t counts[MM_MESSAGES_COUNTS];

static struct mm_batches *new_batches(int processes, int slow, int broken, int locked)
{
    const struct mm_batch_transport transport = {wire_start, wire_done, &wire};
    struct mm_batches *batches;

    memset(&wire, 0, sizeof wire);
    memset(counts, 0, sizeof counts);
    wire.random = 11;
    wire.slow = slow;
    wire.broken = broken;
    batches = mm_batches_new(&transport, processes, locked, counts, NULL);
    assert_non_null(batches);
    return batches;
}

static void add(struct mm_batches *batches, uint64_t number, int process)
{
    struct mm_messages_half half = half_of(number, MM_MESSAGES_SEND);

    half.dst = process;
    mm_batches_add(batches, &half);
}

static void drain(struct mm_batches *batches)
{
    int left;

    for (int i = 0; (left = mm_batches_flush(batches)) > 0; i++)
        assert_true(i < 100000);
    assert_int_equal(left, 0);
}

static int arrived_once(void)
{
    int arrived = 0;

    for (int i = 0; i < HALVES; i++) {
        assert_true(wire.arrived[i] <= 1);
        arrived += wire.arrived[i];
    }
    return arrived;
}

TEST(a_transport_that_keeps_up_loses_nothing)
{
    struct mm_batches *batches = new_batches(3, 0, 0, 0);

    for (uint64_t i = 0; i < HALVES; i++)
        add(batches, i, (int)(i % 3));
    drain(batches);
    assert_int_equal(arrived_once(), HALVES);
    assert_int_equal(wire.wrong, 0);
    assert_int_equal(counts[MM_MESSAGES_DROPPED_POOL], 0);
    assert_int_equal(counts[MM_MESSAGES_BATCHES], wire.started);
    assert_int_equal(wire.started,
                     3 * ((HALVES / 3 + MM_BATCH_HALVES - 1) / MM_BATCH_HALVES));
    mm_batches_free(batches);
}

TEST(each_half_arrives_or_is_counted_over_slow_and_broken_transports)
{
    static const int slow[] = {0, 50, 99, 100}, broken[] = {0, 10},
                     processes[] = {1, 2, 64, 65, PROCESSES};
    uint64_t random = 5;
    int lost;

    for (size_t s = 0; s < 4; s++)
        for (size_t b = 0; b < 2; b++)
            for (size_t p = 0; p < 5; p++) {
                struct mm_batches *batches =
                    new_batches(processes[p], slow[s], broken[b], 0);

                for (uint64_t i = 0; i < HALVES / 8; i++) {
                    add(batches, i, (int)(half_random(&random) % (uint64_t)processes[p]));
                    if (half_random(&random) % 1000 == 0)
                        mm_batches_flush(batches);
                }
                lost = (int)counts[MM_MESSAGES_DROPPED_POOL];
                if (slow[s] == 100)
                    assert_true(lost > 0 ||
                                processes[p] == 64); /* there is room for 72 */
                if (slow[s] == 0 && !broken[b])
                    assert_int_equal(lost, 0);
                wire.slow = 50;
                drain(batches);
                assert_int_equal(wire.wrong, 0);
                assert_true(wire.most_under_way <= MM_BATCH_BUFFERS);
                assert_int_equal(arrived_once() + (int)counts[MM_MESSAGES_DROPPED_POOL],
                                 HALVES / 8);
                assert_true(wire.failed_halves <= (int)counts[MM_MESSAGES_DROPPED_POOL]);
                assert_int_equal(counts[MM_MESSAGES_BATCHES], wire.started);
                mm_batches_free(batches);
            }
}

TEST(halves_for_processes_of_other_jobs_are_dropped_as_foreign)
{
    struct mm_batches *batches = new_batches(4, 0, 0, 0);

    add(batches, 1, 4);
    add(batches, 2, -2);
    add(batches, 3, 3);
    drain(batches);
    assert_int_equal(counts[MM_MESSAGES_DROPPED_FOREIGN], 2);
    assert_int_equal(arrived_once(), 1);
    mm_batches_free(batches);
}

/* Pages in use of this process, in KiB. */
static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(memory_does_not_grow_with_the_number_of_processes)
{
    enum { MANY = 1000000, MOST_KIB = 2048 }; /* a byte each, and 72 batches */
    long before = resident_kib();
    struct mm_batches *batches = new_batches(MANY, 0, 0, 0);

    for (uint64_t i = 0; i < HALVES; i++)
        add(batches, i, (int)(half_key(i) % MANY));
    if (!TEST_ASAN && !TEST_TSAN)
        assert_true(resident_kib() - before < MOST_KIB);
    drain(batches);
    assert_int_equal(arrived_once(), HALVES);
    mm_batches_free(batches);
}

static void *add_half_of_all(void *argument)
{
    static int side;
    uint64_t first = (uint64_t)__atomic_fetch_add(&side, 1, __ATOMIC_RELAXED);

    for (uint64_t i = first; i < HALVES; i += 2)
        add(argument, i, (int)(i % 7));
    return NULL;
}

TEST(threads_may_add_at_once)
{
    struct mm_batches *batches = new_batches(7, 10, 0, 1);
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_half_of_all, batches), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    drain(batches);
    assert_int_equal(wire.wrong, 0);
    assert_int_equal(arrived_once() + (int)counts[MM_MESSAGES_DROPPED_POOL], HALVES);
    mm_batches_free(batches);
}

TESTS(NULL, NULL)
