/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c: try rules for which calls belong to a population, and keep the best if it
 * beats chance. */
#include "mastermind/cost/calls/rules.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/sort.h"

#define EXACT .9    /* least precision and recall of a rule that determines membership */
#define COVERS .995 /* least recall of a rule that only excludes non-members */
/* log likelihood that a rule must gain, beside the log of the number of rules tried */
#define PRICE 5.
/* largest number of members of a population, and of other calls, that are used to try
 * rules */
#define MOST 4096
/* largest number of periods k tried for the rule "every k-th call"; they are differences
 * between the call numbers of a population */
#define PERIODS 24
#define WARM_UP 100 /* largest number of initial calls that count as a warm-up */

/* Members of a population and other calls, each matching a rule or not: numbers and
 * weights. */
struct counts {
    double named[2], rest[2]; /* [1]: of members, [0]: of other calls; number of calls
                                 that match the rule, and of calls that do not */
    double named_weight[2], rest_weight[2];
};

struct trial {
    const struct mm_sample_table *table;
    struct mm_member *calls; /* [count] a subset of the calls, to which rules are
                                fitted */
    size_t count;
    struct mm_rule best;
    double score; /* gain of the rule in log likelihood, less its penalty */
    int decides;
};

static void count_call(struct counts *c, const struct mm_member *call, int named)
{
    int member = call->member != 0;

    (named ? c->named : c->rest)[member]++;
    (named ? c->named_weight : c->rest_weight)[member] += call->weight;
}

static double log_likelihood(double members, double others)
{
    double n = members + others;

    return (members > 0 ? members * log(members / n) : 0) +
           (others > 0 ? others * log(others / n) : 0);
}

/* Keep `rule` if it beats the best so far: a rule that determines membership goes before
 * a rule that only excludes, then the higher score counts. `tried` is the number of rules
 * of its kind that could have been tried. */
static void judge_rule(struct trial *t, struct mm_rule rule, const struct counts *c,
                       double tried)
{
    double gain = log_likelihood(c->named[1], c->named[0]) +
                  log_likelihood(c->rest[1], c->rest[0]) -
                  log_likelihood(c->named[1] + c->rest[1], c->named[0] + c->rest[0]);
    double named = c->named_weight[0] + c->named_weight[1];
    double members = c->named_weight[1] + c->rest_weight[1];
    double score = gain - log(tried) - PRICE;
    int decides;

    rule.precision = named > 0 ? c->named_weight[1] / named : 0;
    rule.recall = members > 0 ? c->named_weight[1] / members : 0;
    decides = rule.precision >= EXACT && rule.recall >= EXACT;
    if (score <= 0 || (!decides && !(rule.kind == MM_RULE_PARAMETER &&
                                     rule.recall >= COVERS && rule.precision < EXACT)))
        return;
    if (decides < t->decides || (decides == t->decides && score <= t->score))
        return;
    t->best = rule;
    t->score = score;
    t->decides = decides;
}

static void try_rule(struct trial *t, struct mm_rule rule, double tried)
{
    struct counts c = {{0}, {0}, {0}, {0}};

    for (size_t i = 0; i < t->count; i++)
        count_call(&c, &t->calls[i], mm_rule_names(&rule, t->table, &t->calls[i]));
    judge_rule(t, rule, &c, tried);
}

/* --- Rules by call number ----------------------------------------------------------- */

