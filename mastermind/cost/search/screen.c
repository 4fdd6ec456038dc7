/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.c: beam search over inner products. */
#include "mastermind/cost/search/screen.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/search/parts.h"
#include "mastermind/cost/search/price.h"
#include "mastermind/cost/calls/numbers.h"

#define USUAL 48 /* columns with the lowest prices, of which all pairs are tried */
#define ALL_TRIPLES_ONE_AXIS 26
#define BEAM 24 /* number of nodes (sums) with each number of terms that are extended */
#define MOST_NODES (BEAM + 8 * MM_BEAM_GROUP)

struct screen {
    struct mm_products of;
    struct mm_node *node; /* nodes of the beam: sums of one column, then of two */
    size_t nodes;
    struct mm_beam pairs;
    struct mm_shortlist *list, *singles;
};

static int screen_init(struct screen *s, const struct mm_pool *columns)
{
    *s = (struct screen){0};
    s->node = malloc(2 * (columns->count + MOST_NODES) * sizeof *s->node);
    if (s->node && mm_products_init(&s->of, columns) == 0)
        return 0;
    free(s->node);
    return -ENOMEM;
}

static size_t numbers_of(const struct screen *s, const struct mm_node *node)
{
    return node->count + (size_t)s->of.constant;
}

static void offer_to(const struct screen *s, const struct mm_node *node, double press,
                     double price, struct mm_shortlist *list)
{
    struct mm_candidate c = {.count = node->count, .price = node->price};

    c.score =
        mm_judge_score(s->of.sheet, press, numbers_of(s, node), node->price + price);
    if (!(c.score < mm_shortlist_limit(list)))
        return;
    for (size_t i = 0; i < node->count; i++)
        c.basis[i] = s->of.columns->column[node->member[i]].basis;
    if (s->of.constant)
        c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
    mm_shortlist_add(list, &c);
}

/* The sum of squared residuals above which a node (sum of columns) is useless; left-out
 * residuals are larger by a factor taken into account here. */
static double press_limit(const struct screen *s, const struct mm_node *node)
{
    double larger = 1 + (double)numbers_of(s, node) / (double)s->of.rows;

    return mm_judge_press_limit(s->of.sheet, mm_shortlist_limit(s->list),
                                numbers_of(s, node), node->price) /
           (larger * larger);
}

/* Fit the columns of a node and add it to the beam, if the bound of its score is good
 * enough. */
static void offer_node(const struct screen *s, const struct mm_node *node)
{
    double press, price;
    int single = node->count == 1 && node->score < mm_shortlist_limit(s->singles);

    if (!single && !(node->score < mm_shortlist_limit(s->list)))
        return;
    if (!single && node->rest > press_limit(s, node))
        return;
    press = mm_products_press(&s->of, node, &price);
    if (!isfinite(press))
        return;
    offer_to(s, node, press, price, s->list);
    if (single)
        offer_to(s, node, press, price, s->singles);
}

/* True if a sum of `terms` terms is allowed: with few sizes, only sums of few terms
 * are. */
static int sum_allowed(const struct screen *s, size_t terms)
{
    static const size_t rows[MM_NODE_TERMS + 1][2] = {{0, 0}, {2, 3}, {6, 7}, {9, 10}};

    return s->of.rows >= rows[terms][s->of.constant];
}

static void try_singles(struct screen *s)
{
    s->nodes = 0;
    for (size_t m = 0; m < s->of.count && sum_allowed(s, 1); m++) {
        double own = s->of.gram[m * s->of.count + m], beta;
        struct mm_node *node = &s->node[s->nodes];

        if (!(own > MM_DEPENDENT))
            continue;
        beta = s->of.product[m] / own;
        if (!(beta > 0))
            continue;
        *node = (struct mm_node){.member = {m}, .count = 1, .beta = {beta}};
        node->support = s->of.columns->column[m].support;
        node->rest = fmax(s->of.squares - beta * s->of.product[m], 0);
        node->price = s->of.columns->column[m].price;
        node->score =
            mm_judge_score(s->of.sheet, node->rest, numbers_of(s, node), node->price);
        offer_node(s, node);
        s->nodes++;
    }
}

