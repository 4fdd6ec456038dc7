/* SPDX-License-Identifier: BSD-3-Clause */
/* load.h: load experiments into a store, as rows (docs/reference/property-files.md). */
#ifndef PROPERTIES_LOAD_LOAD_H
#define PROPERTIES_LOAD_LOAD_H

#include "properties/store/store.h"

/* Zeros mean: load everything, look up names, do not measure penalties. */
struct mm_load_options {
    int penalties;   /* 1: measure the penalties of cache misses on this machine, unless
                      * they were measured before */
    int no_contexts; /* 1: do not store calling contexts */
    int no_batches;  /* 1: do not store batches (sums over consecutive calls) */
    int no_models;   /* 1: do not store calls that cost more than their model predicts */
    int no_places;   /* 1: do not store source files and lines */
    size_t most_memory; /* limit of bytes of messages in memory, 0: 64 MiB */
    /* function that is called before work that takes longer than a second, with a line of
     * text without newline; or NULL */
    void (*progress)(void *context, const char *line);
    void *context;
};

/* Add an experiment, or all of another store, to the unfinished store `store`. Memory
 * grows with units x regions, not with rows, which are read once for all metrics.
 *
 *   experiment  in  path of an experiment (finished, running or killed), or of a
 *                   store
 *   options     in  NULL: all zeros
 *
 * Returns 0; -EEXIST: the store has this run and is unchanged; -ENOENT, -ENOTDIR,
 * -EBADMSG (damaged: "file: found, expected"), -EIO, -ENOMEM with `err`. After an error
 * other than -EEXIST only mm_store_free may be called. Each thread needs its own
 * store. */
int mm_store_load(struct mm_store *store, const char *experiment,
                  const struct mm_load_options *options, struct cca_error *err);

#endif
