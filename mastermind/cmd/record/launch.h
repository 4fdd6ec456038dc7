/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h: a child process that waits, and then becomes a program. It is made before
 * this process has grown, so that the kernel's peak of its memory is the program's. */
#ifndef MASTERMIND_CMD_RECORD_LAUNCH_H
#define MASTERMIND_CMD_RECORD_LAUNCH_H

#include <sys/types.h>

#include "ports/cca_error.h"

struct mm_launch {
    pid_t pid; /* process id of the child; 0: none */
    int fd;    /* socket to the child; -1: none */
};

/* Make the child, with the signals and files that this process has now. Returns 0 or a
 * negative errno with `err`. */
int mm_launch_begin(struct mm_launch *launch, struct cca_error *err);
/* Let the child become the program `path`, with the present environment. Returns 0, or
 * the negative errno of exec, after which the child has ended. */
int mm_launch_program(struct mm_launch *launch, const char *path, char *const *words);
/* End a child that has not become a program. Does nothing after mm_launch_program. */
void mm_launch_end(struct mm_launch *launch);

#endif
