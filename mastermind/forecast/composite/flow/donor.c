/* SPDX-License-Identifier: BSD-3-Clause */
/* donor.c: match the instances, methods and in-values of two experiments. */
#include "mastermind/forecast/composite/flow/donor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Keys of one tuple in a donor and in the base. */
struct mm_key_pair {
    size_t vertex; /* of the donor */
    uint64_t own, base;
};

size_t mm_values_map(const struct mm_method_info *to, const struct mm_method_info *from,
                     const union monitor_value *in, union monitor_value *mapped)
{
    for (size_t i = 0; i < to->in_count; i++) {
        size_t k = 0;

        while (k < from->in_count &&
               strcmp(from->values[k].name, to->values[i].name) != 0)
            k++;
        if (k == from->in_count)
            return i + 1;
        if (from->values[k].type == to->values[i].type)
            mapped[i] = in[k];
        else if (monitor_value_absent(in[k], from->values[k].type))
            mapped[i].i = to->values[i].type == MONITOR_DOUBLE ? MONITOR_ABSENT_BITS
                                                               : MONITOR_ABSENT;
        else if (to->values[i].type == MONITOR_DOUBLE)
            mapped[i].d = (double)in[k].i;
        else
            mapped[i].i = (int64_t)in[k].d;
    }
    return 0;
}

/* --- Points ---------------------------------------------------------------- */

static int index_order(const void *left, const void *right)
{
    const struct mm_node_point *a = left, *b = right;

    return mm_node_order(&a->node, &b->node);
}

static int index_points(struct mm_donor *donor)
{
    const struct mm_profile *profile = donor->profile;
    size_t count = 0, at = 0;

    for (size_t i = 0; i < profile->source.method_count; i++)
        count += profile->points[i].count;
    donor->index = calloc(count + 1, sizeof *donor->index);
    if (!donor->index)
        return -ENOMEM;
    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_points *points = &profile->points[i];

        for (size_t k = 0; k < points->count; k++, at++) {
            const struct mm_point *point = &points->points[k];

            donor->index[at].node = (struct mm_call_node){
                i, mm_in_values_hash(point->in, points->method->in_count)};
            donor->index[at].point = point;
        }
    }
    donor->index_count = count;
    qsort(donor->index, count, sizeof *donor->index, index_order);
    return 0;
}

const struct mm_point *mm_donor_point(const struct mm_donor *donor,
                                      const struct mm_call_node *own)
{
    struct mm_node_point wanted = {.node = *own};
    const struct mm_node_point *found =
        bsearch(&wanted, donor->index, donor->index_count, sizeof wanted, index_order);

    return found ? found->point : NULL;
}

/* --- Instances ------------------------------------------------------------- */

/* A called method of an instance, and so its class; NULL: none was called. */
static const struct mm_method_info *called_method(const struct mm_profile *profile,
                                                  const char *instance)
{
    for (size_t i = 0; i < profile->source.method_count; i++)
        if (profile->dual->vertices[i].calls &&
            strcmp(profile->source.methods[i]->instance, instance) == 0)
            return profile->source.methods[i];
    return NULL;
}

/* The only instance of a class in a profile; NULL: none, or several. */
static const char *only_instance(const struct mm_profile *profile, const char *class_name)
{
    const char *found = NULL;

    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *m = profile->source.methods[i];

        if (!profile->dual->vertices[i].calls || strcmp(m->class_name, class_name) != 0)
            continue;
        if (found && strcmp(found, m->instance) != 0)
            return NULL;
        found = m->instance;
    }
    return found;
}

const char *mm_substitute(const struct mm_profile *profile,
                          const struct mm_substitution *s)
{
    const struct mm_method_info *m = called_method(profile, s->instance);

    if (m)
        return strcmp(m->class_name, s->class_name) == 0 ? s->instance : NULL;
    return only_instance(profile, s->class_name);
}

struct match {
    struct mm_donor *donor;
    const struct mm_substitution *substitutions;
    size_t count;
};

/* The instance of the base that instance `method->instance` of the donor stands for. */
static const char *base_instance(const struct match *match,
                                 const struct mm_method_info *method)
{
    const struct mm_donor *donor = match->donor;
    const struct mm_method_info *same = called_method(donor->base, method->instance);

    for (size_t i = 0; i < match->count; i++) {
        const char *instance =
            donor->has[i] ? mm_substitute(donor->profile, &match->substitutions[i])
                          : NULL;

        if (instance && strcmp(instance, method->instance) == 0)
            return match->substitutions[i].instance;
    }
    return same && strcmp(same->class_name, method->class_name) == 0 ? same->instance
                                                                     : NULL;
}

static size_t base_vertex(const struct match *match, const struct mm_method_info *method)
{
    const struct mm_profile *base = match->donor->base;
    const char *instance = base_instance(match, method);

    for (size_t i = 0; instance && i < base->source.method_count; i++) {
        const struct mm_method_info *m = base->source.methods[i];

        if (strcmp(m->instance, instance) == 0 &&
            strcmp(m->port_type, method->port_type) == 0 &&
            strcmp(m->method, method->method) == 0)
            return i;
    }
    return MM_NO_VERTEX;
}

/* --- In-values ------------------------------------------------------------- */

