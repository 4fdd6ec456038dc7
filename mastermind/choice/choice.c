/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c: choose assemblies, forecast each as a whole, and sort them. */
#include "mastermind/choice/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/choice/parts.h"
#include "mastermind/choice/difference.h"
#include "common/statistics.h"

struct chooser {
    const struct mm_open_asked *asked;
    struct mm_open_choice *choice;
    struct mm_cost_tally tally;
    struct mm_effects effects;
    struct mm_assembly_problem problem;
    struct cca_error *err;
};

/* --- Items ------------------------------------------------------------------------- */

static int item_order(const void *left, const void *right)
{
    const struct mm_open_assembly *a = left, *b = right;
    double x = a->forecast->total_ns, y = b->forecast->total_ns;

    return x != y ? (x > y) - (x < y) : 0;
}

static int add_item(struct chooser *c, const size_t *at, double value,
                    struct mm_open_assembly **items, size_t *count)
{
    struct mm_open_assembly *item = cca_array_add(items, count, sizeof *item);

    if (!item)
        return cca_no_memory(c->err);
    *item =
        (struct mm_open_assembly){.value = value,
                                  .best = NAN,
                                  .at = malloc((c->choice->slot_count + 1) * sizeof *at)};
    if (!item->at)
        return cca_no_memory(c->err);
    memcpy(item->at, at, c->choice->slot_count * sizeof *at);
    item->forecast = mm_tally_forecast(&c->tally, at, c->err);
    return item->forecast ? 0 : c->err->code;
}

/* Forecast the assignments of an answer as whole assemblies; skip assignments whose joint
 * slot contradicts a single slot. */
static int take_answer(struct chooser *c, const struct mm_answer *answer,
                       struct mm_open_assembly **items, size_t *count)
{
    size_t *at = calloc(c->choice->slot_count + 1, sizeof *at);
    int result = at ? 0 : cca_no_memory(c->err);

    for (size_t i = 0; i < answer->count && !result; i++) {
        const struct mm_tallied *item;
        double apart;

        for (size_t s = 0; s < c->choice->slot_count; s++)
            at[s] = answer->items[i].classes[c->problem.slot[s]];
        item = mm_tally_cost(&c->tally, at, c->err);
        if (!item)
            result = c->err->code;
        apart = item ? answer->items[i].cost - item->total_ns : NAN;
        if (!(apart < c->problem.forbidden / 2))
            continue;
        c->choice->residual =
            fmax(c->choice->residual, fabs(apart) / fabs(item->total_ns));
        result = add_item(c, at, answer->items[i].value, items, count);
    }
    free(at);
    if (!result && *count)
        qsort(*items, *count, sizeof **items, item_order);
    return result;
}

/* --- Answers ----------------------------------------------------------------------- */

static int refuse_unproven(struct chooser *c)
{
    return cca_error_set(c->err, -E2BIG,
                         "%d steps do not prove which assembly is best; name one slot "
                         "with --slot",
                         MM_CHOOSE_MOST);
}

static int find_best(struct chooser *c)
{
    struct mm_answer_limits limits = {MM_OPEN_BEST, MM_CHOOSE_MOST};
    struct mm_answer *answer = mm_answer_best(c->problem.problem, &limits, c->err);
    int result;

    if (!answer)
        return c->err->code;
    result = answer->proven ? take_answer(c, answer, &c->choice->items, &c->choice->count)
                            : refuse_unproven(c);
    mm_answer_free(answer);
    return result;
}

static int find_list(struct chooser *c)
{
    const struct mm_choice_query *query = c->asked->query;
    const struct mm_problem *problem = c->problem.problem;
    struct mm_answer_limits limits = {MM_CHOICE_LISTED, MM_CHOOSE_MOST};
    struct mm_open_choice *choice = c->choice;
    struct mm_answer *answer;
    int result;

    if (query->front) {
        choice->listed_greater =
            query->greater >= 0
                ? query->greater
                : problem->qualities[c->problem.front].rule == MM_COMPOSITION_MIN;
        answer = mm_answer_front(problem, c->problem.front, choice->listed_greater,
                                 &limits, c->err);
    } else {
        answer = mm_answer_within(problem, query->within, &limits, c->err);
    }
    if (!answer)
        return c->err->code;
    choice->listed_more = answer->more;
    result = answer->proven
                 ? take_answer(c, answer, &choice->listed, &choice->listed_count)
                 : refuse_unproven(c);
    mm_answer_free(answer);
    return result;
}

/* --- Comparisons for the output --------------------------------------------------- */

/* Compare all items (assemblies) with the choice. */
static int compare(struct mm_open_choice *choice)
{
    choice->ties = 0;
    for (size_t i = 1; i < choice->count; i++) {
        struct mm_decider decider;

        if (mm_difference_find(choice, &choice->items[0], &choice->items[i], &decider))
            return -ENOMEM;
        if (!choice->items[i].is_tie)
            continue;
        if (!choice->ties++) {
            choice->decider = decider;
            choice->decider.item = decider.item ? i : 0;
        }
    }
    return 0;
}

/* The expected cost, if the logarithm of the cost has a normal distribution and the
 * forecast is in the middle of its interval. */
static double expected_ns(const struct mm_open_assembly *item)
{
    const struct mm_forecast *f = item->forecast;
    double sd = log(f->high_ns / f->low_ns) / (2 * CCA_NORMAL_90);

    return f->total_ns * exp(sd * sd / 2);
}

/* Of assemblies whose costs tie, choose the assembly with the least expected cost; of two
 * assemblies with similar forecasts that is the more certain one. */
