/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: nesting of regions, and texts of findings. For the files of this folder. */
#ifndef PROPERTIES_CAUSES_INSIDE_H
#define PROPERTIES_CAUSES_INSIDE_H

#include "properties/causes/findings.h"

/* An answer, and its confidence adjusted for the number of questions. */
struct mm_judged {
    const struct mm_named_answer *asked;
    double adjusted;
};

struct mm_inside;

/* Make the tree of regions from `places`, which are borrowed. NULL: out of memory. */
struct mm_inside *mm_inside_new(const struct mm_place *places, size_t count);
void mm_inside_free(struct mm_inside *inside);

/* The struct mm_place of a region; NULL: the caller gave none. */
const struct mm_place *mm_inside_place(const struct mm_inside *inside, int64_t region);
/* Whether region `a` runs only inside region `b`, or equals it. A method is inside a
 * region if all its contexts are; everything is inside the program. */
int mm_is_inside(const struct mm_inside *inside, int64_t a, int64_t b);
/* Length of the longest common path: the number of regions, from the outermost on, that a
 * context of `a` and a context of `b` have in common. */
size_t mm_inside_common(const struct mm_inside *inside, int64_t a, int64_t b);

/* The text "property: reason", owned by `inside`. */
const char *mm_inside_reason(struct mm_inside *inside, const char *property,
                             const char *reason);
/* Whether mm_inside_reason ran out of memory. */
int mm_inside_failed(const struct mm_inside *inside);

#endif
