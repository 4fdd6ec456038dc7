/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h: names of segments (mesh/probe/shared.h), liveness of the process that made
 * one, and validation of a segment's header. Reentrant. */
#ifndef MESH_PROBE_SEGMENT_H
#define MESH_PROBE_SEGMENT_H

#include "mesh/probe/shared.h"

enum { MESH_SEGMENT_NAME = 160 };

/* The parts of a segment's name. */
struct mesh_segment_name {
    uint32_t uid;
    char session[MESH_SESSION_BYTES];
    int64_t pid;
    uint64_t start;
    int32_t mesh, part;
};

/* Write the name in MESH_SHARED_FOLDER, at most MESH_SEGMENT_NAME bytes with its
 * terminating zero. */
void mesh_segment_name(const struct mesh_segment_name *name, char *text);
/* Parse a name. Returns 1; 0: not the name of a segment, *name is untouched. */
int mesh_segment_parse(const char *text, struct mesh_segment_name *name);

/* Return the start time of a process, field 22 of /proc/PID/stat: clock ticks since boot;
 * 0: there is no such process. */
uint64_t mesh_process_start(int64_t pid);
/* Return the state of a process as in /proc: 'R', 'S', 'T' stopped, 'Z' zombie; 0: no
 * such process. Its start time is stored in *start unless NULL. */
char mesh_process_state(int64_t pid, uint64_t *start);
/* Whether the process is alive and no zombie. */
int mesh_process_lives(int64_t pid, uint64_t start);

/* Validate the constant fields in a copy of a header against the size of its file.
 * Returns 0, or -EBADMSG with a message that names the field. Each slot of an accepted
 * header lies within `size` bytes. */
int mesh_segment_check(const struct mesh_shared *head, uint64_t size,
                       struct cca_error *err);

/* Validate a copy of a slot's header and boxes against an accepted header. Returns 0 or
 * -EBADMSG: a box outside of its level, values beyond cell_room, more boxes than
 * box_room. Overlap of boxes is not checked. */
int mesh_slot_check(const struct mesh_shared *head, const struct mesh_slot *slot,
                    struct cca_error *err);
int mesh_slot_box_check(const struct mesh_shared *head, const struct mesh_slot *slot,
                        const struct mesh_slot_box *box, struct cca_error *err);

#endif
