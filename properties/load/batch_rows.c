/* SPDX-License-Identifier: BSD-3-Clause */
/* batch_rows.c: write rows of batch. */
#include <math.h>

#include "properties/load/sums/batches.h"
#include "properties/load/parts.h"

static double value_at(const struct mm_load *load, const struct mm_load_unit *unit,
                       size_t method, const struct mm_load_batch *b, int column)
{
    int at = load->metrics.at[column];

    if (at < 0 || unit->sums[method].lacks >> at & 1)
        return load->metrics.no_mpi && column <= MM_COLUMN_CTL ? 0 : (double)NAN;
    return (double)b->sum[at] / (column == MM_COLUMN_INSTRUCTIONS ? 1 : 1e9);
}

static int put_batch(struct mm_load *load, sqlite3_stmt *s,
                     const struct mm_load_unit *unit, size_t method, size_t at)
{
    const struct mm_method_batches *m = &load->batches->methods[method];
    const struct mm_load_batch *b = &m->batches[at];
    uint64_t before = at * m->width;
    double columns[MM_COLUMNS], mpi_time, cpu_time, rest;

    for (int c = 0; c < MM_COLUMNS; c++)
        columns[c] = value_at(load, unit, method, b, c);
    mpi_time = load->metrics.has_mpi  ? (double)b->sum[MM_LOAD_MPI] / 1e9
               : load->metrics.no_mpi ? 0
                                      : (double)NAN;
    cpu_time = unit->sums[method].lacks >> MM_LOAD_CPU & 1
                   ? (double)NAN
                   : (double)b->sum[MM_LOAD_CPU] / 1e9;
    rest = mpi_time - columns[MM_COLUMN_RECV] - columns[MM_COLUMN_SEND] -
           columns[MM_COLUMN_SYNC] - columns[MM_COLUMN_COLL] - columns[MM_COLUMN_CTL];
    return mm_put(
        load->store, s, load->err, "iiiirrrrrrrrrrrrrrrr", load->experiment,
        load->methods[method], unit->id, (int64_t)at,
        (double)(m->calls - before < m->width ? m->calls - before : m->width),
        (double)b->sum[MM_LOAD_EXEC] / 1e9, (double)b->own_exec / 1e9, mpi_time, cpu_time,
        columns[MM_COLUMN_RECV], columns[MM_COLUMN_SEND], columns[MM_COLUMN_SYNC],
        columns[MM_COLUMN_COLL], columns[MM_COLUMN_CTL], rest < 5e-10 ? 0 : rest,
        columns[MM_COLUMN_OMP_SYNC], columns[MM_COLUMN_OMP_CTL], columns[MM_COLUMN_LOSS],
        columns[MM_COLUMN_INSTRUCTIONS], (double)m->width);
}

int mm_load_put_batches(struct mm_load *load, const struct mm_load_unit *unit)
{
    struct mm_load_batches *b = load->batches;
    sqlite3_stmt *s =
        mm_put_prepare(load->store,
                       "INSERT INTO batch (experiment, region, unit, batch, calls,"
                       " exec_time, own_time, mpi_time, cpu_time, recv_time, send_time,"
                       " mpi_sync_time, coll_time, mpi_ctl_time, io_time, omp_sync_time,"
                       " omp_ctl_time, loss_par, instructions, width)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                       " ?)",
                       load->err);
    int result = s ? 0 : load->err->code;

    for (size_t i = 0; i < b->method_count && !result; i++) {
        size_t count = mm_batches_count(&b->methods[i]);
        int64_t region;

        if (b->methods[i].calls < MM_BATCHES_LEAST)
            continue;
        b->some = 1;
        result = mm_load_method(load, load->e->methods[i], &region);
        for (size_t k = 0; k < count && !result; k++)
            result = put_batch(load, s, unit, i, k);
    }
    sqlite3_finalize(s);
    mm_batches_clear(b);
    return result;
}

/* Give all units of a region batches of the same width, by merging narrower ones: widths
 * are powers of two. */
int mm_load_align_batches(struct mm_load *load)
{
    static const char sql[] =
        "CREATE TEMP TABLE wide AS SELECT region, max(width) AS width FROM batch"
        " WHERE experiment = ?1 GROUP BY region HAVING min(width) < max(width)";
    static const char merge[] =
        "CREATE TEMP TABLE merged AS SELECT b.experiment, b.region, b.unit,"
        " CAST(b.batch * b.width / w.width AS INTEGER) AS batch, sum(calls) AS calls,"
        " sum(exec_time), sum(own_time), sum(mpi_time), sum(cpu_time), sum(recv_time),"
        " sum(send_time), sum(mpi_sync_time), sum(coll_time), sum(mpi_ctl_time),"
        " sum(io_time), sum(omp_sync_time), sum(omp_ctl_time), sum(loss_par),"
        " sum(instructions), w.width FROM batch AS b JOIN temp.wide AS w USING (region)"
        " WHERE b.experiment = ?1 GROUP BY b.region, b.unit, 4";
    static const char drop[] = "DELETE FROM batch WHERE experiment = ?1 AND region IN"
                               " (SELECT region FROM temp.wide)";
    int result = 0;

    if (!load->batches)
        return 0;
    if (!load->batches->some)
        return mm_load_missing(load, "batch",
                               "no method has rows of %d calls on one unit",
                               MM_BATCHES_LEAST);
    result = mm_put_once(load->store, NULL, load->err, sql, "i", load->experiment);
    if (!result)
        result = mm_put_once(load->store, NULL, load->err, merge, "i", load->experiment);
    if (!result)
        result = mm_put_once(load->store, NULL, load->err, drop, "i", load->experiment);
    if (!result)
        result = mm_put_once(load->store, NULL, load->err,
                             "INSERT INTO batch SELECT * FROM temp.merged", "");
    if (!result)
        result = mm_put_once(load->store, NULL, load->err, "DROP TABLE temp.merged", "");
    if (!result)
        result = mm_put_once(load->store, NULL, load->err, "DROP TABLE temp.wide", "");
    return result;
}
