/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.h: noise within a run, from batches of iterations in a row.
 *
 *   batch      0 1 2 3 4 5 6 7     a block is `length` batches, here 2
 *   block       0   1   2   3
 *   replicate   2   0   0   2      weights, by a row of a Hadamard matrix
 *
 * A replicate is the same run made of half of its blocks. Whatever is computed from the
 * weighted sums varies over the replicates as it does over runs that differ by this noise
 * alone. Each block has a column of the matrix of its own, orthogonal to the others, so
 * the values of all replicates give back the effect of each block on what was computed
 * (half-samples by orthogonal signs: McCarthy, Rev. Int. Stat. Inst. 37, 1969; Wolter,
 * Introduction to Variance Estimation, 3), and the effects are a series in time: what
 * drifts slowly, and how neighbours depend on each other, is seen in it. The weights of
 * all units and regions of an experiment are those of one replicate, so covariances
 * need no formula. */
#ifndef PROPERTIES_CONFIDENCE_BATCHES_H
#define PROPERTIES_CONFIDENCE_BATCHES_H

#include <stddef.h>

enum {
    MM_REPLICATES = 64,   /* rows of the matrix; the first changes nothing */
    MM_BLOCKS_MOST = 63,  /* its columns but the first */
    MM_BLOCKS_LEAST = 16, /* fewer blocks: nothing is known */
    MM_BATCHES_MOST = 1024
};

/* How the batches of one region in one experiment are used. */
struct mm_blocks {
    size_t length; /* batches in a block */
    size_t count;  /* blocks; 0: too few batches, or they depend on each other too much */
    double lag;    /* autocorrelation between blocks */
};

/* Blocks for `batches` batches of `units` units: the shortest whose autocorrelation of
 * lag 1 is below 0.2, or as many as MM_BLOCKS_LEAST; none where that
 * of the batches is above 0.75. A last block that is not whole, and
 * one beyond MM_BLOCKS_MOST, keep the weight 1.
 *
 *   times   in   [units][batches], any unit of time; a NaN, or more batches than
 *                MM_BATCHES_MOST, count as no batches
 */
struct mm_blocks mm_blocks_choose(const double *times, size_t units, size_t batches);

/* Weight of `batch` in `replicate` (0 to MM_REPLICATES - 1): 0 or 2; 1 in replicate 0.
 * Weighted sums are to be divided by the sum of the weights and multiplied with the
 * number of batches. `stream` is a different number for each experiment whose noise is
 * independent. */
double mm_blocks_weight(const struct mm_blocks *blocks, size_t batch, size_t replicate,
                        size_t stream);

/* The spread of what was computed, from its values in the replicates. */
struct mm_block_spread {
    double sd;      /* of its value in the whole run */
    double freedom; /* degrees of freedom of sd; 0: unknown */
    double noisier; /* mean of its values in the replicates 1 to MM_REPLICATES - 1 */
    double times;   /* variance of the noise in them, that of the whole run being 1 */
};

/*   replicates   in   [MM_REPLICATES] values, in order
 *   blocks       in   of the region; of several regions or experiments the one with the
 *                     fewest blocks
 *   stream       in   as above, of the first experiment
 */
struct mm_block_spread mm_blocks_spread(const double *replicates,
                                        const struct mm_blocks *blocks, size_t stream);

#endif
