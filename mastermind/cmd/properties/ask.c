/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.c: load runs, evaluate all requested properties, compute confidence, rank. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/directory.h"
#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"
#include "properties/evaluate/results.h"
#include "properties/load/load.h"

/* default time limit of one property over all runs */
static const double property_seconds = 60;

/* --- Runs --------------------------------------------------------------------------- */

static void show_progress(void *context, const char *line)
{
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", line);
}

static int load_runs(struct properties_asked *a)
{
    const struct mm_load_options options = {.progress = show_progress};
    int result;

    if (a->path_count == 1 && !a->sequential && mm_store_is(a->paths[0]))
        return mm_store_open(&a->store, a->paths[0], &a->err) ? mm_complain(&a->err) : -1;
    result = mm_store_new(&a->store, NULL, &a->err);
    for (size_t i = 0; i < a->path_count && !result; i++)
        result = mm_store_load(a->store, a->paths[i], &options, &a->err);
    if (!result && a->sequential) {
        result = mm_store_load(a->store, a->sequential, &options, &a->err);
        /* the run was loaded already, as one of the other runs */
        if (result == -EEXIST) {
            result = 0;
            a->err = (struct cca_error){0};
        }
    }
    if (!result)
        result = mm_store_finish(a->store, &a->err);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (result == -EEXIST) /* the run was given twice */
        return mm_refuse(MM_EXIT_INPUT, "%s", mm_safe(a->err.text));
    return result ? mm_complain(&a->err) : -1;
}

/* Find the sequential run: the run named by --seq, else the only run on one processing
 * unit. */
static int64_t find_sequential(struct properties_asked *a)
{
    const struct mm_world_run *one = NULL;
    size_t others = 0;

    for (size_t i = 0; i < a->world.run_count; i++) {
        const struct mm_world_run *run = &a->world.runs[i];

        if (a->sequential && cca_directory_is_same(run->path, a->sequential))
            return run->id;
        if (run->units == 1 && !one)
            one = run;
        others += run->units > 1;
    }
    if (a->sequential || !one || !others)
        return 0;
    a->sequential_found = 1;
    return one->id;
}

static int choose_runs(struct properties_asked *a)
{
    a->sequential_id = find_sequential(a);
    if (a->sequential && !a->sequential_id)
        return mm_refuse(MM_EXIT_INPUT, "%s: found several runs, expected one for --seq",
                         mm_safe(a->sequential));
    a->experiments = calloc(a->world.run_count + 1, sizeof *a->experiments);
    if (!a->experiments)
        return mm_no_memory();
    for (size_t i = 0; i < a->world.run_count; i++)
        if (a->world.runs[i].id != a->sequential_id)
            a->experiments[a->experiment_count++] = a->world.runs[i].id;
    /* a run compared only with itself is still evaluated for other properties */
    if (!a->experiment_count && a->sequential_id)
        a->experiments[a->experiment_count++] = a->sequential_id;
    return a->experiment_count ? -1
                               : mm_refuse(MM_EXIT_INPUT, "found no run, expected one");
}

/* --- Regions ------------------------------------------------------------------------ */

/* Find the region named exactly as in --basis. Returns -1 to go on. */
static int find_basis(const struct properties_asked *a, int64_t *basis)
{
    struct cca_nearest nearest;

    *basis = 0;
    if (!a->basis)
        return -1;
    cca_nearest_init(&nearest, a->basis);
    for (size_t i = 0; i < a->world.region_count; i++) {
        const struct mm_world_region *r = &a->world.regions[i];

        if (strcmp(r->kind, "callsite") == 0)
            continue;
        if (strcmp(r->name, a->basis) == 0) {
            *basis = r->id;
            return -1;
        }
        cca_nearest_offer(&nearest, r->name);
    }
    return mm_refuse(MM_EXIT_INPUT, "found no region '%s'%s%s, expected one for --basis",
                     mm_safe(a->basis), nearest.best ? ", did you mean " : "",
                     nearest.best ? mm_safe(nearest.best) : "");
}

