/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c: export cells as tasks and steps as phases. */
#include "mesh/convert/lbaf/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/convert/columns.h"
#include "mesh/convert/parts.h"

struct export
{
    struct mesh_profile *profile;
    const struct mm_mesh_about *about;
    int probe, ranks;
    double unit; /* the probe's unit in seconds */
    int64_t cells;
    float *values;
    int32_t *owners, *homes; /* [cells] current owner, and first owner (home) of each
                                cell; home -1: unknown yet */
    struct mesh_folder *folder;
    struct cca_error *err;
};

static double seconds_of(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].seconds;
    return 1;
}

/* Open the file of a rank for appending. Returns NULL with `err`. */
static FILE *open_rank(const struct export *x, int rank,
                       char name[MM_MESH_NAME_BYTES + 20])
{
    char *path;
    FILE *to;

    snprintf(name, MM_MESH_NAME_BYTES + 20, "%s.%d.json", x->about->name, rank);
    if (asprintf(&path, "%s/%s", mesh_folder_path(x->folder), name) < 0) {
        cca_no_memory(x->err);
        return NULL;
    }
    to = fopen(path, "ae");
    if (!to)
        cca_error_set(x->err, -errno, "%s: %s", path, strerror(errno));
    free(path);
    return to;
}

/* Print the numbers between steps that no step has, as pairs of first and last. */
static void print_skipped(const struct export *x, FILE *to)
{
    size_t steps = mesh_profile_steps(x->profile);
    const char *comma = "";

    fputs("\"skipped\":{\"list\":[],\"range\":[", to);
    for (size_t i = 1; i < steps; i++) {
        int64_t before = mesh_profile_step(x->profile, i - 1)->number;
        int64_t after = mesh_profile_step(x->profile, i)->number;

        if (after == before + 1)
            continue;
        fprintf(to, "%s[%" PRId64 ",%" PRId64 "]", comma, before + 1, after - 1);
        comma = ",";
    }
    fputs("]}", to);
}

static int print_heads(const struct export *x)
{
    char name[MM_MESH_NAME_BYTES + 20];
    int result = 0;

    for (int r = 0; !result && r < x->ranks; r++) {
        FILE *to = open_rank(x, r, name);

        if (!to)
            return x->err->code;
        fprintf(to,
                "{\"metadata\":{\"type\":\"LBDatafile\",\"rank\":%d,\"phases\":{"
                "\"count\":%zu,",
                r, mesh_profile_steps(x->profile));
        print_skipped(x, to);
        fputs(",\"identical_to_previous\":{\"list\":[],\"range\":[]}}},\"phases\":[", to);
        result = mesh_folder_close(x->folder, name, to, x->err);
    }
    return result;
}

static void print_task(const struct export *x, FILE *to, int rank, int64_t cell)
{
    char index[64];

    if (x->homes[cell] < 0)
        x->homes[cell] = rank;
    fprintf(to,
            "{\"entity\":{\"type\":\"object\",\"collection_id\":0,\"seq_id\":%" PRId64
            ",\"home\":%d,\"migratable\":true",
            cell, x->homes[cell]);
    if (x->about->kind == MM_MESH_GRID)
        fprintf(to, ",\"index\":[%s]", mesh_columns_cell(x->about, 0, cell, index));
    fprintf(to, "},\"node\":%d,\"resource\":\"cpu\",\"time\":%.9g}", rank,
            (double)x->values[cell] * x->unit);
}

/* Sort cells by rank: rank r has the cells order[first[r]] to order[first[r + 1] - 1].
 * Returns 0 or -ENOMEM. */
static int sort_cells(const struct export *x, int64_t **order, int64_t **first)
{
    int64_t *next = calloc((size_t)x->ranks + 2, sizeof *next);

    *first = calloc((size_t)x->ranks + 2, sizeof **first);
    *order = calloc((size_t)x->cells, sizeof **order);
    if (!next || !*first || !*order) {
        free(next);
        return -ENOMEM;
    }
    for (int64_t c = 0; c < x->cells; c++)
        if (x->owners[c] >= 0)
            (*first)[x->owners[c] + 1]++;
    for (int r = 0; r < x->ranks; r++)
        (*first)[r + 1] += (*first)[r];
    memcpy(next, *first, ((size_t)x->ranks + 1) * sizeof *next);
    for (int64_t c = 0; c < x->cells; c++)
        if (x->owners[c] >= 0)
            (*order)[next[x->owners[c]]++] = c;
    free(next);
    return 0;
}

