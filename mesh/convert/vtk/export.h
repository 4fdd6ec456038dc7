/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: a profile as files of VTK, for ParaView. */
#ifndef MESH_CONVERT_VTK_EXPORT_H
#define MESH_CONVERT_VTK_EXPORT_H

#include "mesh/convert/given_profile.h"
#include "mesh/trace/profile.h"

/* Steps that are exported: indices first <= i < end. */
struct mesh_vtk_steps {
    size_t first, end;
};

/* Write the new folder `output`: NAME.pvd, which names all steps with their times, and
 * NAME/ with a file for each: .vti of a grid, .vthb with .vti of its boxes where there
 * are levels, .vtu of elements. Arrays of cells: each probe, NAN where it was not told,
 * and `rank`, -1 where none. 0; -ENOTSUP levels of one dimension, or too large; -EEXIST
 * or another error of the place; -EBADMSG a damaged profile; -ENOMEM or an I/O error. */
int mesh_export_vtk(struct mesh_profile *profile, struct mesh_vtk_steps steps,
                    const char *output, mesh_progress_fn *progress, void *context,
                    struct cca_error *err);

#endif
