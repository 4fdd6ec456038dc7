/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the CPU time that a process paid for being measured. */
#ifndef MASTERMIND_WRITER_COST_H
#define MASTERMIND_WRITER_COST_H

#include "mastermind/recorder/recorder.h"
#include "tau_port/pmpi/mpi_time.h"

#include <jansson.h>

/* CPU time in ns, each part of its own; docs/internals/experiment.md, "cost". */
struct mm_cost {
    int64_t calls_ns;   /* recorded calls, each at the cost of one call on this host */
    int64_t files_ns;   /* file work of recorded threads */
    int64_t helper_ns;  /* the helper thread */
    int64_t setup_ns;   /* before the first call and after the last */
    int64_t mpi_ns;     /* wrappers of MPI: calls, each at the cost of one */
    int64_t openmp_ns;  /* what measures OpenMP: events, each at the cost of one */
    int64_t process_ns; /* all CPU time of the process so far, these parts included */
};

/* CPU time of the calling thread. */
int64_t mm_cost_thread_ns(void);
/* The cost up to now, with calls through `entry`; `mpi` may be NULL. */
struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi);
/* The sum of the parts without process_ns. */
int64_t mm_cost_sum(const struct mm_cost *cost);
/* New; NULL: out of memory. */
json_t *mm_cost_json(const struct mm_cost *cost);

#endif
