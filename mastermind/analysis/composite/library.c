/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: pool rows by class, build, port type and method; fit a model a mode. */
#include "mastermind/analysis/composite/library.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static int callee_order(const void *left, const void *right)
{
    const struct mm_callee *a = left, *b = right;
    int order = strcmp(a->port_type, b->port_type);

    return order ? order : strcmp(a->method, b->method);
}

/* The methods that vertex `at` called, ascending, one entry per port type and method.
 * New; NULL: out of memory. */
static struct mm_callee *callees_of(const struct mm_dual *dual, size_t at, size_t *count)
{
    struct mm_callee *callees = calloc(dual->edge_count + 1, sizeof *callees);
    size_t kept = 0;

    *count = 0;
    if (!callees)
        return NULL;
    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        const struct mm_method_info *callee = dual->vertices[edge->callee].method;

        if (edge->caller == at && callee)
            callees[(*count)++] = (struct mm_callee){callee->port_type, callee->method,
                                                     edge->calls, edge->inclusive_ns};
    }
    qsort(callees, *count, sizeof *callees, callee_order);
    for (size_t i = 0; i < *count; i++) {
        if (kept && callee_order(&callees[kept - 1], &callees[i]) == 0) {
            callees[kept - 1].calls += callees[i].calls;
            callees[kept - 1].inclusive_ns += callees[i].inclusive_ns;
        } else {
            callees[kept++] = callees[i];
        }
    }
    *count = kept;
    return callees;
}

static int same_callees(const struct mm_model_set *set, const struct mm_callee *callees,
                        size_t count)
{
    if (set->callee_count != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (callee_order(&set->callees[i], &callees[i]) != 0)
            return 0;
    }
    return 1;
}

static struct mm_model_set *set_of(struct mm_library *library,
                                   const struct mm_method_info *m)
{
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *other = library->sets[i].method;

        if (strcmp(other->class_name, m->class_name) == 0 &&
            strcmp(other->build_id, m->build_id) == 0 &&
            strcmp(other->port_type, m->port_type) == 0 &&
            strcmp(other->method, m->method) == 0 && mm_same_in_values(other, m))
            return &library->sets[i];
    }
    return NULL;
}

/* Add a set, which takes over `callees`. */
static struct mm_model_set *set_add(struct mm_library *library,
                                    const struct mm_profile *profile,
                                    const struct mm_method_info *method,
                                    struct mm_callee *callees, size_t callee_count)
{
    struct mm_model_set *set;

    if (cca_array_reserve(&library->sets, library->count, sizeof *set))
        return NULL;
    set = &library->sets[library->count++];
    *set = (struct mm_model_set){.method = method,
                                 .callees = callees,
                                 .callee_count = callee_count,
                                 .first = profile->source.name};
    mm_points_init(&set->points, method);
    set->points.floor_ns = profile->source.floor_ns;
    set->points.counts = profile->source.counts;
    return set;
}

static int pool_method(struct mm_library *library, const struct mm_profile *profile,
                       size_t at)
{
    const struct mm_method_info *method = profile->source.methods[at];
    struct mm_model_set *set;
    struct mm_callee *callees;
    size_t count;

    if (!profile->dual->vertices[at].calls)
        return 0;
    callees = callees_of(profile->dual, at, &count);
    if (!callees)
        return -ENOMEM;
    set = set_of(library, method);
    if (set && !same_callees(set, callees, count)) {
        free(callees);
        return mm_notes_add(
            &library->notes,
            "%s %s: other callees were measured below it in %s than in %s; "
            "%s is left out of its model",
            method->class_name, method->method, profile->source.name, set->first,
            profile->source.name);
    }
    if (!set) {
        set = set_add(library, profile, method, callees, count);
        if (!set) {
            free(callees);
            return -ENOMEM;
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            set->callees[i].calls += callees[i].calls;
            set->callees[i].inclusive_ns += callees[i].inclusive_ns;
        }
        free(callees);
    }
    if (set->points.floor_ns < profile->source.floor_ns)
        set->points.floor_ns = profile->source.floor_ns;
    set->calls += profile->dual->vertices[at].calls;
    set->experiments++;
    return mm_points_merge(&set->points, &profile->points[at]);
}

