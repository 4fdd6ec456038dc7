/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.c: import a profile from a CSV file: find its steps, then read them in order. */
#include "mesh/convert/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "mesh/convert/cells_lines.h"
#include "mesh/convert/gaps.h"
#include "mesh/convert/steps.h"

/* lines read between two calls of the progress function */
enum { LINES_BETWEEN = 1 << 16 };

struct import {
    const struct mesh_cells *asked;
    struct mesh_cells_found *found;
    struct mesh_lines lines;
    int64_t *steps; /* all steps of the file, ascending */
    size_t step_count;
    struct mesh_gaps gaps;
    int in_order; /* true if lines of each step are contiguous, and steps ascend */
    struct mesh_steps *out;
    int64_t step;    /* number of the step being read */
    int64_t before;  /* number of the last step written */
    int open, begun; /* open: true if `step` is valid; begun: true if `before` is valid */
    /* [cell]: line of the file with the cell's values in the current step */
    size_t *line_of;
};

static void tell_progress(const struct import *in, double done, double share)
{
    if (in->asked->progress)
        in->asked->progress(in->asked->context,
                            done + share * (double)in->lines.csv.next /
                                       ((double)in->lines.csv.size + 1));
}

/* --- Steps of the file ---------------------------------------------------- */

/* Read all lines a first time, for their steps and ranks only. */
static int look_through(struct import *in, struct cca_error *err)
{
    struct mesh_line line;
    size_t kept = 0;
    int found, most = 0;

    in->in_order = 1;
    while ((found = mesh_lines_peek(&in->lines, &line, err)) > 0) {
        most = line.rank > most ? line.rank : most;
        if (in->found->lines++ % LINES_BETWEEN == 0)
            tell_progress(in, 0, .4);
        if (in->step_count && in->steps[in->step_count - 1] == line.step)
            continue;
        if (in->step_count && in->steps[in->step_count - 1] > line.step)
            in->in_order = 0;
        int64_t *step = cca_array_add(&in->steps, &in->step_count, sizeof *step);

        if (!step)
            return cca_no_memory(err);
        *step = line.step;
    }
    if (found < 0)
        return found;
    if (!in->step_count)
        return cca_error_set(err, -EBADMSG,
                             "%s:%zu: found the end of the file, expected lines of cells",
                             in->lines.csv.name, in->lines.csv.header_line + 1);
    in->found->ranks = most + 1;
    if (!in->in_order)
        qsort(in->steps, in->step_count, sizeof *in->steps, cca_order_int64);
    for (size_t i = 1; i < in->step_count; i++)
        if (in->steps[i] != in->steps[kept])
            in->steps[++kept] = in->steps[i];
    in->found->steps = kept + 1;
    return 0;
}

static int check_gaps(struct import *in, struct cca_error *err)
{
    mesh_gaps_find(in->steps, (size_t)in->found->steps, &in->gaps);
    in->found->lost_steps = in->gaps.lost;
    if (!in->gaps.lost || in->asked->allow_lost)
        return 0;
    return cca_error_set(err, -EBADMSG,
                         "%s: found no cell of step %" PRId64
                         ", expected all steps from %" PRId64 " to %" PRId64
                         " by %" PRId64 "; --allow-lost takes them as lost",
                         in->lines.csv.name, in->gaps.first, in->steps[0],
                         in->steps[in->found->steps - 1], in->gaps.stride);
}

/* --- Writing steps -------------------------------------------------------- */

/* Report missing steps before the current one. */
static int tell_gap(struct import *in, struct cca_error *err)
{
    struct mm_mesh_lost lost = {.why = "not in the file"};

    if (!in->begun || !mesh_gaps_between(&in->gaps, in->before, in->step, &lost.first,
                                         &lost.last, &lost.count))
        return 0;
    return mesh_writer_lost(mesh_steps_writer(in->out), -1, &lost, err);
}

