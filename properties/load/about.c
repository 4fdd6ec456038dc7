/* SPDX-License-Identifier: BSD-3-Clause */
/* about.c: rows of application, version and experiment: the program that ran. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/sort.h"
#include "mastermind/reader/json.h"
#include "properties/load/parts.h"
#include "properties/load/sums/sums.h"

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static const char *script_of(const json_t *about)
{
    const char *script = json_string_value(json_object_get(about, "script"));

    return script && *script ? script : NULL;
}

static const char *application_of(const struct mm_experiment *e, const json_t *about)
{
    const char *script = script_of(about);

    return script             ? base_of(script)
           : e->command_count ? base_of(e->command[0])
           : e->source        ? base_of(e->source)
                              : e->name;
}

/* --- Version -------------------------------------------------------------- */

/* Sort lines of instance, class and build id, and join them without duplicates. Returns a
 * new string. */
static char *join_lines(char **lines, size_t count)
{
    struct mm_text all = {0};

    mm_text_add(&all, "%s", "");
    if (count)
        qsort(lines, count, sizeof *lines, cca_order_text);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(lines[i], lines[i - 1]) != 0)
            mm_text_add(&all, "%s%s", all.length ? "\n" : "", lines[i]);
    if (!all.failed)
        return all.text;
    free(all.text);
    return NULL;
}

static char *line_of(const char *instance, const char *class_name, const char *build)
{
    struct mm_text line = {0};

    mm_text_add(&line, "%s %s %s", instance ? instance : "", class_name ? class_name : "",
                build ? build : "");
    return line.text;
}

/* Text that identifies the build: instances, classes and build ids of the wiring; without
 * wiring, of the instances that have methods. */
static char *build_of(const struct mm_experiment *e)
{
    const struct mm_wiring *w = e->wiring;
    size_t count = w && w->instance_count ? w->instance_count : e->method_count, made = 0;
    char **lines = calloc(count + 1, sizeof *lines), *all = NULL;

    for (; lines && made < count; made++) {
        lines[made] =
            w && w->instance_count
                ? line_of(w->instances[made].name, w->instances[made].class_name,
                          w->instances[made].build_id)
                : line_of(e->methods[made]->instance, e->methods[made]->class_name,
                          e->methods[made]->build_id);
        if (!lines[made])
            break;
    }
    if (lines && made == count)
        all = join_lines(lines, count);
    for (size_t i = 0; lines && i < made; i++)
        free(lines[i]);
    free(lines);
    return all;
}

static int put_version(struct mm_load *load, const char *application)
{
    char *build = build_of(load->e);
    int64_t id = 0;
    int result = build ? mm_put_once(load->store, NULL, load->err,
                                     "INSERT INTO application (name) VALUES (?) ON"
                                     " CONFLICT DO NOTHING",
                                     "t", application)
                       : cca_no_memory(load->err);

    if (!result)
        result =
            mm_put_once(load->store, &id, load->err,
                        "SELECT id FROM application WHERE name = ?", "t", application);
    if (!result)
        result = mm_put_once(load->store, NULL, load->err,
                             "INSERT INTO version (application, build) VALUES (?, ?) ON"
                             " CONFLICT DO NOTHING",
                             "it", id, build);
    if (!result)
        result = mm_put_once(load->store, &load->version, load->err,
                             "SELECT id FROM version WHERE application = ? AND build = ?",
                             "it", id, build);
    free(build);
    return result;
}

/* --- Problem -------------------------------------------------------------- */

/* Whether a parameter is an output file's name, with a folder or a suffix of letters: it
 * is not part of the problem. */
static int is_file(const char *text)
{
    const char *dot = strrchr(text, '.');

    return strchr(text, '/') || (dot && dot > text && isalpha((unsigned char)dot[1]));
}

static void add_values(struct mm_text *text, const struct mm_run_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (!is_file(values->items[i].text))
            mm_text_add(text, " %s=%s", values->items[i].name, values->items[i].text);
}

