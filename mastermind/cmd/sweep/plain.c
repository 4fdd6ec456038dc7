/* SPDX-License-Identifier: BSD-3-Clause */
/* plain.c: sweeps of any command: the values of a run replace {NAME} in its words, and
 * its experiment has one row, the whole run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/cost.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/given.h"

/* --- The command -------------------------------------------------------------------- */

/* The next {NAME} of an axis in a text: its first byte, with the axis and its end. NULL:
 * there is none. */
static const char *next_place(const struct sweep *sweep, const char *text, size_t *axis,
                              const char **end)
{
    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{'))
        for (*axis = 0; *axis < sweep->axis_count; ++*axis) {
            const char *name = sweep->axes[*axis].name;
            size_t length = strlen(name);

            if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '}') {
                *end = at + length + 2;
                return at;
            }
        }
    return NULL;
}

static int has_place(const struct sweep *sweep, size_t wanted)
{
    for (char **word = sweep->command; *word; word++) {
        const char *rest = *word;
        size_t axis;

        while (next_place(sweep, rest, &axis, &rest))
            if (axis == wanted)
                return 1;
    }
    return 0;
}

int sweep_plain_check(const struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];

        if (axis->kind == SWEEP_SET || axis->kind == SWEEP_CLASS)
            return mm_refuse(
                MM_EXIT_MISUSE,
                "found %s %s and no ccafe in the command '%s ...'; any other "
                "command takes -D NAME=VALUE,... and has {NAME}",
                sweep_kind_option(axis->kind), mm_safe(axis->name),
                mm_safe(sweep->command[0]));
        if (axis->kind == SWEEP_VARIABLE && !has_place(sweep, a))
            return mm_refuse(MM_EXIT_MISUSE,
                             "found no {%s} in the command '%s ...': expected the place "
                             "of its values",
                             mm_safe(axis->name), mm_safe(sweep->command[0]));
    }
    return -1;
}

char *sweep_fill_word(const struct sweep *sweep, size_t at, const char *word)
{
    char *text = NULL;
    size_t size = 0, axis;
    FILE *stream = open_memstream(&text, &size);
    const char *end, *place;

    if (!stream)
        return NULL;
    while ((place = next_place(sweep, word, &axis, &end))) {
        size_t value = mm_plan_value(sweep->plan, sweep->plan->runs[at].point, axis);

        fprintf(stream, "%.*s%s", (int)(place - word), word,
                sweep->axes[axis].texts[value]);
        word = end;
    }
    fputs(word, stream);
    if (fclose(stream)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Add `env NAME=VALUE ...`: behind a launcher it reaches all ranks, on any host. */
static void add_variables(struct sweep_words *words, const struct sweep *sweep, size_t at)
{
    int is_first = 1;

    for (size_t a = 0; a < sweep->axis_count; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        size_t value = mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a);
        char *word = NULL;

        if (axis->kind != SWEEP_ENV)
            continue;
        if (is_first)
            sweep_words_add(words, strdup("env"));
        is_first = 0;
        if (asprintf(&word, "%s=%s", axis->name, axis->texts[value]) < 0)
            word = NULL;
        sweep_words_add(words, word);
    }
}

char **sweep_plain_command(const struct sweep *sweep, const char *ranks, size_t at)
{
    struct sweep_words words = {0};

    if (sweep->launcher)
        sweep_words_add_launcher(&words, sweep->launcher, ranks);
    sweep_usage_add_words(&words, sweep, at);
    add_variables(&words, sweep, at);
    for (char **word = sweep->command; *word; word++)
        sweep_words_add(&words, sweep_fill_word(sweep, at, *word));
    return sweep_words_end(&words);
}

/* --- The experiment ----------------------------------------------------------------- */

/* Declarations and values of the one row. */
struct whole {
    struct monitor_value_decl values[MONITOR_MAX_IN];
    union monitor_value in[MONITOR_MAX_IN];
    struct monitor_label *labels[MONITOR_MAX_IN];
    struct mm_given_variable variables[MONITOR_MAX_IN];
    char sizes[MONITOR_MAX_IN][24]; /* sizes of files as text */
    size_t in_count;
};

/* Values of an axis of names are a mode, 0, 1, ... in the order of the axis. */
static int describe_names(struct whole *whole, const struct sweep_axis *axis,
                          size_t value)
{
    struct monitor_label *labels = calloc(axis->count, sizeof *labels);
    size_t i = whole->in_count;

    if (!labels)
        return -ENOMEM;
    for (size_t k = 0; k < axis->count; k++)
        labels[k] = (struct monitor_label){(int64_t)k, axis->texts[k]};
    whole->labels[i] = labels;
    whole->values[i] = (struct monitor_value_decl){.name = axis->name,
                                                   .type = MONITOR_INT64,
                                                   .kind = MONITOR_MODE,
                                                   .labels = labels,
                                                   .label_count = axis->count};
    whole->in[i].i = (int64_t)value;
    return 0;
}

static int describe_axis(struct whole *whole, const struct sweep_axis *axis, size_t value)
{
    size_t i = whole->in_count;
    int result = 0;

    whole->variables[i] = (struct mm_given_variable){axis->name, axis->texts[value]};
    if (axis->parameter) {
        snprintf(whole->sizes[i], sizeof whole->sizes[i], "%.0f", axis->numbers[value]);
        whole->variables[i] =
            (struct mm_given_variable){axis->parameter, whole->sizes[i]};
    }
    if (!axis->numbers) {
        result = describe_names(whole, axis, value);
    } else {
        whole->values[i] = (struct monitor_value_decl){.name = sweep_axis_parameter(axis),
                                                       .type = MONITOR_DOUBLE,
                                                       .kind = MONITOR_PARAM};
        whole->in[i].d = axis->numbers[value];
    }
    whole->in_count++;
    return result;
}

int sweep_plain_write(const struct sweep *sweep, size_t at, const struct sweep_cost *cost,
                      const char *path, struct cca_error *err)
{
    struct whole whole = {.in_count = 0};
    int result = 0;

    for (size_t a = 0; a < sweep->axis_count && a < MONITOR_MAX_IN && !result; a++)
        result =
            describe_axis(&whole, &sweep->axes[a],
                          mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a));
    result =
        result ? cca_no_memory(err)
               : mm_given_whole_write(path,
                                      &(struct mm_given_whole){
                                          .command = (const char *const *)sweep->command,
                                          .values = whole.values,
                                          .in = whole.in,
                                          .variables = whole.variables,
                                          .in_count = whole.in_count,
                                          .cpu_ns = llround(1e9 * cost->cpu_s),
                                          .wall_ns = llround(1e9 * cost->wall_s),
                                          .peak_bytes = llround(cost->peak_bytes)},
                                      err);
    for (size_t i = 0; i < whole.in_count; i++)
        free(whole.labels[i]);
    if (result || !cost->whole.is_sampled)
        return result;
    /* processes outside of the sweep's own have no samples */
    return 1e9 * cost->cpu_s > 1.001 * cost->whole.cpu_ns
               ? 0
               : mm_whole_keep(&cost->whole, path, err);
}

json_t *sweep_plain_functions(const struct sweep_cost *cost)
{
    json_t *functions = json_object();

    for (size_t i = 0; i < cost->part_count; i++)
        mm_json_put(functions, cost->parts[i].name, json_real(cost->parts[i].cpu_s));
    return functions;
}
