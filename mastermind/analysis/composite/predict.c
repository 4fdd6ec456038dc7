/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c: compose models over the invocations of a recorded run. */
#include "mastermind/analysis/composite/predict.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/estimate.h"

static int is_class(const struct mm_method_info *method, const char *class_name)
{
    return strcmp(method->class_name, class_name) == 0;
}

/* Add the cost of `calls` invocations and how far it may be off. */
static void part_add(struct mm_part *part, const struct mm_model *model,
                     const union monitor_value *in, uint64_t calls)
{
    struct mm_estimate e;
    double cost;

    mm_model_estimate(model, in, &e);
    cost = (double)calls * e.mean;
    part->predicted_ns += cost;
    part->error += cost * mm_model_error(model); /* NaN stays NaN */
    if (!(e.flags & MM_LACKING))
        part->width_ns += (double)calls * e.mean_half;
    else if (!is_class(part->method, part->class_name))
        part->width_ns = NAN; /* of the class that ran it is the measured mean */
    part->variance_ns2 += isfinite(e.sd) ? (double)calls * e.sd * e.sd
                                         : 0; /* many calls: their spread averages out */
    part->beyond_calls += e.beyond > 1 ? calls : 0;
    if (e.beyond > 1)
        part->width_ns = NAN;
    if (e.beyond > part->beyond) {
        part->beyond = e.beyond;
        part->beyond_name = model->method->values[e.parameter].name;
    }
}

/* Sum the model over the points; points without a model are counted and noted. */
static int part_sum(struct mm_part *part, const struct mm_points *points,
                    const struct mm_model_set *set, struct mm_notes *notes)
{
    uint64_t summed = 0;
    int result = 0;

    part->beyond = 1;
    part->error = 0;
    for (size_t i = 0; result == 0 && i < points->count; i++) {
        const struct mm_point *point = &points->points[i];
        union monitor_value mapped[MONITOR_MAX_IN];
        const char *missing;
        const struct mm_model *model =
            mm_model_set_find(set, part->method, point->in, mapped, &missing);
        size_t parameter;

        if (!model) {
            char mode[256];

            part->unknown_calls += point->calls;
            mm_mode_print(part->method, point->in, mode, sizeof mode);
            if (missing)
                result = mm_notes_add(notes, "%s %s needs a value '%s', which %s lacks",
                                      part->class_name, part->method->method, missing,
                                      part->method->class_name);
            else
                result = mm_notes_add(notes, "%s %s has no model for %s",
                                      part->class_name, part->method->method, mode);
            continue;
        }
        if (!mm_model_knows(model, mapped) && model->lacks) {
            part->unknown_calls += point->calls;
            result = mm_notes_add(notes, "%s %s was only seen without a value of '%s'",
                                  part->class_name, part->method->method,
                                  model->method->values[model->lacks - 1].name);
            continue;
        }
        if (!mm_model_knows(model, mapped) && mm_model_is_lacking(model, mapped)) {
            part->unknown_calls += point->calls;
            result = mm_notes_add(notes, "%s %s was only seen with all its parameters",
                                  part->class_name, part->method->method);
            continue;
        }
        if (!mm_model_knows(model, mapped)) {
            mm_model_beyond(model, mapped, &parameter);
            part->unknown_calls += point->calls;
            result = mm_notes_add(notes,
                                  "%s %s was only seen with %s from %.6g to %.6g, too "
                                  "near each other to say "
                                  "what other sizes cost; measure it with more sizes",
                                  part->class_name, part->method->method,
                                  model->method->values[parameter].name,
                                  model->low[parameter], model->high[parameter]);
            continue;
        }
        summed += point->calls;
        part_add(part, model, mapped, point->calls);
    }
    part->error = part->predicted_ns > 0 ? part->error / part->predicted_ns : NAN;
    if (result == 0 && points->unknown && summed) {
        part->width_ns = NAN;
        part->predicted_ns *= 1 + (double)points->unknown / (double)summed;
        result = mm_notes_add(notes,
                              "%s %s: %" PRIu64 " invocations whose values were not kept "
                              "count as much as the mean of the others",
                              part->class_name, part->method->method, points->unknown);
    } else {
        part->unknown_calls += points->unknown;
    }
    return result;
}