static int choose_surest(struct mm_open_choice *choice)
{
    struct mm_open_assembly best;
    size_t at = 0;

    if (compare(choice))
        return -ENOMEM;
    for (size_t i = 1; i < choice->count; i++)
        if (choice->items[i].is_tie &&
            expected_ns(&choice->items[i]) < expected_ns(&choice->items[at]))
            at = i;
    if (!at)
        return 0;
    best = choice->items[at];
    memmove(&choice->items[1], &choice->items[0], at * sizeof best);
    choice->items[0] = best;
    choice->items[0].apart_ns = 0;
    choice->items[0].is_tie = 0;
    return compare(choice);
}

int mm_open_choice_rank(struct mm_open_choice *choice)
{
    if (choice->count)
        qsort(choice->items, choice->count, sizeof *choice->items, item_order);
    return choose_surest(choice);
}

/* Forecast the choice with every other class in each slot. Without a choice there is no
 * such total. */
static int find_classes(struct chooser *c)
{
    struct mm_open_choice *choice = c->choice;
    size_t *at = calloc(choice->slot_count + 1, sizeof *at);
    int result = at ? 0 : cca_no_memory(c->err);

    for (size_t s = 0; s < choice->slot_count && !result; s++) {
        for (size_t k = 0; k < choice->slots[s].class_count && !result; k++) {
            struct mm_open_class *class_of = &choice->slots[s].classes[k];
            const struct mm_tallied *item;

            class_of->total_ns = class_of->low_ns = class_of->high_ns = NAN;
            if (!class_of->known || !choice->count)
                continue;
            memcpy(at, choice->items[0].at, choice->slot_count * sizeof *at);
            at[s] = k;
            item = mm_tally_cost(&c->tally, at, c->err);
            if (!item) {
                result = c->err->code;
                continue;
            }
            class_of->total_ns = item->total_ns;
            class_of->low_ns = item->low_ns;
            class_of->high_ns = item->high_ns;
        }
    }
    free(at);
    return result;
}

/* Copy the notes of a forecast to the answer without duplicates. */
static int take_notes(struct chooser *c)
{
    for (size_t i = 0; i < c->choice->count && i < 2; i++) {
        const struct mm_notes *notes = &c->choice->items[i].forecast->notes;

        for (size_t k = 0; k < notes->count; k++)
            if (mm_notes_add(&c->choice->notes, "%s", notes->items[k]))
                return cca_no_memory(c->err);
    }
    return 0;
}

static int choose(struct chooser *c)
{
    const struct mm_open_asked *asked = c->asked;
    struct mm_open_choice *choice = c->choice;
    int result = mm_open_slots_find(choice, asked) ? cca_no_memory(c->err) : 0;

    if (result || !choice->slot_count)
        return result;
    if (mm_tally_init(&c->tally, asked, choice->slots, choice->slot_count))
        result = cca_no_memory(c->err);
    if (!result)
        result =
            mm_effects_find(&c->effects, choice, &c->tally, asked->wirings[0], c->err);
    if (!result)
        result = mm_assembly_problem_init(&c->problem, choice, asked, &c->effects,
                                          &c->tally, c->err);
    if (!result)
        result = find_best(c);
    if (!result && asked->query && choice->count)
        result = find_list(c);
    if (!result)
        result = mm_open_choice_rank(choice) ? cca_no_memory(c->err) : 0;
    if (!result)
        result = find_classes(c);
    choice->forecasts = c->tally.count;
    choice->joint = c->problem.joint;
    return result ? result : take_notes(c);
}

struct mm_open_choice *mm_open_choice_new(const struct mm_open_asked *asked,
                                          struct cca_error *err)
{
    struct cca_error own = {0};
    struct chooser c = {.asked = asked, .err = &own};
    int result;

    c.choice = calloc(1, sizeof *c.choice);
    result = c.choice ? choose(&c) : cca_no_memory(&own);
    mm_assembly_problem_done(&c.problem);
    mm_effects_done(&c.effects);
    mm_tally_done(&c.tally);
    if (!result)
        return c.choice;
    mm_open_choice_free(c.choice);
    cca_error_set(err, result, "%s", own.text);
    return NULL;
}

static void free_items(struct mm_open_assembly *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(items[i].at);
        mm_forecast_free(items[i].forecast);
    }
    free(items);
}

static void stretch_items(struct mm_open_assembly *items, size_t count,
                          const struct mm_stretch *stretch)
{
    for (size_t i = 0; i < count; i++) {
        mm_forecast_stretch(items[i].forecast, stretch);
        items[i].apart_ns *= stretch->mean;
        items[i].apart_low_ns *= stretch->mean;
        items[i].apart_high_ns *= stretch->mean;
    }
}

void mm_open_choice_stretch(struct mm_open_choice *choice,
                            const struct mm_stretch *stretch)
{
    for (size_t s = 0; s < choice->slot_count; s++)
        for (size_t k = 0; k < choice->slots[s].class_count; k++) {
            struct mm_open_class *c = &choice->slots[s].classes[k];

            mm_stretch_apply(stretch, &c->total_ns, &c->low_ns, &c->high_ns);
        }
    stretch_items(choice->items, choice->count, stretch);
    stretch_items(choice->listed, choice->listed_count, stretch);
}

void mm_open_choice_free(struct mm_open_choice *choice)
{
    if (!choice)
        return;
    for (size_t s = 0; s < choice->slot_count; s++)
        free(choice->slots[s].classes);
    free(choice->slots);
    free_items(choice->items, choice->count);
    free_items(choice->listed, choice->listed_count);
    mm_notes_done(&choice->notes);
    free(choice);
}
