/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c: processing units: the threads of all ranks. */
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/find.h"
#include "properties/load/parts.h"

struct mm_load_unit *mm_load_unit_of(struct mm_load *load, int rank, int thread)
{
    size_t at;

    if (load->recent < load->unit_count && load->units[load->recent].rank == rank &&
        load->units[load->recent].thread == thread)
        return &load->units[load->recent];
    CCA_FIND_FIRST(at, load->unit_count,
                   load->units[at].rank < rank ||
                       (load->units[at].rank == rank && load->units[at].thread < thread));
    if (at == load->unit_count || load->units[at].rank != rank ||
        load->units[at].thread != thread)
        return NULL;
    load->recent = at;
    return &load->units[at];
}

static int add_unit(struct mm_load *load, int rank, int thread)
{
    struct mm_load_unit *unit =
        cca_array_add(&load->units, &load->unit_count, sizeof *unit);

    if (!unit)
        return cca_no_memory(load->err);
    unit->rank = rank;
    unit->thread = thread;
    unit->first_ns = INT64_MAX;
    unit->last_ns = INT64_MIN;
    return 0;
}

/* Add the units of a rank: its threads with calls, and threads of OpenMP teams; each rank
 * has at least one unit. */
static int add_rank(struct mm_load *load, int rank)
{
    int *numbers = NULL, team = 0;
    size_t count = 0, first = load->unit_count;
    int result = mm_load_openmp_threads(load, rank, &team);

    if (!result)
        result = mm_experiment_threads(load->e, rank, &numbers, &count, load->err);
    for (int n = 0; n < team && !result; n++)
        result = add_unit(load, rank, n);
    for (size_t i = 0; i < count && !result; i++)
        if (numbers[i] >= team)
            result = add_unit(load, rank, numbers[i]);
    if (!result && load->unit_count == first) /* the rank has no rows: it gets one unit */
        result = add_unit(load, rank, 0);
    for (size_t u = first; u < load->unit_count; u++)
        load->units[u].openmp.threads = team;
    load->has_openmp |= team > 0;
    if (load->threads < (int)(load->unit_count - first))
        load->threads = (int)(load->unit_count - first);
    free(numbers);
    return result;
}

int mm_load_find_units(struct mm_load *load)
{
    int result = 0;

    for (int rank = 0; rank < load->e->ranks && !result; rank++)
        result = add_rank(load, rank);
    return result;
}

int mm_load_name_units(struct mm_load *load)
{
    sqlite3_stmt *s = mm_put_prepare(
        load->store,
        "INSERT INTO unit (experiment, rank, thread, node) VALUES (?, ?, ?, ?)",
        load->err);
    int result = s ? 0 : load->err->code;

    for (size_t i = 0; i < load->unit_count && !result; i++) {
        struct mm_load_unit *u = &load->units[i];

        result = mm_put(load->store, s, load->err, "iiii", load->experiment,
                        (int64_t)u->rank, (int64_t)u->thread, u->node);
        u->id = sqlite3_last_insert_rowid(load->store->db);
    }
    sqlite3_finalize(s);
    return result;
}

static int on_interval(const struct mm_interval *i, void *context)
{
    struct mm_load *load = context;
    struct mm_load_unit *unit = mm_load_unit_of(load, i->rank, i->thread);

    if (!unit)
        return 0;
    unit->wall_ns += i->wall_ns;
    unit->cpu_ns += i->cpu_ns;
    /* a thread that left the CPU voluntarily may have waited for anything */
    if (i->involuntary && !i->voluntary && i->wall_ns > i->cpu_ns)
        unit->stolen_ns += i->wall_ns - i->cpu_ns;
    return 0;
}

static double seconds_or_null(const struct mm_load_unit *unit, int64_t ns)
{
    return unit->wall_ns ? (double)ns / 1e9 : (double)NAN;
}

int mm_load_put_units(struct mm_load *load)
{
    sqlite3_stmt *s;
    int result = mm_experiment_intervals(load->e, on_interval, load, load->err);

    if (result)
        return result;
    s = mm_put_prepare(load->store,
                       "UPDATE unit SET wall = ?, cpu = ?, stolen = ? WHERE id = ?",
                       load->err);
    if (!s)
        return load->err->code;
    for (size_t i = 0; i < load->unit_count && !result; i++) {
        const struct mm_load_unit *u = &load->units[i];

        result = mm_put(load->store, s, load->err, "rrri", seconds_or_null(u, u->wall_ns),
                        seconds_or_null(u, u->cpu_ns), seconds_or_null(u, u->stolen_ns),
                        u->id);
        if (!result && !u->wall_ns)
            result = mm_load_missing(load, "cpu",
                                     "threads without rows have no readings of their CPU "
                                     "time");
    }
    sqlite3_finalize(s);
    return result;
}
