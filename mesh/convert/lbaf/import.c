/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c: import tasks as cells or elements, phases as steps. */
#include "mesh/convert/lbaf/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "mesh/convert/gaps.h"
#include "mesh/convert/lbaf/lbaf.h"
#include "mesh/convert/steps.h"

struct import {
    struct mesh_lbaf lbaf;
    struct mesh_lbaf_files files;
    struct mesh_lbaf_found *found;
    const char *path;
    int allow_lost;
    int64_t *steps; /* phases of any rank, ascending */
    size_t step_count;
    /* ids N of the subphases whose times become values of probes `time.N`, ascending */
    int64_t subphases[MM_MESH_PROBES - 1];
    size_t subphase_count;
    struct mm_mesh_about about;
    struct mesh_steps *out;
    mesh_progress_fn *progress;
    void *context;
};

/* --- Phases --------------------------------------------------------------- */

static int find_steps(struct import *in, struct cca_error *err)
{
    size_t kept = 0;

    for (size_t r = 0; r < in->lbaf.rank_count; r++) {
        const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];

        for (size_t i = 0; i < rank->told_count; i++) {
            int64_t *step = cca_array_add(&in->steps, &in->step_count, sizeof *step);

            if (!step)
                return cca_no_memory(err);
            *step = rank->told[i].id;
        }
        in->found->identical += rank->told_count - rank->phase_count;
    }
    if (!in->step_count)
        return cca_error_set(err, -EBADMSG,
                             "%s: found no phase in the files, expected one", in->path);
    qsort(in->steps, in->step_count, sizeof *in->steps, cca_order_int64);
    for (size_t i = 1; i < in->step_count; i++)
        if (in->steps[i] != in->steps[kept])
            in->steps[++kept] = in->steps[i];
    while (in->step_count > kept + 1)
        in->step_count--;
    in->found->phases = in->step_count;
    return 0;
}

/* Check that each rank has each phase that other ranks have. */
static int check_ranks(struct import *in, struct cca_error *err)
{
    for (size_t r = 0; r < in->lbaf.rank_count && !in->allow_lost; r++) {
        const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];

        for (size_t i = 0; i < in->step_count; i++)
            if (i >= rank->told_count || rank->told[i].id != in->steps[i])
                return cca_error_set(err, -EBADMSG,
                                     "%s: found no phase %" PRId64
                                     ", expected it as other ranks have it; "
                                     "--allow-lost takes it as lost",
                                     in->files.files[r].path, in->steps[i]);
    }
    return 0;
}

/* Record phases between two existing ones that rank 0's file lists as skipped. Returns
 * their number, or an error. */
static int64_t tell_skipped(const struct import *in, int64_t before, int64_t after,
                            struct cca_error *err)
{
    const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[0];
    int64_t skipped = 0;

    for (size_t s = 0; s < rank->skipped_count; s++) {
        struct mm_mesh_lost lost = {.first = rank->skipped[s].first,
                                    .last = rank->skipped[s].last,
                                    .why = MESH_SKIPPED};
        int result;

        if (lost.first <= before || lost.last >= after)
            continue;
        lost.count = (uint64_t)(lost.last - lost.first) + 1;
        skipped += (int64_t)lost.count;
        result = mesh_writer_lost(mesh_steps_writer(in->out), -1, &lost, err);
        if (result)
            return result;
    }
    return skipped;
}

/* Find phases between two existing ones that no file has; `skipped` of them are
 * listed. */
static void find_lost(const struct import *in, const struct mesh_gaps *gaps, size_t i,
                      int64_t skipped, struct mm_mesh_lost *lost)
{
    int64_t before = in->steps[i - 1], after = in->steps[i];

    lost->count = 0;
    if (in->lbaf.ranks[0].skipped_count == 0) {
        mesh_gaps_between(gaps, before, after, &lost->first, &lost->last, &lost->count);
    } else if (skipped < after - before - 1) {
        lost->first = before + 1;
        lost->last = after - 1;
        lost->count = (uint64_t)(after - before - 1 - skipped);
    }
}

/* Record phases that no rank has: the measuring program skipped them, or they are lost.
 */
