/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c: the costs of calls that may have lost time to the host. */
#include "mastermind/cost/calls/evidence.h"

#include <math.h>

/* costs of calls agree if their logarithms differ by less than this */
#define AGREE .1
#define VOTERS 64 /* largest number of a size's calls that are compared pair by pair */
/* least share of a call's excess over the typical cost that the time lost must explain */
#define EXPLAINED .5

double mm_host_part(const struct mm_call *call, double typ, double usual)
{
    double excess = call->ns - typ;

    if (!(call->lost_ns > 0) || call->waited || call->ns <= usual ||
        call->lost_ns < EXPLAINED * excess)
        return 0;
    return fmin(call->lost_ns, excess);
}

static int is_suspect(const struct mm_call *call)
{
    return call->lost_ns > MM_SUSPECT * call->ns && !call->waited;
}

/* Write the possible costs of a call: its time, and its time less the time lost. If as
 * much was lost as the call took, the reading covers more than the call and only the
 * first cost is possible. Returns their number. */
static int call_costs(const struct mm_call *call, double cost[2])
{
    cost[0] = call->ns;
    cost[1] = call->ns - call->lost_ns;
    return is_suspect(call) && cost[1] > MM_SUSPECT * call->ns ? 2 : 1;
}

/* Of the possible costs of a call, with and without lost time, the nearest to `typ` by
 * ratio. */
static double nearest_cost(const struct mm_call *call, double typ)
{
    double cost[2];

    if (call_costs(call, cost) == 2 &&
        fabs(log(cost[1] / typ)) < fabs(log(fmax(cost[0], 1) / typ)))
        return cost[1];
    return cost[0];
}

/* The cost that is possible, within AGREE, for most calls; 0 without calls. */
static double agreed_cost(const struct mm_sample *sample)
{
    uint32_t count = mm_sample_count(sample), step = count / VOTERS + 1;
    double best = 0, best_votes = -1;

    for (uint32_t i = 0; i < count; i += step) {
        double cost[2];

        for (int k = call_costs(&sample->call[i], cost); k-- > 0;) {
            double votes = 0;

            if (!(cost[k] > 0))
                continue;
            for (uint32_t j = 0; j < count; j += step) {
                double near = nearest_cost(&sample->call[j], cost[k]);

                votes += mm_sample_weight(sample, j) *
                         fmax(0, 1 - fabs(log(fmax(near, 1) / cost[k])) / AGREE);
            }
            if (votes > best_votes) {
                best_votes = votes;
                best = cost[k];
            }
        }
    }
    return best;
}

/* Fill `values` with the costs from which the typical cost of a size is estimated
 * (evidence.h). */
size_t mm_evidence_values(const struct mm_sample *sample, struct mm_value *values)
{
    uint32_t count = mm_sample_count(sample);
    size_t clean = 0, kept = 0;
    double agreed = 0;

    for (uint32_t i = 0; i < count; i++)
        clean += !is_suspect(&sample->call[i]);
    if (clean < 8 && 4 * clean < count)
        agreed = agreed_cost(sample);
    for (uint32_t i = 0; i < count; i++) {
        const struct mm_call *call = &sample->call[i];
        double value = call->ns;

        if (is_suspect(call)) {
            if (!(agreed > 0))
                continue;
            value = nearest_cost(call, agreed);
        }
        values[kept++] = (struct mm_value){value, mm_sample_weight(sample, i)};
    }
    for (uint32_t i = 0; kept == 0 && i < count; i++) /* no call without disturbance:
                                                         use the measured times */
        values[i] = (struct mm_value){sample->call[i].ns, mm_sample_weight(sample, i)};
    return kept ? kept : count;
}
