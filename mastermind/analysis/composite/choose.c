/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c: find slots and candidates, rank them, choose an assembly. */
#include "mastermind/analysis/composite/choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/analysis/models/estimate.h"
#include "mastermind/analysis/composite/slots.h"

struct search {
    struct mm_profile *const *profiles;
    size_t profile_count;
    const struct mm_profile *base;
    const struct mm_library *library;
    const struct mm_requirement *requirements;
    size_t requirement_count;
    struct mm_choice *choice;
};

static int is_called(const struct mm_profile *profile, const char *instance)
{
    for (size_t i = 0; i < profile->source.method_count; i++) {
        if (profile->dual->vertices[i].calls &&
            strcmp(profile->source.methods[i]->instance, instance) == 0)
            return 1;
    }
    return 0;
}

/* Take what the prediction tells of the slot's own methods. */
static void take_parts(struct mm_candidate *c, const struct mm_prediction *p,
                       const char *instance)
{
    double errors = 0, cost = 0, widest = -1;

    c->beyond = 1;
    c->rival_ns = p->total_ns;
    for (size_t i = 0; i < p->part_count; i++) {
        const struct mm_part *part = &p->parts[i];
        double width = isnan(part->width_ns) ? INFINITY : part->width_ns;

        if (strcmp(part->method->instance, instance) != 0)
            continue;
        cost += part->predicted_ns;
        errors += part->predicted_ns * part->error;
        c->flags |= part->flags;
        if (part->flags & MM_NO_PARAMETER && !mm_has_parameter(part->method)) {
            c->unmarked = part->method->method;
            c->flags &= ~(unsigned)MM_NO_PARAMETER;
        }
        c->rival_ns += part->rival_ns - part->predicted_ns;
        if (part->beyond > c->beyond) {
            c->beyond = part->beyond;
            c->beyond_name = part->beyond_name;
        }
        if (width > widest) {
            widest = width;
            c->doubt_method = part->method->method;
            memcpy(c->doubt, part->doubt, sizeof c->doubt);
        }
    }
    c->error = cost > 0 ? errors / cost : NAN;
}

static int candidate_cost(struct search *s, const char *instance,
                          struct mm_candidate *candidate)
{
    struct mm_substitution substitution = {instance, candidate->class_name};
    struct cca_error err = {0};
    struct mm_prediction *p =
        mm_prediction_new(s->base, s->library, &substitution, 1, 0, &err);
    int result = p ? 0 : -ENOMEM;

    if (!p)
        return -ENOMEM;
    candidate->known = !p->unknown_calls;
    candidate->total_ns = p->total_ns;
    candidate->half_ns = p->half_ns;
    candidate->own_half_ns = p->own_half_ns;
    s->choice->without_runs = p->without_runs;
    take_parts(candidate, p, instance);
    for (size_t i = 0; i < p->notes.count && !result; i++)
        result = mm_notes_add(&s->choice->notes, "%s", p->notes.items[i]);
    mm_prediction_free(p);
    return result;
}

