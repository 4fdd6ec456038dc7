/* SPDX-License-Identifier: BSD-3-Clause */
/* assembly_problem.c: build a problem from effects and requirements. */
#include "mastermind/choice/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/choice/qualities.h"

struct builder {
    struct mm_assembly_problem *p;
    const struct mm_open_choice *choice;
    const struct mm_open_asked *asked;
    const struct mm_effects *effects;
    struct mm_cost_tally *tally;
    struct cca_error *err;
};

/* True for a group of interacting slots that needs a joint slot. */
static int is_joint(const struct builder *b, size_t group)
{
    size_t most = b->asked->joint_most ? b->asked->joint_most : MM_OPEN_JOINT, slots;

    return mm_effects_ways(b->effects, b->choice, group, most, &slots) <= most &&
           slots > 2;
}

/* --- Qualities --------------------------------------------------------------------- */

static int add_qualities(struct builder *b)
{
    const struct mm_open_asked *asked = b->asked;
    int front;

    for (size_t i = 0; i < asked->requirement_count; i++)
        if (mm_problem_require(b->p->problem, &asked->requirements[i], b->err) < 0)
            return b->err->code;
    if (!asked->query || !asked->query->front)
        return 0;
    front = mm_problem_quality(b->p->problem, asked->query->front, b->err);
    b->p->front = (size_t)front;
    return front < 0 ? front : 0;
}

/* The instance of the requested class in any run; NULL: no run has it. */
static const struct mm_instance *instance_asked(const struct builder *b,
                                                const struct mm_axis *axis)
{
    const char *text = b->asked->text[axis->same_as];

    for (size_t r = 0; text && r < b->asked->run_count; r++)
        if (b->asked->wirings[r] && axis->text[r] && strcmp(axis->text[r], text) == 0)
            return mm_wiring_instance(b->asked->wirings[r], axis->name);
    return NULL;
}

/* Add fixed instances that state a quality as slots with one class. */
static int add_fixed(struct builder *b)
{
    const struct mm_axes *axes = mm_forecaster_axes(b->asked->forecaster);
    struct mm_problem *problem = b->p->problem;

    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_instance *instance = axes->items[i].kind == MM_AXIS_CLASS
                                                 ? instance_asked(b, &axes->items[i])
                                                 : NULL;
        int states = 0, at;

        for (size_t q = 0; instance && q < problem->quality_count; q++)
            states |= mm_instance_quality(instance, problem->qualities[q].name) != NULL;
        if (!states)
            continue;
        at = mm_problem_add_slot(problem, instance->name, b->err);
        if (at < 0 ||
            mm_problem_add_class(problem, (size_t)at, instance->class_name, 0, b->err) <
                0 ||
            mm_problem_state(problem, instance, (size_t)at, 0, b->err) < 0)
            return b->err->code;
    }
    return 0;
}

static int check_stated(const struct builder *b)
{
    for (size_t q = 0; q < b->p->problem->quality_count; q++)
        if (!b->p->problem->qualities[q].value_count)
            return cca_error_set(b->err, -ENOENT,
                                 "no class in these experiments states a quality '%s'",
                                 b->p->problem->qualities[q].name);
    return 0;
}

/* --- Slots ------------------------------------------------------------------------- */

static int add_slot(struct builder *b, size_t slot)
{
    const struct mm_open_slot *own = &b->choice->slots[slot];
    struct mm_problem *problem = b->p->problem;
    int joint = is_joint(b, b->effects->group[slot]);
    int at = mm_problem_add_slot(problem, own->instance, b->err);
    double most = 0;

    for (size_t c = 0; at >= 0 && c < own->class_count; c++) {
        const struct mm_open_class *class_of = &own->classes[c];
        double cost = joint ? 0 : b->effects->alone[slot][c];
        int added =
            class_of->known
                ? mm_problem_add_class(problem, (size_t)at, class_of->name, cost, b->err)
                : mm_problem_add_missing(problem, (size_t)at, class_of->name, b->err);

        if (added < 0 ||
            (class_of->instance &&
             mm_problem_state(problem, class_of->instance, (size_t)at, c, b->err) < 0))
            return b->err->code;
        if (class_of->known)
            most = fmax(most, fabs(cost));
    }
    if (at < 0)
        return at;
    b->p->slot[slot] = (size_t)at;
    b->p->forbidden += 2 * most;
    return 0;
}

