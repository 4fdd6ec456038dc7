/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: export a profile as VTK files, for ParaView. */
#ifndef MESH_CONVERT_VTK_EXPORT_H
#define MESH_CONVERT_VTK_EXPORT_H

#include "mesh/convert/parts.h"
#include "mesh/trace/profile.h"

/* The steps to export: indices first <= i < end. */
struct mesh_vtk_steps {
    size_t first, end;
};

/* Write the new folder `output`: NAME.pvd lists all steps with their times; NAME/ has a
 * file per step: .vti of a grid, .vthb and a .vti per box if there are levels, .vtu of
 * elements. The arrays of cells are one for each probe, with NAN in cells without a
 * value, and `rank`, -1 in cells without an owner. Returns 0; -ENOTSUP: levels of one
 * dimension, or too large; -EEXIST or another error of the path `output`; -EBADMSG: a
 * damaged profile; -ENOMEM or an I/O error. */
int mesh_export_vtk(struct mesh_profile *profile, struct mesh_vtk_steps steps,
                    const char *output, mesh_progress_fn *progress, void *context,
                    struct cca_error *err);

#endif
