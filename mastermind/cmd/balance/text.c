/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: print the simulations for people. */
#include <inttypes.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"

/* Write the shape of a mesh: "30 x 20 x 20 cells", "12,000 elements". */
static void write_shape(const struct mesh_source *source, char *text, size_t size)
{
    int used;

    if (source->centres) {
        snprintf(text, size, "%s elements", mm_thousands((uint64_t)source->n[0]));
        return;
    }
    used = snprintf(text, size, "%" PRId64, source->n[0]);
    for (int d = 1; d < source->dims; d++)
        used += snprintf(text + used, size - (size_t)used, " x %" PRId64, source->n[d]);
    snprintf(text + used, size - (size_t)used, " cells");
}

static void print_head(const struct balance_verb *verb, const struct balance_found *found)
{
    const struct mesh_source *source = &verb->trace.source;
    const struct mm_mesh_probe *probe =
        mesh_profile_probe(verb->trace.profile, verb->trace.probe);
    char shape[96];

    write_shape(source, shape, sizeof shape);
    printf("%s: %s of %s, steps %" PRId64 " to %" PRId64 "%s, %d parts by %s",
           mm_safe(verb->trace.experiment), probe->name, shape, source->numbers[0],
           source->numbers[source->steps - 1], verb->trace.back ? " (backwards)" : "",
           found->loads->parts, verb->partitioner);
    if (verb->zoltan_ranks)
        printf(" on %s", mm_counted((uint64_t)verb->zoltan_ranks, "rank"));
    putchar('\n');
    if (verb->price_model) {
        balance_model_print(verb);
        return;
    }
    if (found->price.function) {
        printf("repartition, and cells that move: by %s\n",
               mm_safe(verb->repartition_text));
        return;
    }
    printf("repartition: %s%s%s", mm_amount(found->price.repartition),
           *probe->unit ? " " : "", probe->unit);
    if (verb->repartition.in_loads)
        printf(" (%s x the mean part load)", mm_range_number(verb->repartition.value));
    printf("; a cell moved: %s%s%s", mm_amount(found->price.cell),
           *probe->unit ? " " : "", probe->unit);
    if (verb->move.in_loads)
        printf(" (all: %s x the mean part load)", mm_range_number(verb->move.value));
    putchar('\n');
}

enum { CELLS = 8 };

static void fill_row(char cells[CELLS][MM_CELL], const struct mesh_result *result)
{
    const struct mesh_outcome *o = &result->outcome;

    mm_cell_set(cells[0], mm_amount(o->cost));
    snprintf(cells[1], MM_CELL, "%.1f %%", 100 * result->above_oracle);
    mm_cell_set(cells[2], mm_thousands((uint64_t)o->repartitions));
    mm_cell_set(cells[3], mm_thousands((uint64_t)o->cells_moved));
    snprintf(cells[4], MM_CELL, "%.3f", o->imbalance_mean);
    snprintf(cells[5], MM_CELL, "%.3f", o->imbalance_max);
    snprintf(cells[6], MM_CELL, "%.3f", o->loss_mean);
    snprintf(cells[7], MM_CELL, "%.3f", o->loss_max);
}

static void text_rows(const void *context, struct mm_table *table)
{
    const struct balance_found *found = context;
    char heads[CELLS][MM_CELL] = {"cost",        "above oracle", "repartitions",
                                  "cells moved", "imbalance",    "largest",
                                  "loss",        "largest"};
    char cells[CELLS][MM_CELL];

    mm_table_row(table, heads, "policy");
    for (size_t i = 0; i < found->simulation.count; i++) {
        fill_row(cells, &found->simulation.results[i]);
        mm_table_row(table, cells, found->simulation.results[i].policy->text);
    }
}

