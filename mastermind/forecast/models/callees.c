/* SPDX-License-Identifier: BSD-3-Clause */
/* callees.c: sums of calls by callee. */
#include "mastermind/forecast/models/sum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static int callee_order(const void *left, const void *right)
{
    const struct mm_callee *a = left, *b = right;
    int order = strcmp(a->port_type, b->port_type);

    return order ? order : strcmp(a->method, b->method);
}

/* The methods called by vertex `at`, ascending, one entry of the list for each port type
 * and method. The result is new; NULL: out of memory. */
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
