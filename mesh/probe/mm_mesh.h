/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_mesh.h: what every cell of a mesh costs, told by the program that computes it.
 *
 *     #include <mm_mesh.h>                 cc prog.c $(pkg-config --cflags --libs
 * mm_mesh)
 *
 *     struct cca_error err = {0};
 *     struct mm_mesh *m =
 *         mm_mesh_open("field", 3, (const int64_t[]){30, 20, 20}, &err);
 *     int cost = mm_mesh_probe(m, "cost", "time");
 *     int work = mm_mesh_probe(m, "work", "given");
 *     mm_mesh_box(m, 0, lo, hi);
 *     for (step = 0; step < steps; step++) {
 *         mm_mesh_step(m, step, time_s);
 *         for each cell of mine:
 *             update(cell);
 *             mm_mesh_value(m, work, cell, active);
 *             mm_mesh_cell(m, cost, cell);
 *     }
 *     mm_mesh_close(m);
 *
 * NULL is a mesh that is not profiled: every function takes it, does nothing and returns
 * 0. So a program needs no second version; unprofiled, a call costs one test.
 *
 * A cell has one number in the whole mesh, on all ranks: level 0 in C order (the last
 * dimension fastest), then level 1, and so on; mm_mesh_index makes it. Each rank tells
 * cells of its own boxes. A value counts for its step; a cell that a probe was not told
 * has 0 there, a probe that was told no cell is absent.
 *
 * Functions that return int return 0 or a number, or a negative errno. A first error of
 * each kind is one line on standard error, mm_mesh_error has the very first; the program
 * goes on. Nothing here waits: what cannot be kept is dropped and counted.
 *
 * Threads: one at a time for each mesh. A forked child writes nothing. No MPI: ranks call
 * nothing together. docs/guide/mesh.md is the manual. */
#ifndef MM_MESH_H
#define MM_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && __GNUC__ >= 4
#define MM_MESH_EXPORT __attribute__((visibility("default")))
#define MM_MESH_USUAL(condition) __builtin_expect(!!(condition), 1)
#else
#define MM_MESH_EXPORT
#define MM_MESH_USUAL(condition) (condition)
#endif

struct mm_mesh;

/* --- Before the first step --------------------------------------------------------- */

/* Open a mesh of `dims` dimensions, 1 to 3, with n[d] cells of level 0 in each. `name`,
 * letters, digits and _ . + -, is that of the profile; ranks of a program give the same
 * name. New; NULL where no profile was asked for (`err` untouched), or with `err`:
 * -EINVAL name, dims or n are out of their bounds, or --cells is not understood; -ENOMEM;
 * -EEXIST a mesh of this name is open; -ECHILD in a forked child. */
MM_MESH_EXPORT struct mm_mesh *mm_mesh_open(const char *name, int dims, const int64_t *n,
                                            struct cca_error *err);

/* The same for `count` elements without order, with coordinates of `dims` dimensions:
 * cell number e is the element e, 0 <= e < count on all ranks together. */
MM_MESH_EXPORT struct mm_mesh *
mm_mesh_open_elements(const char *name, int dims, int64_t count, struct cca_error *err);

/* The mesh has `levels`, 1 to 32, level l + 1 finer by `ratio` in each dimension. 0;
 * -EINVAL; -EBUSY after the first step. */
MM_MESH_EXPORT int mm_mesh_levels(struct mm_mesh *m, int levels, int ratio);

/* Where the mesh lies, for pictures: [dims] doubles each, any unit; spacing of level 0,
 * > 0. Default 0 and 1. 0, -EINVAL, -EBUSY. */
MM_MESH_EXPORT int mm_mesh_place(struct mm_mesh *m, const double *origin,
                                 const double *spacing);

/* Which of how many ranks this is, where no launcher's variable tells. 0, -EINVAL,
 * -EBUSY.
 */
MM_MESH_EXPORT int mm_mesh_rank(struct mm_mesh *m, int rank, int ranks);

/* Declare a probe. `kind`:
 *   "time"          ns of the clock between two borders of cells
 *   "cycles"        ticks of the time stamp counter, which has one speed
 *   "cpu"           ns of CPU time of the thread; a reading costs .2 us or more
 *   "instructions"  of the thread, by the kernel's counter; .2 us or more
 *   "given"         the program's own numbers: mm_mesh_value, mm_mesh_add
 * Its number; -EINVAL kind or name, -EEXIST the name is taken, -ENOSPC beyond 64, -EBUSY
 * after the first step; a counter that this machine refuses: the kernel's error. */
MM_MESH_EXPORT int mm_mesh_probe(struct mm_mesh *m, const char *name, const char *kind);

