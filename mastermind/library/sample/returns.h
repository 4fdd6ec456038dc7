/* SPDX-License-Identifier: BSD-3-Clause */
/* returns.h: true return addresses of recorded calls.
 *
 * A recorded call has the address of a stub as its return address; the true one is in a
 * slot in the memory of the process. It is read while the process runs on, some 50 us
 * after the sample. Where the slot then serves another call, the latest call of the same
 * function at the same position of the stack has the return address. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_RETURNS_H
#define MASTERMIND_LIBRARY_SAMPLE_RETURNS_H

#include "mastermind/library/sample/places.h"
#include "mastermind/library/sample/ring.h"
#include "mastermind/library/sample/sampler.h"
#include "mastermind/library/sample/unwind.h"

enum { SAMPLE_KNOWN_ENTRIES = 1024, SAMPLE_KNOWN_RETURNS = 8192 };

/* Addresses that were read so far. A struct of zeros is valid. */
struct sample_returns {
    struct {
        uint64_t entry, function;
    } entries[SAMPLE_KNOWN_ENTRIES];
    struct sample_return latest[SAMPLE_KNOWN_RETURNS];
};

/* Read the slots of all stubs in a stack of process `pid`. */
void sample_returns_read(struct sample_returns *known,
                         const struct mm_sample_returns *where, pid_t pid,
                         struct sample_stack *stack);
/* Find the return address of the call whose stub is at `place` of the stack.
 *
 *   is_callee  in  true if the function at this address was called
 *
 * NULL: it is not known. */
const struct sample_return *
sample_returns_find(struct sample_returns *known, const struct sample_stack *stack,
                    uint64_t place, int (*is_callee)(void *context, uint64_t function),
                    void *context);

#endif
