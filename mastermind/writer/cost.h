/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the CPU time that measuring cost a process. */
#ifndef MASTERMIND_WRITER_COST_H
#define MASTERMIND_WRITER_COST_H

#include "mastermind/recorder/recorder.h"
#include "tau_port/pmpi/mpi_time.h"

#include <jansson.h>

/* CPU time in ns, in separate parts; docs/internals/experiment.md, "cost". */
struct mm_cost {
    int64_t calls_ns;   /* recorded calls: their number times the cost of one call on
                           this host */
    int64_t files_ns;   /* file work of recorded threads */
    int64_t helper_ns;  /* the helper thread */
    int64_t setup_ns;   /* before the first call and after the last */
    int64_t mpi_ns;     /* MPI wrappers: number of calls times the cost of one */
    int64_t openmp_ns;  /* OpenMP events: their number times the cost of one */
    int64_t process_ns; /* all CPU time of the process so far, including these parts */
};

/* CPU time of the calling thread. */
int64_t mm_cost_thread_ns(void);
/* The cost so far, with calls through `entry`; `mpi` may be NULL. */
struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi);
/* The sum of the parts without process_ns. */
int64_t mm_cost_sum(const struct mm_cost *cost);
/* The cost as a JSON object, new; NULL: out of memory. */
json_t *mm_cost_json(const struct mm_cost *cost);

#endif
