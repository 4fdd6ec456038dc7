/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_store.h: the store of replicates. Inside noise.h. */
#ifndef PROPERTIES_EVALUATE_NOISE_STORE_H
#define PROPERTIES_EVALUATE_NOISE_STORE_H

#include "properties/evaluate/noise_run.h"

/* Kinds of replicate; those from batches are 1 to MM_REPLICATES - 1. Replicate k of
 * experiment or unit i is number i * MM_NOISE_KINDS + k. */
enum {
    MM_NOISE_LOW = MM_REPLICATES, /* ends of estimates */
    MM_NOISE_HIGH,
    MM_NOISE_POOLED, /* of the first run of its configuration */
    MM_NOISE_KINDS = 128
};

/* What all replicates share: regions, nodes. 0; -EIO, -ENOMEM. */
int mm_noise_store_begin(struct mm_store *to, struct mm_store *from,
                         struct cca_error *err);
/* Experiment, units and summaries of replicate `k` of a run, which mm_noise_run_vary
 * makes; regions without blocks only where they are a basis. */
int mm_noise_store_add(struct mm_store *to, struct mm_store *from,
                       struct mm_noise_run *run, size_t k, struct cca_error *err);
/* Replicate MM_NOISE_LOW or MM_NOISE_HIGH: the run as it is, messages and collectives at
 * that end of their estimates. */
int mm_noise_store_end(struct mm_store *to, struct mm_store *from,
                       const struct mm_noise_run *run, int k, struct cca_error *err);
/* The mean over `runs`, `count` of one configuration: units by rank and thread, regions
 * that all of them have. */
int mm_noise_store_pool(struct mm_store *to, struct mm_store *from,
                        const struct mm_world_run *const *runs, size_t count,
                        struct cca_error *err);

#endif
