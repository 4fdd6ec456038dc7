/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.h: the table of a whole run: the CPU time of any program by function. */
#ifndef MASTERMIND_CMD_RECORD_WHOLE_H
#define MASTERMIND_CMD_RECORD_WHOLE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "mastermind/cmd/job.h"
#include "mastermind/cmd/record/callers.h"
#include "mastermind/format/run_notes.h"
#include "mastermind/library/sample/sampler.h"
#include "ports/cca_error.h"

/* A process that a launcher of MPI has started as a rank. */
struct mm_whole_process {
    pid_t pid;
    int rank;
    int64_t peak_bytes; /* peak memory when it was last seen */
};

struct mm_whole_rank {
    struct mm_rank_samples samples;
    int64_t peak_bytes;
};

/* A program that runs in a child process. The caller sets the first five members; all
 * zero without them is valid. */
struct mm_whole {
    const char *program; /* path of the program's file, borrowed */
    char *const *words;  /* the program's command line, ends with NULL; borrowed */
    /* number of ranks of the job that the program is a rank of; 0: it is none */
    int ranks;
    int is_recordable; /* true if libraries can be preloaded into the program */
    int is_tree;       /* true to print the tree of calls, too */

    struct mm_sampler *sampler; /* sampler of the program; NULL: no samples, and
                                   `unsampled` has the reason */
    char unsampled[200];
    /* without samples: experiment with the calls of all functions, in a folder of its
     * own; a new text; NULL: none */
    char *calls;
    char untimed[200]; /* reason why there are neither samples nor calls; "": none */
    int status;        /* exit status from waitpid */
    /* resource usage of the program and of all processes that it waited for */
    struct rusage usage;
    int64_t wall_ns, began_ns; /* elapsed time; CLOCK_REALTIME at exec */
    /* time in which threads of the program and of processes that it started were ready
     * and waited for a core, since exec: a lower bound, because short ones are not seen;
     * -1: not measured */
    int64_t queued_ns;
    /* time that the hypervisor took from all processors of this machine */
    int64_t stolen_ns;

    /* for the table, from mm_whole_collect or mm_whole_read: */
    int is_sampled, is_timed; /* true if `samples` are samples; if they are times of calls
                                 in us */
    double cpu_ns, user_ns;   /* CPU time of the program and of all processes that it
                                 waited for, and its part outside of the kernel */
    int64_t peak_bytes;       /* peak memory of the largest of these processes */
    double measuring_ns;      /* cost of timed calls */
    struct mm_samples samples;
    struct mm_callers callers;
    /* ranks of MPI whose samples are in `samples` */
    struct mm_whole_rank *rank_list; /* [rank_count] in ascending order; may lack some */
    size_t rank_count;
    int job_ranks;                      /* number of ranks of the job */
    struct mm_whole_process *processes; /* [process_count] ranks below a launcher */
    size_t process_count;
    const char *file; /* real path of the program's file; NULL: not resolved */
    void *root;       /* document that the strings are borrowed from; NULL: none */
    char **lines;     /* words of the command in `root`; NULL: none */
};

/* Take samples of the child `pid`, which has not called exec. `is_kept`: keep each single
 * sample, for mm_record_join. `stacks`: MM_STACKS_RECORDED: functions of the program are
 * recorded, with `notes` in its memory. */
enum mm_whole_stacks { MM_STACKS_NONE, MM_STACKS_PLAIN, MM_STACKS_RECORDED };
void mm_whole_sample(struct mm_whole *whole, pid_t pid, int is_kept,
                     enum mm_whole_stacks stacks, struct mm_run_notes *notes);
/* Print the tree of calls of a run that was recorded, from `callers`, which have been
 * read. Returns 0 or -ENOMEM. */
int mm_whole_print_tree(struct mm_whole *whole);
/* To be called immediately before the child `pid` calls exec. */
void mm_whole_begin(struct mm_whole *whole, pid_t pid);
/* Wait until the child has ended, and store its resource usage. */
void mm_whole_wait(struct mm_whole *whole, pid_t pid);
/* Count samples, or times of calls, of a run that has ended. Returns 0 or -ENOMEM. */
int mm_whole_collect(struct mm_whole *whole);
/* Note process `pid`, a descendant of the program, if it is a rank of MPI. */
void mm_whole_see_rank(struct mm_whole *whole, pid_t pid);
/* List the ranks below a launcher. Returns 0 or -ENOMEM. */
int mm_whole_count_ranks(struct mm_whole *whole);
/* Where each rank of a job has its own process that watches it: leave the table of this
 * rank, which is not rank 0, to rank 0. Failures are ignored. */
void mm_whole_hand_over(struct mm_whole *whole, const struct mm_job *job);
/* Add the tables of all other ranks to the table of rank 0, as soon as they are there, or
 * after three seconds without them. Returns 0 or -ENOMEM. */
int mm_whole_join_ranks(struct mm_whole *whole, const struct mm_job *job);
/* Print the table on standard output; `whole` has been collected or read. Returns 0 or
 * -ENOMEM. */
int mm_whole_print(struct mm_whole *whole);
/* Write whole.json and stacks.json, all that mm_whole_print needs, to a directory.
 * Returns 0 or a negative errno with `err`. */
int mm_whole_keep(const struct mm_whole *whole, const char *path, struct cca_error *err);
/* Read them. Returns 0; -ENOENT without `err`: there are none; another negative errno
 * with `err`. Call mm_whole_done in any case. */
int mm_whole_read(struct mm_whole *whole, const char *path, struct cca_error *err);
/* If the kernel denies samples, prepare the environment of the recorder so that it times
 * all functions, and choose `calls`. See whole_calls.c. Returns 0 or a negative errno
 * with `err`. */
int mm_whole_time_calls(struct mm_whole *whole, struct cca_error *err);
/* Read the recorded CPU time of each function, as samples of 1 us, and the cost of
 * recording. `samples` is to be freed with mm_samples_done. Returns 0 or -ENOMEM. */
int mm_whole_read_calls(const struct mm_whole *whole, struct mm_samples *samples,
                        double *measuring_ns);
/* Remove the folder of `calls`. */
void mm_whole_forget_calls(struct mm_whole *whole);
void mm_whole_done(struct mm_whole *whole);

#endif
