/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the CPU time that measuring cost a process. */
#ifndef MASTERMIND_WRITER_COST_H
#define MASTERMIND_WRITER_COST_H

#include "mastermind/recorder/recorder.h"
#include "tau_port/pmpi/mpi_time.h"

#include <jansson.h>

/* CPU time for measuring, in separate parts, ns; docs/internals/experiment.md, "cost". */
struct mm_cost {
    int64_t calls_ns;   /* CPU time for recording calls: their number times the cost of
                           one call on this host */
    int64_t files_ns;   /* CPU time of recorded threads for files */
    int64_t helper_ns;  /* CPU time of the helper thread */
    int64_t setup_ns;   /* CPU time before the first call and after the last */
    int64_t mpi_ns;     /* CPU time of the MPI wrappers: number of calls times the cost
                           of one */
    int64_t openmp_ns;  /* CPU time for OpenMP events: their number times the cost of
                           one */
    int64_t process_ns; /* all CPU time of the process so far, including these parts */
};

/* CPU time of the calling thread. */
int64_t mm_cost_thread_ns(void);
/* The cost of measuring so far, with calls through `entry`; `mpi` may be NULL. */
struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi);
/* The sum of the parts of the measuring cost, without process_ns. */
int64_t mm_cost_sum(const struct mm_cost *cost);
/* The measuring cost as a JSON object, new; NULL: out of memory. */
json_t *mm_cost_json(const struct mm_cost *cost);

#endif