static int candidate_order(const void *left, const void *right)
{
    const struct mm_candidate *a = left, *b = right;

    if (a->known != b->known)
        return b->known - a->known;
    if (a->known && a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? -1 : 1;
    return strcmp(a->class_name, b->class_name);
}

static int candidate_add(struct mm_slot *slot, const struct mm_instance *instance,
                         int current)
{
    struct mm_candidate *candidate;

    for (size_t i = 0; i < slot->candidate_count; i++) {
        if (strcmp(slot->candidates[i].class_name, instance->class_name) == 0)
            return 0;
    }
    candidate =
        cca_array_add(&slot->candidates, &slot->candidate_count, sizeof *candidate);
    if (!candidate)
        return -ENOMEM;
    *candidate = (struct mm_candidate){
        .class_name = instance->class_name, .instance = instance, .current = current};
    return 0;
}

/* Collect the classes of all experiments that fit in the place of `instance`. */
static int gather_candidates(struct search *s, struct mm_slot *slot,
                             const struct mm_instance *instance)
{
    int result = 0;

    for (size_t p = 0; p < s->profile_count && result == 0; p++) {
        const struct mm_wiring *wiring = s->profiles[p]->wiring;

        for (size_t i = 0; wiring && i < wiring->instance_count && result == 0; i++) {
            const struct mm_instance *other = &wiring->instances[i];
            int current = strcmp(other->class_name, instance->class_name) == 0;
            const char *missing;

            if (!mm_slot_provides(s->base->wiring, instance, other))
                continue;
            missing = current
                          ? NULL
                          : mm_slot_missing_use(s->base->wiring, instance, wiring, other);
            if (missing)
                result = mm_notes_add(
                    &s->choice->notes,
                    "%s is no candidate for %s: it uses %s, which %s has not "
                    "connected",
                    other->class_name, instance->name, missing, instance->name);
            else
                result = candidate_add(slot, other, current);
        }
    }
    return result;
}

static void slot_done(struct mm_slot *slot)
{
    free(slot->candidates);
}

static int gather_slot(struct search *s, const struct mm_instance *instance)
{
    struct mm_choice *choice = s->choice;
    struct mm_slot slot = {.instance = instance->name};

    if (gather_candidates(s, &slot, instance) < 0)
        goto fail;
    if (slot.candidate_count < 2) {
        slot_done(&slot);
        return 0;
    }
    for (size_t i = 0; i < slot.candidate_count; i++)
        if (candidate_cost(s, slot.instance, &slot.candidates[i]) < 0)
            goto fail;
    if (cca_array_reserve(&choice->slots, choice->slot_count, sizeof slot))
        goto fail;
    for (size_t i = 0; i < s->base->source.method_count; i++) {
        if (strcmp(s->base->source.methods[i]->instance, instance->name) == 0)
            slot.measured_ns += (double)s->base->dual->vertices[i].exclusive_ns;
    }
    qsort(slot.candidates, slot.candidate_count, sizeof *slot.candidates,
          candidate_order);
    choice->slots[choice->slot_count++] = slot;
    return 0;
fail:
    slot_done(&slot);
    return -ENOMEM;
}

static int gather_slots(struct search *s, const char *only, struct cca_error *err)
{
    const struct mm_wiring *wiring = s->base->wiring;

    if (only && !mm_wiring_instance(wiring, only))
        return cca_error_set(err, -ENOENT, "%s: no instance '%s'", s->base->source.name,
                             only);
    for (size_t i = 0; i < wiring->instance_count; i++) {
        const struct mm_instance *instance = &wiring->instances[i];

        if ((only && strcmp(instance->name, only) != 0) ||
            !is_called(s->base, instance->name))
            continue;
        if (gather_slot(s, instance) < 0)
            return cca_no_memory(err);
    }
    return 0;
}

/* The quality of the assembly with the candidates `at`; NaN if a candidate does not state
 * what another candidate of its slot states. */
static double composed_quality(const struct search *s, const char *name, const size_t *at)
{
    const struct mm_wiring *wiring = s->base->wiring;
    double value = NAN;

    for (size_t i = 0; i < wiring->instance_count; i++) {
        const struct mm_instance *instance = &wiring->instances[i];
        const struct mm_quality *quality;
        int stated = 0;

        for (size_t k = 0; k < s->choice->slot_count; k++) {
            const struct mm_slot *slot = &s->choice->slots[k];

            if (strcmp(slot->instance, wiring->instances[i].name) != 0)
                continue;
            instance = slot->candidates[at[k]].instance;
            for (size_t j = 0; j < slot->candidate_count; j++)
                stated |= mm_instance_quality(slot->candidates[j].instance, name) != NULL;
        }
        quality = mm_instance_quality(instance, name);
        if (!quality && stated)
            return NAN;
        if (!quality)
            continue;
        if (isnan(value))
            value = quality->value;
        else if (quality->compose == MM_COMPOSE_SUM)
            value += quality->value;
        else if (quality->compose == MM_COMPOSE_MAX)
            value = fmax(value, quality->value);
        else
            value = fmin(value, quality->value);
    }
    return value;
}

static int satisfies(const struct search *s, const size_t *at)
{
    for (size_t i = 0; i < s->requirement_count; i++) {
        double value = composed_quality(s, s->requirements[i].quality, at);

        if (isnan(value) || !mm_requirement_holds(&s->requirements[i], value))
            return 0;
    }
    return 1;
}

static int check_qualities(const struct search *s, struct cca_error *err)
{
    for (size_t r = 0; r < s->requirement_count; r++) {
        const char *name = s->requirements[r].quality;
        int stated = 0;

        for (size_t p = 0; p < s->profile_count; p++) {
            const struct mm_wiring *wiring = s->profiles[p]->wiring;

            for (size_t i = 0; wiring && i < wiring->instance_count; i++)
                stated |= mm_instance_quality(&wiring->instances[i], name) != NULL;
        }
        if (!stated)
            return cca_error_set(err, -ENOENT,
                                 "no class in these experiments states a quality '%s'",
                                 name);
    }
    return 0;
}

/* Predict the assembly that was chosen, all classes at once. */
static int predict_chosen(struct search *s, struct cca_error *err)
{
    struct mm_choice *choice = s->choice;
    struct mm_substitution *set = calloc(choice->slot_count + 1, sizeof *set);
    struct mm_prediction *p;
    int result = 0;

    if (!set)
        return cca_no_memory(err);
    for (size_t i = 0; i < choice->slot_count; i++)
        set[i] = (struct mm_substitution){
            choice->slots[i].instance,
            choice->slots[i].candidates[choice->chosen[i]].class_name};
    p = mm_prediction_new(s->base, s->library, set, choice->slot_count, 0, err);
    free(set);
    if (!p)
        return err->code;
    choice->total_ns = p->total_ns;
    choice->half_ns = p->half_ns;
    choice->without_runs = p->without_runs;
    for (size_t i = 0; i < p->notes.count && !result; i++)
        result = mm_notes_add(&choice->notes, "%s", p->notes.items[i]);
    mm_prediction_free(p);
    return result ? cca_no_memory(err) : 0;
}

/* Probability that a normal variable is below `z`. */
static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* The probability that the choice is not dearer than the second. Both have the base's
 * other parts; only what the classes that differ bring is uncertain. */
static double better_probability(const struct mm_choice *choice)
{
    double apart = 0, squares = 0;

    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_candidate *a = &choice->slots[i].candidates[choice->chosen[i]];
        const struct mm_candidate *b = &choice->slots[i].candidates[choice->second[i]];

        if (a == b)
            continue;
        apart += b->total_ns - a->total_ns;
        squares += a->own_half_ns * a->own_half_ns + b->own_half_ns * b->own_half_ns;
    }
    if (isnan(squares))
        return NAN;
    return squares > 0 ? normal_below(1.959964 * apart / sqrt(squares)) : 1;
}