/* Check the step for missing cells: they are an error, or are recorded as lost. */
static int check_cells(struct import *in, int64_t *missing, struct cca_error *err)
{
    struct mm_mesh_lost lost = {.first = in->step, .last = in->step, .count = 1};
    int64_t first = mesh_steps_missing(in->out, 0, missing);
    char cell[64], others[64] = "";

    if (!*missing)
        return 0;
    mesh_lines_cell(&in->lines, first, cell);
    in->found->lost_cells += (uint64_t)*missing;
    if (*missing > 1)
        snprintf(others, sizeof others, " and %" PRId64 " more", *missing - 1);
    if (!in->asked->allow_lost)
        return cca_error_set(err, -EBADMSG,
                             "%s: step %" PRId64
                             ": found no line for cell %s%s, expected "
                             "all cells of the shape; --allow-lost takes them as lost",
                             in->lines.csv.name, in->step, cell, others);
    snprintf(lost.why, sizeof lost.why, "no cell %.14s%.15s", cell, others);
    return mesh_writer_lost(mesh_steps_writer(in->out), -1, &lost, err);
}

static int end_step(struct import *in, struct cca_error *err)
{
    int64_t missing = 0;
    int result;

    if (!in->open)
        return 0;
    result = tell_gap(in, err);
    in->open = 0;
    in->begun = 1;
    in->before = in->step;
    if (!result)
        result = check_cells(in, &missing, err);
    return result ? result : mesh_steps_end(in->out, in->step, NAN, missing > 0, 0, err);
}

static int take_line(struct import *in, const struct mesh_line *line,
                     struct cca_error *err)
{
    char cell[64];
    int result = 0;

    if (!in->open || line->step != in->step)
        result = end_step(in, err);
    if (result)
        return result;
    in->open = 1;
    in->step = line->step;
    if (mesh_steps_has(in->out, line->cell, 0))
        return cca_error_set(
            err, -EBADMSG,
            "%s:%zu: step %" PRId64 ": found cell %s again, expected it once; "
            "the other is in line %zu",
            in->lines.csv.name, line->line, line->step,
            mesh_lines_cell(&in->lines, line->cell, cell), in->line_of[line->cell]);
    in->line_of[line->cell] = line->line;
    for (size_t p = 0; p < in->lines.probe_count; p++)
        mesh_steps_value(in->out, line->cell, p, line->rank, line->values[p]);
    return 0;
}

static int take_in_order(struct import *in, struct cca_error *err)
{
    struct mesh_line line;
    uint64_t count = 0;
    int found, result = 0;

    while (!result && (found = mesh_lines_next(&in->lines, &line, err)) != 0) {
        result = found < 0 ? found : take_line(in, &line, err);
        if (count++ % LINES_BETWEEN == 0)
            tell_progress(in, .4, .6);
    }
    return result ? result : end_step(in, err);
}

/* --- Lines out of order --------------------------------------------------- */

struct place {
    int64_t step;
    size_t line, at; /* line number and file offset of a line */
};

