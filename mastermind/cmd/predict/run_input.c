/* SPDX-License-Identifier: BSD-3-Clause */
/* run_input.c: open the runs of a prediction; for several ranks find the busiest one. */
#include "mastermind/cmd/predict/run_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#include "mastermind/cmd/kept.h"

static const struct cca_given compute = {
    .name = "--metric", .given = 1, .values = (const char *[]){"COMPUTE_TIME"}};
static const struct cca_given inside = {
    .name = "--metric", .given = 1, .values = (const char *[]){"MPI_TIME"}};

static int busiest_rank(const struct mm_profile *profile)
{
    int busiest = 0;

    for (int r = 1; r < profile->ranks.count; r++)
        if (mm_ranks_ns(&profile->ranks, r) > mm_ranks_ns(&profile->ranks, busiest))
            busiest = r;
    return busiest;
}

/* True if the metric is time and a run has several ranks. */
static int wants_ranks(struct mm_run_input *input)
{
    int several = 0, without = 0;

    if (input->models.metric.kind != MM_METRIC_TIME)
        return 0;
    for (size_t i = 0; i < input->models.count; i++) {
        const struct mm_experiment *e = input->models.experiments[i];

        if (e->is_apart)
            continue;
        several |= e->ranks > 1;
        without |= !e->has_mpi;
        if (e->ranks > 1 && !e->has_mpi)
            input->without_mpi = e->name;
    }
    return several && !without;
}

/* Read the times of a run on several ranks, outside MPI of the busiest rank, and inside
 * MPI. */
static int open_busiest(struct mm_run_input *input, size_t at)
{
    const struct mm_profile *own = input->models.profiles[at];
    char *const path[] = {input->models.experiments[at]->path};
    struct mm_forecast_run *run = &input->runs[at];
    int busiest = busiest_rank(own), result;
    double least = INFINITY, most = 0;
    struct mm_input mpi;

    if (input->models.experiments[at]->ranks < 2)
        return -1;
    result = mm_input_open_rank(&input->busiest[at], path, 1, &compute, busiest);
    if (result >= 0)
        return result;
    result = mm_input_open(&mpi, path, 1, &inside);
    for (int r = 0; r < own->ranks.count && result < 0; r++) {
        double waits = mm_ranks_ns(&mpi.profiles[0]->ranks, r);

        least = fmin(least, waits);
        most = fmax(most, mm_ranks_ns(&own->ranks, r) + waits);
    }
    mm_input_done(&mpi);
    if (result >= 0)
        return result;
    run->profile = input->busiest[at].profiles[0];
    run->total_ns = most;
    run->transfer_ns = fmax(least, 0);
    run->waiting_ns =
        fmax(most - mm_ranks_ns(&own->ranks, busiest) - run->transfer_ns, 0);
    return -1;
}

static int open_ranks(struct mm_run_input *input, char *const *paths, int count,
                      const struct cca_given *any_machine)
{
    int result;

    input->by_rank = 1;
    mm_input_done(&input->models);
    result = mm_input_open_models(&input->models, paths, count, &compute, any_machine,
                                  input->how);
    input->busiest = calloc(input->models.count + 1, sizeof *input->busiest);
    if (result < 0 && !input->busiest)
        result = mm_no_memory();
    return result;
}

/* --- Runs whose parameters are not known ------------------------------------------ */

static int value_order(const void *left, const void *right)
{
    const struct mm_run_value *a = left, *b = right;

    return strcmp(a->name, b->name);
}

/* Print the losses of all inputs, as they may be the reason for a missing prediction. */
static void print_losses(const struct mm_input *models)
{
    struct mm_notes notes = {0};
    struct cca_error err = {0};

    if (mm_kept_note_input(&notes, models, &err))
        mm_complain(&err);
    mm_print_notes(&notes);
    mm_notes_done(&notes);
}

/* Leave killed runs and shadow calls out of the counts: they have costs of calls, but no
 * complete counts.
 * With `so_far` the first run is kept. */
static int leave_out_unfinished(struct mm_run_input *input, int so_far)
{
    for (size_t i = 0; i < input->models.count; i++)
        if (!input->models.experiments[i]->is_apart &&
            (input->models.experiments[i]->finished || (so_far && i == 0))) {
            input->experiments[input->run_count] = input->models.experiments[i];
            input->runs[input->run_count++] = input->runs[i];
        }
    if (input->run_count)
        return -1;
    print_losses(&input->models);
    return mm_refuse(MM_EXIT_NO,
                     "%s: the run did not end in order (%s): it has no counts of a run",
                     mm_safe(input->models.experiments[0]->name),
                     mm_kept_end(input->models.experiments[0]));
}

