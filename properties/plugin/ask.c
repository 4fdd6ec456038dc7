/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.c: let a component evaluate in a child, and validate its answers. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "properties/evaluate/answers.h"
#include "properties/evaluate/rows.h"
#include "properties/plugin/parts.h"
#include "properties/store/store.h"

static const double usual_seconds = 10;
/* limit of answers of a component: this number plus four per summary */
static const size_t least_answers = 10000;

struct asking {
    const struct mm_plugin *plugin;
    const struct mm_property_question *question;
    struct mm_component component;
    struct mm_host_question host;
    int64_t *runs;
    int64_t *regions, *units; /* ids that answers may contain, ascending */
    size_t region_count, unit_count, most;
    struct mm_property_answers *answers;
};

/* --- Ids of regions and units that a question may name
 * --------------------------------------------------------------------------- */

static int is_among(const int64_t *ids, size_t count, int64_t id)
{
    return count && bsearch(&id, ids, count, sizeof id, cca_order_int64) != NULL;
}

/* Read the ids of a table, ascending; with a glob only ids of rows whose name matches. */
static int read_ids(int64_t **ids, size_t *count, struct mm_store *store,
                    const char *table, const char *glob, const struct asking *a,
                    struct cca_error *err)
{
    struct mm_rows *rows;
    int64_t *place;
    int result = mm_rows_open(&rows, store, table, glob ? "id, name" : "id", a->host.runs,
                              a->host.run_count, err),
        step = 0;

    while (!result && (step = mm_rows_next(rows)) > 0) {
        const char *name = glob ? mm_rows_text(rows, 1) : NULL;

        if (glob && (!name || fnmatch(glob, name, 0) != 0))
            continue;
        place = cca_array_add(ids, count, sizeof *place);
        if (place)
            *place = mm_rows_id(rows, 0);
        else
            result = cca_no_memory(err);
    }
    if (step < 0)
        result = cca_error_set(err, -EIO, "store: cannot read table %s", table);
    if (!result || step)
        mm_rows_close(rows);
    if (*count)
        qsort(*ids, *count, sizeof **ids, cca_order_int64);
    return result;
}

/* Set the limit of answers. */
static int count_most(struct asking *a, struct mm_store *store, struct cca_error *err)
{
    struct mm_rows *rows;
    int result = mm_rows_open(&rows, store, "summary", "unit", a->host.runs,
                              a->host.run_count, err);

    a->most = least_answers;
    if (result)
        return result;
    while (mm_rows_next(rows) > 0)
        a->most += 4;
    mm_rows_close(rows);
    return 0;
}

/* --- Missing data
 * ------------------------------------------------------------------------ */

static int add_undecided(struct mm_property_answers *answers, int64_t experiment,
                         const char *reason, struct cca_error *err)
{
    const struct mm_property_answer a = {.experiment = experiment,
                                         .holds = -1,
                                         .severity = NAN,
                                         .confidence = NAN,
                                         .low = NAN,
                                         .high = NAN,
                                         .reason = mm_answers_string(answers, reason)};

    return a.reason && !mm_answers_add(answers, &a) ? 0 : cca_no_memory(err);
}

/* Whether a run has all data that the component needs. Returns 1; or 0 with the reason in
 * `text`. */
static int has_needs(const struct mm_plugin *plugin, struct mm_store *store,
                     int64_t experiment, char *text, size_t size, struct cca_error *err)
{
    int has = 1;

    for (size_t i = 0; i < plugin->need_count && has > 0; i++)
        if (strcmp(plugin->needs[i], "sequential") != 0)
            has = mm_rows_has(store, experiment, plugin->needs[i], text, size, err);
    return has;
}

static int needs_sequential(const struct mm_plugin *plugin)
{
    for (size_t i = 0; i < plugin->need_count; i++)
        if (strcmp(plugin->needs[i], "sequential") == 0)
            return 1;
    return 0;
}

