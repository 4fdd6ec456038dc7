/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.c: compute the cost of each bound on the error of a value: bytes, errors, and
 * the imbalance of partitions that are computed from decoded values and judged by the
 * original ones. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/mesh/ask.h"
#include "mesh/convert/columns.h"

/* --- Bounds --------------------------------------------------------------- */

static int add_bound(struct mesh_judgement *e, double eps)
{
    struct mesh_bound *bound = cca_array_add(&e->bounds, &e->count, sizeof *bound);
    int dims = e->ask->about->kind == MM_MESH_GRID ? e->ask->about->dims : 1;

    if (!bound)
        return mm_no_memory();
    bound->eps = eps;
    bound->costing = mesh_costing_new(dims, eps, &e->ask->err);
    bound->decoded = calloc((size_t)e->cells, sizeof *bound->decoded);
    return !bound->costing || !bound->decoded ? mm_no_memory() : -1;
}

/* Round down to 1, 2 or 5 times a power of ten. */
static double rounded(double value)
{
    double ten = pow(10, floor(log10(value))), lead = value / ten;

    return ten * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/* Choose bounds as shares of the mean value of the first step. */
static int guess_bounds(struct mesh_judgement *e)
{
    static const double shares[] = {.001, .01, .05, .25, 1};
    const struct mesh_step *step = mesh_profile_step(e->ask->profile, e->ask->first);
    double sum = 0, cells = 0;
    int result = add_bound(e, 0);

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(e->ask->profile, b);

        if (f->probe != e->probe)
            continue;
        sum += f->sum;
        cells += (double)((f->hi[0] - f->lo[0]) * (f->hi[1] - f->lo[1]) *
                          (f->hi[2] - f->lo[2]));
    }
    for (size_t i = 0; result < 0 && sum > 0 && i < sizeof shares / sizeof *shares; i++)
        result = add_bound(e, rounded(shares[i] * sum / cells));
    return result;
}

/* Read E,E,.. from each occurrence of the option. */
static int read_bounds(struct mesh_judgement *e)
{
    const struct cca_given *option = e->wish->eps;
    int result = option->given ? -1 : guess_bounds(e);

    for (int i = 0; result < 0 && i < option->given; i++) {
        const char *at = option->values[i];
        char *end;

        for (;; at = end + 1) {
            double eps = strtod(at, &end);

            if (end == at || !(eps >= 0) || !isfinite(eps) || (*end && *end != ','))
                return mm_refuse(MM_EXIT_MISUSE,
                                 "'%s' for --eps, expected numbers of at least 0, as "
                                 ".01,.05",
                                 mm_safe(option->values[i]));
            result = add_bound(e, eps);
            if (result >= 0 || !*end)
                break;
        }
    }
    return result;
}

/* --- Values --------------------------------------------------------------- */

static int refuse_value(struct mesh_judgement *e, const struct mm_mesh_frame *f,
                        size_t at, float value)
{
    int64_t n1 = f->hi[1] - f->lo[1], n2 = f->hi[2] - f->lo[2], c[3], n[3];
    char text[64];

    c[0] = f->lo[0] + (int64_t)at / (n1 * n2);
    c[1] = f->lo[1] + (int64_t)at / n2 % n1;
    c[2] = f->lo[2] + (int64_t)at % n2;
    for (int d = 0; d < 3; d++) {
        n[d] = e->ask->about->n[d];
        for (int l = 0; l < f->level && d < e->ask->about->dims; l++)
            n[d] *= e->ask->about->ratio;
    }
    return mm_refuse(MM_EXIT_INPUT,
                     "%s: step %" PRId64 ", cell %s: found %g, expected a number from 0",
                     mm_safe(mesh_profile_path(e->ask->profile)), f->step,
                     mesh_columns_cell(e->ask->about, f->level,
                                       (c[0] * n[1] + c[1]) * n[2] + c[2], text),
                     (double)value);
}

/* Pack and decode a block with each bound. */
static int add_block(struct mesh_judgement *e, size_t step, const struct mm_mesh_frame *f,
                     float *values, size_t cells)
{
    struct mesh_box box = {
        .step = f->step, .rank = f->rank, .probe = f->probe, .level = f->level};
    int64_t missing = mesh_profile_values(e->ask->profile, step, f->probe, f->level,
                                          f->lo, f->hi, values, NULL, &e->ask->err);

    if (missing < 0)
        return mm_complain(&e->ask->err);
    for (size_t c = 0; c < cells; c++)
        if (!(values[c] >= 0) || !isfinite(values[c]))
            return refuse_value(e, f, c, values[c]);
    memcpy(box.lo, f->lo, sizeof box.lo);
    memcpy(box.hi, f->hi, sizeof box.hi);
    mesh_columns_add(e->ask->about, f, values, e->kept);
    for (size_t i = 0; i < e->count; i++) {
        float *decoded = values + cells;

        if (mesh_costing_add(e->bounds[i].costing, &box, values, decoded, &e->ask->err))
            return mm_complain(&e->ask->err);
        mesh_columns_add(e->ask->about, f, decoded, e->bounds[i].decoded);
    }
    return -1;
}

/* --- Balance -------------------------------------------------------------- */

