/* SPDX-License-Identifier: BSD-3-Clause */
/* truth.c: regions of OpenMP that know by their own clock what each thread did. Sleeping
 * is work that needs no core. For each region, in order of first begins, it prints a line
 * a thread:
 *
 *     NAME LEVEL THREAD BUSY BARRIER MUTEX       nanoseconds, -1: not known here */
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEAM = 4 };

struct fact {
    int64_t busy, barrier, mutex, end;
};

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleep. Returns how long it was. */
static int64_t work(int ms)
{
    int64_t start = now();

    usleep((useconds_t)ms * 1000);
    return now() - start;
}

/* Whoever has ended waits for the last. */
static void wait_for_last(struct fact *facts, int count)
{
    int64_t last = 0;

    for (int i = 0; i < count; i++)
        last = facts[i].end > last ? facts[i].end : last;
    for (int i = 0; i < count; i++)
        facts[i].barrier += last - facts[i].end;
}

static void print(const char *name, int level, const struct fact *facts, int count)
{
    for (int i = 0; i < count; i++)
        printf("%s %d %d %lld %lld %lld\n", name, level, i, (long long)facts[i].busy,
               (long long)facts[i].barrier, (long long)facts[i].mutex);
}

static void end_region(const char *name, struct fact *facts)
{
    wait_for_last(facts, TEAM);
    print(name, 1, facts, TEAM);
}

/* --- Waiting -------------------------------------------------------------- */

static void imbalance(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];

        mine->busy += work(20 * (omp_get_thread_num() + 1));
        mine->end = now();
    }
    end_region("imbalance", facts);
}

static void critical(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];
        int64_t start = now();

#pragma omp critical
        {
            mine->mutex += now() - start;
            mine->busy += work(20);
        }
        start = now();
#pragma omp critical(named)
        {
            mine->mutex += now() - start;
            mine->busy += work(10);
        }
        mine->end = now();
    }
    end_region("critical", facts);
}

static void locks(void)
{
    struct fact facts[TEAM] = {{0}};
    omp_nest_lock_t nest;
    omp_lock_t lock;

    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];
        int64_t start = now();

        omp_set_lock(&lock);
        mine->mutex += now() - start;
        mine->busy += work(20);
        omp_unset_lock(&lock);
        start = now();
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        mine->mutex += now() - start;
        mine->busy += work(10);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        mine->end = now();
    }
    end_region("locks", facts);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void ordered(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];

#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < TEAM; i++) {
            int64_t start = now();

#pragma omp ordered
            {
                mine->mutex += now() - start;
                mine->busy += work(20);
            }
            mine->end = now();
        }
    }
    end_region("ordered", facts);
}

static void barriers(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();
        int64_t start;

        facts[me].busy += work(15 * (me + 1));
        start = now();
#pragma omp barrier
        facts[me].barrier += now() - start;
        facts[me].busy += work(15 * (TEAM - me));
        start = now();
#pragma omp single
        {
            facts[me].busy += work(30);
            start = now();
        }
        facts[me].end = start;
        facts[me].barrier += now() - start;
        facts[me].end = now();
    }
    end_region("barriers", facts);
}

/* --- Handing out work ----------------------------------------------------- */

static void loops(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];
        int64_t last;

#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < TEAM; i++)
            mine->busy += work(10 * (i + 1));
        last = now();
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 10; i++) {
            mine->busy += work(15);
            last = now();
        }
        mine->barrier += now() - last;
        last = now();
#pragma omp for schedule(guided, 1) nowait
        for (unsigned long long i = 0; i < 8; i++)
            mine->busy += work(10);
        mine->end = now();
        (void)last;
    }
    end_region("loops", facts);
}

static void combined(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 9; i++) {
        struct fact *mine = &facts[omp_get_thread_num()];

        mine->busy += work(i == 8 ? 60 : 15);
        mine->end = now();
    }
    end_region("combined", facts);
}

static void sections(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
    {
        struct fact *mine = &facts[omp_get_thread_num()];

        mine->end = now();
#pragma omp sections
        {
#pragma omp section
            {
                mine->busy += work(20);
                mine->end = now();
            }
#pragma omp section
            {
                mine->busy += work(50);
                mine->end = now();
            }
        }
    }
    end_region("sections", facts);
}

/* --- Tasks: who executes one works, also while it waits ------------------- */

static void tasks(void)
{
    struct fact facts[TEAM] = {{0}};

#pragma omp parallel num_threads(TEAM)
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            double unlike[3] = {i, 2.5 * i, -i};

#pragma omp task firstprivate(unlike)
            {
                if (unlike[0] != i || unlike[1] != 2.5 * i || unlike[2] != -i)
                    abort();
                facts[omp_get_thread_num()].busy += work(15);
            }
        }
#pragma omp taskwait
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 6; i++)
            facts[omp_get_thread_num()].busy += work(10);
    }
    for (int i = 0; i < TEAM; i++)
        facts[i].barrier = -1;
    print("tasks", 1, facts, TEAM);
}

static void reductions(void)
{
    struct fact facts[TEAM] = {{0}};
    long sum = 0;

#pragma omp parallel num_threads(TEAM) reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
        {
            facts[omp_get_thread_num()].busy += work(10);
            sum += 2;
        }
    }
    if (sum != 2 * TEAM)
        abort();
    for (int i = 0; i < TEAM; i++)
        facts[i].barrier = -1;
    print("reductions", 1, facts, TEAM);
}

/* --- Teams in teams, teams of one ----------------------------------------- */

static void nested(void)
{
    struct fact outer[2] = {{0}}, inner[2] = {{0}};

    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        struct fact *mine = &outer[omp_get_thread_num()], team[2] = {{0}};

        mine->busy += work(10 * (omp_get_thread_num() + 1));
#pragma omp parallel num_threads(2)
        {
            struct fact *one = &team[omp_get_thread_num()];

            one->busy += work(20 * (2 - omp_get_thread_num()));
            one->end = now();
        }
        wait_for_last(team, 2);
        mine->busy += team[0].busy;
        mine->barrier += team[0].barrier;
        mine->end = now();
#pragma omp critical
        for (int i = 0; i < 2; i++) {
            inner[i].busy += team[i].busy;
            inner[i].barrier += team[i].barrier;
        }
    }
    wait_for_last(outer, 2);
    print("outer", 1, outer, 2);
    print("inner", 2, inner, 2);
}

static void alone(void)
{
    struct fact fact = {0};

#pragma omp parallel if (0)
    fact.busy += work(20);
    print("alone", 1, &fact, 1);
}

/* --- Ends ----------------------------------------------------------------- */

static void be_killed(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        work(10 * omp_get_thread_num());
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            raise(SIGKILL);
        work(1000);
    }
}

static void fork_child(void)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alone();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"imbalance", imbalance},   {"critical", critical}, {"locks", locks},
    {"ordered", ordered},       {"barriers", barriers}, {"loops", loops},
    {"combined", combined},     {"sections", sections}, {"tasks", tasks},
    {"reductions", reductions}, {"nested", nested},     {"alone", alone},
    {"fork", fork_child},       {"kill", be_killed},
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            if (strcmp(argv[i], cases[k].name) == 0)
                cases[k].run();
    return 0;
}
