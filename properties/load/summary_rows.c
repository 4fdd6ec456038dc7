/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_rows.c: write rows of summary, summary_cache and summary_counter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "properties/load/parts.h"

/* Indices of the counters of a cache level; -1: none. */
struct level {
    int misses, accesses;
};

enum { LEVELS = 3 };

struct mm_load_rows {
    struct mm_load *load;
    sqlite3_stmt *summary, *cache, *counter;
    struct level levels[LEVELS];
};

static int place_of(const struct mm_experiment *e, const char *name)
{
    for (size_t i = 0; i < e->counter_count; i++)
        if (strcmp(e->counters[i], name) == 0)
            return MM_LOAD_COUNTERS + (int)i;
    return -1;
}

static int first_of(const struct mm_experiment *e, const char *const *names)
{
    int at = -1;

    for (; *names && at < 0; names++)
        at = place_of(e, *names);
    return at;
}

/* Find PAPI's presets for each level; presets for all accesses are preferred to those for
 * data only. */
static void find_levels(struct mm_load_rows *rows)
{
    static const char *const misses[LEVELS][3] = {{"PAPI_L1_TCM", "PAPI_L1_DCM"},
                                                  {"PAPI_L2_TCM", "PAPI_L2_DCM"},
                                                  {"PAPI_L3_TCM", "PAPI_L3_DCM"}};
    static const char *const accesses[LEVELS][4] = {
        {"PAPI_L1_TCA", "PAPI_L1_DCA", "PAPI_LST_INS"},
        {"PAPI_L2_TCA", "PAPI_L2_DCA"},
        {"PAPI_L3_TCA", "PAPI_L3_DCA"}};

    for (int i = 0; i < LEVELS; i++) {
        rows->levels[i].misses = first_of(rows->load->e, misses[i]);
        rows->levels[i].accesses = first_of(rows->load->e, accesses[i]);
    }
}

struct mm_load_rows *mm_load_rows_new(struct mm_load *load)
{
    struct mm_load_rows *rows = calloc(1, sizeof *rows);

