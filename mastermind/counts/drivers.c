/* SPDX-License-Identifier: BSD-3-Clause */
/* drivers.c: find exogenous counts: numbers of calls that the solution
 * determines. */
#include "mastermind/counts/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/same.h"

/* least share of the runs' time that is below the calls of an exogenous count */
#define DRIVER_SHARE .1
#define PROOF 5 /* least number of sizes that prove a closed form */

static double calls_between(const struct mm_structure *structure, size_t caller,
                            size_t callee, size_t run)
{
    double calls = 0;

    for (size_t i = 0; i < structure->cells.count; i++) {
        const struct mm_cell *cell = &structure->cells.items[i];

        if ((caller == SIZE_MAX || cell->caller == caller) && cell->vertex == callee)
            calls += cell->runs[run].calls;
    }
    return calls;
}

/* Number of ranks with calls in a profile. */
static double ranks_of(const struct mm_profile *profile)
{
    int found = 0;

    for (int r = 0; r < profile->ranks.count; r++)
        found += profile->ranks.ends[r].rows + profile->ranks.ends[r].open > 0;
    return found > 1 ? found : 1;
}

/* True if each rank calls the method equally often in all runs. */
static int is_steady(const struct mm_structure *structure,
                     const struct mm_profile *const *profiles, size_t vertex)
{
    double first = calls_between(structure, SIZE_MAX, vertex, 0) / ranks_of(profiles[0]);

    for (size_t r = 1; r < structure->runs; r++)
        if (calls_between(structure, SIZE_MAX, vertex, r) / ranks_of(profiles[r]) !=
            first)
            return 0;
    return first > 0;
}

/* True if the number of calls `y` is a + b * n in all runs, where n is the exogenous
 * count `driver`: the parameters do not determine it (such as a number of steps). */
static int follows_driver(const struct mm_structure *structure, const double *y,
                          const struct mm_quantity *driver)
{
    size_t a = 0, b = 0;
    double slope;

    for (size_t r = 0; r < structure->runs; r++) {
        a = driver->y[r] < driver->y[a] ? r : a;
        b = driver->y[r] > driver->y[b] ? r : b;
    }
    if (driver->y[a] == driver->y[b])
        return 0;
    slope = (y[b] - y[a]) / (driver->y[b] - driver->y[a]);
    for (size_t r = 0; r < structure->runs; r++) {
        double expected = y[a] + slope * (driver->y[r] - driver->y[a]);

        if (fabs(y[r] - expected) > CCA_SAME * fabs(y[r]))
            return 0;
    }
    return 1;
}

/* Returns 1 if a closed form holds at enough sizes to exclude a coincidence of rounded
 * numbers, so the parameters, perhaps with the exogenous counts found before, determine
 * the count; 0 if not; or -ENOMEM. */
static int is_exact(struct mm_structure *structure, struct mm_quantity *quantity)
{
    unsigned char *all = malloc(structure->runs + 1);
    struct cca_error err = {0};
    int exact = 0;

    if (!all)
        return -ENOMEM;
    memset(all, 1, structure->runs);
    if (mm_quantity_points(structure, quantity, all) >= PROOF)
        exact = mm_quantity_is_exact(structure, quantity, all, 0, &err);
    if (!exact && structure->driver_count &&
        mm_quantity_points(structure, quantity, all) >= PROOF)
        exact = mm_quantity_is_exact(structure, quantity, all, 1, &err);
    free(all);
    mm_quantity_forget(quantity);
    return exact;
}

/* Add the calls from `caller` to `callee` as an exogenous count if they vary and
 * no exogenous count equals them. Returns 0 or -ENOMEM. */
static int add_driver(struct mm_structure *structure,
                      const struct mm_profile *const *profiles, size_t caller,
                      size_t callee)
{
    double *y = calloc(structure->runs + 1, sizeof *y);
    struct mm_quantity *quantity;
    int varies = 0, follows = 0, exact = 0;

    if (!y)
        return -ENOMEM;
    for (size_t r = 0; r < structure->runs; r++) {
        y[r] = calls_between(structure, caller, callee, r);
        varies |= y[r] / ranks_of(profiles[r]) != y[0] / ranks_of(profiles[0]);
    }
    for (size_t d = 0; d < structure->driver_count; d++)
        follows |= follows_driver(structure, y, structure->drivers[d]);
    quantity = varies && !follows
                   ? mm_quantity_add(structure, MM_QUANTITY_CALLS, SIZE_MAX)
                   : NULL;
    if (quantity) {
        memcpy(quantity->y, y, structure->runs * sizeof *y);
        quantity->is_driver = 1;
        exact = is_exact(structure, quantity);
    }
    free(y);
    if (exact < 0 || (varies && !follows && !quantity))
        return -ENOMEM;
    if (!quantity || exact)
        return 0;
    quantity->is_rounded = 1;
    structure->driver_cell[structure->driver_count][0] = caller;
    structure->driver_cell[structure->driver_count][1] = callee;
    structure->drivers[structure->driver_count++] = quantity;
    return 0;
}

/* Share of the summed time of all runs below calls of a method. Sums prevent a run
 * without work, of which only the classes matter, from ranking its few calls first. */
static double time_share(const struct mm_structure *structure,
                         const struct mm_profile *const *profiles, size_t vertex)
{
    const struct mm_method_info *method = structure->cells.vertices[vertex].method;
    double below = 0, total = 0;

    for (size_t r = 0; r < structure->runs; r++) {
        const struct mm_dual *dual = profiles[r]->dual;

        total += (double)dual->total_ns;
        for (size_t i = 0; i < profiles[r]->source.method_count; i++)
            if (strcmp(profiles[r]->source.methods[i]->name, method->name) == 0)
                below += (double)dual->vertices[i].inclusive_ns;
    }
    return total > 0 ? below / total : 0;
}

/* An edge of the call graph from a method with equally many calls in all runs, and the
 * time below its calls. */
struct candidate {
    size_t caller, callee;
    double share;
};

static int candidate_order(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return (a->share < b->share) - (a->share > b->share);
}

int mm_drivers_find(struct mm_structure *structure,
                    const struct mm_profile *const *profiles)
{
    struct candidate *candidates = NULL;
    size_t count = 0;
    int result = 0;

    for (size_t i = 0; i < structure->cells.count && !result; i++) {
        const struct mm_cell *cell = &structure->cells.items[i];
        struct candidate *added;
        size_t k = 0;
        double share;

        while (k < count && (candidates[k].caller != cell->caller ||
                             candidates[k].callee != cell->vertex))
            k++;
        if (k < count || cell->caller <= MM_CELL_LOST ||
            !is_steady(structure, profiles, cell->caller))
            continue;
        share = time_share(structure, profiles, cell->vertex);
        if (share < DRIVER_SHARE)
            continue;
        added = cca_array_add(&candidates, &count, sizeof *added);
        if (!added)
            result = -ENOMEM;
        else
            *added = (struct candidate){cell->caller, cell->vertex, share};
    }
    if (count)
        qsort(candidates, count, sizeof *candidates, candidate_order);
    for (size_t i = 0; i < count && !result && structure->driver_count < MM_DRIVERS; i++)
        result =
            add_driver(structure, profiles, candidates[i].caller, candidates[i].callee);
    free(candidates);
    return result;
}
