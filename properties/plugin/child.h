/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h: run work in a child process whose results come back through a pipe.
 *
 *   this process ──fork──▶ child: limits, work ──frames──▶ this process: take
 *
 * If the child crashes, hangs, sends too much or writes garbage into the pipe, the caller
 * gets a one-line message, and this process is not affected. */
#ifndef PROPERTIES_PLUGIN_CHILD_H
#define PROPERTIES_PLUGIN_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MM_FRAME_MOST = 16384 }; /* maximum size of a frame, bytes */

/* Output of the child. */
struct mm_frames {
    int fd, failed;
    size_t used;
    char buffer[4 * MM_FRAME_MOST];
};
/* In the child: send a frame of a kind (1 and above) with `size` bytes. 0 or -EPIPE. */
int mm_frame_put(struct mm_frames *frames, uint32_t kind, const void *body, size_t size);

struct mm_child {
    /* In the child. 0 or a negative errno with `err`, which the parent reports. */
    int (*work)(void *context, struct mm_frames *frames, struct cca_error *err);
    /* In the parent: process a frame; the body ends in a 0 that is not counted. For an
     * invalid frame: not 0, with the expectation in `fault`. */
    int (*take)(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size);
    void *context;
    double seconds; /* time after which the child is killed, seconds */
};

/* Run the child. 0: it ended regularly; 1: it did not, or its work failed: `fault` has
 * the message; -EAGAIN, -ENOMEM and others: no child could be made. Processes that the
 * child started are killed with it. One thread. */
int mm_child_run(const struct mm_child *child, char *fault, size_t fault_size,
                 struct cca_error *err);

#endif
