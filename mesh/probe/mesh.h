/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h: the insides of a mesh that is profiled. Functions that can fail in a running
 * program say so once by mesh_fault and go on. One thread at a time. */
#ifndef MESH_PROBE_MESH_H
#define MESH_PROBE_MESH_H

#include "mastermind/format/clock.h"
#include "mesh/probe/mm_mesh.h"
#include "mesh/probe/request.h"
#include "mesh/probe/segment.h"
#include "mesh/probe/shared.h"

enum probe_kind {
    PROBE_TIME,
    PROBE_CYCLES,
    PROBE_CPU,
    PROBE_INSTRUCTIONS,
    PROBE_GIVEN,
    PROBE_CUSTOM
};

enum {
    PROBE_RUN = 64, /* cells of a block where blocks are timed */
    PROBE_RUN_MOST = 1024
};

/* Kinds of errors that a running program can make; each is told once. */
enum fault {
    FAULT_PROBE,
    FAULT_KIND,
    FAULT_CELL,
    FAULT_BOX,
    FAULT_VALUE,
    FAULT_STEP,
    FAULT_LATE,
    FAULT_NAME,
    FAULT_COUNTER,
    FAULT_SHARED,
    FAULT_CENTRES,
    FAULTS
};

struct probe {
    enum probe_kind kind;
    int wanted; /* by --cells */
    struct mm_mesh_probe about;
    double (*counter)(void *argument); /* of a custom one */
    void *argument;
    int fd;           /* of instructions; -1 */
    double before;    /* at the last border, of kinds that are not ticking */
    uint64_t read_ns; /* what a reading costs */
    double mean;      /* a cell's part of the last whole run in this step; NAN: none */
    uint32_t hold[PROBE_RUN_MOST];
};

/* Cells of this rank whose numbers and values follow one another. */
struct run {
    int64_t first;
    uint64_t count, base;
};

/* The cells of this rank. */
struct cells {
    struct mesh_slot_box *boxes[MM_MESH_LEVELS]; /* [count[level]] */
    uint32_t count[MM_MESH_LEVELS];
    struct run *runs; /* of all levels, ascending */
    size_t run_count;
    uint64_t total;
    uint32_t boxes_total;
    uint32_t *table;      /* the run of each cell from runs[0].first on, or run_count */
    uint64_t table_count; /* 0: runs are searched */
};

/* What profiling cost, and what the program did meanwhile: ns of CPU time. */
struct account {
    double call_ns, hold_ns, give_ns; /* mm_mesh_cell, in a run of cells, mm_mesh_value */
    double apart_ns; /* what a reading costs beyond: cells are no longer overlapped */
    double spent_ns; /* by the library so far */
    double step_ns;  /* to begin the last told step, and to end one */
    double made_ns;  /* to make segments so far */
    double start_ns, since_ns;    /* of the process: at open, at the last decision */
    double since_spent_ns;        /* spent_ns at the last decision */
    int64_t steps;                /* begun since that */
    int told;                     /* a step was told: visits are known */
    float visits[MM_MESH_PROBES]; /* of a cell in a step; where calls are not counted
                                   * those of the last step where they were */
};

/* Where things lie in a segment. */
struct layout {
    uint64_t bytes, slot_first, slot_bytes, box_first, value_first, cell_room;
    uint32_t slots, box_room;
};

struct mm_mesh {
    struct mm_mesh_now now; /* first: inline functions */
    struct mm_mesh_about about;
    struct mm_mesh_level level[MM_MESH_LEVELS];
    struct mesh_request request;
    struct mm_clock_origin origin;
    double ns_per_tick;
    uint64_t calibrated; /* ticks from the origin to the last calibration */
    char session[MESH_SESSION_BYTES];
    uint32_t slots;                     /* of a segment; 0: the usual number */
    int32_t rank, ranks, number, parts; /* of the mesh in the process; segments so far */
    struct probe *probes[MM_MESH_PROBES];
    int probe_count, wanted; /* how many of them are; counted at the first step */
    int closed_set;          /* probes are final: a step was begun */
    struct cells cells;
    int64_t step; /* the last that was begun; -1 */
    uint64_t begun;
    int64_t every;
    uint32_t most; /* cells that are timed together */
    struct account account;
    int off; /* profiled no more: no shared memory, or a forked child */
    struct mesh_shared *shared; /* or NULL */
    struct layout layout;       /* of it: what others may write is not trusted */
    struct mesh_slot *slot;     /* that is being filled, or NULL */
    uint32_t slot_next;
    uint64_t begun_ticks[MM_MESH_PROBES]; /* clocks when the step began */
    uint64_t fillings, faults;
    uint32_t told_faults; /* bit f: enum fault f was told */
    struct cca_error error;
    struct mm_mesh *next; /* of the process */
};

