/* SPDX-License-Identifier: BSD-3-Clause */
/* local.c: the agent of a node. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "mesh/agent/parts.h"
#include "mesh/agent/segments.h"

extern char **environ;

enum {
    SHORTEST_US = 500,
    LONGEST_US = 20000,
    START_MS = 10000,
    LOOK_MS = 20,
    GREET_MS = 60000
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static void sleep_us(long us)
{
    struct timespec pause = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&pause, NULL);
}

/* Start the global agent, unless another process has created EXPERIMENT/mesh/agent.lock,
 * and so starts it. */
static void start_global(const char *experiment)
{
    char folder[4200], lock[4200], own[4200], verb[] = "global";
    char *arguments[4] = {own, verb, NULL, NULL};
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    pid_t pid;
    int fd;

    snprintf(folder, sizeof folder, "%s/" MM_MESH_FOLDER, experiment);
    mkdir(folder, 0777);
    snprintf(lock, sizeof lock, "%s/" MM_MESH_FOLDER "/" ADDRESS_FILE ".lock",
             experiment);
    fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || length <= 0)
        return;
    close(fd);
    own[length] = '\0';
    arguments[2] = strdup(experiment);
    if (arguments[2])
        posix_spawn(&pid, own, NULL, NULL, arguments, environ);
    free(arguments[2]);
}

static void remove_lock(const char *experiment)
{
    char lock[4200];

    snprintf(lock, sizeof lock, "%s/" MM_MESH_FOLDER "/" ADDRESS_FILE ".lock",
             experiment);
    unlink(lock);
}

/* Connect to the global agent, starting it if needed. */
static int connect_global(const char *experiment, struct wire *wire,
                          struct cca_error *err)
{
    int64_t begun = cca_clock_ns(CLOCK_MONOTONIC) / 1000000;
    struct address address;
    int rc;

    start_global(experiment);
    for (;;) {
        memset(err, 0, sizeof *err);
        rc = address_read(experiment, &address, err);
        if (!rc)
            rc = address_connect(&address, wire, err);
        if (rc >= 0 || ended ||
            cca_clock_ns(CLOCK_MONOTONIC) / 1000000 - begun > START_MS)
            return rc < 0 ? rc : 0;
        sleep_us(2000);
    }
}

/* Return the time to sleep, us. Slots must be emptied before all are full, so the agent
 * sleeps for about the length of a step; twice the last pause if no slot was full. */
static long next_pause(long pause, int taken, int64_t since_ms)
{
    long step_us;

    if (!taken)
        return pause * 2 < LONGEST_US ? pause * 2 : LONGEST_US;
    step_us = (long)(1000 * since_ms / taken);
    return step_us < SHORTEST_US  ? SHORTEST_US
           : step_us < LONGEST_US ? step_us
                                  : LONGEST_US;
}

/* Whether the process that the session is named after (start.c) is alive; also true if
 * the session is not named after a process. */
static int owner_lives(const char *session)
{
    unsigned long long start;
    long pid;
    int end = 0;

    return sscanf(session, "p%ldt%llu%n", &pid, &start, &end) != 2 || session[end] ||
           mesh_process_lives(pid, start);
}

/* Take data from segments until there has been no segment for a while, or the program
 * that makes them has gone. */
static int serve(struct mesh_segments *segments, const char *session,
                 struct cca_error *err)
{
    int64_t last = cca_clock_ns(CLOCK_MONOTONIC) / 1000000, looked = 0, taken_ms = last;
    long pause = SHORTEST_US, longest = SHORTEST_US;
    int any = 0, rc = 0;

    while (!ended) {
        int64_t now = cca_clock_ns(CLOCK_MONOTONIC) / 1000000;
        int look = now - looked >= LOOK_MS;

        rc = mesh_segments_take(segments, look, err);
        if (rc < 0)
            return rc;
        if (look)
            looked = now;
        if (rc || mesh_segments_count(segments)) {
            last = now;
            any = 1;
        }
        if (now - last > (any ? MESH_AGENT_IDLE_MS : GREET_MS) ||
            (look && !mesh_segments_count(segments) && !owner_lives(session)))
            return 0;
        if (rc)
            longest = next_pause(0, rc, now - taken_ms);
        taken_ms = rc ? now : taken_ms;
        pause = rc ? longest : next_pause(pause, 0, 0);
        pause = pause < 2 * longest ? pause : 2 * longest;
        sleep_us(pause);
    }
    return mesh_segments_take(segments, 1, err) < 0 ? -EIO : 0;
}

int mesh_agent_local(const char *experiment, const char *session)
{
    struct sigaction action = {.sa_handler = end};
    struct mesh_segments *segments;
    struct cca_error err = {0};
    struct wire wire = {.fd = -1};
    int lock, rc;

    if (fork() > 0) /* detach: the program must not get this child from wait() */
        return 0;
    setsid();
    lock = mesh_agent_lock(session);
    if (lock == -EADDRINUSE)
        return 0;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    mesh_segments_reap(session);
    rc = connect_global(experiment, &wire, &err);
    segments = rc ? NULL : mesh_segments_new(session, &wire);
    if (!rc)
        rc = segments ? serve(segments, session, &err) : cca_no_memory(&err);
    mesh_segments_free(segments);
    wire_done(&wire);
    remove_lock(experiment);
    if (lock >= 0)
        close(lock);
    if (rc)
        fprintf(stderr, "mesh-agent: %s\n", err.text);
    return rc ? MESH_AGENT_SYSTEM : 0;
}
