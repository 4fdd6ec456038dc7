/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c: print the summary of a mesh profile: shape, probes, steps, losses,
 * errors. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cmd/mesh/ask.h"
#include "mesh/convert/gaps.h"

enum { PICTURE_CELLS = 1 << 22, LOSSES = 5 };

/* Write "30 x 20 x 20 cells", "5 elements" to `text`; returns `text`. */
static const char *mesh_shape_text(const struct mm_mesh_about *about, char text[120])
{
    size_t used = 0;

    if (about->kind != MM_MESH_GRID) {
        snprintf(text, 120, "%s", mm_counted((uint64_t)about->n[0], "element"));
        return text;
    }
    for (int d = 0; d < about->dims; d++)
        used += (size_t)snprintf(text + used, 120 - used, "%s%" PRId64, d ? " x " : "",
                                 about->n[d]);
    used += (size_t)snprintf(text + used, 120 - used, " cells");
    if (about->levels > 1)
        snprintf(text + used, 120 - used, ", %d levels by %d", about->levels,
                 about->ratio);
    return text;
}

/* Write "512 bytes", "14.2 kB", "3.1 MB" to `text`. */
static const char *bytes_text(uint64_t bytes, char text[40])
{
    if (bytes < 10000)
        snprintf(text, 40, "%" PRIu64 " bytes", bytes);
    else if (bytes < 1000000)
        snprintf(text, 40, "%.3g kB", (double)bytes * 1e-3);
    else if (bytes < 1000000000)
        snprintf(text, 40, "%.3g MB", (double)bytes * 1e-6);
    else
        snprintf(text, 40, "%.4g GB", (double)bytes * 1e-9);
    return text;
}

/* --- Text ----------------------------------------------------------------- */

/* Find steps missing between others. A profile of every k-th step has no gaps. */
static void find_gaps(const struct mesh_ask *ask, struct mesh_gaps *gaps)
{
    size_t steps = mesh_profile_steps(ask->profile);

    *gaps = (struct mesh_gaps){.stride = 1};
    for (size_t i = 1; i < steps; i++) {
        int64_t distance =
            mesh_gaps_distance(mesh_profile_step(ask->profile, i - 1)->number,
                               mesh_profile_step(ask->profile, i)->number);

        gaps->stride = i == 1 || distance < gaps->stride ? distance : gaps->stride;
    }
    for (size_t i = 1; i < steps; i++) {
        int64_t first, last;
        uint64_t missing;

        if (!mesh_gaps_between(gaps, mesh_profile_step(ask->profile, i - 1)->number,
                               mesh_profile_step(ask->profile, i)->number, &first, &last,
                               &missing))
            continue;
        gaps->first = gaps->lost ? gaps->first : first;
        gaps->lost += missing;
    }
}

static void print_steps(const struct mesh_ask *ask)
{
    size_t steps = mesh_profile_steps(ask->profile);
    struct mesh_gaps gaps;

    if (!steps) {
        puts("steps    none is whole yet");
        return;
    }
    find_gaps(ask, &gaps);
    printf("steps    %s, %" PRId64, mm_counted(steps, "step"),
           mesh_profile_step(ask->profile, 0)->number);
    printf(" to %" PRId64 " by %" PRId64,
           mesh_profile_step(ask->profile, steps - 1)->number, gaps.stride);
    if (gaps.lost)
        printf("; %s missing between, %" PRId64 " the first",
               gaps.lost == 1 ? "1 is" : mm_thousands(gaps.lost), gaps.first);
    putchar('\n');
}

static void print_file(const struct mesh_ask *ask, const struct mesh_digest *digest)
{
    uint64_t bytes = mesh_profile_bytes(ask->profile), values = 0;
    uint64_t torn = mesh_profile_torn(ask->profile);
    char text[40];

    for (int p = 0; p < mesh_profile_probes(ask->profile); p++)
        values += digest->probes[p].values;
    printf("file     %s for %s", bytes_text(bytes, text), mm_counted(values, "value"));
    if (values && ask->first == 0 && ask->end == mesh_profile_steps(ask->profile)) {
        double ratio = 4 * (double)values / (double)bytes;

        printf(", %s %s than 4 bytes each", mm_factor(ratio > 1 ? ratio : 1 / ratio),
               ratio > 1 ? "smaller" : "larger");
    }
    putchar('\n');
    if (torn)
        printf("         %s at the end are not whole: it is being written, or was cut\n",
               bytes_text(torn, text));
}

