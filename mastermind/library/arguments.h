/* SPDX-License-Identifier: BSD-3-Clause */
/* arguments.h: the functions that debug information describes, and where their arguments
 * are when they begin. */
#ifndef MASTERMIND_LIBRARY_ARGUMENTS_H
#define MASTERMIND_LIBRARY_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { MM_ARGUMENTS_MOST = 16 };

/* An integer. */
struct mm_argument {
    const char *name;
    /* DWARF number of the argument's register, in the order of integer arguments */
    int place;
    int size, is_signed, is_mode;
    int referred; /* the register points to it */
};

struct mm_described {
    uint64_t address;
    uint64_t behind; /* where clang counts from, for it describes functions without the
                        room for a jump */
    uint64_t group;  /* equal for all that a compiler has made of one function */
    const char *symbol;
    struct mm_argument values[MM_ARGUMENTS_MOST];
    size_t value_count;
};

/* Set `behind` and `context` before; done with mm_described_done, to which the names
 * belong. */
struct mm_described_list {
    struct mm_described *functions; /* [count], ascending by address */
    size_t count;
    uint64_t (*behind)(void *context, uint64_t address);
    void *context;
    void *dwarf;
};

/* 0 or -ENOMEM. A file without debug information, and a build without libdw, give none.
 */
int mm_described_read(struct mm_described_list *list, const char *path);
void mm_described_done(struct mm_described_list *list);
/* Borrowed; NULL: none begins there. */
const struct mm_described *mm_described_at(const struct mm_described_list *list,
                                           uint64_t address);

#endif
