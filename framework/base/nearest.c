/* SPDX-License-Identifier: BSD-3-Clause */
/* nearest.c: the nearest name, for "did you mean". */
#include "framework/base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longer names are not compared: the table stays on the stack. */
enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edit distance by three rows: the one two back serves the swap of neighbours. */
static size_t edit_distance(const char *a, size_t a_length, const char *b,
                            size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    memset(rows, 0, sizeof rows);
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replace = last[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);

            row[j] = smaller(replace, 1 + smaller(last[j], row[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

void cca_nearest_init(struct cca_nearest *nearest, const char *name)
{
    nearest->name = name;
    nearest->best = NULL;
    nearest->distance = SIZE_MAX;
}

void cca_nearest_offer(struct cca_nearest *nearest, const char *candidate)
{
    size_t length, other, distance;

    if (!nearest->name || !candidate)
        return;
    length = strlen(nearest->name);
    other = strlen(candidate);
    if (length > LONGEST || other > LONGEST)
        return;
    distance = edit_distance(nearest->name, length, candidate, other);
    if (distance > ((length > other ? length : other) + 2) / 3 || distance >= length)
        return;
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

const char *cca_nearest(const char *name, const char *const *candidates, size_t count)
{
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        cca_nearest_offer(&nearest, candidates[i]);
    return nearest.best;
}

const char *cca_nearest_hint(const char *best, char *text, size_t size)
{
    if (best)
        snprintf(text, size, "; did you mean '%s'?", best);
    else if (size > 0)
        text[0] = '\0';
    return text;
}
