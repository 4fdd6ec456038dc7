/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c: export a profile as VTK files: a file for each step, of a grid or of
 * elements, and the list of steps. */
#include "mesh/convert/vtk/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/convert/vtk/parts.h"

/* --- Boxes ---------------------------------------------------------------- */

/* Transpose values of 4 bytes from dimension 2 fastest to dimension 0 fastest. */
static void turn(const int64_t n[3], const uint32_t *from, uint32_t *to)
{
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t j = 0; j < n[1]; j++)
            for (int64_t k = 0; k < n[2]; k++)
                to[(k * n[1] + j) * n[0] + i] = *from++;
}

static void add_array(struct mesh_vtk_box *box, const char *name, enum mesh_vtk_type type,
                      size_t count, const void *data)
{
    box->arrays[box->array_count++] = (struct mesh_vtk_array){name, type, 1, count, data};
}

int mesh_vtk_box_read(const struct mesh_vtk *vtk, size_t i, struct mesh_vtk_box *box)
{
    int probes = mesh_profile_probes(vtk->profile);
    int64_t n[3], told = 0;
    uint32_t *scratch, *ranks, *values;
    int32_t *owners;
    size_t cells;

    for (int d = 0; d < 3; d++)
        n[d] = box->hi[d] - box->lo[d];
    cells = (size_t)(n[0] * n[1] * n[2]);
    scratch = calloc(cells, sizeof *scratch);
    owners = calloc(cells, sizeof *owners);
    ranks = calloc(cells, sizeof *ranks);
    for (size_t c = 0; ranks && c < cells; c++)
        ranks[c] = (uint32_t)-1;
    for (int p = 0; p < probes && ranks && owners && scratch && told >= 0; p++) {
        values = calloc(cells, sizeof *values);
        if (!values)
            break;
        add_array(box, mesh_profile_probe(vtk->profile, p)->name, MESH_VTK_FLOAT, cells,
                  values);
        told = mesh_profile_values(vtk->profile, i, p, box->level, box->lo, box->hi,
                                   (float *)scratch, owners, vtk->err);
        turn(n, scratch, values);
        turn(n, (const uint32_t *)owners, scratch);
        for (size_t c = 0; c < cells; c++)
            ranks[c] = (int32_t)scratch[c] < 0 ? ranks[c] : scratch[c];
    }
    if (ranks)
        add_array(box, "rank", MESH_VTK_INT, cells, ranks);
    free(scratch);
    free(owners);
    if (told < 0)
        return (int)told;
    return box->array_count == (size_t)probes + 1 ? 0 : cca_no_memory(vtk->err);
}

void mesh_vtk_box_done(struct mesh_vtk_box *box)
{
    for (size_t i = 0; i < box->array_count; i++)
        free((void *)(uintptr_t)box->arrays[i].data);
    box->array_count = 0;
}

int mesh_vtk_box_write(const struct mesh_vtk *vtk, const struct mesh_vtk_box *box,
                       const char *name)
{
    double origin[3] = {0, 0, 0}, spacing[3] = {1, 1, 1};
    int64_t extent[6] = {0, 0, 0, 0, 0, 0};
    FILE *to = mesh_folder_open(vtk->folder, name, vtk->err);

    if (!to)
        return vtk->err->code;
    for (int d = 0; d < vtk->about->dims; d++) {
        origin[d] = vtk->about->origin[d];
        spacing[d] = vtk->about->spacing[d] / pow(vtk->about->ratio, box->level);
        extent[2 * d] = box->lo[d];
        extent[2 * d + 1] = box->hi[d];
    }
    mesh_vtk_image(to, extent, origin, spacing, box->arrays, box->array_count);
    return mesh_folder_close(vtk->folder, name, to, vtk->err);
}

static int write_grid(const struct mesh_vtk *vtk, size_t i, const char *base)
{
    struct mesh_vtk_box box = {.level = 0};
    char name[MESH_VTK_NAME + 8];
    int result;

    memcpy(box.hi, vtk->about->n, sizeof box.hi);
    snprintf(name, sizeof name, "%s.vti", base);
    result = mesh_vtk_box_read(vtk, i, &box);
    if (!result)
        result = mesh_vtk_box_write(vtk, &box, name);
    mesh_vtk_box_done(&box);
    return result;
}

/* --- Elements ------------------------------------------------------------- */

/* Make the array of the elements' centres. Elements without a centre are put in a row
 * along the first dimension. */
static double *place_elements(const struct mesh_vtk *vtk)
{
    const double *centres = mesh_profile_centres(vtk->profile);
    size_t count = (size_t)vtk->about->n[0];
    double *points = calloc(count, 3 * sizeof *points);

    for (size_t e = 0; points && e < count; e++) {
        int known = centres && !isnan(centres[3 * e]);

        points[3 * e] = known ? centres[3 * e] : (double)e;
        points[3 * e + 1] = known ? centres[3 * e + 1] : 0;
        points[3 * e + 2] = known ? centres[3 * e + 2] : 0;
    }
    return points;
}