/* Print the numbers of the marked steps, "20, 65, 110", on at most one line. */
static void print_steps(const struct mesh_source *source, const unsigned char *schedule,
                        const char *name)
{
    int used = 0, any = 0;

    for (int64_t t = 0; t < source->steps; t++) {
        if (!schedule[t])
            continue;
        if (used > 86) {
            printf(" ...");
            break;
        }
        if (!any)
            used = printf("%s repartitions before", name);
        used += printf("%s %" PRId64, any ? "," : "", source->numbers[t]);
        any = 1;
    }
    if (any)
        putchar('\n');
    else
        printf("%s does not repartition\n", name);
}

const struct mesh_result *balance_cheapest(const struct mesh_simulation *simulation)
{
    const struct mesh_result *best = &simulation->results[0];

    for (size_t i = 1; i < simulation->count; i++)
        if (simulation->results[i].outcome.cost < best->outcome.cost)
            best = &simulation->results[i];
    return best;
}

void balance_print(const struct balance_verb *verb, const struct balance_found *found)
{
    const struct mesh_simulation *simulation = &found->simulation;
    const struct mesh_result *best = balance_cheapest(simulation);
    char place[96];

    print_head(verb, found);
    mm_table_print(CELLS, text_rows, found);
    print_steps(&verb->trace.source, best->schedule, best->policy->text);
    printf("no schedule costs less than %s", mm_amount(simulation->oracle.outcome.cost));
    printf(", the optimum; bounds: %s (mean loads)", mm_amount(simulation->bounds.means));
    printf(", %s (repartitions free)\n", mm_amount(simulation->bounds.least));
    puts("imbalance (largest - mean) / mean, loss (largest - mean) / largest, of part "
         "loads, by "
         "step");
    if (found->heavy.steps == 0)
        return;
    mesh_source_place(&verb->trace.source, found->heavy.worst, found->heavy.cell, place,
                      sizeof place);
    printf("unreachable: %s alone is %.2g x the average; so it is in %s of %s\n", place,
           found->heavy.factor, mm_thousands((uint64_t)found->heavy.steps),
           mm_counted((uint64_t)verb->trace.source.steps, "step"));
}

/* --- Sweeps. --- */

struct swept {
    const struct balance_verb *verb;
    const char *what;
    const struct balance_found *found;
    size_t count;
    const double *values;
};

static void sweep_rows(const void *context, struct mm_table *table)
{
    const struct swept *swept = context;
    char heads[6][MM_CELL] = {"",          "cost",   "above oracle", "repartitions",
                              "imbalance", "largest"};
    char cells[6][MM_CELL];

    mm_cell_set(heads[0], swept->what);
    mm_table_row(table, heads, "policy");
    for (size_t v = 0; v < swept->count; v++)
        for (size_t i = 0; i < swept->found[v].simulation.count; i++) {
            const struct mesh_result *result = &swept->found[v].simulation.results[i];

            mm_cell_set(cells[0], strcmp(swept->what, "parts") == 0
                                      ? mm_thousands((uint64_t)swept->values[v])
                                      : mm_factor(swept->values[v]));
            mm_cell_set(cells[1], mm_amount(result->outcome.cost));
            snprintf(cells[2], MM_CELL, "%.1f %%", 100 * result->above_oracle);
            mm_cell_set(cells[3], mm_thousands((uint64_t)result->outcome.repartitions));
            snprintf(cells[4], MM_CELL, "%.3f", result->outcome.imbalance_mean);
            snprintf(cells[5], MM_CELL, "%.3f", result->outcome.imbalance_max);
            mm_table_row(table, cells, result->policy->text);
        }
}

void balance_print_sweep(const struct balance_verb *verb, const char *swept,
                         const struct balance_found *found, size_t count,
                         const double *values)
{
    struct swept context = {verb, swept, found, count, values};
    char shape[96];

    write_shape(&verb->trace.source, shape, sizeof shape);
    printf("%s: %s of %s, %s, by %s\n", mm_safe(verb->trace.experiment),
           mesh_profile_probe(verb->trace.profile, verb->trace.probe)->name, shape,
           mm_counted((uint64_t)verb->trace.source.steps, "step"), verb->partitioner);
    mm_table_print(6, sweep_rows, &context);
}
