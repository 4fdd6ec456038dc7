/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_run.h: the summaries and batches of one run as arrays. Inside noise.h. */
#ifndef PROPERTIES_EVALUATE_NOISE_RUN_H
#define PROPERTIES_EVALUATE_NOISE_RUN_H

#include "properties/confidence/batches.h"
#include "properties/evaluate/world.h"

/* Columns of `batch` and `summary`, in this order; exec_time is the first. */
enum { MM_NOISE_EXEC, MM_NOISE_OWN, MM_NOISE_CPU = 3, MM_NOISE_COLUMNS = 14 };
extern const char *const mm_noise_columns[MM_NOISE_COLUMNS];

struct mm_noise_region {
    const struct mm_world_region *region;
    double *times;   /* [units][MM_NOISE_COLUMNS]; NaN: NULL or no summary */
    double *calls;   /* [units]; NaN: no summary */
    double *batches; /* methods: [units][batch_count][MM_NOISE_COLUMNS]; else NULL */
    double *factors; /* [units][MM_NOISE_COLUMNS] of the replicate set last, the whole run
                        being 1; methods with batches, else NULL */
    size_t batch_count;
    size_t up;     /* number of the region around it, SIZE_MAX: none */
    size_t *parts; /* the outermost contexts that it varies by */
    size_t part_count;
    size_t method; /* contexts: number of their method's region; SIZE_MAX: none */
    int asked;     /* its share is large enough; smaller ones are what others vary by */
    int basis;     /* the run's root, or the basis asked for */
    int outermost; /* a context with batches that is inside none with batches */
    struct mm_blocks blocks; /* that its replicates are made of; count 0: none */
};

struct mm_noise_run {
    const struct mm_world_run *run;
    size_t stream;
    const struct mm_world_unit **units;
    struct mm_noise_region *regions;
    size_t unit_count, region_count;
};

/* Read run `id`, with regions of a share of at least a 20th of `least` and, whatever its
 * share, the root and the region `basis` (0: none). 0; -EIO, -ENOMEM. mm_noise_run_done
 * in any case. */
int mm_noise_run_read(struct mm_noise_run *run, struct mm_store *store,
                      const struct mm_world *world, int64_t id, int64_t basis,
                      double least, struct cca_error *err);
void mm_noise_run_done(struct mm_noise_run *run);

/* Find which regions vary by which: mm_noise_region.method, outermost, blocks. 0 or
 * -ENOMEM. */
int mm_noise_run_link(struct mm_noise_run *run);

/* Make the run replicate number `replicate`. */
void mm_noise_run_vary(struct mm_noise_run *run, size_t replicate);
/* Times of region `at` on `unit` in it: `times` [MM_NOISE_COLUMNS]. NaN: nothing is known
 * of the noise of that column. */
void mm_noise_run_times(double *times, const struct mm_noise_run *run, size_t at,
                        size_t unit);

#endif
