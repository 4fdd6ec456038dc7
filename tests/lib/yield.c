/* SPDX-License-Identifier: BSD-3-Clause */
/* yield.c: for LD_PRELOAD, by mpirun.sh: a rank that waits gives its core away, and
 * sleeps when it waits for long.
 *
 * MPICH over UCX polls without end; Open MPI calls sched_yield() between two polls when
 * it is asked to. With more ranks than cores, ranks that poll take the time of ranks that
 * work, and on an idle core they are most of what a test costs. With MPIRUN_POLLS in the
 * environment none sleeps: for tests that hold measured times against a model. */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 4        /* polls in a row before a rank sleeps */
#define IN_A_ROW_NS 20000 /* polls further apart have had work between them */

static int polls; /* no rank sleeps */

typedef unsigned progress_function(void *worker);
__attribute__((visibility("default"))) progress_function ucp_worker_progress;

__attribute__((visibility("default"))) int sched_yield(void)
{
    static _Thread_local uint64_t last_ns;
    static _Thread_local int in_a_row;
    struct timespec now;
    uint64_t now_ns;
    int status = 0, kept = errno;

    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    in_a_row = !polls && now_ns - last_ns < IN_A_ROW_NS ? in_a_row + 1 : 0;
    if (in_a_row < PATIENCE) {
        status = (int)syscall(SYS_sched_yield);
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        errno = kept;
        in_a_row = PATIENCE;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    last_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return status;
}

unsigned ucp_worker_progress(void *worker)
{
    static progress_function *progress;
    unsigned done;

    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    done = progress(worker);
    if (!done)
        sched_yield();
    return done;
}

/* ccafe does not try libraries in a child where it finds something preloaded. */
__attribute__((constructor)) static void hide(void)
{
    polls = getenv("MPIRUN_POLLS") != NULL;
    if (!strcmp(program_invocation_short_name, "ccafe"))
        unsetenv("LD_PRELOAD");
}
