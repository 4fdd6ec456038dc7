/* SPDX-License-Identifier: BSD-3-Clause */
/* balance.c: distribute patches over ranks by cost. */
#include "components/AMRMesh/balance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read the number after a word's colon: a whole number >= `least` and nothing else. */
static int whole_read(const char *text, int64_t least, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno || end == text || *end || *value < least ? -EINVAL : 0;
}

static int ratio_read(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end == text || *end || !(*value >= 1.) || isinf(*value) ? -EINVAL : 0;
}

/* Read one word of a rule; a word may occur once. Returns 0 or -EINVAL. */
static int word_read(const char *word, struct balance_rule *rule)
{
    if (!strncmp(word, "every:", 6) && !rule->every)
        return whole_read(word + 6, 1, &rule->every);
    if (!strncmp(word, "at:", 3) && rule->at_step < 0)
        return whole_read(word + 3, 0, &rule->at_step);
    if (!strncmp(word, "above:", 6) && rule->above == 0.)
        return ratio_read(word + 6, &rule->above);
    return -EINVAL;
}

int balance_rule_read(const char *text, struct balance_rule *rule, struct cca_error *err)
{
    *rule = (struct balance_rule){.at_step = -1};
    if (!strcmp(text, "never"))
        return 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        char word[32] = "";

        if (length < sizeof word)
            memcpy(word, text, length);
        if (word_read(word, rule))
            return cca_error_set(err, -EINVAL,
                                 "balance: '%.*s', expected never, or every:N, at:STEP "
                                 "and above:RATIO, joined by commas",
                                 (int)(length < 64 ? length : 64), text);
        if (!text[length])
            return 0;
        text += length + 1;
    }
}

double patch_cost(struct box box)
{
    return (double)box_cells(box);
}

double balance_imbalance(const struct layout *const *layouts, int levels, int ranks)
{
    double *loads = malloc((size_t)ranks * sizeof *loads);
    double most = 0., mean = 0., steps = 1.;

    if (!loads)
        return -ENOMEM;
    for (int l = 0; l < levels; l++, steps *= 2.) {
        double largest = 0.;

        for (int rank = 0; rank < ranks; rank++)
            loads[rank] = 0.;
        for (int k = 0; k < layouts[l]->count; k++) {
            const struct tile *tile = &layouts[l]->tiles[k];

            loads[tile->rank] += patch_cost(tile->box);
            mean += steps * patch_cost(tile->box) / ranks;
            if (loads[tile->rank] > largest)
                largest = loads[tile->rank];
        }
        most += steps * largest;
    }
    free(loads);
    return mean > 0. ? most / mean : 1.;
}

int balance_due(const struct balance_rule *rule, int64_t step, double imbalance)
{
    if (step == rule->at_step)
        return 1;
    if (rule->every && step && step % rule->every == 0)
        return 1;
    return rule->above > 0. && imbalance > rule->above;
}

struct bid {
    double cost;
    int tile;
};

static int bid_compare(const void *a, const void *b)
{
    const struct bid *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->tile - y->tile;
}

int balance_assign(struct layout *layout, int ranks)
{
    struct bid *bids = malloc(((size_t)layout->count + 1) * sizeof *bids);
    double *loads = calloc((size_t)ranks, sizeof *loads);
    int code = bids && loads ? 0 : -ENOMEM;

    for (int k = 0; k < layout->count && !code; k++)
        bids[k] = (struct bid){patch_cost(layout->tiles[k].box), k};
    if (!code)
        qsort(bids, (size_t)layout->count, sizeof *bids, bid_compare);
    for (int k = 0; k < layout->count && !code; k++) {
        int least = 0;

        for (int rank = 1; rank < ranks; rank++)
            if (loads[rank] < loads[least])
                least = rank;
        layout->tiles[bids[k].tile].rank = least;
        loads[least] += bids[k].cost;
    }
    free(bids);
    free(loads);
    return code;
}
