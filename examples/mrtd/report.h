/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: what a run cost. CPU time is that of the ranks' threads outside of MPI: on a
 * machine with fewer cores than ranks wall time says little, and ranks that wait spin.
 * A step lasts as long as its slowest rank: sums over steps of the largest of all ranks.
 * One thread at a time. */
#ifndef EXAMPLES_MRTD_REPORT_H
#define EXAMPLES_MRTD_REPORT_H

#include <stdint.h>

#include "examples/mrtd/options.h"

struct mrtd_report;

/* New, for o->steps steps. NULL: out of memory. */
struct mrtd_report *mrtd_report_new(const struct mrtd_options *o);
void mrtd_report_free(struct mrtd_report *report);

/* This rank's step: CPU time of computing, of deciding and moving cells, its work and
 * cells. */
void mrtd_report_step(struct mrtd_report *report, int32_t step, int64_t cpu_ns,
                      int64_t move_ns, int64_t work, int32_t cells);

/* Cells were moved before `step`; `moved` by all ranks together. */
void mrtd_report_move(struct mrtd_report *report, int32_t step, int64_t moved);

/* Mean E of the cell that is watched after `step`, where this rank has it. */
void mrtd_report_watch(struct mrtd_report *report, int32_t step, const double mean[3]);

/* This rank's part of the energy: at the first step, at the last. */
void mrtd_report_energy(struct mrtd_report *report, int last, double energy);

/* Add a cell's coefficients (48: E, H) to the checksum of the fields. The sum over cells
 * does not depend on their order or owners. */
void mrtd_report_hash(struct mrtd_report *report, int32_t cell, const double *e,
                      const double *h);

/* Put all ranks together; rank 0 prints, and writes o->moves. Collective. 0 or, on all
 * ranks, 3 with one line on standard error: o->moves could not be written. */
int mrtd_report_print(struct mrtd_report *report);

#endif