static int model_order(const void *left, const void *right)
{
    const struct mm_model *a = left, *b = right;

    for (size_t i = 0; i < a->method->in_count; i++) {
        if (a->method->values[i].kind == MONITOR_MODE && a->modes[i].i != b->modes[i].i)
            return a->modes[i].i < b->modes[i].i ? -1 : 1;
    }
    return 0;
}

/* Note that the model of calls which all lack a parameter is a constant. */
static int note_lacking(struct mm_notes *notes, const struct mm_model *model)
{
    const struct mm_method_info *method = model->method;

    return mm_notes_add(
        notes, "%s %s: no call has a value of '%s'; the model is a constant",
        method->class_name, method->method, method->values[model->lacks - 1].name);
}

static int fit_set(struct mm_model_set *set, const struct mm_search_options *options,
                   struct mm_notes *notes, struct cca_error *err)
{
    for (size_t i = 0; i < set->points.count; i++) {
        const struct mm_point *point = &set->points.points[i];
        struct mm_model *model;
        size_t k = 0;
        int result;

        while (k < set->model_count &&
               !mm_same_modes(set->method, set->models[k].modes, point->in))
            k++;
        if (k < set->model_count || !point->n)
            continue;
        if (cca_array_reserve(&set->models, set->model_count, sizeof *model))
            return cca_no_memory(err);
        model = &set->models[set->model_count];
        result = mm_model_fit(model, &set->points, point->in, options, err);
        if (result < 0)
            return result;
        if (model->lacks && note_lacking(notes, model))
            return cca_no_memory(err);
        set->model_count++;
    }
    if (set->model_count)
        qsort(set->models, set->model_count, sizeof *set->models, model_order);
    return 0;
}

/* Note each class that was built twice: models of its builds stay apart. */
static int note_builds(struct mm_library *library)
{
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *a = library->sets[i].method;

        for (size_t j = 0; j < i; j++) {
            const struct mm_method_info *b = library->sets[j].method;

            if (strcmp(a->class_name, b->class_name) == 0 &&
                strcmp(a->build_id, b->build_id) != 0 &&
                mm_notes_add(
                    &library->notes,
                    "%s was built anew between %s and %s; its builds are modelled apart",
                    a->class_name, library->sets[j].first, library->sets[i].first) < 0)
                return -ENOMEM;
        }
    }
    return 0;
}

static double set_cost(const struct mm_model_set *set)
{
    double cost = 0;

    for (size_t i = 0; i < set->points.count; i++)
        cost += set->points.points[i].mean_ns * (double)set->points.points[i].n;
    return cost;
}

static int set_order(const void *left, const void *right)
{
    double a = set_cost(left), b = set_cost(right);

    return (a < b) - (a > b);
}

/* Note the invocations that are in no model. */
static int note_other(struct mm_library *library, const struct mm_profile *profile)
{
    uint64_t other = profile->dual->other;

    return other ? mm_notes_add(&library->notes,
                                "%s: %" PRIu64
                                " invocation%s in no model: %s values are not known",
                                profile->source.name, other, other == 1 ? " is" : "s are",
                                other == 1 ? "its" : "their")
                 : 0;
}

struct mm_library *mm_library_new(struct mm_profile *const *profiles, size_t count,
                                  struct cca_error *err)
{
    return mm_library_fit(profiles, count, NULL, err);
}

struct mm_library *mm_library_fit(struct mm_profile *const *profiles, size_t count,
                                  const struct mm_search_options *options,
                                  struct cca_error *err)
{
    struct mm_library *library = calloc(1, sizeof *library);
    int result = library ? 0 : -ENOMEM;

