/* SPDX-License-Identifier: BSD-3-Clause */
/* callers.h: questions about the stacks of a run: how often a function was at work, and
 * from where it was called. */
#ifndef MASTERMIND_CMD_RECORD_CALLERS_H
#define MASTERMIND_CMD_RECORD_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/sample/sampler.h"

/* Write a name in at most `most` columns, shortened in the middle. `text` has more bytes
 * than `most`. */
void mm_callers_fit(const char *name, size_t most, char *text);

struct mm_callers {
    struct mm_stacks stacks;
    /* [stacks.function_count] number of stacks in which the function has called another
     * one, however often it is in the stack; NULL: no stacks */
    uint64_t *above;
};

/* Take the stacks of a sampler. Call mm_callers_done even after a failure. Returns 0 or
 * -ENOMEM. */
int mm_callers_read(struct mm_callers *callers, struct mm_sampler *sampler);
/* Set `above` from the stacks. Returns 0 or -ENOMEM. */
int mm_callers_count(struct mm_callers *callers);
void mm_callers_done(struct mm_callers *callers);

/* True for functions that only lead to a program's first one. */
int mm_callers_is_start(const char *name);
/* The index of a function by its file and address; -1: it is in no stack. */
int64_t mm_callers_find(const struct mm_callers *callers, const char *path,
                        uint64_t begin);

/* Innermost functions of stacks: the function with that index; with index -1 all of the
 * file `path`; without a path the kernel. */
struct mm_called {
    int64_t function;
    const char *path;
};

/* Write from where these were called, "from solve 70 %, assemble 30 %", in at most `size`
 * - 1 bytes: the nearest function of a program in each stack, or, without one, the
 * nearest function of another file. "": not known.
 *
 *   is_program  in  true for files that are programs */
void mm_callers_print(const struct mm_callers *callers, const struct mm_called *called,
                      int (*is_program)(const void *context, const char *path),
                      const void *context, char *text, size_t size);

/* Give functions without a symbol that are in some percent of the stacks their names of
 * debug information, where there is some. Returns 0 or -ENOMEM. */
int mm_callers_name(struct mm_callers *callers);
/* Print the calls as a tree, callers above callees, on standard output: the `most_lines`
 * nodes with most CPU time. Returns 0 or -ENOMEM. */
int mm_callers_tree(const struct mm_callers *callers, size_t most_lines);

#endif
