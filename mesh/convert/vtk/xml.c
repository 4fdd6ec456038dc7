/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.c: write XML files of VTK. */
#include "mesh/convert/vtk/xml.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {[MESH_VTK_FLOAT] = {"Float32", 4},
             [MESH_VTK_DOUBLE] = {"Float64", 8},
             [MESH_VTK_INT] = {"Int32", 4},
             [MESH_VTK_LONG] = {"Int64", 8},
             [MESH_VTK_BYTE] = {"UInt8", 1}};

static size_t bytes_of(const struct mesh_vtk_array *array)
{
    return array->count * types[array->type].size;
}

void mesh_vtk_begin(FILE *to, const char *type, const char *version)
{
    const uint16_t one = 1;
    const char *order = *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";

    fprintf(to,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"%s\" version=\"%s\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n",
            type, version, order);
}

/* Write the declaration of an array, whose bytes are at `*offset` of the appended data.
 */
static void name_array(FILE *to, const struct mesh_vtk_array *array, uint64_t *offset)
{
    fprintf(to,
            "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
            "format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            types[array->type].name, array->name, array->components, *offset);
    *offset += sizeof *offset + bytes_of(array);
}

static void name_arrays(FILE *to, const char *section,
                        const struct mesh_vtk_array *arrays, size_t count,
                        uint64_t *offset)
{
    fprintf(to, "      <%s>\n", section);
    for (size_t i = 0; i < count; i++)
        name_array(to, &arrays[i], offset);
    fprintf(to, "      </%s>\n", section);
}

static void append_arrays(FILE *to, const struct mesh_vtk_array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = bytes_of(&arrays[i]);

        fwrite(&bytes, sizeof bytes, 1, to);
        fwrite(arrays[i].data, 1, bytes, to);
    }
}

void mesh_vtk_image(FILE *to, const int64_t extent[6], const double origin[3],
                    const double spacing[3], const struct mesh_vtk_array *arrays,
                    size_t array_count)
{
    char whole[160];
    uint64_t offset = 0;

    snprintf(whole, sizeof whole,
             "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
             extent[0], extent[1], extent[2], extent[3], extent[4], extent[5]);
    mesh_vtk_begin(to, "ImageData", "1.0");
    fprintf(to,
            "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" "
            "Spacing=\"%.17g %.17g %.17g\">\n"
            "    <Piece Extent=\"%s\">\n      <PointData>\n      </PointData>\n",
            whole, origin[0], origin[1], origin[2], spacing[0], spacing[1], spacing[2],
            whole);
    name_arrays(to, "CellData", arrays, array_count, &offset);
    fputs("    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_", to);
    append_arrays(to, arrays, array_count);
    fputs("\n  </AppendedData>\n</VTKFile>\n", to);
}

int mesh_vtk_points(FILE *to, const double *points, size_t count,
                    const struct mesh_vtk_array *arrays, size_t array_count)
{
    int64_t *numbers = malloc(2 * count * sizeof *numbers + 1);
    unsigned char *vertex = malloc(count + 1);
    struct mesh_vtk_array place = {"points", MESH_VTK_DOUBLE, 3, 3 * count, points};
    struct mesh_vtk_array cells[3] = {
        {"connectivity", MESH_VTK_LONG, 1, count, numbers},
        {"offsets", MESH_VTK_LONG, 1, count, numbers + count},
        {"types", MESH_VTK_BYTE, 1, count, vertex}};
    uint64_t offset = 0;

    if (!numbers || !vertex) {
        free(numbers);
        free(vertex);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (int64_t)i;
        numbers[count + i] = (int64_t)i + 1;
        vertex[i] = 1; /* VTK_VERTEX */
    }
    mesh_vtk_begin(to, "UnstructuredGrid", "1.0");
    fprintf(to,
            "  <UnstructuredGrid>\n"
            "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
            count, count);
    name_arrays(to, "Points", &place, 1, &offset);
    name_arrays(to, "Cells", cells, 3, &offset);
    name_arrays(to, "CellData", arrays, array_count, &offset);
    fputs("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_",
          to);
    append_arrays(to, &place, 1);
    append_arrays(to, cells, 3);
    append_arrays(to, arrays, array_count);
    fputs("\n  </AppendedData>\n</VTKFile>\n", to);
    free(numbers);
    free(vertex);
    return 0;
}