int mm_choice_is_decided(const struct mm_choice *choice)
{
    return !choice->has_second || choice->probability >= MM_DECIDED;
}

/* Remember an assembly that is one of the two best. */
static void offer(struct mm_choice *choice, const size_t *at, double total,
                  double *second_ns)
{
    size_t bytes = choice->slot_count * sizeof *at;

    if (!choice->found || total < choice->total_ns) {
        if (choice->found) {
            memcpy(choice->second, choice->chosen, bytes);
            choice->has_second = 1;
            *second_ns = choice->total_ns;
        }
        memcpy(choice->chosen, at, bytes);
        choice->found = 1;
        choice->total_ns = total;
    } else if (!choice->has_second || total < *second_ns) {
        memcpy(choice->second, at, bytes);
        choice->has_second = 1;
        *second_ns = total;
    }
}

/* Step to the next assembly; 0: there are no more. */
static int next_assembly(const struct search *s, size_t *at, const size_t *known)
{
    size_t count = s->choice->slot_count, i = 0;

    while (i < count && ++at[i] == known[i])
        at[i++] = 0;
    return i < count;
}

/* Like next_assembly where nothing is required: the best, then one slot's second after
 * the other. One of these is the second best. */
static int next_few(const struct search *s, size_t *at, const size_t *known)
{
    size_t count = s->choice->slot_count, i = 0;

    while (i < count && !at[i])
        i++;
    if (i < count)
        at[i++] = 0;
    else
        i = 0;
    while (i < count && known[i] < 2)
        i++;
    if (i == count)
        return 0;
    at[i] = 1;
    return 1;
}