/* Add the class of an instance, once. Returns -1 to go on. */
static int add_class(struct mm_run *run, const struct mm_method_info *method)
{
    struct mm_run_value *value;

    if (!method->class_name || mm_run_value(&run->classes, method->instance))
        return -1;
    value = cca_array_add(&run->classes.items, &run->classes.count, sizeof *value);
    if (!value)
        return mm_no_memory();
    *value = (struct mm_run_value){method->instance, method->class_name};
    qsort(run->classes.items, run->classes.count, sizeof *value, value_order);
    return -1;
}

static int describe_run(struct mm_run_input *input, size_t at)
{
    const struct mm_profile *profile = input->models.profiles[at];
    struct mm_run *run = &input->described[at];
    uint64_t calls = 0;
    int result = -1;

    for (size_t i = 0; i < profile->source.method_count && result < 0; i++) {
        calls += profile->dual->vertices[i].calls;
        if (profile->dual->vertices[i].calls)
            result = add_class(run, profile->source.methods[i]);
    }
    snprintf(input->call_texts[at], sizeof *input->call_texts, "%" PRIu64, calls);
    run->variables.items = calloc(1, sizeof *run->variables.items);
    if (!run->variables.items)
        return mm_no_memory();
    run->variables.items[0] = (struct mm_run_value){"calls", input->call_texts[at]};
    run->variables.count = 1;
    run->ranks = input->models.experiments[at]->run.ranks;
    run->is_known = 1;
    return result;
}

/* If a run's parameters are unknown, describe every run by its classes and its number of
 * calls. Returns -1 to go on. */
static int describe_unknown(struct mm_run_input *input)
{
    size_t known = 0;
    int result = -1;

    while (known < input->models.count &&
           (input->models.experiments[known]->is_apart ||
            input->models.experiments[known]->run.is_known))
        known++;
    if (known == input->models.count)
        return -1;
    input->described = calloc(input->models.count, sizeof *input->described);
    input->call_texts = calloc(input->models.count, sizeof *input->call_texts);
    if (!input->described || !input->call_texts)
        return mm_no_memory();
    for (size_t i = 0; i < input->models.count && result < 0; i++)
        result = describe_run(input, i);
    return result;
}

static int list_runs(struct mm_run_input *input, int so_far)
{
    int result;

    input->runs = calloc(input->models.count + 1, sizeof *input->runs);
    input->experiments = calloc(input->models.count + 1, sizeof *input->experiments);
    if (!input->runs || !input->experiments)
        return mm_no_memory();
    result = describe_unknown(input);
    for (size_t i = 0; i < input->models.count && result < 0; i++) {
        input->runs[i] = (struct mm_forecast_run){
            .name = input->models.experiments[i]->name,
            .run = input->described ? &input->described[i]
                                    : &input->models.experiments[i]->run,
            .profile = input->models.profiles[i],
            .total_ns = NAN,
            .transfer_ns = NAN,
            .waiting_ns = NAN};
        if (input->by_rank && !input->models.experiments[i]->is_apart)
            result = open_busiest(input, i);
    }
    return result < 0 ? leave_out_unfinished(input, so_far) : result;
}

int mm_run_input_open(struct mm_run_input *input, char *const *paths, int count,
                      const struct mm_run_options *options,
                      const struct mm_run_input *alike)
{
    const struct cca_given *any_machine = options->any_machine;
    struct mm_paths all;
    int result;

    *input = (struct mm_run_input){.has_base = 1, .how = options->how};
    for (int i = 0; i < count; i++)
        input->has_base &= !mm_path_is_sweep(paths[i]);
    result = mm_paths_expand_shadows(&all, paths, count);
    if (result < 0)
        result = mm_input_open_models(&input->models, all.items, (int)all.count,
                                      options->metric, any_machine, options->how);
    if (result < 0 && (alike ? alike->by_rank : wants_ranks(input)))
        result = open_ranks(input, all.items, (int)all.count, any_machine);
    mm_paths_done(&all);
    return result < 0 ? list_runs(input, options->so_far && options->so_far->given)
                      : result;
}

const struct mm_metric *mm_run_metric(const struct mm_run_input *input)
{
    static const struct mm_metric time = {.kind = MM_METRIC_TIME, .name = "TIME"};

    return input->by_rank ? &time : &input->models.metric;
}

void mm_run_input_done(struct mm_run_input *input)
{
    for (size_t i = 0; i < input->models.count && input->busiest; i++)
        mm_input_done(&input->busiest[i]);
    for (size_t i = 0; i < input->models.count && input->described; i++) {
        free(input->described[i].classes.items);
        free(input->described[i].variables.items);
    }
    free(input->described);
    free(input->call_texts);
    free(input->busiest);
    free(input->runs);
    free(input->experiments);
    mm_input_done(&input->models);
    *input = (struct mm_run_input){0};
}
