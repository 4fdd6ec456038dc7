/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.c: the simulations as CSV, a row for each step. */
#include <inttypes.h>

#include "mastermind/cmd/balance/balance_verb.h"

static void print_result(const struct balance_verb *verb,
                         const struct balance_found *found,
                         const struct mesh_result *result)
{
    int64_t s = 0;

    for (int64_t t = 0; t < found->loads->steps; t++) {
        int64_t moved = 0;
        double largest, mean = found->loads->mean[t];

        if (t > 0 && result->schedule[t]) {
            moved = mesh_moved(found->loads, s, t);
            s = t;
        }
        largest = mesh_load(found->loads, s, t);
        printf("%s,%" PRId64 ",%.9g,%.9g,", result->policy->text,
               verb->trace.source.numbers[t], largest, mean);
        if (mean > 0)
            printf("%.6g", largest / mean - 1);
        printf(",%d,%" PRId64 "\n", t > 0 && result->schedule[t], moved);
    }
}

void balance_csv(const struct balance_verb *verb, const struct balance_found *found)
{
    puts("policy,step,largest,mean,imbalance,repartition,cells_moved");
    for (size_t i = 0; i < found->simulation.count; i++)
        print_result(verb, found, &found->simulation.results[i]);
}
