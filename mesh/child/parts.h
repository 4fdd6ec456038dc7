/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: struct mesh_child, for the files of this folder. */
#ifndef MESH_CHILD_PARTS_H
#define MESH_CHILD_PARTS_H

#include "mesh/child/child.h"

struct mesh_child {
    char name[256];
    pid_t pid; /* id of the child process; 0: it has ended and its status was collected */
    int status; /* exit status from waitpid, if pid is 0 */
    int socket; /* socket to the child; -1: closed */
    int words;  /* descriptor of a file in memory that gets the child's output */
    double seconds, until;
    struct cca_error fault; /* first error of the child; code 0: none yet */
};

/* Whether the child has ended; waits up to `seconds` for its end. */
int mesh_child_gone(struct mesh_child *child, double seconds);
/* After a failure (-ETIMEDOUT, or the child died): kill the child and report how it
 * ended. Returns the error code. */
int mesh_child_fault(struct mesh_child *child, int code, struct cca_error *err);

/* start.c: start the child, as another program or as a fork of this process.
 * `child->words` must be open already. Returns 0 or a negative errno. */
int mesh_child_spawn(struct mesh_child *child, const struct mesh_child_wish *wish,
                     struct cca_error *err);
int mesh_child_fork(struct mesh_child *child, const struct mesh_child_wish *wish,
                    struct cca_error *err);

#endif