static int write_elements(const struct mesh_vtk *vtk, size_t i, const char *base)
{
    struct mesh_vtk_box box = {.hi = {vtk->about->n[0], 1, 1}};
    char name[MESH_VTK_NAME + 8];
    double *points = place_elements(vtk);
    FILE *to;
    int result = points ? mesh_vtk_box_read(vtk, i, &box) : cca_no_memory(vtk->err);

    snprintf(name, sizeof name, "%s.vtu", base);
    if (!result) {
        to = mesh_folder_open(vtk->folder, name, vtk->err);
        result = to ? 0 : vtk->err->code;
        if (to && mesh_vtk_points(to, points, (size_t)vtk->about->n[0], box.arrays,
                                  box.array_count))
            result = cca_no_memory(vtk->err);
        if (to && mesh_folder_close(vtk->folder, name, to, vtk->err))
            result = vtk->err->code;
    }
    mesh_vtk_box_done(&box);
    free(points);
    return result;
}

/* --- Steps ---------------------------------------------------------------- */

static const char *ending_of(const struct mm_mesh_about *about)
{
    return about->kind != MM_MESH_GRID ? "vtu" : about->levels > 1 ? "vthb" : "vti";
}

/* Write the file name of a step, "field/field_000020", into `name`, which has room for a
 * profile name of 63 bytes. */
static void name_step(const struct mesh_vtk *vtk, size_t i, char name[MESH_VTK_NAME])
{
    snprintf(name, MESH_VTK_NAME, "%s/%s_%06" PRId64, vtk->about->name, vtk->about->name,
             mesh_profile_step(vtk->profile, i)->number);
}

/* Write the list of steps: with the program's times if all steps have them, else with
 * step numbers. */
static int write_list(const struct mesh_vtk *vtk, struct mesh_vtk_steps steps)
{
    char name[MM_MESH_NAME_BYTES + 8], file[MESH_VTK_NAME];
    int timed = 1;
    FILE *to;

    snprintf(name, sizeof name, "%s.pvd", vtk->about->name);
    to = mesh_folder_open(vtk->folder, name, vtk->err);
    if (!to)
        return vtk->err->code;
    for (size_t i = steps.first; i < steps.end; i++)
        timed &= isfinite(mesh_profile_step(vtk->profile, i)->end.time_s) != 0;
    mesh_vtk_begin(to, "Collection", "1.0");
    fputs("  <Collection>\n", to);
    for (size_t i = steps.first; i < steps.end; i++) {
        const struct mesh_step *step = mesh_profile_step(vtk->profile, i);

        name_step(vtk, i, file);
        fprintf(
            to,
            "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"%s.%s\"/>\n",
            timed ? step->end.time_s : (double)step->number, file, ending_of(vtk->about));
    }
    fputs("  </Collection>\n</VTKFile>\n", to);
    return mesh_folder_close(vtk->folder, name, to, vtk->err);
}

static int write_step(const struct mesh_vtk *vtk, size_t i)
{
    char name[MESH_VTK_NAME];

    name_step(vtk, i, name);
    if (vtk->about->kind != MM_MESH_GRID)
        return write_elements(vtk, i, name);
    return vtk->about->levels > 1 ? mesh_vtk_levels(vtk, i, name)
                                  : write_grid(vtk, i, name);
}

int mesh_export_vtk(struct mesh_profile *profile, struct mesh_vtk_steps steps,
                    const char *output, mesh_progress_fn *progress, void *context,
                    struct cca_error *err)
{
    struct mesh_vtk vtk = {.profile = profile, .err = err};
    int result;

    vtk.about = mesh_profile_about(profile);
    if (vtk.about->levels > 1 && vtk.about->dims == 1)
        return cca_error_set(err, -ENOTSUP,
                             "%s: found levels of one dimension, which VTK does not have",
                             mesh_profile_path(profile));
    vtk.folder = mesh_folder_new(output, err);
    if (!vtk.folder)
        return err->code;
    result = mesh_folder_add(vtk.folder, vtk.about->name, err);
    for (size_t i = steps.first; !result && i < steps.end; i++) {
        result = write_step(&vtk, i);
        if (progress)
            progress(context,
                     (double)(i - steps.first + 1) / (double)(steps.end - steps.first));
    }
    if (!result)
        result = write_list(&vtk, steps);
    if (!result)
        result = mesh_folder_finish(vtk.folder, err);
    mesh_folder_free(vtk.folder);
    return result;
}
