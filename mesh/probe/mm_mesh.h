/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_mesh.h: record the cost of every cell of a mesh from inside the program that
 * computes it.
 *
 *     #include <mm_mesh.h>
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
 * Compile with: cc prog.c $(pkg-config --cflags --libs mm_mesh)
 *
 * A mesh that is not profiled is NULL: every function accepts NULL, does nothing and
 * returns 0, so a program needs no second version. Such a call costs one test.
 *
 * A cell has the same number on all ranks: level 0 is numbered in C order (the last
 * dimension fastest), then level 1, and so on; mm_mesh_index computes it. Each rank
 * records the cells of its own boxes. A value belongs to the current step. A cell without
 * a value has 0 in that step; a probe without any value is absent from it.
 *
 * Functions that return int return 0 or a number, or a negative errno. The first error of
 * each kind is printed as one line on standard error, and mm_mesh_error returns the very
 * first; the program goes on. No function waits: values that cannot be kept are dropped
 * and counted.
 *
 * Threads: one at a time for each mesh. A forked child writes nothing. No MPI: no call is
 * collective. docs/guide/mesh.md is the manual. */
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

/* Open a mesh of `dims` dimensions, 1 to 3, with n[d] cells of level 0 in dimension d.
 * `name` (letters, digits and _ . + -) becomes the name of the profile; all ranks of a
 * program use the same name. Returns a new object; NULL if no profile was requested
 * (`err` untouched), or with `err`: -EINVAL: name, dims or n are out of their bounds, or
 * --cells is wrong; -ENOMEM; -EEXIST: a mesh of this name is open; -ECHILD: in a forked
 * child. */
MM_MESH_EXPORT struct mm_mesh *mm_mesh_open(const char *name, int dims, const int64_t *n,
                                            struct cca_error *err);

/* Like mm_mesh_open, for `count` elements that form no grid, with coordinates of `dims`
 * dimensions: cell number e is element e, 0 <= e < count over all ranks. */
MM_MESH_EXPORT struct mm_mesh *
mm_mesh_open_elements(const char *name, int dims, int64_t count, struct cca_error *err);

/* Declare levels, 1 to 32; level l + 1 is finer by `ratio` in each dimension. Returns 0;
 * -EINVAL; -EBUSY after the first step. */
MM_MESH_EXPORT int mm_mesh_levels(struct mm_mesh *m, int levels, int ratio);

/* Set the position of the mesh for pictures: `origin` and `spacing` of the cells of level
 * 0, > 0, each [dims] doubles in any unit. Defaults are 0 and 1. Returns 0, -EINVAL,
 * -EBUSY. */
MM_MESH_EXPORT int mm_mesh_place(struct mm_mesh *m, const double *origin,
                                 const double *spacing);

/* Set this process's rank and the number of ranks, if no launcher's variable contains
 * them. Returns 0, -EINVAL, -EBUSY. */
MM_MESH_EXPORT int mm_mesh_rank(struct mm_mesh *m, int rank, int ranks);

/* Declare a probe. Values of `kind`:
 *   "time"          ns of the clock between two boundaries of cells
 *   "cycles"        ticks of the time stamp counter, whose speed is constant
 *   "cpu"           ns of CPU time of the thread; a reading costs .2 us or more
 *   "instructions"  of the thread, by the kernel's counter; .2 us or more
 *   "given"         the program's own numbers: mm_mesh_value, mm_mesh_add
 * Returns its number; -EINVAL: kind or name, -EEXIST: the name is taken, -ENOSPC: more
 * than 64 probes, -EBUSY: after the first step; or the kernel's error for a counter that
 * this machine refuses. */
MM_MESH_EXPORT int mm_mesh_probe(struct mm_mesh *m, const char *name, const char *kind);

/* Declare a probe that reads `counter(argument)` at each boundary: the increase since the
 * last boundary is the cost of the cell. `unit`, at most 15 characters, may be "". Called
 * by the thread that calls mm_mesh_cell; it must not call this library. Returns like
 * mm_mesh_probe. */
MM_MESH_EXPORT int mm_mesh_custom(struct mm_mesh *m, const char *name, const char *unit,
                                  double (*counter)(void *argument), void *argument);

/* --- This rank's cells; call again when they move
 * -------------------------------------- */

/* Set this rank's cells of a level to lo <= c < hi, [dims] each. Allowed at any time;
 * within a step, values of cells that stay are kept. Returns 0; -EINVAL: the box is
 * outside of the mesh or empty; -ENOMEM. */
MM_MESH_EXPORT int mm_mesh_box(struct mm_mesh *m, int level, const int64_t *lo,
                               const int64_t *hi);

/* Set this rank's cells of a level to `count` boxes, 0: none; lo and hi are
 * [count][dims]. Returns like mm_mesh_box; -EINVAL, too, if two boxes overlap. */
MM_MESH_EXPORT int mm_mesh_boxes(struct mm_mesh *m, int level, int64_t count,
                                 const int64_t *lo, const int64_t *hi);

