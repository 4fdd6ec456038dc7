/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c: print the values of a region, as lines or as a document. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/mesh/ask.h"

/* Values of all requested probes in one step of the program. */
struct slab {
    struct mesh_ask *ask;
    size_t step; /* index of the step */
    int64_t n[3], first[3];
    size_t cells;
    double *values; /* [probe_count][cells] values of the step */
    int32_t *ranks; /* [cells] */
};

static int slab_open(struct slab *slab, struct mesh_ask *ask)
{
    double cells = 1;

    memset(slab, 0, sizeof *slab);
    slab->ask = ask;
    for (int d = 0; d < 3; d++)
        cells *= (double)(ask->region.hi[d] - ask->region.lo[d]);
    if (cells > (double)MM_MESH_CELLS)
        return mm_refuse(
            MM_EXIT_MISUSE,
            "found %.3g requested cells, expected at most %.3g; --box selects some",
            cells, (double)MM_MESH_CELLS);
    mesh_region_size(ask->about, &ask->region, slab->n, slab->first);
    slab->cells = (size_t)(slab->n[0] * slab->n[1] * slab->n[2]);
    slab->values =
        calloc(slab->cells, (size_t)ask->probe_count * sizeof *slab->values + 1);
    slab->ranks = calloc(slab->cells, 2 * sizeof *slab->ranks);
    return slab->values && slab->ranks ? -1 : mm_no_memory();
}

static void slab_close(struct slab *slab)
{
    free(slab->values);
    free(slab->ranks);
}

/* Read the values of all requested probes (quantities measured per cell) in one step of
 * the program. The rank of a cell is taken from the first probe that has one for it. */
static int slab_read(struct slab *slab, size_t step)
{
    struct mesh_ask *ask = slab->ask;
    int32_t *ranks = slab->ranks + slab->cells;

    slab->step = step;
    for (size_t c = 0; c < slab->cells; c++)
        slab->ranks[c] = -1;
    for (int p = 0; p < ask->probe_count; p++) {
        int64_t missing =
            mesh_region_values(ask->profile, step, ask->probes[p], &ask->region,
                               slab->values + (size_t)p * slab->cells, ranks, &ask->err);

        if (missing < 0) {
            mesh_look_end(&ask->look);
            return mm_complain(&ask->err);
        }
        for (size_t c = 0; c < slab->cells; c++)
            slab->ranks[c] = slab->ranks[c] < 0 ? ranks[c] : slab->ranks[c];
    }
    mesh_look_on(&ask->look,
                 (double)(step - ask->first + 1) / (double)(ask->end - ask->first));
    return -1;
}

static int used_dims(const struct mesh_ask *ask)
{
    return ask->about->kind == MM_MESH_GRID ? ask->about->dims : 1;
}

/* Coordinates of a cell of the slab. */
static void place_of(const struct slab *slab, size_t cell, int64_t at[3])
{
    for (int d = 2; d >= 0; d--) {
        at[d] = (int64_t)(cell % (size_t)slab->n[d]) + slab->first[d];
        cell /= (size_t)slab->n[d];
    }
}

/* --- CSV ------------------------------------------------------------------ */

/* Write the number with as few digits as identify it: floats for values, doubles for
 * means. */
static const char *shortest(const struct mesh_ask *ask, double value, char text[40])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, value);
        if (ask->region.coarse > 1 ? strtod(text, NULL) == value
                                   : strtof(text, NULL) == (float)value)
            break;
    }
    return text;
}

static void print_csv_head(const struct mesh_ask *ask)
{
    printf("step%s", ask->about->levels > 1 ? ",level" : "");
    for (int d = 0; d < used_dims(ask); d++)
        printf(",%c", 'i' + d);
    fputs(",rank", stdout);
    for (int p = 0; p < ask->probe_count; p++)
        printf(",%s", mesh_profile_probe(ask->profile, ask->probes[p])->name);
    putchar('\n');
}

static void print_csv(const struct slab *slab)
{
    const struct mesh_ask *ask = slab->ask;
    int64_t number = mesh_profile_step(ask->profile, slab->step)->number, at[3];
    char text[40];

    for (size_t c = 0; c < slab->cells; c++) {
        place_of(slab, c, at);
        printf("%" PRId64, number);
        if (ask->about->levels > 1)
            printf(",%d", ask->region.level);
        for (int d = 0; d < used_dims(ask); d++)
            printf(",%" PRId64, at[d]);
        putchar(',');
        if (slab->ranks[c] >= 0)
            printf("%d", slab->ranks[c]);
        for (int p = 0; p < ask->probe_count; p++) {
            putchar(',');
            if (isfinite(slab->values[(size_t)p * slab->cells + c]))
                fputs(shortest(ask, slab->values[(size_t)p * slab->cells + c], text),
                      stdout);
        }
        putchar('\n');
    }
}

static int values_csv(struct mesh_ask *ask)
{
    struct slab slab;
    int result = slab_open(&slab, ask);

    if (result < 0)
        print_csv_head(ask);
    for (size_t i = ask->first; result < 0 && i < ask->end; i++) {
        result = slab_read(&slab, i);
        if (result < 0)
            print_csv(&slab);
    }
    slab_close(&slab);
    mesh_look_end(&ask->look);
    return result < 0 ? mm_finish_output(MM_EXIT_DONE) : result;
}

/* --- JSON ----------------------------------------------------------------- */

/* Values in C order; null for a missing value. */
static json_t *json_values(const struct mesh_ask *ask, const double *values, size_t count)
{
    json_t *array = json_array();
    char text[40];

    for (size_t c = 0; c < count; c++)
        json_array_append_new(
            array, isfinite(values[c])
                       ? json_real(strtod(shortest(ask, values[c], text), NULL))
                       : json_null());
    return array;
}

