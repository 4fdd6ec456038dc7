/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_file.c: read and write the plan of a sweep. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

#define SCHEMA "mastermind/sweep-plan/1"

static json_t *words_json(char *const *words, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(words[i]));
    return array;
}

static json_t *sizes_json(const struct sweep_axis *axis)
{
    json_t *array = json_array();

    for (size_t i = 0; i < axis->count; i++)
        json_array_append_new(array, json_integer((json_int_t)axis->numbers[i]));
    return array;
}

/* Read the sizes of an axis of files. Returns -1 to go on. */
static int read_sizes(struct sweep_axis *axis, const json_t *bytes)
{
    double *sizes = calloc(axis->count, sizeof *sizes);
    int result = sizes ? -1 : mm_no_memory();

    if (json_array_size(bytes) != axis->count || axis->numbers)
        result = MM_EXIT_INPUT;
    for (size_t i = 0; i < axis->count && result < 0; i++)
        sizes[i] = json_number_value(json_array_get(bytes, i));
    if (result < 0 && sweep_axis_set_sizes(axis, sizes))
        result = mm_no_memory();
    free(sizes);
    return result;
}

/* The request as members of the plan. New. */
static json_t *asked_json(const struct sweep *sweep)
{
    json_t *object = json_object(), *axes = json_array();
    size_t count = 0;

    while (sweep->command[count])
        count++;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        json_t *item = mm_json_object("kind name values", sweep_kind_word(axis->kind),
                                      axis->name, words_json(axis->texts, axis->count));

        if (axis->parameter)
            mm_json_set(item, "bytes", sizes_json(axis));
        json_array_append_new(axes, item);
    }
    mm_json_set(object, "schema axes repeats grid seed launcher command directory",
                SCHEMA, axes, (json_int_t)sweep->repeats, (json_int_t)sweep->grid_limit,
                (json_int_t)sweep->seed, sweep->launcher,
                words_json(sweep->command, count), sweep->cwd);
    mm_json_set(object, "check over metric", sweep->check, sweep->over, sweep->metric);
    if (sweep->over)
        mm_json_put(object, "within", json_real(sweep->within));
    return object;
}

/* The plan: the request, and the runs. New. */
static json_t *plan_json(const struct sweep *sweep)
{
    json_t *plan = asked_json(sweep), *runs = json_array();

    mm_json_set(plan, "points is_grid", (json_int_t)sweep->plan->point_count,
                json_boolean(sweep->plan->is_grid));
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct mm_plan_run *run = &sweep->plan->runs[i];
        json_t *item = json_object();
        char name[32];

        snprintf(name, sizeof name, "run-%03zu.mm", i + 1);
        mm_json_set(item, "experiment repeat values", name, (json_int_t)run->repeat + 1,
                    sweep_point_json(sweep, sweep->plan->values +
                                                run->point * sweep->axis_count));
        json_array_append_new(runs, item);
    }
    mm_json_put(plan, "runs", runs);
    return plan;
}

static char *copy_string(const json_t *json)
{
    return json_is_string(json) ? strdup(json_string_value(json)) : NULL;
}

static int read_axis(struct sweep *sweep, const json_t *item)
{
    const char *kind = json_string_value(json_object_get(item, "kind"));
    const json_t *values = json_object_get(item, "values");
    struct sweep_axis *axis;
    char *word = copy_string(json_object_get(item, "name"));
    enum sweep_kind which = SWEEP_VARIABLE;
    int result;

    while (which < SWEEP_KINDS && (!kind || strcmp(kind, sweep_kind_word(which)) != 0))
        which++;
    if (!word || which == SWEEP_KINDS || !json_array_size(values)) {
        free(word);
        return MM_EXIT_INPUT;
    }
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        char *longer = NULL;

        if (!value || strchr(value, ',') ||
            asprintf(&longer, "%s%s%s", which == SWEEP_RANKS && !i ? "" : word,
                     i                      ? ","
                     : which == SWEEP_RANKS ? ""
                                            : "=",
                     value) < 0)
            longer = NULL;
        free(word);
        if (!longer)
            return MM_EXIT_INPUT;
        word = longer;
    }
    result = sweep_axis_add(sweep, which, word);
    free(word);
    if (result >= 0)
        return result;
    axis = &sweep->axes[sweep->axis_count - 1];
    if (axis->count != json_array_size(values))
        return MM_EXIT_INPUT;
    return json_object_get(item, "bytes")
               ? read_sizes(axis, json_object_get(item, "bytes"))
               : -1;
}

static int read_command(struct sweep *sweep, const json_t *words)
{
    size_t count = json_array_size(words);

    sweep->command = calloc(count + 1, sizeof *sweep->command);
    for (size_t i = 0; sweep->command && i < count; i++) {
        sweep->command[i] = copy_string(json_array_get(words, i));
        if (!sweep->command[i])
            return MM_EXIT_INPUT;
    }
    return sweep->command && count ? -1 : MM_EXIT_INPUT;
}

