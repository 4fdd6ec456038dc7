/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.c: beam search over inner products. */
#include "mastermind/analysis/models/search/screen.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/forms/dot.h"
#include "mastermind/analysis/models/search/price.h"

#define MOST_TERMS 3
#define USUAL 48       /* columns, the cheapest, of which all pairs are tried */
#define ALL_TRIPLES 36 /* columns of which all triples are tried */
#define ALL_TRIPLES_ONE_AXIS 26
#define BEAM 24 /* nodes of a level that are extended */
#define BEAM_ONE_AXIS 24
#define GROUP_BEAM 3 /* and so many of each set of parameters */
#define MOST_NODES (BEAM + 8 * GROUP_BEAM)
#define DEPENDENT 1e-9

/* A sum of columns, with or without a constant. */
struct node {
    size_t member[MOST_TERMS], count;
    unsigned support;
    double beta[MOST_TERMS]; /* coefficients of the columns of length 1 */
    double rest;             /* weighted sum of squared residuals */
    double price, score;     /* bound of the criterion */
};

/* Nodes that are extended later: the `best`, and up to `most` of other parameters. */
struct beam {
    struct node *node; /* [2 * most]; NULL: none are wanted */
    size_t count, best, most;
    size_t sorted; /* of them in order, since they were thinned */
    double limit;  /* score above which a node is of no use */
};

struct screen {
    const struct mm_pool *columns;
    const struct mm_sheet *sheet;
    int constant;
    size_t count, rows;
    double *z,
        *y; /* columns and costs, weighted; with a constant, less their part of it */
    double *gram, *product; /* of columns with each other, and with the costs */
    double *own;            /* of each column with itself */
    double *part;           /* of columns along a constant */
    double squares;         /* of the costs */
    double *scratch;        /* [rows] * (MOST_TERMS + 3) */
    struct node *node;      /* sums of one column, then of two */
    size_t nodes;
    struct beam pairs;
    struct mm_shortlist *list, *singles;
};

static int screen_init(struct screen *s, const struct mm_pool *columns)
{
    size_t m = columns->count, rows = columns->sheet->rows;
    double *next = malloc(
        (m * rows + rows + m * m + 3 * m + rows * (MOST_TERMS + 3) + 1) * sizeof *next);

    *s = (struct screen){
        .columns = columns, .sheet = columns->sheet, .count = m, .rows = rows};
    s->node = malloc(2 * (m + MOST_NODES) * sizeof *s->node);
    s->z = next;
    if (!next || !s->node) {
        free(next);
        free(s->node);
        return -ENOMEM;
    }
    s->y = next + m * rows;
    s->gram = s->y + rows;
    s->product = s->gram + m * m;
    s->part = s->product + m;
    s->own = s->part + m;
    s->scratch = s->own + m;
    return 0;
}

/* Take out of `v` its part along the unit vector `u`. */
static void project(double *v, const double *u, size_t n)
{
    double part = mm_dot(v, u, n);

    for (size_t i = 0; i < n; i++)
        v[i] -= part * u[i];
}

/* Inner products of the columns and the costs. */
static void screen_fill(struct screen *s)
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

/* The same of what a constant leaves of them. Few columns are projected, so that exact
 * costs keep their digits; for many the constant's part is subtracted. */
static void screen_fill_constant(struct screen *s, const struct screen *plain)
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

/* Cholesky factor of the inner products of k columns of length `rows`; false where they
 * depend on each other. */
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
            else if (!(value > DEPENDENT * own))
                return 0;
            else
                l[a][a] = sqrt(value);
        }
    }
    return 1;
}

/* Weighted sum of squared left-out residuals of a node; INFINITY where it is no model of
 * a cost. `*price` of terms that are small. */
static double node_press(const struct screen *s, const struct node *node, double *price)
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
        if ((!(fitted > 0) && s->sheet->y[i] > 0) || !(1 - leverage > 1e-9))
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

static size_t numbers_of(const struct screen *s, const struct node *node)
{
    return node->count + (size_t)s->constant;
}

