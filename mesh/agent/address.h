/* SPDX-License-Identifier: BSD-3-Clause */
/* address.h: addresses of the global agent, and the file in which local agents find them.
 *
 * The global agent listens on an abstract UNIX socket, which vanishes with the process,
 * and on TCP. It writes both addresses and a secret token into EXPERIMENT/mesh/agent,
 * which only its user can read:
 *
 *     unix NAME
 *     tcp HOST PORT
 *     token TEXT */
#ifndef MESH_AGENT_ADDRESS_H
#define MESH_AGENT_ADDRESS_H

#include "mesh/agent/wire.h"

/* file in EXPERIMENT/mesh with the address of the global agent */
#define ADDRESS_FILE "agent"

struct address {
    char name[96]; /* name of the abstract socket */
    char host[256];
    int port;
    char token[WIRE_TOKEN_BYTES];
};

/* Listen at new addresses: fds[0] is UNIX, fds[1] is TCP, or -1 if TCP is not possible. 0
 * or a negative errno with `err`. */
int address_listen(struct address *address, int fds[2], struct cca_error *err);

/* Write the file under a temporary name and rename it; read it. 0; -ENOENT; -EBADMSG;
 * another negative errno with `err`. */
int address_write(const char *experiment, const struct address *address,
                  struct cca_error *err);
int address_read(const char *experiment, struct address *address, struct cca_error *err);
void address_remove(const char *experiment);

/* Connect (by UNIX socket if the agent is on this host) and send HELLO. A descriptor, or
 * a negative errno with `err`. */
int address_connect(const struct address *address, struct wire *wire,
                    struct cca_error *err);

/* Bind an abstract socket as a lock, which ends with the process. A descriptor;
 * -EADDRINUSE: another process holds it; or another negative errno. */
int address_lock(const char *name);

#endif