static int check_values(const struct export *x, size_t i)
{
    char cell[64];

    for (int64_t c = 0; c < x->cells; c++)
        if (x->owners[c] >= 0 && !(x->values[c] >= 0 && isfinite(x->values[c])))
            return cca_error_set(
                x->err, -EBADMSG,
                "%s: step %" PRId64 ", cell %s: found %g, expected a "
                "number from 0",
                mesh_profile_path(x->profile), mesh_profile_step(x->profile, i)->number,
                mesh_columns_cell(x->about, 0, c, cell), (double)x->values[c]);
    return 0;
}

static int print_phases(const struct export *x, size_t i)
{
    char name[MM_MESH_NAME_BYTES + 20];
    int64_t *order = NULL, *first = NULL;
    int result = sort_cells(x, &order, &first) ? cca_no_memory(x->err) : 0;

    for (int r = 0; !result && r < x->ranks; r++) {
        FILE *to = open_rank(x, r, name);

        if (!to) {
            result = x->err->code;
            break;
        }
        fprintf(to, "%s\n{\"id\":%" PRId64 ",\"tasks\":[", i ? "," : "",
                mesh_profile_step(x->profile, i)->number);
        for (int64_t at = first[r]; at < first[r + 1]; at++) {
            fputs(at > first[r] ? ",\n" : "\n", to);
            print_task(x, to, r, order[at]);
        }
        fputs("]}", to);
        result = mesh_folder_close(x->folder, name, to, x->err);
    }
    free(order);
    free(first);
    return result;
}

static int print_ends(const struct export *x)
{
    char name[MM_MESH_NAME_BYTES + 20];
    int result = 0;

    for (int r = 0; !result && r < x->ranks; r++) {
        FILE *to = open_rank(x, r, name);

        if (!to)
            return x->err->code;
        fputs("]}\n", to);
        result = mesh_folder_close(x->folder, name, to, x->err);
    }
    return result;
}

/* Assign cells without a rank to rank 0. If other cells of the step have ranks, a cell of
 * value 0 without rank is a task that does not exist (import_lbaf fills these in), and is
 * left out. */
static void own_cells(const struct export *x)
{
    int has_ranks = 0;

    for (int64_t c = 0; c < x->cells && !has_ranks; c++)
        has_ranks = x->owners[c] >= 0;
    for (int64_t c = 0; c < x->cells; c++)
        if (x->owners[c] < 0 && !isnan(x->values[c]) && (!has_ranks || x->values[c] != 0))
            x->owners[c] = 0;
}

static int write_cells(struct export *x, mesh_progress_fn *progress, void *context)
{
    size_t steps = mesh_profile_steps(x->profile);
    int result;

    x->cells = x->about->n[0] * x->about->n[1] * x->about->n[2];
    x->values = calloc((size_t)x->cells, sizeof *x->values);
    x->owners = calloc((size_t)x->cells, sizeof *x->owners);
    x->homes = calloc((size_t)x->cells, sizeof *x->homes);
    if (!x->values || !x->owners || !x->homes)
        return cca_no_memory(x->err);
    for (int64_t c = 0; c < x->cells; c++)
        x->homes[c] = -1;
    result = print_heads(x);
    for (size_t i = 0; !result && i < steps; i++) {
        int64_t missing =
            mesh_columns_values(x->profile, i, x->probe, x->values, x->owners, x->err);

        if (missing < 0)
            return (int)missing;
        own_cells(x);
        result = check_values(x, i);
        if (!result)
            result = print_phases(x, i);
        if (progress)
            progress(context, (double)(i + 1) / (double)steps);
    }
    return result ? result : print_ends(x);
}

int mesh_export_lbaf(struct mesh_profile *profile, int probe, int ranks,
                     const char *output, mesh_progress_fn *progress, void *context,
                     struct cca_error *err)
{
    struct export x = {.profile = profile, .probe = probe, .err = err};
    int result;

    x.about = mesh_profile_about(profile);
    x.ranks = mesh_columns_ranks(profile, err);
    if (x.ranks < 0)
        return x.ranks;
    x.ranks = ranks > x.ranks ? ranks : x.ranks;
    x.unit = seconds_of(mesh_profile_probe(profile, probe)->unit);
    x.folder = mesh_folder_new(output, err);
    if (!x.folder)
        return err->code;
    result = write_cells(&x, progress, context);
    if (!result)
        result = mesh_folder_finish(x.folder, err);
    mesh_folder_free(x.folder);
    free(x.values);
    free(x.owners);
    free(x.homes);
    return result;
}
