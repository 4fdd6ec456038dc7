/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c: gather candidates, choose an assembly, and predict it. */
#include "mastermind/forecast/composite/choose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/composite/candidates.h"
#include "mastermind/forecast/composite/select.h"

struct search {
    struct mm_profile *const *profiles;
    size_t profile_count;
    const struct mm_profile *base;
    const struct mm_library *library;
    const struct mm_requirement *requirements;
    size_t requirement_count;
    struct mm_choice *choice;
};

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

/* Predict an assembly, all classes at once. New, or NULL with `err`. */
static struct mm_prediction *predict(const struct mm_choice *choice,
                                     const struct mm_profile *base,
                                     const struct mm_library *library, const size_t *at,
                                     struct cca_error *err)
{
    struct mm_substitution *set = calloc(choice->slot_count + 1, sizeof *set);
    struct mm_prediction *p;

    if (!set) {
        cca_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < choice->slot_count; i++)
        set[i] = (struct mm_substitution){choice->slots[i].instance,
                                          choice->slots[i].candidates[at[i]].class_name};
    p = mm_prediction_new(base, library, set, choice->slot_count, 0, err);
    free(set);
    return p;
}

static int predict_chosen(struct search *s, struct cca_error *err)
{
    struct mm_choice *choice = s->choice;
    struct mm_prediction *p = predict(choice, s->base, s->library, choice->chosen, err);
    int result = 0;

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

/* The probability that the choice is not dearer than another assembly. Both have the
 * base's other parts; only what the classes that differ bring is uncertain. */
static double better_probability(const struct mm_choice *choice, const size_t *other)
{
    double apart = 0, squares = 0;

    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_candidate *a = &choice->slots[i].candidates[choice->chosen[i]];
        const struct mm_candidate *b = &choice->slots[i].candidates[other[i]];

        if (a == b)
            continue;
        apart += b->total_ns - a->total_ns;
        squares += a->own_half_ns * a->own_half_ns + b->own_half_ns * b->own_half_ns;
    }
    if (isnan(squares))
        return NAN;
    return squares > 0 ? normal_below(1.959964 * apart / sqrt(squares)) : 1;
}

/* Keep those of the next best assemblies that tie with the choice. */
static void keep_ties(struct mm_choice *choice)
{
    size_t kept = 0;

    for (size_t i = 0; i < choice->tie_count; i++) {
        struct mm_assembly *other = &choice->ties[i];

        other->probability = better_probability(choice, other->at);
        if (i == 0)
            choice->probability = other->probability;
        if (other->probability >= MM_DECIDED)
            free(other->at);
        else
            choice->ties[kept++] = *other;
    }
    choice->tie_count = kept;
}

int mm_choice_is_decided(const struct mm_choice *choice)
{
    return !choice->has_second || choice->probability >= MM_DECIDED;
}

static int choose_assembly(struct search *s, struct cca_error *err)
{
    struct mm_choice *choice = s->choice;
    int result = mm_select_best(choice, s->base->wiring, s->requirements,
                                s->requirement_count, err);

    if (result < 0)
        return result;
    keep_ties(choice);
    return choice->found ? predict_chosen(s, err) : 0;
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
    if (check_qualities(&s, err) < 0 ||
        mm_candidates_gather(s.choice, profiles, profile_count, library, slot, err) < 0 ||
        choose_assembly(&s, err) < 0) {
        mm_choice_free(s.choice);
        return NULL;
    }
    return s.choice;
}

int mm_choice_list(struct mm_choice *choice, const struct mm_profile *base,
                   const struct mm_library *library,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   const struct mm_choice_query *query, struct cca_error *err)
{
    int result =
        mm_select_list(choice, base->wiring, requirements, requirement_count, query, err);

    for (size_t i = 0; i < choice->listed_count && result >= 0; i++) {
        struct mm_assembly *item = &choice->listed[i];
        struct mm_prediction *p = predict(choice, base, library, item->at, err);

        if (!p)
            return err->code;
        item->total_ns = p->total_ns;
        item->half_ns = p->half_ns;
        mm_prediction_free(p);
    }
    return result;
}

static void free_assemblies(struct mm_assembly *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(items[i].at);
    free(items);
}

void mm_choice_free(struct mm_choice *choice)
{
    if (!choice)
        return;
    for (size_t i = 0; i < choice->slot_count; i++)
        free(choice->slots[i].candidates);
    free(choice->slots);
    free(choice->chosen);
    free(choice->second);
    free_assemblies(choice->ties, choice->tie_count);
    free_assemblies(choice->listed, choice->listed_count);
    mm_notes_done(&choice->notes);
    free(choice);
}
