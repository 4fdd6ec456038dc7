/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate.c: policies and the optimum run over the loads of a trace. */
#include "mesh/balance/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mesh_price_read(struct mesh_price_word *word, const char *text, struct cca_error *err)
{
    char *end = NULL;
    double value = *text >= '0' && *text <= '9' ? strtod(text, &end)
                   : *text == '.'               ? strtod(text, &end)
                                                : NAN;

    memset(word, 0, sizeof *word);
    if (end && *end == 'x') {
        word->in_loads = 1;
        end++;
    }
    if (!end || end == text || *end || !isfinite(value))
        return cca_error_set(err, -EINVAL,
                             "price: found %.80s, expected a number at least 0, or a "
                             "number of mean part loads as 1.5x",
                             text);
    word->value = value;
    return 0;
}

void mesh_price_make(struct mesh_price *price, const struct mesh_loads *loads,
                     const struct mesh_price_word *repartition,
                     const struct mesh_price_word *move)
{
    double mean = 0;

    for (int64_t k = 0; k < loads->steps; k++)
        mean += loads->mean[k] / (double)loads->steps;
    memset(price, 0, sizeof *price);
    price->repartition = repartition->value * (repartition->in_loads ? mean : 1);
    price->cell = move->value * (move->in_loads ? mean / (double)loads->cells : 1);
}

static int run(struct mesh_result *result, const struct mesh_loads *loads,
               const struct mesh_price *price, const struct mesh_policy *policy)
{
    int rc;

    result->policy = policy;
    result->schedule = calloc((size_t)loads->steps, 1);
    if (!result->schedule)
        return -ENOMEM;
    rc = policy ? mesh_policy_schedule(policy, loads, price, result->schedule)
                : mesh_oracle(loads, price, result->schedule);
    if (rc)
        return rc;
    result->schedule[0] = 0; /* a plug-in may have set a repartition before step 0 */
    mesh_schedule_judge(loads, price, result->schedule, &result->outcome);
    return 0;
}

int mesh_simulate(struct mesh_simulation *simulation, const struct mesh_loads *loads,
                  const struct mesh_price *price, const struct mesh_policy *policies,
                  size_t count, struct cca_error *err)
{
    struct mesh_result *results = calloc(count + 1, sizeof *results);
    double best;
    int rc;

    memset(simulation, 0, sizeof *simulation);
    simulation->results = results;
    if (!results)
        return cca_no_memory(err);
    simulation->count = count;
    mesh_bounds_make(loads, &simulation->bounds);
    rc = run(&simulation->oracle, loads, price, NULL);
    best = simulation->oracle.outcome.cost;
    for (size_t i = 0; !rc && i < count; i++) {
        rc = run(&results[i], loads, price, &policies[i]);
        results[i].above_oracle = best > 0 ? results[i].outcome.cost / best - 1 : 0;
    }
    if (rc == -ENOMEM)
        return cca_no_memory(err);
    return rc ? cca_error_set(err, rc, "a policy failed: %s", strerror(-rc)) : 0;
}

void mesh_simulation_free(struct mesh_simulation *simulation)
{
    for (size_t i = 0; i < simulation->count; i++)
        free(simulation->results[i].schedule);
    free(simulation->results);
    free(simulation->oracle.schedule);
    memset(simulation, 0, sizeof *simulation);
}

void mesh_heavy_find(const struct mesh_loads *loads, struct mesh_heavy *heavy)
{
    memset(heavy, 0, sizeof *heavy);
    for (int64_t k = 0; k < loads->steps; k++) {
        double factor =
            loads->mean[k] > 0 ? (double)loads->heaviest[k] / loads->mean[k] : 0;

        if (factor <= 1 + 1e-12)
            continue;
        heavy->steps++;
        if (factor > heavy->factor) {
            heavy->factor = factor;
            heavy->worst = k;
            heavy->cell = loads->heaviest_at[k];
        }
    }
}
