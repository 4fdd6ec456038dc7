/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_run.c: read the summaries and batches of one run. */
#include "properties/evaluate/noise_run.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "properties/store/store.h"

const char *const mm_noise_columns[MM_NOISE_COLUMNS] = {
    "exec_time",     "own_time",      "mpi_time",  "cpu_time",     "recv_time",
    "send_time",     "mpi_sync_time", "coll_time", "mpi_ctl_time", "io_time",
    "omp_sync_time", "omp_ctl_time",  "loss_par",  "instructions"};

/* regions with a share down to 1/PARTS of the limit are read, too: larger regions may
 * vary with them */
#define PARTS 20

#define COLUMNS                                                                          \
    "exec_time, own_time, mpi_time, cpu_time, recv_time, send_time, mpi_sync_time, "     \
    "coll_time, mpi_ctl_time, io_time, omp_sync_time, omp_ctl_time, loss_par, "          \
    "instructions"

static int refuse(struct mm_store *store, struct cca_error *err)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
}

static double *new_times(size_t count)
{
    double *times = malloc((count ? count : 1) * sizeof *times);

    for (size_t i = 0; times && i < count; i++)
        times[i] = NAN;
    return times;
}

/* Read MM_NOISE_COLUMNS columns of a row, from column `first` on. */
static void read_columns(double *to, sqlite3_stmt *row, int first)
{
    for (int c = 0; c < MM_NOISE_COLUMNS; c++)
        to[c] = sqlite3_column_type(row, first + c) == SQLITE_NULL
                    ? NAN
                    : sqlite3_column_double(row, first + c);
}

static int choose_units(struct mm_noise_run *run, const struct mm_world *world)
{
    run->units = calloc(world->unit_count + 1, sizeof *run->units);
    if (!run->units)
        return -ENOMEM;
    for (size_t i = 0; i < world->unit_count; i++)
        if (world->units[i].experiment == run->run->id)
            run->units[run->unit_count++] = &world->units[i];
    return 0;
}

/* Whether a region is the basis; another build has the basis under another number. */
static int is_basis(const struct mm_noise_run *run, const struct mm_world_region *r,
                    const struct mm_world_region *basis)
{
    return r->id == run->run->root ||
           (basis && !strcmp(r->kind, basis->kind) && !strcmp(r->name, basis->name));
}

static int has_contexts(const struct mm_world *world)
{
    for (size_t i = 0; i < world->region_count; i++)
        if (!strcmp(world->regions[i].kind, "context"))
            return 1;
    return 0;
}

static int choose_regions(struct mm_noise_run *run, const struct mm_world *world,
                          int64_t basis, double least)
{
    const struct mm_world_region *of = basis ? mm_world_region(world, basis) : NULL;
    double least_part = has_contexts(world) ? least / PARTS : least;

    run->regions = calloc(world->region_count + 1, sizeof *run->regions);
    if (!run->regions)
        return -ENOMEM;
    for (size_t i = 0; i < world->region_count; i++) {
        const struct mm_world_region *from = &world->regions[i];
        struct mm_noise_region *r = &run->regions[run->region_count];

        if (!(from->share >= least_part) && !is_basis(run, from, of))
            continue;
        run->region_count++;
        r->region = from;
        r->basis = is_basis(run, from, of);
        r->asked = from->share >= least || r->basis;
        r->method = SIZE_MAX;
        r->times = new_times(run->unit_count * MM_NOISE_COLUMNS);
        r->calls = new_times(run->unit_count);
        if (!r->times || !r->calls)
            return -ENOMEM;
    }
    return 0;
}

static int by_region(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = ((const struct mm_noise_region *)b)->region->id;

    return (x > y) - (x < y);
}

static struct mm_noise_region *find_region(const struct mm_noise_run *run, int64_t id)
{
    return bsearch(&id, run->regions, run->region_count, sizeof *run->regions, by_region);
}

static int by_unit(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = (*(const struct mm_world_unit *const *)b)->id;

    return (x > y) - (x < y);
}

/* Index of a unit; SIZE_MAX: it belongs to another run. */
static size_t find_unit(const struct mm_noise_run *run, int64_t id)
{
    const struct mm_world_unit **u =
        bsearch(&id, run->units, run->unit_count, sizeof *run->units, by_unit);

    return u ? (size_t)(u - run->units) : SIZE_MAX;
}

