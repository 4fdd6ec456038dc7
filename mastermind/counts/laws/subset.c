/* SPDX-License-Identifier: BSD-3-Clause */
/* subset.c: beam search over sets of terms by their Gram matrix. */
#include "mastermind/counts/laws/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/find.h"
#include "mastermind/cost/cost.h"

static double column_product(const double *a, const double *b, const double *weight,
                             size_t runs)
{
    double sum = 0;

    for (size_t i = 0; i < runs; i++)
        sum += a[i] * weight[i] * b[i];
    return sum;
}

int mm_law_gram_init(struct mm_law_gram *gram, const struct mm_law_data *data,
                     const struct mm_law_terms *terms)
{
    size_t n = 0, runs = data->runs;
    double *length = calloc(MM_LAW_GRAM, sizeof *length), counts;

    for (size_t k = 0; k < terms->firsts && n < MM_LAW_GRAM; k++)
        if (terms->term[terms->first[k]].is_trend)
            gram->term[n++] = &terms->term[terms->first[k]];
    gram->count = n;
    gram->runs = runs;
    gram->product = calloc(n * n + 1, sizeof *gram->product);
    gram->target = calloc(n + 1, sizeof *gram->target);
    gram->weight = calloc(runs, sizeof *gram->weight);
    if (!length || !gram->product || !gram->target || !gram->weight) {
        free(length);
        return -ENOMEM;
    }
    mm_law_weigh(data->y, gram->runs, gram->weight);
    counts = sqrt(column_product(data->y, data->y, gram->weight, runs));
    for (size_t a = 0; a < n; a++) {
        const double *column = gram->term[a]->value;

        length[a] = sqrt(column_product(column, column, gram->weight, runs));
        gram->target[a] =
            counts > 0
                ? column_product(column, data->y, gram->weight, runs) / length[a] / counts
                : 0;
        for (size_t b = 0; b <= a; b++) {
            double product =
                column_product(column, gram->term[b]->value, gram->weight, runs) /
                (length[a] * length[b]);

            gram->product[a * n + b] = gram->product[b * n + a] = product;
        }
    }
    free(length);
    return 0;
}

void mm_law_gram_done(struct mm_law_gram *gram)
{
    free(gram->product);
    free(gram->target);
    free(gram->weight);
}

/* Lower triangle L of a Cholesky factor and the solution z of L z = target. */
struct factor {
    double l[MM_LAW_TERMS][MM_LAW_TERMS], z[MM_LAW_TERMS], left;
};

/* Extend the Cholesky factor of `count` terms by `term`; 0 if the term depends linearly
 * on them. */
static int factor_extend(const struct mm_law_gram *gram, const size_t *set, size_t count,
                         size_t term, struct factor *factor)
{
    const double *row = gram->product + term * gram->count;
    double pivot = 1, z = gram->target[term];

    for (size_t k = 0; k < count; k++) {
        double value = row[set[k]];

        for (size_t j = 0; j < k; j++)
            value -= factor->l[count][j] * factor->l[k][j];
        value /= factor->l[k][k];
        factor->l[count][k] = value;
        pivot -= value * value;
        z -= value * factor->z[k];
    }
    if (!(pivot > MM_DEPENDENT))
        return 0;
    factor->l[count][count] = sqrt(pivot);
    factor->z[count] = z / sqrt(pivot);
    factor->left -= factor->z[count] * factor->z[count];
    return 1;
}

static int compare_subsets(const struct mm_law_subset *a, const struct mm_law_subset *b)
{
    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    if (a->bits != b->bits)
        return a->bits < b->bits ? -1 : 1;
    return memcmp(a->term, b->term, sizeof a->term);
}

static int is_same_set(const struct mm_law_subset *a, const struct mm_law_subset *b)
{
    return !memcmp(a->term, b->term, sizeof a->term);
}

/* Insert a set of terms into the sorted list of the best sets. */
static size_t keep_best(struct mm_law_subset *best, size_t count,
                        const struct mm_law_subset *subset)
{
    size_t at;

    CCA_FIND_FIRST(at, count, compare_subsets(&best[at], subset) < 0);
    if (at == MM_LAW_SUBSETS || (at < count && is_same_set(&best[at], subset)))
        return count;
    if (count == MM_LAW_SUBSETS)
        count--;
    memmove(best + at + 1, best + at, (count - at) * sizeof *best);
    best[at] = *subset;
    return count + 1;
}

/* Extend a set of terms by a term; terms stay in ascending order. */
static struct mm_law_subset join(const struct mm_law_gram *gram,
                                 const struct mm_law_subset *set, size_t term,
                                 double left)
{
    struct mm_law_subset joined = *set;
    size_t at = set->count;

    for (; at > 0 && joined.term[at - 1] > term; at--)
        joined.term[at] = joined.term[at - 1];
    joined.term[at] = term;
    joined.count++;
    joined.bits += gram->term[term]->bits + 1;
    /* A residual within rounding counts as 0: then the cheapest sets are best. */
    joined.left = left > MM_LAW_ROUNDING ? left : 0;
    return joined;
}

/* Extend one set of terms by each term from `first` on. */
static size_t extend_set(const struct mm_law_gram *gram, const struct mm_law_subset *set,
                         size_t first, struct mm_law_subset *best, size_t kept)
{
    struct factor factor = {.left = 1}, longer;

    for (size_t k = 0; k < set->count; k++)
        if (!factor_extend(gram, set->term, k, set->term[k], &factor))
            return kept;
    for (size_t t = first; t < gram->count; t++) {
        longer = factor;
        if (!factor_extend(gram, set->term, set->count, t, &longer))
            continue;
        if (kept < MM_LAW_SUBSETS || longer.left <= best[kept - 1].left ||
            longer.left <= MM_LAW_ROUNDING) {
            struct mm_law_subset joined = join(gram, set, t, longer.left);

            kept = keep_best(best, kept, &joined);
        }
    }
    return kept;
}

size_t mm_law_subsets(const struct mm_law_gram *gram, size_t count,
                      const struct mm_law_subset *smaller, size_t smaller_count,
                      struct mm_law_subset *best)
{
    struct mm_law_subset one = {.count = 0};
    size_t kept = 0;

    if (count == 1)
        return extend_set(gram, &one, 0, best, 0);
    if (count == 2) {
        for (size_t t = 0; t + 1 < gram->count; t++) {
            one = (struct mm_law_subset){
                .term = {t}, .count = 1, .bits = gram->term[t]->bits + 1};
            kept = extend_set(gram, &one, t + 1, best, kept);
        }
        return kept;
    }
    for (size_t i = 0; i < smaller_count; i++)
        kept = extend_set(gram, &smaller[i], 0, best, kept);
    return kept;
}
