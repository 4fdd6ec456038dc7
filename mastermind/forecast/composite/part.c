/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c: the cost of the calls of one method. */
#include "mastermind/forecast/composite/part.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/forecast/composite/callees.h"

/* --- As measured ----------------------------------------------------------- */

/* Variance of one call of a point; the squared relative spread `cv2` stands in where it
 * was seen once. */
static double call_variance(const struct mm_point *point, double cv2)
{
    if (point->n < 2 || point->sums_only)
        return cv2 * point->mean_ns * point->mean_ns;
    return point->m2_ns2 / (double)(point->n - 1);
}

/* Add the change of a node whose calls, or those that they make, follow from a class. */
static void add_change(struct mm_part *part, const struct mm_flow_node *node, double cv2)
{
    const struct mm_point *from = node->given ? node->given : node->point;
    double was = node->point ? node->point->mean_ns : 0, spread;

    part->follows = 1;
    part->predicted_ns -= node->was * was;
    if (!(node->now > 0))
        return;
    if (!from || !from->n) {
        part->unknown_calls += (uint64_t)llround(node->now);
        return;
    }
    spread = node->spread * from->mean_ns;
    part->predicted_ns += node->now * from->mean_ns;
    part->width_ns +=
        MM_Z95 * node->now * sqrt(call_variance(from, cv2) / (double)from->n);
    part->width_ns += spread;
}

/* The time in the base, which is one run; the run to predict is another, so calls scatter
 * twice. */
static void stay_measured(struct mm_part *part, const struct mm_profile *base,
                          const struct mm_flow *flow)
{
    const struct mm_points *points = &base->points[part->vertex];
    double cv2 = mm_points_cv2(points, 0);

    part->predicted_ns = part->measured_ns;
    part->calls_now = 0;
    for (const struct mm_flow_node *node = mm_flow_next(flow, part->vertex, NULL); node;
         node = mm_flow_next(flow, part->vertex, node)) {
        part->calls_now += node->now;
        if (node->changed || node->now != node->was)
            add_change(part, node, cv2);
        if (node->point && node->point->n)
            part->variance_ns2 +=
                (node->was + node->now) * call_variance(node->point, cv2);
    }
    part->predicted_ns = fmax(part->predicted_ns, 0);
}

/* --- By models -------------------------------------------------------------- */

/* Note why a node has no model. */
static int note_unknown(const struct mm_part *part, const struct mm_model *model,
                        const union monitor_value *mapped, const union monitor_value *in,
                        const char *missing, struct mm_notes *notes)
{
    const char *name = part->method->method;
    size_t parameter;
    char mode[256];

    if (missing)
        return mm_notes_add(notes, "%s %s needs a value '%s', which %s lacks",
                            part->class_name, name, missing, part->method->class_name);
    if (!model) {
        mm_mode_print(part->method, in, mode, sizeof mode);
        return mm_notes_add(notes, "%s %s has no model for %s", part->class_name, name,
                            mode);
    }
    if (model->lacks)
        return mm_notes_add(notes, "%s %s was only seen without a value of '%s'",
                            part->class_name, name,
                            model->method->values[model->lacks - 1].name);
    if (mm_model_is_lacking(model, mapped))
        return mm_notes_add(notes, "%s %s was only seen with all its parameters",
                            part->class_name, name);
    mm_model_beyond(model, mapped, &parameter);
    return mm_notes_add(notes,
                        "%s %s was only seen with %s from %.6g to %.6g, too near each "
                        "other to say what other sizes cost; measure it with more sizes",
                        part->class_name, name, model->method->values[parameter].name,
                        model->low[parameter], model->high[parameter]);
}

/* Add the calls of one node to the sum, or to the calls without a model. */
static int sum_node(struct mm_part *part, struct mm_cost_sum *sum,
                    const struct mm_flow_node *node, struct mm_notes *notes)
{
    union monitor_value mapped[MONITOR_MAX_IN];
    const char *missing;
    const struct mm_model *model =
        mm_model_set_find(part->set, part->method, node->in, mapped, &missing);
    const struct mm_point *point =
        model && !sum->check ? mm_points_find(&part->set->points, mapped) : NULL;

    if (point && mm_cost_sum_direct(sum, model, point, node->now))
        return 0;
    if (model && mm_model_knows(model, mapped))
        return mm_cost_sum_add(sum, model, mapped, node->now);
    part->unknown_calls += (uint64_t)llround(node->now);
    return note_unknown(part, model, mapped, node->in, missing, notes);
}

/* Name the in-values that most of the interval comes from. */
static void set_doubt(struct mm_part *part, const struct mm_cost_sum *sum)
{
    const struct mm_method_info *m;
    size_t used = 0;

    if (!sum->doubt_model)
        return;
    m = sum->doubt_model->method;
    for (size_t i = 0; i < m->in_count && used < sizeof part->doubt; i++) {
        int length;

        if (m->values[i].kind != MONITOR_PARAM ||
            monitor_value_absent(sum->doubt[i], m->values[i].type))
            continue;
        length =
            snprintf(part->doubt + used, sizeof part->doubt - used, "%s%s = %.6g",
                     used ? ", " : "", m->values[i].name, mm_in_value(m, sum->doubt, i));
        used += length > 0 ? (size_t)length : 0;
    }
}

