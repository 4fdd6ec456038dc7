/* SPDX-License-Identifier: BSD-3-Clause */
/* segments.h: the segments of shared memory of a session on this node, taken slot by
 * slot: the local agent without its sockets. One thread. */
#ifndef MESH_AGENT_SEGMENTS_H
#define MESH_AGENT_SEGMENTS_H

#include "mesh/agent/wire.h"
#include "mesh/probe/segment.h"
#include "mesh/trace/bricks.h"

struct mesh_segments;

/* New, for the session; what it finds goes to `wire`, borrowed. NULL: out of memory. */
struct mesh_segments *mesh_segments_new(const char *session, struct wire *wire);
void mesh_segments_free(struct mesh_segments *segments);

/* Take all slots that are FULL, and unlink the segments that were closed. With `look`,
 * which costs more, find new segments, and see which processes have gone. How many slots
 * were taken and segments found; 0: nothing; a negative errno with `err`: the global
 * agent has gone, and nothing more can be taken. A segment that is damaged is left alone,
 * with one line. */
int mesh_segments_take(struct mesh_segments *segments, int look, struct cca_error *err);

/* How many there are. */
size_t mesh_segments_count(const struct mesh_segments *segments);

/* Remove the segments of this user, of any session, whose process has gone and that no
 * local agent serves. How many. */
int mesh_segments_reap(const char *session);

#endif
