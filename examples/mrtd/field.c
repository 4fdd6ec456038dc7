/* SPDX-License-Identifier: BSD-3-Clause */
/* field.c: memory of a rank's fields, their initial values, and packing of values for
 * other ranks. */
#include "examples/mrtd/field.h"

#include <stdlib.h>
#include <string.h>

#include "examples/mrtd/start.h"

/* Allocate memory aligned to cache lines. The 8 coefficients of a component fill a cache
 * line, so a cell without active wavelets causes no more memory traffic than its means
 * alone would. */
static void *lines_new(size_t bytes)
{
    void *lines = aligned_alloc(64, bytes);

    if (lines)
        memset(lines, 0, bytes);
    return lines;
}

struct mrtd_field *mrtd_field_new(const struct mrtd_options *o,
                                  const struct mrtd_parts *parts)
{
    struct mrtd_field *field = calloc(1, sizeof *field);
    size_t slots = (size_t)parts->own + (size_t)parts->ghosts + 1;

    if (!field)
        return NULL;
    for (int f = 0; f < 2; f++) {
        field->half[f].value = lines_new(slots * MRTD_COEFFICIENTS * sizeof(double));
        field->half[f].bits = calloc(slots, sizeof(uint64_t));
    }
    field->keep = calloc((size_t)parts->own + 1, sizeof(double));
    field->add = calloc((size_t)parts->own + 1, sizeof(double));
    field->work = calloc((size_t)parts->own + 1, 1);
    field->threshold = o->threshold;
    for (int f = 0; f < 2; f++)
        if (!field->half[f].value || !field->half[f].bits || !field->keep ||
            !field->add || !field->work) {
            mrtd_field_free(field);
            return NULL;
        }
    for (int32_t s = 0; s < parts->own; s++)
        mrtd_start_factors(o, parts->cell[s], &field->keep[s], &field->add[s]);
    return field;
}

void mrtd_field_free(struct mrtd_field *field)
{
    if (!field)
        return;
    for (int f = 0; f < 2; f++) {
        free(field->half[f].value);
        free(field->half[f].bits);
    }
    free(field->keep);
    free(field->add);
    free(field->work);
    free(field);
}

void mrtd_field_mode(struct mrtd_field *field, const struct mrtd_options *o,
                     const struct mrtd_parts *parts)
{
    struct mrtd_half *e = &field->half[MRTD_E];

    for (int32_t s = 0; s < parts->own; s++) {
        mrtd_start_mode(o, parts->cell[s], e->value + MRTD_COEFFICIENTS * (int64_t)s);
        e->bits[s] = MRTD_ACTIVE | MRTD_MATTERED;
    }
}

void mrtd_field_source(struct mrtd_field *field, const struct mrtd_options *o,
                       const struct mrtd_parts *parts, int32_t step)
{
    int32_t cell = mrtd_start_source_cell(o), low = 0, high = parts->own;

    while (low < high) { /* binary search: cell numbers ascend */
        int32_t middle = low + (high - low) / 2;

        if (parts->cell[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    if (cell >= 0 && low < parts->own && parts->cell[low] == cell)
        field->half[MRTD_E].value[MRTD_COEFFICIENTS * (int64_t)low + 16] +=
            mrtd_start_source(o, step);
}

void mrtd_field_pack(const struct mrtd_field *field, int which, const int32_t *slots,
                     int64_t count, double *words)
{
    const struct mrtd_half *half = &field->half[which];

    for (int64_t i = 0; i < count; i++, words += MRTD_GHOST_WORDS) {
        memcpy(words, half->value + MRTD_COEFFICIENTS * (int64_t)slots[i],
               MRTD_COEFFICIENTS * sizeof *words);
        words[MRTD_COEFFICIENTS] = (double)half->bits[slots[i]]; /* 48 bits: exact */
    }
}

void mrtd_field_unpack(struct mrtd_field *field, int which, const int32_t *slots,
                       int64_t count, const double *words)
{
    struct mrtd_half *half = &field->half[which];

    for (int64_t i = 0; i < count; i++, words += MRTD_GHOST_WORDS) {
        memcpy(half->value + MRTD_COEFFICIENTS * (int64_t)slots[i], words,
               MRTD_COEFFICIENTS * sizeof *words);
        half->bits[slots[i]] = (uint64_t)words[MRTD_COEFFICIENTS];
    }
}

void mrtd_field_pack_cells(const struct mrtd_field *field, const int32_t *slots,
                           int64_t count, double *words)
{
    for (int64_t i = 0; i < 2 * count; i++, words += MRTD_GHOST_WORDS)
        mrtd_field_pack(field, i % 2, slots + i / 2, 1, words);
}

void mrtd_field_unpack_cells(struct mrtd_field *field, const int32_t *slots,
                             int64_t count, const double *words)
{
    for (int64_t i = 0; i < 2 * count; i++, words += MRTD_GHOST_WORDS)
        mrtd_field_unpack(field, i % 2, slots + i / 2, 1, words);
}

void mrtd_field_keep(struct mrtd_field *to, const struct mrtd_field *from,
                     const int32_t *kept, int32_t own)
{
    for (int32_t s = 0; s < own; s++) {
        int64_t old = kept[s];

        for (int f = 0; f < 2 && old >= 0; f++) {
            memcpy(to->half[f].value + MRTD_COEFFICIENTS * (int64_t)s,
                   from->half[f].value + MRTD_COEFFICIENTS * old,
                   MRTD_COEFFICIENTS * sizeof(double));
            to->half[f].bits[s] = from->half[f].bits[old];
        }
    }
}