/* Refuse a pattern of --region that no region matches. Returns -1 to go on. */
static int check_region(const struct properties_asked *a)
{
    for (size_t i = 0; a->region && i < a->world.region_count; i++)
        if (fnmatch(a->region, a->world.regions[i].name, 0) == 0)
            return -1;
    return a->region ? mm_refuse(MM_EXIT_INPUT,
                                 "found no region like '%s', expected one for --region",
                                 mm_safe(a->region))
                     : -1;
}

/* True for regions that are left out: regions with a share of the basis below the
 * threshold, in which no overhead can exceed it, and calling contexts. */
static int is_small(const struct properties_asked *a,
                    const struct mm_world_region *region)
{
    return region && !a->everything &&
           (region->share < a->threshold || strcmp(region->kind, "context") == 0);
}

static int set_places(struct properties_asked *a)
{
    a->places = calloc(a->world.region_count + 1, sizeof *a->places);
    if (!a->places)
        return mm_no_memory();
    for (size_t i = 0; i < a->world.region_count; i++) {
        const struct mm_world_region *r = &a->world.regions[i];

        a->places[i] = (struct mm_place){r->id, r->parent, r->kind, r->name, r->share};
        a->small +=
            !a->everything && r->share < a->threshold && strcmp(r->kind, "context") != 0;
    }
    return -1;
}

/* --- Answers ------------------------------------------------------------------------ */

/* True if a severity is a share of its region, like load imbalance; severities that use
 * the basis are shares of the run. A Metaproperty follows its first member. */
static int is_share_of_region(const struct properties_asked *a,
                              const struct mm_property *p, int depth)
{
    if (p->object == MM_FOR_PROPERTIES) {
        for (size_t i = 0; i < a->library.count && p->of_count && depth < 8; i++)
            if (!strcmp(a->library.all[i]->name.text, p->of[0]))
                return is_share_of_region(a, a->library.all[i], depth + 1);
        return 0;
    }
    return p->code ? p->code->share_of_region : !strstr(p->severity.text, "basis.");
}

/* Factor from a severity to a share of the run's time: the share of the run that the
 * denominator of the severity has. */
static double weight_of(const struct properties_asked *a, const struct mm_property *p,
                        const struct mm_world_region *region)
{
    const char *text = p->severity.text;
    double share;

    if (!region || !is_share_of_region(a, p, 0))
        return 1;
    share = strstr(text, "sync_time")   ? region->sync_share
            : strstr(text, "comm_time") ? region->comm_share
                                        : region->share;
    return share < 1 ? share : 1;
}

/* True if uneven times of the region may just be waiting, as times in MPI are: the rank
 * that waits is then not the cause. */
static int is_of_waiting(const struct mm_property *p,
                         const struct mm_world_region *region)
{
    const char *text = p->severity.text;

    if (p->object != MM_FOR_REGION || strstr(text, "basis.") ||
        strstr(text, "useful_time"))
        return 0;
    return strstr(text, "sync_time") || strstr(text, "comm_time") ||
           (strstr(text, "exec_time") && region && region->in_mpi > .5);
}

static int take_answer(struct properties_asked *a, const struct mm_property *p,
                       const struct mm_property_answer *found)
{
    const struct mm_world_region *region = mm_world_region(&a->world, found->region);
    const struct mm_world_unit *unit = mm_world_unit(&a->world, found->unit);
    const struct mm_world_run *run = mm_world_run(&a->world, found->experiment);
    struct mm_named_answer *place;

    if (is_small(a, region))
        return 0;
    place = cca_array_add(&a->answers, &a->answer_count, sizeof *place);
    if (!place)
        return -ENOMEM;
    *place = (struct mm_named_answer){
        .property = p->name.text,
        .because = (const char *const *)p->because,
        .because_count = p->because_count,
        .configuration = run ? a->world.runs[run->same].id : 0,
        .region = found->region,
        .rank = unit ? unit->rank : -1,
        .thread = unit ? unit->thread : -1,
        .worst_rank = !unit && region ? region->worst_rank : -1,
        .detail = found->detail,
        .holds = found->holds,
        .severity = found->severity,
        .weight = weight_of(a, p, region),
        .of_waiting = is_of_waiting(p, region),
        .confidence = found->confidence,
        .low = found->low,
        .high = found->high,
        .how = found->how,
        .reason = found->reason,
    };
    return 0;
}

