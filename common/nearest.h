/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.h: find the known name that is most similar to an unknown one, for "did you
 * mean".
 *
 * Distances are Damerau-Levenshtein (insert, delete, replace, swap neighbours); letters
 * of different case are equal. A name is near if at most about a third of its letters,
 * and not all of them, are wrong. Names are borrowed, never copied. */
#ifndef COMMON_NEAREST_H
#define COMMON_NEAREST_H

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CCA_NEAREST_LONGEST = 64 }; /* longer names are not compared */

static inline size_t cca_nearest_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline int cca_nearest_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Return the number of edits that change one name to the other; both have at most
 * CCA_NEAREST_LONGEST letters. Three rows are kept, because a swap of neighbours needs
 * the row before the previous one. */
static inline size_t cca_edit_distance(const char *a, size_t a_length, const char *b,
                                       size_t b_length)
{
    size_t rows[3][CCA_NEAREST_LONGEST + 1] = {{0}};
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replaced = last[j - 1] + !cca_nearest_same(a[i - 1], b[j - 1]);

            row[j] = cca_nearest_smaller(replaced,
                                         1 + cca_nearest_smaller(last[j], row[j - 1]));
            if (i > 1 && j > 1 && cca_nearest_same(a[i - 1], b[j - 2]) &&
                cca_nearest_same(a[i - 2], b[j - 1]))
                row[j] = cca_nearest_smaller(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

/* A search in progress: offer candidates one by one, then read `best`. */
struct cca_nearest {
    const char *name;
    const char *best; /* nearest candidate so far, the first of equally near ones; NULL:
                         none is near */
    size_t distance;  /* edit distance between `best` and the searched name */
};

static inline void cca_nearest_init(struct cca_nearest *nearest, const char *name)
{
    *nearest = (struct cca_nearest){.name = name, .distance = SIZE_MAX};
}

static inline void cca_nearest_offer(struct cca_nearest *nearest, const char *candidate)
{
    size_t length = nearest->name ? strlen(nearest->name) : 0;
    size_t other = candidate ? strlen(candidate) : 0, distance;

    if (!length || !candidate || length > CCA_NEAREST_LONGEST ||
        other > CCA_NEAREST_LONGEST)
        return;
    distance = cca_edit_distance(nearest->name, length, candidate, other);
    if (distance > ((length > other ? length : other) + 2) / 3 || distance >= length)
        return;
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

/* Return the name in an array that is nearest to `name`, or NULL. NULL elements are
 * skipped. */
static inline const char *cca_nearest(const char *name, const char *const *candidates,
                                      size_t count)
{
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        cca_nearest_offer(&nearest, candidates[i]);
    return nearest.best;
}

/* Print "; did you mean 'best'?", or "" if `best` is NULL, to the caller's buffer.
 * Returns `text`. */
static inline const char *cca_nearest_hint(const char *best, char *text, size_t size)
{
    if (best)
        snprintf(text, size, "; did you mean '%s'?", best);
    else if (size > 0)
        text[0] = '\0';
    return text;
}

#endif
