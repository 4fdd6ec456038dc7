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
    const char *program; /* path of the program's file, borrowed */
    char *const *words;  /* the program's command line, ends with NULL; borrowed */
    /* 1; if larger, this process is rank 0 of a job with this number of ranks */
    int ranks;
    int is_recordable; /* 1: libraries can be preloaded into the program */

    struct mm_sampler *sampler; /* NULL: no samples; `unsampled` has the reason */
    char unsampled[200];
    int status; /* exit status from waitpid */
    /* resource usage of the program and of all processes that it waited for */
    struct rusage usage;
    int64_t wall_ns;
    /* time in which threads were ready and waited for a core: a lower bound */
    int64_t queued_ns;
    /* time that the hypervisor took from all processors of this machine */
    int64_t stolen_ns;
};

/* Begin to watch the child `pid`, which waits until this returns. `samples`: 1: take
 * samples of its CPU time. */
void mm_whole_begin(struct mm_whole *whole, pid_t pid, int samples);
/* Wait until the child has ended, and store its resource usage. */
void mm_whole_wait(struct mm_whole *whole, pid_t pid);
/* Print the table on standard output. 0 or -ENOMEM. */
int mm_whole_print(struct mm_whole *whole);
void mm_whole_done(struct mm_whole *whole);

#endif
