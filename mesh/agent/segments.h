/* SPDX-License-Identifier: BSD-3-Clause */
/* segments.h: the shared memory segments of a session on this node, read slot by slot:
 * the local agent without its sockets. One thread. */
#ifndef MESH_AGENT_SEGMENTS_H
#define MESH_AGENT_SEGMENTS_H

#include "mesh/agent/wire.h"
#include "mesh/probe/segment.h"
#include "mesh/trace/bricks.h"

struct mesh_segments;

/* Make the state of a session's segments; their data is sent to `wire`, borrowed. Returns
 * NULL: out of memory. */
struct mesh_segments *mesh_segments_new(const char *session, struct wire *wire);
void mesh_segments_free(struct mesh_segments *segments);

/* Take all FULL slots, and unlink the segments that were closed. With `look`, which is
 * slower, also scan for new segments and for processes that have ended. Returns the
 * number of slots taken plus segments found; 0: nothing; a negative errno with `err`: the
 * global agent has gone, and nothing more can be taken. A damaged segment is given up,
 * with a message. */
int mesh_segments_take(struct mesh_segments *segments, int look, struct cca_error *err);

/* Return the number of segments that the agent serves. */
size_t mesh_segments_count(const struct mesh_segments *segments);

/* Remove segments of this user, of any session, whose process has gone and that no local
 * agent serves. Returns their number. */
int mesh_segments_reap(const char *session);

#endif