static void print_lost(const struct mesh_ask *ask)
{
    size_t count = mesh_profile_losses(ask->profile);

    if (!count)
        puts("lost     nothing");
    for (size_t i = 0; i < count && i < LOSSES; i++) {
        int rank;
        const struct mm_mesh_lost *lost = mesh_profile_loss(ask->profile, i, &rank);

        printf("%-8s %s, %" PRId64 " to %" PRId64 ": ", i ? "" : "lost",
               mm_counted(lost->count, "step"), lost->first, lost->last);
        if (rank >= 0)
            printf("rank %d, ", rank);
        puts(mm_safe(lost->why));
    }
    if (count > LOSSES)
        printf("         and %s more\n", mm_thousands(count - LOSSES));
    for (size_t i = 0; i < mesh_profile_notes(ask->profile); i++)
        printf("%-8s %s\n", i ? "" : "notes",
               mm_safe(mesh_profile_note(ask->profile, i)));
}

struct rows {
    const struct mesh_ask *ask;
    const struct mesh_digest *digest;
};

static void print_probe(const struct rows *rows, struct mm_table *table, int number)
{
    const struct mm_mesh_probe *probe = mesh_profile_probe(rows->ask->profile, number);
    const struct mesh_digest_probe *of = &rows->digest->probes[number];
    double steps = (double)(rows->ask->end - rows->ask->first);
    char cells[8][MM_CELL], name[MM_MESH_NAME_BYTES + 16];

    mm_cell_set(cells[0], *probe->unit ? probe->unit : "-");
    snprintf(cells[1], MM_CELL, "%.4g", steps > 0 ? of->sum / steps : 0);
    snprintf(cells[2], MM_CELL, "%.4g", isnan(of->least) ? 0 : of->least);
    snprintf(cells[3], MM_CELL, "%.4g", isnan(of->greatest) ? 0 : of->greatest);
    mm_cell_set(cells[4],
                of->bytes ? mm_factor(4 * (double)of->values / (double)of->bytes) : "-");
    snprintf(cells[5], MM_CELL, "%.3g", probe->eps);
    snprintf(cells[6], MM_CELL, "%.3g", of->largest);
    snprintf(cells[7], MM_CELL, "%.3g",
             of->values ? sqrt(of->squares / (double)of->values) : 0);
    snprintf(name, sizeof name, "%s%s", probe->name, probe->whole ? ", of blocks" : "");
    mm_table_row(table, cells, name);
}

static void print_probes(const void *context, struct mm_table *table)
{
    static const char *const heads[] = {"unit",   "a step", "least", "greatest",
                                        "packed", "eps",    "error", "rms"};
    const struct rows *rows = context;
    char cells[8][MM_CELL];

    for (int i = 0; i < 8; i++)
        mm_cell_set(cells[i], heads[i]);
    mm_table_row(table, cells, "probe");
    for (int i = 0; i < rows->ask->probe_count; i++)
        print_probe(rows, table, rows->ask->probes[i]);
}

/* Print the errors of sums and the imbalance of the ranks. */
static void print_balance(const struct mesh_ask *ask, const struct mesh_digest *digest)
{
    for (int i = 0; i < ask->probe_count; i++) {
        const struct mesh_digest_probe *of = &digest->probes[ask->probes[i]];
        const char *name = mesh_profile_probe(ask->profile, ask->probes[i])->name;

        if (of->sum_error > 0 || of->part_error > 0)
            printf(
                "%s: largest relative error of the sum of a step %.2g, of a rank's sum "
                "%.2g (step %" PRId64 ", rank %d)\n",
                name, of->sum_error, of->part_error, of->part_step, of->part_rank);
        if (digest->ranks > 1 && of->balanced)
            printf("%s: the slowest rank has %s more than the mean, at most %s (step "
                   "%" PRId64 ")\n",
                   name, mm_percent(of->imbalance / (double)of->balanced),
                   mm_percent(of->worst), of->worst_step);
    }
}