/* Declare a probe that reads `counter(argument)` at each border: its growth since the
 * last border is what the cell cost. `unit`, at most 15 characters, may be "". Called by
 * the thread that calls mm_mesh_cell; it must not call this library. As mm_mesh_probe. */
MM_MESH_EXPORT int mm_mesh_custom(struct mm_mesh *m, const char *name, const char *unit,
                                  double (*counter)(void *argument), void *argument);

/* --- Which cells are this rank's; again when they move --------------------------------
 */

/* This rank has the cells lo <= c < hi of a level, [dims] each, and no others there. At
 * any time; within a step, values of cells that stay are kept. 0; -EINVAL the box is
 * outside or empty; -ENOMEM. */
MM_MESH_EXPORT int mm_mesh_box(struct mm_mesh *m, int level, const int64_t *lo,
                               const int64_t *hi);

/* The same for `count` boxes, 0: none; lo and hi are [count][dims]. -EINVAL also where
 * two overlap. */
MM_MESH_EXPORT int mm_mesh_boxes(struct mm_mesh *m, int level, int64_t count,
                                 const int64_t *lo, const int64_t *hi);

/* This rank has `count` elements, [count] numbers in any order; `centres`, [count][dims]
 * doubles, may be NULL where they were told before. 0; -EINVAL a number is outside or
 * twice there, a centre is not finite; -ENOMEM, or an I/O error. */
MM_MESH_EXPORT int mm_mesh_elements(struct mm_mesh *m, int64_t count,
                                    const int64_t *elements, const double *centres);

/* --- Steps --------------------------------------------------------------------------
 */

/* End the step before and begin `step`, larger than it and >= 0; all ranks use the same
 * numbers. `time_s`: the program's own time, or NAN. The clocks of all probes begin here.
 * 0; -EINVAL; -ENOSPC and others: no shared memory, the mesh is profiled no more. */
MM_MESH_EXPORT int mm_mesh_step(struct mm_mesh *m, int64_t step, double time_s);

/* The probe's next cell begins now: what passed since the last border is nobody's. */
MM_MESH_EXPORT void mm_mesh_start(struct mm_mesh *m, int probe);

/* What passed since the last border belongs to the cells lo <= c < hi of a level, all of
 * this rank, evenly. Adds. 0; -EINVAL. */
MM_MESH_EXPORT int mm_mesh_block(struct mm_mesh *m, int probe, int level,
                                 const int64_t *lo, const int64_t *hi);

/* Add `value` of a probe "given" to these cells, evenly. 0; -EINVAL. */
MM_MESH_EXPORT int mm_mesh_block_value(struct mm_mesh *m, int probe, int level,
                                       const int64_t *lo, const int64_t *hi,
                                       double value);

/* End the last step and the profile; free `m`. 0, or the code of the first error. */
MM_MESH_EXPORT int mm_mesh_close(struct mm_mesh *m);

/* The first error of this mesh, borrowed until it is closed; NULL: none. */
MM_MESH_EXPORT const char *mm_mesh_error(const struct mm_mesh *m);

/* What the inline functions below call where there is more to do; and Fortran. */
MM_MESH_EXPORT void mm_mesh_cell_call(struct mm_mesh *m, int probe, int64_t cell);
MM_MESH_EXPORT void mm_mesh_value_call(struct mm_mesh *m, int probe, int64_t cell,
                                       double value);
MM_MESH_EXPORT void mm_mesh_add_call(struct mm_mesh *m, int probe, int64_t cell,
                                     double value);

/* --- In the loop over cells -----------------------------------------------------------
 */

/* A level: the number of its first cell, cells in each dimension. */
struct mm_mesh_level {
    int64_t first, n[3];
};

/* How a probe is served in this step. */
enum mm_mesh_serves {
    MM_MESH_IDLE = 0, /* it is not told */
    MM_MESH_CALLS,    /* by functions of the library */
    MM_MESH_TICKS,    /* reads the time stamp counter at each border */
    MM_MESH_HOLDS,    /* times runs of cells */
    MM_MESH_GIVEN
};

/* A probe. */
struct mm_mesh_lane {
    float *value;  /* of this step, from 1 on */
    uint64_t last; /* clock at the last border */
    uint32_t serves;
    uint32_t calls;      /* in this step, but of MM_MESH_TICKS */
    uint32_t held, most; /* cells of a run that is not timed yet; of how many */
    uint32_t *hold;      /* where their values lie */
    uint64_t spare[3];   /* a line of the cache */
};

