/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.c: rectangles of cells copied from the tiles of one layout to those of
 * another. */
#include "components/AMRMesh/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int transfer_init(struct transfer *t, int size)
{
    memset(t, 0, sizeof *t);
    t->size = size;
    t->out = calloc((size_t)size, sizeof *t->out);
    t->in = calloc((size_t)size, sizeof *t->in);
    t->buffers = calloc(2 * (size_t)size, sizeof *t->buffers);
    if (t->out && t->in && t->buffers)
        return 0;
    transfer_done(t);
    return -ENOMEM;
}

static void buffers_free(struct transfer *t)
{
    for (int k = 0; k < 2 * t->size && t->buffers; k++) {
        free(t->buffers[k]);
        t->buffers[k] = NULL;
    }
}

void transfer_done(struct transfer *t)
{
    for (int rank = 0; rank < t->size; rank++) {
        if (t->out)
            free(t->out[rank].at);
        if (t->in)
            free(t->in[rank].at);
    }
    buffers_free(t);
    free(t->out);
    free(t->in);
    free(t->buffers);
    free(t->here.at);
    memset(t, 0, sizeof *t);
}

static int copies_add(struct copies *copies, struct copy copy)
{
    if (copies->count == copies->room) {
        int room = copies->room ? 2 * copies->room : 16;
        struct copy *grown = realloc(copies->at, (size_t)room * sizeof *grown);

        if (!grown)
            return -ENOMEM;
        copies->at = grown;
        copies->room = room;
    }
    copies->at[copies->count++] = copy;
    copies->cells += box_cells(copy.box);
    return 0;
}

int transfer_add(struct transfer *t, const struct ranks *ranks,
                 const struct layout *from_layout, const struct layout *to_layout,
                 struct copy copy)
{
    int owner = from_layout->tiles[copy.from].rank;
    int reader = to_layout->tiles[copy.to].rank;

    if (owner == ranks->rank && reader == ranks->rank)
        return copies_add(&t->here, copy);
    if (owner == ranks->rank)
        return copies_add(&t->out[reader], copy);
    if (reader == ranks->rank)
        return copies_add(&t->in[owner], copy);
    return 0;
}

int transfer_add_box(struct transfer *t, const struct ranks *ranks,
                     const struct layout *from_layout, const struct space *space,
                     const struct layout *to_layout, int to, struct box box,
                     struct images *images)
{
    int code = layout_find(from_layout, space, box, images);

    for (int k = 0; k < images->count && !code; k++) {
        struct image image = images->at[k];
        struct box source =
            box_shift(from_layout->tiles[image.tile].box, image.di, image.dj);
        struct copy copy = {image.tile, to, box_intersect(source, box), image.di,
                            image.dj};

        if (from_layout == to_layout && image.tile == to && !image.di && !image.dj)
            continue;
        code = transfer_add(t, ranks, from_layout, to_layout, copy);
    }
    return code;
}

