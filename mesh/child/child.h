/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h: code of others in a process of its own, asked through a socket.
 *
 *   this process ──send──▶ child: reads, works, writes ──receive──▶ this process
 *
 * The child may crash, hang or write anything: the caller gets one line that names it.
 * What the child prints goes to a file in memory, of which one line is quoted in that
 * line.
 */
#ifndef MESH_CHILD_CHILD_H
#define MESH_CHILD_CHILD_H

#include <stddef.h>

#include "ports/cca_error.h"

struct mesh_child; /* opaque */

/* How to start one. All is borrowed during mesh_child_start, `name` is copied. */
struct mesh_child_wish {
    const char *name; /* in messages: "zoltan:RCB" */
    /* A program and its arguments, ended by NULL; the address for mesh_child_connect is
     * added as the last. NULL: see `serve`. */
    const char *const *arguments;
    /* "NAME=value", ended by NULL: added to the environment of the program. NULL: none */
    const char *const *environment;
    /* In a fork of this process: serve the socket until its end. The result is the exit
     * code. */
    int (*serve)(void *context, int socket);
    void *context;
    double seconds; /* that the start, and each answer, may take */
};

/* Start a child. The caller ends it by mesh_child_end. NULL with `err`: -ENOENT no such
 * program; -EPROTO the child died first; -ETIMEDOUT it did not connect; -ENOMEM, -EAGAIN
 * and others: no child could be made. */
struct mesh_child *mesh_child_start(const struct mesh_child_wish *wish,
                                    struct cca_error *err);

/* Kill what is left of it, and what it started. NULL is fine. */
void mesh_child_end(struct mesh_child *child);

/* Send or receive `size` bytes, whole. The time for an answer begins with the last
 * mesh_child_send. 0; -EPROTO the child died; -ETIMEDOUT it took too long. It is killed
 * then, and later calls return the same. One thread at a time. */
int mesh_child_send(struct mesh_child *child, const void *bytes, size_t size,
                    struct cca_error *err);
int mesh_child_receive(struct mesh_child *child, void *bytes, size_t size,
                       struct cca_error *err);

/* Kill a child whose answer makes no sense, and report: "NAME: `what`". -EPROTO. */
int mesh_child_refuse(struct mesh_child *child, const char *what, struct cca_error *err);

/* --- In the child --- */

/* Connect to the address that the program got. A socket, or -1 with errno. */
int mesh_child_connect(const char *address);

/* Read or write `size` bytes, whole. 0; 1: the parent closed the socket; -1: errno. */
int mesh_socket_read(int socket, void *bytes, size_t size);
int mesh_socket_write(int socket, const void *bytes, size_t size);

#endif