/* Calls that the base's vertex made of one kind of callee, and their inclusive time. */
static void base_callee(const struct mm_profile *base, size_t vertex,
                        const struct mm_callee *like, double *calls, double *inclusive_ns)
{
    *calls = *inclusive_ns = 0;
    for (size_t i = 0; i < base->dual->edge_count; i++) {
        const struct mm_edge *edge = &base->dual->edges[i];
        const struct mm_method_info *callee = base->dual->vertices[edge->callee].method;

        if (edge->caller != vertex || !callee ||
            strcmp(callee->port_type, like->port_type) != 0 ||
            strcmp(callee->method, like->method) != 0)
            continue;
        *calls += (double)edge->calls;
        *inclusive_ns += (double)edge->inclusive_ns;
    }
}

/* True where the base's vertex called something that `set` never calls. */
static int calls_others(const struct mm_profile *base, size_t vertex,
                        const struct mm_model_set *set, double *others_ns)
{
    int found = 0;

    *others_ns = 0;
    for (size_t i = 0; i < base->dual->edge_count; i++) {
        const struct mm_edge *edge = &base->dual->edges[i];
        const struct mm_method_info *callee = base->dual->vertices[edge->callee].method;
        size_t k = 0;

        if (edge->caller != vertex || !callee)
            continue;
        while (k < set->callee_count &&
               (strcmp(set->callees[k].port_type, callee->port_type) != 0 ||
                strcmp(set->callees[k].method, callee->method) != 0))
            k++;
        if (k < set->callee_count)
            continue;
        found = 1;
        *others_ns += (double)edge->inclusive_ns;
    }
    return found;
}

/* A class that calls more or less often than the one that ran moves cost into its
 * callees: per invocation as often as in its own runs, at the cost of a call in the base,
 * or in its own runs. */
static int part_below(struct mm_part *part, const struct mm_profile *base,
                      const struct mm_model_set *set, struct mm_notes *notes)
{
    double others_ns;
    int differ = calls_others(base, part->vertex, set, &others_ns);

    part->below_ns = -others_ns;
    for (size_t i = 0; i < set->callee_count; i++) {
        const struct mm_callee *callee = &set->callees[i];
        double wanted = (double)part->calls * (double)callee->calls / (double)set->calls;
        double calls, inclusive_ns;

        base_callee(base, part->vertex, callee, &calls, &inclusive_ns);
        if (calls > 0 && fabs(wanted / calls - 1) < .005)
            continue;
        differ = 1;
        if (calls > 0)
            part->below_ns += (wanted - calls) * inclusive_ns / calls;
        else
            part->below_ns +=
                wanted * (double)callee->inclusive_ns / (double)callee->calls;
    }
    if (!differ)
        return 0;
    part->width_ns = NAN;
    return mm_notes_add(notes,
                        "%s %s calls other methods than %s, or calls them more or less "
                        "often: %+.3g ms below it, "
                        "at the mean cost of a call",
                        part->class_name, part->method->method, part->method->class_name,
                        part->below_ns / 1e6);
}

int mm_part_predict(struct mm_part *part, const struct mm_profile *base,
                    const struct mm_library *library, size_t vertex,
                    const char *class_name, struct mm_notes *notes)
{
    const struct mm_vertex *v = &base->dual->vertices[vertex];
    const struct mm_method_info *method = v->method;
    int own = is_class(method, class_name);
    const struct mm_model_set *set =
        mm_library_find(library, class_name, own ? method->build_id : NULL,
                        method->port_type, method->method);
    int result;

    *part = (struct mm_part){.vertex = vertex,
                             .method = method,
                             .class_name = class_name,
                             .modelled = 1,
                             .calls = v->calls,
                             .measured_ns = (double)v->exclusive_ns,
                             .error = NAN,
                             .beyond = 1};
    if (!set) {
        part->unknown_calls = v->calls;
        return mm_notes_add(notes, "%s has no model of %s of %s", class_name,
                            method->method, method->port_type);
    }
    part->set = set;
    result = part_sum(part, &base->points[vertex], set, notes);
    if (result == 0 && !own)
        result = part_below(part, base, set, notes);
    if (own && isnan(part->width_ns) && part->beyond <= 1)
        part->width_ns = 0; /* seen once, in this run: as measured */
    return result;
}

