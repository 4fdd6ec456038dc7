/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c: compare callers between experiments that had either class. */
#include "mastermind/forecast/composite/flow/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/composite/flow/alike.h"
#include "mastermind/counts/profile/runs.h"

/* One substitution, with the experiments to compare. */
struct round {
    struct mm_comparison *comparison;
    const struct mm_profile *base;
    const struct mm_substitution *substitution;
    const struct mm_donor **equal; /* donors with equal run parameters */
    const struct mm_donor *
        *other; /* donors with other ones, or other classes elsewhere */
    const struct mm_donor **peers; /* runs of the base's classes; the base first */
    const struct mm_donor **far;   /* runs of the base's classes with other parameters */
    size_t equal_count, other_count, peer_count, far_count;
    size_t taken_before; /* nodes that rounds before have taken */
    struct mm_notes *notes;
};

/* Comparison of the nodes of one vertex. */
struct tally {
    size_t vertex;
    double made;                 /* calls that its nodes made */
    double compared;             /* of these, those of nodes that could be compared */
    double taken_was, taken_now; /* calls of the nodes that differ; of the callee that
                                    differs most */
    size_t callee;
    double invocations;
    const struct mm_donor *donor;
    int settled; /* 1: runs of either class with parameters of their own call alike; 0:
                    no; -1: not looked up yet */
    int unequal; /* a difference may come from run parameters */
};

static int is_slot(const struct round *round, const struct mm_method_info *method)
{
    return strcmp(method->instance, round->substitution->instance) == 0;
}

static const char *class_in_base(const struct round *round)
{
    for (size_t i = 0; i < round->base->source.method_count; i++)
        if (is_slot(round, round->base->source.methods[i]))
            return round->base->source.methods[i]->class_name;
    return "";
}

/* --- Nodes that differ ------------------------------------------------------- */

static int taken_order(const void *left, const void *right)
{
    const struct mm_taken *a = left, *b = right;

    return mm_node_order(&a->node, &b->node);
}

/* Remember the callee whose number of calls differs most. */
static void tally_rates(struct tally *tally, const struct round *round,
                        const struct mm_rates *rates, double invocations)
{
    size_t count = round->base->dual->vertex_count;
    double most = 0;
    size_t callee = MM_NO_VERTEX;
    double was = 0, now = 0;

    for (size_t i = 0; i < rates->count; i++) {
        double a = 0, b = 0;
        size_t vertex = rates->items[i].callee.vertex, k = i;

        for (; k < rates->count && rates->items[k].callee.vertex == vertex; k++) {
            a += rates->items[k].mean[1];
            b += rates->items[k].mean[0];
        }
        i = k - 1;
        if (vertex < count && fabs(b - a) >= most) {
            most = fabs(b - a);
            callee = vertex;
            was = a;
            now = b;
        }
    }
    if (tally->callee != MM_NO_VERTEX && tally->callee != callee)
        return;
    tally->callee = callee;
    tally->taken_was += invocations * was;
    tally->taken_now += invocations * now;
    tally->invocations += invocations;
}

static int take(struct round *round, const struct mm_call_node *node,
                struct mm_rates *rates, const struct mm_donor *donor)
{
    struct mm_comparison *c = round->comparison;
    struct mm_taken *taken;

    for (size_t i = 0; i < round->taken_before; i++) {
        if (mm_node_order(&c->taken[i].node, node) != 0)
            continue;
        c->doubted = 1; /* two substitutions change the same calls */
        mm_rates_done(rates);
        return mm_notes_add(round->notes,
                            "%s in %s changes calls that another class changes, too: no "
                            "experiment ran both",
                            round->substitution->class_name,
                            round->substitution->instance);
    }
    taken = cca_array_add(&c->taken, &c->taken_count, sizeof *taken);
    if (!taken) {
        mm_rates_done(rates);
        return -ENOMEM;
    }
    *taken = (struct mm_taken){*node, *rates, donor};
    return 0;
}

static size_t members_with(const struct mm_donor *const *donors, size_t count,
                           const struct mm_call_node *node, const struct mm_donor **first)
{
    size_t found = 0;

    for (size_t i = count; i-- > 0;) {
        struct mm_call_node own;

        if (!mm_donor_node(donors[i], node, &own) ||
            (own.vertex < donors[i]->profile->source.method_count &&
             !(own.key == MM_NO_KEY ? donors[i]->profile->points[own.vertex].unknown > 0
                                    : mm_donor_point(donors[i], &own) != NULL)))
            continue;
        *first = donors[i];
        found++;
    }
    return found;
}

