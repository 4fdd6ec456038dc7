/* SPDX-License-Identifier: BSD-3-Clause */
/* products.c: inner products of columns. */
#include "mastermind/cost/search/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/forms/dot.h"
#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/search/price.h"

int mm_products_init(struct mm_products *products, const struct mm_pool *columns)
{
    struct mm_products *s = products;
    size_t m = columns->count, rows = columns->sheet->rows;
    double *next =
        malloc((m * rows + rows + m * m + 3 * m + rows * (MM_NODE_TERMS + 3) + 1) *
               sizeof *next);

    *s = (struct mm_products){
        .columns = columns, .sheet = columns->sheet, .count = m, .rows = rows};
    if (!next)
        return -ENOMEM;
    s->z = next;
    s->y = next + m * rows;
    s->gram = s->y + rows;
    s->product = s->gram + m * m;
    s->part = s->product + m;
    s->own = s->part + m;
    s->scratch = s->own + m;
    return 0;
}

void mm_products_done(struct mm_products *products)
{
    free(products->z);
    *products = (struct mm_products){0};
}

/* Remove from `v` its component along the unit vector `u`. */
static void project(double *v, const double *u, size_t n)
{
    double part = mm_dot(v, u, n);

    for (size_t i = 0; i < n; i++)
        v[i] -= part * u[i];
}

void mm_products_fill(struct mm_products *s)
{
    for (size_t i = 0; i < s->rows; i++)
        s->y[i] = s->sheet->y[i] * s->sheet->root[i];
    for (size_t a = 0; a < s->count; a++) {
        const double *z = s->columns->column[a].z;
        double *row = s->gram + a * s->count;
        size_t b = 0;

        for (; b + 4 <= a + 1; b += 4) {
            const double *others[] = {
                s->columns->column[b].z, s->columns->column[b + 1].z,
                s->columns->column[b + 2].z, s->columns->column[b + 3].z};

            mm_dot_four(z, others, s->rows, row + b);
        }
        for (; b <= a; b++)
            row[b] = mm_dot(z, s->columns->column[b].z, s->rows);
        for (b = 0; b < a; b++)
            s->gram[b * s->count + a] = row[b];
        s->product[a] = mm_dot(z, s->y, s->rows);
        s->own[a] = s->gram[a * s->count + a];
    }
    s->squares = mm_dot(s->y, s->y, s->rows);
}

/* If the cost has one parameter, each column is made orthogonal to the constant, so that
 * costs without noise keep their digits; with more parameters, only the inner products
 * are corrected, which is faster. */
void mm_products_fill_constant(struct mm_products *s, const struct mm_products *plain)
{
    double *ones = s->scratch, length = 0, part_y;

    s->constant = 1;
    for (size_t i = 0; i < s->rows; i++)
        length += s->sheet->root[i] * s->sheet->root[i];
    for (size_t i = 0; i < s->rows; i++)
        ones[i] = s->sheet->root[i] / sqrt(length);
    memcpy(s->y, plain->y, s->rows * sizeof *s->y);
    part_y = mm_dot(s->y, ones, s->rows);
    project(s->y, ones, s->rows);
    s->squares = mm_dot(s->y, s->y, s->rows);
    for (size_t a = 0; a < s->count; a++) {
        double *z = s->z + a * s->rows;

        memcpy(z, s->columns->column[a].z, s->rows * sizeof *z);
        s->part[a] = mm_dot(z, ones, s->rows);
        if (s->sheet->axes == 1)
            project(z, ones, s->rows);
        s->product[a] = s->sheet->axes == 1 ? mm_dot(z, s->y, s->rows)
                                            : plain->product[a] - s->part[a] * part_y;
        for (size_t b = 0; b <= a; b++) {
            size_t at = a * s->count + b;
            double value = s->sheet->axes == 1
                               ? mm_dot(z, s->z + b * s->rows, s->rows)
                               : plain->gram[at] - s->part[a] * s->part[b];

            s->gram[at] = s->gram[b * s->count + a] = value;
        }
        s->own[a] = s->gram[a * s->count + a];
    }
}

/* Cholesky factor of the inner products of k columns of length `rows`; false where the
 * columns are linearly dependent. */
static int factorise(const double *const *column, size_t k, size_t rows, double l[4][4])
{
    for (size_t a = 0; a < k; a++) {
        double own = 0;

        for (size_t b = 0; b <= a; b++) {
            double value = mm_dot(column[a], column[b], rows);

            if (a == b)
                own = value;
            for (size_t i = 0; i < b; i++)
                value -= l[a][i] * l[b][i];
            if (b < a)
                l[a][b] = value / l[b][b];
            else if (!(value > MM_DEPENDENT * own))
                return 0;
            else
                l[a][a] = sqrt(value);
        }
    }
    return 1;
}

double mm_products_press(const struct mm_products *s, const struct mm_node *node,
                         double *price)
{
    const double *column[4];
    double l[4][4], projected[4], beta[4], share[4] = {0}, press = 0;
    size_t k = node->count, n = s->rows, seen[4] = {0};
    int grows = 0;

    for (size_t i = 0; i < k; i++)
        column[i] = s->columns->column[node->member[i]].z;
    if (s->constant)
        column[k++] = s->sheet->root;
    if (k > n || !factorise(column, k, n, l))
        return INFINITY;
    for (size_t i = 0; i < n; i++)
        s->scratch[i] = s->sheet->y[i] * s->sheet->root[i];
    for (size_t a = 0; a < k; a++) {
        projected[a] = mm_dot(column[a], s->scratch, n);
        for (size_t b = 0; b < a; b++)
            projected[a] -= l[a][b] * projected[b];
        projected[a] /= l[a][a];
    }
    for (size_t a = k; a-- > 0;) {
        beta[a] = projected[a];
        for (size_t b = a + 1; b < k; b++)
            beta[a] -= l[b][a] * beta[b];
        beta[a] /= l[a][a];
    }
    for (size_t i = 0; i < n; i++) {
        double u[4], leverage = 0, fitted = 0, without;

        for (size_t a = 0; a < k; a++) {
            u[a] = column[a][i];
            for (size_t b = 0; b < a; b++)
                u[a] -= l[a][b] * u[b];
            u[a] /= l[a][a];
            leverage += u[a] * u[a];
            fitted += beta[a] * column[a][i];
        }
        for (size_t a = 0; a < k; a++) {
            double own = fabs(beta[a] * column[a][i]) / fitted;

            share[a] = fmax(share[a], own);
            seen[a] += own >= MM_PRICE_SEEN;
        }
        if ((!(fitted > 0) && s->sheet->y[i] > 0) || !(1 - leverage > MM_FIT_ALONE))
            return INFINITY;
        without = (s->scratch[i] - fitted) / (1 - leverage);
        press += without * without;
    }
    *price = 0;
    for (size_t a = 0; a < k; a++)
        *price += mm_price_share(share[a]);
    for (size_t a = 0; a < node->count; a++)
        grows |= s->columns->column[node->member[a]].growth > 0;
    for (size_t a = 0; a < node->count && grows; a++)
        if (s->columns->column[node->member[a]].growth < 0)
            *price += mm_price_falling(seen[a]);
    if (s->constant && beta[k - 1] < 0)
        *price += mm_price_negative(share[k - 1]);
    return press;
}
