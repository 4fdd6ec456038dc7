/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.c: find the performance models for each model("...") of a text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cost/core.h"
#include "common/nearest.h"

/* The parts of a name such as "flux.flux.compute": an instance or class, a port or its
 * type, a method. */
struct parts {
    char first[128], port[128], method[128];
};

static int cut(const char *text, struct parts *p)
{
    char rest;

    return sscanf(text, "%127[^.].%127[^.].%127[^.]%c", p->first, p->port, p->method,
                  &rest) == 3;
}

static int complain(const struct act_cost *cost, const struct act_model_call *call,
                    struct cca_error *err, const char *what)
{
    return cca_error_set(err, -ENOENT, "%s:%d:%d: %s", cost->model->file,
                         call->place.line, call->place.column, what);
}

/* --- Classes ---------------------------------------------------------------------- */

/* The class that the model's text gives for an instance, or NULL. */
static const char *class_in_text(const struct act_model *model, const char *instance)
{
    for (const struct act_activity *a = model->activities; a; a = a->next)
        if (a->type && act_method_is_of(a->method, instance))
            return a->type;
    for (int i = 0; i < model->element_count; i++)
        if (model->elements[i]->type &&
            act_method_is_of(model->elements[i]->method, instance))
            return model->elements[i]->type;
    return NULL;
}

static const char *class_asked(const struct act_cost *cost, const char *instance,
                               const struct act_cost_class *classes, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(classes[i].instance, instance) == 0)
            return classes[i].class_name;
    return class_in_text(cost->model, instance);
}

/* --- Sets ------------------------------------------------------------------------- */

/* Result of the search for a method of an instance in the experiments. */
struct measured {
    /* the method in the experiments; NULL: no experiment has it */
    const struct mm_method_info *method;
    const struct mm_profile *profile;
    /* name of another class that the instance has in some experiment */
    const char *other;
};

static struct measured find_measured(const struct act_cost *cost, const struct parts *p)
{
    struct measured found = {0};

    for (size_t i = 0; i < cost->count; i++)
        for (size_t k = 0; k < cost->experiments[i]->method_count; k++) {
            const struct mm_method_info *m = cost->experiments[i]->methods[k];

            if (strcmp(m->instance, p->first) != 0 || strcmp(m->port, p->port) != 0 ||
                strcmp(m->method, p->method) != 0)
                continue;
            if (!found.method)
                found = (struct measured){m, cost->profiles[i], NULL};
            else if (strcmp(m->class_name, found.method->class_name) != 0)
                found.other = m->class_name;
        }
    return found;
}

/* The models of a method by its class, for an instance that no experiment has. */
static const struct mm_model_set *
find_by_class(const struct act_cost *cost, const struct parts *p, const char *class_name)
{
    for (size_t i = 0; i < cost->library->count; i++) {
        const struct mm_method_info *m = cost->library->sets[i].method;

        if (strcmp(m->class_name, class_name) == 0 && strcmp(m->method, p->method) == 0 &&
            (strcmp(m->port, p->port) == 0 || strcmp(m->port_type, p->port) == 0))
            return &cost->library->sets[i];
    }
    return NULL;
}

/* List the classes that have models of the method: "EFMFlux, HLLCFlux". */
static void list_classes(const struct act_cost *cost, const struct parts *p, char *text,
                         size_t size)
{
    size_t used = 0;

    *text = '\0';
    for (size_t i = 0; i < cost->library->count && used < size; i++) {
        const struct mm_model_set *set = &cost->library->sets[i];

        if (set->model_count && strcmp(set->method->method, p->method) == 0 &&
            strcmp(set->method->port, p->port) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s%.60s",
                                     used ? ", " : "", set->method->class_name);
    }
}

static int no_model(const struct act_cost *cost, const struct act_model_call *call,
                    const struct parts *p, const char *class_name, struct cca_error *err)
{
    struct cca_nearest nearest;
    char hint[128], classes[160], text[400];

    list_classes(cost, p, classes, sizeof classes);
    if (*classes && class_name) {
        snprintf(text, sizeof text,
                 "found no model of '%.100s' for class %.60s, expected one of %s",
                 call->method, class_name, classes);
        return complain(cost, call, err, text);
    }
    if (*classes) {
        snprintf(text, sizeof text,
                 "found no instance '%.60s' in experiments, expected type \"CLASS\" or "
                 "--class %.60s=CLASS, one of %s",
                 p->first, p->first, classes);
        return complain(cost, call, err, text);
    }

    cca_nearest_init(&nearest, call->method);
    for (size_t i = 0; i < cost->count; i++)
        for (size_t k = 0; k < cost->experiments[i]->method_count; k++)
            cca_nearest_offer(&nearest, cost->experiments[i]->methods[k]->name);
    for (size_t i = 0; i < cost->library->count; i++)
        cca_nearest_offer(&nearest, cost->library->sets[i].method->name);
    snprintf(text, sizeof text,
             "found no model of '%.100s', expected a method of the experiments or "
             "repositories%s",
             call->method, cca_nearest_hint(nearest.best, hint, sizeof hint));
    return complain(cost, call, err, text);
}