static int add_pairs(struct mm_donor *donor, size_t vertex)
{
    const struct mm_points *points = &donor->profile->points[vertex];
    const struct mm_method_info *to = donor->base->source.methods[donor->base_of[vertex]];

    if (mm_same_in_values(to, points->method))
        return 0;
    for (size_t i = 0; i < points->count; i++) {
        union monitor_value mapped[MONITOR_MAX_IN];
        struct mm_key_pair *pair;

        if (mm_values_map(to, points->method, points->points[i].in, mapped))
            continue;
        pair = cca_array_add(&donor->pairs, &donor->pair_count, sizeof *pair);
        if (!pair)
            return -ENOMEM;
        pair->vertex = vertex;
        pair->own = mm_in_values_hash(points->points[i].in, points->method->in_count);
        pair->base = mm_in_values_hash(mapped, to->in_count);
    }
    return 0;
}

static int is_plain(const struct mm_donor *donor, size_t vertex)
{
    return vertex >= donor->profile->source.method_count ||
           mm_same_in_values(donor->base->source.methods[donor->base_of[vertex]],
                             donor->profile->source.methods[vertex]);
}

int mm_donor_node(const struct mm_donor *donor, const struct mm_call_node *base,
                  struct mm_call_node *own)
{
    *own = (struct mm_call_node){donor->vertex_of[base->vertex], base->key};
    if (own->vertex == MM_NO_VERTEX)
        return 0;
    if (base->key == MM_NO_KEY || is_plain(donor, own->vertex))
        return 1;
    for (size_t i = 0; i < donor->pair_count; i++) {
        if (donor->pairs[i].vertex != own->vertex || donor->pairs[i].base != base->key)
            continue;
        own->key = donor->pairs[i].own;
        return 1;
    }
    return 0;
}

int mm_donor_base_node(const struct mm_donor *donor, const struct mm_call_node *own,
                       struct mm_call_node *base)
{
    *base = (struct mm_call_node){donor->base_of[own->vertex], own->key};
    if (base->vertex == MM_NO_VERTEX)
        return 0;
    if (own->key == MM_NO_KEY || is_plain(donor, own->vertex))
        return 1;
    for (size_t i = 0; i < donor->pair_count; i++) {
        if (donor->pairs[i].vertex != own->vertex || donor->pairs[i].own != own->key)
            continue;
        base->key = donor->pairs[i].base;
        return 1;
    }
    return 0;
}

/* --- The whole ------------------------------------------------------------- */

static void count_others(struct match *match)
{
    struct mm_donor *donor = match->donor;
    const struct mm_profile *base = donor->base;

    for (size_t i = 0; i < base->source.method_count; i++) {
        const struct mm_method_info *m = base->source.methods[i], *other;
        int is_slot = 0;

        for (size_t k = 0; k < match->count; k++)
            is_slot |= strcmp(match->substitutions[k].instance, m->instance) == 0 &&
                       donor->has[k];
        if (is_slot || called_method(base, m->instance) != m)
            continue;
        other = called_method(donor->profile, m->instance);
        donor->others += other && strcmp(other->class_name, m->class_name) != 0;
    }
}

static struct mm_parameter_difference compare_parameters(const struct match *match)
{
    const struct mm_donor *donor = match->donor;
    const struct mm_wiring *a = donor->base->wiring, *b = donor->profile->wiring;
    const char *own = NULL, *other = NULL;

    if (donor->base == donor->profile || (!a && !b))
        return (struct mm_parameter_difference){NULL, NULL};
    if (!a || !b)
        return (struct mm_parameter_difference){"wiring", NULL};
    for (size_t i = 0; i < match->count && !own; i++) {
        if (!donor->has[i])
            continue;
        own = match->substitutions[i].instance;
        other = mm_substitute(donor->profile, &match->substitutions[i]);
    }
    return mm_wiring_compare(a, b, own, other);
}

int mm_donor_init(struct mm_donor *donor, const struct mm_profile *base,
                  const struct mm_profile *profile,
                  const struct mm_substitution *substitutions, size_t count)
{
    size_t own = profile->dual->vertex_count, all = base->dual->vertex_count;
    struct match match = {donor, substitutions, count};
    struct mm_parameter_difference difference;

    *donor = (struct mm_donor){.profile = profile, .base = base};
    donor->base_of = malloc(own * sizeof *donor->base_of);
    donor->vertex_of = malloc(all * sizeof *donor->vertex_of);
    donor->has = calloc(count + 1, 1);
    if (!donor->base_of || !donor->vertex_of || !donor->has)
        goto fail;
    for (size_t i = 0; i < count; i++) {
        donor->has[i] = profile != base && mm_substitute(profile, &substitutions[i]);
        donor->has_count += donor->has[i];
    }
    for (size_t i = 0; i < all; i++)
        donor->vertex_of[i] = MM_NO_VERTEX;
    for (size_t i = 0; i < profile->source.method_count; i++) {
        donor->base_of[i] = base_vertex(&match, profile->source.methods[i]);
        if (donor->base_of[i] == MM_NO_VERTEX)
            continue;
        donor->vertex_of[donor->base_of[i]] = i;
        if (add_pairs(donor, i) < 0)
            goto fail;
    }
    donor->base_of[profile->dual->thread_vertex] = base->dual->thread_vertex;
    donor->base_of[profile->dual->lost_vertex] = base->dual->lost_vertex;
    donor->vertex_of[base->dual->thread_vertex] = profile->dual->thread_vertex;
    donor->vertex_of[base->dual->lost_vertex] = profile->dual->lost_vertex;
    count_others(&match);
    difference = compare_parameters(&match);
    donor->differs = difference.differs;
    donor->file = difference.file;
    if (index_points(donor) < 0)
        goto fail;
    return 0;
fail:
    mm_donor_done(donor);
    return -ENOMEM;
}

void mm_donor_done(struct mm_donor *donor)
{
    free(donor->base_of);
    free(donor->vertex_of);
    free(donor->has);
    free(donor->pairs);
    free(donor->index);
    *donor = (struct mm_donor){0};
}
