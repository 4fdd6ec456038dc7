/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_set.c: find the one method whose calls are predicted. */
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/predict/predict_points.h"

static int is_chosen(const struct mm_model_set *set, const struct mm_input *input,
                     const char *method, const char *class_name)
{
    const struct mm_method_info *m = set->method;

    if (!set->model_count || (class_name && strcmp(m->class_name, class_name) != 0))
        return 0;
    if (!method || strcmp(m->method, method) == 0)
        return 1;
    /* instances share a set, and its method has the name of the first instance */
    for (size_t i = 0; i < input->count; i++) {
        for (size_t k = 0; k < input->experiments[i]->method_count; k++) {
            const struct mm_method_info *other = input->experiments[i]->methods[k];

            if (strcmp(other->name, method) == 0 &&
                strcmp(other->class_name, m->class_name) == 0 &&
                strcmp(other->port_type, m->port_type) == 0 &&
                strcmp(other->method, m->method) == 0)
                return 1;
        }
    }
    return 0;
}

/* True if two sets differ at most by build or by marks: they are of one method. */
static int same_method(const struct mm_model_set *a, const struct mm_model_set *b)
{
    return strcmp(a->method->class_name, b->method->class_name) == 0 &&
           strcmp(a->method->port_type, b->method->port_type) == 0 &&
           strcmp(a->method->method, b->method->method) == 0;
}

static int refuse_several(const struct mm_library *library, const struct mm_input *input,
                          const char *method, const char *class_name)
{
    char text[1500] = "";
    size_t used = 0, left_out = 0;

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *m = library->sets[i].method;

        if (!is_chosen(&library->sets[i], input, method, class_name))
            continue;
        if (used > sizeof text - 500)
            left_out++;
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.300s (%.100s)",
                                     used ? ", " : "", mm_safe(m->name),
                                     mm_safe(m->class_name));
    }
    if (left_out)
        snprintf(text + used, sizeof text - used, ", %zu more", left_out);
    return mm_refuse(
        MM_EXIT_MISUSE,
        "several methods have models: name one by --method or --of-class: %s", text);
}

static int refuse_unknown(const struct mm_library *library, const char *method,
                          const char *class_name)
{
    struct cca_nearest nearest;
    char hint[128];

    if (!method && !class_name)
        return mm_refuse(MM_EXIT_NO, "no method has a model");
    cca_nearest_init(&nearest, method ? method : class_name);
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *m = library->sets[i].method;

        cca_nearest_offer(&nearest, method ? m->name : m->class_name);
        if (method)
            cca_nearest_offer(&nearest, m->method);
    }
    return mm_refuse(
        MM_EXIT_INPUT, "no model of a %s '%s'%s%s%s%s", method ? "method" : "class",
        mm_safe(nearest.name), method && class_name ? " of class '" : "",
        method && class_name ? mm_safe(class_name) : "", method && class_name ? "'" : "",
        mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
}

int mm_predict_set(const struct mm_library *library, const struct mm_input *input,
                   const char *method, const char *class_name,
                   const struct mm_model_set **chosen)
{
    *chosen = NULL;
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_model_set *set = &library->sets[i];

        if (!is_chosen(set, input, method, class_name))
            continue;
        if (*chosen && !same_method(*chosen, set))
            return refuse_several(library, input, method, class_name);
        if (!*chosen || ((*chosen)->first != input->profiles[0]->source.name &&
                         set->first == input->profiles[0]->source.name))
            *chosen = set;
    }
    return *chosen ? -1 : refuse_unknown(library, method, class_name);
}
