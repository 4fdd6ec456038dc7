/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c: compose measured costs and models over the invocations of a run. */
#include "mastermind/forecast/composite/predict.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/composite/flow/flow.h"
#include "mastermind/forecast/composite/part.h"
#include "common/statistics.h"

int mm_part_is_changed(const struct mm_part *part)
{
    return part->modelled || part->follows;
}

/* Variance of a sum by the spread between runs. A part that was measured is of one run,
 * and the run to predict is another; models are means over runs. */
static double runs_variance(const struct mm_part *parts, size_t count,
                            const struct mm_runs *runs, int changed)
{
    double cost = 0;

    for (size_t i = 0; i < count; i++)
        if (!changed || mm_part_is_changed(&parts[i]))
            cost += parts[i].predicted_ns + parts[i].below_ns;
    return 2 * cost * cost * runs->all.sd * runs->all.sd;
}

double mm_parts_half_ns(const struct mm_part *parts, size_t count,
                        const struct mm_runs *runs, int changed)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        double width = parts[i].width_ns;
        size_t k = 0;

        if (changed && !mm_part_is_changed(&parts[i]))
            continue;
        if (parts[i].unknown_calls)
            return NAN;
        while (k < i && (!parts[i].set || parts[k].set != parts[i].set))
            k++;
        squares += MM_Z95 * MM_Z95 * parts[i].variance_ns2;
        if (k < i)
            continue; /* counted with the first part of its set */
        for (k = i + 1; k < count && parts[i].set; k++)
            width += parts[k].set == parts[i].set ? parts[k].width_ns : 0;
        squares += width * width;
    }
    return hypot(sqrt(squares), cca_student_quantile(.975, runs->all.freedom) *
                                    sqrt(runs_variance(parts, count, runs, changed)));
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

/* Parts whose calls were compared with another experiment in vain have no interval. */
static void set_halves(struct mm_prediction *p, const struct mm_library *library,
                       const struct mm_flow *flow)
{
    p->half_ns = mm_parts_half_ns(p->parts, p->part_count, &library->runs, 0);
    p->own_half_ns = mm_parts_half_ns(p->parts, p->part_count, &library->runs, 1);
    if (flow->doubted)
        p->half_ns = p->own_half_ns = NAN;
}

/* Note where the models of a run do not give back what it took. */
static int note_disagreement(struct mm_prediction *p)
{
    double host = 0, apart = p->total_ns - p->measured_ns;
    char reason[120] = "the formulas are off by more than they tell";

    if (p->unknown_calls || !isfinite(p->half_ns) || fabs(apart) <= p->half_ns)
        return 0;
    for (size_t i = 0; i < p->part_count; i++)
        host += p->parts[i].set ? p->parts[i].set->host_ns : 0;
    if (apart < 0 && host > -apart / 2)
        snprintf(reason, sizeof reason, "the host took %.3g ms of it from its calls",
                 host / 1e6);
    return mm_notes_add(&p->notes,
                        "the models say %.3g ms %s than was measured, beyond the "
                        "interval: %s",
                        fabs(apart) / 1e6, apart < 0 ? "less" : "more", reason);
}

struct mm_prediction *mm_prediction_new(const struct mm_profile *base,
                                        const struct mm_library *library,
                                        const struct mm_substitution *substitutions,
                                        size_t count, int model_all,
                                        struct cca_error *err)
{
    struct mm_prediction *prediction;
    struct mm_flow *flow = NULL;

    if (check_instances(base, substitutions, count, err) < 0)
        return NULL;
    prediction = calloc(1, sizeof *prediction);
    if (!prediction || !(prediction->parts = calloc(base->source.method_count + 1,
                                                    sizeof *prediction->parts)))
        goto fail;
    flow = mm_flow_new(base, library->profiles, library->profile_count, substitutions,
                       count, &prediction->notes);
    if (!flow)
        goto fail;
    for (size_t i = 0; i < base->source.method_count; i++) {
        const struct mm_vertex *vertex = &base->dual->vertices[i];
        const char *class_name = class_of(vertex->method, substitutions, count);
        struct mm_part *part = &prediction->parts[prediction->part_count];

        if (!vertex->calls && !mm_flow_calls(flow, i))
            continue;
        prediction->part_count++;
        prediction->measured_ns += (double)vertex->exclusive_ns;
        if (!class_name && model_all)
            class_name = vertex->method->class_name;
        if (mm_part_init(part, base, library, flow, i, class_name, model_all,
                         &prediction->notes) < 0)
            goto fail;
        prediction->total_ns += part->predicted_ns + part->below_ns;
        prediction->unknown_calls += part->unknown_calls;
    }
    prediction->total_ns += flow->beside_ns;
    set_halves(prediction, library, flow);
    mm_flow_free(flow);
    flow = NULL;
    if (prediction->part_count)
        qsort(prediction->parts, prediction->part_count, sizeof *prediction->parts,
              part_order);
    if (model_all && note_disagreement(prediction) < 0)
        goto fail;
    return prediction;
fail:
    mm_flow_free(flow);
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
