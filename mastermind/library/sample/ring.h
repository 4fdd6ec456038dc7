/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h: the kernel's records of a process and its descendants, from perf_event_open(2):
 * samples of the instruction pointer at equal steps of CPU time, copies of the stack at
 * longer steps, mappings of code, and the lives of processes. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_RING_H
#define MASTERMIND_LIBRARY_SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ports/cca_error.h"

enum sample_kind {
    SAMPLE_USER,   /* sample: an instruction of the program */
    SAMPLE_KERNEL, /* sample: the kernel, in work for the program */
    SAMPLE_STACK,  /* sample with a copy of the stack; it is none of the samples above */
    SAMPLE_MAP,    /* code was mapped into memory */
    SAMPLE_EXEC,   /* a process called exec */
    SAMPLE_FORK,
    SAMPLE_EXIT
};

enum {
    SAMPLE_REGISTERS = 17, /* DWARF's registers of x86-64; the last one is the address of
                              the instruction */
    SAMPLE_PC = 16,        /* number of that one */
    SAMPLE_STACK_POINTER = 7,
    SAMPLE_MOST_RETURNS = 64,
    SAMPLE_STACK_BYTES = 8192 /* most bytes that are copied of a stack */
};

/* The return address of a recorded call, at `place` on the stack. */
struct sample_return {
    uint64_t place;
    uint64_t back;     /* address to which it returns; 0: not known */
    uint64_t function; /* address of the function that was called */
};

/* Registers of the program, and the part of its stack that begins at the stack pointer.
 */
struct sample_stack {
    uint64_t registers[SAMPLE_REGISTERS];
    int is_kernel; /* true if the kernel was at work for the program */
    struct sample_return returns[SAMPLE_MOST_RETURNS]; /* [return_count], lowest first */
    size_t return_count;
    uint64_t stubs, stubs_end; /* addresses of return stubs (returns.h) */
    uint64_t base;             /* address of the first one of `bytes` */
    size_t size;
    unsigned char bytes[]; /* [size] */
};

struct sample_event {
    /* time on the kernel's clock, which orders the events of a process */
    uint64_t time_ns;
    enum sample_kind kind;
    int32_t tid;             /* thread of a sample */
    int32_t pid, parent;     /* `parent`: the process that called fork (SAMPLE_FORK) */
    uint64_t address;        /* address of the sampled instruction, or of the mapping */
    uint64_t length, offset; /* length of the mapping, and its offset in the file */
    char *path;              /* path of the mapped file; new, or NULL */
    struct sample_stack *stack; /* stack of SAMPLE_STACK; new, or NULL */
};

struct sample_ring {
    int fd;
    unsigned char *memory; /* mapped ring: a page with control data, then the records */
    size_t pages;          /* number of pages for records, a power of two */
    int has_stacks;        /* true if its samples are stacks */
};

struct sample_rings {
    struct sample_ring *rings; /* [count], one for each processor, and one for stacks */
    size_t count;
    /* CPU time from one stack to the next; 0: no stacks, because of the negative errno
     * `stack_error` */
    uint64_t stack_period_ns;
    int stack_error;
    int is_dated;   /* true if times are of CLOCK_REALTIME */
    int has_kernel; /* true if samples include the kernel's work */
    uint64_t lost;  /* number of records that were lost because a ring was full */
    uint64_t tasks; /* number of processes and threads that were started */
    uint64_t lost_stacks;
};

/* Open a ring for samples of the calling thread on any processor, to measure their cost;
 * `has_stacks`: for stacks. To be closed with sample_rings_close. Returns 0 or a negative
 * errno. */
int sample_rings_open_own(struct sample_rings *rings, uint64_t period_ns, int has_kernel,
                          int has_stacks);
/* Remove all records from the rings. */
void sample_rings_empty(struct sample_rings *rings);
/* Open rings for process `pid`, which has not yet called exec; samples begin there.
 *
 *   period_ns  in  CPU time from one sample to the next
 *   is_dated   in  true: times are of CLOCK_REALTIME
 *
 * Returns 0, or a negative errno with `err`: -EACCES, -EPERM, -ENOSYS: not allowed
 * here. */
int sample_rings_open(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                      int is_dated, struct cca_error *err);
/* Open further rings, for stacks of the same process at steps of `period_ns`; is_prompt:
 * sample_rings_wait returns after each stack. Without them `stack_error` has the reason:
 * -ENOTSUP: not on this processor. */
void sample_rings_open_stacks(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                              int is_prompt);
/* Wait until `fd` can be read, a ring of stacks is half full or has one, or `most_ms`
 * have passed.
 */
void sample_rings_wait(const struct sample_rings *rings, int fd, int most_ms);
void sample_rings_close(struct sample_rings *rings);

/* Move the records of all rings to an array of common/array.h, in any order. Returns 0 or
 * -ENOMEM. */
int sample_rings_read(struct sample_rings *rings, struct sample_event **events,
                      size_t *count);

#endif