    for (size_t i = 0; result == 0 && i < count; i++) {
        for (size_t k = 0; result == 0 && k < profiles[i]->source.method_count; k++)
            result = pool_method(library, profiles[i], k);
        if (result == 0)
            result = note_other(library, profiles[i]);
    }
    if (!result)
        result = note_builds(library);
    for (size_t i = 0; result == 0 && i < library->count; i++)
        result = fit_set(&library->sets[i], options, &library->notes, err);
    if (!result && library->count)
        qsort(library->sets, library->count, sizeof *library->sets, set_order);
    if (result) {
        cca_error_set(err, result, "out of memory");
        mm_library_free(library);
        return NULL;
    }
    return library;
}

void mm_library_free(struct mm_library *library)
{
    if (!library)
        return;
    for (size_t i = 0; i < library->count; i++) {
        mm_points_done(&library->sets[i].points);
        for (size_t k = 0; k < library->sets[i].model_count; k++)
            mm_model_done(&library->sets[i].models[k]);
        free(library->sets[i].models);
        free(library->sets[i].callees);
    }
    free(library->sets);
    mm_notes_done(&library->notes);
    free(library);
}

const struct mm_model_set *mm_library_find(const struct mm_library *library,
                                           const char *class_name, const char *build_id,
                                           const char *port_type, const char *method)
{
    const struct mm_model_set *found = NULL;

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *m = library->sets[i].method;

        if (strcmp(m->class_name, class_name) != 0 ||
            strcmp(m->port_type, port_type) != 0 || strcmp(m->method, method) != 0 ||
            !library->sets[i].model_count)
            continue;
        if (!build_id || strcmp(m->build_id, build_id) == 0)
            return &library->sets[i];
        if (!found)
            found = &library->sets[i];
    }
    return found;
}

/* Put the values of `in` in the order of the set's method. */
static int map_values(const struct mm_method_info *to, const struct mm_method_info *from,
                      const union monitor_value *in, union monitor_value *mapped,
                      const char **missing)
{
    for (size_t i = 0; i < to->in_count; i++) {
        size_t k = 0;

        while (k < from->in_count &&
               strcmp(from->values[k].name, to->values[i].name) != 0)
            k++;
        if (k == from->in_count) {
            *missing = to->values[i].name;
            return -ENOENT;
        }
        if (from->values[k].type == to->values[i].type)
            mapped[i] = in[k];
        else if (to->values[i].type == MONITOR_DOUBLE)
            mapped[i].d = (double)in[k].i;
        else
            mapped[i].i = (int64_t)in[k].d;
    }
    return 0;
}

const struct mm_model *mm_model_set_find(const struct mm_model_set *set,
                                         const struct mm_method_info *method,
                                         const union monitor_value *in,
                                         union monitor_value *mapped,
                                         const char **missing)
{
    *missing = NULL;
    if (map_values(set->method, method, in, mapped, missing) < 0)
        return NULL;
    for (size_t i = 0; i < set->model_count; i++) {
        if (mm_same_modes(set->method, set->models[i].modes, mapped))
            return &set->models[i];
    }
    return NULL;
}

void mm_mode_print(const struct mm_method_info *method, const union monitor_value *modes,
                   char *text, size_t size)
{
    size_t used = 0;

    if (size)
        text[0] = '\0';
    for (size_t i = 0; i < method->in_count; i++) {
        const struct mm_value_info *value = &method->values[i];
        const char *label = NULL;
        int length;

        if (value->kind != MONITOR_MODE || used >= size)
            continue;
        for (size_t k = 0; k < value->label_count; k++) {
            if (value->labels[k].value == modes[i].i)
                label = value->labels[k].text;
        }
        if (label)
            length = snprintf(text + used, size - used, "%s%s %s", used ? ", " : "",
                              value->name, label);
        else
            length = snprintf(text + used, size - used, "%s%s %" PRId64, used ? ", " : "",
                              value->name, modes[i].i);
        if (length > 0)
            used += (size_t)length;
    }
}
