/* SPDX-License-Identifier: BSD-3-Clause */
/* run_notes.h: notes that the processes of a recorded run leave in shared memory: which
 * processes the program has started, and why it has no experiment.
 *
 * `mastermind record` makes the memory and reads it after the run; the recorder's library
 * maps it in each process of the run into which it is loaded. Without `record`, as behind
 * --no-report, the recorded process makes notes and shares them with its forks. */
#ifndef MASTERMIND_FORMAT_RUN_NOTES_H
#define MASTERMIND_FORMAT_RUN_NOTES_H

#include <stdint.h>
#include <sys/types.h>

enum { MM_RUN_PROCESSES = 1000 };

enum mm_run_kind {
    MM_RUN_NONE,
    MM_RUN_FORKED,  /* without a program of its own, or not yet */
    MM_RUN_PROGRAM, /* has called exec, and is not recorded */
    MM_RUN_RECORDED /* has called exec, and is recorded into `experiment`; "": none of
                     * its calls was */
};

/* A process that the program or one of its processes has started. Written by that process
 * alone. */
struct mm_run_process {
    int32_t id;    /* 0: free */
    uint32_t kind; /* enum mm_run_kind */
    char name[24], experiment[96];
};

struct mm_run_notes {
    char magic[8];
    uint32_t count;       /* processes, also those beyond the list; __atomic */
    int32_t recorded;     /* process that is recorded; 0: not yet */
    uint32_t programs;    /* programs that it has run, several by calls of exec */
    uint32_t is_reported; /* the recorded process has reported the others */
    char successor[96];   /* experiment of the last one of several programs */
    char failure[400];    /* why no experiment was made; "": there is no reason */
    struct mm_run_process processes[MM_RUN_PROCESSES];
};

/* Make notes that other processes can map by a path; `path` has room for 40 bytes. NULL:
 * there is no memory. They last as long as this process. */
struct mm_run_notes *mm_run_notes_make(char path[40]);
/* Map the notes at this path (NULL: none), or else make some for this process and its
 * forks. NULL: there is no memory. */
struct mm_run_notes *mm_run_notes_map(const char *path);
/* The entry of the process with this number, made if there is none; NULL: the list is
 * full. Makes no system call. */
struct mm_run_process *mm_run_notes_process(struct mm_run_notes *notes, pid_t id);

/* Print a line for each kind of process.
 *
 *   children_ns  in   CPU time of processes that the program has waited for
 *   print        in   called for each line */
void mm_run_notes_report(struct mm_run_notes *notes, int64_t children_ns,
                         void (*print)(void *context, const char *line), void *context);

#endif
