/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c: find slots and candidates, rank them, choose an assembly. */
#include "mastermind/analysis/composite/choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

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

/* True if `other` provides every port of the slot that is used, by name and type; if none
 * is used, every port. */
static int provides_the_same(const struct mm_wiring *base, const struct mm_instance *slot,
                             const struct mm_instance *other)
{
    size_t used = 0;

    for (size_t i = 0; i < base->connection_count; i++)
        used += strcmp(base->connections[i].provider, slot->name) == 0;
    for (size_t i = 0; i < slot->provides_count; i++) {
        const struct mm_wiring_port *port = &slot->provides[i], *match;
        int needed = !used;

        for (size_t k = 0; k < base->connection_count; k++)
            needed |= strcmp(base->connections[k].provider, slot->name) == 0 &&
                      strcmp(base->connections[k].provides, port->name) == 0;
        if (!needed)
            continue;
        match = mm_wiring_port_named(other->provides, other->provides_count, port->name);
        if (!match || strcmp(match->type, port->type) != 0)
            return 0;
    }
    return slot->provides_count > 0;
}

static int has_connected_use(const struct mm_wiring *wiring,
                             const struct mm_instance *instance, const char *type)
{
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_wiring_port *port;

        if (strcmp(wiring->connections[i].user, instance->name) != 0)
            continue;
        port = mm_wiring_port_named(instance->uses, instance->uses_count,
                                    wiring->connections[i].uses);
        if (port && strcmp(port->type, type) == 0)
            return 1;
    }
    return 0;
}

/* The type of a uses port that the other class had connected where it ran, and that
 * cannot be connected here as the slot's is. NULL: none is missing. */
static const char *missing_use(const struct mm_wiring *base,
                               const struct mm_instance *slot,
                               const struct mm_wiring *wiring,
                               const struct mm_instance *other)
{
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_wiring_port *port;

        if (strcmp(wiring->connections[i].user, other->name) != 0)
            continue;
        port = mm_wiring_port_named(other->uses, other->uses_count,
                                    wiring->connections[i].uses);
        if (port && !has_connected_use(base, slot, port->type))
            return port->type;
    }
    return NULL;
}

static int candidate_cost(struct search *s, const char *instance,
                          struct mm_candidate *candidate)
{
    double errors = 0, cost = 0, squares = 0, half;

    candidate->known = 1;
    candidate->beyond = 1;
    for (size_t i = 0; i < s->base->source.method_count; i++) {
        struct mm_part part;

        if (!s->base->dual->vertices[i].calls ||
            strcmp(s->base->source.methods[i]->instance, instance) != 0)
            continue;
        if (mm_part_predict(&part, s->base, s->library, i, candidate->class_name,
                            &s->choice->notes) < 0)
            return -ENOMEM;
        candidate->known &= !part.unknown_calls;
        candidate->cost_ns += part.predicted_ns + part.below_ns;
        cost += part.predicted_ns;
        errors += part.predicted_ns * part.error;
        half = mm_parts_half_ns(&part, 1);
        squares += half * half;
        if (part.beyond > candidate->beyond) {
            candidate->beyond = part.beyond;
            candidate->beyond_name = part.beyond_name;
        }
    }
    candidate->error = cost > 0 ? errors / cost : NAN;
    candidate->half_ns = sqrt(squares);
    return 0;
}

static int candidate_order(const void *left, const void *right)
{
    const struct mm_candidate *a = left, *b = right;

    if (a->known != b->known)
        return b->known - a->known;
    if (a->known && a->cost_ns != b->cost_ns)
        return a->cost_ns < b->cost_ns ? -1 : 1;
    return strcmp(a->class_name, b->class_name);
}

static int candidate_add(struct search *s, struct mm_slot *slot,
                         const struct mm_instance *instance, int current)
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
    return candidate_cost(s, slot->instance, candidate);
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

            if (!provides_the_same(s->base->wiring, instance, other))
                continue;
            missing =
                current ? NULL : missing_use(s->base->wiring, instance, wiring, other);
            if (missing)
                result = mm_notes_add(
                    &s->choice->notes,
                    "%s is no candidate for %s: it uses %s, which %s has not "
                    "connected",
                    other->class_name, instance->name, missing, instance->name);
            else
                result = candidate_add(s, slot, other, current);
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
    if (cca_array_reserve(&choice->slots, choice->slot_count, sizeof slot))
        goto fail;
    for (size_t i = 0; i < s->base->source.method_count; i++) {
        if (strcmp(s->base->source.methods[i]->instance, instance->name) == 0)
            slot.measured_ns += (double)s->base->dual->vertices[i].exclusive_ns;
    }
    choice->fixed_ns -= slot.measured_ns;
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

/* Models of slots are independent. */
static double chosen_half(const struct mm_choice *choice)
{
    double squares = 0;

    for (size_t i = 0; i < choice->slot_count; i++) {
        double half = choice->slots[i].candidates[choice->chosen[i]].half_ns;

        squares += half * half;
    }
    return sqrt(squares);
}

/* Without requirements the cheapest candidate of each slot; with them all assemblies are
 * tried. Candidates without a model are last and are never chosen. */
static int choose_assembly(struct search *s, struct cca_error *err)
{
    struct mm_choice *choice = s->choice;
    size_t *at = calloc(choice->slot_count + 1, sizeof *at);
    size_t *known = calloc(choice->slot_count + 1, sizeof *known);
    double assemblies = 1;
    int result = 0;

    choice->chosen = calloc(choice->slot_count + 1, sizeof *choice->chosen);
    if (!at || !known || !choice->chosen) {
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
    for (;;) {
        double total = choice->fixed_ns;
        size_t i = 0;

        for (size_t k = 0; k < choice->slot_count; k++)
            total += choice->slots[k].candidates[at[k]].cost_ns;
        if ((!choice->found || total < choice->total_ns) && satisfies(s, at)) {
            choice->found = 1;
            choice->total_ns = total;
            memcpy(choice->chosen, at, choice->slot_count * sizeof *at);
        }
        if (!s->requirement_count)
            break; /* the cheapest of each slot comes first */
        while (i < choice->slot_count && ++at[i] == known[i])
            at[i++] = 0;
        if (i == choice->slot_count)
            break;
    }
    if (choice->found)
        choice->half_ns = chosen_half(choice);
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
    s.choice->fixed_ns = s.choice->measured_ns;
    if (check_qualities(&s, err) < 0 || gather_slots(&s, slot, err) < 0 ||
        choose_assembly(&s, err) < 0) {
        mm_choice_free(s.choice);
        return NULL;
    }
    for (size_t i = 0; i < s.choice->slot_count; i++) {
        struct mm_slot *each = &s.choice->slots[i];

        for (size_t k = 0; k < each->candidate_count; k++)
            each->candidates[k].total_ns =
                s.choice->measured_ns - each->measured_ns + each->candidates[k].cost_ns;
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
    mm_notes_done(&choice->notes);
    free(choice);
}
