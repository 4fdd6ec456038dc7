/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.h: processes that the recorded one starts, and other notes for `mastermind
 * record`, which reads them after the run. */
#ifndef MASTERMIND_PRELOAD_PROCESS_PROCESSES_H
#define MASTERMIND_PRELOAD_PROCESS_PROCESSES_H

#include <sys/types.h>

#include "mastermind/format/run_notes.h"

/* Map the memory for the run's notes. Called once in a program.
 *
 *   chosen    in  true in the process to record
 *   recorded  in  true if other processes of the run are recorded, too */
void mm_processes_begin(int chosen, int recorded);
/* Note the path `shown` of the experiment that `process`, the calling process, writes. */
void mm_processes_experiment(pid_t process, const char *shown);
/* Note why there is no experiment. Returns 0; -1: `record` does not read notes. */
int mm_processes_failed(const char *why);
/* Note where the process to record, the calling one, keeps the return addresses of
 * recorded calls. */
void mm_processes_stubs(const struct mm_run_stubs *stubs);
/* Report the processes that were started but not recorded, if `process` is the process to
 * record. */
void mm_processes_report(pid_t process, void (*print)(void *context, const char *line),
                         void *context);

#endif
