/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.h: write XML files of VTK with arrays as appended raw binary data: each array is
 * preceded by its number of bytes as 64 bits. */
#ifndef MESH_CONVERT_VTK_XML_H
#define MESH_CONVERT_VTK_XML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum mesh_vtk_type {
    MESH_VTK_FLOAT,
    MESH_VTK_DOUBLE,
    MESH_VTK_INT,
    MESH_VTK_LONG,
    MESH_VTK_BYTE
};

/* An array of `count` values; `data` is borrowed. */
struct mesh_vtk_array {
    const char *name; /* name of the array: letters, digits, _ . + - */
    enum mesh_vtk_type type;
    int components; /* values per tuple */
    size_t count;   /* number of values, in all tuples together */
    const void *data;
};

/* Write the head of a file of VTK type `type`, in a version of the format whose byte
 * counts have 64 bits. */
void mesh_vtk_begin(FILE *to, const char *type, const char *version);

/* Write a complete .vti file of cells of equal size: `extent` is in points (first and
 * last of x, y, z), arrays have a value per cell, x fastest. */
void mesh_vtk_image(FILE *to, const int64_t extent[6], const double origin[3],
                    const double spacing[3], const struct mesh_vtk_array *arrays,
                    size_t array_count);

/* Write a complete .vtu file of points, each a cell of its own; `points` has 3 doubles
 * per point. Returns 0 or -ENOMEM. */
int mesh_vtk_points(FILE *to, const double *points, size_t count,
                    const struct mesh_vtk_array *arrays, size_t array_count);

#endif
