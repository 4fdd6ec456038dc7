/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong.c: cells of a level computed from the coarser level. */
#include "components/AMRMesh/prolong.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int prolongation_init(struct prolongation *p, int size)
{
    memset(p, 0, sizeof *p);
    return transfer_init(&p->fill, size);
}

void prolongation_done(struct prolongation *p)
{
    layout_done(&p->under);
    store_done(&p->values);
    transfer_done(&p->fill);
    free(p->targets);
    memset(p, 0, sizeof *p);
}

int prolongation_add(struct prolongation *p, const struct space *coarse_space,
                     const struct layout *fine, int tile, struct box box)
{
    struct box under = space_clip(coarse_space, box_grow(box_coarsen(box, AMR_RATIO), 1));

    if (p->under.count == p->room) {
        int room = p->room ? 2 * p->room : 16;
        struct target *grown = realloc(p->targets, (size_t)room * sizeof *grown);

        if (!grown)
            return -ENOMEM;
        p->targets = grown;
        p->room = room;
    }
    p->targets[p->under.count] = (struct target){tile, box};
    return layout_add(&p->under, under, fine->tiles[tile].rank);
}

int prolongation_plan(struct prolongation *p, const struct ranks *ranks,
                      const struct layout *coarse, const struct space *coarse_space)
{
    struct images images = {0};
    int code = layout_share(&p->under, ranks->rank, ranks->size);

    for (int k = 0; k < p->under.count && !code; k++)
        code = transfer_add_box(&p->fill, ranks, coarse, coarse_space, &p->under, k,
                                p->under.tiles[k].box, &images);
    images_done(&images);
    return code;
}

int prolongation_begin(struct prolongation *p, const struct ranks *ranks, int tag,
                       const struct layout *coarse, const struct store *now,
                       const struct store *old, double fraction)
{
    struct transfer_values values = {coarse, &p->under, now, old, fraction, &p->values};
    int code;

    store_done(&p->values);
    code = store_init(&p->values, &p->under, now->components, 0);
    return code ? code : transfer_begin(&p->fill, ranks, tag, &values);
}

/* Van Leer's monotonized central slope, from the differences to both neighbours. */
static double slope_limit(double low, double high)
{
    double middle = .5 * (low + high), most;

    if (!(low * high > 0.))
        return 0.;
    most = 2. * fmin(fabs(low), fabs(high));
    return fabs(middle) < most ? middle : copysign(most, middle);
}

/* The slope of coarse cell `at`, whose neighbours are `stride` away; zero where one is
 * missing, at the end of the domain. */
static double cell_slope(const double *at, ptrdiff_t stride, int has_low, int has_high)
{
    return has_low && has_high ? slope_limit(at[0] - at[-stride], at[stride] - at[0])
                               : 0.;
}

/* The cells of `target` above coarse cell (i, j), one component. `from` is the coarse
 * cell, `to` cell (0, 0) of the fine level in the storage of its tile. */
static void cell_prolong(const struct box *under, struct box target, const double *from,
                         ptrdiff_t from_pitch, int64_t i, int64_t j, double *to,
                         ptrdiff_t to_pitch)
{
    double x = .25 * cell_slope(from, 1, i > under->ilo, i + 1 < under->ihi);
    double y = .25 * cell_slope(from, from_pitch, j > under->jlo, j + 1 < under->jhi);
    struct box cell = {i, j, i + 1, j + 1};
    struct box fine = box_intersect(box_refine(cell, AMR_RATIO), target);

    for (int64_t fj = fine.jlo; fj < fine.jhi; fj++)
        for (int64_t fi = fine.ilo; fi < fine.ihi; fi++)
            to[fj * to_pitch + fi] =
                *from + ((fi > AMR_RATIO * i ? x : -x) + (fj > AMR_RATIO * j ? y : -y));
}

static void target_prolong(const struct prolongation *p, int k, const struct layout *fine,
                           struct store *to)
{
    const struct tile *under = &p->under.tiles[k];
    const struct tile *tile = &fine->tiles[p->targets[k].tile];
    struct box target = p->targets[k].box, cells = box_coarsen(target, AMR_RATIO);
    ptrdiff_t pitch = store_pitch(to, tile->box), plane = store_plane(to, tile->box);
    ptrdiff_t from_pitch = store_pitch(&p->values, under->box);
    ptrdiff_t from_plane = store_plane(&p->values, under->box);
    ptrdiff_t origin = (tile->box.jlo - to->ghost) * pitch + tile->box.ilo - to->ghost;

    for (int c = 0; c < to->components; c++)
        for (int64_t j = cells.jlo; j < cells.jhi; j++) {
            const double *from =
                store_cell(&p->values, under, cells.ilo, j) + c * from_plane;

            for (int64_t i = cells.ilo; i < cells.ihi; i++, from++)
                cell_prolong(&under->box, target, from, from_pitch, i, j,
                             to->data[tile->local] + c * plane - origin, pitch);
        }
}

void prolongation_end(struct prolongation *p, const struct layout *coarse,
                      const struct layout *fine, struct store *to)
{
    struct transfer_values values = {coarse, &p->under, NULL, NULL, 1., &p->values};

    transfer_end(&p->fill, &values);
    for (int k = 0; k < p->under.local_count; k++)
        target_prolong(p, p->under.locals[k], fine, to);
    store_done(&p->values);
}

int64_t prolongation_cells(const struct prolongation *p)
{
    int64_t cells = 0;

    for (int k = 0; k < p->under.local_count; k++)
        cells += box_cells(p->targets[p->under.locals[k]].box);
    return cells;
}
