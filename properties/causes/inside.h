/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: which region is inside which; and the texts of findings. Inside this room. */
#ifndef PROPERTIES_CAUSES_INSIDE_H
#define PROPERTIES_CAUSES_INSIDE_H

#include "properties/causes/findings.h"

/* An answer, and its confidence among all. */
struct mm_judged {
    const struct mm_asked *asked;
    double adjusted;
};

struct mm_inside;

/* `places` are borrowed. NULL: out of memory. */
struct mm_inside *mm_inside_new(const struct mm_place *places, size_t count);
void mm_inside_free(struct mm_inside *inside);

/* The place of a region, NULL: not among those given. */
const struct mm_place *mm_inside_place(const struct mm_inside *inside, int64_t region);
/* True where all of region `a` runs inside region `b`, or they are the same. A method is
 * inside what all of its contexts are inside of; everything is inside the program. */
int mm_is_inside(const struct mm_inside *inside, int64_t a, int64_t b);
/* How many regions, from the outermost on, the contexts of `a` and `b` that have most in
 * common have in common. */
size_t mm_inside_common(const struct mm_inside *inside, int64_t a, int64_t b);

/* "property: reason", owned by `inside`. */
const char *mm_inside_reason(struct mm_inside *inside, const char *property,
                             const char *reason);
/* True where mm_inside_reason had no memory. */
int mm_inside_failed(const struct mm_inside *inside);

#endif
