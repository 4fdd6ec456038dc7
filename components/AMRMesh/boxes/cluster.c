/* SPDX-License-Identifier: BSD-3-Clause */
/* cluster.c: boxes around flagged cells, after Berger and Rigoutsos. */
#include "components/AMRMesh/boxes/cluster.h"

#include <errno.h>
#include <stdlib.h>

/* Kinds of cuts, from worst to best. */
enum cut_kind { CUT_NONE, CUT_HALF, CUT_INFLECTION, CUT_HOLE };

struct cut {
    enum cut_kind kind;
    int64_t strength; /* strength of a cut at an inflection: the jump of the second
                       * difference */
    int64_t length;   /* number of cells along the axis */
    int64_t at; /* first cell of the upper part, counted from the box's first cell */
};

/* Count the flags in each column (axis 0) or row (axis 1) of `box`: signature[cells along
 * the axis]. */
static void signature_count(const struct mask *flags, struct box box, int axis,
                            int64_t *signature)
{
    for (int64_t k = 0; k < (axis ? box_ny(box) : box_nx(box)); k++)
        signature[k] = 0;
    for (int64_t j = box.jlo; j < box.jhi; j++) {
        const unsigned char *row = mask_row(flags, j) - flags->box.ilo;

        for (int64_t i = box.ilo; i < box.ihi; i++)
            signature[axis ? j - box.jlo : i - box.ilo] += row[i];
    }
}

/* Return the smallest box around the flagged cells in `box`; it is empty if there are
 * none. */
static struct box box_shrink(const struct mask *flags, struct box box, int64_t *signature)
{
    int64_t low, high;

    for (int axis = 0; axis < 2 && !box_empty(box); axis++) {
        signature_count(flags, box, axis, signature);
        low = 0;
        high = axis ? box_ny(box) : box_nx(box);
        while (low < high && !signature[low])
            low++;
        while (high > low && !signature[high - 1])
            high--;
        if (axis)
            box = (struct box){box.ilo, box.jlo + low, box.ihi, box.jlo + high};
        else
            box = (struct box){box.ilo + low, box.jlo, box.ilo + high, box.jhi};
    }
    return box;
}

/* True if `at` is nearer to the middle of the axis than the best cut so far. */
static int is_nearer(const struct cut *cut, int64_t at)
{
    return llabs(2 * at - cut->length) < llabs(2 * cut->at - cut->length);
}

/* Find the best cut of one axis of `n` cells, of which the first and the last have
 * flags. */
static struct cut cut_find(const int64_t *signature, int64_t n)
{
    struct cut cut = {n < 2 ? CUT_NONE : CUT_HALF, 0, n, n / 2};

    for (int64_t k = 1; k < n - 1; k++)
        if (!signature[k] && (cut.kind != CUT_HOLE || is_nearer(&cut, k)))
            cut = (struct cut){CUT_HOLE, 0, n, k};
    if (cut.kind == CUT_HOLE)
        return cut;
    /* second differences at k - 1 and k; the cut is between these cells */
    for (int64_t k = 2; k < n - 1; k++) {
        int64_t low = signature[k - 2] - 2 * signature[k - 1] + signature[k];
        int64_t high = signature[k - 1] - 2 * signature[k] + signature[k + 1];
        int64_t jump = llabs(high - low);

        if ((low < 0 && high > 0) || (low > 0 && high < 0))
            if (cut.kind != CUT_INFLECTION || jump > cut.strength ||
                (jump == cut.strength && is_nearer(&cut, k)))
                cut = (struct cut){CUT_INFLECTION, jump, n, k};
    }
    return cut;
}

/* Compare cuts of two axes: > 0 if `a` is better, 0 if they are equally good. */
static int cut_compare(const struct cut *a, const struct cut *b)
{
    if (a->kind != b->kind)
        return a->kind > b->kind ? 1 : -1;
    if (a->strength != b->strength)
        return a->strength > b->strength ? 1 : -1;
    return a->length > b->length ? 1 : a->length < b->length ? -1 : 0;
}

struct clustering {
    const struct mask *flags;
    double efficiency;
    int64_t *signature; /* temporary memory for the signature of one axis */
    struct boxes *boxes;
};

static int box_cluster(const struct clustering *c, struct box box)
{
    struct cut x, y;
    int better, code = 0;

    box = box_shrink(c->flags, box, c->signature);
    if (box_empty(box))
        return 0;
    if ((double)mask_count(c->flags, box) >= c->efficiency * (double)box_cells(box))
        return boxes_add(c->boxes, box);
    signature_count(c->flags, box, 0, c->signature);
    x = cut_find(c->signature, box_nx(box));
    signature_count(c->flags, box, 1, c->signature);
    y = cut_find(c->signature, box_ny(box));
    better = cut_compare(&x, &y);
    /* an axis that is not cut has one part with all cells, and an empty part */
    if (better < 0)
        x.at = box_nx(box);
    if (better > 0)
        y.at = box_ny(box);
    for (int part = 0; part < 4 && !code; part++) {
        struct box piece = {
            part & 1 ? box.ilo + x.at : box.ilo, part & 2 ? box.jlo + y.at : box.jlo,
            part & 1 ? box.ihi : box.ilo + x.at, part & 2 ? box.jhi : box.jlo + y.at};

        if (!box_empty(piece))
            code = box_cluster(c, piece);
    }
    return code;
}

int cluster_find(const struct mask *flags, double efficiency, struct boxes *boxes)
{
    int64_t nx = box_nx(flags->box), ny = box_ny(flags->box);
    struct boxes found = {0};
    struct clustering c = {flags, efficiency, NULL, &found};
    int code;

    if (box_empty(flags->box))
        return 0;
    c.signature = malloc((size_t)(nx > ny ? nx : ny) * sizeof *c.signature);
    code = c.signature ? box_cluster(&c, flags->box) : -ENOMEM;
    free(c.signature);
    boxes_sort(&found);
    for (int k = 0; k < found.count && !code; k++)
        code = boxes_add(boxes, found.at[k]);
    boxes_done(&found);
    return code;
}
