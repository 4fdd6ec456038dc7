/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.c: blocks of batches, their weights, and their effects. */
#include "properties/confidence/batches.h"

#include <math.h>

#define LAG_MOST .2 /* blocks with a smaller autocorrelation count as independent */
/* with a larger autocorrelation, only a 7th of the batches or fewer are independent */
#define LAG_BOUND .75
#define DRIFT_TERMS 3 /* number of coefficients of a parabola */

/* A parabola fitted to a series: with x from -1 to 1, coefficients of 1, x, x^2 -
 * mean. */
struct drift {
    /* coefficients of the parabola; square: mean of x^2 */
    double mean, slope, bend, square;
};

static double place(size_t i, size_t n)
{
    return n > 1 ? 2 * (double)i / (double)(n - 1) - 1 : 0;
}

static struct drift drift_of(const double *series, size_t n)
{
    struct drift d = {0};
    double xx = 0, xy = 0, qq = 0, qy = 0;

    for (size_t i = 0; i < n; i++) {
        d.square += place(i, n) * place(i, n) / (double)n;
        d.mean += series[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double x = place(i, n), q = x * x - d.square;

        xx += x * x;
        xy += x * series[i];
        qq += q * q;
        qy += q * series[i];
    }
    d.slope = xx > 0 ? xy / xx : 0;
    d.bend = qq > 1e-12 ? qy / qq : 0;
    return d;
}

/* Add the squares of the residuals about the drift, and the products of neighbouring
 * residuals. */
static void add_products(const double *series, size_t n, double *squares,
                         double *products)
{
    struct drift d = drift_of(series, n);
    double before = 0;

    for (size_t i = 0; i < n; i++) {
        double x = place(i, n);
        double rest = series[i] - d.mean - d.slope * x - d.bend * (x * x - d.square);

        *squares += rest * rest;
        *products += i ? rest * before : 0;
        before = rest;
    }
}

/* Autocorrelation of lag 1, corrected for bias: residuals of n independent values about a
 * drift of three terms have about -3/n. */
static double unbiased(double squares, double products, size_t n)
{
    return squares > 0 ? products / squares + DRIFT_TERMS / (double)n : 0;
}

/* Mean over units of each batch: a step that is slower for all units makes no unit
 * different. Returns 0 if there is one unit. */
static void find_common(double *common, const double *times, size_t units, size_t batches)
{
    for (size_t b = 0; b < batches; b++)
        common[b] = 0;
    for (size_t u = 0; u < units && units > 1; u++)
        for (size_t b = 0; b < batches; b++)
            common[b] += times[u * batches + b] / (double)units;
}

/* Autocorrelation of lag 1 of the units' series of blocks, about their drift. */
static double block_lag(const double *times, size_t units, size_t batches, size_t length)
{
    double squares = 0, products = 0, series[MM_BATCHES_MOST], common[MM_BATCHES_MOST];
    size_t n = batches / length;

    find_common(common, times, units, batches);
    for (size_t u = 0; u < units; u++) {
        for (size_t i = 0; i < n; i++) {
            series[i] = 0;
            for (size_t k = i * length; k < (i + 1) * length; k++)
                series[i] += times[u * batches + k] - common[k];
        }
        add_products(series, n, &squares, &products);
    }
    return unbiased(squares, products, n);
}

struct mm_blocks mm_blocks_choose(const double *times, size_t units, size_t batches)
{
    struct mm_blocks blocks = {.length = 1};