static void offer_to(const struct screen *s, const struct node *node, double press,
                     double price, struct mm_shortlist *list)
{
    struct mm_candidate c = {.count = node->count, .price = node->price};

    c.score = mm_judge_score(s->sheet, press, numbers_of(s, node), node->price + price);
    if (!(c.score < mm_shortlist_limit(list)))
        return;
    for (size_t i = 0; i < node->count; i++)
        c.basis[i] = s->columns->column[node->member[i]].basis;
    if (s->constant)
        c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
    mm_shortlist_add(list, &c);
}

/* The squares above which left-out residuals, which are larger by about so much, are not
 * good enough. */
static double press_limit(const struct screen *s, const struct node *node)
{
    double larger = 1 + (double)numbers_of(s, node) / (double)s->rows;

    return mm_judge_press_limit(s->sheet, mm_shortlist_limit(s->list),
                                numbers_of(s, node), node->price) /
           (larger * larger);
}

/* Offer a node whose bound may be good enough. */
static void offer_node(const struct screen *s, const struct node *node)
{
    double press, price;
    int single = node->count == 1 && node->score < mm_shortlist_limit(s->singles);

    if (!single && !(node->score < mm_shortlist_limit(s->list)))
        return;
    if (!single && node->rest > press_limit(s, node))
        return;
    press = node_press(s, node, &price);
    if (!isfinite(press))
        return;
    offer_to(s, node, press, price, s->list);
    if (single)
        offer_to(s, node, press, price, s->singles);
}

/* Few sizes allow simple sums only. */
static int sum_allowed(const struct screen *s, size_t terms)
{
    static const size_t rows[MOST_TERMS + 1][2] = {{0, 0}, {2, 3}, {6, 7}, {9, 10}};

    return s->rows >= rows[terms][s->constant];
}

static void try_singles(struct screen *s)
{
    s->nodes = 0;
    for (size_t m = 0; m < s->count && sum_allowed(s, 1); m++) {
        double own = s->gram[m * s->count + m], beta;
        struct node *node = &s->node[s->nodes];

        if (!(own > DEPENDENT))
            continue;
        beta = s->product[m] / own;
        if (!(beta > 0))
            continue;
        *node = (struct node){.member = {m}, .count = 1, .beta = {beta}};
        node->support = s->columns->column[m].support;
        node->rest = fmax(s->squares - beta * s->product[m], 0);
        node->price = s->columns->column[m].price;
        node->score =
            mm_judge_score(s->sheet, node->rest, numbers_of(s, node), node->price);
        offer_node(s, node);
        s->nodes++;
    }
}

static int by_score(const void *left, const void *right)
{
    double a = ((const struct node *)left)->score,
           b = ((const struct node *)right)->score;

    return (a > b) - (a < b);
}

/* Keep the best nodes, and the best of each set of parameters. */
static void thin_nodes(struct beam *beam)
{
    size_t kept = 0, taken = beam->count;
    struct node *node = beam->node;

    qsort(node, beam->count, sizeof *node, by_score);
    for (size_t i = 0; i < taken && kept < beam->most; i++) {
        size_t same = 0;

        for (size_t k = 0; i >= beam->best && k < kept && same < GROUP_BEAM; k++)
            same += node[k].support == node[i].support;
        if (i < beam->best || same < GROUP_BEAM)
            node[kept++] = node[i];
    }
    beam->count = beam->sorted = kept;
    beam->limit = kept == beam->most ? node[kept - 1].score : INFINITY;
}

/* True for a node that thinning would drop: it is not among the best, nor among those of
 * its parameters. */
static int is_useless(const struct beam *beam, const struct node *node)
{
    size_t same = 0;

    if (!(node->score < beam->limit))
        return 1;
    if (beam->sorted < beam->best || node->score < beam->node[beam->best - 1].score)
        return 0;
    for (size_t k = 0; k < beam->sorted && same < GROUP_BEAM; k++) {
        if (beam->node[k].score > node->score)
            break;
        same += beam->node[k].support == node->support;
    }
    return same == GROUP_BEAM;
}

static void beam_add(struct beam *beam, const struct node *node)
{
    if (!beam->node || is_useless(beam, node))
        return;
    beam->node[beam->count++] = *node;
    if (beam->count == 2 * beam->most)
        thin_nodes(beam);
}