/* Partition by decoded values and judge the loads. Returns -1, or an exit code. */
static int judge(struct mesh_judgement *e, struct mesh_bound *bound)
{
    struct mesh_partition partition = {0};
    int parts = e->wish->parts;
    double sum = 0, most = 0;

    if (e->partitioner.cut(e->partitioner.context, &e->source, bound->decoded, parts,
                           NULL, &partition, &e->ask->err)) {
        mesh_partition_free(&partition);
        return mm_complain(&e->ask->err);
    }
    mesh_partition_owners(&e->source, &partition, e->owners);
    mesh_partition_free(&partition);
    memset(e->loads, 0, 2 * (size_t)parts * sizeof *e->loads);
    for (int64_t c = 0; c < e->cells; c++) {
        e->loads[e->owners[c]] += (double)e->kept[c];
        e->loads[parts + e->owners[c]] += (double)bound->decoded[c];
    }
    for (int p = 0; p < parts; p++) {
        sum += e->loads[p];
        most = fmax(most, e->loads[p]);
        if (e->loads[p] > 0)
            bound->part_error =
                fmax(bound->part_error, fabs(e->loads[parts + p] / e->loads[p] - 1));
    }
    if (sum > 0) {
        bound->imbalance += most * parts / sum - 1;
        bound->worst = fmax(bound->worst, most * parts / sum - 1);
        bound->balanced++;
    }
    return -1;
}

/* Add the error of the step's sum, and its imbalance. */
static int end_step(struct mesh_judgement *e)
{
    int result = -1;

    for (size_t i = 0; result < 0 && i < e->count; i++) {
        double kept = 0, decoded = 0;

        for (int64_t c = 0; c < e->cells; c++) {
            kept += (double)e->kept[c];
            decoded += (double)e->bounds[i].decoded[c];
        }
        if (kept > 0)
            e->bounds[i].sum_error =
                fmax(e->bounds[i].sum_error, fabs(decoded / kept - 1));
        if (e->parted)
            result = judge(e, &e->bounds[i]);
    }
    return result;
}

static int add_step(struct mesh_judgement *e, size_t i)
{
    const struct mesh_step *step = mesh_profile_step(e->ask->profile, i);
    int result = -1;

    memset(e->kept, 0, (size_t)e->cells * sizeof *e->kept);
    for (size_t b = 0; b < e->count; b++)
        memset(e->bounds[b].decoded, 0, (size_t)e->cells * sizeof *e->kept);
    for (size_t b = step->first_block; result < 0 && b < step->first_block + step->blocks;
         b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(e->ask->profile, b);
        size_t cells = (size_t)((f->hi[0] - f->lo[0]) * (f->hi[1] - f->lo[1]) *
                                (f->hi[2] - f->lo[2]));
        float *values;

        if (f->probe != e->probe)
            continue;
        values = malloc(2 * cells * sizeof *values);
        result = values ? add_block(e, i, f, values, cells) : mm_no_memory();
        free(values);
    }
    return result < 0 ? end_step(e) : result;
}

/* --- All steps ------------------------------------------------------------ */

/* Open the partitioner. Most need the centres of elements: without these, the imbalance
 * is left out. */
static int open_partitioner(struct mesh_judgement *e)
{
    struct cca_error err = {0};
    int result =
        mesh_partitioner_open(&e->partitioner, e->wish->partitioner, &e->source, &err);

    e->parted = !result;
    if (!result || (result == -EINVAL && e->ask->about->kind == MM_MESH_UNSTRUCTURED &&
                    !e->source.centres))
        return -1;
    return mm_complain(&err);
}

static int open_errors(struct mesh_judgement *e)
{
    const struct mm_mesh_about *about = e->ask->about;

    if (e->ask->first == e->ask->end)
        return mm_refuse(MM_EXIT_INPUT, "%s: found no whole step",
                         mm_safe(mesh_profile_path(e->ask->profile)));
    e->source.dims = about->dims;
    memcpy(e->source.n, about->n, sizeof e->source.n);
    e->source.centres = mesh_profile_centres(e->ask->profile);
    e->source.steps = (int64_t)(e->ask->end - e->ask->first);
    e->cells = about->n[0] * about->n[1] * about->n[2];
    e->kept = calloc((size_t)e->cells, sizeof *e->kept);
    e->owners = calloc((size_t)e->cells, sizeof *e->owners);
    e->loads = calloc(2 * (size_t)e->wish->parts, sizeof *e->loads);
    if (!e->kept || !e->owners || !e->loads)
        return mm_no_memory();
    return open_partitioner(e);
}

static void close_errors(struct mesh_judgement *e)
{
    for (size_t i = 0; i < e->count; i++) {
        mesh_costing_free(e->bounds[i].costing);
        free(e->bounds[i].decoded);
    }
    mesh_partitioner_close(&e->partitioner);
    free(e->bounds);
    free(e->kept);
    free(e->owners);
    free(e->loads);
}

int mesh_errors(struct mesh_ask *ask, const struct mesh_errors *wish)
{
    struct mesh_judgement e = {.ask = ask, .wish = wish};
    int result;

    if (ask->probe_count == 0)
        return mm_refuse(MM_EXIT_INPUT, "%s: found no probe",
                         mm_safe(mesh_profile_path(ask->profile)));
    e.probe = ask->probes[0];
    ask->probe_count = 1;
    result = open_errors(&e);
    if (result < 0)
        result = read_bounds(&e);
    for (size_t i = ask->first; result < 0 && i < ask->end; i++) {
        result = add_step(&e, i);
        mesh_look_on(&ask->look,
                     (double)(i - ask->first + 1) / (double)(ask->end - ask->first));
    }
    mesh_look_end(&ask->look);
    if (result < 0)
        result = ask->form == MESH_JSON ? mesh_errors_json(&e) : mesh_errors_text(&e);
    close_errors(&e);
    return result;
}