/* How far the models' sum over all calls that they were fitted to is from what these
 * took without the host's part, as a share of it. */
static double own_disagreement(const struct mm_model_set *set)
{
    double own_ns = set->measured_ns - set->host_ns;

    return set->modelled_ns > 0 ? fabs(set->modelled_ns - own_ns) / set->modelled_ns : 0;
}

static void take_sum(struct mm_part *part, const struct mm_cost_sum *sum)
{
    double by_model = sum->calls > 0 ? 1 - sum->direct_calls / sum->calls : 1;
    double apart = own_disagreement(part->set) * sum->cost_ns * by_model;
    double half = mm_cost_sum_half(sum);

    part->predicted_ns = sum->cost_ns;
    part->variance_ns2 = sum->variance_ns2;
    part->width_ns += fmax(half, apart); /* NaN stays NaN */
    if (isnan(half))
        part->width_ns = NAN;
    part->error = sum->cost_ns > 0 ? sum->error_ns / sum->cost_ns : NAN;
    part->beyond = fmax(sum->beyond, 1);
    part->beyond_name = sum->beyond_name;
    part->beyond_calls = (uint64_t)llround(sum->beyond_calls);
    part->flags = sum->flags;
    part->rival_ns = sum->rival_ns;
    set_doubt(part, sum);
}

/* Calls whose values were not kept count as much as the mean of the others. */
static int spread_unknown(struct mm_part *part, const struct mm_cost_sum *sum,
                          double unknown, struct mm_notes *notes)
{
    if (!(unknown > 0))
        return 0;
    if (!(sum->calls > 0)) {
        part->unknown_calls += (uint64_t)llround(unknown);
        return 0;
    }
    part->predicted_ns *= 1 + unknown / sum->calls;
    part->width_ns = NAN;
    return mm_notes_add(notes,
                        "%s %s: %.0f invocations whose values were not kept count as "
                        "much as the mean of the others",
                        part->class_name, part->method->method, unknown);
}

static int take_models(struct mm_part *part, const struct mm_flow *flow, int check,
                       struct mm_notes *notes)
{
    struct mm_cost_sum sum = {
        .own = strcmp(part->class_name, part->method->class_name) == 0, .check = check};
    double unknown = 0;
    int result = 0;

    part->calls_now = 0;
    for (const struct mm_flow_node *node = mm_flow_next(flow, part->vertex, NULL);
         node && !result; node = mm_flow_next(flow, part->vertex, node)) {
        if (!(node->now > 0))
            continue;
        part->calls_now += node->now;
        part->follows |= node->now != node->was;
        if (node->in)
            result = sum_node(part, &sum, node, notes);
        else
            unknown += node->now;
        if (node->in && sum.calls > 0)
            part->width_ns += node->spread * sum.cost_ns / sum.calls;
    }
    if (!result) {
        take_sum(part, &sum);
        result = spread_unknown(part, &sum, unknown, notes);
    }
    mm_cost_sum_done(&sum);
    return result;
}

int mm_part_init(struct mm_part *part, const struct mm_profile *base,
                 const struct mm_library *library, const struct mm_flow *flow,
                 size_t vertex, const char *class_name, int check, struct mm_notes *notes)
{
    const struct mm_vertex *v = &base->dual->vertices[vertex];
    const struct mm_method_info *method = v->method;
    int own = class_name && strcmp(method->class_name, class_name) == 0, result;

    *part = (struct mm_part){.vertex = vertex,
                             .method = method,
                             .class_name = class_name ? class_name : method->class_name,
                             .modelled = class_name != NULL,
                             .calls = v->calls,
                             .calls_now = (double)v->calls,
                             .measured_ns = (double)v->exclusive_ns,
                             .error = NAN,
                             .beyond = 1};
    if (!class_name) {
        stay_measured(part, base, flow);
        return 0;
    }
    result = mm_library_match(library, class_name, own ? method->build_id : NULL, method,
                              base, notes, &part->set);
    if (result)
        return result;
    if (!part->set) {
        part->unknown_calls = v->calls;
        return mm_notes_add(notes, "%s has no model of %s of %s", class_name,
                            method->method, method->port_type);
    }
    result = take_models(part, flow, check, notes);
    if (!result && !own && flow->without_donors && mm_callees_below(part, base))
        result = mm_notes_add(notes,
                              "%s %s calls other methods than %s, or calls them more or "
                              "less often: %+.3g ms below it, at the mean cost of a call",
                              class_name, method->method, method->class_name,
                              part->below_ns / 1e6);
    if (own && isnan(part->width_ns) && part->beyond <= 1)
        part->width_ns = 0; /* seen once, in this run: as measured */
    return result;
}
