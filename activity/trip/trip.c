/* SPDX-License-Identifier: BSD-3-Clause */
/* trip.c: from experiments to the text of a model. */
#include "activity/trip/trip.h"

#include <errno.h>
#include <stdlib.h>

#include "activity/trip/core.h"
#include "activity/trip/text.h"

/* Find out whether runs differ in numeric parameters: counts then become scaling
 * functions. Runs that differ in classes alone add to the costs. */
static int compare_runs(struct trip *trip)
{
    const struct mm_run **runs = calloc(trip->runs + 1, sizeof *runs);
    int rc = runs ? 0 : cca_no_memory(trip->err);

    for (size_t i = 0; i < trip->runs && !rc; i++)
        runs[i] = &trip->experiments[i]->run;
    if (!rc && mm_axes_init(&trip->axes, runs, trip->runs))
        rc = cca_no_memory(trip->err);
    free(runs);
    for (size_t i = 0; i < trip->axes.count && !rc; i++)
        trip->by_laws |= mm_axis_counts(&trip->axes, i) &&
                         trip->axes.items[i].is_number && trip->axes.items[i].varies;
    return rc;
}

/* Free the values recorded at the nodes of all patterns. */
static void free_places(struct trip *trip)
{
    for (size_t i = 0; i < trip->symbol_count; i++) {
        struct trip_symbol *s = &trip->symbols[i];

        if (s->pattern)
            trip_node_done(s->pattern->root, trip->thread_count);
        if (s->own)
            trip_node_done(s->own, trip->thread_count);
    }
    for (int i = 0; trip->roots && i < trip->most_threads; i++)
        if (trip->roots[i].root)
            trip_node_done(trip->roots[i].root, trip->thread_count);
}

char *act_trip_text(struct mm_experiment *const *experiments, size_t count,
                    const struct act_trip_options *options, struct cca_error *err)
{
    struct cca_error own = {0};
    struct trip trip = {.experiments = experiments,
                        .runs = count,
                        .options = options,
                        .err = err ? err : &own};
    struct trip_traffic *traffic;
    char *text = NULL;
    int rc;

    trip.arena = act_arena_new();
    if (!trip.arena) {
        cca_no_memory(trip.err);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        trip.mpi_apart |= experiments[i]->ranks > 1 && experiments[i]->has_mpi;
    rc = compare_runs(&trip);
    rc = rc ? rc : trip_read(&trip);
    if (!rc && !trip.symbol_count)
        rc = cca_error_set(trip.err, -ENODATA, "'%s' has no calls", experiments[0]->path);
    rc = rc ? rc : trip_order(&trip);
    rc = rc ? rc : trip_by_rank(&trip);
    traffic = rc ? NULL : calloc(count + 1, sizeof *traffic);
    if (!rc && !traffic)
        rc = cca_no_memory(trip.err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = trip_traffic_read(&trip, i, &traffic[i]);
    rc = rc ? rc : trip_patterns(&trip);
    if (!rc)
        text = trip_write(&trip, traffic);
    for (size_t i = 0; traffic && i < count; i++)
        trip_traffic_done(&traffic[i]);
    free(traffic);
    free_places(&trip);
    trip_read_done(&trip);
    mm_axes_done(&trip.axes);
    act_arena_free(trip.arena);
    return text;
}