/* Choose the runs that have the needed data; other runs get their answer here. */
static int choose_runs(struct asking *a, struct mm_store *store, struct cca_error *err)
{
    const struct mm_property_question *q = a->question;
    char why[300];
    int has = 1;

    a->runs = calloc(q->experiment_count + 1, sizeof *a->runs);
    if (!a->runs)
        return cca_no_memory(err);
    a->host.runs = a->runs;
    if (needs_sequential(a->plugin)) {
        if (!q->sequential)
            return add_undecided(a->answers, 0, "no sequential run: --seq EXP", err);
        has = has_needs(a->plugin, store, q->sequential, why, sizeof why, err);
        if (has == 0)
            return add_undecided(a->answers, 0, why, err);
    }
    for (size_t i = 0; i < q->experiment_count && has >= 0; i++) {
        has = has_needs(a->plugin, store, q->experiments[i], why, sizeof why, err);
        if (has > 0)
            a->runs[a->host.run_count++] = q->experiments[i];
        else if (has == 0 && add_undecided(a->answers, q->experiments[i], why, err))
            return -ENOMEM;
    }
    return has < 0 ? has : 0;
}

/* --- Answers of the child
 * ---------------------------------------------------------------- */

static int work(void *context, struct mm_frames *frames, struct cca_error *err)
{
    const struct asking *a = context;

    return mm_host_evaluate(&a->component, &a->host, frames, err);
}

static int refuse(char *fault, size_t size, const char *found, double number,
                  const char *expected)
{
    snprintf(fault, size, "answered with %s %g, expected %s", found, number, expected);
    return 1;
}

static int is_asked_run(const struct asking *a, int64_t id)
{
    for (size_t i = 0; i < a->host.run_count; i++)
        if (a->host.runs[i] == id)
            return 1;
    return 0;
}

/* Validate the numbers of a component's answer. Returns 0, or not 0 with the reason in
 * `fault`. */
static int check(const struct asking *a, const struct mm_answer_frame *f, char *fault,
                 size_t size)
{
    int set = f->experiment == 0 && a->host.run_count > 1;

    if (!set && !is_asked_run(a, f->experiment))
        return refuse(fault, size, "experiment", (double)f->experiment,
                      "a run of the question");
    if (f->unit && !is_among(a->units, a->unit_count, f->unit))
        return refuse(fault, size, "unit", (double)f->unit, "a unit of these runs");
    if (f->holds < -1 || f->holds > 1)
        return refuse(fault, size, "holds", f->holds, "1, 0 or -1");
    if (f->holds >= 0 ? !isfinite(f->severity) : !isnan(f->severity))
        return refuse(fault, size, "severity", f->severity,
                      f->holds >= 0 ? "a number" : "NaN where holds is -1");
    if (!isnan(f->confidence) && !(f->confidence >= 0 && f->confidence <= 1))
        return refuse(fault, size, "confidence", f->confidence, "0 to 1, or NaN");
    if (f->holds < 0 && !f->has_reason)
        return refuse(fault, size, "holds", f->holds, "a reason with it");
    return 0;
}

static int take(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size)
{
    struct asking *a = context;
    struct mm_answer_frame f;
    struct mm_property_answer answer = {.low = NAN, .high = NAN};
    const char *detail = body + sizeof f, *reason;

    if (kind != MM_FRAME_ANSWER || size < sizeof f + 2) {
        snprintf(fault, fault_size, "wrote an invalid answer");
        return 1;
    }
    memcpy(&f, body, sizeof f);
    reason = memchr(detail, '\0', size - sizeof f - 1);
    if (!reason || check(a, &f, fault, fault_size)) {
        if (!reason)
            snprintf(fault, fault_size, "wrote an invalid answer");
        return 1;
    }
    reason++;
    if (a->answers->count >= a->most) {
        snprintf(fault, fault_size, "gave more than %zu answers", a->most);
        return 1;
    }
    /* skip regions outside of the question */
    if (f.region && !is_among(a->regions, a->region_count, f.region)) {
        if (a->question->region_glob)
            return 0;
        return refuse(fault, fault_size, "region", (double)f.region,
                      "a region of the store");
    }
    answer.experiment = f.experiment;
    answer.region = f.region;
    answer.unit = f.unit;
    answer.holds = f.holds;
    answer.severity = f.severity;
    answer.confidence = f.confidence;
    answer.detail = f.has_detail ? mm_answers_string(a->answers, detail) : NULL;
    answer.reason =
        f.holds < 0 && f.has_reason ? mm_answers_string(a->answers, reason) : NULL;
    if (mm_answers_add(a->answers, &answer)) {
        snprintf(fault, fault_size, "out of memory");
        return 1;
    }
    return 0;
}