/* Without requirements the cheapest candidate of each slot; with them all assemblies are
 * tried, each slot's difference added to the run. Candidates without a model are last and
 * are never chosen. */
static int choose_assembly(struct search *s, struct cca_error *err)
{
    struct mm_choice *choice = s->choice;
    size_t *at = calloc(choice->slot_count + 1, sizeof *at);
    size_t *known = calloc(choice->slot_count + 1, sizeof *known);
    double assemblies = 1, second_ns = INFINITY;
    int result = 0, more = 1;

    choice->chosen = calloc(choice->slot_count + 1, sizeof *choice->chosen);
    choice->second = calloc(choice->slot_count + 1, sizeof *choice->second);
    if (!at || !known || !choice->chosen || !choice->second) {
        result = cca_no_memory(err);
        goto done;
    }
    for (size_t i = 0; i < choice->slot_count; i++) {
        for (size_t k = 0; k < choice->slots[i].candidate_count; k++)
            known[i] += (size_t)choice->slots[i].candidates[k].known;
        assemblies *= (double)known[i];
    }
    if (assemblies < 1)
        goto done;
    if (s->requirement_count && assemblies > MM_CHOOSE_MOST) {
        result = cca_error_set(
            err, -E2BIG, "%.3g assemblies to try, at most %d; name one slot with --slot",
            assemblies, MM_CHOOSE_MOST);
        goto done;
    }
    while (more) {
        double total = choice->measured_ns;

        for (size_t k = 0; k < choice->slot_count; k++)
            total += choice->slots[k].candidates[at[k]].total_ns - choice->measured_ns;
        if (satisfies(s, at))
            offer(choice, at, total, &second_ns);
        more =
            s->requirement_count ? next_assembly(s, at, known) : next_few(s, at, known);
    }
    if (choice->has_second)
        choice->probability = better_probability(choice);
    if (choice->found && choice->slot_count)
        result = predict_chosen(s, err);
done:
    free(at);
    free(known);
    return result;
}

struct mm_choice *mm_choice_new(struct mm_profile *const *profiles, size_t profile_count,
                                const struct mm_library *library, const char *slot,
                                const struct mm_requirement *requirements,
                                size_t requirement_count, struct cca_error *err)
{
    struct search s = {profiles,     profile_count,     profiles[0], library,
                       requirements, requirement_count, NULL};

    if (!s.base->wiring) {
        cca_error_set(err, -ENODATA, "%s: its wiring was not written",
                      s.base->source.name);
        return NULL;
    }
    s.choice = calloc(1, sizeof *s.choice);
    if (!s.choice) {
        cca_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < s.base->source.method_count; i++)
        s.choice->measured_ns += (double)s.base->dual->vertices[i].exclusive_ns;
    if (check_qualities(&s, err) < 0 || gather_slots(&s, slot, err) < 0 ||
        choose_assembly(&s, err) < 0) {
        mm_choice_free(s.choice);
        return NULL;
    }
    return s.choice;
}

void mm_choice_free(struct mm_choice *choice)
{
    if (!choice)
        return;
    for (size_t i = 0; i < choice->slot_count; i++)
        slot_done(&choice->slots[i]);
    free(choice->slots);
    free(choice->chosen);
    free(choice->second);
    mm_notes_done(&choice->notes);
    free(choice);
}
