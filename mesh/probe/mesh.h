/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h: internal state of a profiled mesh. Functions that can fail in a running program
 * report the first error by mesh_fault and go on. One thread at a time. */
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
    PROBE_RUN = 64, /* cells per block, if blocks are timed */
    PROBE_RUN_MOST = 1024
};

/* Kinds of errors that a running program can make; each is reported once. */
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
    int wanted; /* true if the probe is selected by --cells */
    struct mm_mesh_probe about;
    /* function that reads the counter of a custom probe */
    double (*counter)(void *argument);
    void *argument;
    int fd; /* descriptor of the kernel's counter of instructions; -1: none */
    /* value of the probe's clock or counter when mesh_clock_lap or mesh_clock_mark last
     * read it; unused by PROBE_TIME and PROBE_CYCLES */
    double before;
    uint64_t read_ns; /* time that a reading of the counter takes */
    double mean; /* cost per cell in the last complete run of this step; NAN: no run is
                    complete */
    uint32_t hold[PROBE_RUN_MOST];
};

/* Cells of this rank with consecutive numbers and consecutive values. */
struct run {
    int64_t first;
    uint64_t count, base;
};

/* The cells of this rank. */
struct cells {
    /* [level][count[level]]: boxes of this rank */
    struct mesh_slot_box *boxes[MM_MESH_LEVELS];
    uint32_t count[MM_MESH_LEVELS];
    struct run *runs; /* runs of cells on all levels, ascending */
    size_t run_count;
    uint64_t total;
    uint32_t boxes_total;
    uint32_t *table;      /* index of the run of each cell from runs[0].first on;
                           * run_count: none */
    uint64_t table_count; /* length of `table`; 0: no table, runs are searched */
};

/* Costs of profiling, and the program's own work: ns of CPU time. */
struct account {
    double call_ns, hold_ns, give_ns; /* cost of mm_mesh_cell, of mm_mesh_cell inside a
                                       * run of cells, of mm_mesh_value */
    double apart_ns; /* additional cost of reading the counter, because cells no longer
                        overlap in the processor */
    double spent_ns; /* CPU time that the library has spent so far */
    double step_ns;  /* cost of beginning and ending the last recorded step */
    double made_ns;  /* cost of making segments so far */
    double start_ns, since_ns; /* CPU time of the process when the mesh was opened, and at
                                  the last decision about the stride */
    double since_spent_ns;     /* spent_ns at the last decision about the stride */
    int64_t steps;             /* number of steps begun since the last decision */
    int told;                  /* true if some step was recorded, so `visits` is known */
    float visits[MM_MESH_PROBES]; /* calls for a cell of this rank in a step, on average;
                                     where calls are not counted, in the last step with
                                     counts */
};

/* Layout of a segment: offsets and sizes, as in its header. */
struct layout {
    uint64_t bytes, slot_first, slot_bytes, box_first, value_first, cell_room;
    uint32_t slots, box_room;
};

struct mm_mesh {
    struct mm_mesh_now now; /* must be the first member: inline functions use it */
    struct mm_mesh_about about;
    struct mm_mesh_level level[MM_MESH_LEVELS];
    struct mesh_request request;
    struct mm_clock_origin origin;
    double ns_per_tick;
    uint64_t calibrated; /* ticks from the origin to the last calibration */
    char session[MESH_SESSION_BYTES];
    uint32_t slots;                     /* slots per segment; 0: the default number */
    int32_t rank, ranks, number, parts; /* number: index of the mesh in the process;
                                           parts: number of segments so far */
    struct probe *probes[MM_MESH_PROBES];
    int probe_count, wanted; /* numbers of declared probes, and of selected probes, which
                                are counted at the first step */
    int closed_set; /* true if a step was begun, so no more probes can be declared */
    struct cells cells;
    int64_t step; /* number of the last step begun; -1: none */
    uint64_t begun;
    int64_t every;
    uint32_t most; /* maximum number of cells timed together */
    struct account account;
    /* true if the mesh is not profiled any more: there is no shared memory, or this is a
     * forked child */
    int off;
    struct mesh_shared *shared; /* header of the current segment; NULL: none */
    struct layout layout;       /* own copy of the header: other processes may write into
                                 * the shared one */
    struct mesh_slot *slot;     /* the slot being filled, or NULL */
    uint32_t slot_next;
    uint64_t begun_ticks[MM_MESH_PROBES]; /* [probe]: reading of the clock when the step
                                             began */
    uint64_t fillings, faults;
    uint32_t told_faults; /* bit f: error f of enum fault was reported */
    struct cca_error error;
    struct mm_mesh *next; /* next mesh in the process's list */
};