/* --- The two functions
 * ------------------------------------------------------------------- */

/* Drop the answers before the failure, and add an answer with the reason for each run. */
static int blame(struct asking *a, struct mm_plugin *plugin, const char *fault,
                 struct cca_error *err)
{
    int result = 0;

    if (!plugin->fault)
        plugin->fault = mm_plugin_blame(plugin, fault);
    if (!plugin->fault)
        return cca_no_memory(err);
    mm_property_answers_done(a->answers);
    for (size_t i = 0; i < a->question->experiment_count && !result; i++)
        result =
            add_undecided(a->answers, a->question->experiments[i], plugin->fault, err);
    return result;
}

/* Runs without an answer get the answer that nothing was found. */
static int ask_child(struct asking *a, struct mm_plugin *plugin, struct cca_error *err)
{
    const struct mm_child child = {
        work, take, a, a->question->seconds > 0 ? a->question->seconds : usual_seconds};
    char fault[400];
    int result = mm_child_run(&child, fault, sizeof fault, err);

    return result == 1 ? blame(a, plugin, fault, err) : result;
}

int mm_plugin_evaluate(struct mm_property_code *self, struct mm_property_answers *answers,
                       struct mm_store *store, const struct mm_property *property,
                       const struct mm_property_question *question, struct cca_error *err)
{
    struct mm_plugin *plugin = cca_container_of(self, struct mm_plugin, code);
    struct asking a = {
        .plugin = plugin,
        .question = question,
        .component = {plugin->file, plugin->class_name, plugin->port, plugin->trust},
        .host = {.store = store,
                 .sequential = question->sequential,
                 .basis = question->basis},
        .answers = answers};
    int result;

    (void)property;
    if (plugin->fault)
        return blame(&a, plugin, plugin->fault, err);
    result = choose_runs(&a, store, err);
    if (result == -EINVAL) {
        char fault[600];

        snprintf(fault, sizeof fault, "requires missing data: %.500s", err->text);
        *err = (struct cca_error){0};
        result = blame(&a, plugin, fault, err);
    } else if (!result && a.host.run_count) {
        result = read_ids(&a.regions, &a.region_count, store, "region",
                          question->region_glob, &a, err);
        if (!result)
            result = read_ids(&a.units, &a.unit_count, store, "unit", NULL, &a, err);
        if (!result)
            result = count_most(&a, store, err);
        if (!result)
            result = ask_child(&a, plugin, err);
    }
    free(a.runs);
    free(a.regions);
    free(a.units);
    return result;
}

int mm_plugin_lint(struct mm_property_code *self, struct mm_store *store,
                   const struct mm_property *property, struct cca_error *err)
{
    struct mm_plugin *plugin = cca_container_of(self, struct mm_plugin, code);
    char text[300];

    (void)property;
    if (plugin->fault)
        return cca_error_set(err, -EBADMSG, "%s", plugin->fault);
    if (has_needs(plugin, store, 0, text, sizeof text, err) < 0) {
        char fault[600];

        snprintf(fault, sizeof fault, "%s: requires_data: %.500s", plugin->file,
                 err->text);
        *err = (struct cca_error){0};
        return cca_error_set(err, -EBADMSG, "%s", fault);
    }
    return 0;
}
