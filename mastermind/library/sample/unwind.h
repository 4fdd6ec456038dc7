/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.h: find the callers of a sample in a copy of its stack, by the unwind
 * information
 * (.eh_frame) of the files; code without it, by its chain of frame pointers. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_UNWIND_H
#define MASTERMIND_LIBRARY_SAMPLE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/sample/places.h"
#include "mastermind/library/sample/ring.h"

enum { SAMPLE_MOST_FRAMES = 512 };

/* Index of an object that stands for code without a file. */
#define SAMPLE_NO_OBJECT UINT32_MAX

/* A function that is at work: the instruction, or for a caller, the last byte of its
 * call. */
struct sample_frame {
    uint32_t object;
    uint64_t offset; /* offset in the file; 0 without a file */
};

/* Unwind information of all files so far. */
struct sample_unwinder;

/* Return why stacks cannot be unwound in this build; NULL: they can be. */
const char *sample_unwinder_lacks(void);
/* Returns a new unwinder; NULL: out of memory, or as sample_unwinder_lacks reports. */
struct sample_unwinder *sample_unwinder_new(void);
void sample_unwinder_free(struct sample_unwinder *unwinder);

/* Finds the address to which a recorded call returns: callee's frame, and place of the
 * return address on the stack. 0: not known. */
struct sample_back {
    uint64_t (*find)(void *context, const struct sample_frame *callee, uint64_t place);
    void *context;
};

/* Find the frames of a stack of process `pid`, the innermost one first. `is_whole` is set
 * to true if the last one is the first function of its thread, to false if the stack was
 * cut off or could not be followed. Returns the number of frames. */
size_t sample_unwind(struct sample_unwinder *unwinder, struct sample_places *places,
                     int32_t pid, const struct sample_stack *stack,
                     const struct sample_back *back,
                     struct sample_frame frames[SAMPLE_MOST_FRAMES], int *is_whole);

#endif