/* --- Runs with parameters of their own ---------------------------------------- */

/* True where the class does not matter to what a vertex calls: all pairs of runs of
 * either class with equal parameters, which differ from the base's, call alike. */
static int is_settled(const struct round *round, struct tally *tally)
{
    int pairs = 0;

    if (tally->settled >= 0)
        return tally->settled;
    tally->settled = 0;
    for (size_t i = 0; i < round->other_count; i++) {
        for (size_t k = 0; k < round->far_count; k++) {
            if (!mm_runs_alike(round->other[i], round->far[k], round->substitution))
                continue;
            if (!mm_calls_alike(round->other[i], round->far[k], tally->vertex))
                return 0;
            pairs++;
        }
    }
    tally->settled = pairs > 0;
    return tally->settled;
}

/* True where a run of the base's class with the parameters of `donor` calls like the
 * base: then these do not matter to the node, and a difference is of the class. */
static int is_of_class(const struct round *round, const struct mm_call_node *node,
                       const struct mm_donor *donor)
{
    int found = 0;

    for (size_t i = 0; i < round->far_count && !found; i++) {
        struct mm_rates rates;

        if (!mm_runs_alike(donor, round->far[i], round->substitution) ||
            mm_rates_init(&rates, node, 0, &round->far[i], 1, round->peers, 1) < 0)
            continue;
        found = rates.members[0] && rates.members[1] && !mm_rates_differ(&rates);
        mm_rates_done(&rates);
    }
    return found;
}

/* Compare one node with donors; `made` calls are its own in the base. */
static int compare_node(struct round *round, const struct mm_call_node *node,
                        double invocations, double made, int slot, struct tally *tally)
{
    const struct mm_donor *donor = NULL, **donors = round->equal;
    size_t count = round->equal_count;
    int has_size = node->key != MM_NO_KEY &&
                   node->vertex < round->base->source.method_count &&
                   mm_has_parameter(round->base->source.methods[node->vertex]);
    int equal = members_with(donors, count, node, &donor) > 0;
    struct mm_rates rates;
    int result;

    if (!equal && !slot && is_settled(round, tally)) {
        tally->compared += made;
        return 0;
    }
    if (!equal) {
        donors = round->other;
        count = round->other_count;
        if (!members_with(donors, count, node, &donor))
            return 0;
    }
    result = mm_rates_init(&rates, node, 0, donors, count, round->peers,
                           slot ? 1 : round->peer_count);
    if (result < 0)
        return result;
    tally->compared += made;
    tally->donor = tally->donor ? tally->donor : donor;
    if (!mm_rates_differ(&rates)) {
        mm_rates_done(&rates);
        return 0;
    }
    if (!equal && !slot && !is_of_class(round, node, donor)) {
        tally->unequal = 1;
        tally->donor = donor;
    }
    if (!equal && !slot && !has_size) { /* other run parameters may be the reason */
        mm_rates_done(&rates);
        return 0;
    }
    tally->donor = donor;
    tally_rates(tally, round, &rates, invocations);
    return take(round, node, &rates, donor);
}

/* --- Vertices ---------------------------------------------------------------- */

/* True where calls per invocation of a vertex do not depend on in-values, and are the
 * same in the base and all donors. */
static int is_constant(const struct round *round, size_t vertex, int *enough)
{
    size_t vertices = round->base->dual->vertex_count;
    double *rates = calloc(3 * vertices + 1, sizeof *rates);
    int same, seen = 0;

    *enough = rates != NULL;
    if (!rates)
        return 0;
    same = mm_constant_rates(round->peers[0], vertex, rates, rates + 2 * vertices);
    for (size_t i = 0; same && i < round->equal_count + round->other_count; i++) {
        const struct mm_donor *donor = i < round->equal_count
                                           ? round->equal[i]
                                           : round->other[i - round->equal_count];

        if (donor->vertex_of[vertex] == MM_NO_VERTEX ||
            !donor->profile->dual->vertices[donor->vertex_of[vertex]].calls)
            continue;
        seen = 1;
        same = mm_constant_rates(donor, vertex, rates + vertices, rates + 2 * vertices);
        for (size_t k = 0; same && k < vertices; k++)
            same = fabs(rates[k] - rates[vertices + k]) <=
                   .005 * fmax(rates[k], rates[vertices + k]);
    }
    free(rates);
    return same && seen;
}

