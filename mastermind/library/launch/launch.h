/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h: a child process that waits, and then becomes a program. It is made before
 * this process has grown, so that the kernel's peak of its memory is the program's. */
#ifndef MASTERMIND_LIBRARY_LAUNCH_LAUNCH_H
#define MASTERMIND_LIBRARY_LAUNCH_LAUNCH_H

#include <sys/types.h>

#include "ports/cca_error.h"

struct mm_launch {
    pid_t pid; /* process id of the child; 0: none */
    int fd;    /* socket to the child; -1: none */
};

/* Make the child. It has the signals, files and working directory that this process has
 * now, or as `prepare` (unless NULL) sets them in the process between, which makes the
 * child. Returns 0 or a negative errno with `err`. */
int mm_launch_begin(struct mm_launch *launch, void (*prepare)(void *context),
                    void *context, struct cca_error *err);
/* Let the child become the program `path`, found as by a shell, with the present
 * environment. It gets `death_signal` if this process ends before it. Returns 0, or the
 * negative errno of exec, after which the child has ended. */
int mm_launch_program(struct mm_launch *launch, const char *path, char *const *words,
                      int death_signal);
/* End a child that has not become a program. Does nothing after mm_launch_program. */
void mm_launch_end(struct mm_launch *launch);
/* Path of the launcher, which measures a command on any host, too: launcher.c. Returns 0
 * or a negative errno. */
int mm_launch_path(char *path, size_t size);

#endif
