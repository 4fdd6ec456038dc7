/* SPDX-License-Identifier: BSD-3-Clause */
/* models.c: collect the models that verbs use: fitted to experiments, or stored in
 * repositories. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/models/given.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/reader/json.h"

/* --- Input ------------------------------------------------------------------------ */

static int open_repository(struct mm_input *input, const char *path)
{
    struct cca_error err = {0};
    struct mm_repository *repository = mm_repository_open(path, &err);

    if (!repository)
        return mm_complain(&err);
    input->repositories[input->repository_count++] = repository;
    return -1;
}

static int open_models(struct mm_input *input, char *const *paths, int count,
                       const struct cca_given *option, unsigned how)
{
    char **experiments = calloc((size_t)count + 1, sizeof *experiments);
    struct mm_repository **repositories = calloc((size_t)count + 1, sizeof *repositories);
    int found = 0, result = -1;

    if (!experiments || !repositories) {
        free(experiments);
        free(repositories);
        return mm_no_memory();
    }
    for (int i = 0; i < count; i++)
        if (!mm_repository_is(paths[i]))
            experiments[found++] = paths[i];
    if (count && !found && !(how & MM_INPUT_ALONE))
        result = mm_refuse(MM_EXIT_MISUSE,
                           "expected an experiment before repositories of models");
    else if (found || !count)
        result = mm_input_open_stretched(input, experiments, found, option, how);
    else
        input->metric = mm_metric_named(option->given ? cca_given_value(option) : "TIME");
    input->repositories = repositories;
    for (int i = 0; i < count && result < 0; i++)
        if (mm_repository_is(paths[i]))
            result = open_repository(input, paths[i]);
    free(experiments);
    return result;
}

int mm_input_open_models(struct mm_input *input, char *const *paths, int count,
                         const struct cca_given *option,
                         const struct cca_given *any_machine, unsigned how)
{
    struct mm_paths all;
    int result = mm_paths_expand(&all, paths, count);

    *input = (struct mm_input){0};
    mm_stretch_of(&input->stretch, NULL, 0);
    if (result < 0)
        result = open_models(input, all.items, (int)all.count, option, how);
    input->any_machine = any_machine && any_machine->given;
    mm_paths_done(&all);
    return result;
}

/* --- Machines ----------------------------------------------------------------------- */

static int read_machine(struct mm_machine *machine,
                        const struct mm_experiment *experiment, struct cca_error *err)
{
    json_t *about = NULL;
    int result = mm_experiment_rank_about(experiment, 0, &about, err);

    if (result)
        return result;
    mm_machine_of_experiment(machine, about);
    json_decref(about);
    return 0;
}

/* The machine whose models are wanted: the base's, or without experiments this one. */
static int ask_machine(const struct mm_input *input, struct mm_machine *machine,
                       struct cca_error *err)
{
    if (input->count)
        return read_machine(machine, input->experiments[0], err);
    mm_machine_of_process(machine);
    return 0;
}

/* --- Libraries ---------------------------------------------------------------------- */

/* The metric under which repositories store the models: WALL_TIME models are stored as
 * models of own time. */
static const char *kept_metric(const struct mm_input *input)
{
    return input->metric.kind == MM_METRIC_WALL_TIME ? "TIME" : input->metric.name;
}

/* Add a note if a stored model is of a build that no experiment ran. */
static int note_build(const struct mm_input *input, struct mm_notes *notes,
                      const struct mm_stored_model *stored, const char *path)
{
    const struct mm_method_info *m = stored->model.method;
    int ran = 0, other = 0;

    for (size_t i = 0; i < input->count; i++) {
        const struct mm_experiment *e = input->experiments[i];

        for (size_t k = 0; k < e->method_count; k++) {
            if (strcmp(e->methods[k]->class_name, m->class_name) != 0)
                continue;
            ran |= strcmp(e->methods[k]->build_id, m->build_id) == 0;
            other |= strcmp(e->methods[k]->build_id, m->build_id) != 0;
        }
    }
    if (ran || !other || !*m->build_id)
        return 0;
    return mm_notes_add(notes, "%s: its models of %s are of another build, %.8s", path,
                        m->class_name, m->build_id);
}

static int add_model(struct mm_library *library, struct mm_stored_model *stored,
                     const char *path, int mine)
{
    /* The strings of the callees belong to `stored`. */
    struct mm_callee *callees = calloc(stored->callee_count + 1, sizeof *callees);
    struct mm_given_model given = {.model = &stored->model,
                                   .replace = mine == 2,
                                   .calls = stored->calls,
                                   .callees = callees,
                                   .callee_count = stored->callee_count,
                                   .beside = stored->beside,
                                   .contexts = stored->contexts,
                                   .context_count = stored->context_count};
    char machine[400], what[460] = "";
    int result;

    if (stored->by_hand)
        snprintf(what, sizeof what, ", written by hand");
    if (!mine)
        snprintf(what + strlen(what), sizeof what - strlen(what), ", another machine: %s",
                 mm_machine_print(&stored->machine, machine, sizeof machine));
    if (asprintf(&stored->mark, "%s%s", path, what) < 0)
        stored->mark = NULL;
    given.origin = stored->mark;
    if (!callees || !given.origin) {
        free(callees);
        return -ENOMEM;
    }
    for (size_t i = 0; i < stored->callee_count; i++) {
        callees[i].port_type = stored->callees[i].port_type;
        callees[i].method = stored->callees[i].method;
        callees[i].calls = stored->callees[i].calls;
        callees[i].inclusive_ns = stored->callees[i].inclusive_ns;
    }
    result = mm_library_add_model(library, &given);
    free(callees);
    return result;
}

