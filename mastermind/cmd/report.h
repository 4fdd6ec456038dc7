/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: what the parts of the verb report share. */
#ifndef MASTERMIND_CMD_REPORT_H
#define MASTERMIND_CMD_REPORT_H

#include "mastermind/cmd/cmd.h"

struct report {
    const struct mm_experiment *experiment;
    const struct mm_dual *dual;
    const struct mm_vertex **lines;
    size_t count, silent; /* methods with calls, without */
    size_t limit;
    const struct mm_metric *metric;
    uint64_t missing; /* calls that have no value of it */
    struct mm_losses losses;
};

/* Of the calls in the table, those that are not as the others. */
struct oddities {
    uint64_t broken, clock_back, negative;
};

/* Is the metric wall time; is it a time? */
int mm_report_is_wall(const struct report *report);
int mm_report_is_time(const struct report *report);
/* Inclusive, of the calls that have a value. */
double mm_report_per_call(const struct mm_vertex *v);
struct oddities mm_report_oddities(const struct report *report);

void mm_report_print_text(const struct report *report);
/* Returns an exit code. */
int mm_report_print_json(const struct report *report);

#endif