double mm_parts_half_ns(const struct mm_part *parts, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        double width = parts[i].width_ns;
        size_t k = 0;

        if (parts[i].unknown_calls)
            return NAN;
        while (k < i && (!parts[i].set || parts[k].set != parts[i].set))
            k++;
        squares += 1.96 * 1.96 * parts[i].variance_ns2;
        if (k < i)
            continue; /* counted with the first part of its set */
        for (k = i + 1; k < count && parts[i].set; k++)
            width += parts[k].set == parts[i].set ? parts[k].width_ns : 0;
        squares += width * width;
    }
    return sqrt(squares);
}

static const char *class_of(const struct mm_method_info *method,
                            const struct mm_substitution *substitutions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(substitutions[i].instance, method->instance) == 0)
            return substitutions[i].class_name;
    }
    return NULL;
}

static int check_instances(const struct mm_profile *base,
                           const struct mm_substitution *substitutions, size_t count,
                           struct cca_error *err)
{
    for (size_t i = 0; i < count; i++) {
        int found = 0;

        for (size_t k = 0; k < base->source.method_count; k++)
            found |=
                base->dual->vertices[k].calls &&
                strcmp(base->source.methods[k]->instance, substitutions[i].instance) == 0;
        if (!found)
            return cca_error_set(err, -ENOENT, "%s: no invocation of an instance '%s'",
                                 base->source.name, substitutions[i].instance);
    }
    return 0;
}

static int part_order(const void *left, const void *right)
{
    const struct mm_part *a = left, *b = right;
    double x = a->predicted_ns + a->below_ns, y = b->predicted_ns + b->below_ns;

    return x != y ? (x < y) - (x > y) : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

struct mm_prediction *mm_prediction_new(const struct mm_profile *base,
                                        const struct mm_library *library,
                                        const struct mm_substitution *substitutions,
                                        size_t count, int model_all,
                                        struct cca_error *err)
{
    struct mm_prediction *prediction;

    if (check_instances(base, substitutions, count, err) < 0)
        return NULL;
    prediction = calloc(1, sizeof *prediction);
    if (!prediction || !(prediction->parts = calloc(base->source.method_count + 1,
                                                    sizeof *prediction->parts)))
        goto fail;
    for (size_t i = 0; i < base->source.method_count; i++) {
        const struct mm_vertex *vertex = &base->dual->vertices[i];
        const char *class_name = class_of(vertex->method, substitutions, count);
        struct mm_part *part = &prediction->parts[prediction->part_count];

        if (!vertex->calls)
            continue;
        prediction->part_count++;
        prediction->measured_ns += (double)vertex->exclusive_ns;
        if (!class_name && model_all)
            class_name = vertex->method->class_name;
        if (!class_name) {
            *part = (struct mm_part){.vertex = i,
                                     .method = vertex->method,
                                     .class_name = vertex->method->class_name,
                                     .calls = vertex->calls,
                                     .measured_ns = (double)vertex->exclusive_ns,
                                     .predicted_ns = (double)vertex->exclusive_ns,
                                     .error = NAN,
                                     .beyond = 1};
        } else if (mm_part_predict(part, base, library, i, class_name,
                                   &prediction->notes) < 0) {
            goto fail;
        }
        prediction->total_ns += part->predicted_ns + part->below_ns;
        prediction->unknown_calls += part->unknown_calls;
    }
    prediction->half_ns = mm_parts_half_ns(prediction->parts, prediction->part_count);
    if (prediction->part_count)
        qsort(prediction->parts, prediction->part_count, sizeof *prediction->parts,
              part_order);
    return prediction;
fail:
    cca_no_memory(err);
    mm_prediction_free(prediction);
    return NULL;
}

void mm_prediction_free(struct mm_prediction *prediction)
{
    if (!prediction)
        return;
    free(prediction->parts);
    mm_notes_done(&prediction->notes);
    free(prediction);
}