/* Add the base assembly as a slot with one class, so that costs are costs of whole
 * runs. */
static int add_run(struct builder *b)
{
    int at = mm_problem_add_slot(b->p->problem, "run", b->err);

    b->p->forbidden += b->effects->base_ns;
    return at < 0 ? at
                  : mm_problem_add_class(b->p->problem, (size_t)at, "run",
                                         b->effects->base_ns, b->err);
}

/* --- Couplings --------------------------------------------------------------------- */

static int couple_pair(struct builder *b, const struct mm_pair_effect *pair)
{
    size_t count = b->choice->slots[pair->slots[0]].class_count *
                   b->choice->slots[pair->slots[1]].class_count;
    double *costs = malloc(count * sizeof *costs);
    int result;

    if (!costs)
        return cca_no_memory(b->err);
    for (size_t i = 0; i < count; i++)
        costs[i] = isnan(pair->costs[i]) ? b->p->forbidden : pair->costs[i];
    result = mm_problem_couple(b->p->problem, b->p->slot[pair->slots[0]],
                               b->p->slot[pair->slots[1]], costs, b->err);
    free(costs);
    return result;
}

/* Go to the next combination of known classes in a group of slots. Returns 0 after the
 * last one. */
static int next_way(const struct builder *b, size_t group, size_t *at)
{
    for (size_t s = 0; s < b->choice->slot_count; s++) {
        const struct mm_open_slot *slot = &b->choice->slots[s];

        if (b->effects->group[s] != group)
            continue;
        do
            at[s]++;
        while (at[s] < slot->class_count && !slot->classes[at[s]].known);
        if (at[s] < slot->class_count)
            return 1;
        for (at[s] = 0; !slot->classes[at[s]].known;)
            at[s]++;
    }
    return 0;
}

/* Couple the joint slot of a group with one of its slots: both must take the same class.
 */
static int couple_joint(struct builder *b, size_t joint, size_t slot, const size_t *ways,
                        size_t way_count)
{
    size_t classes = b->choice->slots[slot].class_count;
    double *costs = calloc(way_count * classes, sizeof *costs);
    int result;

    if (!costs)
        return cca_no_memory(b->err);
    for (size_t w = 0; w < way_count; w++)
        for (size_t c = 0; c < classes; c++)
            if (ways[w * b->choice->slot_count + slot] != c)
                costs[w * classes + c] = b->p->forbidden;
    result = mm_problem_couple(b->p->problem, joint, b->p->slot[slot], costs, b->err);
    free(costs);
    return result;
}

/* Add a class to a joint slot: one combination of classes in a group of interacting
 * slots. */
static int add_way(struct builder *b, size_t joint, const size_t *at, double *most)
{
    const struct mm_tallied *item = mm_tally_cost(b->tally, at, b->err);
    double cost;

    if (!item)
        return b->err->code;
    cost = item->total_ns - b->effects->base_ns;
    *most = isnan(cost) ? *most : fmax(*most, fabs(cost));
    return isnan(cost) ? mm_problem_add_missing(b->p->problem, joint, "", b->err)
                       : mm_problem_add_class(b->p->problem, joint, "", cost, b->err);
}

/* Add the joint slot of a group, whose classes are combinations. `ways`
 * [MM_OPEN_JOINT][slot_count] gets the combinations. */
