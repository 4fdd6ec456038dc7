/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.h: noise within a run, from batches of iterations in a row.
 *
 *   batch      0 1 | 2 3 | 4 5 | 6 7      a block is `length` batches, here 1;
 *   stratum     0     1     2     3       two blocks in a row are a stratum
 *   replicate  2 0 | 0 2 | 0 2 | 2 0      weights: one block of each stratum twice
 *
 * A replicate is the same run made of half of its blocks, one of each pair in a row, by
 * the signs of a Hadamard matrix (balanced half-samples: McCarthy, Rev. Int. Stat. Inst.
 * 37, 1969; Wolter, Introduction to Variance Estimation, 3.2). For whatever is computed
 * from the weighted sums, the spread of its values over the replicates is the spread it
 * would have over runs that differ by this noise alone; for linear ones exactly the
 * estimate from the differences in the pairs. A slow drift of cost over the run cancels
 * in the pairs and is not taken for noise. The weights of all units and regions of an
 * experiment are those of the same replicate, so covariances need no formula. */
#ifndef PROPERTIES_CONFIDENCE_BATCHES_H
#define PROPERTIES_CONFIDENCE_BATCHES_H

#include <stddef.h>

enum {
    MM_REPLICATES = 32,   /* rows of the matrix */
    MM_BLOCKS_LEAST = 16, /* fewer blocks: nothing is known */
    MM_STRATA_MOST = 31   /* columns of the matrix but the first */
};

/* How the batches of one region in one experiment are used. */
struct mm_blocks {
    size_t length; /* batches in a block */
    size_t strata; /* pairs of blocks, degrees of freedom; 0: too few batches */
    double widen;  /* factor >= 1 of the sd: correlation between blocks that is left */
};

/* Blocks for `batches` batches of `units` units: the shortest whose autocorrelation of
 * lag 1 is below 0.2; where even the longest (of 16) have more, they are taken and the
 * spread is widened.
 *
 *   times   in   [units][batches], any unit of time; a NaN counts as no batches
 */
struct mm_blocks mm_blocks_choose(const double *times, size_t units, size_t batches);

/* Weight of `batch` in `replicate` (0 to MM_REPLICATES - 1); 0 or 2, 1 beyond the last
 * stratum. The sum of the weights is the number of batches. `stream` is a different
 * number for each experiment whose noise is independent. */
double mm_blocks_weight(const struct mm_blocks *blocks, size_t batch, size_t replicate,
                        size_t stream);

/* Autocorrelation of lag 1 of units' series about their drift (a parabola), pooled over
 * units. 0 where there is no variation. */
double mm_autocorrelation(const double *times, size_t units, size_t batches);

#endif
