/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h: work in a process of its own, whose words come back through a pipe.
 *
 *   this process ──fork──▶ child: limits, work ──frames──▶ this process: take
 *
 * The child may crash, hang, flood or write anything into the pipe: that is told in one
 * line, and nothing else happens to this process. */
#ifndef PROPERTIES_PLUGIN_CHILD_H
#define PROPERTIES_PLUGIN_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MM_FRAME_MOST = 16384 }; /* bytes of a frame */

/* What the child writes by. */
struct mm_frames {
    int fd, failed;
    size_t used;
    char buffer[4 * MM_FRAME_MOST];
};
/* In the child: send a frame of a kind (1 and above) and `size` bytes. 0 or -EPIPE. */
int mm_frame_put(struct mm_frames *frames, uint32_t kind, const void *body, size_t size);

struct mm_child {
    /* In the child. 0 or a negative errno with `err`, which is told here. */
    int (*work)(void *context, struct mm_frames *frames, struct cca_error *err);
    /* Here: take a frame; the body ends in a 0 that is not counted. Where the frame is no
     * good: not 0, with what was expected in `fault`. */
    int (*take)(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size);
    void *context;
    double seconds; /* deadline */
};

/* Run it. 0: the child ended as it should; 1: it did not, or its work failed: `fault`
 * says what happened; -EAGAIN, -ENOMEM and others: no child could be made. Whatever the
 * child started is ended with it. One thread. */
int mm_child_run(const struct mm_child *child, char *fault, size_t fault_size,
                 struct cca_error *err);

#endif
