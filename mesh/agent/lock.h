/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.h: one local agent of a session on a node, by an abstract socket that ends with
 * the process. */
#ifndef MESH_AGENT_LOCK_H
#define MESH_AGENT_LOCK_H

/* A descriptor that holds the lock, or -EADDRINUSE, or another negative errno. */
int mesh_agent_lock(const char *session);

/* Whether an agent holds it. */
int mesh_agent_is_locked(const char *session);

#endif
