/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h: names of segments (mesh/probe/shared.h), whether the process that made one
 * lives, and whether what a segment says of itself can be. Reentrant. */
#ifndef MESH_PROBE_SEGMENT_H
#define MESH_PROBE_SEGMENT_H

#include "mesh/probe/shared.h"

enum { MESH_SEGMENT_NAME = 160 };

/* What the name of a segment says. */
struct mesh_segment_name {
    uint32_t uid;
    char session[MESH_SESSION_BYTES];
    int64_t pid;
    uint64_t start;
    int32_t mesh, part;
};

/* The name in MESH_SHARED_FOLDER, of at most MESH_SEGMENT_NAME bytes with its end. */
void mesh_segment_name(const struct mesh_segment_name *name, char *text);
/* 1, or 0: it is no such name, *name is untouched. */
int mesh_segment_parse(const char *text, struct mesh_segment_name *name);

/* Field 22 of /proc/PID/stat: clock ticks since boot; 0: there is no such process. */
uint64_t mesh_process_start(int64_t pid);
/* Its state as /proc has it, 'R', 'S', 'T' stopped, 'Z' a zombie; 0: there is none. Its
 * start, where not NULL, into *start. */
char mesh_process_state(int64_t pid, uint64_t *start);
/* Whether the process lives, and is no zombie. */
int mesh_process_lives(int64_t pid, uint64_t start);

/* Check the words that do not change of a copy of a head against the size of its file. 0,
 * or -EBADMSG with the field. What it accepts lies, slot by slot, within `size` bytes. */
int mesh_segment_check(const struct mesh_shared *head, uint64_t size,
                       struct cca_error *err);

/* Check a copy of a slot's head and of its boxes against a head that was accepted. 0 or
 * -EBADMSG: a box outside its level, values beyond cell_room, more boxes than box_room.
 * That boxes do not overlap is not checked. */
int mesh_slot_check(const struct mesh_shared *head, const struct mesh_slot *slot,
                    struct cca_error *err);
int mesh_slot_box_check(const struct mesh_shared *head, const struct mesh_slot *slot,
                        const struct mesh_slot_box *box, struct cca_error *err);

#endif
