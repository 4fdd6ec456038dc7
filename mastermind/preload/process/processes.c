/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.c: note processes that the recorded one starts. */
#include "mastermind/preload/process/processes.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mastermind/format/run_notes.h"

static struct mm_run_notes *notes; /* NULL: none */

/* CPU time of children that had ended before the program began: `record` had them, if it
 * has become the program. */
static int64_t before_ns;

static int64_t children_ns(void)
{
    struct rusage children = {.ru_maxrss = 0};

    getrusage(RUSAGE_CHILDREN, &children);
    return (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1000000000LL +
           (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1000LL;
}

static void note_process(enum mm_run_kind kind)
{
    struct mm_run_process *process = mm_run_notes_process(notes, getpid());

    if (!process)
        return;
    process->kind = kind;
    snprintf(process->name, sizeof process->name, "%.23s", program_invocation_short_name);
}

static void note_fork(void)
{
    int number = errno;

    note_process(MM_RUN_FORKED);
    errno = number;
}

void mm_processes_stubs(const struct mm_run_stubs *stubs)
{
    if (!notes || notes->recorded != getpid())
        return;
    notes->stubs = *stubs;
    notes->stubs.count = 0;
    __atomic_store_n(&notes->stubs.count, stubs->count, __ATOMIC_RELEASE);
}

void mm_processes_begin(int chosen, int recorded)
{
    before_ns = children_ns();
    notes = mm_run_notes_map(getenv("MASTERMIND_RECORD_NOTES"));
    if (!notes)
        return;
    if (chosen) {
        notes->recorded = getpid();
        notes->programs++;
    } else {
        note_process(recorded ? MM_RUN_RECORDED : MM_RUN_PROGRAM);
    }
    pthread_atfork(NULL, NULL, note_fork);
}

void mm_processes_experiment(pid_t process, const char *shown)
{
    struct mm_run_process *noted;

    if (!notes)
        return;
    if (notes->recorded == process) {
        if (notes->programs > 1)
            snprintf(notes->successor, sizeof notes->successor, "%.95s", shown);
        return;
    }
    noted = mm_run_notes_process(notes, process);
    if (noted)
        snprintf(noted->experiment, sizeof noted->experiment, "%.95s", shown);
}

int mm_processes_failed(const char *why)
{
    /* `record` has not made the memory for notes, and reads none */
    if (!notes || !*notes->magic)
        return -1;
    snprintf(notes->failure, sizeof notes->failure, "%s", why);
    return 0;
}

void mm_processes_report(pid_t process, void (*print)(void *context, const char *line),
                         void *context)
{
    if (!notes || notes->recorded != process)
        return;
    mm_run_notes_report(notes, children_ns() - before_ns, print, context);
}
