/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.h: processes that the recorded one starts, and other notes for `mastermind
 * record`, which reads them after the run. */
#ifndef MASTERMIND_PRELOAD_PROCESSES_H
#define MASTERMIND_PRELOAD_PROCESSES_H

#include <sys/types.h>

/* Map the notes of the run; once in a program.
 *
 *   chosen    in  this is the process to record
 *   recorded  in  others are recorded, too */
void mm_processes_begin(int chosen, int recorded);
/* Note the experiment of this process. */
void mm_processes_experiment(pid_t process, const char *shown);
/* Note why there is no experiment. 0, or -1: nobody would read them. */
int mm_processes_failed(const char *why);
/* Report the others, if `process` is the chosen one. */
void mm_processes_report(pid_t process, void (*print)(void *context, const char *line),
                         void *context);

#endif
