/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h: a growing text. */
#ifndef PROPERTIES_LOAD_SUMS_TEXT_H
#define PROPERTIES_LOAD_SUMS_TEXT_H

#include <stddef.h>

/* Initialise with zeros; free(text). */
struct mm_text {
    char *text; /* the text so far; NULL: it is empty */
    size_t length, room;
    int failed; /* 1: memory has run out, and text added since then is lost */
};

void mm_text_add(struct mm_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