static int by_step(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Read the lines again, sorted by step. */
static int take_places(struct import *in, struct place *places, size_t count,
                       struct cca_error *err)
{
    struct mesh_line line;
    int result = 0;

    qsort(places, count, sizeof *places, by_step);
    for (size_t i = 0; !result && i < count; i++) {
        in->lines.csv.next = places[i].at;
        in->lines.csv.line = places[i].line - 1;
        result = mesh_lines_next(&in->lines, &line, err);
        if (result > 0)
            result = take_line(in, &line, err);
        if (i % LINES_BETWEEN == 0 && in->asked->progress)
            in->asked->progress(in->asked->context, .5 + .5 * (double)i / (double)count);
    }
    return result ? result : end_step(in, err);
}

static int take_sorted(struct import *in, struct cca_error *err)
{
    struct place *places = calloc((size_t)in->found->lines, sizeof *places);
    struct mesh_line line;
    size_t count = 0;
    int found = 1, result = 0;

    if (!places)
        return cca_no_memory(err);
    while (count < in->found->lines && found > 0) {
        found = mesh_lines_peek(&in->lines, &line, err);
        if (found > 0)
            places[count++] =
                (struct place){.step = line.step,
                               .line = line.line,
                               .at = (size_t)(in->lines.csv.raw - in->lines.csv.text)};
    }
    result = found < 0 ? found : take_places(in, places, count, err);
    free(places);
    return result;
}

/* --- The whole import ----------------------------------------------------- */

static void describe(const struct mesh_cells *asked, struct mm_mesh_about *about)
{
    *about = (struct mm_mesh_about){.kind = MM_MESH_GRID,
                                    .dims = asked->dims,
                                    .levels = 1,
                                    .ratio = 1,
                                    .spacing = {1, 1, 1}};
    memcpy(about->n, asked->shape, sizeof about->n);
}

/* Name the profile after the file, whose folders and extension are left out. */
static void name_profile(const struct mesh_cells *asked, char name[MM_MESH_NAME_BYTES])
{
    const char *slash = strrchr(asked->file, '/'), *end;
    char base[256];

    if (asked->name) {
        snprintf(name, MM_MESH_NAME_BYTES, "%s", asked->name);
        return;
    }
    snprintf(base, sizeof base, "%s", slash ? slash + 1 : asked->file);
    end = strrchr(base, '.');
    if (end && end > base)
        base[end - base] = '\0';
    mesh_given_name(strcmp(asked->file, "-") == 0 ? "input" : base, "input", name);
}

static int write_profile(struct import *in, const char *folder, struct cca_error *err)
{
    struct mm_mesh_probe *probes = calloc(in->lines.probe_count, sizeof *probes);
    struct mm_mesh_about about;
    size_t cells;
    int result = 0;

    if (!probes)
        return cca_no_memory(err);
    describe(in->asked, &about);
    memcpy(about.name, in->found->name, sizeof about.name);
    for (size_t p = 0; p < in->lines.probe_count; p++) {
        probes[p].eps = in->asked->eps;
        mesh_given_name(in->lines.probes[p].column, "value", probes[p].name);
        memcpy(probes[p].unit, in->lines.probes[p].unit, sizeof probes[p].unit);
    }
    in->out = mesh_steps_new(folder, &about, probes, in->lines.probe_count, err);
    free(probes);
    if (!in->out)
        return err->code;
    cells = (size_t)(about.n[0] * about.n[1] * about.n[2]);
    in->line_of = calloc(cells, sizeof *in->line_of);
    if (!in->line_of)
        return cca_no_memory(err);
    mm_csv_rewind(&in->lines.csv);
    result = in->in_order ? take_in_order(in, err) : take_sorted(in, err);
    if (result)
        return result;
    result = mesh_steps_close(in->out, err);
    in->out = NULL;
    return result;
}

int mesh_import_cells(const struct mesh_cells *asked, const char *output,
                      struct mesh_cells_found *found, struct cca_error *err)
{
    struct import in = {.asked = asked, .found = found};
    struct mm_given *given = NULL;
    struct cca_error own = {0};
    int result;

    if (!err)
        err = &own;
    memset(found, 0, sizeof *found);
    name_profile(asked, found->name);
    result = mesh_lines_open(&in.lines, asked, err);
    if (!result)
        result = look_through(&in, err);
    if (!result)
        result = check_gaps(&in, err);
    if (!result) {
        given = mesh_given_new(output, in.lines.csv.name, found->ranks, err);
        result = given ? write_profile(&in, mm_given_folder(given), err) : err->code;
    }
    if (!result)
        result = mm_given_finish(given, err);
    mesh_steps_close(in.out, NULL);
    mm_given_free(given);
    mesh_lines_done(&in.lines);
    free(in.steps);
    free(in.line_of);
    return result;
}
