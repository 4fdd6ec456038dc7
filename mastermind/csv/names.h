/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: numbers for texts, in the order of first appearance. */
#ifndef MASTERMIND_CSV_NAMES_H
#define MASTERMIND_CSV_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Texts and their numbers; empty if zero-initialised. Texts contain no NUL. */
struct mm_names {
    char **texts; /* [count] text of each number, NUL-terminated */
    size_t count;
    uint32_t *places; /* hash table of index + 1 */
    size_t place_count;
};

/* The number of a text, which is copied if new; -1: out of memory. */
long long mm_names_add(struct mm_names *names, const char *text, size_t length);
/* The number of a text, or -1. */
long long mm_names_find(const struct mm_names *names, const char *text, size_t length);
void mm_names_done(struct mm_names *names);

#endif
