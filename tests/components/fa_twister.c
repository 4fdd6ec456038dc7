/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_twister.c: calls in unusual contexts: from coroutines that are switched in the
 * middle of a call, and in or beside children that run no handlers of fork. Fails if a
 * call or a child goes wrong. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/faults/fa_go.h"

enum { COROUTINES = 3, STACK_BYTES = 256 * 1024, CHILD_CALLS = 500 };

struct coroutine {
    struct fa_act act; /* at the bottom of its calls: back to the main stack */
    struct twister *twister;
    ucontext_t here;
    void *stack;
    int rounds;
};

struct twister {
    struct fa_go own;
    ucontext_t main;
    struct coroutine coroutines[COROUTINES];
    long long calls; /* that have come back */
};

extern char **environ;

/* --- Coroutines ----------------------------------------------------------- */

static void yield(struct fa_act *act)
{
    struct coroutine *coroutine = cca_container_of(act, struct coroutine, act);

    swapcontext(&coroutine->here, &coroutine->twister->main);
}

/* makecontext passes only integers. */
static struct coroutine *beginning;

static void run_coroutine(void)
{
    struct coroutine *coroutine = beginning;
    struct twister *twister = coroutine->twister;

    for (int i = 0; i < coroutine->rounds; i++) {
        int depth = 1 + i % 3;

        if (fa_call(twister->own.flux, depth, &coroutine->act) == 0)
            twister->calls += depth;
    }
}

static int begin_coroutine(struct twister *twister, struct coroutine *coroutine,
                           int rounds)
{
    coroutine->act.act = yield;
    coroutine->twister = twister;
    coroutine->rounds = rounds;
    coroutine->stack = malloc(STACK_BYTES);
    if (!coroutine->stack || getcontext(&coroutine->here))
        return -1;
    coroutine->here.uc_stack.ss_sp = coroutine->stack;
    coroutine->here.uc_stack.ss_size = STACK_BYTES;
    coroutine->here.uc_link = &twister->main;
    makecontext(&coroutine->here, run_coroutine, 0);
    return 0;
}

/* Each coroutine is inside a call while the others and the main stack make their calls.
 */
static int switch_about(struct twister *twister, int count)
{
    int status = 0;

    for (int i = 0; i < COROUTINES; i++)
        status |= begin_coroutine(twister, &twister->coroutines[i], count);
    for (int round = 0; status == 0 && round <= count; round++) {
        for (int i = 0; i < COROUTINES; i++) {
            beginning = &twister->coroutines[(i + round) % COROUTINES];
            status |= swapcontext(&twister->main, &beginning->here);
        }
        if (fa_call(twister->own.flux, 2, NULL) == 0)
            twister->calls += 2;
    }
    for (int i = 0; i < COROUTINES; i++)
        free(twister->coroutines[i].stack);
    return status;
}

/* --- Children ------------------------------------------------------------- */

static int wait_for(pid_t child)
{
    int status;

    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* Also inside a call: the open calls belong to the parent. */
static void fork_inside(struct fa_act *act)
{
    struct twister *twister = cca_container_of(act, struct coroutine, act)->twister;
    pid_t child = _Fork();

    if (child == 0) {
        for (int i = 0; i < CHILD_CALLS; i++)
            if (fa_call(twister->own.flux, 2, NULL))
                _exit(1);
        return; /* and so through all proxies */
    }
    twister->calls += wait_for(child) == 0 ? 0 : -1000000;
}

static int fork_quietly(struct twister *twister)
{
    struct coroutine *frame = &twister->coroutines[0];
    pid_t parent = getpid();

    frame->twister = twister;
    frame->act.act = fork_inside;
    if (fa_call(twister->own.flux, 3, &frame->act))
        return -1;
    if (getpid() != parent)
        _exit(0);
    twister->calls += 3;
    return 0;
}

static int fork_virtually(struct twister *twister)
{
    char name[] = "true", *const command[] = {name, NULL};
    pid_t child;

    twister->calls += fa_call(twister->own.flux, 1, NULL) == 0;
    child = vfork();
    if (child == 0) {
        execvp(*command, command);
        _exit(127);
    }
    return wait_for(child);
}

static int spawn(struct twister *twister)
{
    char name[] = "true", *const command[] = {name, NULL};
    pid_t child;

    twister->calls += fa_call(twister->own.flux, 1, NULL) == 0;
    return posix_spawnp(&child, *command, NULL, NULL, command, environ) ? -1
                                                                        : wait_for(child);
}

/* --- The class ------------------------------------------------------------ */

static int fa_run(struct fa_go *own)
{
    struct twister *twister = cca_container_of(own, struct twister, own);
    const char *how = cca_services_param_string(twister->own.services, "how");
    int count = fa_int(own, "count"), failed = 0;

    if (strcmp(how, "coroutines") == 0)
        failed = switch_about(twister, count) != 0;
    else
        for (int i = 0; i < count; i++)
            failed += (strcmp(how, "_Fork") == 0   ? fork_quietly(twister)
                       : strcmp(how, "vfork") == 0 ? fork_virtually(twister)
                                                   : spawn(twister)) != 0;
    printf("%s: calls %lld, failed %d\n", how, twister->calls, failed);
    return failed ? -EPROTO : 0;
}

FA_CLASS(twister, "FaultTwister",
         CCA_PARAMS({.name = "how",
                     .type = CCA_STRING,
                     .value = "coroutines",
                     .choices = "coroutines|_Fork|vfork|spawn"},
                    {.name = "count", .type = CCA_INT, .value = "10", .low = "1"}));
