/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MESH_AGENT_PARTS_H
#define MESH_AGENT_PARTS_H

#include "mesh/agent/wire.h"

/* --- address.c ----------------------------------------------------------- */

/* Addresses of the global agent, and the file in which local agents find them.
 *
 * The global agent listens on an abstract UNIX socket, which vanishes with the process,
 * and on TCP. It writes both addresses and a secret token into EXPERIMENT/mesh/agent,
 * which only its user can read:
 *
 *     unix NAME
 *     tcp HOST PORT
 *     token TEXT */

/* file in EXPERIMENT/mesh with the address of the global agent */
#define ADDRESS_FILE "agent"

struct address {
    char name[96]; /* name of the abstract UNIX socket */
    char host[256];
    int port;
    char token[WIRE_TOKEN_BYTES];
};

/* Listen at new addresses: fds[0] is UNIX, fds[1] is TCP, or -1 if TCP is not possible.
 * Returns 0 or a negative errno with `err`. */
int address_listen(struct address *address, int fds[2], struct cca_error *err);

/* Write the address file under a temporary name and rename it, or read it. Each returns
 * 0; -ENOENT; -EBADMSG; another negative errno with `err`. */
int address_write(const char *experiment, const struct address *address,
                  struct cca_error *err);
int address_read(const char *experiment, struct address *address, struct cca_error *err);
void address_remove(const char *experiment);

/* Connect (by UNIX socket if the agent is on this host) and send HELLO. Returns a
 * descriptor, or a negative errno with `err`. */
int address_connect(const struct address *address, struct wire *wire,
                    struct cca_error *err);

/* Bind an abstract socket as a lock, which ends with the process. Returns a descriptor;
 * -EADDRINUSE: another process holds it; or another negative errno. */
int address_lock(const char *name);

/* --- agent --------------------------------------------------------------- */

/* The two roles of the program mesh-agent, local and global agent, and its exit codes. */

enum { MESH_AGENT_MISUSE = 2, MESH_AGENT_INPUT = 3, MESH_AGENT_SYSTEM = 5 };
enum { MESH_AGENT_IDLE_MS = 300 }; /* both agents exit after this time without clients */

/* file in EXPERIMENT/mesh: standard error of both agents */
#define MESH_AGENT_LOG "agent.log"

/* Collect from local agents and write profiles of `experiment` until all agents have
 * gone. Returns an exit code, after a message if it is not 0. */
int mesh_agent_global(const char *experiment);

/* Take data from the segments of `session` on this node, pack it, and send it to the
 * global agent of `experiment`, which is started if there is none; until all segments
 * have gone. Returns an exit code, after a message; 0 also if another local agent serves
 * the session. */
int mesh_agent_local(const char *experiment, const char *session);

/* --- lock.c -------------------------------------------------------------- */

/* Take the lock of the local agent of `session` on this node. Returns a descriptor that
 * holds the lock, or -EADDRINUSE, or another negative errno. */
int mesh_agent_lock(const char *session);

/* Whether a local agent of `session` on this node holds the lock. */
int mesh_agent_is_locked(const char *session);

#endif
