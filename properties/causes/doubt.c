/* SPDX-License-Identifier: BSD-3-Clause */
/* doubt.c: compute confidences of answers from the evidence of noise. */
#include "properties/causes/doubt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "properties/confidence/confidence.h"
#include "properties/evaluate/answers.h"
#include "properties/evaluate/noise.h"

struct mm_doubt {
    struct mm_noise *noise;
    double threshold;
};

int mm_doubt_new(struct mm_doubt **doubt, struct mm_store *store,
                 const struct mm_property_question *question, double threshold,
                 double least_share, struct cca_error *err)
{
    struct mm_doubt *d = calloc(1, sizeof *d);
    int result;

    *doubt = NULL;
    if (!d)
        return cca_no_memory(err);
    d->threshold = threshold;
    result = mm_noise_new(&d->noise, store, question, least_share, err);
    if (result)
        mm_doubt_free(d);
    else
        *doubt = d;
    return result;
}

void mm_doubt_free(struct mm_doubt *doubt)
{
    if (doubt)
        mm_noise_free(doubt->noise);
    free(doubt);
}

/* An answer of a group: answers to one question from runs of one configuration. `first`
 * is the index of the group's first answer. */
struct group {
    size_t first, at;
};

static int by_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int put(struct mm_property_answers *answers, struct mm_property_answer *a,
               const struct mm_confidence *c, int holds_by_severity)
{
    int keeps = !isnan(a->confidence);

    a->severity = c->severity;
    if (holds_by_severity && a->holds >= 0)
        a->holds = a->severity > 0;
    a->low = c->low;
    a->high = c->high;
    a->confidence = keeps ? a->confidence : c->confidence;
    a->how = *c->how ? mm_answers_string(answers, c->how) : NULL;
    a->reason = c->reason;
    return *c->how && !a->how;
}

/* Collect the severities of a group's runs where they are defined. Returns their
 * number. */
static size_t severities_of(double *severities, const struct mm_property_answers *answers,
                            const struct group *group, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (answers->all[group[i].at].holds >= 0)
            severities[n++] = answers->all[group[i].at].severity;
    return n;
}

static struct mm_confidence of_one_run(const struct mm_answer_noise *n, double severity,
                                       size_t among, double threshold)
{
    if (!isnan(n->low) || !isnan(n->high))
        return mm_confidence_sampled(severity, n->low, n->high, threshold);
    if (!n->replicates)
        return mm_confidence_absent(severity, "one run, with too few independent "
                                              "iterations");
    return mm_confidence_replicates(severity, n->replicates, &n->blocks, n->stream, among,
                                    threshold);
}

/* Number of units among which the property chooses by maximum or minimum, such as the
 * slowest one; 1: it does not choose. */
static size_t among_units(const struct mm_answer_noise *n,
                          const struct mm_property *property)
{
    const char *text = property->severity.text;
    int chooses = property->object == MM_FOR_EXPERIMENTS ||
                  (property->object == MM_FOR_REGION &&
                   (property->code || strstr(text, "max") || strstr(text, "min")));

    return chooses ? n->units : 1;
}

/* Repeats of parallel runs contain no information on the noise of the sequential run, of
 * which there is only one: add the noise within that run. */
static void add_sequential(struct mm_confidence *c, const struct mm_answer_noise *n,
                           size_t among, double threshold)
{
    struct mm_confidence within;

    if (!n->replicates)
        return;
    within = mm_confidence_replicates(n->replicates[0], n->replicates, &n->blocks,
                                      n->stream, among, threshold);
    if (!isnan(within.confidence))
        *c = mm_confidence_both(c, &within, threshold);
}

/* Compute the confidence of a group of answers from repeated runs; it is stored in the
 * group's first answer that was evaluated. `severities` is a buffer. */
static int judge(struct mm_property_answers *answers, const struct mm_answer_noise *all,
                 const struct group *group, size_t count, double *severities,
                 const struct mm_property *property, double threshold)
{
    size_t n = severities_of(severities, answers, group, count), at = 0;
    struct mm_property_answer *a = &answers->all[group->at];
    const struct mm_answer_noise *noise = &all[group->at];
    struct mm_confidence c;

    if (!n)
        return 0; /* the property was evaluated in none of the group's runs */
    while (answers->all[group[at].at].holds < 0)
        at++;
    *a = answers->all[group[at].at];
    if (n > 1)
        c = mm_confidence_runs(severities, n, n == count ? noise->pooled : NAN,
                               among_units(noise, property), threshold);
    else
        c = of_one_run(&all[group[at].at], a->severity, among_units(noise, property),
                       threshold);
    if (n > 1 && property->object == MM_FOR_EXPERIMENTS)
        add_sequential(&c, noise, among_units(noise, property), threshold);
    mm_confidence_bias(&c, noise->cost, threshold);
    return put(answers, a, &c, !property->holds.text);
}

/* Keep the first answer of each group, in their order. */
static void leave_first(struct mm_property_answers *answers,
                        const struct mm_answer_noise *all)
{
    size_t left = 0;

    answers->evaluated = answers->held = answers->undecided = 0;
    for (size_t i = 0; i < answers->count; i++) {
        const struct mm_property_answer *a = &answers->all[i];

        if (all[i].same != i)
            continue;
        answers->held += a->holds > 0;
        answers->evaluated += a->holds >= 0;
        answers->undecided += a->holds < 0;
        answers->all[left++] = *a;
    }
    answers->count = left;
}

static int judge_all(struct mm_property_answers *answers,
                     const struct mm_answer_noise *all, struct group *groups,
                     double *severities, const struct mm_property *property,
                     double threshold)
{
    size_t n = answers->count;
    int failed = 0;

    for (size_t i = 0; i < n; i++)
        groups[i] = (struct group){all[i].same, i};
    if (n)
        qsort(groups, n, sizeof *groups, by_first);
    for (size_t i = 0, k; i < n && !failed; i = k) {
        for (k = i + 1; k < n && groups[k].first == groups[i].first; k++)
            ;
        failed = judge(answers, all, &groups[i], k - i, severities, property, threshold);
    }
    return failed;
}

int mm_answers_doubt(struct mm_property_answers *answers, struct mm_doubt *doubt,
                     const struct mm_property *property,
                     const struct mm_property_question *question, struct cca_error *err)
{
    size_t n = answers->count;
    struct mm_answer_noise *all = calloc(n + 1, sizeof *all);
    struct group *groups = calloc(n + 1, sizeof *groups);
    double *severities = calloc(n + 1, sizeof *severities);
    int result = all && groups && severities ? 0 : cca_no_memory(err);

    if (!result)
        result = mm_noise_ask(all, doubt->noise, property, question, answers, err);
    if (!result &&
        judge_all(answers, all, groups, severities, property, doubt->threshold))
        result = cca_no_memory(err);
    if (!result)
        leave_first(answers, all);
    free(all);
    free(groups);
    free(severities);
    return result;
}
