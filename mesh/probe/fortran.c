/* SPDX-License-Identifier: BSD-3-Clause */
/* fortran.c: the C side of the Fortran module mm_mesh (mm_mesh.f90). Converts strings (a
 * length, blanks at the end), cells and indices (from 1) and boxes (last cell included)
 * to those of C. */
#include <stdlib.h>
#include <string.h>

#include "mesh/probe/mesh.h"

MM_MESH_EXPORT struct mm_mesh *mm_mesh_f_open(const char *name, int length, int elements,
                                              int dims, const int64_t *n, char *message,
                                              int message_length);
MM_MESH_EXPORT int mm_mesh_f_probe(struct mm_mesh *m, const char *name, int length,
                                   const char *kind, int kind_length);
MM_MESH_EXPORT int mm_mesh_f_custom(struct mm_mesh *m, const char *name, int length,
                                    const char *unit, int unit_length,
                                    double (*counter)(void *argument), void *argument);
MM_MESH_EXPORT int mm_mesh_f_boxes(struct mm_mesh *m, int level, int64_t count,
                                   const int64_t *lo, const int64_t *hi);
MM_MESH_EXPORT int mm_mesh_f_block(struct mm_mesh *m, int probe, int level,
                                   const int64_t *lo, const int64_t *hi);
MM_MESH_EXPORT int mm_mesh_f_block_value(struct mm_mesh *m, int probe, int level,
                                         const int64_t *lo, const int64_t *hi,
                                         double value);
MM_MESH_EXPORT int mm_mesh_f_elements(struct mm_mesh *m, int64_t count,
                                      const int64_t *elements, const double *centres);
MM_MESH_EXPORT void mm_mesh_f_cell(struct mm_mesh *m, int probe, int64_t cell);
MM_MESH_EXPORT void mm_mesh_f_value(struct mm_mesh *m, int probe, int64_t cell,
                                    double value);
MM_MESH_EXPORT void mm_mesh_f_add(struct mm_mesh *m, int probe, int64_t cell,
                                  double value);
MM_MESH_EXPORT int64_t mm_mesh_f_index(const struct mm_mesh *m, int level, int64_t i,
                                       int64_t j, int64_t k);
MM_MESH_EXPORT int64_t mm_mesh_f_index1(const struct mm_mesh *m, int level, int i);
MM_MESH_EXPORT int64_t mm_mesh_f_index2(const struct mm_mesh *m, int level, int i, int j);
MM_MESH_EXPORT int64_t mm_mesh_f_index3(const struct mm_mesh *m, int level, int i, int j,
                                        int k);
MM_MESH_EXPORT void mm_mesh_f_error(const struct mm_mesh *m, char *text, int length);

/* Copy a Fortran string without trailing blanks into `to` of `room` bytes; a string that
 * is longer than `room` is too long for a name, and is cut. */
static const char *read_string(const char *from, int length, char *to, size_t room)
{
    size_t n = length > 0 ? (size_t)length : 0;

    while (n > 0 && from[n - 1] == ' ')
        n--;
    n = n < room ? n : room - 1;
    memcpy(to, from, n);
    to[n] = '\0';
    return to;
}

static void write_string(const char *from, char *to, int length)
{
    size_t n = strlen(from), room = length > 0 ? (size_t)length : 0;

    memset(to, ' ', room);
    memcpy(to, from, n < room ? n : room);
}

struct mm_mesh *mm_mesh_f_open(const char *name, int length, int elements, int dims,
                               const int64_t *n, char *message, int message_length)
{
    struct cca_error err = {0};
    char text[2 * MM_MESH_NAME_BYTES];
    struct mm_mesh *m;

    read_string(name, length, text, sizeof text);
    m = elements ? mm_mesh_open_elements(text, dims, *n, &err)
                 : mm_mesh_open(text, dims, n, &err);
    write_string(err.text, message, message_length);
    return m;
}

int mm_mesh_f_probe(struct mm_mesh *m, const char *name, int length, const char *kind,
                    int kind_length)
{
    char text[2 * MM_MESH_NAME_BYTES], kind_text[32];

    return mm_mesh_probe(m, read_string(name, length, text, sizeof text),
                         read_string(kind, kind_length, kind_text, sizeof kind_text));
}

