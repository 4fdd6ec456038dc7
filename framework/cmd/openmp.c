/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c: load the library around OpenMP, for OPENMP in --metrics. It is loaded before
 * all components, so that it precedes OpenMP runtimes that they depend on: calls of a
 * component are resolved in the program's global scope first, then in the component's
 * libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/thread_times.h"
#include "framework/cmd/cmd.h"
#include "messages/words/words.h"

/* Set this process as the recorded one, also if another program records its parent. */
static int take_process(void)
{
    char process[24];

    snprintf(process, sizeof process, "%ld", (long)getpid());
    return setenv(MM_RECORDED_VARIABLE, process, 1);
}

int ccafe_openmp_load(const struct ccafe_options *options)
{
    char *dir, *path = NULL;
    int status = 0;

    if (!meas_times_asked(options->recording[RECORDING_METRICS], "OPENMP"))
        return 0;
    dir = ccafe_own_dir();
    if (!dir || take_process() ||
        asprintf(&path, "%s/../lib/libmeas_openmp.so", dir) < 0) {
        path = NULL;
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    } else if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) {
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY,
                                "cannot load the wrappers around OpenMP: %s", dlerror());
    }
    free(path);
    free(dir);
    return status;
}
