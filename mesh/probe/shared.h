/* SPDX-License-Identifier: BSD-3-Clause */
/* shared.h: the shared memory through which a program's mesh profile leaves it.
 *
 *     head      struct mesh_shared
 *     slot 0    struct mesh_slot, its boxes, its values
 *     slot 1    ...
 *
 * The program (libmm_mesh) makes one segment for each mesh and each size of its boxes:
 *
 *     /dev/shm/mm_mesh-UID-SESSION-PID-START-MESH-PART
 *
 * SESSION is the variable MM_MESH_SESSION, PID and START (field 22 of /proc/PID/stat) the
 * process, MESH the number of the mesh in it, from 0, PART counts the segments of this
 * mesh, from 0. While a segment is made its name begins with ".mm_mesh-"; then it is
 * renamed. Who collects (mesh-agent local) looks for names of its session, maps them,
 * takes slots, and unlinks a segment when its state is not OPEN or its process is gone,
 * and no slot is FULL. All memory was allocated when it was made, so nobody gets SIGBUS.
 *
 * The program never waits: where no slot is free, the step is dropped and counted. A
 * slot goes FREE -> FILLING -> FULL by the program, FULL -> TAKING -> FREE by the agent;
 * each change stores the slot's word, release, and reads it, acquire. A new agent finds
 * what another left TAKING, and makes it FULL: `taker` tells which process takes. Whoever
 * looks for the earliest step goes through the slots again after it found one: what was
 * passed while it was FILLING may be FULL by now, and earlier.
 *
 * Whoever reads trusts nothing: sizes and offsets are checked against the size of the
 * file (mesh_shared_check), each time from a copy. Byte order is the machine's. */
#ifndef MESH_PROBE_SHARED_H
#define MESH_PROBE_SHARED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

/* Environment: what is profiled, the value of --cells; of which collection it is part;
 * slots of each segment, 2 to MESH_SHARED_SLOTS, default: as many as MESH_SHARED_USUAL
 * bytes have room for, at least MESH_SHARED_SLOTS_USUAL. Where agents were started the
 * last one is set, too: then the end of the process waits for them a while. */
#define MESH_CELLS_VARIABLE "MASTERMIND_RECORD_CELLS"
#define MESH_SESSION_VARIABLE "MM_MESH_SESSION"
#define MESH_SLOTS_VARIABLE "MM_MESH_SLOTS"
#define MESH_STARTED_VARIABLE "MM_MESH_AGENT"
#define MESH_SESSION_USUAL "0" /* where the variable is not set or empty */

#define MESH_SHARED_FOLDER "/dev/shm"
#define MESH_SHARED_PREFIX "mm_mesh-"
#define MESH_SHARED_MAGIC "MMPROBE\1"

enum {
    MESH_SHARED_FORMAT = 1,
    MESH_SHARED_SLOTS = 64,
    MESH_SHARED_SLOTS_USUAL = 4,
    MESH_SHARED_USUAL = 4 << 20,
    MESH_SHARED_ALIGN = 64, /* of slots, boxes and values in the segment */
    MESH_SESSION_BYTES = 33 /* with its end; [A-Za-z0-9] */
};

enum mesh_shared_kind {
    MESH_SHARED_STEPS = 1,  /* slots have steps */
    MESH_SHARED_CENTRES = 2 /* one slot, FULL from the start: centres of elements; values
                             * are doubles, 3 for each element (a cell of its boxes) */
};

enum mesh_shared_state {
    MESH_SHARED_OPEN = 1,
    MESH_SHARED_CLOSED, /* nothing more comes of this mesh */
    MESH_SHARED_MOVED   /* the mesh goes on in part + 1 */
};

/* Low bits of a slot's word; the bits above count its fillings, so a lower word is an
 * earlier step. */
enum mesh_slot_state {
    MESH_SLOT_FREE = 0,
    MESH_SLOT_FILLING,
    MESH_SLOT_FULL,
    MESH_SLOT_TAKING,
    MESH_SLOT_STATES = 4
};

struct mesh_shared {
    char magic[8];
    uint32_t order;  /* 0x01020304 */
    uint32_t format; /* MESH_SHARED_FORMAT */
    uint32_t kind;   /* enum mesh_shared_kind */
    uint32_t slots;
    uint64_t bytes; /* of the segment */
    int64_t pid;
    uint64_t start;     /* of the process, field 22 of /proc/PID/stat */
    int32_t mesh, part; /* as in the name */
    int32_t rank;       /* of the program, 0 where it has no ranks */
    int32_t ranks;      /* 0: not known */
    uint32_t probes;
    uint32_t box_room;   /* boxes of a slot */
    uint64_t cell_room;  /* values of each probe in a slot */
    uint64_t slot_first; /* offset of slot 0; slot s is slot_bytes * s further */
    uint64_t slot_bytes;
    uint64_t box_first;   /* offset of the boxes in a slot: struct mesh_slot_box each */
    uint64_t value_first; /* of values in a slot: floats [probes][cell_room] */
    char session[MESH_SESSION_BYTES + 7];
    struct mm_mesh_about about;
    struct mm_mesh_probe probe[MM_MESH_PROBES];

    /* By the program from here. */
    _Alignas(64) _Atomic uint32_t state; /* enum mesh_shared_state */
    _Atomic uint32_t every;              /* of how many steps one is told; 1: all */
    _Atomic uint64_t begun;              /* steps the program began, told or not */
    _Atomic uint64_t filled;             /* steps that became FULL */
    _Atomic uint64_t dropped;            /* steps that found no free slot */
    _Atomic int64_t dropped_first, dropped_last; /* steps; while dropped > 0 */

    /* By the agent from here. */
    _Alignas(64) _Atomic uint64_t taker; /* pid << 32 | low half of its start; 0: none */
    _Atomic uint64_t taker_ns;    /* CPU time spent on this segment: `auto` counts it */
    _Atomic uint32_t every_least; /* `auto` takes at least this; 0: no wish */
};

struct mesh_slot {
    _Atomic uint64_t word; /* fillings * MESH_SLOT_STATES + enum mesh_slot_state */
    int64_t step;
    double time_s;   /* the program's own time of the step, or NAN */
    uint64_t told;   /* bit p: probe p told something; else its values mean nothing */
    uint64_t cells;  /* of all boxes together, at most cell_room */
    uint32_t boxes;  /* at most box_room; 0: this rank has no cells now */
    uint32_t every;  /* of how many steps one was told at this one */
    uint64_t blocks; /* bit p: cells of probe p share the time of blocks evenly */
    uint64_t faults; /* calls so far that named no cell of this rank or no number */
};

/* The values of probe p in a box begin at value_first + 4 * (p * cell_room + first) of
 * the slot, dimension 2 fastest (C order). A cell that was not told has 0. Boxes of a
 * level do not overlap. */
struct mesh_slot_box {
    int32_t level, reserved;
    int64_t lo[3], hi[3]; /* lo <= c < hi of the level; unused dimensions 0, 1 */
    uint64_t first;
};

#endif
