/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h: a lock so that each session has one local agent on a node: an abstract socket,
 * which ends with the process. */
#ifndef MESH_AGENT_LOCK_H
#define MESH_AGENT_LOCK_H

/* Take the lock: a descriptor that holds it, or -EADDRINUSE, or another negative
 * errno. */
int mesh_agent_lock(const char *session);

/* Whether some agent holds the lock. */
int mesh_agent_is_locked(const char *session);

#endif
