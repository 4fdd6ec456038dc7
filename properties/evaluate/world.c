/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c: read the runs, regions and units of a store, accessible by number. */
#include "properties/evaluate/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "common/array.h"
#include "properties/store/store.h"

static int failed(struct mm_store *store, struct cca_error *err)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "%s: %s", store->path ? store->path : "store",
                               sqlite3_errmsg(store->db));
}

/* Run a statement, with a number bound to its parameter if it has one, and walk its
 * rows. */
static int walk(struct mm_store *store, const char *sql, int64_t number,
                int (*take)(struct mm_world *world, sqlite3_stmt *row),
                struct mm_world *world, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR, result = 0;

    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, number);
        while ((step = sqlite3_step(s)) == SQLITE_ROW && !result)
            result = take(world, s);
    }
    if (!result && step != SQLITE_DONE)
        result = failed(store, err);
    else if (result)
        cca_no_memory(err);
    sqlite3_finalize(s);
    return result;
}

static char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return strdup(text ? text : "");
}

static double number_of(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(row, column);
}

static int take_run(struct mm_world *world, sqlite3_stmt *row)
{
    size_t at = world->run_count;
    struct mm_world_run *run =
        cca_array_add(&world->runs, &world->run_count, sizeof *run);

    if (!run)
        return -ENOMEM;
    run->id = sqlite3_column_int64(row, 0);
    run->root = sqlite3_column_int64(row, 1);
    run->path = text_of(row, 2);
    run->name = text_of(row, 3);
    run->problem = text_of(row, 4);
    run->configuration = text_of(row, 5);
    run->state = text_of(row, 6);
    run->ranks = number_of(row, 7);
    run->threads = number_of(row, 8);
    run->units = number_of(row, 9);
    run->cores = number_of(row, 10);
    if (!run->path || !run->name || !run->problem || !run->configuration || !run->state)
        return -ENOMEM;
    while (run->same < at &&
           strcmp(world->runs[run->same].configuration, run->configuration) != 0)
        run->same++;
    return 0;
}

static int take_region(struct mm_world *world, sqlite3_stmt *row)
{
    struct mm_world_region *region =
        cca_array_add(&world->regions, &world->region_count, sizeof *region);

    if (!region)
        return -ENOMEM;
    region->id = sqlite3_column_int64(row, 0);
    region->parent = sqlite3_column_int64(row, 1);
    region->kind = text_of(row, 2);
    region->name = text_of(row, 3);
    region->share = region->comm_share = region->sync_share = region->in_mpi = NAN;
    region->worst_rank = -1;
    return region->kind && region->name ? 0 : -ENOMEM;
}

static int take_unit(struct mm_world *world, sqlite3_stmt *row)
{
    struct mm_world_unit *unit =
        cca_array_add(&world->units, &world->unit_count, sizeof *unit);

    if (!unit)
        return -ENOMEM;
    unit->id = sqlite3_column_int64(row, 0);
    unit->experiment = sqlite3_column_int64(row, 1);
    unit->rank = sqlite3_column_int(row, 2);
    unit->thread = sqlite3_column_int(row, 3);
    return 0;
}

/* Find the element with an id in an array that is sorted by id. */
static const void *find(const void *array, size_t count, size_t size, int64_t id)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)array + middle * size;
        int64_t found;

        memcpy(&found, at, sizeof found); /* the id is the first member of each struct */
        if (found == id)
            return at;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int take_share(struct mm_world *world, sqlite3_stmt *row)
{
    const struct mm_world_region *found =
        mm_world_region(world, sqlite3_column_int64(row, 0));
    double share = number_of(row, 1);
    struct mm_world_region *region;

    if (!found || !isfinite(share))
        return 0;
    region = &world->regions[found - world->regions];
    if (!(region->share >= share)) {
        region->share = share;
        region->worst_rank = sqlite3_column_int(row, 2);
    }
    return 0;
}

/* Times of the slowest unit in each run's basis, matched by name: another build has
 * another number for it. */
