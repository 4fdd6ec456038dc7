/* SPDX-License-Identifier: BSD-3-Clause */
/* score.c: compare statements with runs. */
#include "mastermind/ledger/score.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"
#include "common/statistics.h"
#include "mastermind/ledger/match.h"

#define SHARE_LEVEL .95
/* up to this factor beyond the measured sizes, a prediction counts as inside them */
#define INSIDE 1.001

/* --- Pairs ------------------------------------------------------------------------- */

/* An outcome and its hash key, by which a statement finds the few outcomes that it must
 * be compared with. */
struct keyed {
    uint64_t key;
    const struct mm_ledger_entry *entry;
};

struct outcomes {
    struct keyed *items;
    size_t count;
};

static int keyed_order(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

static int list_outcomes(struct outcomes *outcomes, const struct mm_ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        struct keyed *item;

        if (ledger->entries[i].kind != MM_LEDGER_OUTCOME)
            continue;
        item = cca_array_add(&outcomes->items, &outcomes->count, sizeof *item);
        if (!item)
            return -ENOMEM;
        *item = (struct keyed){mm_ledger_key(&ledger->entries[i]), &ledger->entries[i]};
    }
    if (outcomes->count)
        qsort(outcomes->items, outcomes->count, sizeof *outcomes->items, keyed_order);
    return 0;
}

/* Return the range of outcomes that may be runs of a statement: all outcomes if the
 * statement has names that are not compared. */
static struct outcomes find_outcomes(const struct outcomes *all,
                                     const struct mm_ledger_entry *statement)
{
    uint64_t key = mm_ledger_key(statement);
    struct outcomes found = *all;
    size_t at;

    if (statement->name_count)
        return found;
    CCA_FIND_FIRST(at, all->count, all->items[at].key < key);
    found.items += at;
    found.count = 0;
    while (at + found.count < all->count && found.items[found.count].key == key)
        found.count++;
    return found;
}

/* Return the first run after a statement that it predicts, or NULL, and the number of
 * further such runs. `*elsewhere` is set if there is such a run on another machine. */
static const struct mm_ledger_entry *first_run(const struct outcomes *all,
                                               const struct mm_ledger_entry *statement,
                                               size_t *further, int *elsewhere)
{
    const struct outcomes outcomes = find_outcomes(all, statement);
    const struct mm_ledger_entry *first = NULL;
    size_t runs = 0;

    *elsewhere = 0;
    for (size_t i = 0; i < outcomes.count; i++) {
        const struct mm_ledger_entry *e = outcomes.items[i].entry;

        if (!mm_ledger_same_run(statement, e) || !mm_ledger_is_later(statement, e))
            continue;
        if (!mm_machine_same(&statement->machine, &e->machine)) {
            *elsewhere = 1;
            continue;
        }
        runs++;
        if (!first || e->at_ns < first->at_ns)
            first = e;
    }
    *further = runs ? runs - 1 : 0;
    return first;
}

static int add_pair(struct mm_ledger_score *score, const struct outcomes *outcomes,
                    const struct mm_ledger_entry *statement)
{
    struct mm_ledger_pair *pair;
    size_t further;
    int elsewhere;
    const struct mm_ledger_entry *run =
        first_run(outcomes, statement, &further, &elsewhere);

    score->statements++;
    if (!run) {
        score->other_machine += (size_t)elsewhere;
        score->unknown += !elsewhere && !statement->run.is_known;
        score->not_run += !elsewhere && statement->run.is_known;
        return 0;
    }
    pair = cca_array_add(&score->pairs, &score->pair_count, sizeof *pair);
    if (!pair)
        return -ENOMEM;
    *pair = (struct mm_ledger_pair){statement, run, further};
    return 0;
}

static int pair_order(const void *left, const void *right)
{
    const struct mm_ledger_pair *a = left, *b = right;

    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    if (a->statement->level != b->statement->level)
        return a->statement->level < b->statement->level ? -1 : 1;
    if (a->statement->at_ns != b->statement->at_ns)
        return a->statement->at_ns > b->statement->at_ns ? -1 : 1;
    return (a->statement < b->statement) - (a->statement > b->statement);
}