/* One row of n values: `now`, or between old and now. */
static void row_copy(double *to, const double *now, const double *old, double fraction,
                     int64_t n)
{
    if (!old) {
        memcpy(to, now, (size_t)n * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        to[i] = (1. - fraction) * old[i] + fraction * now[i];
}

/* Copy the source of one copy to `to`, whose cell (ilo, jlo) of component 0 it is. */
static void copy_read(const struct transfer_values *v, const struct copy *copy,
                      double *to, ptrdiff_t pitch, ptrdiff_t plane)
{
    const struct tile *tile = &v->from_layout->tiles[copy->from];
    int64_t i = copy->box.ilo - copy->di, j = copy->box.jlo - copy->dj;
    ptrdiff_t now_pitch = store_pitch(v->now, tile->box);
    ptrdiff_t now_plane = store_plane(v->now, tile->box);
    const double *now = store_cell(v->now, tile, i, j);
    const double *old = v->old ? store_cell(v->old, tile, i, j) : NULL;
    ptrdiff_t old_pitch = v->old ? store_pitch(v->old, tile->box) : 0;
    ptrdiff_t old_plane = v->old ? store_plane(v->old, tile->box) : 0;

    for (int c = 0; c < v->now->components; c++)
        for (ptrdiff_t row = 0; row < box_ny(copy->box); row++)
            row_copy(to + c * plane + row * pitch, now + c * now_plane + row * now_pitch,
                     old ? old + c * old_plane + row * old_pitch : NULL, v->fraction,
                     box_nx(copy->box));
}

/* The same from a buffer to the target. */
static void copy_write(const struct transfer_values *v, const struct copy *copy,
                       const double *from)
{
    const struct tile *tile = &v->to_layout->tiles[copy->to];
    double *to = store_cell(v->to, tile, copy->box.ilo, copy->box.jlo);
    ptrdiff_t pitch = store_pitch(v->to, tile->box);
    ptrdiff_t plane = store_plane(v->to, tile->box);

    for (int c = 0; c < v->to->components; c++)
        for (ptrdiff_t row = 0; row < box_ny(copy->box); row++, from += box_nx(copy->box))
            memcpy(to + c * plane + row * pitch, from,
                   (size_t)box_nx(copy->box) * sizeof *to);
}

static void copies_run(const struct transfer_values *v, const struct copies *copies)
{
    for (int k = 0; k < copies->count; k++) {
        const struct copy *copy = &copies->at[k];
        const struct tile *tile = &v->to_layout->tiles[copy->to];

        copy_read(v, copy, store_cell(v->to, tile, copy->box.ilo, copy->box.jlo),
                  store_pitch(v->to, tile->box), store_plane(v->to, tile->box));
    }
}

static void copies_pack(const struct transfer_values *v, const struct copies *copies,
                        double *buffer)
{
    for (int k = 0; k < copies->count; k++) {
        const struct copy *copy = &copies->at[k];

        copy_read(v, copy, buffer, (ptrdiff_t)box_nx(copy->box),
                  (ptrdiff_t)box_cells(copy->box));
        buffer += box_cells(copy->box) * v->now->components;
    }
}

static void copies_unpack(const struct transfer_values *v, const struct copies *copies,
                          const double *buffer)
{
    for (int k = 0; k < copies->count; k++) {
        copy_write(v, &copies->at[k], buffer);
        buffer += box_cells(copies->at[k].box) * v->to->components;
    }
}

static size_t copies_bytes(const struct copies *copies, int components)
{
    return (size_t)copies->cells * (size_t)components * sizeof(double);
}

int transfer_begin(struct transfer *t, const struct ranks *ranks, int tag,
                   const struct transfer_values *v)
{
    int components = v->to->components, code = 0;

    buffers_free(t); /* of a run that failed */
    for (int rank = 0; rank < t->size && !code; rank++) {
        double **in = &t->buffers[t->size + rank];

        if (!t->in[rank].count)
            continue;
        *in = malloc(copies_bytes(&t->in[rank], components));
        code = *in ? ranks->port->receive(ranks->port, rank, tag, *in,
                                          copies_bytes(&t->in[rank], components))
                   : -ENOMEM;
    }
    for (int rank = 0; rank < t->size && !code; rank++) {
        double **out = &t->buffers[rank];

        if (!t->out[rank].count)
            continue;
        *out = malloc(copies_bytes(&t->out[rank], components));
        if (*out)
            copies_pack(v, &t->out[rank], *out);
        code = *out ? ranks->port->send(ranks->port, rank, tag, *out,
                                        copies_bytes(&t->out[rank], components))
                    : -ENOMEM;
    }
    /* Overlaps with the messages. */
    if (!code)
        copies_run(v, &t->here);
    return code;
}

void transfer_end(struct transfer *t, const struct transfer_values *v)
{
    for (int rank = 0; rank < t->size; rank++)
        if (t->in[rank].count)
            copies_unpack(v, &t->in[rank], t->buffers[t->size + rank]);
    buffers_free(t);
}

int ranks_wait(const struct ranks *ranks)
{
    return ranks->port ? ranks->port->wait(ranks->port) : 0;
}

int transfer_run(struct transfer *t, const struct ranks *ranks, int tag,
                 const struct transfer_values *v)
{
    int code = transfer_begin(t, ranks, tag, v);

    if (!code)
        code = ranks_wait(ranks);
    if (!code)
        transfer_end(t, v);
    return code;
}

int64_t transfer_cells_received(const struct transfer *t)
{
    int64_t cells = 0;

    for (int rank = 0; rank < t->size; rank++)
        cells += t->in[rank].cells;
    return cells;
}

int64_t transfer_cells(const struct transfer *t)
{
    return t->here.cells + transfer_cells_received(t);
}

int transfer_peers(const struct transfer *t, const struct transfer *other)
{
    int peers = 0;

    for (int rank = 0; rank < t->size; rank++)
        peers += t->in[rank].count || t->out[rank].count ||
                 (other->size && (other->in[rank].count || other->out[rank].count));
    return peers;
}
