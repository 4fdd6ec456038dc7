/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: number texts in the order of their first appearance. */
#ifndef MASTERMIND_CSV_NAMES_H
#define MASTERMIND_CSV_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Texts and their numbers. A struct of zeros is empty. Texts contain no NUL. */
struct mm_names {
    char **texts; /* [count] text of each number, NUL-terminated */
    size_t count;
    uint32_t *places; /* hash table of index + 1 */
    size_t place_count;
};

/* Return the number of a text, which is added as a copy if it is new; -1: out of
 * memory. */
long long mm_names_add(struct mm_names *names, const char *text, size_t length);
/* Return the number of a text, or -1 if it has none. */
long long mm_names_find(const struct mm_names *names, const char *text, size_t length);
void mm_names_done(struct mm_names *names);

#endif