/* Of all statements about a run with the same level, keep only the latest. */
static void drop_superseded(struct mm_ledger_score *score)
{
    struct mm_ledger_pair *pairs = score->pairs;
    size_t kept = 0;

    if (score->pair_count)
        qsort(pairs, score->pair_count, sizeof *pairs, pair_order);
    for (size_t i = 0; i < score->pair_count; i++) {
        if (kept && pairs[kept - 1].outcome == pairs[i].outcome &&
            pairs[kept - 1].statement->level == pairs[i].statement->level)
            score->superseded++;
        else
            pairs[kept++] = pairs[i];
    }
    score->pair_count = kept;
    for (size_t i = 0; i < kept; i++)
        score->further += pairs[i].further;
}

/* --- Shares ------------------------------------------------------------------------ */

static int add_to_share(struct mm_ledger_score *score, const struct mm_ledger_pair *pair)
{
    const struct mm_ledger_entry *s = pair->statement;
    struct mm_ledger_share *share = NULL;

    if (isnan(s->low)) {
        score->no_interval++;
        return 0;
    }
    for (size_t i = 0; i < score->share_count && !share; i++)
        if (score->shares[i].level == s->level)
            share = &score->shares[i];
    if (!share)
        share = cca_array_add(&score->shares, &score->share_count, sizeof *share);
    if (!share)
        return -ENOMEM;
    share->level = s->level;
    share->count++;
    share->held += pair->outcome->value >= s->low && pair->outcome->value <= s->high;
    return 0;
}

static int share_order(const void *left, const void *right)
{
    const struct mm_ledger_share *a = left, *b = right;

    return (a->level > b->level) - (a->level < b->level);
}

static int find_shares(struct mm_ledger_score *score)
{
    for (size_t i = 0; i < score->pair_count; i++)
        if (add_to_share(score, &score->pairs[i]))
            return -ENOMEM;
    for (size_t i = 0; i < score->share_count; i++)
        cca_share_interval((double)score->shares[i].held, (double)score->shares[i].count,
                           SHARE_LEVEL, &score->shares[i].low, &score->shares[i].high);
    if (score->share_count)
        qsort(score->shares, score->share_count, sizeof *score->shares, share_order);
    return 0;
}

/* --- Biases ------------------------------------------------------------------------ */

static struct mm_ledger_bias *bias_of(struct mm_ledger_score *score,
                                      enum mm_ledger_group group, const char *name,
                                      size_t length)
{
    struct mm_ledger_bias *bias;

    for (size_t i = 0; i < score->bias_count; i++) {
        bias = &score->biases[i];
        if (bias->group == group && bias->name_length == length &&
            memcmp(bias->name, name, length) == 0)
            return bias;
    }
    bias = cca_array_add(&score->biases, &score->bias_count, sizeof *bias);
    if (bias) {
        bias->group = group;
        bias->name = name;
        bias->name_length = length;
    }
    return bias;
}

/* Add the ratio of a measured to a predicted value to a group; values that are not
 * positive are skipped. */
static int add_ratio(struct mm_ledger_score *score, enum mm_ledger_group group,
                     const char *name, size_t length, double predicted, double measured)
{
    struct mm_ledger_bias *bias;
    double *ratio;

    if (!(predicted > 0) || !(measured > 0))
        return 0;
    bias = bias_of(score, group, name, length);
    ratio = bias ? cca_array_add(&bias->ratios, &bias->count, sizeof *ratio) : NULL;
    if (!ratio)
        return -ENOMEM;
    *ratio = log(measured / predicted);
    return 0;
}

/* Return the length of a quantity's kind: the text before " of ", or the whole text. */
static size_t kind_length(const char *name)
{
    const char *of = strstr(name, " of ");

    return of ? (size_t)(of - name) : strlen(name);
}

/* Return the quantity with this name in an outcome, or NULL. */
static const struct mm_ledger_quantity *measured(const struct mm_ledger_entry *outcome,
                                                 const char *name)
{
    for (size_t i = 0; i < outcome->quantity_count; i++)
        if (strcmp(outcome->quantities[i].name, name) == 0)
            return &outcome->quantities[i];
    return NULL;
}

