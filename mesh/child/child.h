/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h: run third-party code in a child process and talk to it through a socket.
 *
 *   this process ──send──▶ child: reads, works, writes ──receive──▶ this process
 *
 * If the child crashes, hangs or answers nonsense, the caller gets a one-line error that
 * names it. Output of the child goes to a file in memory; the error quotes one line of
 * it. */
#ifndef MESH_CHILD_CHILD_H
#define MESH_CHILD_CHILD_H

#include <stddef.h>

#include "ports/cca_error.h"

struct mesh_child; /* A child process, opaque. */

/* How to start a child. All is borrowed during mesh_child_start; `name` is copied. */
struct mesh_child_wish {
    const char *name; /* name of the child in messages: "zoltan:RCB" */
    /* A program and its arguments, ended by NULL; the address for mesh_child_connect is
     * appended. NULL: fork and call `serve`. */
    const char *const *arguments;
    /* "NAME=value", ended by NULL: added to the program's environment. NULL: none */
    const char *const *environment;
    /* Called in a fork of this process: serves the socket until it is closed. Returns the
     * exit code. */
    int (*serve)(void *context, int socket);
    void *context;
    double seconds; /* time limit of the start, and of each answer */
};

/* Start a child. The caller ends it by mesh_child_end. Returns NULL with `err`: -ENOENT:
 * no such program; -EPROTO: the child died before it connected; -ETIMEDOUT: it did not
 * connect; -ENOMEM, -EAGAIN and others: no child could be made. */
struct mesh_child *mesh_child_start(const struct mesh_child_wish *wish,
                                    struct cca_error *err);

/* Kill the child and the processes it started. NULL is fine. */
void mesh_child_end(struct mesh_child *child);

/* Send or receive exactly `size` bytes. The time limit of an answer counts from the last
 * mesh_child_send. Returns 0; -EPROTO: the child died; -ETIMEDOUT: it took too long.
 * After an error the child is killed, and later calls return the same error. One thread
 * at a time. */
int mesh_child_send(struct mesh_child *child, const void *bytes, size_t size,
                    struct cca_error *err);
int mesh_child_receive(struct mesh_child *child, void *bytes, size_t size,
                       struct cca_error *err);

/* Kill a child that sent an invalid answer, and report "NAME: `what`". Returns -EPROTO.
 */
int mesh_child_refuse(struct mesh_child *child, const char *what, struct cca_error *err);

/* --- In the child --- */

/* Connect to the address in the program's last argument. A socket, or -1 with errno. */
int mesh_child_connect(const char *address);

/* Read or write exactly `size` bytes. Returns 0; 1: the parent closed the socket; -1:
 * errno. */
int mesh_socket_read(int socket, void *bytes, size_t size);
int mesh_socket_write(int socket, const void *bytes, size_t size);

#endif