/* A new string with the problem that a run solves: the script and its parameters, or a
 * program's command line. */
static char *problem_of(const struct mm_experiment *e, const char *application)
{
    struct mm_text text = {0};

    mm_text_add(&text, "%s", application);
    if (e->run.is_known) {
        add_values(&text, &e->run.variables);
        add_values(&text, &e->run.set);
    } else if (!e->origin) {
        for (size_t i = 1; i < e->command_count; i++)
            mm_text_add(&text, " %s", e->command[i]);
    }
    if (!text.failed)
        return text.text;
    free(text.text);
    return NULL;
}

/* A new string with the configuration of a run, which is equal in repeated runs. */
static char *configuration_of(const struct mm_load *load, const char *problem)
{
    const struct mm_experiment *e = load->e;
    struct mm_text text = {0};

    mm_text_add(&text, "%s; ranks=%d threads=%d", problem, e->ranks, load->threads);
    mm_text_add(&text, " storage=%s mpi=%d cpu=%d", e->storage ? e->storage : "",
                e->has_mpi, e->has_cpu);
    for (size_t i = 0; i < e->counter_count; i++)
        mm_text_add(&text, "%s%s", i ? "," : " metrics=", e->counters[i]);
    mm_text_add(&text, " version=%lld machine=%lld", (long long)load->version,
                (long long)load->machine);
    if (!text.failed)
        return text.text;
    free(text.text);
    return NULL;
}

/* --- Experiment ----------------------------------------------------------- */

static const char *state_of(const struct mm_load *load, const json_t *about)
{
    const struct mm_experiment *e = load->e;

    if (e->origin)
        return strcmp(e->origin, "simulated") == 0 ? "simulated" : "imported";
    (void)about;
    return e->finished ? "finished" : mm_load_is_running(load) ? "running" : "killed";
}

static double started_of(const json_t *about)
{
    const char *text = json_string_value(json_object_get(about, "started"));
    struct tm tm = {0};

    return text && strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? (double)timegm(&tm) : NAN;
}

static double recording_of(const struct mm_experiment *e)
{
    if (!(e->cost.process_ns > 0))
        return NAN;
    return (e->cost.calls_ns + e->cost.files_ns + e->cost.helper_ns + e->cost.setup_ns +
            e->cost.mpi_ns + e->cost.openmp_ns) /
           1e9;
}

static int put_experiment(struct mm_load *load, const json_t *about, const char *problem)
{
    const struct mm_experiment *e = load->e;
    char *configuration = configuration_of(load, problem);
    double cpu = e->cost.process_ns > 0 ? e->cost.process_ns / 1e9 : NAN;
    int result;

    if (!configuration)
        return cca_no_memory(load->err);
    result = mm_put_once(
        load->store, NULL, load->err,
        "INSERT INTO experiment (version, machine, path, name, problem, configuration,"
        " ranks, threads, units, started, state, recording, cpu)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "iittttrrrrtrr", load->version, load->machine, e->path, e->name, problem,
        configuration, (double)e->ranks, (double)load->threads, (double)load->unit_count,
        started_of(about), state_of(load, about), recording_of(e), cpu);
    load->experiment = sqlite3_last_insert_rowid(load->store->db);
    free(configuration);
    return result;
}

int mm_load_about(struct mm_load *load)
{
    json_t *about = NULL;
    int result = mm_experiment_rank_about(load->e, 0, &about, load->err);
    const char *application;
    char *problem = NULL;

    if (result)
        return result;
    application = application_of(load->e, about);
    problem = problem_of(load->e, application);
    result = problem ? put_version(load, application) : cca_no_memory(load->err);
    if (!result)
        result = put_experiment(load, about, problem);
    if (!result)
        result = mm_load_region(load, "program", "program", NULL, 0, &load->program);
    if (!result)
        result = mm_put_once(load->store, NULL, load->err,
                             "UPDATE experiment SET root = ? WHERE id = ?", "ii",
                             load->program, load->experiment);
    free(problem);
    json_decref(about);
    return result;
}
