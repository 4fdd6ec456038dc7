/* SPDX-License-Identifier: BSD-3-Clause */
/* load.c: load an experiment into a store, step by step. */
#include "properties/load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/directory.h"
#include "properties/load/sums/batches.h"
#include "properties/load/parts.h"
#include "properties/load/sums/tree.h"

static int begin(struct mm_load *load)
{
    load->methods = calloc(load->e->method_count + 1, sizeof *load->methods);
    if (!load->methods)
        return cca_no_memory(load->err);
    mm_load_metrics_find(&load->metrics, load->e);
    if (mm_load_names(load))
        return load->err->code;
    if (!load->options->no_contexts &&
        !(load->tree = mm_tree_new(load->metrics.count, load->same)))
        return cca_no_memory(load->err);
    if (!load->options->no_batches &&
        !(load->batches = mm_batches_new(load->e->method_count)))
        return cca_no_memory(load->err);
    return mm_load_find_units(load);
}

/* Store the penalties of cache misses, or why they are unknown. */
static int put_penalties(struct mm_load *load)
{
    int64_t unknown = 0;
    int result = mm_store_penalties(load->store, load->options, load->err);

    if (!result)
        result = mm_put_once(load->store, &unknown, load->err,
                             "SELECT count(*) FROM node LEFT JOIN cache ON node = node.id"
                             " WHERE machine = ? AND penalty IS NULL",
                             "i", load->machine);
    return result || !unknown
               ? result
               : mm_load_missing(
                     load, "penalty",
                     "not measured: `mastermind export sqlite --penalties`, on"
                     " the machine itself");
}

static int load_experiment(struct mm_load *load)
{
    static int (*const steps[])(struct mm_load *) = {
        begin,
        mm_load_machine,
        mm_load_about,
        mm_load_name_units,
        mm_load_walk,
        mm_load_end_contexts,
        mm_load_messages,
        mm_load_put_units,
        mm_load_openmp,
        mm_load_program,
        mm_load_summaries,
        mm_load_contexts,
        mm_load_align_batches,
        mm_load_method_places,
        mm_load_models,
        put_penalties,
        mm_load_lacking,
    };
    int result = 0;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && !result; i++)
        result = steps[i](load);
    return result;
}

static void done(struct mm_load *load)
{
    for (size_t i = 0; i < load->unit_count; i++)
        free(load->units[i].sums);
    free(load->units);
    free(load->methods);
    free(load->same);
    mm_tree_free(load->tree);
    mm_batches_free(load->batches);
    mm_experiment_free(load->e);
}

/* Whether the run is in the store already, under any name. */
static int is_there(struct mm_load *load, const char *path)
{
    sqlite3_stmt *s =
        mm_put_prepare(load->store, "SELECT path FROM experiment", load->err);
    int result = s ? 0 : load->err->code;

    while (!result && sqlite3_step(s) == SQLITE_ROW) {
        const char *other = (const char *)sqlite3_column_text(s, 0);

        if (other && cca_directory_is_same(other, path))
            result =
                cca_error_set(load->err, -EEXIST, "%s: is in the store already", path);
    }
    sqlite3_finalize(s);
    return result;
}

int mm_store_load(struct mm_store *store, const char *experiment,
                  const struct mm_load_options *options, struct cca_error *err)
{
    static const struct mm_load_options all = {0};
    struct cca_error own = {0};
    struct mm_load load = {
        .store = store, .options = options ? options : &all, .err = &own};
    int result;

    if (mm_store_is(experiment))
        return mm_store_merge(store, experiment, err);
    result = is_there(&load, experiment);
    if (!result && !(load.e = mm_experiment_open(experiment, &own)))
        result = own.code;
    if (!result)
        result = mm_put_once(store, NULL, &own, "BEGIN", "");
    if (!result)
        result = load_experiment(&load);
    if (!result)
        result = mm_put_once(store, NULL, &own, "COMMIT", "");
    done(&load);
    return result && err ? cca_error_set(err, result, "%s", own.text) : result;
}
