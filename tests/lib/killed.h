/* SPDX-License-Identifier: BSD-3-Clause */
/* killed.h: a child records on some threads and counts, in shared memory, each call that
 * has ended; the parent kills it when the count passes a number, and looks at what is
 * there. */
#ifndef TESTS_LIB_KILLED_H
#define TESTS_LIB_KILLED_H

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "tests/lib/experiment_fixture.h"
#include "tests/lib/test.h"

enum { KILLED_WORKERS = 8 };

/* What the child tells; 0 before it began. */
static struct {
    char path[256], rank[300];
    int ready;
    struct {
        uint64_t ended;
        char far[120]; /* from the next counter */
    } workers[KILLED_WORKERS];
} * shared;

static void (*killed_look)(uint64_t seed);
static int kills;

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

/* In the child: where its experiment is. */
static inline void killed_tell(const struct fixture *f)
{
    strcpy(shared->path, f->path);
    strcpy(shared->rank, f->rank);
}

/* In the child: a call has ended. */
static inline void killed_ended(int worker)
{
    __atomic_fetch_add(&shared->workers[worker].ended, 1, __ATOMIC_RELEASE);
}

/* Let `child`, which does not return, record on `workers` threads until `target` calls
 * have ended. */
static inline void killed_run(void (*child)(int workers, uint64_t seed), int workers,
                              uint64_t seed, uint64_t target)
{
    uint64_t ended;
    int i, status;
    pid_t pid;

    memset(shared, 0, sizeof *shared);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        child(workers, seed);
    do {
        ended = 0;
        for (i = 0; i < workers; i++)
            ended += __atomic_load_n(&shared->workers[i].ended, __ATOMIC_ACQUIRE);
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    } while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) || ended < target);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

static inline void killed_remove(void)
{
    struct fixture f = {.rank = ""};

    strcpy(f.path, shared->path);
    strcpy(f.rank, shared->rank);
    fixture_remove(&f);
}

static inline void nothing_finished_is_lost(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < kills; i++) {
        if (i % 100 == 0 && i)
            print_message("%d of %d kills\n", i, kills);
        killed_look((uint64_t)i * 1001);
    }
}

/* 40 kills, 1000 in a soak run, 8 under the thread sanitizer, where a call takes fifty
 * times as long; FAULT_KILLS or the first argument says another number. */
static inline int killed_main(int argc, char **argv, void (*look)(uint64_t seed))
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_finished_is_lost)};
    int few = TEST_TSAN ? 8 : 20;

    killed_look = look;
    kills = argc > 1 ? atoi(argv[1]) : test_count("KILLS", few, 1000);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