/* The head of a struct mm_mesh, for the functions below alone; programs leave it be. */
struct mm_mesh_now {
    int live;              /* this step is told */
    int levels;            /* of `level` */
    uint64_t first, count; /* numbers of cells, among them all or some of this rank's; 0
                            * where the step is not told */
    const uint32_t *table; /* where the value of each lies, + 1; 0: not this rank's */
    uint64_t base;         /* without a table: where that of `first` lies, + 1 */
    const struct mm_mesh_level *level;
    struct mm_mesh_lane lane[64];
};

/* Where the value of a cell lies; 0: not here. */
static inline uint64_t mm_mesh_place_of(const struct mm_mesh_now *now, int64_t cell)
{
    uint64_t at = (uint64_t)cell - now->first;

    if (!MM_MESH_USUAL(at < now->count))
        return 0;
    return now->table ? now->table[at] : now->base + at;
}

/* In the functions below the usual case is a step that is not told: nothing else may cost
 * what a program notices; a told step pays for the clock anyway. */

/* A border of cells: what passed since the last one belongs to `cell`. Adds, so a cell
 * may be visited more than once in a step. */
static inline void mm_mesh_cell(struct mm_mesh *m, int probe, int64_t cell)
{
    struct mm_mesh_now *now = (struct mm_mesh_now *)(void *)m;

    if (MM_MESH_USUAL(!now || !now->live))
        return;
#if defined(__x86_64__) && defined(__GNUC__)
    uint64_t at = (uint64_t)cell - now->first;

    if (MM_MESH_USUAL(at < now->count && (unsigned)probe < 64)) {
        struct mm_mesh_lane *lane = &now->lane[probe];

        at = now->table ? now->table[at] : now->base + at;
        if (MM_MESH_USUAL(at > 0) && lane->serves == MM_MESH_TICKS) {
            uint64_t ticks = __builtin_ia32_rdtsc();

            lane->value[at] += (float)(int64_t)(ticks - lane->last);
            lane->last = ticks;
            return;
        }
        if (at > 0 && lane->serves == MM_MESH_HOLDS && lane->held + 1 < lane->most) {
            lane->hold[lane->held++] = (uint32_t)at;
            return;
        }
        if (lane->serves == MM_MESH_IDLE)
            return;
    }
#endif
    mm_mesh_cell_call(m, probe, cell);
}

/* The value of a probe "given" in a cell; replaces what it has in this step. */
static inline void mm_mesh_value(struct mm_mesh *m, int probe, int64_t cell, double value)
{
    struct mm_mesh_now *now = (struct mm_mesh_now *)(void *)m;
    uint64_t at;

    if (MM_MESH_USUAL(!now || !now->live))
        return;
    at = mm_mesh_place_of(now, cell);
    if (MM_MESH_USUAL((unsigned)probe < 64 && at > 0 &&
                      now->lane[probe].serves == MM_MESH_GIVEN && value <= 3e38 &&
                      value >= -3e38)) {
        now->lane[probe].value[at] = (float)value;
        now->lane[probe].calls++;
    } else {
        mm_mesh_value_call(m, probe, cell, value);
    }
}

/* As mm_mesh_value, but adds. */
static inline void mm_mesh_add(struct mm_mesh *m, int probe, int64_t cell, double value)
{
    struct mm_mesh_now *now = (struct mm_mesh_now *)(void *)m;
    uint64_t at;

    if (MM_MESH_USUAL(!now || !now->live))
        return;
    at = mm_mesh_place_of(now, cell);
    if (MM_MESH_USUAL((unsigned)probe < 64 && at > 0 &&
                      now->lane[probe].serves == MM_MESH_GIVEN && value <= 3e38 &&
                      value >= -3e38)) {
        now->lane[probe].value[at] += (float)value;
        now->lane[probe].calls++;
    } else {
        mm_mesh_add_call(m, probe, cell, value);
    }
}

/* The number of cell i, j, k of a level; j and k are 0 where the mesh has fewer
 * dimensions. -1 outside. */
static inline int64_t mm_mesh_index(const struct mm_mesh *m, int level, int64_t i,
                                    int64_t j, int64_t k)
{
    const struct mm_mesh_now *now = (const struct mm_mesh_now *)(const void *)m;
    const struct mm_mesh_level *l;

    if (!now)
        return 0;
    if ((unsigned)level >= (unsigned)now->levels)
        return -1;
    l = &now->level[level];
    if ((uint64_t)i >= (uint64_t)l->n[0] || (uint64_t)j >= (uint64_t)l->n[1] ||
        (uint64_t)k >= (uint64_t)l->n[2])
        return -1;
    return l->first + (i * l->n[1] + j) * l->n[2] + k;
}

#ifdef __cplusplus
}
#endif
#endif