static int check_gaps(struct import *in, struct cca_error *err)
{
    struct mm_mesh_lost lost = {.why = "not in the files"};
    struct mesh_gaps gaps;

    mesh_gaps_find(in->steps, in->step_count, &gaps);
    for (size_t i = 1; i < in->step_count; i++) {
        int64_t skipped = tell_skipped(in, in->steps[i - 1], in->steps[i], err);
        int result;

        if (skipped < 0)
            return (int)skipped;
        in->found->skipped += (uint64_t)skipped;
        find_lost(in, &gaps, i, skipped, &lost);
        if (!lost.count)
            continue;
        if (!in->allow_lost)
            return cca_error_set(err, -EBADMSG,
                                 "%s: found phases %" PRId64 " and %" PRId64
                                 ", expected also those between; they are not named as "
                                 "skipped; --allow-lost takes them as lost",
                                 in->path, in->steps[i - 1], in->steps[i]);
        in->found->lost += lost.count;
        result = mesh_writer_lost(mesh_steps_writer(in->out), -1, &lost, err);
        if (result)
            return result;
    }
    return 0;
}

/* --- The mesh ------------------------------------------------------------- */

/* Number elements in the order of their first phase, then of rank: elements of a rank are
 * adjacent. */
static void number_elements(struct import *in)
{
    int64_t next = 0;

    for (size_t i = 0; i < in->step_count; i++)
        for (size_t r = 0; r < in->lbaf.rank_count; r++) {
            const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];
            int64_t p = mesh_lbaf_told(rank, in->steps[i]);
            const struct mesh_lbaf_phase *phase = p < 0 ? NULL : &rank->phases[p];

            for (size_t t = 0; phase && t < phase->tasks; t++) {
                size_t e = rank->tasks[phase->first_task + t].element;

                if (in->lbaf.elements[e].number < 0)
                    in->lbaf.elements[e].number = next++;
            }
        }
}

/* Whether all elements are of one collection and their indices fill a box: then they
 * become cells, numbered by their index. */
static int fill_box(struct import *in)
{
    struct mesh_lbaf_element *all = in->lbaf.elements;
    int64_t n[3] = {1, 1, 1};
    double cells = 1;

    for (size_t e = 0; e < in->lbaf.element_count; e++) {
        if (all[e].dims < 1 || all[e].dims > 3 || all[e].dims != all[0].dims ||
            all[e].collection != all[0].collection)
            return 0;
        for (int d = 0; d < all[e].dims; d++) {
            if (all[e].index[d] < 0 || all[e].index[d] >= MM_MESH_CELLS)
                return 0;
            n[d] = all[e].index[d] >= n[d] ? all[e].index[d] + 1 : n[d];
        }
    }
    for (int d = 0; d < 3; d++)
        cells *= (double)n[d];
    if (cells != (double)in->lbaf.element_count)
        return 0;
    for (size_t e = 0; e < in->lbaf.element_count; e++)
        all[e].number = -1;
    for (size_t e = 0; e < in->lbaf.element_count; e++)
        all[e].number =
            (all[e].index[0] * n[1] + all[e].index[1]) * n[2] + all[e].index[2];
    memcpy(in->about.n, n, sizeof n);
    in->about.dims = all[0].dims;
    return 1;
}

