/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.c: read the options of the verb mesh that choose values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/mesh/ask.h"

static int used_dims(const struct mm_mesh_about *about)
{
    return about->kind == MM_MESH_GRID ? about->dims : 1;
}

/* --- Probes --------------------------------------------------------------- */

static int add_probe(struct mesh_ask *ask, const char *name)
{
    struct cca_given one = {.name = "--probe", .given = 1, .values = &name};
    int probe = mesh_probe_find(ask->profile, &one, NULL);

    if (probe < 0)
        return MM_EXIT_INPUT;
    for (int i = 0; i < ask->probe_count; i++)
        if (ask->probes[i] == probe)
            return -1;
    ask->probes[ask->probe_count++] = probe;
    return -1;
}

/* Read A,B from each occurrence of the option; all probes without the option. */
static int read_probes(struct mesh_ask *ask, const struct cca_given *option)
{
    int result = -1;

    for (int i = 0; result < 0 && i < option->given; i++) {
        char *list = strdup(option->values[i]), *rest = list, *name;

        if (!list)
            return mm_no_memory();
        while (result < 0 && (name = strsep(&rest, ",")))
            result = add_probe(ask, name);
        free(list);
    }
    for (int p = 0; !option->given && p < mesh_profile_probes(ask->profile); p++)
        ask->probes[ask->probe_count++] = p;
    return result;
}

/* --- Regions -------------------------------------------------------------- */

static int refuse_box(const struct cca_given *option)
{
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected %s",
                     mm_safe(cca_given_value(option)), option->name,
                     strcmp(option->name, "--cell") == 0
                         ? "a number for each dimension, as 4,10,10"
                         : "A:B, A or : for each dimension, as 0:9,0:9,5");
}

/* Read A:B, A:, :B, : or A, both ends included, and move `*at` behind it. 0: not a
 * range. */
static int take_range(const char **at, int cell, int64_t last, int64_t *lo, int64_t *hi)
{
    char *end;

    *lo = 0;
    *hi = last;
    errno = 0;
    if (**at >= '0' && **at <= '9') {
        *lo = strtoll(*at, &end, 10);
        *at = end;
        if (**at != ':') {
            *hi = *lo;
            return !errno;
        }
    }
    if (**at != ':' || cell)
        return 0;
    ++*at;
    if (**at >= '0' && **at <= '9') {
        *hi = strtoll(*at, &end, 10);
        *at = end;
    }
    return !errno && *hi >= *lo;
}

static int read_box(struct mesh_ask *ask, const struct cca_given *option)
{
    const char *at = cca_given_value(option);
    int cell = strcmp(option->name, "--cell") == 0, dims = used_dims(ask->about);
    struct mesh_region *region = &ask->region;

    if (!at)
        return -1;
    for (int d = 0; d < dims; d++) {
        int64_t last = region->hi[d] - 1, lo, hi;

        if (!take_range(&at, cell, last, &lo, &hi) || *at != (d + 1 < dims ? ',' : '\0'))
            return refuse_box(option);
        at += d + 1 < dims;
        if (hi > last)
            return mm_refuse(MM_EXIT_INPUT,
                             "%s: level %d, dimension %d: found requested cell %" PRId64
                             ", expected 0 to %" PRId64,
                             mm_safe(mesh_profile_path(ask->profile)), region->level, d,
                             hi, last);
        region->lo[d] = lo;
        region->hi[d] = hi + 1;
    }
    return -1;
}

int mesh_ask_read(struct mesh_ask *ask, const struct mesh_ask_options *options)
{
    double level = 0, coarse = 1;
    int result = mm_option_count(options->level, 0, &level);

    if (result < 0)
        result = mm_option_count(options->coarse, 1, &coarse);
    if (result < 0 && options->box->given && options->cell->given)
        result =
            mm_refuse(MM_EXIT_MISUSE, "found --box and --cell, expected one of them");
    if (result < 0 && coarse > (double)MM_MESH_CELLS)
        result = mm_refuse(MM_EXIT_MISUSE, "'%s' for --coarse, expected at most %" PRId64,
                           mm_safe(cca_given_value(options->coarse)), MM_MESH_CELLS);
    if (result < 0 && level >= ask->about->levels)
        result = mm_refuse(
            MM_EXIT_INPUT, "%s: found requested level %.0f, expected 0 to %d",
            mm_safe(mesh_profile_path(ask->profile)), level, ask->about->levels - 1);
    if (result < 0)
        result = read_probes(ask, options->probe);
    if (result < 0)
        result = mesh_steps_read(ask->profile, options->step, &ask->first, &ask->end);
    if (result >= 0)
        return result;
    mesh_region_whole(ask->about, (int)level, &ask->region);
    result = read_box(ask, options->box);
    if (result < 0)
        result = read_box(ask, options->cell);
    ask->region.coarse = (int64_t)coarse;
    ask->selected = options->step->given || options->level->given ||
                    options->box->given || options->cell->given || options->coarse->given;
    return result;
}
