/* SPDX-License-Identifier: BSD-3-Clause */
/* load.h: experiments as rows of a store (docs/reference/property-files.md). */
#ifndef PROPERTIES_LOAD_LOAD_H
#define PROPERTIES_LOAD_LOAD_H

#include "properties/store/store.h"

/* Zeros: all that is here, names looked up, penalties not measured. */
struct mm_load_options {
    int penalties;      /* measure what a miss costs on this machine, or take what was */
    int no_contexts;    /* leave out calling contexts, */
    int no_batches;     /* batches of iterations, */
    int no_models;      /* calls above the model, */
    int no_places;      /* source files and lines */
    size_t most_memory; /* bytes of messages held at a time, 0: 64 MiB */
    /* Called with what takes longer than a second, one line without its end; or NULL. */
    void (*progress)(void *context, const char *line);
    void *context;
};

/* Add an experiment, or all of another store, to `store`, which is being made. Memory
 * grows with units x regions, not with rows: these are walked once for all metrics.
 *
 *   experiment  in  path of an experiment directory, finished, running or killed; or of a
 *                   store
 *   options     in  NULL: all zeros
 *
 * Returns 0; -EEXIST: the store has this run, and is as it was; -ENOENT, -ENOTDIR,
 * -EBADMSG (damaged: "file: found, expected"), -EIO, -ENOMEM with `err`. After another
 * error the store is of no use but for mm_store_free. Each thread its own store. */
int mm_store_load(struct mm_store *store, const char *experiment,
                  const struct mm_load_options *options, struct cca_error *err);

#endif
