/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if.c: the run of a forecast in which methods cost another amount.
 *
 *     T' = T + (1 - w) (L' - L) + w (U' - U)
 *
 * L is the largest compute time of a rank, U the sum over phases of the largest compute
 * time of a rank in the phase (phases.h). w is the share of U - L that the time inside
 * MPI leaves room for. With one rank L' - L is the change of the methods' cost. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/parts.h"

/* Share of the difference between both ways to wait that is half of a 90 % interval. */
#define WAIT_HALF .5

double mm_change_cost(const struct mm_change *change)
{
    return isnan(change->call_ns) ? change->cost_ns * change->factor
                                  : change->calls * change->call_ns;
}

static double finite_or_0(double value)
{
    return isfinite(value) ? value : 0;
}

void mm_change_of_part(struct mm_change *change, const struct mm_forecast *forecast,
                       const struct mm_forecast_part *part)
{
    *change = (struct mm_change){
        .name = forecast->by->structure.cells.vertices[part->vertex].name,
        .calls = part->calls,
        .calls_half = finite_or_0((part->calls_high - part->calls_low) / 2),
        .cost_ns = part->cost_ns,
        .half_ns = finite_or_0(part->half_ns),
        .factor = 1,
        .call_ns = NAN};
}

/* Add the squares of the half-width that a method contributes to the total before and
 * after the change, and to the difference. */
static void add_squares(const struct mm_change *change, double *before, double *after,
                        double *difference)
{
    double half = change->half_ns;

    *before += half * half;
    if (isnan(change->call_ns)) {
        *after += pow(half * change->factor, 2);
        *difference += pow(half * (1 - change->factor), 2);
    } else {
        double calls = pow(change->calls_half * change->call_ns, 2);

        *after += calls;
        *difference += calls + half * half;
    }
}

/* Factors of the compute time of each method of the phases. New, or NULL. */
static double *phase_factors(const struct mm_change *changes, size_t count,
                             const struct mm_phases *phases,
                             struct mm_method_info *const *methods)
{
    double *factors = calloc(phases->method_count + 1, sizeof *factors);

    for (size_t i = 0; i < phases->method_count && factors; i++) {
        factors[i] = 1;
        for (size_t k = 0; k < count; k++)
            if (changes[k].cost_ns > 0 && strcmp(changes[k].name, methods[i]->name) == 0)
                factors[i] = mm_change_cost(&changes[k]) / changes[k].cost_ns;
    }
    return factors;
}

/* Set the change of a run on several ranks, in ns of the forecast; `scale`: forecast
 * compute time / measured one. `*ways` gets the difference between the two ways to wait.
 */
static int change_of_ranks(const struct mm_forecast *f, const struct mm_change *changes,
                           size_t count, const struct mm_phases *phases,
                           struct mm_method_info *const *methods,
                           struct mm_what_if *found, double *ways)
{
    double *factors = phase_factors(changes, count, phases, methods);
    double end = mm_phases_total(phases, NULL, 1),
           each = mm_phases_total(phases, NULL, 0);
    double end_after, each_after, compute = 0, inside, scale;

    if (!factors)
        return -ENOMEM;
    end_after = mm_phases_total(phases, factors, 1);
    each_after = mm_phases_total(phases, factors, 0);
    found->busiest = mm_phases_busiest(phases, factors);
    free(factors);
    if (isnan(end + each + end_after + each_after) || found->busiest < 0)
        return -ENOMEM;
    for (size_t i = 0; i < f->part_count; i++)
        compute += f->parts[i].cost_ns;
    inside = f->transfer.number.value + f->waiting.number.value;
    scale = end > 0 ? compute / end : 1;
    found->follows = each > end ? fmin(inside / (scale * (each - end)), 1) : 0;
    found->change_ns = scale * ((1 - found->follows) * (end_after - end) +
                                found->follows * (each_after - each));
    *ways = scale * found->follows * fabs((each_after - each) - (end_after - end));
    return 0;
}

/* Half-width of the logarithm of the changed total on the side where the forecast's is
 * `half`. */
static double side_half(const struct mm_forecast *f, const struct mm_what_if *found,
                        double half, double before, double after)
{
    double runs = mm_forecast_half_of_runs(f), total = f->total_ns;
    double squares = (half * half - runs * runs) * total * total - before + after;

    return sqrt(runs * runs + fmax(squares, 0) / (found->total_ns * found->total_ns));
}

int mm_what_if(const struct mm_forecast *f, const struct mm_change *changes, size_t count,
               const struct mm_phases *phases, struct mm_method_info *const *methods,
               struct mm_what_if *found)
{
    double before = 0, after = 0, difference = 0, ways = 0, alone = 0, ratio;

    *found = (struct mm_what_if){.follows = NAN, .busiest = -1};
    for (size_t i = 0; i < count; i++) {
        alone += mm_change_cost(&changes[i]) - changes[i].cost_ns;
        add_squares(&changes[i], &before, &after, &difference);
    }
    found->change_ns = alone;
    if (phases && change_of_ranks(f, changes, count, phases, methods, found, &ways))
        return -ENOMEM;
    /* errors of costs have the share in the difference that costs have */
    ratio = alone != 0 ? found->change_ns / alone : 1;
    ways *= WAIT_HALF;
    difference = difference * ratio * ratio + ways * ways +
                 pow(found->change_ns * mm_forecast_half_of_runs(f), 2);
    found->half_ns = sqrt(difference);
    found->total_ns = f->total_ns + found->change_ns;
    found->low_ns = found->high_ns = NAN;
    if (isfinite(f->low_ns) && found->total_ns > 0) {
        double low = log(f->total_ns / f->low_ns), high = log(f->high_ns / f->total_ns);

        after = after + ways * ways;
        found->low_ns = found->total_ns * exp(-side_half(f, found, low, before, after));
        found->high_ns = found->total_ns * exp(side_half(f, found, high, before, after));
    }
    return 0;
}
