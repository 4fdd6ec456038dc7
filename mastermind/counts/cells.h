/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.h: the calls of several runs by cell; a cell means the same in all runs.
 *
 *     caller              method                mode    level    run-001        run-002
 *     rhs.rhs.evaluate    flux.flux.compute     axis x  1        272 x Q = 400  ...
 *
 * A cell is an edge of the dual, split by the modes of the called method and by the mesh
 * level: the in-value `level` of the call, else of its caller. Per run a cell has the
 * distinct in-values of its calls and the number of calls with each. They give the exact
 * sum of any function over the calls, even for a class that never ran there. */
#ifndef MASTERMIND_COUNTS_CELLS_H
#define MASTERMIND_COUNTS_CELLS_H

#include "mastermind/counts/profile/profile.h"

#define MM_NO_LEVEL (-1)
#define MM_CELL_LEVELS 64 /* first value of `level` that is no mesh level */

/* A method of an instance; its class may differ from run to run. */
struct mm_cell_vertex {
    const struct mm_method_info *method; /* description of the method in the first run;
                                            NULL: <thread> or <not recorded> */
    const char *name;
};

struct mm_cell_tuple {
    const union monitor_value *in; /* in-values of calls, in the order of the in-values
                                      of cells->vertices[].method */
    double calls;
};

struct mm_cell_run {
    struct mm_cell_tuple *tuples;
    size_t count;
    double calls;   /* number of all calls of the cell in the run */
    double unknown; /* number of calls with unknown in-values, part of `calls` */
};

struct mm_cell {
    size_t vertex, caller;           /* indexes of the method and its caller in the
                                        vertices */
    const union monitor_value *mode; /* in-values of one call of the cell; its modes hold
                                        for all calls. NULL: all in-values are unknown */
    int level;                       /* mesh level of the calls, or MM_NO_LEVEL */
    struct mm_cell_run *runs;        /* [runs] calls of the cell in each run */
};

struct mm_cells {
    struct mm_cell_vertex *vertices; /* [vertex_count] methods; the first two vertices are
                                        <thread> and <not recorded> */
    size_t vertex_count;
    struct mm_cell *items;
    size_t count, runs;
    union monitor_value **mapped; /* [mapped_count] reordered in-values, owned */
    size_t mapped_count;
    int *most_level; /* [runs] finest mesh level of any call, or MM_NO_LEVEL */
};

enum { MM_CELL_THREAD = 0, MM_CELL_LOST = 1 };

/* Gather the cells of `count` profiles, which must outlive them. `flat` puts all levels
 * into one cell; where the level is a mode, the in-values of such calls then count as
 * unknown. Returns 0 or -ENOMEM; call mm_cells_done in any case. */
int mm_cells_init(struct mm_cells *cells, const struct mm_profile *const *profiles,
                  size_t count, int flat);
void mm_cells_done(struct mm_cells *cells);

/* Sum a function over the calls of a cell with known in-values, in one run.
 *
 *    function  in returns the value for one call; x[MONITOR_MAX_IN] are its in-values as
 * numbers, in their order */
double mm_cells_sum(const struct mm_cells *cells, size_t cell, size_t run,
                    double (*function)(const void *context, const double *x),
                    const void *context);
/* Convert in-values to numbers x[MONITOR_MAX_IN]. */
void mm_cells_numbers(const struct mm_method_info *method, const union monitor_value *in,
                      double *x);

#endif
