/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: times of a run. CPU time is that of the ranks' threads outside of MPI,
 * because wall time means little on a machine with fewer cores than ranks, and waiting
 * ranks spin. A step takes as long as its slowest rank, so totals are sums over steps of
 * the maximum over ranks. One thread at a time. */
#ifndef EXAMPLES_MRTD_REPORT_H
#define EXAMPLES_MRTD_REPORT_H

#include <stdint.h>

#include "examples/mrtd/options.h"

struct mrtd_report;

/* Make a report for o->steps steps. Returns NULL: out of memory. */
struct mrtd_report *mrtd_report_new(const struct mrtd_options *o);
void mrtd_report_free(struct mrtd_report *report);

/* Report a step of this rank: its CPU time for computing, and for deciding and moving
 * cells; its work and number of cells. */
void mrtd_report_step(struct mrtd_report *report, int32_t step, int64_t cpu_ns,
                      int64_t move_ns, int64_t work, int32_t cells);

/* Report a redistribution before `step`; `moved` cells of all ranks together. */
void mrtd_report_move(struct mrtd_report *report, int32_t step, int64_t moved);

/* Report the mean E of the watched cell after `step`, if this rank has it. */
void mrtd_report_watch(struct mrtd_report *report, int32_t step, const double mean[3]);

/* Report this rank's part of the energy, at the first or the last step. */
void mrtd_report_energy(struct mrtd_report *report, int last, double energy);

/* Add a cell's coefficients (48: E, H) to the checksum of the fields. The sum over cells
 * does not depend on their order or owners. */
void mrtd_report_hash(struct mrtd_report *report, int32_t cell, const double *e,
                      const double *h);

/* Reduce over all ranks; rank 0 prints, and writes o->moves. Collective. 0 or, on all
 * ranks, 3 with one line on standard error: o->moves could not be written. */
int mrtd_report_print(struct mrtd_report *report);

#endif
