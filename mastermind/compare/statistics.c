/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.c: compute, for each hypothesis, one number for each run, and the
 * significance of its difference between the sides. */
#include "mastermind/compare/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/statistics.h"
#include "common/same.h"

enum { ROUNDS = 6, MOST_SPLITS = 4000, LEAST_SPLITS = 20 };

/* least share of the cost that must be in cells that both sides have */
#define COMMON .25
/* distance from the median, in units of the spread, from which on costs are clipped
 * (winsorized) */
#define FAR 3.
/* least spread of the logarithms of costs that is assumed */
#define LEAST_SCALE .01
#define SERIAL .5 /* largest assumed correlation of successive runs */

/* --- Numbers of runs ------------------------------------------------------ */

void mm_diff_numbers_done(struct mm_diff_numbers *numbers)
{
    for (int i = 0; i < MM_DIFF_RARE; i++)
        free(numbers->value[i]);
    free(numbers->shape);
    free(numbers->clipped);
    memset(numbers, 0, sizeof *numbers);
}

/* Clip (winsorize) costs of a cell that are far from the median of their side. */
static void clip_cell(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                      const size_t runs[2], size_t cell, double *work)
{
    size_t all = runs[0] + runs[1], known = 0;
    double median[2] = {NAN, NAN}, scale;

    for (size_t r = 0; r < all; r++)
        numbers->clipped[r * table->cells + cell] =
            log(table->typical[r * table->cells + cell]);
    for (int side = 0; side < 2; side++) {
        size_t count = 0;

        for (size_t r = side ? runs[0] : 0; r < (side ? all : runs[0]); r++)
            if (!isnan(numbers->clipped[r * table->cells + cell]))
                work[count++] = numbers->clipped[r * table->cells + cell];
        if (count)
            median[side] = cca_median(work, count);
    }
    for (size_t r = 0; r < all; r++) {
        double off =
            fabs(numbers->clipped[r * table->cells + cell] - median[r >= runs[0]]);

        if (!isnan(off))
            work[known++] = off;
    }
    if (known < 3)
        return;
    scale = fmax(CCA_NORMAL_SCALE * cca_median(work, known), LEAST_SCALE);
    for (size_t r = 0; r < all; r++) {
        double *value = &numbers->clipped[r * table->cells + cell];
        double at = median[r >= runs[0]];

        if (!isnan(*value))
            *value = fmax(at - FAR * scale, fmin(at + FAR * scale, *value));
    }
}

/* Return the cost of a cell over all runs; `*common` is set if both sides have calls in
 * it. */
static double cell_cost(const struct mm_diff_table *table, const size_t runs[2],
                        size_t cell, int *common)
{
    double sum = 0;
    int has[2] = {0, 0};

    for (size_t r = 0; r < runs[0] + runs[1]; r++) {
        double ns = table->typical[r * table->cells + cell];

        if (isnan(ns))
            continue;
        sum += ns * table->calls[r * table->cells + cell];
        has[r >= runs[0]] = 1;
    }
    *common = (has[0] || !runs[0]) && (has[1] || !runs[1]);
    return sum;
}

/* Fit log y_rc = dearness_r (effect of the run r) + shape_c (effect of the cell c) to the
 * cells with weight > 0, by means that are taken over runs and cells in turn. */
static void fit_two_ways(struct mm_diff_numbers *numbers,
                         const struct mm_diff_table *table, const double *weight,
                         size_t all)
{
    double *dearness = numbers->value[MM_DIFF_DEARER];

    for (size_t r = 0; r < all; r++)
        dearness[r] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double centre = 0;
        size_t known = 0;

        for (size_t c = 0; c < table->cells; c++) {
            double sum = 0;
            size_t count = 0;

            for (size_t r = 0; r < all; r++) {
                double y = numbers->clipped[r * table->cells + c];

                if (!isnan(y) && !isnan(dearness[r])) {
                    sum += y - dearness[r];
                    count++;
                }
            }
            numbers->shape[c] = count && weight[c] > 0 ? sum / (double)count : NAN;
        }
        for (size_t r = 0; r < all; r++) {
            double sum = 0, weights = 0;

            for (size_t c = 0; c < table->cells; c++) {
                double y = numbers->clipped[r * table->cells + c];

                if (!isnan(y) && !isnan(numbers->shape[c])) {
                    sum += weight[c] * (y - numbers->shape[c]);
                    weights += weight[c];
                }
            }
            dearness[r] = weights > 0 ? sum / weights : NAN;
            if (weights > 0) {
                centre += dearness[r];
                known++;
            }
        }
        for (size_t r = 0; r < all && known; r++)
            dearness[r] -= centre / (double)known;
    }
}

