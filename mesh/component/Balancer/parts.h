/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the class share. */
#ifndef MESH_COMPONENT_BALANCER_PARTS_H
#define MESH_COMPONENT_BALANCER_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "ports/balance_port.h"
#include "ports/cca_error.h"
#include "ports/exchange_port.h"
#include "ports/probe_port.h"

/* --- patches.c ----------------------------------------------------------- */

/* Assign each patch to the rank that owns most of the cells under it, the lowest of
 * equals.
 *
 *   owners   in       [ny][nx], 0 to ranks - 1
 *   patches  in       [count]
 *   chosen   in, out  [count]
 *
 * Returns 1 if any of `chosen` changed, 0 if not, or -ENOMEM: nothing was changed. */
int patches_follow(const struct balance_mesh *mesh, const int32_t *owners,
                   const struct balance_patch *patches, int count, int *chosen);

/* Spread the weight of each patch evenly over the cells under it.
 *
 *   weights  in   [count]
 *   cells    out  [ny][nx] */
void patches_spread(const struct balance_mesh *mesh, const struct balance_patch *patches,
                    int count, const int64_t *weights, float *cells);

/* Return the number of cells of a patch, times the number of time steps that its level
 * makes in one step of level 0. */
int64_t patch_updates(const struct balance_mesh *mesh, const struct balance_patch *patch);

/* --- report.c ------------------------------------------------------------ */

/* The report, a file with the times of each step on each rank, in one line.
 *
 *     step,rank,work,cpu_ns,cells_moved,move_ns,decide_ns
 *     0,0,35344,3846711,1668,24308167,1134
 *     0,1,28656,3258419,0,24290113,1098
 *
 * The CPU times are spent in work on patches, in moving cells before the step (a rank
 * that waits for a message spins), and in the decision; the step's own messages are not
 * included. */

/* Times and moved cells of one step on this rank. */
struct report_step {
    int64_t work, cpu_ns, cells_moved, move_ns, decide_ns;
};

struct report {
    FILE *file; /* file of the report; on rank 0 only */
    int on;     /* true if a report is written; equal on all ranks */
    int64_t *shared;
};

/* Open the report at `path` ("": no report) on rank 0. Returns 0; -EIO or another error
 * of files, -ENOMEM, with `err`. */
int report_begin(struct report *report, const char *path, int rank, int ranks,
                 struct cca_error *err);
/* Gather the times of the step from all ranks and write its lines. Returns 0, -ECANCELED
 * or -EIO. Collective; does nothing without a report. */
int report_add(struct report *report, struct exchange_port *ranks, int64_t step,
               const struct report_step *mine, struct cca_error *err);
void report_end(struct report *report);

/* --- weights.c ----------------------------------------------------------- */

enum weights_kind {
    WEIGHTS_CELLS, /* weight: cells, times the number of time steps of their level in one
                      step of level 0 */
    WEIGHTS_WORK,  /* weight: iterations of the flux component, summed over faces; 2 per
                      cell if it counts none */
    WEIGHTS_TIME   /* weight: CPU time of the thread, ns */
};

/* Cost of a patch, which is identified by level and number. */
struct weight {
    int level, number;
    int64_t work, cpu_ns;
};

struct weights {
    struct weight *all;
    size_t count, room;
    int depth, told; /* number of `begin` calls without `end`; true if the innermost patch
                        has reported its faces */
    struct mesh_patch patch; /* the innermost patch that has begun */
    int64_t begun_ns;
    int32_t *faces; /* buffer for the iterations of faces that a flux component reports */
    int64_t faces_room;
};

void weights_begin(struct weights *w, const struct mesh_patch *patch);
void weights_end(struct weights *w);
void weights_faces(struct weights *w, int axis, int nx, int ny, const int32_t *work);
/* Implements `room` of the probe port. */
int32_t *weights_room(struct weights *w, int64_t count);

/* Compute the weight of each patch, [count], from this rank's reports; 0 for patches that
 * this rank has not reported. */
void weights_take(const struct weights *w, enum weights_kind kind,
                  const struct balance_mesh *mesh, const struct balance_patch *patches,
                  int count, int rank, int64_t *weights);
/* Sum the weights of all patches of this rank: *work gets the iterations, */
void weights_sum(const struct weights *w, int64_t *work, int64_t *cpu_ns);
/* Forget all patches before the next step, in which their numbers may differ. */
void weights_forget(struct weights *w);
void weights_done(struct weights *w);

#endif
