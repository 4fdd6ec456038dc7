/* SPDX-License-Identifier: BSD-3-Clause */
/* patches.h: count the cells, faces and bytes of this rank's patches, for mesh
 * components. */
#ifndef COMPONENTS_PATCHES_H
#define COMPONENTS_PATCHES_H

#include "ports/mesh_port.h"

/* Implements `size` of the mesh port for [count] patches whose fields take
 * `field_bytes`. */
static inline void patches_size(const struct mesh_patch *at, int count,
                                int64_t field_bytes, int64_t *cells, int64_t *faces,
                                int64_t *patches, int64_t *bytes)
{
    int64_t cell_sum = 0, face_sum = 0;

    for (int k = 0; k < count; k++) {
        int64_t nx = at[k].nx, ny = at[k].ny;

        cell_sum += nx * ny;
        face_sum += (nx + 1) * ny + nx * (ny + 1);
    }
    if (cells)
        *cells = cell_sum;
    if (faces)
        *faces = face_sum;
    if (patches)
        *patches = count;
    if (bytes)
        *bytes = field_bytes;
}

#endif