/* Add the ratio for the sum of all quantities of one kind; `at` is the index of the
 * kind's first quantity. */
static int add_kind(struct mm_ledger_score *score, const struct mm_ledger_pair *pair,
                    size_t at)
{
    const struct mm_ledger_quantity *list = pair->statement->quantities;
    size_t length = kind_length(list[at].name);
    double predicted = 0, found = 0;

    for (size_t i = 0; i < pair->statement->quantity_count; i++) {
        const struct mm_ledger_quantity *own;

        if (kind_length(list[i].name) != length ||
            memcmp(list[i].name, list[at].name, length) != 0)
            continue;
        if (i < at)
            return 0;
        own = measured(pair->outcome, list[i].name);
        if (own) {
            predicted += list[i].value;
            found += own->value;
        }
    }
    return add_ratio(score, MM_BY_KIND, list[at].name, length, predicted, found);
}

static int add_quantities(struct mm_ledger_score *score,
                          const struct mm_ledger_pair *pair)
{
    for (size_t i = 0; i < pair->statement->quantity_count; i++) {
        const struct mm_ledger_quantity *asked = &pair->statement->quantities[i];
        const struct mm_ledger_quantity *own = measured(pair->outcome, asked->name);

        if (add_kind(score, pair, i))
            return -ENOMEM;
        if (own && add_ratio(score, MM_BY_QUANTITY, asked->name, strlen(asked->name),
                             asked->value, own->value))
            return -ENOMEM;
    }
    return 0;
}

static const char *beyond_name(double beyond)
{
    return beyond <= INSIDE ? "inside the sizes"
           : beyond <= 2    ? "up to 2 x beyond"
           : beyond <= 4    ? "up to 4 x beyond"
                            : "over 4 x beyond";
}

static int add_biases(struct mm_ledger_score *score, const struct mm_ledger_pair *pair)
{
    const struct mm_ledger_entry *s = pair->statement;
    const struct {
        enum mm_ledger_group group;
        const char *name;
    } of[] = {{MM_BY_ALL, "all"},
              {MM_BY_METRIC, s->metric},
              {MM_BY_VERB, s->verb},
              {MM_BY_BEYOND, beyond_name(s->beyond)}};

    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (add_ratio(score, of[i].group, of[i].name, strlen(of[i].name), s->value,
                      pair->outcome->value))
            return -ENOMEM;
    return add_quantities(score, pair);
}

static int bias_order(const void *left, const void *right)
{
    const struct mm_ledger_bias *a = left, *b = right;
    size_t least = a->name_length < b->name_length ? a->name_length : b->name_length;
    int order;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    order = memcmp(a->name, b->name, least);
    return order ? order
                 : (a->name_length > b->name_length) - (a->name_length < b->name_length);
}

static int find_biases(struct mm_ledger_score *score)
{
    for (size_t i = 0; i < score->pair_count; i++)
        if (add_biases(score, &score->pairs[i]))
            return -ENOMEM;
    for (size_t i = 0; i < score->bias_count; i++) {
        struct mm_ledger_bias *bias = &score->biases[i];

        bias->median = cca_median(bias->ratios, bias->count);
    }
    if (score->bias_count)
        qsort(score->biases, score->bias_count, sizeof *score->biases, bias_order);
    return 0;
}

int mm_ledger_score(struct mm_ledger_score *score, const struct mm_ledger *ledger)
{
    struct outcomes outcomes = {0};
    int result = list_outcomes(&outcomes, ledger);

    *score = (struct mm_ledger_score){.outcomes = outcomes.count};
    for (size_t i = 0; i < ledger->count && !result; i++)
        if (ledger->entries[i].kind == MM_LEDGER_STATEMENT)
            result = add_pair(score, &outcomes, &ledger->entries[i]);
    free(outcomes.items);
    if (result)
        return result;
    drop_superseded(score);
    return find_shares(score) || find_biases(score) ? -ENOMEM : 0;
}

void mm_ledger_score_done(struct mm_ledger_score *score)
{
    for (size_t i = 0; i < score->bias_count; i++)
        free(score->biases[i].ratios);
    free(score->biases);
    free(score->shares);
    free(score->pairs);
    *score = (struct mm_ledger_score){0};
}
