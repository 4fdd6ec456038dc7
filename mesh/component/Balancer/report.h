/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: a file with the times of each step on each rank, a line each.
 *
 *     step,rank,work,cpu_ns,cells_moved,move_ns,decide_ns
 *     0,0,35344,3846711,1668,24308167,1134
 *     0,1,28656,3258419,0,24290113,1098
 *
 * The CPU times are those of work on patches, of moving cells before the step (a rank
 * that waits for a message spins), and of the decision; the step's own messages are not
 * included. */
#ifndef MESH_COMPONENT_BALANCER_REPORT_H
#define MESH_COMPONENT_BALANCER_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "ports/cca_error.h"
#include "ports/exchange_port.h"

/* Times and moved cells of one step on this rank. */
struct report_step {
    int64_t work, cpu_ns, cells_moved, move_ns, decide_ns;
};

struct report {
    FILE *file; /* file of the report; on rank 0 only */
    int on;     /* 1: a report is written; equal on all ranks */
    int64_t *shared;
};

/* Open a file at `path` ("": none) on rank 0. 0; -EIO or another error of files, -ENOMEM,
 * with `err`. */
int report_begin(struct report *report, const char *path, int rank, int ranks,
                 struct cca_error *err);
/* Gather the step of all ranks and write its lines. 0, -ECANCELED, -EIO. Collective; does
 * nothing without a file. */
int report_add(struct report *report, struct exchange_port *ranks, int64_t step,
               const struct report_step *mine, struct cca_error *err);
void report_end(struct report *report);

#endif
