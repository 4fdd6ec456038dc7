/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c: slots, candidates and requirements as a problem in numbers. */
#include "mastermind/forecast/composite/select.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/choice/exact/answer.h"
#include "mastermind/forecast/composite/qualities.h"

/* Each instance with candidates is a slot of the problem. So is each other instance that
 * states a required quality: with the one class that it has. */
struct selection {
    struct mm_choice *choice;
    const struct mm_wiring *wiring;
    const struct mm_requirement *requirements;
    size_t requirement_count;
    const struct mm_choice_query *query; /* NULL: the best */
    struct mm_problem *problem;
    size_t *at;    /* [slot_count of the choice] slot of the problem */
    double run_ns; /* what an assembly costs beyond its cost in the problem */
};

static const struct mm_slot *slot_of(const struct mm_choice *choice,
                                     const struct mm_instance *instance, size_t *at)
{
    for (*at = 0; *at < choice->slot_count; (*at)++)
        if (strcmp(choice->slots[*at].instance, instance->name) == 0)
            return &choice->slots[*at];
    return NULL;
}

static int add_candidates(const struct selection *s, const struct mm_slot *slot,
                          struct cca_error *err)
{
    int at = mm_problem_add_slot(s->problem, slot->instance, err);

    for (size_t i = 0; at >= 0 && i < slot->candidate_count; i++) {
        const struct mm_candidate *c = &slot->candidates[i];
        double cost = c->total_ns - s->choice->measured_ns;
        int added =
            c->known && isfinite(cost)
                ? mm_problem_add_class(s->problem, (size_t)at, c->class_name, cost, err)
                : mm_problem_add_missing(s->problem, (size_t)at, c->class_name, err);

        if (added < 0 ||
            mm_problem_state(s->problem, c->instance, (size_t)at, i, err) < 0)
            return err->code;
    }
    return at;
}

static int is_required(const struct selection *s, const struct mm_instance *instance)
{
    for (size_t i = 0; i < s->requirement_count; i++)
        if (mm_instance_quality(instance, s->requirements[i].quality))
            return 1;
    return s->query && s->query->front &&
           mm_instance_quality(instance, s->query->front) != NULL;
}

static int add_instances(const struct selection *s, struct cca_error *err)
{
    for (size_t i = 0; i < s->wiring->instance_count; i++) {
        const struct mm_instance *instance = &s->wiring->instances[i];
        size_t k;
        const struct mm_slot *slot = slot_of(s->choice, instance, &k);
        int at;

        if (slot) {
            at = add_candidates(s, slot, err);
            if (at < 0)
                return at;
            s->at[k] = (size_t)at;
        } else if (is_required(s, instance)) {
            at = mm_problem_add_slot(s->problem, instance->name, err);
            if (at < 0 ||
                mm_problem_add_class(s->problem, (size_t)at, instance->class_name, 0,
                                     err) < 0 ||
                mm_problem_state(s->problem, instance, (size_t)at, 0, err) < 0)
                return err->code;
        }
    }
    return 0;
}

/* New assemblies of the items from `first` on. 0 or -ENOMEM; the items made so far are
 * in `*items` in any case. */
static int take_items(const struct selection *s, const struct mm_answer *answer,
                      size_t first, struct mm_assembly **items, size_t *count)
{
    *items = calloc(answer->count + 1, sizeof **items);
    *count = 0;
    if (!*items)
        return -ENOMEM;
    for (size_t k = first; k < answer->count; k++) {
        struct mm_assembly *item = &(*items)[*count];

        *item = (struct mm_assembly){calloc(s->choice->slot_count + 1, sizeof *item->at),
                                     s->run_ns + answer->items[k].cost, NAN,
                                     answer->items[k].value, NAN};
        if (!item->at)
            return -ENOMEM;
        ++*count;
        for (size_t i = 0; i < s->choice->slot_count; i++)
            item->at[i] = answer->items[k].classes[s->at[i]];
    }
    return 0;
}

static int take_answer(const struct selection *s, const struct mm_answer *answer)
{
    struct mm_choice *choice = s->choice;

    if (s->query) {
        choice->listed_more = answer->more;
        return take_items(s, answer, 0, &choice->listed, &choice->listed_count);
    }
    choice->found = answer->count > 0;
    choice->has_second = answer->count > 1;
    for (size_t i = 0; i < choice->slot_count; i++) {
        if (choice->found)
            choice->chosen[i] = answer->items[0].classes[s->at[i]];
        if (choice->has_second)
            choice->second[i] = answer->items[1].classes[s->at[i]];
    }
    return take_items(s, answer, 1, &choice->ties, &choice->tie_count);
}

