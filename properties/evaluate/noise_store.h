/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_store.h: the store of replicates. For the files noise*.c. */
#ifndef PROPERTIES_EVALUATE_NOISE_STORE_H
#define PROPERTIES_EVALUATE_NOISE_STORE_H

#include "properties/evaluate/noise_run.h"

/* Kinds of replicate; 1 to MM_REPLICATES - 1 are composed of batches. Replicate k of
 * experiment or unit i has the number i * MM_NOISE_KINDS + k. */
enum {
    MM_NOISE_LOW = MM_REPLICATES, /* lower ends of estimates */
    MM_NOISE_HIGH,
    MM_NOISE_POOLED, /* the mean run, stored under the first run of its configuration */
    MM_NOISE_KINDS = 128
};

/* Add the rows that all replicates share: regions, nodes. 0; -EIO, -ENOMEM. */
int mm_noise_store_begin(struct mm_store *to, struct mm_store *from,
                         struct cca_error *err);
/* Add experiment, units and summaries of replicate `k` of a run, computed by
 * mm_noise_run_vary; regions without blocks only if they are a basis. */
int mm_noise_store_add(struct mm_store *to, struct mm_store *from,
                       struct mm_noise_run *run, size_t k, struct cca_error *err);
/* Add replicate MM_NOISE_LOW or MM_NOISE_HIGH: the unchanged run with messages and
 * collectives at that end of their intervals. */
int mm_noise_store_end(struct mm_store *to, struct mm_store *from,
                       const struct mm_noise_run *run, int k, struct cca_error *err);
/* Add the mean over `count` runs of one configuration: units matched by rank and thread,
 * only regions that all of them have. */
int mm_noise_store_pool(struct mm_store *to, struct mm_store *from,
                        const struct mm_world_run *const *runs, size_t count,
                        struct cca_error *err);

#endif