static int add_joint(struct builder *b, size_t group, size_t *ways, size_t *way_count,
                     size_t *joint)
{
    size_t count = b->choice->slot_count;
    size_t *at = calloc(count + 1, sizeof *at);
    int slot = at ? mm_problem_add_slot(b->p->problem, "together", b->err)
                  : cca_no_memory(b->err);
    double most = 0;

    *way_count = 0;
    *joint = (size_t)slot;
    if (slot >= 0)
        memcpy(at, b->effects->base, count * sizeof *at);
    for (size_t s = 0; s < count && slot >= 0; s++)
        for (at[s] = b->effects->group[s] == group ? 0 : at[s];
             !b->choice->slots[s].classes[at[s]].known;)
            at[s]++;
    while (slot >= 0) {
        int result = add_way(b, *joint, at, &most);

        memcpy(ways + (*way_count)++ * count, at, count * sizeof *at);
        if (result < 0)
            slot = result;
        else if (!next_way(b, group, at))
            break;
    }
    b->p->forbidden += 2 * most;
    free(at);
    return slot < 0 ? slot : 0;
}

static int add_group(struct builder *b, size_t group)
{
    size_t *ways =
        calloc((size_t)MM_OPEN_JOINT * (b->choice->slot_count + 1), sizeof *ways);
    size_t way_count = 0, joint = 0, slots;
    int result =
        ways ? add_joint(b, group, ways, &way_count, &joint) : cca_no_memory(b->err);

    for (size_t s = 0; s < b->choice->slot_count && !result; s++)
        if (b->effects->group[s] == group)
            result = couple_joint(b, joint, s, ways, way_count);
    mm_effects_ways(b->effects, b->choice, group, MM_OPEN_JOINT, &slots);
    b->p->joint = slots > b->p->joint ? slots : b->p->joint;
    free(ways);
    return result;
}

static int add_couplings(struct builder *b)
{
    const struct mm_effects *e = b->effects;
    int result = 0;

    for (size_t i = 0; i < e->pair_count; i++) {
        const struct mm_pair_effect *pair = &e->pairs[i];
        size_t count = b->choice->slots[pair->slots[0]].class_count *
                       b->choice->slots[pair->slots[1]].class_count;
        double most = 0;

        for (size_t k = 0; k < count; k++)
            if (!isnan(pair->costs[k]))
                most = fmax(most, fabs(pair->costs[k]));
        b->p->forbidden += 2 * most;
        b->p->joint = b->p->joint < 2 ? 2 : b->p->joint;
    }
    for (size_t s = 0; s < e->slot_count && !result; s++)
        if (e->group[s] == s && is_joint(b, s))
            result = add_group(b, s);
    for (size_t i = 0; i < e->pair_count && !result; i++)
        if (!is_joint(b, e->group[e->pairs[i].slots[0]]))
            result = couple_pair(b, &e->pairs[i]);
    return result;
}

int mm_assembly_problem_init(struct mm_assembly_problem *p,
                             const struct mm_open_choice *choice,
                             const struct mm_open_asked *asked,
                             const struct mm_effects *effects,
                             struct mm_cost_tally *tally, struct cca_error *err)
{
    struct cca_error own = {0};
    struct builder b = {p, choice, asked, effects, tally, &own};
    int result = 0;

    *p = (struct mm_assembly_problem){.forbidden = 1, .joint = 1};
    p->problem = mm_problem_new();
    p->slot = calloc(choice->slot_count + 1, sizeof *p->slot);
    if (!p->problem || !p->slot)
        result = cca_no_memory(&own);
    if (!result)
        result = add_qualities(&b);
    for (size_t s = 0; s < choice->slot_count && !result; s++)
        result = add_slot(&b, s);
    if (!result)
        result = add_fixed(&b);
    if (!result)
        result = check_stated(&b);
    if (!result && add_run(&b) < 0)
        result = own.code;
    if (!result)
        result = add_couplings(&b);
    return result ? cca_error_set(err, result, "%s", own.text) : 0;
}

void mm_assembly_problem_done(struct mm_assembly_problem *p)
{
    mm_problem_free(p->problem);
    free(p->slot);
}