static struct mm_answer *ask(const struct selection *s, int front, struct cca_error *err)
{
    struct mm_answer_limits limits = {MM_CHOICE_LISTED, MM_CHOOSE_MOST};
    int greater;

    if (!s->query) {
        limits.most = 1 + MM_CHOICE_RIVALS;
        return mm_answer_best(s->problem, &limits, err);
    }
    if (!s->query->front)
        return mm_answer_within(s->problem, s->query->within, &limits, err);
    greater = s->query->greater >= 0
                  ? s->query->greater
                  : s->problem->qualities[front].rule == MM_COMPOSITION_MIN;
    s->choice->listed_greater = greater;
    return mm_answer_front(s->problem, (size_t)front, greater, &limits, err);
}

/* The run as measured as a slot with one class, so that costs are of whole runs. */
static int add_run(struct selection *s, struct cca_error *err)
{
    int at = mm_problem_add_slot(s->problem, "run", err);

    s->run_ns = 0;
    return at < 0 ? at
                  : mm_problem_add_class(s->problem, (size_t)at, "run",
                                         s->choice->measured_ns, err);
}

static int solve(struct selection *s, struct cca_error *err)
{
    struct mm_answer *answer;
    int result = 0, front = 0;

    for (size_t i = 0; i < s->requirement_count && !result; i++)
        result = mm_problem_require(s->problem, &s->requirements[i], err);
    if (result >= 0 && s->query && s->query->front)
        front = mm_problem_quality(s->problem, s->query->front, err);
    if (result < 0 || front < 0 || add_instances(s, err) < 0 ||
        (s->query && !s->query->front && add_run(s, err) < 0))
        return err->code;
    if (s->query && s->query->front && !s->problem->qualities[front].value_count)
        return cca_error_set(err, -ENOENT,
                             "no class in these experiments states a quality '%s'",
                             s->query->front);
    answer = ask(s, front, err);
    if (!answer)
        return err->code;
    if (!answer->proven)
        result = cca_error_set(err, -E2BIG,
                               "%d steps do not prove which assembly is best; name one "
                               "slot with --slot",
                               MM_CHOOSE_MOST);
    else if (take_answer(s, answer))
        result = cca_no_memory(err);
    mm_answer_free(answer);
    return result;
}

/* True if each slot has a candidate with a model. */
static int all_known(const struct mm_choice *choice)
{
    for (size_t i = 0; i < choice->slot_count; i++) {
        int known = 0;

        for (size_t k = 0; k < choice->slots[i].candidate_count; k++)
            known |= choice->slots[i].candidates[k].known &&
                     isfinite(choice->slots[i].candidates[k].total_ns);
        if (!known)
            return 0;
    }
    return choice->slot_count > 0;
}

/* Solve the problem of `s`, in which problem and at are not set yet. */
static int select_assemblies(struct selection *s, struct cca_error *err)
{
    struct cca_error own = {0};
    int result = 0;

    s->at = calloc(s->choice->slot_count + 1, sizeof *s->at);
    s->problem = mm_problem_new();
    if (!s->at || !s->problem)
        result = cca_no_memory(&own);
    else if (all_known(s->choice))
        result = solve(s, &own);
    mm_problem_free(s->problem);
    free(s->at);
    return result < 0 ? cca_error_set(err, result, "%s", own.text) : 0;
}

int mm_select_best(struct mm_choice *choice, const struct mm_wiring *wiring,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   struct cca_error *err)
{
    struct selection s = {choice, wiring, requirements, requirement_count,
                          NULL,   NULL,   NULL,         choice->measured_ns};

    choice->chosen = calloc(choice->slot_count + 1, sizeof *choice->chosen);
    choice->second = calloc(choice->slot_count + 1, sizeof *choice->second);
    if (!choice->chosen || !choice->second)
        return cca_no_memory(err);
    return select_assemblies(&s, err);
}

int mm_select_list(struct mm_choice *choice, const struct mm_wiring *wiring,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   const struct mm_choice_query *query, struct cca_error *err)
{
    struct selection s = {choice, wiring, requirements, requirement_count,
                          query,  NULL,   NULL,         choice->measured_ns};

    return select_assemblies(&s, err);
}
