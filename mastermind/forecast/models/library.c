/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: fit models to pooled rows, one for each mode, and find them. */
#include "mastermind/forecast/models/library.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/models/sum.h"

static int model_order(const void *left, const void *right)
{
    const struct mm_model *a = left, *b = right;

    for (size_t i = 0; i < a->method->in_count; i++) {
        if (a->method->values[i].kind == MONITOR_MODE && a->modes[i].i != b->modes[i].i)
            return a->modes[i].i < b->modes[i].i ? -1 : 1;
    }
    return 0;
}

/* Note that the model of calls that all lack a parameter is a constant. */
static int note_lacking(struct mm_notes *notes, const struct mm_model *model)
{
    const struct mm_method_info *method = model->method;

    return mm_notes_add(
        notes, "%s %s: no call has a value of '%s'; the model is a constant",
        method->class_name, method->method, method->values[model->lacks - 1].name);
}

/* Sum up the calls of a model set: their measured cost, and their cost by its models. */
static void set_sums(struct mm_model_set *set)
{
    for (size_t i = 0; i < set->points.count; i++) {
        const struct mm_point *point = &set->points.points[i];
        union monitor_value mapped[MONITOR_MAX_IN];
        const char *missing;
        const struct mm_model *model =
            point->n ? mm_model_set_find(set, set->method, point->in, mapped, &missing)
                     : NULL;

        if (!model)
            continue;
        set->measured_ns += (double)point->n * point->mean_ns;
        set->modelled_ns += (double)point->n * mm_model_mean_ns(model, point->in);
    }
    for (size_t i = 0; i < set->model_count; i++)
        set->host_ns += set->models[i].populations.host_ns;
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
    set_sums(set);
    return 0;
}

/* Note each class with several builds, because their models are separate. */
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
                    "%s was built anew between %s and %s; its builds have own models",
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

/* Note the invocations of a method that no model covers. */
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

    if (library) {
        library->profiles = profiles;
        library->profile_count = count;
        result = mm_runs_fit(&library->runs, profiles, count);
        if (!result)
            result = mm_pool_profiles(library);
    }
    for (size_t i = 0; result == 0 && i < count; i++)
        result = note_other(library, profiles[i]);
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

int mm_library_note_apart(struct mm_library *library)
{
    int result = 0;

    for (size_t i = 0; i < library->count && !result; i++)
        if (library->sets[i].apart)
            result = mm_notes_add(&library->notes, "%s", library->sets[i].apart);
    return result;
}

void mm_library_free(struct mm_library *library)
{
    if (!library)
        return;
    for (size_t i = 0; i < library->count; i++) {
        mm_points_done(&library->sets[i].points);
        for (size_t k = 0; k < library->sets[i].model_count; k++)
            mm_model_done(&library->sets[i].models[k]);
        for (size_t k = 0; k < library->sets[i].context_count; k++)
            free(library->sets[i].contexts[k]);
        free(library->sets[i].contexts);
        free(library->sets[i].beside);
        free(library->sets[i].apart);
        free(library->sets[i].callees);
        free(library->sets[i].models);
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

/* True if some rows of the set were measured together with the classes of `context`. */
static int is_beside(const struct mm_model_set *set, const char *context)
{
    for (size_t i = 0; i < set->context_count; i++)
        if (mm_context_same_classes(set->contexts[i], context))
            return 1;
    return 0;
}

static int is_wanted(const struct mm_model_set *set, const char *class_name,
                     const struct mm_method_info *method)
{
    return strcmp(set->method->class_name, class_name) == 0 &&
           strcmp(set->method->port_type, method->port_type) == 0 &&
           strcmp(set->method->method, method->method) == 0 && set->model_count;
}

/* Note that the rows of a set come from another context. */
static void note_elsewhere(const struct mm_model_set *set, const char *context,
                           const char *build_id, struct mm_notes *notes)
{
    const struct mm_method_info *m = set->method;
    char own[160], base[160];

    if (build_id && strcmp(m->build_id, build_id) != 0)
        mm_notes_add(notes, "%s %s: only another build of the class was measured (%s)",
                     m->class_name, m->method, set->first);
    if (set->apart)
        mm_notes_add(notes, "%s", set->apart);
    if (is_beside(set, context) || !set->beside)
        return;
    mm_context_difference(set->contexts[0], context, own, sizeof own);
    mm_context_difference(context, set->contexts[0], base, sizeof base);
    mm_notes_add(
        notes,
        "%s %s was measured beside %s, not beside %s, where it may cost something "
        "else",
        m->class_name, m->method, *own ? own : "fewer classes",
        *base ? base : "fewer classes");
}

int mm_library_match(const struct mm_library *library, const char *class_name,
                     const char *build_id, const struct mm_method_info *method,
                     const struct mm_profile *base, struct mm_notes *notes,
                     const struct mm_model_set **set)
{
    char *context = mm_context_of(base, method->index);
    int most = -1;

    *set = NULL;
    if (!context)
        return -ENOMEM;
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_model_set *of = &library->sets[i];
        int worth;

        if (!is_wanted(of, class_name, method))
            continue;
        worth = 4 * (build_id && strcmp(of->method->build_id, build_id) == 0) +
                2 * is_beside(of, context) + mm_same_in_values(of->method, method);
        if (worth > most) {
            most = worth;
            *set = of;
        }
    }
    if (*set)
        note_elsewhere(*set, context, build_id, notes);
    free(context);
    return 0;
}

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

const struct mm_model *mm_model_set_find(const struct mm_model_set *set,
                                         const struct mm_method_info *method,
                                         const union monitor_value *in,
                                         union monitor_value *mapped,
                                         const char **missing)
{
    size_t lacks = mm_values_map(set->method, method, in, mapped);

    *missing = lacks ? set->method->values[lacks - 1].name : NULL;
    if (lacks)
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
