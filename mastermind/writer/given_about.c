/* SPDX-License-Identifier: BSD-3-Clause */
/* given_about.c: write experiment.json of an experiment of given rows. */
#include "mastermind/writer/parts.h"

#include "mastermind/format/layout.h"
#include "mastermind/writer/json_file.h"
#include "mastermind/writer/machine.h"

#include <math.h>
#include <stdio.h>

/* Return the metrics that all rows lack, with the reason. */
static json_t *counters_json(const struct mm_given_about *about)
{
    const struct {
        const char *name;
        int has;
    } metrics[] = {{"hardware counters", 0},
                   {"CPU_TIME", about->cpu_time},
                   {"MPI_TIME", about->mpi_time}};
    json_t *missing = json_array();
    char why[64];

    snprintf(why, sizeof why, "%.20s rows do not have it", about->origin);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!metrics[i].has)
            missing = mm_json_append(
                missing, json_pack("{s:s, s:s}", "name", metrics[i].name, "why", why));
    return json_pack("{s:[], s:[], s:o}", "asked", "names", "missing", missing);
}

static json_t *totals_json(const struct mm_given_totals *totals)
{
    return json_pack("{s:I, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:b}", "rows",
                     (json_int_t)totals->rows, "aggregated", 0, "sampled", 0,
                     "other_keys", 0, "dropped", 0, "nested", 0, "methods",
                     (json_int_t)totals->methods, "threads", (json_int_t)totals->threads,
                     "wall_ns", (json_int_t)llround(fmin(totals->wall_ns, 9e18)),
                     "size_limit_reached", 0);
}

json_t *mm_given_variables_json(const struct mm_given_about *about)
{
    json_t *variables = json_object();

    for (size_t i = 0; i < about->variable_count && variables; i++)
        if (json_object_set_new(variables, about->variables[i].name,
                                mm_json_text(about->variables[i].text))) {
            json_decref(variables);
            variables = NULL;
        }
    return variables;
}

json_t *mm_given_about_json(const struct mm_given_about *about, int rank,
                            const struct mm_given_totals *totals, json_t *variables)
{
    json_t *json = json_pack(
        "{s:i, s:s, s:o, s:[], s:s, s:o, s:b, s:i, s:i, s:s, s:i, s:b, s:b, "
        "s:[], s:{s:s, s:f, s:i, s:I}, s:o, s:o}",
        "format", MM_FORMAT, "schema", "mastermind/experiment/1", "origin",
        mm_json_text(about->origin), "command", "script", "", "ended", mm_json_time_now(),
        "finished", 1, "rank", rank, "ranks", about->ranks, "storage", "rows",
        "size_limit", 0, "cpu_time", about->cpu_time, "mpi_time", about->mpi_time,
        "measured", "clock", "name", "given", "ns_per_tick", about->ns_per_tick,
        "epoch_ticks", 0, "epoch_ns", (json_int_t)about->epoch_ns, "counters",
        counters_json(about), "totals", totals_json(totals));
    int failed = !json;

    if (!failed && about->source)
        failed = json_object_set_new(json, "source", mm_json_text(about->source));
    for (size_t i = 0; about->command && about->command[i] && !failed; i++)
        failed = json_array_append_new(json_object_get(json, "command"),
                                       mm_json_text(about->command[i]));
    if (!failed && about->process_cpu_ns)
        failed = json_object_set_new(
            json, "process",
            json_pack("{s:I, s:I}", "cpu_ns", (json_int_t)about->process_cpu_ns,
                      "peak_bytes", (json_int_t)about->peak_bytes));
    if (!failed && about->unit)
        failed = json_object_set_new(json, "unit", mm_json_text(about->unit));
    if (!failed && about->this_machine)
        failed = json_object_set_new(json, "machine", mm_machine_json());
    if (!failed && variables)
        failed = json_object_set(json, "variables", variables);
    if (!failed)
        return json;
    json_decref(json);
    return NULL;
}
