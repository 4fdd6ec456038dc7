/* SPDX-License-Identifier: BSD-3-Clause */
/* stacks.h: count stacks in a tree: each node is a function, called by the function of
 * its parent. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_STACKS_H
#define MASTERMIND_LIBRARY_SAMPLE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/sample/functions.h"
#include "mastermind/library/sample/sampler.h"
#include "mastermind/library/sample/unwind.h"

struct sample_node {
    uint32_t parent;   /* index, less than the node's own; MM_STACK_TOP: none */
    uint32_t object;   /* index of the file, or an internal number */
    uint32_t function; /* index of the file's function, or an internal number */
    uint64_t count;    /* number of stacks that end here */
};

/* Counts of stacks. A struct of zeros is valid, and has no stacks. */
struct sample_stacks {
    struct sample_functions **files; /* [file_count] by index of the object; NULL: not yet
                                        needed */
    size_t file_count;
    struct sample_node *nodes; /* [node_count] */
    size_t node_count, capacity;
    uint32_t *slots; /* [slot_count] hash table of nodes: index + 1; 0: free */
    size_t slot_count;
    uint64_t count, cut; /* numbers of all stacks, and of those without a beginning */
    uint64_t dropped;    /* stacks that were not counted, because the tree was full */
};

/* Count a stack, whose innermost frame comes first. Returns 0 or -ENOMEM. */
int sample_stacks_add(struct sample_stacks *stacks, const struct sample_places *places,
                      const struct sample_frame *frames, size_t count, int is_whole,
                      int is_kernel);
/* True if both frames are in the same function. */
int sample_stacks_are_same(struct sample_stacks *stacks,
                           const struct sample_places *places,
                           const struct sample_frame *one,
                           const struct sample_frame *other);
/* Make functions and nodes of `result`, which has none. Returns 0 or -ENOMEM. */
int sample_stacks_make(const struct sample_stacks *stacks,
                       const struct sample_places *places, struct mm_stacks *result);
void sample_stacks_done(struct sample_stacks *stacks);

#endif
