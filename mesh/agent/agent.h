/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h: the two roles of the program mesh-agent. */
#ifndef MESH_AGENT_AGENT_H
#define MESH_AGENT_AGENT_H

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

#endif
