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
    /* index of the argument's register among the registers for integer arguments */
    int place;
    int size, is_signed, is_mode;
    int referred; /* true if the register holds the argument's address */
};

struct mm_described {
    uint64_t address;
    uint64_t behind; /* address after the room that the compiler leaves for a jump, where
                        clang's description of the function begins */
    uint64_t group; /* a number that is equal for all variants that a compiler has made of
                       one function */
    const char *symbol;
    struct mm_argument values[MM_ARGUMENTS_MOST];
    size_t value_count;
};

/* List of described functions. The caller sets `behind` (a function that returns the
 * member `behind` for an address) and `context` first. Names are valid until
 * mm_described_done. */
struct mm_described_list {
    struct mm_described *functions; /* [count], ascending by address */
    size_t count;
    uint64_t (*behind)(void *context, uint64_t address);
    void *context;
    void *dwarf;
};

/* Read the functions of a file. The list is empty if the file has no debug information,
 * or if this build has no libdw. Returns 0 or -ENOMEM. */
int mm_described_read(struct mm_described_list *list, const char *path);
void mm_described_done(struct mm_described_list *list);
/* Return the function that begins at `address`, borrowed; NULL: none does. */
const struct mm_described *mm_described_at(const struct mm_described_list *list,
                                           uint64_t address);

#endif
