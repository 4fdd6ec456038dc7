/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h: a text that grows. */
#ifndef PROPERTIES_LOAD_SUMS_TEXT_H
#define PROPERTIES_LOAD_SUMS_TEXT_H

#include <stddef.h>

/* Zeros at first; free(text). */
struct mm_text {
    char *text; /* NULL: nothing yet */
    size_t length, room;
    int failed; /* out of memory: what was added since is lost */
};

void mm_text_add(struct mm_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
