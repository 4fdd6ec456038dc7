/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_traffic.c: many short threads call a port while the process forks, and the handler
 * of an alarm calls it too. Fails if a call changes errno, a child cannot call, or memory
 * grows. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/faults/fa_go.h"

enum { MOST_THREADS = 256, ERRNO_BEFORE = 71, ERRNO_INSIDE = 72, CHILD_CALLS = 50 };

struct traffic {
    struct fa_go own;
    int calls, depth;
    int wrong_errno; /* __atomic */
};

/* For the signal handler. */
static struct traffic *ringing;
static volatile sig_atomic_t rung;

static long long parameter(const struct traffic *traffic, const char *name)
{
    return cca_services_param_long(traffic->own.services, name);
}

static void look_at_errno(struct fa_act *act)
{
    struct traffic *traffic = cca_container_of(act, struct traffic, own.act);

    if (errno != ERRNO_BEFORE)
        __atomic_fetch_add(&traffic->wrong_errno, 1, __ATOMIC_RELAXED);
    errno = ERRNO_INSIDE;
}

static void call(struct traffic *traffic, int depth)
{
    errno = ERRNO_BEFORE;
    fa_call(traffic->own.flux, depth, &traffic->own.act);
    if (errno != ERRNO_INSIDE)
        __atomic_fetch_add(&traffic->wrong_errno, 1, __ATOMIC_RELAXED);
}

static void *call_all(void *context)
{
    struct traffic *traffic = context;

    for (int i = 0; i < traffic->calls; i++)
        call(traffic, traffic->depth);
    return NULL;
}

static int start(pthread_t *thread, size_t stack_bytes, struct traffic *traffic)
{
    pthread_attr_t attributes;
    int status;

    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    status = pthread_create(thread, &attributes, call_all, traffic);
    pthread_attr_destroy(&attributes);
    return status;
}

/* A child calls, too, or becomes another program. Returns 0 if it could. */
static int fork_once(struct traffic *traffic, int number)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        return -1;
    if (child == 0) {
        if (number % 2)
            execlp("true", "true", (char *)NULL);
        traffic->calls = CHILD_CALLS;
        call_all(traffic);
        _exit(traffic->wrong_errno != 0);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void on_alarm(int number)
{
    int saved = errno;

    (void)number;
    rung++;
    fa_call(ringing->own.flux, 1, NULL);
    errno = saved;
}

static void ring_every(struct traffic *traffic, long microseconds)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};

    ringing = traffic;
    if (microseconds)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* The threads of one generation; meanwhile the main thread forks. */
static int generation(struct traffic *traffic, int threads, int forks)
{
    size_t stack = (size_t)parameter(traffic, "stack_mb") << 20;
    pthread_t started[MOST_THREADS];
    int failed = 0;

    for (int i = 0; i < threads; i++)
        if (start(&started[i], stack, traffic))
            abort();
    for (int i = 0; i < forks; i++)
        failed += fork_once(traffic, i) != 0;
    if (!threads)
        call_all(traffic);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    return failed;
}

/* Wait for enough alarms, also on a slow machine. */
static long long answer_alarms(struct traffic *traffic)
{
    int wanted = (int)parameter(traffic, "alarms");
    long long calls = 0;

    if (!wanted)
        return 0;
    rung = 0;
    ring_every(traffic, (long)parameter(traffic, "alarm_us"));
    for (; rung < wanted; calls++)
        call(traffic, 3);
    ring_every(traffic, 0);
    return 3 * calls + rung;
}

static int fa_run(struct fa_go *own)
{
    struct traffic *traffic = cca_container_of(own, struct traffic, own);
    int rounds = (int)parameter(traffic, "rounds"), failed = 0;
    int threads = (int)parameter(traffic, "threads");
    long warm = 0, most = 0;

    traffic->own.act.act = look_at_errno;
    traffic->calls = (int)parameter(traffic, "calls");
    traffic->depth = (int)parameter(traffic, "depth");
    for (int i = 0; i < rounds; i++) {
        failed += generation(traffic, threads, (int)parameter(traffic, "forks"));
        if (i == rounds / 10)
            warm = fa_resident_kb();
        most = fa_resident_kb() > most ? fa_resident_kb() : most;
    }
    warm = fa_resident_kb() - warm;
    fprintf(stderr, "alarm calls %lld\n", answer_alarms(traffic));
    printf("%d rounds, %d children failed\n", rounds, failed);
    if (failed || traffic->wrong_errno)
        return cca_services_fail(traffic->own.services, -EPROTO,
                                 "%d children failed, errno was wrong %d times", failed,
                                 traffic->wrong_errno);
    if (warm > parameter(traffic, "grow_kb"))
        return cca_services_fail(traffic->own.services, -ENOMEM,
                                 "%ld kB more memory after warm-up", warm);
    if (most > parameter(traffic, "most_kb"))
        return cca_services_fail(traffic->own.services, -ENOMEM,
                                 "%ld kB of memory in all", most);
    return 0;
}

FA_CLASS(
    traffic, "FaultTraffic",
    CCA_PARAMS(
        {.name = "calls",
         .type = CCA_INT,
         .value = "10",
         .low = "0",
         .help = "of each thread"},
        {.name = "depth", .type = CCA_INT, .value = "1", .low = "1"},
        {.name = "threads", .type = CCA_INT, .value = "0", .low = "0", .high = "256"},
        {.name = "rounds", .type = CCA_INT, .value = "1", .low = "1"},
        {.name = "forks",
         .type = CCA_INT,
         .value = "0",
         .low = "0",
         .help = "in each round"},
        {.name = "alarms", .type = CCA_INT, .value = "0", .low = "0"},
        {.name = "alarm_us", .type = CCA_INT, .value = "100", .low = "1"},
        {.name = "stack_mb",
         .type = CCA_INT,
         .value = "0",
         .low = "0",
         .help = "of each thread"},
        {.name = "grow_kb", .type = CCA_INT, .value = "1000000000", .low = "0"},
        {.name = "most_kb",
         .type = CCA_INT,
         .value = "1000000000",
         .low = "0",
         .help = "resident"}));