/* Compute the cost of each run relative to the costs by the model of side A. */
static void fit_model(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                      size_t all)
{
    double *dearness = numbers->value[MM_DIFF_DEARER];

    for (size_t c = 0; c < table->cells; c++)
        numbers->shape[c] = table->base[c] > 0 ? log(table->base[c]) : NAN;
    for (size_t r = 0; r < all; r++) {
        double sum = 0, weights = 0;

        for (size_t c = 0; c < table->cells; c++) {
            double y = numbers->clipped[r * table->cells + c];
            double weight =
                table->calls[r * table->cells + c] * table->typical[r * table->cells + c];

            if (!isnan(y) && !isnan(numbers->shape[c]) && weight > 0) {
                sum += weight * (y - numbers->shape[c]);
                weights += weight;
            }
        }
        dearness[r] = weights > 0 ? sum / weights : NAN;
    }
}

/* Set the shape (logarithm of the cost relative to the run) of cells that were not part
 * of the fit, from the runs that have them. */
static void fill_shape(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                       size_t all)
{
    const double *dearness = numbers->value[MM_DIFF_DEARER];

    for (size_t c = 0; c < table->cells; c++) {
        double sum = 0;
        size_t count = 0;

        for (size_t r = 0; r < all && isnan(numbers->shape[c]); r++) {
            double y = numbers->clipped[r * table->cells + c];

            if (!isnan(y)) {
                sum += y - (isnan(dearness[r]) ? 0 : dearness[r]);
                count++;
            }
        }
        if (count)
            numbers->shape[c] = sum / (double)count;
    }
}

/* Set each run's number of calls, and the mean cost of its calls if only their cells
 * mattered (`shape`). */
static void count_runs(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                       size_t all)
{
    for (size_t r = 0; r < all; r++) {
        double calls = 0, cost = 0, known = 0;

        for (size_t c = 0; c < table->cells; c++) {
            double n = table->calls[r * table->cells + c];

            calls += n;
            if (!isnan(numbers->shape[c])) {
                cost += n * exp(numbers->shape[c]);
                known += n;
            }
        }
        numbers->value[MM_DIFF_CALLS][r] = calls > 0 ? log(calls) : NAN;
        numbers->value[MM_DIFF_SIZES][r] = cost > 0 ? log(cost / known) : NAN;
    }
}

int mm_diff_numbers_of(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                       const size_t runs[2])
{
    size_t all = runs[0] + runs[1];
    double *weight = calloc(table->cells + 1, sizeof *weight);
    double *work = calloc(all + 1, sizeof *work), whole = 0, shared = 0;
    int status = weight && work ? 0 : -ENOMEM;

    memset(numbers, 0, sizeof *numbers);
    for (int i = 0; i < MM_DIFF_RARE; i++)
        if (!(numbers->value[i] = calloc(all + 1, sizeof *numbers->value[i])))
            status = -ENOMEM;
    numbers->shape = calloc(table->cells + 1, sizeof *numbers->shape);
    numbers->clipped = calloc(all * table->cells + 1, sizeof *numbers->clipped);
    if (!numbers->shape || !numbers->clipped)
        status = -ENOMEM;
    for (size_t c = 0; c < table->cells && !status; c++) {
        int common;
        double cost = cell_cost(table, runs, c, &common);

        clip_cell(numbers, table, runs, c, work);
        whole += cost;
        shared += common ? cost : 0;
        weight[c] = common ? cost : 0;
    }
    if (!status) {
        numbers->by_model = !(shared >= COMMON * whole);
        if (numbers->by_model)
            fit_model(numbers, table, all);
        else
            fit_two_ways(numbers, table, weight, all);
        fill_shape(numbers, table, all);
        count_runs(numbers, table, all);
    }
    free(weight);
    free(work);
    return status;
}

double mm_diff_run_cost(const struct mm_diff_numbers *numbers,
                        const struct mm_diff_table *table, size_t run)
{
    double sum = 0;

    for (size_t c = 0; c < table->cells; c++) {
        double y = numbers->clipped[run * table->cells + c];

        if (!isnan(y))
            sum += table->calls[run * table->cells + c] * exp(y);
    }
    return sum;
}

/* --- Significance --------------------------------------------------------- */

int mm_diff_is_exact(const double *values, const size_t runs[2])
{
    if (runs[0] < 2 || runs[1] < 2)
        return 0;
    for (size_t r = 0; r < runs[0] + runs[1]; r++) {
        double first = values[r < runs[0] ? 0 : runs[0]];

        if (!(fabs(values[r] - first) <= CCA_SAME * fmax(1, fabs(first))))
            return 0;
    }
    return 1;
}

/* Return |t| of the difference between two sides, when `in_b` marks the runs of side
 * B. */