/* Tell an error of the program, the first of its kind on standard error. Its code. */
__attribute__((format(printf, 4, 5))) int mesh_fault(struct mm_mesh *m, enum fault fault,
                                                     int code, const char *format, ...);
/* "cell 4,10,10 of level 1" in `text` of 96 bytes. */
const char *mesh_cell_words(const struct mm_mesh *m, int64_t cell, char *text);

/* Set levels, their cells and numbers. 0, or -EINVAL: too many cells. */
int mesh_levels_set(struct mm_mesh *m, int levels, int ratio, struct cca_error *err);

/* cells.c: where the value of a cell lies in now.value, or 0; without a table its run
 * becomes that of the inline functions. *more, where not NULL: how many cells from this
 * one on have values that follow. */
uint64_t mesh_cell_find(struct mm_mesh *m, int64_t cell, int64_t *more);
/* Rebuild runs and table from boxes. 0; -EINVAL two overlap; -ENOMEM: as before. */
int mesh_cells_lay(struct mm_mesh *m, struct cells *cells);
void mesh_cells_done(struct cells *cells);

/* clocks.c: open what a probe reads. 0 or a negative errno. */
int mesh_clock_open(struct mm_mesh *m, struct probe *probe);
/* Its reading in its unit; of time and cycles by the clock without the counter. */
double mesh_clock_read(const struct mm_mesh *m, const struct probe *probe);
/* What passed since the last border, and set a new one. */
double mesh_clock_lap(struct mm_mesh *m, int probe);
void mesh_clock_mark(struct mm_mesh *m, int probe);

/* tell.c: end the run of cells that is not timed yet, by the mean of earlier ones, or
 * where there is none by the clock. What its cells got together. */
double mesh_run_end(struct mm_mesh *m, int probe);
/* A probe that was declared, or NULL after a fault. */
struct probe *mesh_probe_find(struct mm_mesh *m, int probe);

/* segment_make.c: a segment for the cells that this rank has now. 0, or negative errno
 * and `err`. */
int mesh_segment_make(struct mm_mesh *m, struct cca_error *err);
/* One with centres, FULL and closed; centres are [dims] doubles for each cell of boxes.
 */
int mesh_segment_centres(struct mm_mesh *m, const struct mesh_slot_box *boxes,
                         uint32_t count, uint64_t cells, const double *centres,
                         struct cca_error *err);
/* The name of this mesh's segment of that part. */
void mesh_segment_own(const struct mm_mesh *m, int part, struct mesh_segment_name *name);

/* leave.c: set the segment's state and unmap it, where CLOSED not before it was taken or
 * the process ends. */
void mesh_segment_leave(struct mm_mesh *m, enum mesh_shared_state state);
/* At the end of the process: wait until closed segments are taken, and remove what nobody
 * will take. In a forked child: they are the parent's. */
void mesh_leaving_wait(void);
void mesh_leaving_forget(void);

/* slot.c: begin a step's slot: 1, 0 none is free, negative errno no memory; end it. */
int mesh_slot_begin(struct mm_mesh *m, int64_t step, double time_s);
void mesh_slot_end(struct mm_mesh *m);
/* Calls that tell do nothing from now on. */
void mesh_tell_nothing(struct mm_mesh *m);
/* Replace this rank's cells, stolen; values of cells that stay are kept. 0 or -ENOMEM. */
int mesh_cells_replace(struct mm_mesh *m, struct cells *cells);

/* auto.c: measure what calls cost here; count what a step that ended cost; decide how the
 * next one is told: sets m->every and m->most. */
void mesh_account_open(struct mm_mesh *m);
void mesh_account_told(struct mm_mesh *m);
void mesh_account_decide(struct mm_mesh *m);
/* How many cells are timed together where blocks are. */
uint32_t mesh_run_length(const struct mm_mesh *m);

#endif
