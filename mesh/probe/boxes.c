/* SPDX-License-Identifier: BSD-3-Clause */
/* boxes.c: the cells or elements of this rank, as the program declares them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/probe/mesh.h"

/* Copy all boxes but those of `level`. Returns 0 or -ENOMEM. */
static int copy_others(const struct mm_mesh *m, int level, struct cells *to)
{
    for (int l = 0; l < m->about.levels; l++) {
        size_t bytes = m->cells.count[l] * sizeof *to->boxes[l];

        if (l == level || bytes == 0)
            continue;
        to->boxes[l] = malloc(bytes);
        if (!to->boxes[l])
            return -ENOMEM;
        memcpy(to->boxes[l], m->cells.boxes[l], bytes);
        to->count[l] = m->cells.count[l];
    }
    return 0;
}

/* Read one box of [dims] bounds. Returns 0 or the errno of a reported error. */
static int read_box(struct mm_mesh *m, int level, const int64_t *lo, const int64_t *hi,
                    struct mesh_slot_box *box)
{
    *box = (struct mesh_slot_box){.level = level, .hi = {1, 1, 1}};
    for (int d = 0; d < m->about.dims; d++) {
        box->lo[d] = lo[d];
        box->hi[d] = hi[d];
        if (lo[d] < 0 || hi[d] <= lo[d] || hi[d] > m->level[level].n[d])
            return mesh_fault(m, FAULT_BOX, -EINVAL,
                              "a box of level %d, dimension %d: found cells %" PRId64
                              ":%" PRId64 ", expected some of 0:%" PRId64,
                              level, d, lo[d], hi[d], m->level[level].n[d]);
    }
    return 0;
}

/* Build the index of `cells` (stolen) and make them this rank's cells. Returns 0 or the
 * errno of a reported error. */
static int take_cells(struct mm_mesh *m, struct cells *cells)
{
    int rc = mesh_cells_lay(m, cells);

    if (!rc)
        rc = mesh_cells_replace(m, cells);
    mesh_cells_done(cells);
    if (rc == -EINVAL)
        mesh_fault(m, FAULT_BOX, rc, "boxes of this rank: two overlap");
    else if (rc)
        mesh_fault(m, FAULT_BOX, rc, "boxes of this rank: out of memory");
    return rc;
}

/* Whether `boxes` are the boxes that the rank already has on the level. */
static int same_boxes(const struct mm_mesh *m, int level, int64_t count,
                      const struct mesh_slot_box *boxes)
{
    const struct mesh_slot_box *old = m->cells.boxes[level];

    if (m->cells.count[level] != count)
        return 0;
    for (int64_t b = 0; b < count; b++)
        if (memcmp(old[b].lo, boxes[b].lo, sizeof old[b].lo) != 0 ||
            memcmp(old[b].hi, boxes[b].hi, sizeof old[b].hi) != 0)
            return 0;
    return 1;
}

/* Make `boxes`, stolen, this rank's boxes of a level. */
static int set_boxes(struct mm_mesh *m, int level, int64_t count,
                     struct mesh_slot_box *boxes)
{
    struct cells cells = {0};

    if (same_boxes(m, level, count, boxes)) {
        free(boxes);
        return 0;
    }
    cells.boxes[level] = boxes;
    cells.count[level] = (uint32_t)count;
    if (copy_others(m, level, &cells)) {
        mesh_cells_done(&cells);
        return mesh_fault(m, FAULT_BOX, -ENOMEM, "boxes of this rank: out of memory");
    }
    return take_cells(m, &cells);
}

int mm_mesh_boxes(struct mm_mesh *m, int level, int64_t count, const int64_t *lo,
                  const int64_t *hi)
{
    struct mesh_slot_box *boxes;
    int rc = 0;

    if (!m || m->off)
        return 0;
    if (m->about.kind != MM_MESH_GRID)
        return mesh_fault(
            m, FAULT_BOX, -EINVAL,
            "found a box, expected mm_mesh_elements for a mesh of elements");
    if (level < 0 || level >= m->about.levels)
        return mesh_fault(m, FAULT_BOX, -EINVAL,
                          "boxes: found level %d, expected 0 to %d", level,
                          m->about.levels - 1);
    if (count < 0 || count > INT32_MAX / 2)
        return mesh_fault(m, FAULT_BOX, -EINVAL, "found %" PRId64 " boxes", count);
    boxes = malloc(((size_t)count + 1) * sizeof *boxes);
    if (!boxes)
        return mesh_fault(m, FAULT_BOX, -ENOMEM, "boxes of this rank: out of memory");
    for (int64_t b = 0; b < count && !rc; b++)
        rc =
            read_box(m, level, lo + b * m->about.dims, hi + b * m->about.dims, &boxes[b]);
    if (rc) {
        free(boxes);
        return rc;
    }
    return set_boxes(m, level, count, boxes);
}