/* Try the first 1, 3, 10 or up to WARM_UP calls, as far as there are members. */
static void try_first(struct trial *t, enum mm_rule_kind kind)
{
    uint32_t most = 0, tried[4] = {1, 0, 0, 0};

    for (size_t i = 0; i < t->count; i++) {
        const struct mm_call *call = t->calls[i].call;
        uint32_t number = kind == MM_RULE_FIRST ? call->number : call->nth;

        if (t->calls[i].member && number <= WARM_UP && number > most)
            most = number;
        if (t->calls[i].member && number <= 10 && number > tried[1])
            tried[1] = number;
        if (t->calls[i].member && number <= 3 && number > tried[2])
            tried[2] = number;
    }
    tried[3] = most;
    for (size_t i = 0; i < 4; i++)
        if (tried[i])
            try_rule(t, (struct mm_rule){.kind = kind, .period = tried[i]},
                     i ? WARM_UP : 1);
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The phase (call number modulo a period) of most members of a population. */
static uint32_t best_phase(const uint32_t *numbers, size_t count, uint32_t period)
{
    uint32_t best = 0;
    size_t most = 0;

    /* If members follow a rule "every k-th call", one of eight members has the rule's
     * phase. */
    for (size_t i = 0; i < count && i < 8; i++) {
        size_t same = 0;

        for (size_t k = 0; k < count; k++)
            same += numbers[k] % period == numbers[i * count / 8 % count] % period;
        if (same > most) {
            most = same;
            best = numbers[i * count / 8 % count] % period;
        }
    }
    return best ? best : period;
}

static void try_period(struct trial *t, const uint32_t *numbers, size_t count,
                       uint32_t period)
{
    struct mm_rule rule = {.kind = MM_RULE_EVERY, .period = period};

    rule.phase = best_phase(numbers, count, period);
    try_rule(t, rule, (double)period * period);
}

/* Try the rules "every k-th call", where k is a difference between call numbers of
 * members, or the greatest common divisor of these differences. */
static int try_every(struct trial *t)
{
    uint32_t *numbers = malloc((2 * t->count + 2) * sizeof *numbers), divisor = 0;
    uint32_t *distances = numbers + t->count + 1, last = 0;
    size_t count = 0, far = 0, tried = 0;

    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++)
        if (t->calls[i].member && t->calls[i].call->number)
            numbers[count++] = t->calls[i].call->number;
    qsort(numbers, count, sizeof *numbers, cca_order_uint32);
    for (size_t i = 1; i < count; i++) {
        uint32_t distance = numbers[i] - numbers[i - 1];

        divisor = greatest_divisor(divisor, distance);
        if (distance > 1)
            distances[far++] = distance;
    }
    qsort(distances, far, sizeof *distances, cca_order_uint32);
    if (count >= 3 && divisor > 1)
        try_period(t, numbers, count, divisor);
    for (size_t i = 0; count >= 4 && i < far && tried < PERIODS; i++) {
        if (distances[i] == last || distances[i] == divisor)
            continue;
        last = distances[i];
        try_period(t, numbers, count, last);
        tried++;
    }
    free(numbers);
    return 0;
}

/* --- Rules by an in-value or out-value ---------------------------------------------- */

struct key {
    double key;
    const struct mm_member *call;
};

static int by_key(const void *left, const void *right)
{
    double a = ((const struct key *)left)->key, b = ((const struct key *)right)->key;

    return (a > b) - (a < b);
}

/* Turn a threshold of call numbers into a rule: "first calls" or "later calls". */
static void set_number(struct mm_rule *rule)
{
    if (rule->kind != MM_RULE_FIRST && rule->kind != MM_RULE_LATER)
        return;
    rule->kind = rule->above ? MM_RULE_LATER : MM_RULE_FIRST;
    rule->period = (uint32_t)rule->at;
}

/* Try each threshold between two neighbouring keys (values of the calls), in both
 * directions. */
static void try_thresholds(struct trial *t, struct key *keys, size_t count,
                           struct mm_rule rule, double tried)
{
    struct counts below = {{0}, {0}, {0}, {0}}, all = below;
    size_t keyed = 0, found = 0;