    for (size_t i = 0; i < units * batches; i++)
        if (!isfinite(times[i]))
            return blocks;
    if (!units || batches < MM_BLOCKS_LEAST || batches > MM_BATCHES_MOST)
        return blocks;
    while (batches / blocks.length > MM_BLOCKS_MOST + 1)
        blocks.length++;
    blocks.lag = block_lag(times, units, batches, blocks.length);
    if (blocks.lag > LAG_BOUND)
        return blocks;
    while (batches / (blocks.length + 1) >= MM_BLOCKS_LEAST && blocks.lag >= LAG_MOST)
        blocks.lag = block_lag(times, units, batches, ++blocks.length);
    blocks.count = batches / blocks.length;
    if (blocks.count > MM_BLOCKS_MOST)
        blocks.count = MM_BLOCKS_MOST;
    return blocks;
}

/* Entry of Sylvester's Hadamard matrix: -1 to the power of the number of common bits of
 * row and column. */
static int sign(size_t row, size_t column)
{
    size_t common = row & column;
    int negative = 0;

    for (; common; common &= common - 1)
        negative = !negative;
    return negative ? -1 : 1;
}

/* Matrix column of a block: powers of x modulo x^6 + x + 1, all 63 of them. The signs of
 * a row then form a maximal-length sequence, in which 16 or more consecutive signs are
 * never equal: no replicate uses less than a quarter of the blocks (Golomb, Shift
 * Register Sequences, 1967). */
static size_t column_of(size_t block, size_t stream)
{
    static const unsigned char powers[MM_BLOCKS_MOST] = {
        1,  2,  4,  8,  16, 32, 3,  6,  12, 24, 48, 35, 5,  10, 20, 40,
        19, 38, 15, 30, 60, 59, 53, 41, 17, 34, 7,  14, 28, 56, 51, 37,
        9,  18, 36, 11, 22, 44, 27, 54, 47, 29, 58, 55, 45, 25, 50, 39,
        13, 26, 52, 43, 21, 42, 23, 46, 31, 62, 63, 61, 57, 49, 33};

    return powers[(block + 17 * stream) % MM_BLOCKS_MOST];
}

double mm_blocks_weight(const struct mm_blocks *blocks, size_t batch, size_t replicate,
                        size_t stream)
{
    size_t block = batch / blocks->length;

    if (block >= blocks->count || !replicate)
        return 1;
    return 1 + sign(replicate, column_of(block, stream));
}

/* Variance of noise that the weights add, relative to the whole run's: the mean over
 * replicates of the squares of normalized weights about 1. */
static double added_variance(size_t blocks, size_t stream)
{
    double added = 0, n = (double)blocks;

    for (size_t r = 1; r < MM_REPLICATES; r++) {
        double sum = 0;

        for (size_t b = 0; b < blocks; b++)
            sum += 1 + sign(r, column_of(b, stream));
        for (size_t b = 0; b < blocks && sum > 0; b++) {
            double w = (1 + sign(r, column_of(b, stream))) * n / sum - 1;

            added += w * w / n / (MM_REPLICATES - 1);
        }
    }
    return added;
}

struct mm_block_spread mm_blocks_spread(const double *replicates,
                                        const struct mm_blocks *blocks, size_t stream)
{
    struct mm_block_spread s = {.sd = NAN, .noisier = NAN, .times = 2};
    double effects[MM_BLOCKS_MOST], squares = 0, products = 0, lag, white;
    size_t n = blocks->count;

    if (n < MM_BLOCKS_LEAST || n > MM_BLOCKS_MOST)
        return s;
    s.noisier = 0;
    for (size_t r = 1; r < MM_REPLICATES; r++)
        s.noisier += replicates[r] / (MM_REPLICATES - 1);
    for (size_t b = 0; b < n; b++) {
        effects[b] = 0;
        for (size_t r = 0; r < MM_REPLICATES; r++)
            effects[b] += replicates[r] * sign(r, column_of(b, stream)) / MM_REPLICATES;
    }
    add_products(effects, n, &squares, &products);
    if (!isfinite(squares))
        return s;
    /* the autocorrelation of the units' times is known better, and limits this one from
     * below */
    lag = fmax(unbiased(squares, products, n), blocks->lag);
    lag = fmin(fmax(lag, 0), LAG_BOUND);
    white = (double)n / (double)(n - DRIFT_TERMS) * squares;
    /* standard error of the mean of a series whose neighbours are correlated (AR(1)) */
    s.sd = sqrt(white * (1 + lag) / (1 - lag));
    s.freedom = (double)(n - DRIFT_TERMS) * (1 - lag) / (1 + lag);
    s.times = 1 + added_variance(n, stream) * (1 - lag) / (1 + lag);
    return s;
}
