/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c: open experiments and repositories; make the library of their models. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cost/core.h"
#include "mastermind/forecast/models/given.h"

static const char *const metrics[] = {"TIME", "CPU_TIME", "COMPUTE_TIME"};

static int check_metric(const char *metric, struct cca_error *err)
{
    for (size_t i = 0; metric && i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metric, metrics[i]) == 0)
            return 0;
    return metric ? cca_error_set(err, -EINVAL,
                                  "found the metric '%.40s', expected TIME, CPU_TIME or "
                                  "COMPUTE_TIME",
                                  metric)
                  : 0;
}

/* The metric of the costs: the requested one, else time without MPI if the run had MPI,
 * since waiting for other ranks is not a cost of a method. */
static const char *metric_of(const struct mm_experiment *experiment, const char *asked)
{
    return asked ? asked : experiment->has_mpi ? "COMPUTE_TIME" : "TIME";
}

static int open_experiment(struct act_cost *cost, const char *path, const char *asked,
                           struct cca_error *err)
{
    struct mm_experiment *experiment = mm_experiment_open(path, err);
    struct mm_metric_source *source = &cost->sources[cost->count];
    struct mm_metric metric;
    int rc;

    if (!experiment)
        return err->code;
    cost->experiments[cost->count++] = experiment;
    rc = mm_metric_find(experiment, metric_of(experiment, asked), &metric, err);
    if (rc)
        return rc;
    mm_metric_source_init(source, experiment, &metric);
    if (experiment->ranks > 1 && metric.kind == MM_METRIC_TIME)
        rc = mm_notes_add(&cost->notes,
                          "%s: no MPI time was recorded: its costs include the waiting "
                          "of %d ranks (ccafe --mpi-time on records it)",
                          experiment->name, experiment->ranks);
    cost->profiles[cost->count - 1] =
        mm_profile_new(&source->source, experiment->wiring, err);
    if (!cost->profiles[cost->count - 1])
        return err->code;
    return rc ? cca_no_memory(err) : 0;
}

/* Add a model of a repository's file to the library if the library has no model of this
 * method, or a worse one. */
static int add_model(struct act_cost *cost, struct mm_stored_model *stored, int mine,
                     struct cca_error *err)
{
    struct mm_given_model given = {.model = &stored->model,
                                   .origin = stored->file,
                                   .replace = mine && !stored->by_hand,
                                   .calls = stored->calls,
                                   .beside = stored->beside,
                                   .contexts = stored->contexts,
                                   .context_count = stored->context_count};
    const char *class_name = stored->class_name;

    if (!mine && mm_notes_add(&cost->notes, "models of %s are of another machine",
                              class_name ? class_name : "a class"))
        return cca_no_memory(err);
    return mm_library_add_model(cost->library, &given) ? cca_no_memory(err) : 0;
}

static int is_metric(const struct act_cost *cost, const char *metric)
{
    if (cost->metric)
        return strcmp(metric, cost->metric) == 0;
    return strcmp(metric, "COMPUTE_TIME") == 0 || strcmp(metric, "TIME") == 0;
}

/* Add a repository's models in the order of preference: this machine's, then hand-written
 * ones, then others; among them models of time without MPI before models of all time. */
static int add_repository(struct act_cost *cost, struct mm_repository *repository,
                          struct cca_error *err)
{
    struct mm_machine here;
    int rc = 0;

    mm_machine_of_process(&here);
    for (int pass = 3; pass >= 0 && !rc; pass--)
        for (size_t i = 0; i < repository->count && !rc; i++) {
            struct mm_stored_model *stored = &repository->models[i];
            int same, compute;

            if (!stored->model.method || !is_metric(cost, stored->metric))
                continue;
            same = mm_machine_same(&stored->machine, &here);
            compute = strcmp(stored->metric, "TIME") != 0;
            if (2 * same + compute == pass)
                rc = add_model(cost, stored, same && !cost->count, err);
        }
    return rc;
}

static int open_all(struct act_cost *cost, char *const *paths, int count,
                    const char *metric, struct cca_error *err)
{
    int rc = check_metric(metric, err);

    for (int i = 0; i < count && !rc; i++) {
        if (mm_repository_is(paths[i])) {
            struct mm_repository *repository = mm_repository_open(paths[i], err);

            if (!repository)
                return err->code;
            cost->repositories[cost->repository_count++] = repository;
        } else {
            rc = open_experiment(cost, paths[i], metric, err);
        }
    }
    if (rc)
        return rc;
    cost->library = mm_library_new(cost->profiles, cost->count, err);
    if (!cost->library)
        return err->code;
    for (size_t i = 0; i < cost->repository_count && !rc; i++)
        rc = add_repository(cost, cost->repositories[i], err);
    return rc;
}

struct act_cost *act_cost_open(char *const *paths, int count, const char *metric,
                               struct cca_error *err)
{
    struct act_cost *cost = calloc(1, sizeof *cost);
    size_t n = (size_t)count + 1;

    if (!cost) {
        cca_no_memory(err);
        return NULL;
    }
    cost->metric = metric;
    cost->costs = (struct act_costs){cost, act_cost_seconds, act_cost_fault};
    cost->experiments = calloc(n, sizeof *cost->experiments);
    cost->sources = calloc(n, sizeof *cost->sources);
    cost->profiles = calloc(n, sizeof *cost->profiles);
    cost->repositories = calloc(n, sizeof *cost->repositories);
    cost->answers = calloc(ACT_ANSWERS, sizeof *cost->answers);
    if (!cost->experiments || !cost->sources || !cost->profiles || !cost->repositories ||
        !cost->answers)
        cca_no_memory(err);
    else if (open_all(cost, paths, count, metric, err) == 0)
        return cost;
    act_cost_free(cost);
    return NULL;
}

void act_cost_free(struct act_cost *cost)
{
    if (!cost)
        return;
    mm_library_free(cost->library);
    for (size_t i = 0; i < cost->count; i++) {
        mm_profile_free(cost->profiles[i]);
        mm_metric_source_done(&cost->sources[i]);
        mm_experiment_free(cost->experiments[i]);
    }
    for (size_t i = 0; i < cost->repository_count; i++)
        mm_repository_free(cost->repositories[i]);
    mm_notes_done(&cost->notes);
    free(cost->experiments);
    free(cost->sources);
    free(cost->profiles);
    free(cost->repositories);
    free(cost->bound);
    free(cost->asked);
    free(cost->answers);
    free(cost);
}

const struct act_costs *act_cost_costs(struct act_cost *cost)
{
    return &cost->costs;
}
