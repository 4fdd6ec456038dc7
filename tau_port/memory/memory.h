/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h: libmeas_memory.so: how much memory the program allocates, and its peaks.
 *
 * The library is preloaded. Its functions have the names of the C library's allocation
 * functions, and call the next functions of these names, in the C library or another
 * allocator. */
#ifndef TAU_PORT_MEMORY_MEMORY_H
#define TAU_PORT_MEMORY_MEMORY_H

#include <stdint.h>

#include "common/thread_times.h"

/* --- allocate.c: allocated memory of the calling thread */

struct mem_allocated {
    int64_t bytes, calls; /* bytes requested, number of successful requests */
};

/* Return the calling thread's counts since its start, without the recorder's own
 * allocations. Returns 0, or -1: the program has a malloc of its own, which is not
 * seen. */
int mem_allocated(struct mem_allocated *counts);

/* --- peak.c: peaks of the process's resident memory */

/* Begin a stretch of which the peak is wanted. Several may be open. Returns its number,
 * or -1: too many are open, or the kernel does not let the process reset its peak. */
int mem_peak_begin(void);
/* End a stretch. Returns its peak in bytes, without the recorder's own memory at its
 * begin, or -1: unknown. */
int64_t mem_peak_end(int stretch);
/* Let the peak of the process begin here. */
void mem_peak_forget(void);
/* Return the peak of the process since its exec in bytes, without the recorder's own
 * memory; 0: unknown. */
int64_t mem_peak_of_process(void);

/* --- own.c: the recorder's own memory, bytes */

/* The recorder begins and ends its preparations in the process. */
void mem_own_begin(void);
void mem_own_end(void);
/* Return the resident memory of libraries that only the recorder needs, and of its
 * preparations. */
int64_t mem_own_prepared(void);
/* Return how much the recorder's libraries and mapped files have grown since. */
int64_t mem_own_later(void);

#endif