static int ask_one(struct properties_asked *a, size_t at, int64_t basis)
{
    const struct mm_property *p = a->library.all[at];
    const struct mm_property_question question = {
        .basis = basis,
        .experiments = a->experiments,
        .experiment_count = a->experiment_count,
        .sequential = a->sequential_id,
        .region_glob = a->region,
        .seconds = a->seconds > 0 ? a->seconds : property_seconds,
        .library = (const struct mm_property *const *)a->library.all,
        .library_count = a->library.count};
    struct mm_property_answers *answers = &a->kept[at];
    int result = mm_property_evaluate(answers, a->store, p, &question, &a->err);

    if (!result && !a->doubt)
        result = mm_doubt_new(&a->doubt, a->store, &question, a->threshold,
                              a->everything ? 0 : a->threshold, &a->err);
    if (!result)
        result = mm_answers_doubt(answers, a->doubt, p, &question, &a->err);
    for (size_t i = 0; i < answers->count && !result; i++)
        result = take_answer(a, p, &answers->all[i]) ? cca_no_memory(&a->err) : 0;
    return result ? mm_complain(&a->err) : -1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Evaluate all requested properties, with progress after one second. Returns -1 to go
 * on. */
static int ask_all(struct properties_asked *a, int64_t basis)
{
    double began = now();
    int result = -1, shown = 0;
    char line[120];

    for (size_t i = 0; i < a->library.count && result < 0; i++) {
        if (!a->library.asked[i])
            continue;
        if (now() - began > 1) {
            snprintf(line, sizeof line, "property %zu of %zu: %s", i + 1,
                     a->library.count, a->library.all[i]->name.text);
            show_progress(NULL, line);
            shown = 1;
        }
        result = ask_one(a, i, basis);
    }
    if (shown && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return result;
}

int properties_ask(struct properties_asked *a)
{
    struct mm_findings_options options = {a->threshold, a->confidence, a->looks};
    int64_t basis = 0;
    int result = load_runs(a);

    if (result < 0 && mm_world_read(&a->world, a->store, 0, &a->err))
        result = mm_complain(&a->err);
    if (result < 0)
        result = find_basis(a, &basis);
    if (result < 0)
        result = check_region(a);
    if (result < 0 && basis) {
        mm_world_done(&a->world);
        if (mm_world_read(&a->world, a->store, basis, &a->err))
            result = mm_complain(&a->err);
    }
    if (result < 0)
        result = choose_runs(a);
    if (result < 0)
        result = set_places(a);
    a->kept = calloc(a->library.count + 1, sizeof *a->kept);
    if (!a->kept)
        return mm_no_memory();
    if (result < 0)
        result = ask_all(a, basis);
    if (result < 0 && (mm_findings_make(&a->findings, a->answers, a->answer_count,
                                        a->places, a->world.region_count, &options) ||
                       mm_causes_make(&a->causes, &a->findings)))
        result = mm_no_memory();
    return result;
}

int properties_write(const struct properties_asked *a, const char *path)
{
    struct mm_result_set *sets = calloc(a->library.count + 1, sizeof *sets);
    struct cca_error err = {0};
    size_t count = 0;
    int result;

    if (!sets)
        return mm_no_memory();
    for (size_t i = 0; i < a->library.count; i++)
        if (a->library.asked[i])
            sets[count++] =
                (struct mm_result_set){a->library.all[i]->name.text, &a->kept[i]};
    result = mm_results_write(a->store, path, sets, count, &err) ? mm_complain(&err) : -1;
    free(sets);
    return result;
}

void properties_asked_done(struct properties_asked *a)
{
    mm_causes_free(&a->causes);
    mm_findings_free(&a->findings);
    for (size_t i = 0; a->kept && i < a->library.count; i++)
        mm_property_answers_done(&a->kept[i]);
    free(a->kept);
    free(a->answers);
    free(a->places);
    free(a->experiments);
    mm_world_done(&a->world);
    mm_doubt_free(a->doubt);
    mm_store_free(a->store);
    properties_library_done(&a->library);
}
