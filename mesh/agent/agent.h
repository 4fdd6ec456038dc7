/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h: the two sides of the program mesh-agent. */
#ifndef MESH_AGENT_AGENT_H
#define MESH_AGENT_AGENT_H

enum { MESH_AGENT_MISUSE = 2, MESH_AGENT_INPUT = 3, MESH_AGENT_SYSTEM = 5 };
enum { MESH_AGENT_IDLE_MS = 300 }; /* without anybody to serve, both end after this */

#define MESH_AGENT_LOG "agent.log" /* in EXPERIMENT/mesh: standard error of both */

/* Collect from local agents, write profiles of `experiment`, until all have gone. An exit
 * code after a message. */
int mesh_agent_global(const char *experiment);

/* Take segments of `session` on this node, pack them, send them to the global agent of
 * `experiment`, which is started where there is none; until all segments have gone. 0
 * also where another local agent of the session runs. An exit code after a message. */
int mesh_agent_local(const char *experiment, const char *session);

#endif
