/* SPDX-License-Identifier: BSD-3-Clause */
/* patch.c: one patch of a grid of patches. */
#include "components/UniformMesh/patch.h"

struct mesh_patch patch_place(const struct mesh_domain *domain, const struct cut *x,
                              const struct cut *y, int number, int index, int ghost)
{
    int column = number % x->parts, row = number / x->parts;
    struct mesh_patch patch = {
        .index = index,
        .number = number,
        .ilo = x->start[column],
        .jlo = y->start[row],
        .nx = cut_size(x, column),
        .ny = cut_size(y, row),
        .ghost = ghost,
        .dx = (domain->xhi - domain->xlo) / (double)domain->nx,
        .dy = (domain->yhi - domain->ylo) / (double)domain->ny,
    };

    patch.pitch = (ptrdiff_t)patch.nx + 2 * ghost;
    patch.plane = patch.pitch * ((ptrdiff_t)patch.ny + 2 * ghost);
    patch.xlo = domain->xlo + (double)patch.ilo * patch.dx;
    patch.ylo = domain->ylo + (double)patch.jlo * patch.dy;
    if (!domain->periodic_x)
        patch.boundary |= (unsigned)(column == 0) << MESH_XLO |
                          (unsigned)(column == x->parts - 1) << MESH_XHI;
    if (!domain->periodic_y)
        patch.boundary |= (unsigned)(row == 0) << MESH_YLO |
                          (unsigned)(row == y->parts - 1) << MESH_YHI;
    return patch;
}
