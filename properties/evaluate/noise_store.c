/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_store.c: write rows of replicates. */
#include "properties/evaluate/parts.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "properties/store/store.h"

static int refuse(struct mm_store *store, struct cca_error *err)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
}

static sqlite3_stmt *prepare(struct mm_store *store, char *sql, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;

    if (!sql)
        cca_no_memory(err);
    else if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) != SQLITE_OK)
        refuse(store, err);
    sqlite3_free(sql);
    return s;
}

/* Prepare an INSERT INTO the table named `what`, with as many columns as `row` has. */
static sqlite3_stmt *prepare_insert(struct mm_store *to, const char *what, int columns,
                                    struct cca_error *err)
{
    char marks[200] = "?";

    for (int i = 1; i < columns && i < 99; i++)
        snprintf(marks + 2 * i - 1, sizeof marks - (size_t)(2 * i - 1), ",?");
    return prepare(to, sqlite3_mprintf("INSERT INTO %s VALUES (%s)", what, marks), err);
}

/* Copy the rows that `select` returns from one store into a table of another store. Frees
 * `select`. */
static int copy_rows(struct mm_store *to, const char *what, struct mm_store *from,
                     char *select, struct cca_error *err)
{
    sqlite3_stmt *row = prepare(from, select, err), *put;
    int columns = row ? sqlite3_column_count(row) : 0, step = SQLITE_DONE, result = -EIO;

    put = row ? prepare_insert(to, what, columns, err) : NULL;
    while (put && step == SQLITE_DONE && (step = sqlite3_step(row)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            sqlite3_bind_value(put, i + 1, sqlite3_column_value(row, i));
        step = sqlite3_step(put);
        if (step != SQLITE_DONE)
            refuse(to, err);
        sqlite3_reset(put);
    }
    if (put && step == SQLITE_DONE)
        result = 0;
    else if (put && sqlite3_errcode(from->db) != SQLITE_OK)
        refuse(from, err);
    sqlite3_finalize(row);
    sqlite3_finalize(put);
    return result;
}

int mm_noise_store_begin(struct mm_store *to, struct mm_store *from,
                         struct cca_error *err)
{
    static const char *const tables[] = {"application", "version", "source_file",
                                         "region",      "machine", "node",
                                         "cache",       "network"};
    int result = 0;

    for (size_t i = 0; i < sizeof tables / sizeof *tables && !result; i++)
        result = copy_rows(to, tables[i], from,
                           sqlite3_mprintf("SELECT * FROM %s", tables[i]), err);
    return result;
}

/* Add the experiment and its units as replicate `k`. */
static int add_experiment(struct mm_store *to, struct mm_store *from, int64_t id,
                          size_t k, struct cca_error *err)
{
    int kinds = MM_NOISE_KINDS, kind = (int)k;
    int result = copy_rows(
        to,
        "experiment (id, version, machine, path, name, problem, configuration, ranks, "
        "threads, units, started, state, root, recording, cpu)",
        from,
        sqlite3_mprintf("SELECT id * %d + %d, version, machine, path || '#%d', name, "
                        "problem, configuration, ranks, threads, units, started, state, "
                        "root, recording, cpu FROM experiment WHERE id = %lld",
                        kinds, kind, kind, (long long)id),
        err);

    return result ? result
                  : copy_rows(to,
                              "unit (id, experiment, rank, thread, node, wall, cpu, "
                              "stolen)",
                              from,
                              sqlite3_mprintf("SELECT id * %d + %d, experiment * %d + %d,"
                                              " rank, thread, node, wall, cpu, stolen "
                                              "FROM unit WHERE experiment = %lld",
                                              kinds, kind, kinds, kind, (long long)id),
                              err);
}

static void bind_number(sqlite3_stmt *s, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_double(s, at, value);
}

static int add_summary(sqlite3_stmt *put, const struct mm_noise_run *run, size_t at,
                       size_t unit, size_t k)
{
    const struct mm_noise_region *r = &run->regions[at];
    double times[MM_NOISE_COLUMNS];
    int step;

    mm_noise_run_times(times, run, at, unit);
    sqlite3_bind_int64(put, 1, run->run->id * MM_NOISE_KINDS + (int64_t)k);
    sqlite3_bind_int64(put, 2, r->region->id);
    sqlite3_bind_int64(put, 3, run->units[unit]->id * MM_NOISE_KINDS + (int64_t)k);
    bind_number(put, 4, r->calls[unit]);
    for (int c = 0; c < MM_NOISE_COLUMNS; c++)
        bind_number(put, 5 + c, times[c]);
    step = sqlite3_step(put);
    sqlite3_reset(put);
    return step == SQLITE_DONE ? 0 : -EIO;
}

int mm_noise_store_add(struct mm_store *to, struct mm_store *from,
                       struct mm_noise_run *run, size_t k, struct cca_error *err)
{
    int result = add_experiment(to, from, run->run->id, k, err);
    sqlite3_stmt *put = NULL;

    if (!result) {
        put = prepare_insert(to,
                             "summary (experiment, region, unit, calls, exec_time, "
                             "own_time, mpi_time, cpu_time, recv_time, send_time, "
                             "mpi_sync_time, coll_time, mpi_ctl_time, io_time, "
                             "omp_sync_time, omp_ctl_time, loss_par, instructions)",
                             4 + MM_NOISE_COLUMNS, err);
        result = put ? 0 : -EIO;
    }
    mm_noise_run_vary(run, k);
    for (size_t i = 0; i < run->region_count && !result; i++) {
        if (!(run->regions[i].blocks.count && run->regions[i].asked) &&
            !run->regions[i].basis)
            continue;
        for (size_t u = 0; u < run->unit_count && !result; u++)
            if (!isnan(run->regions[i].calls[u]) && add_summary(put, run, i, u, k))
                result = refuse(to, err);
    }
    sqlite3_finalize(put);
    return result;
}

#define TIMES                                                                            \
    "exec_time, own_time, mpi_time, own_mpi_time, cpu_time, own_cpu_time, recv_time, "   \
    "send_time, mpi_sync_time, coll_time, mpi_ctl_time, io_time, omp_sync_time, "        \
    "omp_ctl_time, loss_par, wait_time, instructions, recording"

int mm_noise_store_end(struct mm_store *to, struct mm_store *from,
                       const struct mm_noise_run *run, int k, struct cca_error *err)
{
    const char *end = k == MM_NOISE_LOW ? "low" : "high";
    long long id = run->run->id;
    int kinds = MM_NOISE_KINDS, result = add_experiment(to, from, id, (size_t)k, err);

    for (size_t i = 0; i < run->region_count && !result; i++)
        if (run->regions[i].basis)
            result = copy_rows(
                to, "summary (experiment, region, unit, calls, unfinished, " TIMES ")",
                from,
                sqlite3_mprintf("SELECT experiment * %d + %d, region, unit * %d + %d, "
                                "calls, unfinished, " TIMES " FROM summary WHERE "
                                "experiment = %lld AND region = %lld",
                                kinds, k, kinds, k, id,
                                (long long)run->regions[i].region->id),
                err);
    if (!result)
        result = copy_rows(
            to,
            "message (experiment, src, dst, send_site, recv_site, send_region, "
            "recv_region, size_class, n, samples, bytes, min, max, sum, late_send, "
            "late_recv, transfer)",
            from,
            sqlite3_mprintf("SELECT experiment * %d + %d, src, dst, send_site, recv_site,"
                            " send_region, recv_region, size_class, n, samples, bytes, "
                            "min, max, sum, late_send_%s, late_recv_%s, transfer FROM "
                            "message WHERE experiment = %lld",
                            kinds, k, end, end, id),
            err);
    return result ? result
                  : copy_rows(
                        to,
                        "collective (experiment, function, site, region, instances, "
                        "samples, wait, longest, last_rank, last_share)",
                        from,
                        sqlite3_mprintf("SELECT experiment * %d + %d, function, site, "
                                        "region, instances, samples, wait_%s, longest, "
                                        "last_rank, last_share FROM collective WHERE "
                                        "experiment = %lld",
                                        kinds, k, end, id),
                        err);
}

/* The runs' numbers as text, "1, 2, 3". NULL: no memory. */
static char *number_list(const struct mm_world_run *const *runs, size_t count)
{
    char *list = sqlite3_mprintf("%lld", (long long)runs[0]->id);

    for (size_t i = 1; i < count && list; i++) {
        char *longer = sqlite3_mprintf("%s, %lld", list, (long long)runs[i]->id);

        sqlite3_free(list);
        list = longer;
    }
    return list;
}

/* Add the mean of each column over the runs, if all of them have it. Regions are matched
 * by kind and name: another build has other numbers. */
static int pool_summaries(struct mm_store *to, struct mm_store *from, const char *list,
                          int64_t first, size_t count, struct cca_error *err)
{
    sqlite3_str *means = sqlite3_str_new(from->db);
    static const char *const others[] = {"own_mpi_time", "own_cpu_time", "wait_time",
                                         "recording"};
    char *text;
    int result;

    for (size_t c = 0; c < MM_NOISE_COLUMNS + 4; c++) {
        const char *name =
            c < MM_NOISE_COLUMNS ? mm_noise_columns[c] : others[c - MM_NOISE_COLUMNS];

        sqlite3_str_appendf(means, ", CASE WHEN count(s.%s) = %d THEN avg(s.%s) END",
                            name, (int)count, name);
    }
    text = sqlite3_str_finish(means);
    if (!text)
        return cca_no_memory(err);
    result = copy_rows(
        to,
        "summary (experiment, region, unit, calls, unfinished, exec_time, own_time, "
        "mpi_time, cpu_time, recv_time, send_time, mpi_sync_time, coll_time, "
        "mpi_ctl_time, io_time, omp_sync_time, omp_ctl_time, loss_par, instructions, "
        "own_mpi_time, own_cpu_time, wait_time, recording)",
        from,
        sqlite3_mprintf(
            "SELECT %lld, g.id, f.id * %d + %d, avg(s.calls), avg(s.unfinished)%s "
            "FROM unit AS f JOIN unit AS u ON u.rank = f.rank AND u.thread = f.thread "
            "AND u.experiment IN (%s) JOIN summary AS s ON s.experiment = u.experiment "
            "AND s.unit = u.id JOIN region AS r ON r.id = s.region JOIN experiment AS e "
            "ON e.id = f.experiment JOIN region AS g ON g.version = e.version AND g.kind "
            "= r.kind AND g.name = r.name WHERE f.experiment = %lld GROUP BY f.id, g.id "
            "HAVING count(*) = %d",
            (long long)(first * MM_NOISE_KINDS + MM_NOISE_POOLED), MM_NOISE_KINDS,
            MM_NOISE_POOLED, text, list, (long long)first, (int)count),
        err);
    sqlite3_free(text);
    return result;
}

int mm_noise_store_pool(struct mm_store *to, struct mm_store *from,
                        const struct mm_world_run *const *runs, size_t count,
                        struct cca_error *err)
{
    char *list = number_list(runs, count);
    int64_t first = runs[0]->id;
    int result = list ? 0 : cca_no_memory(err);

    if (!result)
        result = add_experiment(to, from, first, MM_NOISE_POOLED, err);
    if (!result)
        result = pool_summaries(to, from, list, first, count, err);
    if (!result)
        result = copy_rows(
            to, "summary_cache (experiment, region, unit, level, misses, accesses)", from,
            sqlite3_mprintf(
                "SELECT %lld, c.region, f.id * %d + %d, c.level, avg(c.misses), "
                "avg(c.accesses) FROM unit AS f JOIN unit AS u ON u.rank = f.rank AND "
                "u.thread = f.thread AND u.experiment IN (%s) JOIN summary_cache AS c ON "
                "c.experiment = u.experiment AND c.unit = u.id WHERE f.experiment = %lld "
                "GROUP BY f.id, c.region, c.level HAVING count(*) = %d",
                (long long)(first * MM_NOISE_KINDS + MM_NOISE_POOLED), MM_NOISE_KINDS,
                MM_NOISE_POOLED, list, (long long)first, (int)count),
            err);
    sqlite3_free(list);
    return result;
}
