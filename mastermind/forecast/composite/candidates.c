/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.c: find slots and candidates, and rank them. */
#include "mastermind/forecast/composite/candidates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cost/estimate.h"
#include "mastermind/forecast/composite/slots.h"

struct search {
    struct mm_profile *const *profiles;
    size_t profile_count;
    const struct mm_profile *base;
    const struct mm_library *library;
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

static int gather_slot(struct search *s, const struct mm_instance *instance)
{
    struct mm_choice *choice = s->choice;
    struct mm_slot slot = {.instance = instance->name};

    if (gather_candidates(s, &slot, instance) < 0)
        goto fail;
    if (slot.candidate_count < 2) {
        free(slot.candidates);
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
    free(slot.candidates);
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

int mm_candidates_gather(struct mm_choice *choice, struct mm_profile *const *profiles,
                         size_t profile_count, const struct mm_library *library,
                         const char *slot, struct cca_error *err)
{
    struct search s = {profiles, profile_count, profiles[0], library, choice};

    return gather_slots(&s, slot, err);
}
