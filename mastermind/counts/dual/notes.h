/* SPDX-License-Identifier: BSD-3-Clause */
/* notes.h: notes for the user from an analysis; duplicates are dropped. */
#ifndef MASTERMIND_COUNTS_DUAL_NOTES_H
#define MASTERMIND_COUNTS_DUAL_NOTES_H

#include <stddef.h>

struct mm_notes {
    char **items;
    size_t count;
};

/* Add a note. Returns 0 or -ENOMEM. */
int mm_notes_add(struct mm_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mm_notes_done(struct mm_notes *notes);

#endif