static double split_t(const double *values, const unsigned char *in_b, size_t all)
{
    double sum[2] = {0, 0}, mean[2], squares = 0;
    size_t count[2] = {0, 0};

    for (size_t r = 0; r < all; r++) {
        sum[in_b[r]] += values[r];
        count[in_b[r]]++;
    }
    mean[0] = sum[0] / (double)count[0];
    mean[1] = sum[1] / (double)count[1];
    for (size_t r = 0; r < all; r++)
        squares += (values[r] - mean[in_b[r]]) * (values[r] - mean[in_b[r]]);
    if (fabs(mean[1] - mean[0]) <= CCA_SAME * fmax(1, fabs(mean[0])))
        return 0;
    return fabs(mean[1] - mean[0]) / sqrt(squares / (double)(all - 2) *
                                          (1 / (double)count[0] + 1 / (double)count[1]));
}

/* Return the number of ways to choose k of n runs. */
static double ways(size_t n, size_t k)
{
    double number = 1;

    for (size_t i = 1; i <= k; i++)
        number *= (double)(n - k + i) / (double)i;
    return number;
}

/* Go to the next choice of equally many runs for side B. Returns 0 if there is no further
 * choice. */
static int next_choice(unsigned char *in_b, size_t all)
{
    size_t zeros = 0, ones = 0, at = all;

    while (at > 0 && !in_b[at - 1])
        at--, zeros++;
    while (at > 0 && in_b[at - 1])
        at--, ones++;
    if (at == 0)
        return 0;
    in_b[at - 1] = 1;
    memset(in_b + at, 0, zeros + 1);
    memset(in_b + at + zeros + 1, 1, ones - 1);
    return 1;
}

static void shuffle(unsigned char *in_b, size_t all, uint64_t *state)
{
    for (size_t i = all; i > 1; i--) {
        size_t other = cca_random_shift(state) % i;
        unsigned char kept = in_b[i - 1];

        in_b[i - 1] = in_b[other];
        in_b[other] = kept;
    }
}

double mm_diff_serial(const double *when, const size_t runs[2])
{
    size_t all = runs[0] + runs[1], *place = calloc(all + 1, sizeof *place);
    double sum = 0, alone = 1 / (double)runs[0] + 1 / (double)runs[1];

    if (!place)
        return -1;
    for (size_t i = 0; i < all; i++)
        for (size_t k = 0; k < all && when; k++)
            place[i] += when[k] < when[i] || (when[k] == when[i] && k < i);
    for (size_t i = 0; i < all && when; i++)
        for (size_t k = 0; k < all; k++) {
            double a = i < runs[0] ? -1 / (double)runs[0] : 1 / (double)runs[1];
            double b = k < runs[0] ? -1 / (double)runs[0] : 1 / (double)runs[1];

            sum += a * b * pow(SERIAL, fabs((double)place[i] - (double)place[k]));
            if (!(when[i] > 0)) /* a run's start time is unknown */
                sum = NAN;
        }
    free(place);
    return sum > alone ? sqrt(sum / alone) : 1;
}

long mm_diff_adjusted(const double *const *values, size_t count, const size_t runs[2],
                      double serial, double *p)
{
    size_t all = runs[0] + runs[1], done = 0, *above = calloc(count + 1, sizeof *above);
    unsigned char *in_b = calloc(all + 1, 1);
    double *seen = calloc(count + 1, sizeof *seen), number = ways(all, runs[1]);
    int random = number > MOST_SPLITS, enough;
    uint64_t state = 0x9e3779b97f4a7c15u;

    if (!above || !in_b || !seen) {
        free(above);
        free(in_b);
        free(seen);
        return -ENOMEM;
    }
    /* if both sides have equally many runs, each split occurs twice, with the sides
     * exchanged */
    enough = number / (runs[0] == runs[1] ? 2 : 1) >= LEAST_SPLITS;
    memset(in_b + runs[0], 1, runs[1]);
    for (size_t i = 0; i < count; i++) {
        seen[i] = split_t(values[i], in_b, all) / serial;
        p[i] = fmin(1, (double)count * 2 * cca_student(-seen[i], (double)all - 2));
    }
    if (enough && !random) {
        memset(in_b, 0, all);
        memset(in_b + runs[0], 1, runs[1]);
    }
    while (enough && done < MOST_SPLITS) {
        double most = 0;

        for (size_t i = 0; i < count; i++)
            most = fmax(most, split_t(values[i], in_b, all));
        for (size_t i = 0; i < count; i++)
            above[i] += most >= seen[i] * (1 - CCA_SAME);
        done++;
        if (random)
            shuffle(in_b, all, &state);
        else if (!next_choice(in_b, all))
            break;
    }
    for (size_t i = 0; i < count && enough; i++)
        p[i] = (double)above[i] / (double)done;
    free(above);
    free(in_b);
    free(seen);
    return (long)done;
}