#define SLOWEST                                                                          \
    "WITH slowest AS MATERIALIZED (SELECT e.id AS experiment, max(b.exec_time) AS time"  \
    " FROM experiment AS e CROSS JOIN summary AS b ON b.experiment = e.id AND b.region"  \
    " = CASE WHEN ?1 = 0 THEN e.root ELSE (SELECT o.id FROM region AS g JOIN region AS"  \
    " o ON o.kind = g.kind AND o.name = g.name AND o.version = e.version WHERE g.id ="   \
    " ?1) END GROUP BY e.id)"

static int take_parts(struct mm_world *world, sqlite3_stmt *row)
{
    const struct mm_world_region *found =
        mm_world_region(world, sqlite3_column_int64(row, 0));
    struct mm_world_region *region;

    if (!found)
        return 0;
    region = &world->regions[found - world->regions];
    region->comm_share = fmax(region->comm_share, number_of(row, 1));
    region->sync_share = fmax(region->sync_share, number_of(row, 2));
    region->in_mpi = fmax(region->in_mpi, number_of(row, 3));
    return 0;
}

int mm_world_read(struct mm_world *world, struct mm_store *store, int64_t basis,
                  struct cca_error *err)
{
    static const char shares[] =
        SLOWEST " SELECT y.region, y.time / w.time, u.rank FROM (SELECT s.experiment, "
                "s.region, max(s.exec_time) AS time, s.unit FROM summary AS s GROUP BY "
                "s.experiment, s.region) AS y JOIN slowest AS w ON w.experiment = "
                "y.experiment JOIN unit AS u ON u.id = y.unit";
    /* A separate statement: SQLite takes the unit from the row of the maximum only if
     * there is one maximum. */
    static const char parts[] =
        SLOWEST " SELECT y.region, y.comm / w.time, y.sync / w.time, y.mpi FROM (SELECT "
                "s.experiment, s.region, max(s.comm_time) AS comm, max(s.sync_time) AS "
                "sync, sum(s.mpi_time) / sum(s.exec_time) AS mpi FROM rs AS s GROUP BY "
                "s.experiment, s.region) AS y JOIN slowest AS w ON w.experiment = "
                "y.experiment";
    int result;

    memset(world, 0, sizeof *world);
    result = walk(
        store,
        "SELECT e.id, e.root, e.path, e.name, e.problem, e.configuration, e.state,"
        " e.ranks, e.threads, e.units, (SELECT sum(n.cores) FROM node AS n WHERE n.id"
        " IN (SELECT u.node FROM unit AS u WHERE u.experiment = e.id))"
        " FROM experiment AS e ORDER BY e.id",
        0, take_run, world, err);
    if (!result)
        result = walk(store, "SELECT id, parent, kind, name FROM region ORDER BY id", 0,
                      take_region, world, err);
    if (!result)
        result = walk(store, "SELECT id, experiment, rank, thread FROM unit ORDER BY id",
                      0, take_unit, world, err);
    if (!result)
        result = walk(store, shares, basis, take_share, world, err);
    return result ? result : walk(store, parts, basis, take_parts, world, err);
}

void mm_world_done(struct mm_world *world)
{
    for (size_t i = 0; i < world->run_count; i++) {
        free(world->runs[i].path);
        free(world->runs[i].name);
        free(world->runs[i].problem);
        free(world->runs[i].configuration);
        free(world->runs[i].state);
    }
    for (size_t i = 0; i < world->region_count; i++) {
        free(world->regions[i].kind);
        free(world->regions[i].name);
    }
    free(world->runs);
    free(world->regions);
    free(world->units);
    memset(world, 0, sizeof *world);
}

const struct mm_world_run *mm_world_run(const struct mm_world *world, int64_t id)
{
    return find(world->runs, world->run_count, sizeof *world->runs, id);
}

const struct mm_world_region *mm_world_region(const struct mm_world *world, int64_t id)
{
    return find(world->regions, world->region_count, sizeof *world->regions, id);
}

const struct mm_world_unit *mm_world_unit(const struct mm_world *world, int64_t id)
{
    return find(world->units, world->unit_count, sizeof *world->units, id);
}
