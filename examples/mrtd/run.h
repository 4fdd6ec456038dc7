/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: state of one run of mrtd: fields, parts, the plan of redistributions, the
 * report. */
#ifndef EXAMPLES_MRTD_RUN_H
#define EXAMPLES_MRTD_RUN_H

#include "examples/mrtd/field.h"
#include "examples/mrtd/plan.h"
#include "examples/mrtd/profile.h"
#include "examples/mrtd/report.h"

struct mrtd_run {
    struct mrtd_options options;
    struct mrtd_parts *parts;
    struct mrtd_field *field;
    struct mrtd_plan *plan;
    struct mrtd_report *report;
    struct mrtd_profile *profile; /* profile of the run; NULL: it is not profiled */
    double *words; /* buffers for exchanges: doubles to send, then doubles received */
    int64_t word_capacity;
};

/* Send E or H to neighbouring ranks. Returns 0 or -ENOMEM. Collective. */
int mrtd_run_swap(struct mrtd_run *run, int which);

/* Move cells to their new owners if the plan has a redistribution before `step`. Returns
 * 0 or -ENOMEM. Collective. */
int mrtd_run_repartition(struct mrtd_run *run, int32_t step);

/* Write all coefficients to options.dump: cell by cell, 24 doubles of E and 24 doubles of
 * H. Returns 0, or 3 with one line on standard error. Collective. */
int mrtd_run_dump(const struct mrtd_run *run);

#endif