int sweep_read_plan(struct sweep *sweep)
{
    int missing, result = -1;
    json_t *plan = sweep_load(sweep->dir, SWEEP_PLAN, &missing),
           *axes = json_object_get(plan, "axes");
    int is_memory = !plan && errno == ENOMEM;
    const char *schema = json_string_value(json_object_get(plan, "schema"));
    json_int_t repeats = json_integer_value(json_object_get(plan, "repeats"));
    json_int_t grid = json_integer_value(json_object_get(plan, "grid"));

    if (missing)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found no command, and no plan of a sweep in '%s'; expected "
                         "sweep [options] -o DIR -- ccafe ... SCRIPT",
                         mm_safe(sweep->dir));
    sweep->repeats = repeats > 0 ? (size_t)repeats : 0;
    sweep->grid_limit = grid > 0 ? (size_t)grid : 0;
    sweep->seed = (uint64_t)json_integer_value(json_object_get(plan, "seed"));
    sweep->launcher = copy_string(json_object_get(plan, "launcher"));
    sweep->check = copy_string(json_object_get(plan, "check"));
    sweep->over = copy_string(json_object_get(plan, "over"));
    sweep->metric = copy_string(json_object_get(plan, "metric"));
    sweep->within = json_number_value(json_object_get(plan, "within"));
    sweep->cwd = copy_string(json_object_get(plan, "directory"));
    sweep->is_read = 1;
    if (!schema || strcmp(schema, SCHEMA) != 0 || !sweep->repeats || !sweep->cwd)
        result = MM_EXIT_INPUT;
    for (size_t i = 0; i < json_array_size(axes) && result < 0; i++)
        result = read_axis(sweep, json_array_get(axes, i));
    if (result < 0)
        result = read_command(sweep, json_object_get(plan, "command"));
    if (result < 0 && sweep->over && sweep_race_check(sweep) >= 0)
        result = MM_EXIT_INPUT;
    json_decref(plan);
    if (is_memory)
        return mm_no_memory();
    return result == MM_EXIT_INPUT
               ? mm_refuse(MM_EXIT_INPUT,
                           "'%s/" SWEEP_PLAN "' is damaged, or is no plan of a "
                           "sweep",
                           mm_safe(sweep->dir))
               : result;
}

static const char *word_of(const json_t *item)
{
    return json_is_string(item) ? json_string_value(item) : "?";
}

/* A member of a plan for people, "n=100,200 flux=EFMFlux", "./solver {n}", "5". New;
 * NULL: out of memory. */
static char *member_text(const json_t *member)
{
    size_t size;
    char *text = NULL, *plain = NULL;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; i < json_array_size(member); i++) {
        const json_t *item = json_array_get(member, i),
                     *values = json_object_get(item, "values");

        fprintf(out, "%s%s", i ? " " : "",
                word_of(values ? json_object_get(item, "name") : item));
        for (size_t k = 0; k < json_array_size(values); k++)
            fprintf(out, "%s%s", k ? "," : "=", word_of(json_array_get(values, k)));
    }
    if (!json_is_array(member)) {
        plain = member ? json_dumps(member, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        fputs(json_is_string(member) ? word_of(member) : plain ? plain : "none", out);
        free(plain);
    }
    fclose(out);
    return text;
}

/* Refuse a plan with other members. Returns -1 to go on. */
static int compare_members(const struct sweep *sweep, const json_t *plan,
                           const json_t *asked, const char *const *keys, size_t count)
{
    int result = -1;

    for (size_t i = 0; i < count && result < 0; i++) {
        json_t *a = json_object_get(plan, keys[i]), *b = json_object_get(asked, keys[i]);
        char *had = member_text(a), *has = member_text(b);

        if ((a || b) && !json_equal(a, b))
            result = mm_refuse(MM_EXIT_MISUSE,
                               "'%s' has another plan: its %s: %.300s, requested: "
                               "%.300s; another directory (-o) keeps other runs",
                               mm_safe(sweep->dir), keys[i], had ? mm_safe(had) : "?",
                               has ? mm_safe(has) : "?");
        free(had);
        free(has);
    }
    return result;
}

int sweep_compare_rest(const struct sweep *sweep, const json_t *plan, int may_repeat)
{
    static const char *const keys[] = {"repeats",  "schema",  "grid",      "seed",
                                       "launcher", "command", "directory", "check",
                                       "over",     "metric",  "within"};
    json_t *asked = asked_json(sweep);
    json_int_t repeats = json_integer_value(json_object_get(plan, "repeats"));
    size_t first = may_repeat && repeats > 0 && (size_t)repeats < sweep->repeats;
    int result = compare_members(sweep, plan, asked, keys + first,
                                 sizeof keys / sizeof *keys - first);

    json_decref(asked);
    return result;
}

int sweep_has_runs(const struct sweep *sweep, const json_t *plan)
{
    json_t *asked = asked_json(sweep);
    int equal =
        json_equal(json_object_get(plan, "axes"), json_object_get(asked, "axes")) &&
        json_equal(json_object_get(plan, "repeats"), json_object_get(asked, "repeats"));

    json_decref(asked);
    return equal;
}

int sweep_compare_plan(const struct sweep *sweep, const json_t *plan)
{
    static const char *const keys[] = {"axes"};
    json_t *asked = plan_json(sweep);
    int result = compare_members(sweep, plan, asked, keys, 1);

    if (result < 0)
        result = sweep_compare_rest(sweep, plan, 0);
    if (result < 0 &&
        !json_equal(json_object_get(plan, "runs"), json_object_get(asked, "runs")))
        result = mm_refuse(MM_EXIT_MISUSE,
                           "'%s' has runs in another order: another version made it",
                           mm_safe(sweep->dir));
    json_decref(asked);
    return result;
}

int sweep_write_plan(const struct sweep *sweep)
{
    struct cca_error err = {0};
    json_t *plan = plan_json(sweep);
    char *text = mm_json_dump(plan, JSON_INDENT(1));
    int result =
        text ? sweep_replace(sweep, SWEEP_PLAN, text, &err) : cca_no_memory(&err);

    free(text);
    json_decref(plan);
    return result ? mm_complain(&err) : -1;
}
