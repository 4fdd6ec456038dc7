/* SPDX-License-Identifier: BSD-3-Clause */
/* about.h: experiment.json, what ran, where, and how it was measured. */
#ifndef MASTERMIND_WRITER_ABOUT_H
#define MASTERMIND_WRITER_ABOUT_H

#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/cost.h"
#include "ports/measurement_port.h"
#include "tau_port/pmpi/mpi_time.h"

#include <jansson.h>

/* The start of an experiment: the document with all that is known then, new; NULL: out of
 * memory.
 *
 *   script       in  as the main program was given it, or NULL
 *   command      in  the command line as one string, used where the system does not tell
 * it measurement  in  or NULL; counters that it has, and whether it measures time inside
 * MPI cpu_time     in  rows have thread CPU time */
json_t *mm_about_new(const char *script, const char *command,
                     struct measurement_port *measurement,
                     const struct mm_storage *storage, int cpu_time);

/* The metrics of a Measurement port that become counters of each row: from this one on,
 * so many. TIME and CPU_TIME have places of their own. */
int mm_about_first_counter(struct measurement_port *measurement);
int mm_about_counter_count(struct measurement_port *measurement);
/* Bring what is missing of them to what is known now. 0 or -ENOMEM. */
int mm_about_counters(json_t *about, struct measurement_port *measurement);

/* What components have timed and counted themselves through the port so far: "timers" and
 * "events", where there are any. 0 or -ENOMEM. */
int mm_about_measurement(json_t *about, struct measurement_port *measurement);

/* Time inside MPI is measured, without a Measurement port: what its functions have taken
 * so far, as "timers". 0 or -ENOMEM. */
int mm_about_mpi(json_t *about, const struct meas_mpi *mpi);

/* Bring clock and overhead to what the recorder knows now, and the measured set. 0 or
 * -ENOMEM. */
int mm_about_update(json_t *about, const struct mm_recorder *recorder, json_t *measured);

/* The run ended in order. 0 or -ENOMEM: then it does not say so. */
int mm_about_finish(json_t *about, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost, int64_t wall_ns);

/* What is said where the run ends before its time, a line, new; NULL: out of memory. */
char *mm_about_last_words(const char *shown);

/* A line for people, two where it would be longer than 100 columns, new; NULL: out of
 * memory: "experiment shock-1.mm: 9 methods, 48,112 rows, 0 dropped; measuring cost 0.05
 * % of 18.2 s CPU". */
char *mm_about_line(const char *shown, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost);

#endif
