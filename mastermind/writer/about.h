/* SPDX-License-Identifier: BSD-3-Clause */
/* about.h: experiment.json: the program, the machine, and the measurement. */
#ifndef MASTERMIND_WRITER_ABOUT_H
#define MASTERMIND_WRITER_ABOUT_H

#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/parts.h"
#include "ports/measurement_port.h"
#include "tau_port/pmpi/mpi_time.h"

#include <jansson.h>

/* The document at the start of an experiment, new; NULL: out of memory.
 *
 *   script       in  path given to the main program, or NULL
 *   command      in  the command line as one string, used if the system reports none
 *   measurement  in  or NULL; has the counters, and may measure time inside MPI */
json_t *mm_about_new(const char *script, const char *command,
                     struct measurement_port *measurement,
                     const struct mm_storage *storage);

/* The metrics of a Measurement port that become counters of each row: index of the first,
 * and number. TIME and CPU_TIME have fields of their own. */
int mm_about_first_counter(struct measurement_port *measurement);
int mm_about_counter_count(struct measurement_port *measurement);
/* Update the list of missing counters in `about`. 0 or -ENOMEM. */
int mm_about_counters(json_t *about, struct measurement_port *measurement);

/* Add the timers and counters used by components through the port so far, as "timers" and
 * "events". 0 or -ENOMEM. */
int mm_about_measurement(json_t *about, struct measurement_port *measurement);

/* Add the times of MPI functions so far as "timers", for a process without a
 * Measurement port. 0 or -ENOMEM. */
int mm_about_mpi(json_t *about, const struct meas_mpi *mpi);

/* Update clock, overhead and the set of measured methods from the recorder. 0 or
 * -ENOMEM. */
int mm_about_update(json_t *about, const struct mm_recorder *recorder, json_t *measured);

/* Mark the run as ended normally. 0; -ENOMEM: it stays unmarked. */
int mm_about_finish(json_t *about, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost, int64_t wall_ns);

/* Add the times of the whole process (docs/internals/experiment.md, `process`): from the
 * moment when recording was possible to now, and before that. 0 or -ENOMEM. */
int mm_about_process(json_t *about, int64_t elapsed_ns, int64_t cpu_ns, int64_t load_ns);

/* The message for a run that ends early, new; NULL: out of memory. */
char *mm_about_last_words(const char *shown);

/* The message at the end of a run, in two lines if it is longer than 100 columns, new;
 * NULL: out of memory: "experiment shock-1.mm: 9 methods, 48,112 rows, 0 dropped;
 * measuring cost 0.05 % of 18.2 s CPU". */
char *mm_about_line(const char *shown, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost);

#endif