/* Report an error of the program, the first of its kind on standard error. Returns its
 * code. */
__attribute__((format(printf, 4, 5))) int mesh_fault(struct mm_mesh *m, enum fault fault,
                                                     int code, const char *format, ...);
/* Write "cell 4,10,10 of level 1" into `text` of 96 bytes. */
const char *mesh_cell_words(const struct mm_mesh *m, int64_t cell, char *text);

/* Set the levels, their numbers of cells and first cell numbers. Returns 0, or -EINVAL:
 * too many cells. */
int mesh_levels_set(struct mm_mesh *m, int levels, int ratio, struct cca_error *err);

/* cells.c: set now.value for a cell; returns 0 if the cell is not this rank's. Without a
 * table, the cell's run becomes the current run of the inline functions. *more, if not
 * NULL, gets the number of cells from this cell on with consecutive values. */
uint64_t mesh_cell_find(struct mm_mesh *m, int64_t cell, int64_t *more);
/* Rebuild the runs and the table of cells from the boxes. Returns 0; -EINVAL: two boxes
 * overlap; -ENOMEM: unchanged. */
int mesh_cells_lay(struct mm_mesh *m, struct cells *cells);
void mesh_cells_done(struct cells *cells);

/* clocks.c: open the counter of a probe. Returns 0 or a negative errno. */
int mesh_clock_open(struct mm_mesh *m, struct probe *probe);
/* Read the counter of a probe in the probe's unit; for probes of time and cycles, read
 * the clock. */
double mesh_clock_read(const struct mm_mesh *m, const struct probe *probe);
/* Read the clock or counter of a probe. Return its increase since the previous call of
 * mesh_clock_lap or mesh_clock_mark for the probe. */
double mesh_clock_lap(struct mm_mesh *m, int probe);
void mesh_clock_mark(struct mm_mesh *m, int probe);

/* tell.c: end the current run of cells: its time is the mean of earlier runs, or read
 * from the clock if there is none. Returns the total time of its cells. */
double mesh_run_end(struct mm_mesh *m, int probe);
/* Return the declared probe, or NULL after a fault. */
struct probe *mesh_probe_find(struct mm_mesh *m, int probe);

/* segment_make.c: make a segment for this rank's present cells. Returns 0, or negative
 * errno and `err`. */
int mesh_segment_make(struct mm_mesh *m, struct cca_error *err);
/* Make a segment of centres, FULL and closed; centres are [dims] doubles for each cell of
 * boxes. */
int mesh_segment_centres(struct mm_mesh *m, const struct mesh_slot_box *boxes,
                         uint32_t count, uint64_t cells, const double *centres,
                         struct cca_error *err);
/* Make the name of the segment with part `part` of this mesh. */
void mesh_segment_own(const struct mm_mesh *m, int part, struct mesh_segment_name *name);

/* leave.c: set the segment's state and unmap it. A CLOSED segment is unmapped when the
 * agent has taken it, or when the process ends. */
void mesh_segment_leave(struct mm_mesh *m, enum mesh_shared_state state);
/* At the end of the process: wait until closed segments are taken, and remove those that
 * nobody will take. In a forked child do nothing: the segments are the parent's. */
void mesh_leaving_wait(void);
void mesh_leaving_forget(void);

/* slot.c: begin the slot of a step; end it. mesh_slot_begin returns 1; 0: no slot is
 * free; or a negative errno: no memory. */
int mesh_slot_begin(struct mm_mesh *m, int64_t step, double time_s);
void mesh_slot_end(struct mm_mesh *m);
/* Make all recording calls do nothing from now on. */
void mesh_tell_nothing(struct mm_mesh *m);
/* Replace this rank's cells, stolen; values of cells that stay are kept. Returns 0 or
 * -ENOMEM. */
int mesh_cells_replace(struct mm_mesh *m, struct cells *cells);

/* auto.c: three functions for automatic strides: measure the cost of calls; add the cost
 * of a step that ended; decide how to record the next steps (sets m->every and m->most).
 */
void mesh_account_open(struct mm_mesh *m);
void mesh_account_told(struct mm_mesh *m);
void mesh_account_decide(struct mm_mesh *m);
/* Return the number of cells timed together in block mode. */
uint32_t mesh_run_length(const struct mm_mesh *m);

#endif