static int is_member(const struct node *node, size_t m)
{
    for (size_t i = 0; i < node->count; i++)
        if (node->member[i] == m)
            return 1;
    return 0;
}

/* The weighted squares above which no sum with this node's price and one more column is
 * good enough. */
static double rest_limit(const struct screen *s, const struct node *node,
                         const struct beam *to)
{
    double limit = mm_shortlist_limit(s->list);

    if (to->node)
        limit = fmin(fmax(limit, to->limit), DBL_MAX);
    return fmin(DBL_MAX, mm_judge_press_limit(s->sheet, limit, numbers_of(s, node) + 1,
                                              node->price));
}

/* The node with column `m` added. False where that leaves more than `limit`, or, unless
 * the limit is infinite, is no model of a cost. `inverse`: of the inner products of the
 * node's columns. */
static int extend_node(const struct screen *s, const struct node *node,
                       double inverse[2][2], size_t m, double limit, struct node *next)
{
    int any = isinf(limit);
    double own = s->own[m], rest = own, product = s->product[m], part[2], along[2], beta;

    /* The row of a member has the inner products with all columns side by side. */
    for (size_t i = 0; i < node->count; i++)
        along[i] = s->gram[node->member[i] * s->count + m];
    for (size_t i = 0; i < node->count; i++) {
        part[i] = inverse[i][0] * along[0];
        if (node->count == 2)
            part[i] += inverse[i][1] * along[1];
        rest -= part[i] * along[i];
        product -= node->beta[i] * along[i];
    }
    if (!(rest > DEPENDENT * own) || (!any && !(product > 0)) ||
        !((node->rest - limit) * rest < product * product))
        return 0;
    beta = product / rest;
    for (size_t i = 0; i < node->count; i++)
        if (!any && !(node->beta[i] - beta * part[i] > 0))
            return 0;
    next->rest = fmax(node->rest - beta * product, 0);
    next->price = node->price + s->columns->column[m].price +
                  s->columns->column[m].shape + mm_price_terms(node->count + 1) -
                  mm_price_terms(node->count);
    if (node->count == 1)
        next->price += s->columns->column[node->member[0]].shape;
    next->count = node->count + 1;
    next->score = mm_judge_score(s->sheet, next->rest, numbers_of(s, next), next->price);
    memcpy(next->member, node->member, sizeof next->member);
    for (size_t i = 0; i < node->count; i++)
        next->beta[i] = node->beta[i] - beta * part[i];
    next->member[node->count] = m;
    next->beta[node->count] = beta;
    next->support = node->support | s->columns->column[m].support;
    return 1;
}

static int invert(const struct screen *s, const struct node *node, double inverse[2][2])
{
    size_t a = node->member[0], b = node->count > 1 ? node->member[1] : a;
    double aa = s->gram[a * s->count + a], bb = s->gram[b * s->count + b];
    double ab = s->gram[a * s->count + b], det = aa * bb - ab * ab;

    if (node->count == 1) {
        inverse[0][0] = 1 / aa;
        return 1;
    }
    if (!(det > DEPENDENT * aa * bb))
        return 0;
    inverse[0][0] = bb / det;
    inverse[1][1] = aa / det;
    inverse[0][1] = inverse[1][0] = -ab / det;
    return 1;
}

/* Extend each of `from` by the first `columns` columns; the results that are good enough
 * are offered, and the best go to `to`. `once`: each pair is tried, so that each column
 * is combined with later ones only. */
static void extend_nodes(struct screen *s, const struct node *from, size_t count,
                         size_t columns, int once, struct beam *to)
{
    for (size_t i = 0; i < count; i++) {
        double inverse[2][2], limit = rest_limit(s, &from[i], to);
        size_t m = once ? from[i].member[from[i].count - 1] + 1 : 0;

        if (!(limit > 0) || !invert(s, &from[i], inverse))
            continue;
        for (; m < columns; m++) {
            struct node next;

            if (is_member(&from[i], m) ||
                !extend_node(s, &from[i], inverse, m, limit, &next))
                continue;
            offer_node(s, &next);
            beam_add(to, &next);
        }
    }
}