static int find_set(struct act_cost *cost, const struct act_model_call *call,
                    const struct act_cost_class *classes, int count,
                    const struct mm_model_set **set, struct cca_error *err)
{
    struct parts p;
    struct measured measured;
    const char *class_name;

    if (!cut(call->method, &p))
        return complain(cost, call, err,
                        "found a method without instance and port, expected one such as "
                        "\"flux.flux.compute\"");
    measured = find_measured(cost, &p);
    class_name = class_asked(cost, p.first, classes, count);
    if (!class_name && measured.other) {
        char text[500];

        snprintf(text, sizeof text,
                 "found classes %.60s and %.60s of '%.60s' in the experiments, expected "
                 "one: type \"%.60s\", or --class %.60s=%.60s",
                 measured.method->class_name, measured.other, p.first,
                 measured.method->class_name, p.first, measured.method->class_name);
        return complain(cost, call, err, text);
    }
    *set = NULL;
    if (measured.method &&
        mm_library_match(cost->library,
                         class_name ? class_name : measured.method->class_name, NULL,
                         measured.method, measured.profile, &cost->notes, set))
        return cca_no_memory(err);
    if (!*set)
        *set = find_by_class(cost, &p, class_name ? class_name : p.first);
    return *set && (*set)->model_count ? 0 : no_model(cost, call, &p, class_name, err);
}

/* --- Parameters ------------------------------------------------------------------- */

static size_t find_value(const struct mm_method_info *method, const char *name)
{
    size_t i = 0;

    while (i < method->in_count && strcmp(method->values[i].name, name) != 0)
        i++;
    return i;
}

/* Whether an answer depends on in-value `k`. `sized`: the call gives another size, which
 * is enough for a model with a single size parameter. */
static int is_needed(const struct mm_model_set *set, size_t k, int sized)
{
    for (size_t i = 0; i < set->model_count; i++) {
        const struct mm_model *m = &set->models[i];
        const struct mm_model *first = &set->models[0];

        if (set->method->values[k].kind == MONITOR_MODE &&
            m->modes[k].i != first->modes[k].i)
            return 1;
        if (set->method->values[k].kind == MONITOR_MODE)
            continue;
        if (mm_form_uses(&m->forms.form[0], k) || (m->narrow && !sized))
            return 1;
        for (size_t r = 0; r < m->populations.count; r++)
            if (m->populations.item[r].rule.kind == MM_RULE_PARAMETER &&
                m->populations.item[r].rule.value == k)
                return 1;
    }
    return 0;
}

/* List in-values: "axis, Q, level". */
static void list_values(const struct mm_method_info *method, char *text, size_t size)
{
    size_t used = 0;

    snprintf(text, size, "none");
    for (size_t i = 0; i < method->in_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.40s", i ? ", " : "",
                                 method->values[i].name);
}

static int bind_values(const struct act_cost *cost, struct act_bound *bound,
                       struct cca_error *err)
{
    const struct mm_method_info *method = bound->set->method;
    const struct act_model_call *call = bound->call;
    char all[200], text[400];
    int sized = 0;

    list_values(method, all, sizeof all);
    for (size_t k = 0; k < method->in_count; k++)
        bound->at[k] = -1;
    for (int i = 0; i < call->count; i++) {
        size_t k = find_value(method, call->names[i]);

        if (k == method->in_count) {
            snprintf(text, sizeof text,
                     "found the parameter '%.60s', expected those of %.80s: %s",
                     call->names[i], call->method, all);
            return complain(cost, call, err, text);
        }
        bound->at[k] = i;
        sized |= method->values[k].kind == MONITOR_PARAM;
    }
    for (size_t k = 0; k < method->in_count; k++) {
        if (bound->at[k] >= 0 || !is_needed(bound->set, k, sized))
            continue;
        snprintf(text, sizeof text, "found no '%.60s' of %.80s, expected %s",
                 method->values[k].name, call->method, all);
        return complain(cost, call, err, text);
    }
    return 0;
}

int act_cost_bind(struct act_cost *cost, const struct act_model *model,
                  const struct act_cost_class *classes, int count, struct cca_error *err)
{
    cost->model = model;
    free(cost->bound);
    cost->bound = calloc((size_t)model->model_count + 1, sizeof *cost->bound);
    if (!cost->bound)
        return cca_no_memory(err);
    for (size_t i = 0; i < ACT_ANSWERS; i++)
        cost->answers[i].number = -1;
    for (const struct act_model_call *c = model->models; c; c = c->next) {
        struct act_bound *bound = &cost->bound[c->number];
        int rc;

        bound->call = c;
        rc = find_set(cost, c, classes, count, &bound->set, err);
        rc = rc ? rc : bind_values(cost, bound, err);
        if (rc)
            return rc;
    }
    return 0;
}

int act_cost_is_mode(void *context, const struct act_model_call *call, int i)
{
    const struct act_cost *cost = context;
    const struct act_bound *bound = &cost->bound[call->number];

    for (size_t k = 0; k < bound->set->method->in_count; k++)
        if (bound->at[k] == i)
            return bound->set->method->values[k].kind == MONITOR_MODE;
    return 0;
}