static const char *vertex_name(const struct round *round, size_t vertex)
{
    return vertex < round->base->dual->vertex_count
               ? round->base->dual->vertices[vertex].name
               : "other methods";
}

/* Note what the comparison of a vertex has found. */
static int conclude(struct round *round, const struct tally *tally)
{
    struct mm_comparison *c = round->comparison;
    const struct mm_substitution *s = round->substitution;
    const char *caller = vertex_name(round, tally->vertex);
    int enough = 1, result = 0;

    if (tally->invocations > 0)
        result = mm_notes_add(
            round->notes,
            "%s: %.4g calls of %s per call with %s, %.4g with %s; the counts of %s are "
            "used",
            caller, tally->taken_now / tally->invocations,
            vertex_name(round, tally->callee), s->class_name,
            tally->taken_was / tally->invocations, class_in_base(round),
            tally->donor->profile->source.name);
    if (!result && tally->invocations > 0 && tally->donor->file)
        result = mm_notes_add(round->notes,
                              "%s differs in %s: taken to have no effect on calls",
                              tally->donor->profile->source.name, tally->donor->file);
    if (!result && tally->unequal) {
        c->doubted = 1;
        result = mm_notes_add(
            round->notes,
            "%s calls other methods more or less often with %s in %s, but in runs that "
            "differ in %s: no interval",
            caller, s->class_name, tally->donor->profile->source.name,
            tally->donor->differs ? tally->donor->differs : "other classes");
    }
    if (result || tally->compared >= tally->made * (1 - 1e-9) ||
        is_constant(round, tally->vertex, &enough))
        return enough ? result : -ENOMEM;
    if (!enough)
        return -ENOMEM;
    c->doubted = 1;
    return mm_notes_add(round->notes,
                        "%s: no run with %s has equal parameters to compare how often it "
                        "calls other methods: no interval",
                        caller, s->class_name);
}

static int compare_vertex(struct round *round, size_t vertex)
{
    const struct mm_counts *counts = &round->base->counts;
    const struct mm_count *items, *end = counts->items + counts->count;
    struct tally tally = {.vertex = vertex, .callee = MM_NO_VERTEX, .settled = -1};
    struct mm_call_node first = {vertex, 0};
    int slot = vertex < round->base->source.method_count &&
               is_slot(round, round->base->source.methods[vertex]);
    const struct mm_points *points = slot || vertex < round->base->source.method_count
                                         ? &round->base->points[vertex]
                                         : NULL;

    /* A slot may call others with the class although it calls none in the base. */
    if (points && slot) {
        for (size_t i = 0; i < points->count; i++) {
            const struct mm_point *point = &points->points[i];
            struct mm_call_node node = {
                vertex, mm_in_values_hash(point->in, points->method->in_count)};

            tally.made += (double)point->calls;
            if (compare_node(round, &node, (double)point->calls, (double)point->calls, 1,
                             &tally) < 0)
                return -ENOMEM;
        }
        return conclude(round, &tally);
    }
    for (items = mm_counts_from(counts, &first);
         items < end && items->caller.vertex == vertex;) {
        struct mm_call_node caller = items->caller, own;
        const struct mm_donor *base = round->peers[0];
        const struct mm_point *point =
            mm_donor_node(base, &caller, &own) ? mm_donor_point(base, &own) : NULL;
        double made = 0;

        for (; items < end && mm_node_order(&items->caller, &caller) == 0; items++)
            made += (double)items->calls;
        tally.made += made;
        if (compare_node(round, &caller, point ? (double)point->calls : 1, made, 0,
                         &tally) < 0)
            return -ENOMEM;
    }
    return conclude(round, &tally);
}

static int is_other_slot(const struct mm_substitution *substitutions, size_t count,
                         const struct mm_substitution *own,
                         const struct mm_method_info *method)
{
    for (size_t i = 0; i < count; i++)
        if (&substitutions[i] != own &&
            strcmp(substitutions[i].instance, method->instance) == 0)
            return 1;
    return 0;
}