/* All sums of three of the first `columns` columns. A pair of them may well be no model
 * of a cost. */
static void screen_triples(struct screen *s, size_t columns)
{
    struct beam none = {0};

    for (size_t i = 0; i < s->nodes; i++) {
        const struct node *node = &s->node[i];
        double inverse[2][2];

        if (node->member[0] >= columns || !invert(s, node, inverse))
            continue;
        for (size_t m = node->member[0] + 1; m < columns; m++) {
            struct node pair;

            if (extend_node(s, node, inverse, m, INFINITY, &pair))
                extend_nodes(s, &pair, 1, columns, 1, &none);
        }
    }
}

static int is_hopeless(const struct screen *s, size_t terms)
{
    return !sum_allowed(s, terms) ||
           mm_judge_hopeless(s->sheet, s->list, terms + (size_t)s->constant,
                             mm_price_terms(terms));
}

/* Pairs of usual columns, and of the best columns with any. */
static void screen_pairs(struct screen *s, size_t usual, struct beam *pairs)
{
    struct beam best = {.node = s->node + s->count + 2 * MOST_NODES,
                        .count = s->nodes,
                        .best = BEAM,
                        .most = MOST_NODES};
    size_t singles = 0;

    while (singles < s->nodes && s->node[singles].member[0] < usual)
        singles++;
    extend_nodes(s, s->node, singles, usual, 1, pairs);
    if (usual == s->count)
        return;
    memcpy(best.node, s->node, s->nodes * sizeof *s->node);
    thin_nodes(&best);
    extend_nodes(s, best.node, best.count, s->count, 0, pairs);
}

/* Sums of two columns; those that are extended stay in s->pairs. */
static void screen_twos(struct screen *s)
{
    size_t most = s->sheet->axes > 1 ? MOST_NODES : BEAM_ONE_AXIS;

    s->pairs = (struct beam){.best = most, .most = most, .limit = INFINITY};
    if (is_hopeless(s, 2))
        return;
    if (s->sheet->axes > 1)
        s->pairs.best = BEAM;
    if (!is_hopeless(s, 3))
        s->pairs.node = s->node + s->count;
    screen_pairs(s, s->count < USUAL ? s->count : USUAL, &s->pairs);
}

/* Sums of three columns: all of the cheapest, and the best two with any. */
static void screen_threes(struct screen *s)
{
    struct beam none = {0};
    size_t usual = s->count < USUAL ? s->count : USUAL, most = BEAM / 2;
    size_t all = s->sheet->axes > 1 ? ALL_TRIPLES : ALL_TRIPLES_ONE_AXIS;

    if (!s->pairs.node || is_hopeless(s, 3))
        return;
    screen_triples(s, s->count < all ? s->count : all);
    thin_nodes(&s->pairs);
    extend_nodes(s, s->pairs.node, s->pairs.count, usual, 0, &none);
    if (usual < s->count)
        extend_nodes(s, s->pairs.node, s->pairs.count < most ? s->pairs.count : most,
                     s->count, 0, &none);
}

static void screen_done(struct screen *s)
{
    free(s->z);
    free(s->node);
}

int mm_screen(const struct mm_pool *columns, struct mm_shortlist *list,
              struct mm_shortlist *singles)
{
    struct screen s[2]; /* without and with a constant */

    if (screen_init(&s[0], columns) < 0)
        return -ENOMEM;
    if (screen_init(&s[1], columns) < 0) {
        screen_done(&s[0]);
        return -ENOMEM;
    }
    for (int constant = 0; constant < 2; constant++) {
        s[constant].list = list;
        s[constant].singles = singles;
        if (constant)
            screen_fill_constant(&s[1], &s[0]);
        else
            screen_fill(&s[0]);
        try_singles(&s[constant]);
    }
    for (int constant = 0; constant < 2; constant++)
        screen_twos(&s[constant]);
    for (int constant = 0; constant < 2; constant++) {
        screen_threes(&s[constant]);
        screen_done(&s[constant]);
    }
    return 0;
}