/* Set this rank's `count` elements: [count] numbers in any order; `centres`,
 * [count][dims] doubles, may be NULL if they were given before. Returns 0; -EINVAL: a
 * number is out of bounds or occurs twice, or a centre is not finite; -ENOMEM, or an I/O
 * error. */
MM_MESH_EXPORT int mm_mesh_elements(struct mm_mesh *m, int64_t count,
                                    const int64_t *elements, const double *centres);

/* --- Steps --------------------------------------------------------------------------
 */

/* End the previous step and begin `step`, which is larger and >= 0; all ranks use the
 * same numbers. `time_s`: the program's own time, or NAN. The clocks of all probes begin
 * here. Returns 0; -EINVAL; -ENOSPC and others: no shared memory, the mesh is no longer
 * profiled. */
MM_MESH_EXPORT int mm_mesh_step(struct mm_mesh *m, int64_t step, double time_s);

/* Begin a cell of the probe: the time since the last boundary is dropped. */
MM_MESH_EXPORT void mm_mesh_start(struct mm_mesh *m, int probe);

/* Add the cost since the last boundary evenly to the cells lo <= c < hi of a level, all
 * of this rank. Returns 0; -EINVAL. */
MM_MESH_EXPORT int mm_mesh_block(struct mm_mesh *m, int probe, int level,
                                 const int64_t *lo, const int64_t *hi);

/* Add `value` of a probe "given" to these cells, evenly. Returns 0; -EINVAL. */
MM_MESH_EXPORT int mm_mesh_block_value(struct mm_mesh *m, int probe, int level,
                                       const int64_t *lo, const int64_t *hi,
                                       double value);

/* End the last step and the profile; free `m`. Returns 0, or the code of the first
 * error. */
MM_MESH_EXPORT int mm_mesh_close(struct mm_mesh *m);

/* Return the message of this mesh's first error, borrowed until the mesh is closed; NULL:
 * no error. */
MM_MESH_EXPORT const char *mm_mesh_error(const struct mm_mesh *m);

/* Functions that the inline functions below call if they cannot do the work themselves;
 * also called from Fortran. */
MM_MESH_EXPORT void mm_mesh_cell_call(struct mm_mesh *m, int probe, int64_t cell);
MM_MESH_EXPORT void mm_mesh_value_call(struct mm_mesh *m, int probe, int64_t cell,
                                       double value);
MM_MESH_EXPORT void mm_mesh_add_call(struct mm_mesh *m, int probe, int64_t cell,
                                     double value);

/* --- In the loop over cells -----------------------------------------------------------
 */

/* A level: number of its first cell, and cells in each dimension. */
struct mm_mesh_level {
    int64_t first, n[3];
};

/* How recording calls of a probe are served in the current step. */
enum mm_mesh_serves {
    MM_MESH_IDLE = 0, /* the calls do nothing: the probe or the step is not recorded */
    MM_MESH_CALLS,    /* the calls go to functions of the library */
    MM_MESH_TICKS,    /* the calls read the time stamp counter inline */
    MM_MESH_HOLDS,    /* time runs of cells */
    MM_MESH_GIVEN
};

/* State of a probe that the inline functions use. */
struct mm_mesh_lane {
    float *value;  /* values of this step, of which the first has index 1 */
    uint64_t last; /* value of the clock at the last boundary */
    uint32_t serves;
    uint32_t calls;      /* number of calls in this step; not counted for MM_MESH_TICKS */
    uint32_t held, most; /* held: number of cells in the current run so far; most: length
                            of a full run */
    uint32_t *hold;      /* offsets of the values of the cells in the current run */
    uint64_t spare[3];   /* fills a cache line */
};

/* The beginning of a struct mm_mesh, for the functions below only; programs must not use
 * it. */
struct mm_mesh_now {
    int live;              /* true if this step is recorded */
    int levels;            /* length of the array `level` */
    uint64_t first, count; /* range of cell numbers that contains all or some of this
                            * rank's cells; empty if the step is not recorded */
    const uint32_t *table; /* [cell - first]: offset of the cell's value, + 1; 0: the cell
                              is not this rank's */
    uint64_t base;         /* without a table: offset of the value of `first`, + 1 */
    const struct mm_mesh_level *level;
    struct mm_mesh_lane lane[64];
};

/* Return the offset of a cell's value, + 1; 0: take the slow path. */
static inline uint64_t mm_mesh_place_of(const struct mm_mesh_now *now, int64_t cell)
{
    uint64_t at = (uint64_t)cell - now->first;

    if (!MM_MESH_USUAL(at < now->count))
        return 0;
    return now->table ? now->table[at] : now->base + at;
}

/* The functions below are optimised for steps that are not recorded, in which their cost
 * must be negligible; in a recorded step reading the clock costs more anyway. */

/* Mark a boundary: the cost since the last boundary is added to `cell`. A cell may be
 * visited more than once in a step. */
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

/* Set the value of a probe "given" in a cell for this step. */
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

/* Add to the value of a probe "given" in a cell. */
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

/* Return the number of cell i, j, k of a level; j and k are 0 if the mesh has fewer
 * dimensions. -1: outside. */
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
