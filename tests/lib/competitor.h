/* SPDX-License-Identifier: BSD-3-Clause */
/* competitor.h: a process that takes half of this thread's core. */
#ifndef TESTS_LIB_COMPETITOR_H
#define TESTS_LIB_COMPETITOR_H

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/lib/test.h"

/* This thread and a competitor share a core until the competitor is killed. 0: no. */
static inline pid_t compete(cpu_set_t *usual)
{
    cpu_set_t one;
    int core = 0;
    pid_t pid;

    if (sched_getaffinity(0, sizeof *usual, usual))
        return 0;
    while (!CPU_ISSET(core, usual))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        return 0;
    pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            continue;
    }
    return pid;
}

static inline void be_alone(pid_t competitor, const cpu_set_t *usual)
{
    kill(competitor, SIGKILL);
    waitpid(competitor, NULL, 0);
    sched_setaffinity(0, sizeof *usual, usual);
}

#endif
