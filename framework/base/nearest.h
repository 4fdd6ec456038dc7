/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.h: which known name did somebody mean who wrote an unknown one?
 *
 * Distances are Damerau-Levenshtein (insert, delete, replace, swap neighbours), letters
 * of different case counting as equal. A name is near when fewer than all and at most
 * about a third of its letters are wrong. Names are borrowed, never copied. */
#ifndef FRAMEWORK_BASE_NEAREST_H
#define FRAMEWORK_BASE_NEAREST_H

#include <stddef.h>

/* A search under way: offer it candidates one by one, then read `best`. */
struct cca_nearest {
    const char *name;
    const char *best; /* nearest so far, the first of equals; NULL: none is near */
    size_t distance;  /* of `best` */
};

void cca_nearest_init(struct cca_nearest *nearest, const char *name);
void cca_nearest_offer(struct cca_nearest *nearest, const char *candidate);

/* The nearest of an array, or NULL. NULL elements are passed over. */
const char *cca_nearest(const char *name, const char *const *candidates, size_t count);

/* "; did you mean 'best'?" or "", in the caller's buffer; returns `text`. */
const char *cca_nearest_hint(const char *best, char *text, size_t size);

#endif
