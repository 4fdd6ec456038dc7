/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_engine_threads.c: with several threads counts are exact, and a sample that
 * survives has the serial that its message has. */
#include "tests/lib/test.h"

#include <pthread.h>
#include <sched.h>

#include "messages/engine/engine.h"
#include "messages/words/words.h"

enum { THREADS = 4, HANDLE = 0x44000000, MOST = 200000, ENTRIES = 32 };

static struct mm_messages_channel entries[ENTRIES];
static int entry_count;
static struct mm_engine *engine;
static int each;

/* The order in which MPI took the operations of each tag, under its own lock. */
static pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t mpi_next[THREADS + 1];

/* An operation as both have seen it. */
struct taken {
    uint64_t engine_k, mpi_k;
    int survives;
};
static struct taken taken[THREADS][MOST];
static int same;

static struct mm_messages_channel *new_entry(void *context)
{
    (void)context;
    return entry_count < ENTRIES ? &entries[entry_count++] : NULL;
}

static uint64_t pass_mpi(int tag)
{
    static __thread unsigned turn;
    uint64_t k;

    if (++turn % 7 == 0) /* others overtake this one */
        sched_yield();
    pthread_mutex_lock(&mpi_lock);
    k = mpi_next[tag]++;
    pthread_mutex_unlock(&mpi_lock);
    if (turn % 5 == 0)
        sched_yield();
    return k;
}

static int tag_of(int thread, int i)
{
    return !same ? thread : i % 8 == thread ? THREADS : thread;
}

static void *send_many(void *argument)
{
    int thread = (int)(intptr_t)argument;
    struct mm_comm *comm = mm_engine_comm(engine, HANDLE);

    for (int i = 0; i < each; i++) {
        struct taken *t = &taken[thread][i];
        struct mm_counted counted;

        mm_engine_send(engine, comm, 1, tag_of(thread, i), 8, &counted);
        t->mpi_k = pass_mpi(tag_of(thread, i));
        t->engine_k = counted.k;
        t->survives = mm_engine_sent(engine, &counted, 0);
    }
    return NULL;
}

/* Exact receives, and now and then one of the shared tag from anywhere, which ends at
 * once. */
static void *receive_many(void *argument)
{
    int thread = (int)(intptr_t)argument;
    struct mm_comm *comm = mm_engine_comm(engine, HANDLE);

    for (int i = 0; i < each; i++) {
        int tag = tag_of(thread, i);
        int source = tag == THREADS && i % 3 == 0 ? MM_ANY_SOURCE : 1;
        struct taken *t = &taken[thread][i];
        struct mm_counted counted;
        struct mm_receive *r = mm_engine_post(engine, comm, source, tag, &counted);

        t->mpi_k = pass_mpi(tag);
        t->survives = mm_engine_posted(engine, comm, &counted, r);
        t->engine_k = counted.channel ? counted.k : UINT64_MAX;
        if (r) {
            r->user = (uintptr_t)t;
            mm_engine_follow(engine, comm, r, &counted, 0x1000 + 16 * (uintptr_t)thread);
            mm_engine_completed(engine, r, 1, tag, 0);
        }
        while ((r = mm_engine_next(engine)) != NULL) {
            t = (struct taken *)r->user;
            t->engine_k = r->half.k;
            t->survives = !r->dropped;
            mm_engine_release(engine, r);
        }
    }
    return NULL;
}

static void run(void *(*many)(void *))
{
    struct mm_message_request request = {.strategy = MM_STRATEGY_P, .x = 1};
    struct mm_engine_options options = {
        .request = &request, .locked = 1, .ns_per_tick = 1, .channel_new = new_entry};
    pthread_t threads[THREADS];
    uint64_t sum = 0;

    memset(entries, 0, sizeof entries);
    memset(mpi_next, 0, sizeof mpi_next);
    memset(taken, 0, sizeof taken);
    entry_count = 0;
    each = test_count("MESSAGES", TEST_TSAN ? 5000 : 20000, MOST);
    engine = mm_engine_new(&options, NULL);
    assert_non_null(engine);
    mm_engine_comm_add(engine, HANDLE, 1, NULL, 2, MM_COMM_WORLD);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < entry_count; i++) {
        assert_int_equal(entries[i].count, mpi_next[entries[i].tag]);
        assert_int_equal(entries[i].flags, 0);
        sum += entries[i].count;
    }
    assert_int_equal(sum, THREADS * (uint64_t)each);
}

/* Survivors agree; their number, less those of the shared tag. */
static void check(void)
{
    long long survivors = 0, shared = 0;

    for (int thread = 0; thread < THREADS; thread++)
        for (int i = 0; i < each; i++) {
            const struct taken *t = &taken[thread][i];

            shared += t->survives && tag_of(thread, i) == THREADS;
            survivors += t->survives;
            if (t->survives)
                assert_int_equal(t->engine_k, t->mpi_k);
            else /* a thread alone on its channel loses nothing */
                assert_int_equal(tag_of(thread, i), THREADS);
        }
    print_message("%lld of %d survive, %lld of these on the shared channel\n", survivors,
                  THREADS * each, shared);
    mm_engine_free(engine);
}

TEST(sends_on_channels_of_their_own_keep_all_samples)
{
    same = 0;
    run(send_many);
    check();
}

TEST(sends_on_one_channel_are_counted_exactly_and_survivors_are_right)
{
    same = 1;
    run(send_many);
    check();
}

TEST(receives_on_channels_of_their_own_keep_all_samples)
{
    same = 0;
    run(receive_many);
    check();
}

TEST(receives_on_one_channel_are_counted_exactly_and_survivors_are_right)
{
    same = 1;
    run(receive_many);
    check();
}

TESTS(NULL, NULL)