/* Add the models of one repository: fitted models of this machine, which replace models
 * fitted to experiments; then models written by hand, then models of other machines, both
 * only for methods that have no model yet. */
static int add_repository(const struct mm_input *input, struct mm_library *library,
                          struct mm_repository *repository,
                          const struct mm_machine *machine)
{
    size_t left_out = 0;

    for (int pass = 2; pass >= 0; pass--) {
        for (size_t i = 0; i < repository->count; i++) {
            struct mm_stored_model *stored = &repository->models[i];
            int same, mine;

            if (!stored->model.method || strcmp(stored->metric, kept_metric(input)) != 0)
                continue;
            same = mm_machine_same(&stored->machine, machine);
            mine = !same ? 0 : stored->by_hand ? 1 : 2;
            if (mine != pass)
                continue;
            if (!same && !input->any_machine) {
                left_out++;
                continue;
            }
            if (note_build(input, &library->notes, stored, repository->path) ||
                add_model(library, stored, repository->path, mine))
                return -ENOMEM;
        }
    }
    if (!left_out)
        return 0;
    return mm_notes_add(&library->notes,
                        "%s: %zu model%s of another machine %s left out; --any-machine "
                        "takes them",
                        repository->path, left_out, left_out == 1 ? "" : "s",
                        left_out == 1 ? "is" : "are");
}

struct mm_library *mm_input_library(const struct mm_input *input,
                                    const struct mm_search_options *options,
                                    struct cca_error *err)
{
    struct mm_library *library =
        mm_library_fit(input->profiles, input->count, options, err);
    struct mm_machine machine;
    int result = library ? 0 : -1;

    if (library && input->repository_count)
        result = ask_machine(input, &machine, err);
    for (size_t i = 0; i < input->repository_count && !result; i++)
        if (add_repository(input, library, input->repositories[i], &machine))
            result = cca_no_memory(err);
    if (!result)
        return library;
    mm_library_free(library);
    return NULL;
}

/* --- Saving ------------------------------------------------------------------------- */

/* Check that all experiments ran on one machine, and return it in `machine`. Returns -1
 * to go on, else an exit code. */
static int find_machine(const struct mm_input *input, struct mm_machine *machine)
{
    struct cca_error err = {0};

    for (size_t i = 0; i < input->count; i++) {
        struct mm_machine other;

        if (read_machine(i ? &other : machine, input->experiments[i], &err))
            return mm_complain(&err);
        if (i && !mm_machine_same(machine, &other))
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s and %s ran on different machines: save their models one "
                             "by one",
                             mm_safe(input->experiments[0]->name),
                             mm_safe(input->experiments[i]->name));
    }
    return -1;
}

/* Copy the models of a set for storing; strings are borrowed. Returns 0 or -ENOMEM. */
static int store_set(const struct mm_model_set *set, const struct mm_stored_model *like,
                     struct mm_stored_model **stored, size_t *count)
{
    struct mm_stored_callee *callees =
        calloc(set->callee_count + 1, sizeof *callees); /* callees of the set, freed by
                                                         * free_stored */

    if (!callees)
        return -ENOMEM;
    for (size_t i = 0; i < set->callee_count; i++)
        callees[i] = (struct mm_stored_callee){
            (char *)set->callees[i].port_type, (char *)set->callees[i].method,
            set->callees[i].calls, set->callees[i].inclusive_ns};
    for (size_t i = 0; i < set->model_count; i++) {
        if (cca_array_reserve(stored, *count, sizeof **stored)) {
            if (!i)
                free(callees);
            return -ENOMEM;
        }
        (*stored)[*count] = *like;
        (*stored)[*count].model = set->models[i];
        (*stored)[*count].calls = set->calls;
        (*stored)[*count].callees = callees;
        (*stored)[*count].callee_count = set->callee_count;
        (*stored)[*count].beside = set->beside;
        (*stored)[*count].contexts = set->contexts;
        (*stored)[*count].context_count = set->context_count;
        ++*count;
    }
    if (!set->model_count)
        free(callees);
    return 0;
}

static void free_stored(struct mm_stored_model *stored, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!i || stored[i].callees != stored[i - 1].callees)
            free(stored[i].callees);
    free(stored);
}

static int save_all(struct mm_stored_model *stored, size_t count, const char *path,
                    struct cca_error *err)
{
    struct mm_stored_model **pointers = calloc(count + 1, sizeof *pointers);
    int result;

    if (!pointers)
        return cca_no_memory(err);
    for (size_t i = 0; i < count; i++)
        pointers[i] = &stored[i];
    result = mm_repository_save(path, pointers, count, err);
    free(pointers);
    return result;
}

int mm_input_save(const struct mm_input *input, const struct mm_library *library,
                  int (*wanted)(const void *context, const struct mm_model_set *set),
                  const void *context, const char *path)
{
    struct mm_stored_model like = {.metric = (char *)kept_metric(input)};
    struct mm_stored_model *stored = NULL;
    struct cca_error err = {0};
    size_t count = 0;
    int result = find_machine(input, &like.machine);

    if (result >= 0)
        return result;
    for (size_t i = 0; i < library->count && !err.code; i++) {
        const struct mm_model_set *set = &library->sets[i];

        if (set->given || (wanted && !wanted(context, set)))
            continue;
        if (store_set(set, &like, &stored, &count))
            cca_no_memory(&err);
    }
    if (!err.code)
        save_all(stored, count, path, &err);
    free_stored(stored, count);
    if (err.code)
        return mm_complain(&err);
    fprintf(stderr, "mastermind: note: %s saved in %s\n", mm_counted(count, "model"),
            mm_safe(path));
    return -1;
}