int mm_mesh_box(struct mm_mesh *m, int level, const int64_t *lo, const int64_t *hi)
{
    return mm_mesh_boxes(m, level, 1, lo, hi);
}

/* An element and the index of its centre in the program's array. */
struct element {
    int64_t number, at;
};

static int element_order(const void *a, const void *b)
{
    const struct element *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* Sort the elements by number. Returns 0 or the errno of a reported error. */
static int sort_elements(struct mm_mesh *m, int64_t count, const int64_t *numbers,
                         struct element *elements)
{
    for (int64_t e = 0; e < count; e++) {
        if (numbers[e] < 0 || numbers[e] >= m->about.n[0])
            return mesh_fault(m, FAULT_BOX, -EINVAL,
                              "found element %" PRId64 ", expected 0 to %" PRId64,
                              numbers[e], m->about.n[0] - 1);
        elements[e] = (struct element){numbers[e], e};
    }
    qsort(elements, (size_t)count, sizeof *elements, element_order);
    for (int64_t e = 1; e < count; e++)
        if (elements[e].number == elements[e - 1].number)
            return mesh_fault(m, FAULT_BOX, -EINVAL, "found element %" PRId64 " twice",
                              elements[e].number);
    return 0;
}

/* Return the number of elements with consecutive numbers from *e on: they form a box.
 */
static int64_t element_boxes(int64_t count, const struct element *elements,
                             struct mesh_slot_box *boxes)
{
    int64_t b = 0;

    for (int64_t e = 0; e < count; e++) {
        int64_t number = elements[e].number;

        if (b > 0 && boxes[b - 1].hi[0] == number)
            boxes[b - 1].hi[0]++;
        else
            boxes[b++] = (struct mesh_slot_box){
                .lo = {number}, .hi = {number + 1, 1, 1}, .first = (uint64_t)e};
    }
    return b;
}

/* Send the centres, in the order of the elements. */
static int tell_centres(struct mm_mesh *m, int64_t count, const struct element *elements,
                        const double *centres, const struct mesh_slot_box *boxes,
                        int64_t box_count)
{
    size_t dims = (size_t)m->about.dims;
    double *ordered = malloc(((size_t)count * dims + 1) * sizeof *ordered);
    struct cca_error err = {0};
    int rc = ordered ? 0 : mesh_fault(m, FAULT_CENTRES, -ENOMEM, "out of memory");

    for (int64_t e = 0; e < count && !rc; e++)
        for (size_t d = 0; d < dims && !rc; d++) {
            double x = centres[(size_t)elements[e].at * dims + d];

            ordered[(size_t)e * dims + d] = x;
            if (!isfinite(x))
                rc = mesh_fault(m, FAULT_CENTRES, -EINVAL,
                                "element %" PRId64 ": found the coordinate %g, expected "
                                "a number",
                                elements[e].number, x);
        }
    if (!rc && count > 0) {
        rc = mesh_segment_centres(m, boxes, (uint32_t)box_count, (uint64_t)count, ordered,
                                  &err);
        if (rc)
            mesh_fault(m, FAULT_CENTRES, rc, "coordinates: %s", err.text);
    }
    free(ordered);
    return rc;
}

int mm_mesh_elements(struct mm_mesh *m, int64_t count, const int64_t *numbers,
                     const double *centres)
{
    struct element *elements = NULL;
    struct mesh_slot_box *boxes = NULL;
    int64_t box_count;
    int rc;

    if (!m || m->off)
        return 0;
    if (m->about.kind != MM_MESH_UNSTRUCTURED || count < 0 || count > m->about.n[0])
        return mesh_fault(m, FAULT_BOX, -EINVAL,
                          "found %" PRId64 " elements, expected at most %" PRId64
                          " of a mesh of elements",
                          count,
                          m->about.kind == MM_MESH_UNSTRUCTURED ? m->about.n[0] : 0);
    elements = malloc(((size_t)count + 1) * sizeof *elements);
    boxes = malloc(((size_t)count + 1) * sizeof *boxes);
    rc = elements && boxes ? sort_elements(m, count, numbers, elements)
                           : mesh_fault(m, FAULT_BOX, -ENOMEM, "out of memory");
    if (!rc) {
        box_count = element_boxes(count, elements, boxes);
        if (centres)
            rc = tell_centres(m, count, elements, centres, boxes, box_count);
        if (!rc) {
            rc = set_boxes(m, 0, box_count, boxes);
            boxes = NULL;
        }
    }
    free(elements);
    free(boxes);
    return rc;
}
