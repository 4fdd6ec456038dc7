/* SPDX-License-Identifier: BSD-3-Clause */
/* errors_view.c: print the cost of each bound, as a table or a document. */
#include "mastermind/cmd/mesh/ask.h"

static void print_head(struct mm_table *table)
{
    static const char *const heads[] = {"eps", "bytes", "packed",    "error",
                                        "rms", "sum",   "imbalance", "at most"};
    char cells[8][MM_CELL];

    for (int i = 0; i < 8; i++)
        mm_cell_set(cells[i], heads[i]);
    mm_table_row(table, cells, "part off");
}

static void print_rows(const void *context, struct mm_table *table)
{
    const struct mesh_judgement *e = context;
    char cells[8][MM_CELL];

    print_head(table);
    for (size_t i = 0; i < e->count; i++) {
        const struct mesh_bound *bound = &e->bounds[i];
        const struct mesh_cost *cost = mesh_costing_result(bound->costing);

        snprintf(cells[0], MM_CELL, "%g", bound->eps);
        mm_cell_set(cells[1], mm_thousands(cost->file_bytes));
        mm_cell_set(cells[2], cost->file_bytes ? mm_factor(4 * (double)cost->cells /
                                                           (double)cost->file_bytes)
                                               : "-");
        snprintf(cells[3], MM_CELL, "%.3g", cost->largest);
        snprintf(cells[4], MM_CELL, "%.3g", cost->rms);
        mm_cell_set(cells[5], mm_percent(bound->sum_error));
        mm_cell_set(cells[6], bound->balanced
                                  ? mm_percent(bound->imbalance / (double)bound->balanced)
                                  : "-");
        mm_cell_set(cells[7], bound->balanced ? mm_percent(bound->worst) : "-");
        mm_table_row(table, cells, bound->balanced ? mm_percent(bound->part_error) : "-");
    }
}

int mesh_errors_text(const struct mesh_judgement *e)
{
    const struct mm_mesh_probe *probe = mesh_profile_probe(e->ask->profile, e->probe);

    printf("%s of %s, %s; parts by %s: %d\n\n", probe->name, e->ask->about->name,
           mm_counted(e->ask->end - e->ask->first, "step"),
           e->parted ? e->wish->partitioner : "none", e->wish->parts);
    mm_table_print(8, print_rows, e);
    puts("\neps        bound on the error of a value; error, rms: as decoded\n"
         "packed     times smaller than 4 bytes a value, with the heads of blocks\n"
         "sum        largest relative error of the sum of a step; part off: of a part\n"
         "imbalance  the largest part over the mean, less 1, of parts that are made of\n"
         "           decoded values and judged by those kept: mean over steps, at most");
    if (probe->eps > 0)
        printf("The profile itself was kept within %g.\n", probe->eps);
    return mm_finish_output(MM_EXIT_DONE);
}

int mesh_errors_json(const struct mesh_judgement *e)
{
    json_t *document = mesh_document(e->ask), *rows = json_array(),
           *errors = json_object();

    for (size_t i = 0; i < e->count; i++) {
        const struct mesh_bound *bound = &e->bounds[i];
        const struct mesh_cost *cost = mesh_costing_result(bound->costing);
        json_t *row = json_object();

        mm_json_set(row, "eps values bytes error_largest error_rms error_sum", bound->eps,
                    (json_int_t)cost->cells, (json_int_t)cost->file_bytes, cost->largest,
                    cost->rms, bound->sum_error);
        if (bound->balanced) {
            mm_json_set(row, "imbalance_mean imbalance_max error_part",
                        bound->imbalance / (double)bound->balanced, bound->worst,
                        bound->part_error);
        }
        json_array_append_new(rows, row);
    }
    mm_json_set(errors, "probe parts",
                mesh_profile_probe(e->ask->profile, e->probe)->name, e->wish->parts);
    if (e->parted)
        mm_json_put(errors, "partitioner", mm_json_escaped(e->wish->partitioner));
    mm_json_put(errors, "bounds", rows);
    mm_json_put(document, "errors", errors);
    return mm_json_print(document);
}