static int by_place(const void *a, const void *b)
{
    const struct mesh_lbaf_element *const *x = a, *const *y = b;

    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

/* Set *twice: whether two elements have the same index. Returns 0 or -ENOMEM. */
static int find_twice(const struct import *in, const struct mesh_lbaf_element **twice)
{
    size_t count = in->lbaf.element_count;
    const struct mesh_lbaf_element **all = calloc(count, sizeof *all);

    if (!all)
        return -ENOMEM;
    for (size_t e = 0; e < count; e++)
        all[e] = &in->lbaf.elements[e];
    qsort(all, count, sizeof *all, by_place);
    for (size_t e = 1; e < count && !*twice; e++)
        if (all[e]->number == all[e - 1]->number)
            *twice = all[e];
    free(all);
    return 0;
}

static int describe(struct import *in, struct cca_error *err)
{
    const struct mesh_lbaf_element *twice = NULL;
    struct mm_mesh_about *about = &in->about;
    int grid;

    *about = (struct mm_mesh_about){
        .n = {1, 1, 1}, .levels = 1, .ratio = 1, .spacing = {1, 1, 1}};
    memcpy(about->name, in->found->name, sizeof about->name);
    grid = in->lbaf.element_count && fill_box(in);
    if (grid && find_twice(in, &twice))
        return cca_no_memory(err);
    if (grid && !twice) {
        in->found->dims = about->dims;
        return 0;
    }
    for (size_t e = 0; e < in->lbaf.element_count; e++)
        in->lbaf.elements[e].number = -1;
    number_elements(in);
    about->kind = MM_MESH_UNSTRUCTURED;
    about->dims = 1;
    for (size_t e = 0; e < in->lbaf.element_count; e++)
        if (in->lbaf.elements[e].dims > about->dims)
            about->dims = in->lbaf.elements[e].dims > 3 ? 3 : in->lbaf.elements[e].dims;
    about->n[0] = in->lbaf.element_count ? (int64_t)in->lbaf.element_count : 1;
    about->n[1] = about->n[2] = 1;
    return 0;
}

/* Write the centres of elements: an element's index, or without one its number along the
 * first dimension. */
static int write_centres(struct import *in, struct cca_error *err)
{
    int64_t count = in->about.n[0];
    double *centres = calloc((size_t)count, 3 * sizeof *centres);
    int result;

    if (!centres)
        return cca_no_memory(err);
    for (size_t e = 0; e < in->lbaf.element_count; e++) {
        const struct mesh_lbaf_element *element = &in->lbaf.elements[e];
        double *centre = centres + 3 * element->number;

        if (!element->dims)
            centre[0] = (double)element->number;
        for (int d = 0; d < element->dims && d < 3; d++)
            centre[d] = (double)element->index[d];
    }
    result = mesh_writer_elements(mesh_steps_writer(in->out), 0, count, centres, err);
    free(centres);
    return result;
}

/* --- Probes --------------------------------------------------------------- */

static int is_listed(const struct import *in, int64_t id)
{
    for (size_t i = 0; i < in->subphase_count; i++)
        if (in->subphases[i] == id)
            return 1;
    return 0;
}

/* Find the subphases that become probes: as many as there is room for, in the order of
 * appearance. */
static void find_subphases(struct import *in)
{
    for (size_t r = 0; r < in->lbaf.rank_count; r++) {
        const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];

        for (size_t i = 0; i < rank->subphase_count; i++)
            if (in->subphase_count < MM_MESH_PROBES - 1 &&
                !is_listed(in, rank->subphases[i].id))
                in->subphases[in->subphase_count++] = rank->subphases[i].id;
    }
    if (in->subphase_count)
        qsort(in->subphases, in->subphase_count, sizeof *in->subphases, cca_order_int64);
    in->found->subphases = in->subphase_count;
}

static int open_steps(struct import *in, const char *folder, struct cca_error *err)
{
    struct mm_mesh_probe *probes = calloc(in->subphase_count + 1, sizeof *probes);

    if (!probes)
        return cca_no_memory(err);
    for (size_t p = 0; p <= in->subphase_count; p++) {
        snprintf(probes[p].unit, sizeof probes[p].unit, "s");
        if (p)
            snprintf(probes[p].name, sizeof probes[p].name, "time.%" PRId64,
                     in->subphases[p - 1]);
        else
            snprintf(probes[p].name, sizeof probes[p].name, "time");
    }
    in->out = mesh_steps_new(folder, &in->about, probes, in->subphase_count + 1, err);
    free(probes);
    return in->out ? 0 : err->code;
}

/* --- Values --------------------------------------------------------------- */

static int take_task(struct import *in, size_t r, size_t step,
                     const struct mesh_lbaf_task *task, struct cca_error *err)
{
    const struct mesh_lbaf_element *element = &in->lbaf.elements[task->element];
    const struct mesh_lbaf_subphase *subs =
        in->lbaf.ranks[r].subphases + task->first_subphase;

    if (mesh_steps_has(in->out, element->number, 0))
        return cca_error_set(err, -EBADMSG,
                             "%s: phase %" PRId64 ": found task %s %" PRId64
                             " a second time, expected it once in all files",
                             in->files.files[r].path, in->steps[step],
                             element->is_seq ? "seq_id" : "id", element->id);
    mesh_steps_value(in->out, element->number, 0, (int)r, (float)task->time);
    for (uint32_t s = 0; s < task->subphases; s++) {
        const int64_t *at = bsearch(&subs[s].id, in->subphases, in->subphase_count,
                                    sizeof *in->subphases, cca_order_int64);

        if (at)
            mesh_steps_value(in->out, element->number, (size_t)(at - in->subphases) + 1,
                             (int)r, (float)subs[s].time);
    }
    return 0;
}

static int lose_phase(struct import *in, size_t r, int64_t step, struct cca_error *err)
{
    struct mm_mesh_lost lost = {
        .first = step, .last = step, .count = 1, .why = "not in the file"};

    if (mesh_lbaf_skipped(&in->lbaf.ranks[r], step))
        snprintf(lost.why, sizeof lost.why, "skipped");
    in->found->lost++;
    return mesh_writer_lost(mesh_steps_writer(in->out), (int)r, &lost, err);
}