    for (size_t i = 0; i < count; i++) {
        if (isnan(keys[i].key))
            count_call(&below, keys[i].call, 0);
        else
            keys[keyed++] = keys[i];
    }
    qsort(keys, keyed, sizeof *keys, by_key);
    for (size_t i = 1; i < keyed; i++)
        found += keys[i].key != keys[i - 1].key;
    for (size_t i = 0; i < keyed; i++)
        count_call(&below, keys[i].call, 0);
    all = below; /* no call matches yet; in the loop the calls up to the threshold
                    match */
    for (size_t i = 0; i + 1 < keyed; i++) {
        int member = keys[i].call->member != 0;
        double weight = keys[i].call->weight;
        struct counts above;

        all.rest[member]--;
        all.rest_weight[member] -= weight;
        count_call(&all, keys[i].call, 1);
        if (keys[i].key == keys[i + 1].key)
            continue;
        rule.above = 0;
        rule.at = keys[i].key;
        set_number(&rule);
        judge_rule(t, rule, &all, tried * (double)found);
        above = (struct counts){{all.rest[0], all.rest[1]},
                                {all.named[0], all.named[1]},
                                {all.rest_weight[0], all.rest_weight[1]},
                                {all.named_weight[0], all.named_weight[1]}};
        rule.above = 1;
        rule.at = keys[i + 1].key;
        set_number(&rule);
        if (keyed == count) /* every call has the value: the counts for "above" are the
                               complement */
            judge_rule(t, rule, &above, tried * (double)found);
        else
            try_rule(t, rule, tried * (double)found);
    }
}

static int try_values(struct trial *t)
{
    const struct mm_method_info *m = t->table->method;
    struct key *keys = malloc((t->count + 1) * sizeof *keys);
    size_t outs = m->value_count - m->in_count;

    if (!keys)
        return -ENOMEM;
    for (size_t k = 0; k < m->value_count; k++) {
        int out = k >= m->in_count;

        if (out ? k - m->in_count >= MM_SAMPLE_OUTS : !t->table->x[k])
            continue;
        for (size_t i = 0; i < t->count; i++) {
            const struct mm_member *call = &t->calls[i];

            keys[i].call = call;
            keys[i].key = !out         ? t->table->x[k][call->row]
                          : call->outs ? call->outs[k - m->in_count]
                                       : NAN;
        }
        try_thresholds(
            t, keys, t->count,
            (struct mm_rule){.kind = out ? MM_RULE_OUT : MM_RULE_PARAMETER, .value = k},
            2. * (double)(out ? outs : m->in_count));
    }
    for (size_t i = 0; i < t->count; i++) {
        uint32_t number = t->calls[i].call->number;

        keys[i].call = &t->calls[i];
        keys[i].key = number ? number : NAN;
    }
    try_thresholds(t, keys, t->count, (struct mm_rule){.kind = MM_RULE_FIRST}, 2);
    free(keys);
    return 0;
}

/* --- The best rule ------------------------------------------------------------------ */

/* Keep at most MOST members of the population and MOST other calls, with larger weights
 * in return. */
static int thin_calls(struct trial *t, const struct mm_member *calls, size_t count)
{
    size_t kinds[2] = {0, 0}, seen[2] = {0, 0};

    for (size_t i = 0; i < count; i++)
        kinds[calls[i].member != 0]++;
    t->calls = malloc((2 * MOST + 2) * sizeof *t->calls);
    if (!t->calls)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int kind = calls[i].member != 0;
        size_t step = kinds[kind] / MOST + 1;

        if (seen[kind]++ % step)
            continue;
        t->calls[t->count] = calls[i];
        t->calls[t->count++].weight *= (double)step;
    }
    return kinds[0] && kinds[1];
}

int mm_rule_find(const struct mm_sample_table *table, const struct mm_member *calls,
                 size_t count, struct mm_rule *rule)
{
    struct trial t = {.table = table};
    int result = thin_calls(&t, calls, count);

    *rule = (struct mm_rule){.kind = MM_RULE_NONE};
    if (result > 0) {
        try_first(&t, MM_RULE_FIRST);
        try_first(&t, MM_RULE_FRESH);
        result = try_every(&t);
        if (!result)
            result = try_values(&t);
        if (!result)
            *rule = t.best;
    }
    free(t.calls);
    return result;
}
