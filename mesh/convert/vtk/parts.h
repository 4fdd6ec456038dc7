/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: types and functions shared by the files that write VTK. */
#ifndef MESH_CONVERT_VTK_PARTS_H
#define MESH_CONVERT_VTK_PARTS_H

#include "mesh/convert/parts.h"
#include "mesh/convert/vtk/xml.h"
#include "mesh/trace/profile.h"

enum { MESH_VTK_NAME = 200 }; /* longest file name in the folder, bytes */

struct mesh_vtk {
    struct mesh_profile *profile;
    const struct mm_mesh_about *about;
    struct mesh_folder *folder;
    struct cca_error *err;
};

/* A box of cells of one level with arrays of their values, x fastest. */
struct mesh_vtk_box {
    int level;
    int64_t lo[3], hi[3];
    struct mesh_vtk_array arrays[MM_MESH_PROBES + 2];
    size_t array_count;
};

/* Read the values of all probes and the ranks of a box in step i. Returns 0 or an error;
 * call mesh_vtk_box_done in either case. */
int mesh_vtk_box_read(const struct mesh_vtk *vtk, size_t i, struct mesh_vtk_box *box);
/* Write the box as a VTK image. Returns 0 or an error. */
int mesh_vtk_box_write(const struct mesh_vtk *vtk, const struct mesh_vtk_box *box,
                       const char *name);
void mesh_vtk_box_done(struct mesh_vtk_box *box);

/* levels.c: write step i of a mesh with levels as NAME.vthb and a folder of images;
 * `name` is the file's name without extension. Returns 0 or an error. */
int mesh_vtk_levels(const struct mesh_vtk *vtk, size_t i, const char *name);

#endif
