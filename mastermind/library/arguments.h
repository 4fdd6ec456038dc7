/* SPDX-License-Identifier: BSD-3-Clause */
/* arguments.h: the functions that debug information describes, and where their arguments
 * are when they begin. */
#ifndef MASTERMIND_LIBRARY_ARGUMENTS_H
#define MASTERMIND_LIBRARY_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { MM_ARGUMENTS_MOST = 16 };

/* An integer argument of a function. */
struct mm_argument {
    const char *name;
    /* DWARF number of the argument's register, in the order of integer arguments */
    int place;
    int size, is_signed, is_mode;
    int referred; /* the register points to it */
};

struct mm_described {
    uint64_t address;
    uint64_t behind; /* address from which clang describes the function: behind the room
                        for a jump */
    uint64_t group;  /* equal for all variants that a compiler has made of a function */
    const char *symbol;
    struct mm_argument values[MM_ARGUMENTS_MOST];
    size_t value_count;
};

/* The caller sets `behind` and `context` first. Names are valid until mm_described_done.
 */
struct mm_described_list {
    struct mm_described *functions; /* [count], ascending by address */
    size_t count;
    uint64_t (*behind)(void *context, uint64_t address);
    void *context;
    void *dwarf;
};

/* Read the functions of a file; none without debug information or, in a build without
 * libdw, of any file. Returns 0 or -ENOMEM. */
int mm_described_read(struct mm_described_list *list, const char *path);
void mm_described_done(struct mm_described_list *list);
/* Return the function that begins at `address`, borrowed; NULL: none does. */
const struct mm_described *mm_described_at(const struct mm_described_list *list,
                                           uint64_t address);

#endif
