/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.h: the table of a whole run: the CPU time of any program by function. */
#ifndef MASTERMIND_CMD_RECORD_WHOLE_H
#define MASTERMIND_CMD_RECORD_WHOLE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "mastermind/library/sample/sampler.h"

/* A program that runs in a child process. The caller sets the first four members. */
struct mm_whole {
    const char *program; /* path of its file, borrowed */
    char *const *words;  /* its command, ends with NULL; borrowed */
    int ranks;           /* 1; more: this is rank 0 of a job of so many */
    int is_recordable;   /* libraries can be preloaded into it */

    struct mm_sampler *sampler; /* NULL: `unsampled` is the reason */
    char unsampled[200];
    int status;          /* as waitpid gives it */
    struct rusage usage; /* of it and of all processes that it waited for */
    int64_t wall_ns;
    int64_t queued_ns; /* it could run and had no core: lower bound, of all threads */
    int64_t stolen_ns; /* all processors of this machine did not run, for the hypervisor
                          ran others */
};

/* Begin to watch the child `pid`, which waits until this returns. `samples`: take them.
 */
void mm_whole_begin(struct mm_whole *whole, pid_t pid, int samples);
/* Wait until the child has ended, and keep its resource usage. */
void mm_whole_wait(struct mm_whole *whole, pid_t pid);
/* Print the table on standard output. 0 or -ENOMEM. */
int mm_whole_print(struct mm_whole *whole);
void mm_whole_done(struct mm_whole *whole);

#endif
