/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.h: the calls of several runs, cell by cell, each cell as the same thing in all
 * runs.
 *
 *     caller              method                mode    level    run-001        run-002
 *     rhs.rhs.evaluate    flux.flux.compute     axis x  1        272 x Q = 400  ...
 *
 * A cell is an edge of the dual, split by the modes of the method called and by the level
 * of a mesh: the in-value `level` of the call, else of its caller. Each run has in a cell
 * the different in-values of its calls, and how often each came. From these the sum of
 * any function over the calls follows exactly, also one that a class needs which never
 * ran there. */
#ifndef MASTERMIND_COUNTS_CELLS_H
#define MASTERMIND_COUNTS_CELLS_H

#include "mastermind/counts/profile/profile.h"

#define MM_NO_LEVEL (-1)
#define MM_CELL_LEVELS 64 /* values of `level` from this on are no levels */

/* A method of an instance; its class may differ from run to run. */
struct mm_cell_vertex {
    const struct mm_method_info *method; /* as the first run has it; NULL: <thread>, or
                                            <not recorded> */
    const char *name;
};

struct mm_cell_tuple {
    const union monitor_value *in; /* as cells->vertices[].method has in-values */
    double calls;
};

struct mm_cell_run {
    struct mm_cell_tuple *tuples;
    size_t count;
    double calls;   /* all, with those whose in-values are not known: */
    double unknown; /* of `calls` */
};

struct mm_cell {
    size_t vertex, caller;           /* indexes in the vertices */
    const union monitor_value *mode; /* in-values of one call of the cell; those that are
                                        modes count. NULL: only unknown in-values */
    int level;                       /* or MM_NO_LEVEL */
    struct mm_cell_run *runs;        /* [runs] */
};

struct mm_cells {
    struct mm_cell_vertex *vertices; /* [vertex_count]; the first two are <thread> and
                                        <not recorded> */
    size_t vertex_count;
    struct mm_cell *items;
    size_t count, runs;
    union monitor_value **mapped; /* [mapped_count] in-values in another order, owned */
    size_t mapped_count;
    int *most_level; /* [runs] finest level of any call, or MM_NO_LEVEL */
};

enum { MM_CELL_THREAD = 0, MM_CELL_LOST = 1 };

/* Gather the cells of `count` profiles, which must outlive them. With `flat` all levels
 * are in one cell, also where the level is a mode: the in-values of such calls are then
 * taken as not known. 0 or -ENOMEM; call mm_cells_done in any case. */
int mm_cells_init(struct mm_cells *cells, const struct mm_profile *const *profiles,
                  size_t count, int flat);
void mm_cells_done(struct mm_cells *cells);

/* Sum of a function over the calls of a cell in a run whose in-values are known.
 *
 *   function  in  its value for a tuple x[MONITOR_MAX_IN] of numbers, parameters at the
 *                 indexes of the in-values
 */
double mm_cells_sum(const struct mm_cells *cells, size_t cell, size_t run,
                    double (*function)(const void *context, const double *x),
                    const void *context);
/* The in-values of a tuple as numbers, x[MONITOR_MAX_IN]. */
void mm_cells_numbers(const struct mm_method_info *method, const union monitor_value *in,
                      double *x);

#endif
