/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.c: owners of patches, and their ghost cells: copies within a rank and messages
 * between ranks.
 *
 * Sender and receiver list all patches and runs in the same order, so a message contains
 * only values. */
#include "components/UniformMesh/ghosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { GHOST_TAG = 1 };

static int piece_add(struct message *message, struct piece piece)
{
    if (cca_array_reserve(&message->pieces, (size_t)message->count,
                          sizeof *message->pieces))
        return -ENOMEM;
    message->pieces[message->count++] = piece;
    message->cells += (size_t)piece.nx * (size_t)piece.ny;
    return 0;
}

/* Plan one rectangle of ghost cells of patch `to`, which patch `from` owns. */
static int piece_plan(struct ghosts *g, int to, int from, const struct cut_run *x,
                      const struct cut_run *y)
{
    int reader = g->owners[to], owner = g->owners[from];

    if (owner == reader)
        return 0;
    if (owner == g->rank)
        return piece_add(&g->out[reader], (struct piece){g->locals[from], x->from,
                                                         y->from, x->count, y->count});
    if (reader == g->rank)
        return piece_add(&g->in[owner], (struct piece){g->locals[to], x->begin, y->begin,
                                                       x->count, y->count});
    return 0;
}

static int patch_plan(struct ghosts *g, const struct cut *x_cut, const struct cut *y_cut,
                      int patch)
{
    int x_count, y_count, code = 0;
    const struct cut_run *x = cut_runs(x_cut, patch % x_cut->parts, &x_count);
    const struct cut_run *y = cut_runs(y_cut, patch / x_cut->parts, &y_count);

    for (int j = 0; j < y_count; j++)
        for (int i = 0; i < x_count && !code; i++)
            if (!x[i].interior || !y[j].interior)
                code = piece_plan(g, patch, y[j].part * x_cut->parts + x[i].part, &x[i],
                                  &y[j]);
    return code;
}

/* Set the owner of each patch. Returns 0 or -ENOMEM. */
static int patches_share(struct ghosts *g, int patches, const int *owners)
{
    g->owners = malloc((size_t)patches * sizeof *g->owners);
    g->locals = malloc((size_t)patches * sizeof *g->locals);
    g->mine = malloc((size_t)patches * sizeof *g->mine);
    if (!g->owners || !g->locals || !g->mine)
        return -ENOMEM;
    for (int patch = 0; patch < patches; patch++) {
        g->owners[patch] =
            owners ? owners[patch] : ghosts_owner(patches, g->ranks, patch);
        g->locals[patch] = g->owners[patch] == g->rank ? g->count : -1;
        if (g->locals[patch] >= 0)
            g->mine[g->count++] = patch;
    }
    return 0;
}

int ghosts_init(struct ghosts *g, const struct cut *x, const struct cut *y, int rank,
                int ranks, const int *owners)
{
    int patches = x->parts * y->parts, code;

    memset(g, 0, sizeof *g);
    g->rank = rank;
    g->ranks = ranks;
    code = patches_share(g, patches, owners);
    g->out = calloc((size_t)ranks, sizeof *g->out);
    g->in = calloc((size_t)ranks, sizeof *g->in);
    if (!g->out || !g->in)
        code = -ENOMEM;
    for (int patch = 0; patch < patches && ranks > 1 && !code; patch++)
        code = patch_plan(g, x, y, patch);
    if (code)
        ghosts_done(g);
    return code;
}

static void messages_free(struct message *messages, int ranks)
{
    for (int rank = 0; messages && rank < ranks; rank++) {
        free(messages[rank].pieces);
        free(messages[rank].buffer);
    }
    free(messages);
}

void ghosts_done(struct ghosts *g)
{
    messages_free(g->out, g->ranks);
    messages_free(g->in, g->ranks);
    free(g->owners);
    free(g->locals);
    free(g->mine);
    memset(g, 0, sizeof *g);
}