int mm_mesh_f_custom(struct mm_mesh *m, const char *name, int length, const char *unit,
                     int unit_length, double (*counter)(void *argument), void *argument)
{
    char text[2 * MM_MESH_NAME_BYTES], unit_text[32];

    return mm_mesh_custom(m, read_string(name, length, text, sizeof text),
                          read_string(unit, unit_length, unit_text, sizeof unit_text),
                          counter, argument);
}

/* Convert the lower bounds of `count` boxes from Fortran to C: a new array. */
static int64_t *lower(const struct mm_mesh *m, int64_t count, const int64_t *lo)
{
    size_t numbers = count > 0 ? (size_t)count * (size_t)m->about.dims : 0;
    int64_t *low = malloc((numbers + 1) * sizeof *low);

    for (size_t n = 0; low && n < numbers; n++)
        low[n] = lo[n] - 1;
    return low;
}

int mm_mesh_f_boxes(struct mm_mesh *m, int level, int64_t count, const int64_t *lo,
                    const int64_t *hi)
{
    int64_t *low;
    int rc;

    if (!m || m->off)
        return 0;
    low = lower(m, count, lo);
    rc = low ? mm_mesh_boxes(m, level, count, low, hi) : -ENOMEM;
    free(low);
    return rc;
}

/* Convert the lower bound of one box from Fortran to C. */
static const int64_t *one_lower(const struct mm_mesh *m, const int64_t *lo,
                                int64_t low[3])
{
    for (int d = 0; m && d < m->about.dims; d++)
        low[d] = lo[d] - 1;
    return low;
}

int mm_mesh_f_block(struct mm_mesh *m, int probe, int level, const int64_t *lo,
                    const int64_t *hi)
{
    int64_t low[3];

    return mm_mesh_block(m, probe, level, one_lower(m, lo, low), hi);
}

int mm_mesh_f_block_value(struct mm_mesh *m, int probe, int level, const int64_t *lo,
                          const int64_t *hi, double value)
{
    int64_t low[3];

    return mm_mesh_block_value(m, probe, level, one_lower(m, lo, low), hi, value);
}

int mm_mesh_f_elements(struct mm_mesh *m, int64_t count, const int64_t *elements,
                       const double *centres)
{
    int64_t *numbers;
    int rc;

    if (!m || m->off)
        return 0;
    numbers = malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *numbers);
    for (int64_t e = 0; numbers && e < count; e++)
        numbers[e] = elements[e] - 1;
    rc = numbers ? mm_mesh_elements(m, count, numbers, centres) : -ENOMEM;
    free(numbers);
    return rc;
}

void mm_mesh_f_cell(struct mm_mesh *m, int probe, int64_t cell)
{
    mm_mesh_cell(m, probe, cell - 1);
}

void mm_mesh_f_value(struct mm_mesh *m, int probe, int64_t cell, double value)
{
    mm_mesh_value(m, probe, cell - 1, value);
}

void mm_mesh_f_add(struct mm_mesh *m, int probe, int64_t cell, double value)
{
    mm_mesh_add(m, probe, cell - 1, value);
}

int64_t mm_mesh_f_index(const struct mm_mesh *m, int level, int64_t i, int64_t j,
                        int64_t k)
{
    return mm_mesh_index(m, level, i - 1, j - 1, k - 1) + 1;
}

int64_t mm_mesh_f_index1(const struct mm_mesh *m, int level, int i)
{
    return mm_mesh_f_index(m, level, i, 1, 1);
}

int64_t mm_mesh_f_index2(const struct mm_mesh *m, int level, int i, int j)
{
    return mm_mesh_f_index(m, level, i, j, 1);
}

int64_t mm_mesh_f_index3(const struct mm_mesh *m, int level, int i, int j, int k)
{
    return mm_mesh_f_index(m, level, i, j, k);
}

void mm_mesh_f_error(const struct mm_mesh *m, char *text, int length)
{
    const char *error = mm_mesh_error(m);

    write_string(error ? error : "", text, length);
}