static int is_member(const struct mm_node *node, size_t m)
{
    for (size_t i = 0; i < node->count; i++)
        if (node->member[i] == m)
            return 1;
    return 0;
}

/* The weighted sum of squares above which no sum of this node and one more column is good
 * enough. */
static double rest_limit(const struct screen *s, const struct mm_node *node,
                         const struct mm_beam *to)
{
    double limit = mm_shortlist_limit(s->list);

    if (to->node)
        limit = fmin(fmax(limit, to->limit), DBL_MAX);
    return fmin(DBL_MAX, mm_judge_press_limit(s->of.sheet, limit, numbers_of(s, node) + 1,
                                              node->price));
}

/* Extend a node by column `m`. False where more than `limit` remains, or the result is no
 * valid cost (unless the limit is infinite). `inverse` is the inverse of the matrix of
 * inner products of the node's columns. */
static int extend_node(const struct screen *s, const struct mm_node *node,
                       double inverse[2][2], size_t m, double limit, struct mm_node *next)
{
    int any = isinf(limit);
    double own = s->of.own[m], rest = own, product = s->of.product[m], part[2], along[2],
           beta;

    /* A row of the matrix has the inner products with all columns contiguously. */
    for (size_t i = 0; i < node->count; i++)
        along[i] = s->of.gram[node->member[i] * s->of.count + m];
    for (size_t i = 0; i < node->count; i++) {
        part[i] = inverse[i][0] * along[0];
        if (node->count == 2)
            part[i] += inverse[i][1] * along[1];
        rest -= part[i] * along[i];
        product -= node->beta[i] * along[i];
    }
    if (!(rest > MM_DEPENDENT * own) || (!any && !(product > 0)) ||
        !((node->rest - limit) * rest < product * product))
        return 0;
    beta = product / rest;
    for (size_t i = 0; i < node->count; i++)
        if (!any && !(node->beta[i] - beta * part[i] > 0))
            return 0;
    next->rest = fmax(node->rest - beta * product, 0);
    next->price = node->price + s->of.columns->column[m].price +
                  s->of.columns->column[m].shape + mm_price_terms(node->count + 1) -
                  mm_price_terms(node->count);
    if (node->count == 1)
        next->price += s->of.columns->column[node->member[0]].shape;
    next->count = node->count + 1;
    next->score =
        mm_judge_score(s->of.sheet, next->rest, numbers_of(s, next), next->price);
    memcpy(next->member, node->member, sizeof next->member);
    for (size_t i = 0; i < node->count; i++)
        next->beta[i] = node->beta[i] - beta * part[i];
    next->member[node->count] = m;
    next->beta[node->count] = beta;
    next->support = node->support | s->of.columns->column[m].support;
    return 1;
}

static int invert(const struct screen *s, const struct mm_node *node,
                  double inverse[2][2])
{
    size_t a = node->member[0], b = node->count > 1 ? node->member[1] : a;
    double aa = s->of.gram[a * s->of.count + a], bb = s->of.gram[b * s->of.count + b];
    double ab = s->of.gram[a * s->of.count + b], det = aa * bb - ab * ab;

    if (node->count == 1) {
        inverse[0][0] = 1 / aa;
        return 1;
    }
    if (!(det > MM_DEPENDENT * aa * bb))
        return 0;
    inverse[0][0] = bb / det;
    inverse[1][1] = aa / det;
    inverse[0][1] = inverse[1][0] = -ab / det;
    return 1;
}

/* Extend each node of `from` by the first `columns` columns. Good results are offered to
 * the list, and the best go to `to`. With `once`, a node is extended by later columns
 * only, so that each pair is tried once. */
