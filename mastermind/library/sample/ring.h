/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h: the kernel's records of a process and its descendants, from perf_event_open(2):
 * samples of the instruction pointer at equal steps of CPU time, mappings of code, and
 * the lives of processes. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_RING_H
#define MASTERMIND_LIBRARY_SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ports/cca_error.h"

enum sample_kind {
    SAMPLE_USER,   /* sample: an instruction of the program */
    SAMPLE_KERNEL, /* sample: the kernel, in work for the program */
    SAMPLE_MAP,    /* code was mapped into memory */
    SAMPLE_EXEC,   /* a process called exec */
    SAMPLE_FORK,
    SAMPLE_EXIT
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
};

struct sample_ring {
    int fd;
    unsigned char *memory; /* mapped ring: a page with control data, then the records */
};

struct sample_rings {
    struct sample_ring *rings; /* [count], one for each processor */
    size_t count;
    int is_dated;   /* true if times are of CLOCK_REALTIME */
    int has_kernel; /* true if samples include the kernel's work */
    uint64_t lost;  /* number of records that were lost because a ring was full */
    uint64_t tasks; /* number of processes and threads that were started */
};

/* Open a ring for samples of the calling thread on any processor, to measure their cost.
 * To be closed with sample_rings_close. Returns 0 or a negative errno. */
int sample_rings_open_own(struct sample_rings *rings, uint64_t period_ns, int has_kernel);
/* Open rings for process `pid`, which has not yet called exec; samples begin there.
 *
 *   period_ns  in  CPU time from one sample to the next
 *   is_dated   in  true: times are of CLOCK_REALTIME
 *
 * Returns 0, or a negative errno with `err`: -EACCES, -EPERM, -ENOSYS: not allowed
 * here. */
int sample_rings_open(struct sample_rings *rings, pid_t pid, uint64_t period_ns,
                      int is_dated, struct cca_error *err);
void sample_rings_close(struct sample_rings *rings);

/* Move the records of all rings to an array of common/array.h, in any order. Returns 0 or
 * -ENOMEM. */
int sample_rings_read(struct sample_rings *rings, struct sample_event **events,
                      size_t *count);

#endif
