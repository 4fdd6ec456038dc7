/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MASTERMIND_WRITER_PARTS_H
#define MASTERMIND_WRITER_PARTS_H

#include <jansson.h>

#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/given.h"
#include "ports/monitor_port.h"
#include "tau_port/pmpi/mpi_time.h"

/* --- cost.c -------------------------------------------------------------- */

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

/* --- given_about.c ------------------------------------------------------- */

/* Numbers of rows, threads and methods of one rank, and its time. */
struct mm_given_totals {
    uint64_t rows, threads, methods;
    double wall_ns; /* time of the end of the rank's last row */
};

/* The document experiment.json or rank.json for a rank, new; NULL: out of memory. */
json_t *mm_given_about_json(const struct mm_given_about *about, int rank,
                            const struct mm_given_totals *totals);

/* --- given_instances.c --------------------------------------------------- */

/* Instances of a given experiment; empty if zero-initialised. */
struct mm_given_instances {
    json_t *by_name; /* object of instance name to object of wiring.json, whose "ports" is
                        an object of port name to type */
};

/* Add the instance and port of a method. 0 or -ENOMEM. */
int mm_given_instances_add(struct mm_given_instances *instances,
                           const struct monitor_method_decl *decl);
/* The object of wiring.json, new; NULL: out of memory. Empties the instances. */
json_t *mm_given_instances_wiring(struct mm_given_instances *instances);
void mm_given_instances_done(struct mm_given_instances *instances);

#endif