static void extend_nodes(struct screen *s, const struct mm_node *from, size_t count,
                         size_t columns, int once, struct mm_beam *to)
{
    for (size_t i = 0; i < count; i++) {
        double inverse[2][2], limit = rest_limit(s, &from[i], to);
        size_t m = once ? from[i].member[from[i].count - 1] + 1 : 0;

        if (!(limit > 0) || !invert(s, &from[i], inverse))
            continue;
        for (; m < columns; m++) {
            struct mm_node next;

            if (is_member(&from[i], m) ||
                !extend_node(s, &from[i], inverse, m, limit, &next))
                continue;
            offer_node(s, &next);
            mm_beam_add(to, &next);
        }
    }
}

/* Try all sums of three of the first `columns` columns. Two of the three alone need not
 * be a valid cost. */
static void screen_triples(struct screen *s, size_t columns)
{
    struct mm_beam none = {0};

    for (size_t i = 0; i < s->nodes; i++) {
        const struct mm_node *node = &s->node[i];
        double inverse[2][2];

        if (node->member[0] >= columns || !invert(s, node, inverse))
            continue;
        for (size_t m = node->member[0] + 1; m < columns; m++) {
            struct mm_node pair;

            if (extend_node(s, node, inverse, m, INFINITY, &pair))
                extend_nodes(s, &pair, 1, columns, 1, &none);
        }
    }
}

static int is_hopeless(const struct screen *s, size_t terms)
{
    return !sum_allowed(s, terms) ||
           mm_judge_hopeless(s->of.sheet, s->list, terms + (size_t)s->of.constant,
                             mm_price_terms(terms));
}

/* Try pairs of usual columns, and pairs of the best columns with any other. */
static void screen_pairs(struct screen *s, size_t usual, struct mm_beam *pairs)
{
    struct mm_beam best = {.node = s->node + s->of.count + 2 * MOST_NODES,
                           .count = s->nodes,
                           .best = BEAM,
                           .most = MOST_NODES};
    size_t singles = 0;

    while (singles < s->nodes && s->node[singles].member[0] < usual)
        singles++;
    extend_nodes(s, s->node, singles, usual, 1, pairs);
    if (usual == s->of.count)
        return;
    memcpy(best.node, s->node, s->nodes * sizeof *s->node);
    mm_beam_thin(&best);
    extend_nodes(s, best.node, best.count, s->of.count, 0, pairs);
}

/* Try sums of two columns; the nodes to extend stay in s->pairs. */
static void screen_twos(struct screen *s)
{
    s->pairs = (struct mm_beam){.best = BEAM, .most = MOST_NODES, .limit = INFINITY};
    if (is_hopeless(s, 2))
        return;
    if (!is_hopeless(s, 3))
        s->pairs.node = s->node + s->of.count;
    screen_pairs(s, s->of.count < USUAL ? s->of.count : USUAL, &s->pairs);
}

/* Try sums of three columns: all triples of the columns with the lowest prices, and the
 * best pairs with any column. */
static void screen_threes(struct screen *s)
{
    struct mm_beam none = {0};
    size_t usual = s->of.count < USUAL ? s->of.count : USUAL, most = BEAM / 2;
    size_t all = s->of.sheet->axes > 1 ? MM_ALL_TRIPLES : ALL_TRIPLES_ONE_AXIS;

    if (!s->pairs.node || is_hopeless(s, 3))
        return;
    screen_triples(s, s->of.count < all ? s->of.count : all);
    mm_beam_thin(&s->pairs);
    extend_nodes(s, s->pairs.node, s->pairs.count, usual, 0, &none);
    if (usual < s->of.count)
        extend_nodes(s, s->pairs.node, s->pairs.count < most ? s->pairs.count : most,
                     s->of.count, 0, &none);
}

static void screen_done(struct screen *s)
{
    mm_products_done(&s->of);
    free(s->node);
}

int mm_screen(const struct mm_pool *columns, struct mm_shortlist *list,
              struct mm_shortlist *singles)
{
    struct screen s[2]; /* searches for sums without and with a constant */

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
            mm_products_fill_constant(&s[1].of, &s[0].of);
        else
            mm_products_fill(&s[0].of);
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
