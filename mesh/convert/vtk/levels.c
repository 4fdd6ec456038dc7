/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.c: write a mesh with levels as vtkOverlappingAMR: an image per box of each
 * level, and a file that lists them. */
#include "mesh/convert/vtk/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/convert/parts.h"

/* vtkDataSetAttributes::REFINEDCELL: a finer level covers the cell */
enum { REFINED = 8 };

struct level {
    struct mesh_key_box *boxes;
    int64_t count;
};

/* Return the bounding box of all blocks of a level; 0: there are no blocks. */
static int bounds_of(const struct mesh_vtk *vtk, size_t i, int level, int64_t lo[3],
                     int64_t hi[3])
{
    const struct mesh_step *step = mesh_profile_step(vtk->profile, i);
    int found = 0;

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(vtk->profile, b);

        if (f->level != level)
            continue;
        for (int d = 0; d < 3; d++) {
            lo[d] = found && lo[d] < f->lo[d] ? lo[d] : f->lo[d];
            hi[d] = found && hi[d] > f->hi[d] ? hi[d] : f->hi[d];
        }
        found = 1;
    }
    return found;
}

static void mark(const struct mm_mesh_frame *f, const int64_t lo[3], const int64_t n[3],
                 int32_t *keys)
{
    for (int64_t x = f->lo[0] - lo[0]; x < f->hi[0] - lo[0]; x++)
        for (int64_t y = f->lo[1] - lo[1]; y < f->hi[1] - lo[1]; y++)
            for (int64_t z = f->lo[2] - lo[2]; z < f->hi[2] - lo[2]; z++)
                keys[(x * n[1] + y) * n[2] + z] = 0;
}

/* Cover all cells of a level that have a value of any probe by few boxes. */
static int find_boxes(const struct mesh_vtk *vtk, size_t i, int level, struct level *out)
{
    const struct mesh_step *step = mesh_profile_step(vtk->profile, i);
    int64_t lo[3] = {0}, hi[3] = {0}, n[3], cells = 1;
    int32_t *keys;

    if (!bounds_of(vtk, i, level, lo, hi))
        return 0;
    for (int d = 0; d < 3; d++) {
        n[d] = hi[d] - lo[d];
        if (n[d] > MM_MESH_CELLS / cells)
            return cca_error_set(
                vtk->err, -ENOTSUP,
                "%s: level %d: found blocks too far apart for one picture",
                mesh_profile_path(vtk->profile), level);
        cells *= n[d];
    }
    keys = malloc((size_t)cells * sizeof *keys);
    if (!keys)
        return cca_no_memory(vtk->err);
    for (int64_t c = 0; c < cells; c++)
        keys[c] = MESH_NO_KEY;
    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++)
        if (mesh_profile_block(vtk->profile, b)->level == level)
            mark(mesh_profile_block(vtk->profile, b), lo, n, keys);
    out->count = mesh_boxes_cover(n, keys, &out->boxes);
    free(keys);
    if (out->count < 0) {
        out->count = 0;
        return cca_no_memory(vtk->err);
    }
    for (int64_t b = 0; b < out->count; b++)
        for (int d = 0; d < 3; d++) {
            out->boxes[b].lo[d] += lo[d];
            out->boxes[b].hi[d] += lo[d];
        }
    return 0;
}

/* --- Images --------------------------------------------------------------- */

/* Mark the cells of the box that are covered by finer cells. */
static void hide_refined(const struct mesh_vtk *vtk, const struct mesh_vtk_box *box,
                         const struct level *finer, unsigned char *ghost)
{
    int64_t n[3];

    for (int d = 0; d < 3; d++)
        n[d] = box->hi[d] - box->lo[d];
    for (int64_t b = 0; b < finer->count; b++) {
        int64_t lo[3], hi[3];

        for (int d = 0; d < 3; d++) {
            int64_t ratio = d < vtk->about->dims ? vtk->about->ratio : 1;
            int64_t first = (finer->boxes[b].lo[d] + ratio - 1) / ratio;
            int64_t end = finer->boxes[b].hi[d] / ratio;

            lo[d] = first > box->lo[d] ? first : box->lo[d];
            hi[d] = end < box->hi[d] ? end : box->hi[d];
        }
        for (int64_t z = lo[2]; z < hi[2]; z++)
            for (int64_t y = lo[1]; y < hi[1]; y++)
                for (int64_t x = lo[0]; x < hi[0]; x++)
                    ghost[((z - box->lo[2]) * n[1] + y - box->lo[1]) * n[0] + x -
                          box->lo[0]] = REFINED;
    }
}

