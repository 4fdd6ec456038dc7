/* SPDX-License-Identifier: BSD-3-Clause */
/* run_notes.h: notes that the processes of a recorded run leave in shared memory: which
 * processes the program has started, and why it has no experiment.
 *
 * `mastermind record` makes the memory and reads it after the run; the recorder's library
 * maps it in each process of the run into which it is loaded. If `record` has not made
 * it, as with --no-report, the recorded process makes notes and shares them with its
 * forks. */
#ifndef MASTERMIND_FORMAT_RUN_NOTES_H
#define MASTERMIND_FORMAT_RUN_NOTES_H

#include <stdint.h>
#include <sys/types.h>

enum { MM_RUN_PROCESSES = 1000 };

enum mm_run_kind {
    MM_RUN_NONE,
    MM_RUN_FORKED,  /* a fork that has not called exec, or not yet */
    MM_RUN_PROGRAM, /* has called exec, and is not recorded */
    /* has called exec, and is recorded into `experiment`, which is "" if none of its
       calls was recorded */
    MM_RUN_RECORDED
};

/* A process that the program or one of its processes has started. Only that process
 * writes here. */
struct mm_run_process {
    int32_t id;    /* 0: free */
    uint32_t kind; /* enum mm_run_kind */
    char name[24], experiment[96];
};

/* Return stubs: a recorded call has the address of a stub as its return address. */
struct mm_run_stubs {
    /* Stub i is at stubs + i * stub_bytes. Slot i, at slots + i * slot_bytes, has the
     * true return address, then the position of the stub's address on the stack, 0: the
     * call has returned; at entry_at a pointer to the function's entry, where a pointer
     * to its first instruction is at site_at. */
    uint64_t stubs, slots;
    uint32_t stub_bytes, slot_bytes, entry_at, site_at;
    uint32_t count; /* number of stubs, set last; 0: there are none; access by __atomic */
};

struct mm_run_notes {
    char magic[8];
    /* number of processes, including processes that the list has no room for; access by
     * __atomic */
    uint32_t count;
    int32_t recorded; /* id of the recorded process; 0: not known yet */
    /* number of programs that this process has run, one after the other, by calls of
     * exec */
    uint32_t programs;
    /* true if the recorded process has reported the other processes */
    uint32_t is_reported;
    char successor[96];        /* experiment of the last one of these programs */
    char failure[400];         /* reason why no experiment was made; "": none is known */
    struct mm_run_stubs stubs; /* of the recorded process */
    struct mm_run_process processes[MM_RUN_PROCESSES];
};

/* Make notes that other processes can map by a path, which is written to `path`, an array
 * of 40 bytes. They exist as long as this process. NULL: there is no memory. */
struct mm_run_notes *mm_run_notes_make(char path[40]);
/* Map the notes at `path`; if it is NULL or fails, make notes for this process and its
 * forks. NULL: there is no memory. */
struct mm_run_notes *mm_run_notes_map(const char *path);
/* Return the entry of the process with this id, which is made if there is none; NULL: the
 * list is full. Makes no system call. */
struct mm_run_process *mm_run_notes_process(struct mm_run_notes *notes, pid_t id);

/* Print a line for each kind of process.
 *
 *   children_ns  in   CPU time of processes that the program has waited for
 *   print        in   called for each line */
void mm_run_notes_report(struct mm_run_notes *notes, int64_t children_ns,
                         void (*print)(void *context, const char *line), void *context);

#endif
