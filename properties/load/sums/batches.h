/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.h: consecutive calls of a method in one thread, summed in at most 64 batches.
 *
 * A batch has `width` calls, a power of two: when all batches are full, each pair is
 * merged. So the batches of all units of a region can be given the same width, and batch
 * i contains the same calls on each. */
#ifndef PROPERTIES_LOAD_SUMS_BATCHES_H
#define PROPERTIES_LOAD_SUMS_BATCHES_H

#include "properties/load/sums/sums.h"

enum { MM_BATCHES = 64, MM_BATCHES_LEAST = 16 };

struct mm_load_batch {
    int64_t own_exec;
    /* by metric: increment of the sum over outermost activations */
    int64_t sum[MM_LOAD_MOST];
};

struct mm_method_batches {
    uint64_t calls, width;
    struct mm_load_batch *batches; /* [MM_BATCHES] batches of one method */
};

/* Batches of all methods in one thread. Initialise the struct with zeros. */
struct mm_load_batches {
    /* [method_count] batches of each method in the current thread */
    struct mm_method_batches *methods;
    size_t method_count;
    int some; /* 1: some row of the table batch was written */
};

struct mm_load_batches *mm_batches_new(size_t method_count);
void mm_batches_free(struct mm_load_batches *batches);
/* Add a call. Returns 0 or -ENOMEM. */
int mm_batches_add(struct mm_load_batches *batches, size_t method, int64_t own_exec,
                   const int64_t *delta, size_t count);
/* Number of batches of a method; the last batch may have fewer calls. */
static inline size_t mm_batches_count(const struct mm_method_batches *m)
{
    return m->calls ? (size_t)((m->calls + m->width - 1) / m->width) : 0;
}
/* Forget all calls before the next thread is read. */
void mm_batches_clear(struct mm_load_batches *batches);

#endif