static int write_box(const struct mesh_vtk *vtk, size_t i, int level,
                     const struct mesh_key_box *from, const struct level *finer,
                     const char *name)
{
    struct mesh_vtk_box box = {.level = level};
    unsigned char *ghost;
    size_t cells = 1;
    int result;

    memcpy(box.lo, from->lo, sizeof box.lo);
    memcpy(box.hi, from->hi, sizeof box.hi);
    for (int d = 0; d < 3; d++)
        cells *= (size_t)(box.hi[d] - box.lo[d]);
    ghost = calloc(cells, 1);
    result = ghost ? mesh_vtk_box_read(vtk, i, &box) : cca_no_memory(vtk->err);
    if (!result) {
        hide_refined(vtk, &box, finer, ghost);
        box.arrays[box.array_count++] =
            (struct mesh_vtk_array){"vtkGhostType", MESH_VTK_BYTE, 1, cells, ghost};
        ghost = NULL;
        result = mesh_vtk_box_write(vtk, &box, name);
    }
    free(ghost);
    mesh_vtk_box_done(&box);
    return result;
}

/* --- The file that lists the images --------------------------------------- */

/* In `amr_box` a dimension that the mesh lacks has no cells: its last index is -1. */
static void name_box(FILE *to, const struct mesh_vtk *vtk, int64_t number,
                     const struct mesh_key_box *box, const char *file)
{
    int64_t last[3];

    for (int d = 0; d < 3; d++)
        last[d] = d < vtk->about->dims ? box->hi[d] - 1 : -1;
    fprintf(to,
            "      <DataSet index=\"%" PRId64 "\" amr_box=\"%" PRId64 " %" PRId64
            " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\" file=\"%s\"/>\n",
            number, box->lo[0], last[0], box->lo[1], last[1], box->lo[2], last[2], file);
}

static void begin_level(FILE *to, const struct mesh_vtk *vtk, int level)
{
    double spacing[3] = {1, 1, 1};

    for (int d = 0; d < vtk->about->dims; d++)
        spacing[d] = vtk->about->spacing[d] / pow(vtk->about->ratio, level);
    fprintf(to, "    <Block level=\"%d\" spacing=\"%.17g %.17g %.17g\">\n", level,
            spacing[0], spacing[1], spacing[2]);
}

static int write_level(FILE *to, const struct mesh_vtk *vtk, size_t i, int level,
                       const struct level *levels, const char *base)
{
    static const struct level none = {0};
    const struct level *finer =
        level + 1 < vtk->about->levels ? &levels[level + 1] : &none;
    const char *slash = strrchr(base, '/');
    char name[MESH_VTK_NAME + 64];
    int result = 0;

    begin_level(to, vtk, level);
    for (int64_t b = 0; !result && b < levels[level].count; b++) {
        const struct mesh_key_box *box = &levels[level].boxes[b];

        snprintf(name, sizeof name, "%s_%d_%" PRId64 ".vti", base, level, b);
        name_box(to, vtk, b, box, name + (slash ? slash + 1 - base : 0));
        result = write_box(vtk, i, level, box, finer, name);
    }
    fputs("    </Block>\n", to);
    return result;
}

int mesh_vtk_levels(const struct mesh_vtk *vtk, size_t i, const char *base)
{
    struct level levels[MM_MESH_LEVELS] = {{0}};
    double origin[3] = {0, 0, 0};
    char name[MESH_VTK_NAME + 8];
    int result = 0;
    FILE *to;

    for (int l = 0; !result && l < vtk->about->levels; l++)
        result = find_boxes(vtk, i, l, &levels[l]);
    snprintf(name, sizeof name, "%s.vthb", base);
    to = result ? NULL : mesh_folder_open(vtk->folder, name, vtk->err);
    if (to) {
        memcpy(origin, vtk->about->origin, (size_t)vtk->about->dims * sizeof *origin);
        mesh_vtk_begin(to, "vtkOverlappingAMR", "1.1");
        fprintf(to,
                "  <vtkOverlappingAMR origin=\"%.17g %.17g %.17g\" "
                "grid_description=\"%s\">\n",
                origin[0], origin[1], origin[2], vtk->about->dims == 3 ? "XYZ" : "XY");
        for (int l = 0; !result && l < vtk->about->levels; l++)
            if (levels[l].count)
                result = write_level(to, vtk, i, l, levels, base);
        fputs("  </vtkOverlappingAMR>\n</VTKFile>\n", to);
        if (mesh_folder_close(vtk->folder, name, to, vtk->err) && !result)
            result = vtk->err->code;
    } else if (!result) {
        result = vtk->err->code;
    }
    for (int l = 0; l < vtk->about->levels; l++)
        free(levels[l].boxes);
    return result;
}
