/* SPDX-License-Identifier: BSD-3-Clause */
/* segments_core.h: state of the local agent's segments, shared by its files. One
 * thread. */
#ifndef MESH_AGENT_SEGMENTS_CORE_H
#define MESH_AGENT_SEGMENTS_CORE_H

#include <stdio.h>

#include "mesh/agent/segments.h"

enum { SEGMENT_PATH = sizeof MESH_SHARED_FOLDER + MESH_SEGMENT_NAME + 1 };

struct segment {
    char file[MESH_SEGMENT_NAME];
    struct mesh_segment_name name;
    struct mesh_shared *map;
    size_t bytes;
    struct mesh_shared head; /* validated copy of the header in `map` */
    struct mesh_bricks *bricks;
    int number;         /* number of the segment's mesh in packets to the global agent */
    uint64_t lost_told; /* number of dropped steps that were reported */
    int64_t lost_last;  /* last dropped step that was reported; valid if lost_told > 0 */
    int bad; /* true if the segment is damaged, and the agent reads no more of it */
    int introduced; /* true if the segment's mesh was sent; `number` is valid */
    int gone;   /* true if an earlier scan found that the segment's process had ended */
    int ending; /* true if an earlier scan found that the segment had ended */
};

/* A mesh of a process. Its data can come in several segments (parts), which have the same
 * `number`. */
struct known_mesh {
    int64_t pid;
    uint64_t start;
    int32_t mesh;
    int number;
    int any;      /* true if at least one step of the mesh was sent */
    int64_t last; /* number of the last step sent */
};

struct mesh_segments {
    char session[MESH_SESSION_BYTES];
    struct wire *wire;
    struct segment *all;
    size_t count;
    struct known_mesh *meshes;
    size_t mesh_count;
    unsigned looks;
};

/* Write the path of a file in MESH_SHARED_FOLDER into `path`. */
static inline void segment_path(const char *file, char path[SEGMENT_PATH])
{
    snprintf(path, SEGMENT_PATH, MESH_SHARED_FOLDER "/%.*s", MESH_SEGMENT_NAME - 1, file);
}

static inline struct mesh_slot *segment_slot(const struct segment *segment, uint32_t s)
{
    return (struct mesh_slot *)(void *)((char *)segment->map + segment->head.slot_first +
                                        s * segment->head.slot_bytes);
}

/* slots.c: send the FULL slots in the order of their steps, and free them. Returns their
 * number; -EBADMSG: the segment is damaged, or a negative errno if sending fails, with
 * `err`. */
int segment_take_slots(struct mesh_segments *segments, struct segment *segment,
                       struct cca_error *err);

/* ends.c: send the loss of steps that the program dropped since the last call. Returns 0
 * or a negative errno with `err` if sending fails. */
int segment_send_lost(struct mesh_segments *segments, struct segment *segment,
                      struct cca_error *err);

/* Send the end of a segment whose state is `state` (MESH_SHARED_OPEN: its process has
 * gone), wait until all its data is in the file, and unlink it. Returns like
 * segment_send_lost. */
int segment_end(struct mesh_segments *segments, struct segment *segment, unsigned state,
                struct cca_error *err);

#endif
