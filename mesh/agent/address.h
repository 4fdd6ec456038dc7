/* SPDX-License-Identifier: BSD-3-Clause */
/* address.h: where the global agent listens, and how local ones find it.
 *
 * It listens on an abstract UNIX socket, which vanishes with it, and on TCP, and writes
 * both with a secret into EXPERIMENT/mesh/agent, which only its user can read:
 *
 *     unix NAME
 *     tcp HOST PORT
 *     token TEXT
 */
#ifndef MESH_AGENT_ADDRESS_H
#define MESH_AGENT_ADDRESS_H

#include "mesh/agent/wire.h"

#define ADDRESS_FILE "agent" /* in EXPERIMENT/mesh */

struct address {
    char name[96]; /* of the abstract socket */
    char host[256];
    int port;
    char token[WIRE_TOKEN_BYTES];
};

/* Listen at new addresses: fds[0] UNIX, fds[1] TCP or -1 where that cannot be. 0 or a
 * negative errno with `err`. */
int address_listen(struct address *address, int fds[2], struct cca_error *err);

/* Write the file, by way of another name; or read it. 0; -ENOENT; -EBADMSG; another
 * negative errno with `err`. */
int address_write(const char *experiment, const struct address *address,
                  struct cca_error *err);
int address_read(const char *experiment, struct address *address, struct cca_error *err);
void address_remove(const char *experiment);

/* Connect, by UNIX where the host is this one, and say HELLO. A descriptor, or a negative
 * errno with `err`. */
int address_connect(const struct address *address, struct wire *wire,
                    struct cca_error *err);

/* Bind an abstract socket as a lock that ends with the process. A descriptor, -EADDRINUSE
 * another process has it, or a negative errno. */
int address_lock(const char *name);

#endif
