/* SPDX-License-Identifier: BSD-3-Clause */
/* box.c: lists of rectangles of cells. */
#include "components/AMRMesh/boxes/box.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int boxes_add(struct boxes *boxes, struct box box)
{
    if (box_empty(box))
        return 0;
    if (cca_array_extend(&boxes->at, &boxes->room, sizeof *boxes->at,
                         (size_t)boxes->count + 1))
        return -ENOMEM;
    boxes->at[boxes->count++] = box;
    return 0;
}

/* Add the parts of a box outside a hole to `rest`: up to four boxes, below, above,
 * left and right of the hole. */
static int box_subtract(struct boxes *rest, struct box b, struct box hole)
{
    struct box in = box_intersect(b, hole);
    int code;

    if (box_empty(in))
        return boxes_add(rest, b);
    code = boxes_add(rest, (struct box){b.ilo, b.jlo, b.ihi, in.jlo});
    if (!code)
        code = boxes_add(rest, (struct box){b.ilo, in.jhi, b.ihi, b.jhi});
    if (!code)
        code = boxes_add(rest, (struct box){b.ilo, in.jlo, in.ilo, in.jhi});
    if (!code)
        code = boxes_add(rest, (struct box){in.ihi, in.jlo, b.ihi, in.jhi});
    return code;
}

int boxes_subtract(struct boxes *boxes, struct box hole)
{
    struct boxes rest = {0};
    int code = 0, near = 0;

    for (int k = 0; k < boxes->count && !near; k++)
        near = !box_empty(box_intersect(boxes->at[k], hole));
    if (!near)
        return 0;
    for (int k = 0; k < boxes->count && !code; k++)
        code = box_subtract(&rest, boxes->at[k], hole);
    if (code) {
        boxes_done(&rest);
        return code;
    }
    boxes_done(boxes);
    *boxes = rest;
    return 0;
}

int64_t pieces_needed(int64_t cells, int64_t most, int grain)
{
    int64_t units = (cells + grain - 1) / grain;
    int64_t most_units = most > grain ? most / grain : 1;

    return most > 0 ? (units + most_units - 1) / most_units : 1;
}

/* Return the first cell of piece `piece` if a row of cells is cut into `pieces` pieces.
 */
static int64_t piece_begin(int64_t cells, int64_t pieces, int grain, int64_t piece)
{
    int64_t units = (cells + grain - 1) / grain;
    int64_t at =
        units / pieces * piece + (piece < units % pieces ? piece : units % pieces);

    return at * grain < cells ? at * grain : cells;
}

int boxes_add_cut(struct boxes *boxes, struct box box, int64_t columns, int64_t rows,
                  int grain)
{
    int code = 0;

    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns && !code; i++) {
            struct box piece = {
                box.ilo + piece_begin(box_nx(box), columns, grain, i),
                box.jlo + piece_begin(box_ny(box), rows, grain, j),
                box.ilo + piece_begin(box_nx(box), columns, grain, i + 1),
                box.jlo + piece_begin(box_ny(box), rows, grain, j + 1),
            };

            code = boxes_add(boxes, piece);
        }
    return code;
}

static int compare(const void *a, const void *b)
{
    return box_compare(*(const struct box *)a, *(const struct box *)b);
}

void boxes_sort(struct boxes *boxes)
{
    if (boxes->count)
        qsort(boxes->at, (size_t)boxes->count, sizeof *boxes->at, compare);
}

void boxes_done(struct boxes *boxes)
{
    free(boxes->at);
    memset(boxes, 0, sizeof *boxes);
}
