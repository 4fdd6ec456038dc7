/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.h: packets become profiles of an experiment: the global agent without its
 * sockets.
 *
 * A step is complete when each rank of the program has sent it, has sent a later one, has
 * dropped it, or has ended. A rank that never sends anything is waited for until another
 * rank has ended. One thread. */
#ifndef MESH_AGENT_COLLECT_H
#define MESH_AGENT_COLLECT_H

#include "mesh/agent/wire.h"

struct mesh_collect;

/* Make a collector for profiles of the experiment at `path`; NULL: out of memory. */
struct mesh_collect *mesh_collect_new(const char *path);

/* Process a packet of a local agent, for which the caller chooses the number `source`.
 * Returns 0; -EBADMSG with `err`: an invalid packet, so the agent is not to be trusted
 * any more; an I/O error or -ENOMEM: no more packets can be stored. */
int mesh_collect_take(struct mesh_collect *collect, int source,
                      const struct wire_packet *packet, struct cca_error *err);

/* Process the end of a local agent. Its ranks have ended, too; ranks that did not close
 * their mesh have lost the steps not yet sent. Returns 0 or an I/O error. */
int mesh_collect_gone(struct mesh_collect *collect, int source, struct cca_error *err);

/* End all steps and close all files. Returns 0, or the first I/O error of all calls.
 * Frees `collect`. */
int mesh_collect_close(struct mesh_collect *collect, struct cca_error *err);

#endif
