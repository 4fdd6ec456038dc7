/* SPDX-License-Identifier: BSD-3-Clause */
/* shared.h: format of the shared memory by which a program passes its mesh profile to the
 * agent.
 *
 *     header    struct mesh_shared
 *     slot 0    struct mesh_slot, its boxes, its values
 *     slot 1    ...
 *
 * The program (libmm_mesh) makes one segment for each mesh and each size of its boxes:
 *
 *     /dev/shm/mm_mesh-UID-SESSION-PID-START-MESH-PART
 *
 * SESSION is the variable MM_MESH_SESSION; PID and START (field 22 of /proc/PID/stat)
 * identify the process; MESH is the number of the mesh in the process, from 0; PART
 * counts the segments of this mesh, from 0. While a segment is made its name begins with
 * ".mm_mesh-"; then it is renamed. The agent (mesh-agent local) looks for names of its
 * session, maps them, takes slots, and unlinks a segment when its state is not OPEN or
 * its process is gone, and no slot is FULL. All memory is allocated when the segment is
 * made, so no process gets SIGBUS.
 *
 * The program never waits: if no slot is free, the step is dropped and counted. The
 * program changes a slot FREE -> FILLING -> FULL, the agent FULL -> TAKING -> FREE; each
 * change is a store to the slot's word with release order, each check a load with acquire
 * order. A slot that a dead agent left TAKING counts as FULL for the next agent; `taker`
 * is the process that takes. To find the earliest step the agent scans the slots twice: a
 * slot that was FILLING in the first scan may have become FULL, with an earlier step.
 *
 * A reader trusts nothing: it validates sizes and offsets against the size of the file
 * (mesh_segment_check), each time in a copy. Byte order is the machine's. */
#ifndef MESH_PROBE_SHARED_H
#define MESH_PROBE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

/* Environment variables: the value of --cells; the session's name; the number of slots
 * per segment, 2 to MESH_SHARED_SLOTS, by default as many as fit in MESH_SHARED_USUAL
 * bytes, at least MESH_SHARED_SLOTS_USUAL. The last variable is set if agents were
 * started: then the exiting process waits for them a while. */
#define MESH_CELLS_VARIABLE "MASTERMIND_RECORD_CELLS"
#define MESH_SESSION_VARIABLE "MM_MESH_SESSION"
#define MESH_SLOTS_VARIABLE "MM_MESH_SLOTS"
#define MESH_STARTED_VARIABLE "MM_MESH_AGENT"
/* name of the session if the environment variable is not set or empty */
#define MESH_SESSION_USUAL "0"

#define MESH_SHARED_FOLDER "/dev/shm"
#define MESH_SHARED_PREFIX "mm_mesh-"
#define MESH_SHARED_MAGIC "MMPROBE\1"

enum {
    MESH_SHARED_FORMAT = 1,
    MESH_SHARED_SLOTS = 64,
    MESH_SHARED_SLOTS_USUAL = 4,
    MESH_SHARED_USUAL = 4 << 20,
    MESH_SHARED_ALIGN = 64, /* alignment of slots, boxes and values in the segment */
    /* room for the session's name [A-Za-z0-9], with the terminating zero */
    MESH_SESSION_BYTES = 33
};

enum mesh_shared_kind {
    MESH_SHARED_STEPS = 1, /* slots contain steps */
    /* the segment has one slot, FULL from the start, with the centres of elements: values
       are doubles, 3 for each element (a cell of its boxes) */
    MESH_SHARED_CENTRES = 2
};

enum mesh_shared_state {
    MESH_SHARED_OPEN = 1,
    MESH_SHARED_CLOSED, /* the mesh ends with this segment */
    MESH_SHARED_MOVED   /* the mesh continues in part + 1 */
};

/* Low bits of a slot's word. The bits above count fillings of slots, so a smaller word is
 * an earlier step. */
enum mesh_slot_state {
    MESH_SLOT_FREE = 0,
    MESH_SLOT_FILLING,
    MESH_SLOT_FULL,
    MESH_SLOT_TAKING,
    MESH_SLOT_STATES = 4
};

struct mesh_shared {
    char magic[8];
    uint32_t order;  /* byte order: 0x01020304 */
    uint32_t format; /* version of the layout: MESH_SHARED_FORMAT */
    uint32_t kind;   /* contents of the slots: enum mesh_shared_kind */
    uint32_t slots;
    uint64_t bytes; /* size of the segment */
    int64_t pid;
    uint64_t start; /* start time of the process, field 22 of /proc/PID/stat */
    /* index of the mesh in the process and of the part of it, as in the segment's name */
    int32_t mesh, part;
    int32_t rank;  /* rank of the process; 0 in a program without ranks */
    int32_t ranks; /* number of ranks; 0: unknown */
    uint32_t probes;
    uint32_t box_room;   /* number of boxes for which a slot has room */
    uint64_t cell_room;  /* number of values of each probe for which a slot has room */
    uint64_t slot_first; /* offset of slot 0; slot s is slot_bytes * s after it */
    uint64_t slot_bytes;
    uint64_t box_first;   /* offset in a slot of its boxes, struct mesh_slot_box each */
    uint64_t value_first; /* offset in a slot of its values: floats [probes][cell_room] */
    char session[MESH_SESSION_BYTES + 7];
    struct mm_mesh_about about;
    struct mm_mesh_probe probe[MM_MESH_PROBES];

    /* The program writes the following fields. */
    /* state of the segment: enum mesh_shared_state */
    _Alignas(64) _Atomic uint32_t state;
    _Atomic uint32_t every;  /* stride of recorded steps; 1: all */
    _Atomic uint64_t begun;  /* number of steps that the program began, recorded or not */
    _Atomic uint64_t filled; /* number of steps whose slots became FULL */
    _Atomic uint64_t dropped; /* number of steps that found no free slot */
    /* numbers of the first and the last dropped step; valid if dropped > 0 */
    _Atomic int64_t dropped_first, dropped_last;

    /* The agent writes the following fields. */
    _Alignas(64) _Atomic uint64_t taker; /* the agent that takes slots: pid << 32 | low
                                            half of its start time; 0: none */
    _Atomic uint64_t taker_ns;    /* CPU time that the agent has spent on this segment,
                                     counted in mode `auto` */
    _Atomic uint32_t every_least; /* lower limit of the stride in `auto` mode; 0: none */
};

struct mesh_slot {
    /* state of the slot: fillings * MESH_SLOT_STATES + enum mesh_slot_state */
    _Atomic uint64_t word;
    int64_t step;
    double time_s;  /* the program's own time of the step, or NAN */
    uint64_t told;  /* bit p: probe p has values; without it they are undefined */
    uint64_t cells; /* number of cells of all boxes together, at most cell_room */
    /* number of boxes, at most box_room; 0: the rank has no cells in this step */
    uint32_t boxes;
    uint32_t every;  /* stride of recorded steps when this step was recorded */
    uint64_t blocks; /* bit p: probe p timed blocks, whose cells share the time evenly */
    uint64_t faults; /* number of calls so far with a cell that is not this rank's, or
                        with an invalid value */
};

/* The values of probe p in a box begin at value_first + 4 * (p * cell_room + first) in
 * the slot, dimension 2 fastest (C order). A cell without value has 0. Boxes of a level
 * do not overlap. */
struct mesh_slot_box {
    int32_t level, reserved;
    /* cells c of the box: lo <= c < hi on its level; unused dimensions 0, 1 */
    int64_t lo[3], hi[3];
    uint64_t first;
};

#endif