static int message_reserve(struct message *message, int components)
{
    double *grown;

    if (!message->cells)
        return 0;
    grown = realloc(message->buffer, message->cells * (size_t)components * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    message->buffer = grown;
    return 0;
}

int ghosts_reserve(struct ghosts *g, int components)
{
    if (components <= g->components)
        return 0;
    for (int rank = 0; rank < g->ranks; rank++)
        if (message_reserve(&g->out[rank], components) ||
            message_reserve(&g->in[rank], components))
            return -ENOMEM;
    g->components = components;
    return 0;
}

/* Return the offset of a piece's first cell in the field of its patch. */
static ptrdiff_t piece_start(const struct piece *piece, const struct mesh_patch *patch)
{
    return (piece->j + patch->ghost) * patch->pitch + piece->i + patch->ghost;
}

/* Copy all pieces of a message between their patches and its buffer. */
static void message_copy(const struct message *message, const struct mesh_patch *patches,
                         double *const *data, int components, int to_buffer)
{
    double *buffer = message->buffer;

    for (int n = 0; n < message->count; n++) {
        const struct piece *piece = &message->pieces[n];
        const struct mesh_patch *patch = &patches[piece->patch];
        double *cells = data[piece->patch] + piece_start(piece, patch);
        size_t row = (size_t)piece->nx * sizeof *cells;

        for (int c = 0; c < components; c++)
            for (int j = 0; j < piece->ny; j++, buffer += piece->nx) {
                double *at = cells + c * patch->plane + j * patch->pitch;

                memcpy(to_buffer ? buffer : at, to_buffer ? at : buffer, row);
            }
    }
}

/* Copy a rectangle of all components from the interior of one patch to ghost cells of
 * another, if both are on this rank. Returns the number of cells. */
static int64_t run_copy(const struct ghosts *g, const struct cut *x_cut,
                        const struct mesh_patch *patches, double *const *data,
                        int components, int index, const struct cut_run *x,
                        const struct cut_run *y)
{
    int owner = g->locals[y->part * x_cut->parts + x->part];
    const struct mesh_patch *to = &patches[index], *from;

    if (owner < 0)
        return 0; /* the rectangle arrives in a message */
    from = &patches[owner];
    for (int c = 0; c < components; c++) {
        double *target = data[index] + c * to->plane +
                         (y->begin + to->ghost) * to->pitch + x->begin + to->ghost;
        const double *source = data[owner] + c * from->plane +
                               (y->from + from->ghost) * from->pitch + x->from +
                               from->ghost;

        for (int j = 0; j < y->count; j++)
            memcpy(target + j * to->pitch, source + j * from->pitch,
                   (size_t)x->count * sizeof *target);
    }
    return (int64_t)x->count * y->count;
}

int64_t ghosts_copy(const struct ghosts *g, const struct cut *x_cut,
                    const struct cut *y_cut, const struct mesh_patch *patches,
                    double *const *data, int components)
{
    int64_t filled = 0;

    for (int index = 0; index < g->count; index++) {
        int x_count, y_count, patch = g->mine[index];
        const struct cut_run *x = cut_runs(x_cut, patch % x_cut->parts, &x_count);
        const struct cut_run *y = cut_runs(y_cut, patch / x_cut->parts, &y_count);

        for (int j = 0; j < y_count; j++)
            for (int i = 0; i < x_count; i++)
                if (!x[i].interior || !y[j].interior)
                    filled += run_copy(g, x_cut, patches, data, components, index, &x[i],
                                       &y[j]);
    }
    return filled;
}

static size_t message_bytes(const struct message *message, int components)
{
    return message->cells * (size_t)components * sizeof(double);
}

int ghosts_begin(struct ghosts *g, struct exchange_port *port,
                 const struct mesh_patch *patches, double *const *data, int components)
{
    int code = 0;

    for (int rank = 0; rank < g->ranks && !code; rank++)
        if (g->in[rank].count)
            code = port->receive(port, rank, GHOST_TAG, g->in[rank].buffer,
                                 message_bytes(&g->in[rank], components));
    for (int rank = 0; rank < g->ranks && !code; rank++) {
        if (!g->out[rank].count)
            continue;
        message_copy(&g->out[rank], patches, data, components, 1);
        code = port->send(port, rank, GHOST_TAG, g->out[rank].buffer,
                          message_bytes(&g->out[rank], components));
    }
    return code;
}

int ghosts_end(struct ghosts *g, struct exchange_port *port,
               const struct mesh_patch *patches, double *const *data, int components,
               int64_t *cells)
{
    int code = port->wait(port);

    for (int rank = 0; rank < g->ranks && !code; rank++) {
        if (!g->in[rank].count)
            continue;
        message_copy(&g->in[rank], patches, data, components, 0);
        *cells += (int64_t)g->in[rank].cells;
    }
    return code;
}

int64_t ghosts_bytes(const struct ghosts *g, int components)
{
    size_t bytes = 0;

    for (int rank = 0; rank < g->ranks; rank++)
        bytes += message_bytes(&g->in[rank], components) +
                 message_bytes(&g->out[rank], components);
    return (int64_t)bytes;
}

int ghosts_peers(const struct ghosts *g)
{
    int peers = 0;

    for (int rank = 0; rank < g->ranks; rank++)
        peers += g->in[rank].count || g->out[rank].count;
    return peers;
}