static int write_step(struct import *in, size_t step, struct cca_error *err)
{
    unsigned lost = 0;
    int result = 0;

    for (size_t r = 0; !result && r < in->lbaf.rank_count; r++) {
        const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];
        int64_t p = mesh_lbaf_told(rank, in->steps[step]);

        if (p < 0) {
            lost++;
            result = lose_phase(in, r, in->steps[step], err);
            continue;
        }
        for (size_t t = 0; !result && t < rank->phases[p].tasks; t++)
            result =
                take_task(in, r, step, &rank->tasks[rank->phases[p].first_task + t], err);
    }
    if (!result) {
        int64_t missing;

        mesh_steps_missing(in->out, 0, &missing);
        in->found->come_and_go |= missing > 0;
        /* a task that does not exist takes no time; values of a lost rank stay unknown */
        for (size_t p = 0; p <= in->subphase_count && !lost; p++)
            mesh_steps_fill(in->out, p);
        result = mesh_steps_end(in->out, in->steps[step], NAN, lost, 0, err);
    }
    return result;
}

static void count_all(struct import *in)
{
    in->found->ranks = in->lbaf.rank_count;
    in->found->tasks = in->lbaf.element_count;
    for (size_t r = 0; r < in->lbaf.rank_count; r++) {
        const struct mesh_lbaf_rank *rank = &in->lbaf.ranks[r];

        for (size_t i = 0; i < rank->phase_count; i++) {
            in->found->communications += rank->phases[i].communications;
            in->found->bytes += rank->phases[i].bytes;
        }
    }
}

static int write_notes(struct import *in, struct cca_error *err)
{
    struct mesh_writer *writer = mesh_steps_writer(in->out);
    const struct mesh_lbaf_found *found = in->found;
    char text[200];
    int result = 0;

    if (found->communications) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " communications of %.4g bytes are left out",
                 found->communications, found->bytes);
        result = mesh_writer_note(writer, text, err);
    }
    return result;
}

static int write_profile(struct import *in, const char *folder, struct cca_error *err)
{
    int result = open_steps(in, folder, err);

    if (!result && in->about.kind == MM_MESH_UNSTRUCTURED)
        result = write_centres(in, err);
    if (!result)
        result = check_gaps(in, err);
    for (size_t i = 0; !result && i < in->step_count; i++) {
        result = write_step(in, i, err);
        if (in->progress)
            in->progress(in->context, .6 + .3 * (double)(i + 1) / (double)in->step_count);
    }
    if (!result)
        result = write_notes(in, err);
    if (result)
        return result;
    result = mesh_steps_close(in->out, err);
    in->out = NULL;
    return result;
}

struct part {
    mesh_progress_fn *progress;
    void *context;
};

static void tell_part(void *context, double done)
{
    const struct part *part = context;

    if (part->progress)
        part->progress(part->context, .6 * done);
}

int mesh_import_lbaf(const char *path, const char *output, int allow_lost,
                     mesh_progress_fn *progress, void *context,
                     struct mesh_lbaf_found *found, struct cca_error *err)
{
    struct import in = {.path = path,
                        .found = found,
                        .allow_lost = allow_lost,
                        .progress = progress,
                        .context = context};
    struct part part = {progress, context};
    struct mm_given *given = NULL;
    int result;

    memset(found, 0, sizeof *found);
    result = mesh_lbaf_files_find(path, &in.files, err);
    if (!result)
        result = mesh_lbaf_read(&in.files, &in.lbaf, tell_part, &part, err);
    if (!result)
        result = find_steps(&in, err);
    if (!result)
        result = check_ranks(&in, err);
    if (!result) {
        mesh_given_name(in.files.stem, "lbaf", found->name);
        find_subphases(&in);
        count_all(&in);
        result = describe(&in, err);
    }
    if (!result) {
        given = mesh_given_new(output, path, (int)in.lbaf.rank_count, err);
        result = given ? write_profile(&in, mm_given_folder(given), err) : err->code;
    }
    if (!result)
        result = mm_given_finish(given, err);
    mesh_steps_close(in.out, NULL);
    mm_given_free(given);
    mesh_lbaf_done(&in.lbaf);
    mesh_lbaf_files_done(&in.files);
    free(in.steps);
    return result;
}