/* Draw the first probe: its sum over the steps, and its values in the last step. */
static int print_pictures(struct mesh_ask *ask, const struct mesh_digest *digest)
{
    size_t steps = ask->end - ask->first;
    size_t probes = (size_t)mesh_profile_probes(ask->profile);
    double *sums, cells = 1;

    if (!ask->probe_count || !steps)
        return -1;
    sums = calloc(steps, sizeof *sums);
    if (!sums)
        return mm_no_memory();
    for (size_t i = 0; i < steps; i++)
        sums[i] = digest->sums[i * probes + (size_t)ask->probes[0]];
    if (steps > 2) {
        printf("\nsum of %s over the steps\n",
               mesh_profile_probe(ask->profile, ask->probes[0])->name);
        mesh_spark(sums, steps, 90);
    }
    free(sums);
    for (int d = 0; d < 3; d++)
        cells *= (double)ask->about->n[d];
    if (ask->about->kind != MM_MESH_GRID || ask->about->dims < 2 || cells > PICTURE_CELLS)
        return -1;
    printf("\n%s in step %" PRId64 "%s: i down, j across%s\n",
           mesh_profile_probe(ask->profile, ask->probes[0])->name,
           mesh_profile_step(ask->profile, ask->end - 1)->number,
           ask->about->levels > 1 ? ", cells of level 0 with the finer ones in them" : "",
           ask->about->dims > 2 ? ", mean over k" : "");
    return mesh_picture(ask, ask->end - 1, ask->probes[0]);
}

static int print_all(struct mesh_ask *ask, const struct mesh_digest *digest)
{
    struct rows rows = {ask, digest};
    char shape[120];
    int result;

    printf("profile  %s: %s, %s\n", ask->about->name, mesh_shape_text(ask->about, shape),
           mm_counted((uint64_t)digest->ranks, "rank"));
    print_steps(ask);
    print_file(ask, digest);
    print_lost(ask);
    putchar('\n');
    mm_table_print(8, print_probes, &rows);
    print_balance(ask, digest);
    result = print_pictures(ask, digest);
    return result < 0 ? mm_finish_output(MM_EXIT_DONE) : result;
}

/* --- Documents ------------------------------------------------------------ */

static json_t *json_profile(const struct mesh_ask *ask)
{
    const struct mm_mesh_about *about = ask->about;
    json_t *object = json_object(), *shape = json_array(), *origin = json_array(),
           *spacing = json_array();

    for (int d = 0; d < (about->kind == MM_MESH_GRID ? about->dims : 1); d++)
        json_array_append_new(shape, json_integer(about->n[d]));
    for (int d = 0; d < about->dims; d++) {
        json_array_append_new(origin, json_real(about->origin[d]));
        json_array_append_new(spacing, json_real(about->spacing[d]));
    }
    mm_json_set(object,
                "name kind dims shape levels ratio origin spacing file_bytes torn_bytes",
                about->name, about->kind == MM_MESH_GRID ? "grid" : "elements",
                about->dims, shape, about->levels, about->ratio, origin, spacing,
                (json_int_t)mesh_profile_bytes(ask->profile),
                (json_int_t)mesh_profile_torn(ask->profile));
    return object;
}

static json_t *json_probe(const struct mm_mesh_probe *probe)
{
    return mm_json_object("name unit eps whole_blocks", probe->name, probe->unit,
                          probe->eps, json_boolean(probe->whole));
}