/* Sort the experiments by what they can tell of substitution number `at`. */
static void sort_donors(struct round *round, size_t at)
{
    struct mm_comparison *c = round->comparison;
    size_t best = 0;

    for (size_t i = 0; i < c->all_count; i++)
        if (c->all[i].has[at] && c->all[i].has_count > best)
            best = c->all[i].has_count;
    for (size_t i = 0; i < c->all_count; i++) {
        const struct mm_donor *donor = &c->all[i];

        if (donor->has[at] && !donor->others && !donor->differs &&
            donor->has_count == best)
            round->equal[round->equal_count++] = donor;
        else if (donor->has[at])
            round->other[round->other_count++] = donor;
        else if (!donor->has_count && !donor->others && !donor->differs)
            round->peers[round->peer_count++] = donor;
        else if (!donor->has_count && !donor->others)
            round->far[round->far_count++] = donor;
    }
}

static int compare_substitution(struct round *round,
                                const struct mm_substitution *substitutions, size_t count)
{
    struct mm_comparison *c = round->comparison;
    int result = 0;

    if (strcmp(class_in_base(round), round->substitution->class_name) == 0)
        return 0;
    sort_donors(round, (size_t)(round->substitution - substitutions));
    if (!round->equal_count && !round->other_count) {
        c->doubted = c->without_donors = 1;
        return mm_notes_add(round->notes,
                            "no experiment ran %s in %s: how often methods are called is "
                            "taken from %s; no interval",
                            round->substitution->class_name,
                            round->substitution->instance, round->base->source.name);
    }
    if (!c->first)
        c->first = round->equal_count ? round->equal[0] : round->other[0];
    for (size_t v = 0; v < round->base->dual->vertex_count && !result; v++)
        if (v >= round->base->source.method_count ||
            !is_other_slot(substitutions, count, round->substitution,
                           round->base->source.methods[v]))
            result = compare_vertex(round, v);
    return result;
}

int mm_comparison_init(struct mm_comparison *comparison, const struct mm_profile *base,
                       struct mm_profile *const *profiles, size_t profile_count,
                       const struct mm_substitution *substitutions, size_t count,
                       struct mm_notes *notes)
{
    struct mm_comparison *c = comparison;
    const struct mm_donor **sorted = calloc(4 * (profile_count + 1), sizeof *sorted);
    int result = 0;

    *c = (struct mm_comparison){.all = calloc(profile_count + 1, sizeof *c->all)};
    if (!c->all || !sorted)
        result = -ENOMEM;
    if (!result)
        result = mm_donor_init(&c->all[0], base, base, substitutions, count);
    c->all_count = !result;
    for (size_t i = 0; i < profile_count && !result; i++) {
        if (profiles[i] == base)
            continue;
        result =
            mm_donor_init(&c->all[c->all_count], base, profiles[i], substitutions, count);
        c->all_count += !result;
    }
    for (size_t i = 0; i < count && !result; i++) {
        struct round round = {.comparison = c,
                              .base = base,
                              .substitution = &substitutions[i],
                              .equal = sorted,
                              .other = sorted + profile_count + 1,
                              .peers = sorted + 2 * (profile_count + 1),
                              .far = sorted + 3 * (profile_count + 1),
                              .taken_before = c->taken_count,
                              .notes = notes};

        result = compare_substitution(&round, substitutions, count);
    }
    if (c->taken_count)
        qsort(c->taken, c->taken_count, sizeof *c->taken, taken_order);
    free(sorted);
    return result;
}

void mm_comparison_done(struct mm_comparison *comparison)
{
    for (size_t i = 0; i < comparison->taken_count; i++)
        mm_rates_done(&comparison->taken[i].rates);
    for (size_t i = 0; i < comparison->all_count; i++)
        mm_donor_done(&comparison->all[i]);
    free(comparison->taken);
    free(comparison->all);
    *comparison = (struct mm_comparison){0};
}

const struct mm_taken *mm_comparison_find(const struct mm_comparison *comparison,
                                          const struct mm_call_node *node)
{
    struct mm_taken wanted = {.node = *node};

    return comparison->taken_count
               ? bsearch(&wanted, comparison->taken, comparison->taken_count,
                         sizeof wanted, taken_order)
               : NULL;
}