static int read_summaries(struct mm_noise_run *run, struct mm_store *store,
                          struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(store->db,
                           "SELECT region, unit, calls, " COLUMNS
                           " FROM summary WHERE experiment = ?1",
                           -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, run->run->id);
        while ((step = sqlite3_step(s)) == SQLITE_ROW) {
            struct mm_noise_region *r = find_region(run, sqlite3_column_int64(s, 0));
            size_t u = find_unit(run, sqlite3_column_int64(s, 1));

            if (!r || u == SIZE_MAX)
                continue;
            r->calls[u] = sqlite3_column_double(s, 2);
            read_columns(r->times + u * MM_NOISE_COLUMNS, s, 3);
        }
    }
    sqlite3_finalize(s);
    return step == SQLITE_DONE ? 0 : refuse(store, err);
}

/* Number of full batches that all units with a summary of the region have in common. */
static size_t common_batches(const struct mm_noise_run *run,
                             const struct mm_noise_region *r, const size_t *full)
{
    size_t least = SIZE_MAX;

    for (size_t u = 0; u < run->unit_count; u++)
        if (!isnan(r->calls[u]) && full[u] < least)
            least = full[u];
    return least == SIZE_MAX || least > MM_BATCHES_MOST ? 0 : least;
}

/* Count the full batches of one region's units, or read their values. */
static int walk_batches(struct mm_noise_run *run, struct mm_store *store,
                        struct mm_noise_region *r, size_t *full)
{
    static const char sql[] =
        "SELECT unit, batch, " COLUMNS " FROM batch WHERE experiment "
        "= ?1 AND region = ?2 AND calls >= width";
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, run->run->id);
        sqlite3_bind_int64(s, 2, r->region->id);
        while ((step = sqlite3_step(s)) == SQLITE_ROW) {
            size_t u = find_unit(run, sqlite3_column_int64(s, 0));
            int64_t batch = sqlite3_column_int64(s, 1);

            if (u == SIZE_MAX || batch < 0)
                continue;
            if (!r->batches)
                full[u]++;
            else if ((size_t)batch < r->batch_count)
                read_columns(r->batches +
                                 (u * r->batch_count + (size_t)batch) * MM_NOISE_COLUMNS,
                             s, 2);
        }
    }
    sqlite3_finalize(s);
    return step == SQLITE_DONE ? 0 : -EIO;
}

static int read_batches(struct mm_noise_run *run, struct mm_store *store,
                        struct mm_noise_region *r, struct cca_error *err)
{
    size_t *full = calloc(run->unit_count + 1, sizeof *full);
    int result;

    if (!full)
        return cca_no_memory(err);
    result = walk_batches(run, store, r, full);
    if (!result && (r->batch_count = common_batches(run, r, full)) >= MM_BLOCKS_LEAST) {
        r->batches = new_times(run->unit_count * r->batch_count * MM_NOISE_COLUMNS);
        r->factors = new_times(run->unit_count * MM_NOISE_COLUMNS);
        result = r->batches && r->factors ? walk_batches(run, store, r, full) : -ENOMEM;
    }
    free(full);
    return result == -ENOMEM ? cca_no_memory(err) : result ? refuse(store, err) : 0;
}

int mm_noise_run_read(struct mm_noise_run *run, struct mm_store *store,
                      const struct mm_world *world, int64_t id, int64_t basis,
                      double least, struct cca_error *err)
{
    int result;

    *run = (struct mm_noise_run){.run = mm_world_run(world, id)};
    if (!run->run)
        return cca_error_set(err, -EINVAL, "store: found no experiment %lld",
                             (long long)id);
    if (choose_units(run, world) || choose_regions(run, world, basis, least))
        return cca_no_memory(err);
    result = read_summaries(run, store, err);
    for (size_t i = 0; i < run->region_count && !result; i++)
        if (!strcmp(run->regions[i].region->kind, "method"))
            result = read_batches(run, store, &run->regions[i], err);
    return !result && mm_noise_run_link(run) ? cca_no_memory(err) : result;
}

void mm_noise_run_done(struct mm_noise_run *run)
{
    for (size_t i = 0; i < run->region_count; i++) {
        free(run->regions[i].times);
        free(run->regions[i].calls);
        free(run->regions[i].batches);
        free(run->regions[i].factors);
        free(run->regions[i].parts);
    }
    free(run->regions);
    free(run->units);
    *run = (struct mm_noise_run){0};
}
