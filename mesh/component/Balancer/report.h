/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: what each step cost each rank, as a file of lines.
 *
 *     step,rank,work,cpu_ns,cells_moved,move_ns,decide_ns
 *     0,0,35344,3846711,1668,24308167,1134
 *     0,1,28656,3258419,0,24290113,1098
 *
 * CPU time is of work on patches, of moving the cells that came before the step (a rank
 * that waits for a message spins), and of the decision; messages of the step are not in
 * it. */
#ifndef MESH_COMPONENT_BALANCER_REPORT_H
#define MESH_COMPONENT_BALANCER_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "ports/cca_error.h"
#include "ports/exchange_port.h"

/* Of one step, on this rank. */
struct report_step {
    int64_t work, cpu_ns, cells_moved, move_ns, decide_ns;
};

struct report {
    FILE *file; /* on rank 0 */
    int on;     /* the same on all ranks */
    int64_t *shared;
};

/* Begin a file at `path` ("": none) on rank 0. 0; -EIO or another error of files,
 * -ENOMEM, with `err`. */
int report_begin(struct report *report, const char *path, int rank, int ranks,
                 struct cca_error *err);
/* Lines for `step` of what all ranks tell. 0, -ECANCELED, -EIO. Collective; nothing
 * where no report is on. */
int report_add(struct report *report, struct exchange_port *ranks, int64_t step,
               const struct report_step *mine, struct cca_error *err);
void report_end(struct report *report);

#endif
