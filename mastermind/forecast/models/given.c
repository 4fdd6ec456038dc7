/* SPDX-License-Identifier: BSD-3-Clause */
/* given.c: add stored models to a library of models. */
#include "mastermind/forecast/models/given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static int same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static struct mm_model_set *find_set(struct mm_library *library,
                                     const struct mm_given_model *given)
{
    const struct mm_method_info *m = given->model->method;

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *other = library->sets[i].method;

        if (strcmp(other->class_name, m->class_name) == 0 &&
            strcmp(other->build_id, m->build_id) == 0 &&
            strcmp(other->port_type, m->port_type) == 0 &&
            strcmp(other->method, m->method) == 0 && mm_same_in_values(other, m) &&
            same_text(library->sets[i].beside, given->beside))
            return &library->sets[i];
    }
    return NULL;
}

/* Copy the callees of a given model; the set owns the copy. The result is new, or NULL:
 * out of memory. */
static struct mm_callee *copy_callees(const struct mm_given_model *given)
{
    struct mm_callee *callees = calloc(given->callee_count + 1, sizeof *callees);

    if (callees && given->callee_count)
        memcpy(callees, given->callees, given->callee_count * sizeof *callees);
    return callees;
}

/* Copy the texts of a model set, which owns them. Returns 0 or -ENOMEM. */
static int copy_texts(struct mm_model_set *set, const struct mm_given_model *given)
{
    if (given->beside && !(set->beside = strdup(given->beside)))
        return -ENOMEM;
    set->contexts = calloc(given->context_count + 1, sizeof *set->contexts);
    if (!set->contexts)
        return -ENOMEM;
    for (; set->context_count < given->context_count; set->context_count++) {
        set->contexts[set->context_count] = strdup(given->contexts[set->context_count]);
        if (!set->contexts[set->context_count])
            return -ENOMEM;
    }
    return 0;
}

static struct mm_model_set *add_set(struct mm_library *library,
                                    const struct mm_given_model *given)
{
    struct mm_callee *callees = copy_callees(given);
    struct mm_model_set *set;

    if (!callees || cca_array_reserve(&library->sets, library->count, sizeof *set)) {
        free(callees);
        return NULL;
    }
    set = &library->sets[library->count++];
    *set = (struct mm_model_set){.method = given->model->method,
                                 .callees = callees,
                                 .callee_count = given->callee_count,
                                 .calls = given->calls,
                                 .first = given->origin,
                                 .given = given->origin};
    mm_points_init(&set->points, set->method);
    return copy_texts(set, given) ? NULL : set; /* on failure, mm_library_free frees
                                                   the set */
}

/* Recompute the sums of the set's own calls by its models, after one was replaced. */
static void sum_again(struct mm_model_set *set)
{
    set->modelled_ns = 0;
    for (size_t i = 0; i < set->points.count; i++) {
        const struct mm_point *point = &set->points.points[i];
        union monitor_value mapped[MONITOR_MAX_IN];
        const char *missing;
        const struct mm_model *model =
            point->n
                ? mm_model_set_find(set, set->points.method, point->in, mapped, &missing)
                : NULL;

        if (model)
            set->modelled_ns += (double)point->n * mm_model_mean_ns(model, mapped);
    }
}

int mm_library_add_model(struct mm_library *library, const struct mm_given_model *given)
{
    struct mm_model_set *set = find_set(library, given);
    size_t at = 0;

    if (!set)
        set = add_set(library, given);
    if (!set)
        return -ENOMEM;
    while (at < set->model_count &&
           !mm_same_modes(set->method, set->models[at].modes, given->model->modes))
        at++;
    if (at < set->model_count && !given->replace)
        return 0;
    if (at < set->model_count) {
        /* a set without measured rows borrows its `method` from its first given model */
        if (set->method == set->models[at].method)
            set->method = given->model->method;
        if (set->points.method == set->models[at].method)
            set->points.method = given->model->method;
        mm_model_done(&set->models[at]);
    } else if (cca_array_reserve(&set->models, set->model_count, sizeof *set->models)) {
        return -ENOMEM;
    } else {
        set->model_count++;
    }
    set->models[at] = *given->model;
    set->given = given->origin;
    *given->model = (struct mm_model){0};
    sum_again(set);
    return 0;
}
