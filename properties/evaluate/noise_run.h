/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_run.h: the summaries and batches of one run as arrays. For the files noise*.c. */
#ifndef PROPERTIES_EVALUATE_NOISE_RUN_H
#define PROPERTIES_EVALUATE_NOISE_RUN_H

#include "properties/confidence/batches.h"
#include "properties/evaluate/world.h"

/* Columns of `batch` and `summary`, in this order; the first is exec_time. */
enum { MM_NOISE_EXEC, MM_NOISE_OWN, MM_NOISE_CPU = 3, MM_NOISE_COLUMNS = 14 };
extern const char *const mm_noise_columns[MM_NOISE_COLUMNS];

struct mm_noise_region {
    const struct mm_world_region *region;
    double *times;   /* columns of summary, [units][MM_NOISE_COLUMNS]; NaN: NULL or no
                        summary */
    double *calls;   /* number of calls, [units]; NaN: no summary */
    double *batches; /* columns of batch, of a method:
                        [units][batch_count][MM_NOISE_COLUMNS]; else NULL */
    double *factors; /* [units][MM_NOISE_COLUMNS] times in the current replicate, relative
                        to the whole run; NULL for a region that is no method with
                        batches */
    size_t batch_count;
    size_t up;     /* index of the enclosing region, SIZE_MAX: none */
    size_t *parts; /* indices of the outermost contexts inside, with whose noise the
                      region varies */
    size_t part_count;
    size_t method; /* of a context: index of its method's region; SIZE_MAX: none */
    int asked;     /* 1: the region's share is large enough; smaller regions only serve as
                      parts of others */
    int basis;     /* 1: the region is the run's root, or the requested basis */
    int outermost; /* 1: a context with batches that is inside no other context with
                      batches */
    /* blocks of the region's batches, for the replicates; count 0: none */
    struct mm_blocks blocks;
};

struct mm_noise_run {
    const struct mm_world_run *run;
    size_t stream;
    const struct mm_world_unit **units;
    struct mm_noise_region *regions;
    size_t unit_count, region_count;
};

/* Read run `id`: the regions with a share of at least a 20th of `least`, and in any case
 * the root and the region `basis` (0: none). Returns 0; -EIO, -ENOMEM. Call
 * mm_noise_run_done in any case. */
int mm_noise_run_read(struct mm_noise_run *run, struct mm_store *store,
                      const struct mm_world *world, int64_t id, int64_t basis,
                      double least, struct cca_error *err);
void mm_noise_run_done(struct mm_noise_run *run);

/* Find the regions with which others vary: sets method, outermost and blocks of
 * mm_noise_region. Returns 0 or -ENOMEM. */
int mm_noise_run_link(struct mm_noise_run *run);

/* Turn the run into replicate number `replicate`. */
void mm_noise_run_vary(struct mm_noise_run *run, size_t replicate);
/* Times of region `at` on `unit` in the current replicate: `times` [MM_NOISE_COLUMNS].
 * NaN: the noise of that column is unknown. */
void mm_noise_run_times(double *times, const struct mm_noise_run *run, size_t at,
                        size_t unit);

#endif
