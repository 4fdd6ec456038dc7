/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c: gather all patches of a field in one array on rank 0, patch by patch. */
#include "components/UniformMesh/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER_TAG = 2 };

/* Copy the interior of patch `patch`, counted over all ranks, to its cells of the domain.
 */
static void place(const struct gathering *g, int patch, const double *data,
                  ptrdiff_t pitch, ptrdiff_t plane, double *values)
{
    int column = patch % g->x->parts, row = patch / g->x->parts;
    int64_t nx = g->x->start[g->x->parts], ny = g->y->start[g->y->parts];
    size_t bytes = (size_t)cut_size(g->x, column) * sizeof *values;

    for (int c = 0; c < g->components; c++)
        for (int j = 0; j < cut_size(g->y, row); j++)
            memcpy(values + (c * ny + g->y->start[row] + j) * nx + g->x->start[column],
                   data + c * plane + j * pitch, bytes);
}

static int receive_all(const struct gathering *g, struct exchange_port *port,
                       double *buffer, double *values)
{
    int patches = g->x->parts * g->y->parts, code = 0;

    for (int patch = 0; patch < patches && !code; patch++) {
        int nx = cut_size(g->x, patch % g->x->parts),
            ny = cut_size(g->y, patch / g->x->parts);
        ptrdiff_t plane = (ptrdiff_t)nx * ny;

        if (g->ghosts->owners[patch] == 0)
            continue;
        code = port->receive(port, g->ghosts->owners[patch], GATHER_TAG, buffer,
                             (size_t)(plane * g->components) * sizeof *buffer);
        if (!code)
            code = port->wait(port);
        if (!code)
            place(g, patch, buffer, nx, plane, values);
    }
    return code;
}

static int send_all(const struct gathering *g, struct exchange_port *port, double *buffer)
{
    int code = 0;

    for (int index = 0; index < g->ghosts->count && !code; index++) {
        const struct mesh_patch *p = &g->patches[index];
        const double *data = g->data[index] + p->ghost * p->pitch + p->ghost;
        double *end = buffer;

        for (int c = 0; c < g->components; c++)
            for (int j = 0; j < p->ny; j++, end += p->nx)
                memcpy(end, data + c * p->plane + j * p->pitch,
                       (size_t)p->nx * sizeof *end);
        code =
            port->send(port, 0, GATHER_TAG, buffer, (size_t)(end - buffer) * sizeof *end);
        if (!code)
            code = port->wait(port);
    }
    return code;
}

int gather(const struct gathering *g, struct exchange_port *port, double *values)
{
    size_t largest =
        (size_t)cut_size(g->x, 0) * (size_t)cut_size(g->y, 0); /* largest patch */
    double *buffer;
    int code;

    for (int index = 0; index < g->ghosts->count && g->ghosts->rank == 0; index++) {
        const struct mesh_patch *p = &g->patches[index];

        place(g, g->ghosts->mine[index], g->data[index] + p->ghost * p->pitch + p->ghost,
              p->pitch, p->plane, values);
    }
    if (!port || g->ghosts->ranks == 1)
        return 0;
    buffer = malloc(largest * (size_t)g->components * sizeof *buffer);
    if (!buffer)
        return -ENOMEM;
    code = g->ghosts->rank == 0 ? receive_all(g, port, buffer, values)
                                : send_all(g, port, buffer);
    free(buffer);
    return code;
}
