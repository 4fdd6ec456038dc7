/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h: measure where a program and the processes that it starts spend their CPU
 * time, from samples that the kernel takes. The program is not changed. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_SAMPLER_H
#define MASTERMIND_LIBRARY_SAMPLE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ports/cca_error.h"

enum { MM_SAMPLES_A_SECOND = 1000 };

struct mm_sampler;

struct mm_sample_row {
    char *function; /* as people write it, without arguments; NULL: its file names none */
    char *path;     /* of the file; NULL: code without a file (made by the program) */
    uint64_t count;
    uint64_t hottest; /* address of the file that most of these samples share */
    int is_symbol;    /* its name is of the file's symbols, else file and address */
};

struct mm_samples {
    struct mm_sample_row *rows; /* [row_count], most samples first */
    size_t row_count;
    uint64_t count;  /* samples in all, of rows and of the kernel */
    uint64_t kernel; /* in system calls, page faults and interrupts */
    uint64_t lost;   /* not kept: there was no room */
    int has_kernel;  /* false: the kernel may not be sampled here */
    int64_t period_ns;
    double cost_ns; /* of a sample, in the program's CPU time; 0: unknown */
};

/* Take samples of process `pid` from its exec on, MM_SAMPLES_A_SECOND of CPU time, and of
 * all that it starts. New; NULL with `err`: -EACCES, -EPERM, -ENOSYS not allowed here. */
struct mm_sampler *mm_sampler_new(pid_t pid, struct cca_error *err);
void mm_sampler_free(struct mm_sampler *sampler);

/* Take the samples out of the kernel's memory, which has room for some seconds. 0 or
 * -ENOMEM. */
int mm_sampler_collect(struct mm_sampler *sampler);

/* Count the samples by function; `samples` is done with mm_samples_done, also after a
 * failure. 0 or -ENOMEM. */
int mm_sampler_count(struct mm_sampler *sampler, struct mm_samples *samples);
void mm_samples_done(struct mm_samples *samples);

#endif
