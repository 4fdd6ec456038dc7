/* SPDX-License-Identifier: BSD-3-Clause */
/* callees.c: sums of calls by callee. */
#include "mastermind/forecast/composite/callees.h"

#include <errno.h>
#include <math.h>
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

int mm_callees_add(struct mm_model_set *set, const struct mm_profile *profile, size_t at)
{
    size_t count;
    struct mm_callee *callees = callees_of(profile->dual, at, &count);
    int result = callees ? 0 : -ENOMEM;

    for (size_t i = 0; i < count && !result; i++) {
        size_t k = 0;

        while (k < set->callee_count && callee_order(&set->callees[k], &callees[i]) != 0)
            k++;
        if (k == set->callee_count) {
            if (cca_array_reserve(&set->callees, k, sizeof *set->callees)) {
                result = -ENOMEM;
                break;
            }
            set->callees[set->callee_count++] = callees[i];
        } else {
            set->callees[k].calls += callees[i].calls;
            set->callees[k].inclusive_ns += callees[i].inclusive_ns;
        }
    }
    if (set->callee_count)
        qsort(set->callees, set->callee_count, sizeof *set->callees, callee_order);
    free(callees);
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

int mm_callees_below(struct mm_part *part, const struct mm_profile *base)
{
    const struct mm_model_set *set = part->set;
    double others_ns;
    int differ = calls_others(base, part->vertex, set, &others_ns);

    part->below_ns = -others_ns;
    for (size_t i = 0; i < set->callee_count && set->calls; i++) {
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
    return differ;
}
