/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.c: make replicates of the runs of a question. */
#include "properties/evaluate/noise.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "properties/evaluate/parts.h"
#include "properties/store/store.h"

enum { MOST_ROWS = 2000000 }; /* limit of summary rows in all replicates together */

static size_t rows_of(const struct mm_noise *noise)
{
    size_t rows = 0;

    for (size_t i = 0; i < noise->run_count; i++)
        for (size_t k = 0; k < noise->runs[i].region_count; k++)
            if (noise->runs[i].regions[k].blocks.count && noise->runs[i].regions[k].asked)
                rows += noise->runs[i].unit_count * (MM_REPLICATES - 1);
    return rows;
}

static void drop_runs(struct mm_noise *noise)
{
    for (size_t i = 0; i < noise->run_count; i++)
        mm_noise_run_done(&noise->runs[i]);
    noise->run_count = 0;
}

static int read_run(struct mm_noise *noise, int64_t id, int64_t basis, double least,
                    struct cca_error *err)
{
    struct mm_noise_run *run = &noise->runs[noise->run_count++];
    int result =
        mm_noise_run_read(run, noise->from, &noise->world, id, basis, least, err);

    run->stream = noise->run_count - 1;
    return result;
}

/* Read the runs; the limit of a region's share is raised until all replicates have few
 * enough rows. */
static int read_runs(struct mm_noise *noise, const struct mm_property_question *q,
                     double least, struct cca_error *err)
{
    int result = 0;

    for (;; least = fmax(2 * least, .01)) {
        for (size_t i = 0; i < q->experiment_count && !result; i++)
            result = read_run(noise, q->experiments[i], q->basis, least, err);
        for (size_t i = 0; i < q->experiment_count && q->sequential; i++)
            if (q->experiments[i] == q->sequential)
                goto read;
        if (q->sequential && !result)
            result = read_run(noise, q->sequential, q->basis, least, err);
    read:
        if (result || least > 1 || rows_of(noise) <= MOST_ROWS)
            return result;
        drop_runs(noise);
    }
}

static int has_rows(struct mm_store *store, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int has = sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK &&
              sqlite3_step(s) == SQLITE_ROW;

    sqlite3_finalize(s);
    return has;
}

/* Whether runs number `a` and `b` have the same configuration. */
static int mm_noise_same(const struct mm_noise *noise, size_t a, size_t b)
{
    return noise->runs[a].run->same == noise->runs[b].run->same;
}

size_t mm_noise_first(const struct mm_noise *noise, size_t at)
{
    size_t first = 0;

    while (!mm_noise_same(noise, first, at))
        first++;
    return first;
}

int mm_noise_has_repeats(const struct mm_noise *noise)
{
    for (size_t i = 0; i < noise->run_count; i++)
        if (mm_noise_first(noise, i) != i)
            return 1;
    return 0;
}

/* Add the mean run of all runs with the configuration of run `first`. */
static int add_pooled(struct mm_noise *noise, size_t first, struct cca_error *err)
{
    const struct mm_world_run **same =
        calloc(noise->run_count, sizeof(struct mm_world_run *));
    size_t count = 0;
    int result;

    if (!same)
        return cca_no_memory(err);
    for (size_t i = first; i < noise->run_count; i++)
        if (mm_noise_same(noise, first, i))
            same[count++] = noise->runs[i].run;
    result = mm_noise_store_pool(noise->store, noise->from, same, count, err);
    free(same);
    return result;
}

static int add_all(struct mm_noise *noise, struct cca_error *err)
{
    int result = mm_noise_store_begin(noise->store, noise->from, err);

    for (size_t i = 0; i < noise->run_count && !result; i++) {
        for (size_t k = 1; k < MM_REPLICATES && !result; k++)
            result =
                mm_noise_store_add(noise->store, noise->from, &noise->runs[i], k, err);
        for (int k = MM_NOISE_LOW; k <= MM_NOISE_HIGH && !result && noise->ends; k++)
            result =
                mm_noise_store_end(noise->store, noise->from, &noise->runs[i], k, err);
        if (!result && mm_noise_has_repeats(noise) && mm_noise_first(noise, i) == i)
            result = add_pooled(noise, i, err);
    }
    return result;
}

int mm_noise_new(struct mm_noise **made, struct mm_store *store,
                 const struct mm_property_question *question, double least_share,
                 struct cca_error *err)
{
    struct mm_noise *noise = calloc(1, sizeof *noise);
    int result;

    *made = NULL;
    if (!noise)
        return cca_no_memory(err);
    noise->from = store;
    noise->runs = calloc(question->experiment_count + 1, sizeof *noise->runs);
    result = noise->runs ? mm_world_read(&noise->world, store, question->basis, err)
                         : cca_no_memory(err);
    if (!result)
        result = read_runs(noise, question, least_share, err);
    if (!result)
        result = mm_store_new(&noise->store, NULL, err);
    noise->ends = !result && (has_rows(store, "SELECT 1 FROM message LIMIT 1") ||
                              has_rows(store, "SELECT 1 FROM collective LIMIT 1"));
    if (!result) {
        sqlite3_exec(noise->store->db, "BEGIN", NULL, NULL, NULL);
        result = add_all(noise, err);
        sqlite3_exec(noise->store->db, "COMMIT; ANALYZE", NULL, NULL, NULL);
    }
    if (result) {
        mm_noise_free(noise);
        return result;
    }
    *made = noise;
    return 0;
}

void mm_noise_free(struct mm_noise *noise)
{
    if (!noise)
        return;
    drop_runs(noise);
    free(noise->runs);
    free(noise->rows);
    mm_store_free(noise->store);
    mm_world_done(&noise->world);
    free(noise);
}
