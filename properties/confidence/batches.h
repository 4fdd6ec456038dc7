/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.h: noise within a run, from batches of consecutive iterations.
 *
 *   batch      0 1 2 3 4 5 6 7     a block is `length` batches, here 2
 *   block       0   1   2   3
 *   replicate   2   0   0   2      weights, by a row of a Hadamard matrix
 *
 * A replicate is the same run composed of half of its blocks. Any result computed from
 * the weighted sums varies over the replicates as it would over runs that differ by this
 * noise alone. Each block has its own column of the matrix, orthogonal to the others, so
 * the effect of each block on the result can be computed from the results of all
 * replicates (half-samples by orthogonal signs: McCarthy, Rev. Int. Stat. Inst. 37, 1969;
 * Wolter, Introduction to Variance Estimation, 3). The effects form a series in time,
 * which shows slow drift and correlation of neighbours. All units and regions of an
 * experiment use the weights of the same replicate, so covariances need no formula. */
#ifndef PROPERTIES_CONFIDENCE_BATCHES_H
#define PROPERTIES_CONFIDENCE_BATCHES_H

#include <stddef.h>

enum {
    MM_REPLICATES = 64,   /* number of replicates: rows of the matrix of weights, of which
                             the first are all 1 */
    MM_BLOCKS_MOST = 63,  /* limit of blocks: columns of the matrix except the first */
    MM_BLOCKS_LEAST = 16, /* fewest blocks from which noise is computed */
    MM_BATCHES_MOST = 1024
};

/* How the batches of one region in one experiment are combined. */
struct mm_blocks {
    size_t length; /* number of batches in a block */
    size_t count;  /* number of blocks; 0: too few batches, or they are too strongly
                    * correlated */
    double lag;    /* autocorrelation between blocks */
};

/* Choose blocks for `batches` batches of `units` units: the shortest whose
 * autocorrelation of lag 1 is below 0.2, or else MM_BLOCKS_LEAST blocks; none if the
 * autocorrelation of the batches is above 0.75. An incomplete last block, and blocks
 * beyond MM_BLOCKS_MOST, keep the weight 1.
 *
 *   times   in   [units][batches], any unit of time; a NaN, or more batches than
 *                MM_BATCHES_MOST, count as no batches */
struct mm_blocks mm_blocks_choose(const double *times, size_t units, size_t batches);

/* Weight of `batch` in `replicate` (0 to MM_REPLICATES - 1): 0 or 2; 1 in replicate 0.
 * Divide weighted sums by the sum of the weights and multiply by the number of batches.
 * `stream` must be a different number for each experiment with independent noise. */
double mm_blocks_weight(const struct mm_blocks *blocks, size_t batch, size_t replicate,
                        size_t stream);

/* Noise of a result, from its values in the replicates. */
struct mm_block_spread {
    double sd;      /* standard deviation of its value in the whole run */
    double freedom; /* degrees of freedom of sd; 0: unknown */
    double noisier; /* mean of its values in the replicates 1 to MM_REPLICATES - 1 */
    double times;   /* variance of the noise in these replicates / in the whole run */
};

/*   replicates   in   [MM_REPLICATES] values of the result, by number of the replicate
 *   blocks       in   the region's blocks; with several regions or experiments, the
 *                     blocks of the one that has the fewest
 *   stream       in   as for mm_blocks_weight, of the first experiment */
struct mm_block_spread mm_blocks_spread(const double *replicates,
                                        const struct mm_blocks *blocks, size_t stream);

#endif