    if (!rows) {
        cca_no_memory(load->err);
        return NULL;
    }
    rows->load = load;
    find_levels(rows);
    rows->summary = mm_put_prepare(
        load->store,
        "INSERT INTO summary (experiment, region, unit, calls, unfinished, exec_time,"
        " own_time, mpi_time, own_mpi_time, cpu_time, own_cpu_time, recv_time, send_time,"
        " mpi_sync_time, coll_time, mpi_ctl_time, io_time, omp_sync_time, omp_ctl_time,"
        " loss_par, wait_time, instructions, recording)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        load->err);
    rows->cache = mm_put_prepare(
        load->store, "INSERT INTO summary_cache VALUES (?, ?, ?, ?, ?, ?)", load->err);
    rows->counter = mm_put_prepare(
        load->store, "INSERT INTO summary_counter VALUES (?, ?, ?, ?, ?, ?)", load->err);
    if (rows->summary && rows->cache && rows->counter)
        return rows;
    mm_load_rows_free(rows);
    return NULL;
}

void mm_load_rows_free(struct mm_load_rows *rows)
{
    if (!rows)
        return;
    sqlite3_finalize(rows->summary);
    sqlite3_finalize(rows->cache);
    sqlite3_finalize(rows->counter);
    free(rows);
}

/* A value of a sum, NaN if some call had no value. */
static double value_at(const struct mm_load_sum *sum, int at, int own)
{
    uint32_t lacks = own ? sum->own_lacks : sum->lacks;

    if (at < 0 || lacks >> at & 1)
        return NAN;
    return (double)(own ? sum->own[at] : sum->all[at]);
}

void mm_load_columns(const struct mm_load *load, const struct mm_load_sum *sum,
                     double columns[MM_COLUMNS])
{
    const struct mm_load_metrics *m = &load->metrics;
    int no_mpi = m->no_mpi || (m->has_mpi && sum->all[MM_LOAD_MPI] == 0 && !sum->open);

    for (int c = 0; c < MM_COLUMNS; c++) {
        double value = value_at(sum, m->at[c], 0);

        columns[c] = c == MM_COLUMN_INSTRUCTIONS ? value : value / 1e9;
        /* a run without MPI: all parts of MPI time are 0 */
        if (c <= MM_COLUMN_CTL && no_mpi)
            columns[c] = 0;
    }
}

static double mpi_seconds(const struct mm_load *load, int64_t ns)
{
    return load->metrics.has_mpi || load->metrics.no_mpi ? (double)ns / 1e9 : (double)NAN;
}

static double wait_seconds(const struct mm_load *load, const struct mm_load_sum *sum)
{
    if (load->metrics.no_mpi)
        return 0;
    return load->has_waits ? (double)sum->all[MM_LOAD_WAIT] / 1e9 : (double)NAN;
}

static double io_time(double mpi_time, const double *columns)
{
    double rest = mpi_time;

    for (int c = MM_COLUMN_RECV; c <= MM_COLUMN_CTL; c++)
        rest -= columns[c];
    /* a rest below a nanosecond is a rounding error */
    return rest < 5e-10 ? 0 : rest;
}

static int put_caches(struct mm_load_rows *rows, int64_t region,
                      const struct mm_load_unit *unit, const struct mm_load_sum *sum)
{
    struct mm_load *load = rows->load;
    int result = 0;

    for (int i = 0; i < LEVELS && !result; i++)
        if (rows->levels[i].misses >= 0 || rows->levels[i].accesses >= 0)
            result = mm_put(load->store, rows->cache, load->err, "iiiirr",
                            load->experiment, region, unit->id, (int64_t)i + 1,
                            value_at(sum, rows->levels[i].misses, 0),
                            value_at(sum, rows->levels[i].accesses, 0));
    return result;
}

int mm_load_rows_put(struct mm_load_rows *rows, int64_t region,
                     const struct mm_load_unit *unit, const struct mm_load_sum *sum,
                     const double columns[MM_COLUMNS])
{
    struct mm_load *load = rows->load;
    double mpi_time = mpi_seconds(load, sum->all[MM_LOAD_MPI]);
    double cpu = value_at(sum, MM_LOAD_CPU, 0);
    double own_cpu = value_at(sum, MM_LOAD_CPU, 1);
    int result = mm_put(
        load->store, rows->summary, load->err, "iiirrrrrrrrrrrrrrrrrrrr",
        load->experiment, region, unit->id, (double)sum->calls, (double)sum->open,
        (double)sum->all[MM_LOAD_EXEC] / 1e9, (double)sum->own[MM_LOAD_EXEC] / 1e9,
        mpi_time, mpi_seconds(load, sum->own[MM_LOAD_MPI]), cpu / 1e9, own_cpu / 1e9,
        columns[MM_COLUMN_RECV], columns[MM_COLUMN_SEND], columns[MM_COLUMN_SYNC],
        columns[MM_COLUMN_COLL], columns[MM_COLUMN_CTL], io_time(mpi_time, columns),
        columns[MM_COLUMN_OMP_SYNC], columns[MM_COLUMN_OMP_CTL], columns[MM_COLUMN_LOSS],
        wait_seconds(load, sum), columns[MM_COLUMN_INSTRUCTIONS],
        (double)sum->all[MM_LOAD_RECORDING] / 1e9);

    if (!result)
        result = put_caches(rows, region, unit, sum);
    for (size_t i = 0; i < load->e->counter_count && !result; i++)
        result = mm_put(load->store, rows->counter, load->err, "iiitrr", load->experiment,
                        region, unit->id, load->e->counters[i],
                        value_at(sum, MM_LOAD_COUNTERS + (int)i, 0),
                        value_at(sum, MM_LOAD_COUNTERS + (int)i, 1));
    return result;
}