static json_t *json_step(const struct slab *slab)
{
    const struct mesh_ask *ask = slab->ask;
    const struct mesh_step *step = mesh_profile_step(ask->profile, slab->step);
    json_t *object = json_object(), *ranks = json_array(), *values = json_object();

    mm_json_set(object, "step time_s", step->number, step->end.time_s);
    for (size_t c = 0; c < slab->cells; c++)
        json_array_append_new(ranks, slab->ranks[c] < 0 ? json_null()
                                                        : json_integer(slab->ranks[c]));
    mm_json_put(object, "ranks", ranks);
    for (int p = 0; p < ask->probe_count; p++)
        mm_json_put(
            values, mesh_profile_probe(ask->profile, ask->probes[p])->name,
            json_values(ask, slab->values + (size_t)p * slab->cells, slab->cells));
    mm_json_put(object, "values", values);
    return object;
}

static json_t *json_three(const int64_t *numbers, int dims)
{
    json_t *array = json_array();

    for (int d = 0; d < dims; d++)
        json_array_append_new(array, json_integer(numbers[d]));
    return array;
}

static json_t *json_region(const struct slab *slab)
{
    const struct mesh_ask *ask = slab->ask;
    return mm_json_object("level coarse first shape", ask->region.level,
                          ask->region.coarse, json_three(slab->first, used_dims(ask)),
                          json_three(slab->n, used_dims(ask)));
}

static int values_json(struct mesh_ask *ask)
{
    json_t *document, *steps = json_array();
    struct slab slab;
    int result = slab_open(&slab, ask);

    for (size_t i = ask->first; result < 0 && i < ask->end; i++) {
        result = slab_read(&slab, i);
        if (result < 0)
            json_array_append_new(steps, json_step(&slab));
    }
    mesh_look_end(&ask->look);
    if (result >= 0) {
        json_decref(steps);
        slab_close(&slab);
        return result;
    }
    document = mesh_document(ask);
    mm_json_set(document, "region values decoded_bytes", json_region(&slab), steps,
                (json_int_t)mesh_profile_decoded(ask->profile));
    slab_close(&slab);
    return mm_json_print(document);
}

/* --- Text ----------------------------------------------------------------- */

static const char *cell_text(const struct slab *slab, size_t c, char text[64])
{
    size_t used = 0;
    int64_t at[3];

    place_of(slab, c, at);
    for (int d = 0; d < used_dims(slab->ask); d++)
        used +=
            (size_t)snprintf(text + used, 64 - used, "%s%" PRId64, d ? "," : "", at[d]);
    return text;
}

static void print_text_head(const struct mesh_ask *ask)
{
    printf("%10s  %-12s %5s", "step", ask->region.coarse > 1 ? "coarse cell" : "cell",
           "rank");
    for (int p = 0; p < ask->probe_count; p++) {
        const struct mm_mesh_probe *probe =
            mesh_profile_probe(ask->profile, ask->probes[p]);
        char name[100];

        snprintf(name, sizeof name, "%s%s%s", probe->name, *probe->unit ? " " : "",
                 probe->unit);
        printf("  %12s", mm_safe(name));
    }
    putchar('\n');
}

static size_t print_text(const struct slab *slab, size_t lines)
{
    const struct mesh_ask *ask = slab->ask;
    char cell[64];
    size_t c;

    for (c = 0; c < slab->cells && c < lines; c++) {
        printf("%10" PRId64 "  %-12s ",
               mesh_profile_step(ask->profile, slab->step)->number,
               cell_text(slab, c, cell));
        if (slab->ranks[c] >= 0)
            printf("%5d", slab->ranks[c]);
        else
            printf("%5s", "-");
        for (int p = 0; p < ask->probe_count; p++) {
            double value = slab->values[(size_t)p * slab->cells + c];

            if (isfinite(value))
                printf("  %12.6g", value);
            else
                printf("  %12s", "-");
        }
        putchar('\n');
    }
    return c;
}

/* Print the values of one cell over the steps as bars; `values` is compacted to the
 * values that are present. */
static void print_series(const struct mesh_ask *ask, double *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    if (kept < 3)
        return;
    printf("%s over the steps\n", mesh_profile_probe(ask->profile, ask->probes[0])->name);
    mesh_spark(values, kept, 90);
}

static int values_text(struct mesh_ask *ask)
{
    size_t steps = ask->end - ask->first, printed = 0;
    double *series = calloc(steps + 1, sizeof *series);
    struct slab slab;
    int result = slab_open(&slab, ask);
    double all = (double)slab.cells * (double)steps;

    if (!series && result < 0)
        result = mm_no_memory();
    if (result < 0)
        print_text_head(ask);
    /* all steps are read for a series; otherwise only the steps that are printed */
    for (size_t i = 0;
         result < 0 && i < steps && (printed < ask->limit || slab.cells == 1); i++) {
        result = slab_read(&slab, ask->first + i);
        if (result < 0) {
            printed += print_text(&slab, ask->limit - printed);
            series[i] = slab.values[0];
        }
    }
    mesh_look_end(&ask->look);
    if (result < 0 && (double)printed < all)
        printf("... %s of %s lines; --limit N shows more, --csv and --json all\n",
               mm_thousands(printed), mm_thousands((uint64_t)all));
    if (result < 0 && slab.cells == 1 && ask->probe_count)
        print_series(ask, series, steps);
    free(series);
    slab_close(&slab);
    return result < 0 ? mm_finish_output(MM_EXIT_DONE) : result;
}

int mesh_values(struct mesh_ask *ask)
{
    switch (ask->form) {
    case MESH_CSV:
        return values_csv(ask);
    case MESH_JSON:
        return values_json(ask);
    default:
        return values_text(ask);
    }
}