static json_t *json_lost(const struct mesh_ask *ask)
{
    json_t *array = json_array();

    for (size_t i = 0; i < mesh_profile_losses(ask->profile); i++) {
        int rank;
        const struct mm_mesh_lost *lost = mesh_profile_loss(ask->profile, i, &rank);
        json_t *object = json_object();

        if (rank >= 0)
            mm_json_put(object, "rank", json_integer(rank));
        mm_json_set(object, "first last steps why", lost->first, lost->last,
                    (json_int_t)lost->count, lost->why);
        json_array_append_new(array, object);
    }
    return array;
}

json_t *mesh_document(const struct mesh_ask *ask)
{
    size_t steps = mesh_profile_steps(ask->profile);
    json_t *document = mm_json_document("mesh"), *probes = json_array(),
           *notes = json_array(), *range = json_object();
    struct mesh_gaps gaps;

    for (int i = 0; i < ask->probe_count; i++)
        json_array_append_new(
            probes, json_probe(mesh_profile_probe(ask->profile, ask->probes[i])));
    for (size_t i = 0; i < mesh_profile_notes(ask->profile); i++)
        json_array_append_new(notes, mm_json_escaped(mesh_profile_note(ask->profile, i)));
    mm_json_put(range, "count", json_integer((json_int_t)steps));
    if (steps) {
        mm_json_set(range, "first last", mesh_profile_step(ask->profile, 0)->number,
                    mesh_profile_step(ask->profile, steps - 1)->number);
        find_gaps(ask, &gaps);
        mm_json_set(range, "stride missing", gaps.stride, (json_int_t)gaps.lost);
    }
    mm_json_set(document, "experiment profile probes steps lost notes", ask->experiment,
                json_profile(ask), probes, range, json_lost(ask), notes);
    return document;
}

static void put_digest(json_t *object, const struct mesh_digest_probe *of)
{
    json_t *part = json_object();

    mm_json_set(object,
                "values bytes sum least greatest error_largest error_rms error_sum",
                (json_int_t)of->values, (json_int_t)of->bytes, of->sum, of->least,
                of->greatest, of->largest,
                of->values ? sqrt(of->squares / (double)of->values) : 0, of->sum_error);
    mm_json_set(part, "error step rank", of->part_error, of->part_step, of->part_rank);
    mm_json_put(object, "worst_part", part);
    if (of->balanced) {
        mm_json_set(object, "imbalance_mean imbalance_max",
                    of->imbalance / (double)of->balanced, of->worst);
    }
}

static json_t *json_series(const struct mesh_ask *ask, const struct mesh_digest *digest)
{
    size_t probes = (size_t)mesh_profile_probes(ask->profile);
    json_t *series = json_array();

    for (size_t i = ask->first; i < ask->end; i++) {
        const struct mesh_step *step = mesh_profile_step(ask->profile, i);
        json_t *object = json_object(), *sums = json_object();

        mm_json_set(object, "step time_s ranks_lost", step->number, step->end.time_s,
                    step->end.lost);
        for (int p = 0; p < ask->probe_count; p++)
            mm_json_put(
                sums, mesh_profile_probe(ask->profile, ask->probes[p])->name,
                mm_json_finite(
                    digest->sums[(i - ask->first) * probes + (size_t)ask->probes[p]]));
        mm_json_put(object, "sums", sums);
        json_array_append_new(series, object);
    }
    return series;
}

static int print_document(const struct mesh_ask *ask, const struct mesh_digest *digest)
{
    json_t *document = mesh_document(ask), *probes = json_object_get(document, "probes");

    for (int i = 0; i < ask->probe_count; i++)
        put_digest(json_array_get(probes, (size_t)i), &digest->probes[ask->probes[i]]);
    mm_json_set(document, "ranks series", digest->ranks, json_series(ask, digest));
    return mm_json_print(document);
}

int mesh_summary(struct mesh_ask *ask)
{
    struct mesh_digest digest;
    int result = mesh_digest_read(&digest, ask);

    if (result < 0)
        result = ask->form == MESH_JSON ? print_document(ask, &digest)
                                        : print_all(ask, &digest);
    mesh_digest_done(&digest);
    return result;
}
