/* SPDX-License-Identifier: BSD-3-Clause */
/* yield.c: for LD_PRELOAD, by mpirun.sh: a rank of MPICH that waits gives its core away.
 *
 * MPICH over UCX polls without end. With more ranks than cores, those that wait take the
 * time of those that work. Open MPI has a parameter for it. */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned progress_function(void *worker);
__attribute__((visibility("default"))) progress_function ucp_worker_progress;

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
    if (!strcmp(program_invocation_short_name, "ccafe"))
        unsetenv("LD_PRELOAD");
}
