/* SPDX-License-Identifier: BSD-3-Clause */
/* best.c: the probability that each of several assemblies is the cheapest. */
#include "mastermind/choice/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/statistics.h"
#include "mastermind/choice/difference.h"

enum { DRAWS = 20000 };

/* Logarithms of the ratios of all costs to the first one, jointly normal. */
struct ratios {
    size_t count;    /* number of assemblies less 1 */
    double *mean;    /* [count] */
    double *factor;  /* [count][count] lower triangle L with covariance L L' */
    double *normals; /* [count] independent draws */
};

/* Standard deviation of the logarithm of the ratio of two costs; NaN: unknown. */
static int find_deviation(const struct mm_open_choice *choice, size_t a, size_t b,
                          double *sd)
{
    struct mm_open_assembly other = choice->items[b];
    int result = mm_difference_find(choice, &choice->items[a], &other, NULL);

    *sd = other.apart_sd;
    return result;
}

/* Set means and covariances. With D_j the ratio of j to the first assembly,
 * cov(D_j, D_k) = (var D_j + var D_k - var(D_j - D_k)) / 2, and D_j - D_k is the ratio of
 * j to k. */
static int set_covariances(struct ratios *r, const struct mm_open_choice *choice)
{
    const struct mm_open_assembly *items = choice->items;

    for (size_t j = 0; j < r->count; j++) {
        r->mean[j] = log(items[j + 1].forecast->total_ns / items[0].forecast->total_ns);
        if (find_deviation(choice, 0, j + 1, &r->normals[j]))
            return -ENOMEM;
    }
    for (size_t j = 0; j < r->count; j++)
        for (size_t k = 0; k <= j; k++) {
            double sd = 0, a = r->normals[j], b = r->normals[k];

            if (k < j && find_deviation(choice, j + 1, k + 1, &sd))
                return -ENOMEM;
            r->factor[j * r->count + k] = (a * a + b * b - sd * sd) / 2;
        }
    return 0;
}

/* Replace the covariances by their Cholesky factor. Estimates of pairs need not fit each
 * other exactly, so a negative pivot counts as 0. */
static void decompose(struct ratios *r)
{
    for (size_t j = 0; j < r->count; j++)
        for (size_t k = 0; k <= j; k++) {
            double *own = &r->factor[j * r->count], *other = &r->factor[k * r->count];
            double sum = own[k];

            for (size_t m = 0; m < k; m++)
                sum -= own[m] * other[m];
            if (k == j)
                own[k] = sqrt(fmax(sum, 0));
            else
                own[k] = other[k] > 0 ? sum / other[k] : 0;
        }
}

/* Index of the cheapest assembly in one draw. */
static size_t draw_best(struct ratios *r, uint64_t *state)
{
    double least = 0;
    size_t best = 0;

    for (size_t j = 0; j < r->count; j++)
        r->normals[j] =
            cca_normal_quantile(ldexp((double)(cca_random_next(state) >> 11) + .5, -53));
    for (size_t j = 0; j < r->count; j++) {
        double value = r->mean[j];

        for (size_t k = 0; k <= j; k++)
            value += r->factor[j * r->count + k] * r->normals[k];
        if (value < least) {
            least = value;
            best = j + 1;
        }
    }
    return best;
}

static void draw(struct ratios *r, const struct mm_open_choice *choice)
{
    uint64_t state = 1;

    for (size_t i = 0; i < choice->count; i++)
        choice->items[i].best = 0;
    for (int i = 0; i < DRAWS; i++)
        choice->items[draw_best(r, &state)].best += 1. / DRAWS;
}

int mm_open_choice_best(struct mm_open_choice *choice)
{
    size_t n = choice->count > 0 ? choice->count - 1 : 0;
    struct ratios r = {.count = n,
                       .mean = calloc(n + 1, sizeof *r.mean),
                       .factor = calloc(n * n + 1, sizeof *r.factor),
                       .normals = calloc(n + 1, sizeof *r.normals)};
    int result = r.mean && r.factor && r.normals ? set_covariances(&r, choice) : -ENOMEM;
    int is_known = 1;

    for (size_t i = 0; i < n * n && !result; i++)
        is_known &= isfinite(r.factor[i]) != 0;
    for (size_t i = 0; i < choice->count; i++)
        choice->items[i].best = NAN;
    if (!result && is_known && choice->count) {
        decompose(&r);
        draw(&r, choice);
    }
    free(r.mean);
    free(r.factor);
    free(r.normals);
    return result;
}
