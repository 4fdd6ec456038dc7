/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.c: read the request for a sweep, from options or from its plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/asked.h"

enum { GRID_POINTS = 32, REPEATS = 3 };

/* --- Options ------------------------------------------------------------------------ */

int sweep_budget(const struct cca_given *option, double *seconds)
{
    return sweep_time_asked(option, INFINITY, seconds);
}

int sweep_time_asked(const struct cca_given *option, double otherwise, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    const char *text = cca_given_value(option);
    char *end;

    *seconds = otherwise;
    if (!text)
        return -1;
    *seconds = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (strcmp(end, units[i].unit) == 0 && *seconds > 0 && isfinite(*seconds)) {
            *seconds *= units[i].seconds;
            return -1;
        }
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a time as 90s, 10m, 1.5h",
                     mm_safe(text), option->name);
}

static int read_counts(const struct cca_given *options, struct sweep *sweep)
{
    double repeats = REPEATS, grid = GRID_POINTS, seed = 1;
    int result = mm_option_count(&options[ASKED_REPEAT], 1, &repeats);

    if (result < 0)
        result = mm_option_count(&options[ASKED_GRID], 0, &grid);
    if (result < 0)
        result = mm_option_count(&options[ASKED_SEED], 0, &seed);
    sweep->repeats = (size_t)fmin(repeats, MM_PLAN_RUNS);
    sweep->grid_limit = (size_t)fmin(grid, MM_PLAN_POINTS);
    sweep->seed = (uint64_t)fmin(seed, 9e15);
    return result;
}

static int read_axes(const struct cca_given *options, struct sweep *sweep)
{
    int result = -1;

    if (options[ASKED_RANKS].given > 1)
        return mm_refuse(MM_EXIT_MISUSE, "option '--ranks' more than once");
    for (int kind = 0; kind < SWEEP_KINDS; kind++)
        for (int i = 0; i < options[kind].given && result < 0; i++)
            result =
                sweep_axis_add(sweep, (enum sweep_kind)kind, options[kind].values[i]);
    return result;
}

static int read_launcher(const struct cca_given *options, struct sweep *sweep)
{
    const char *text = cca_given_value(&options[ASKED_LAUNCHER]);

    if (!text && !options[ASKED_RANKS].given)
        return -1;
    if (text && !text[strspn(text, " \t")])
        return mm_refuse(MM_EXIT_MISUSE, "option '--launcher' needs a command");
    if (text && strstr(text, "%n") && !options[ASKED_RANKS].given)
        return mm_refuse(MM_EXIT_MISUSE, "--launcher '%s': %%n needs --ranks",
                         mm_safe(text));
    sweep->launcher = strdup(text ? text : "mpirun -n %n");
    return sweep->launcher ? -1 : mm_no_memory();
}

static int read_check(const struct cca_given *options, struct sweep *sweep)
{
    const char *text = cca_given_value(&options[ASKED_CHECK]);

    if (text && !text[strspn(text, " \t")])
        return mm_refuse(MM_EXIT_MISUSE, "option '--check' needs a command");
    sweep->check = text ? strdup(text) : NULL;
    return !text || sweep->check ? -1 : mm_no_memory();
}

/* Read --over and the options with it. */
static int read_over(const struct cca_given *options, struct sweep *sweep)
{
    const double usual = .02;
    const char *over = cca_given_value(&options[ASKED_OVER]);
    const char *metric = cca_given_value(&options[ASKED_METRIC]);
    int result;

    sweep->within = NAN;
    if (!over)
        return options[ASKED_WITHIN].given || metric
                   ? mm_refuse(MM_EXIT_MISUSE, "%s without --over",
                               metric ? "--metric" : "--within")
                   : -1;
    sweep->within = usual;
    result = mm_option_number(&options[ASKED_WITHIN], 1e-6, &sweep->within);
    sweep->over = strdup(over);
    sweep->metric = strdup(metric ? metric : "WALL_TIME");
    if (!sweep->over || !sweep->metric)
        return mm_no_memory();
    return result < 0 ? sweep_race_check(sweep) : result;
}

int sweep_copy_command(struct sweep *sweep, char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    sweep->command = calloc(count + 1, sizeof *sweep->command);
    for (size_t i = 0; sweep->command && i < count; i++)
        if (!(sweep->command[i] = strdup(words[i])))
            return mm_no_memory();
    sweep->cwd = getcwd(NULL, 0);
    return sweep->command && sweep->cwd ? -1 : mm_no_memory();
}

/* Set the directory by default, "PROGRAM.sweep" in the working directory. Returns -1 to
 * go on. */
static int set_directory(struct sweep *sweep)
{
    const char *slash = strrchr(sweep->command[0], '/');

    if (!sweep->is_plain)
        return mm_refuse(MM_EXIT_MISUSE, "found no -o, expected the directory of the "
                                         "sweep");
    if (asprintf(&sweep->own_dir, "%s.sweep", slash ? slash + 1 : sweep->command[0]) <
        0) {
        sweep->own_dir = NULL;
        return mm_no_memory();
    }
    sweep->dir = sweep->own_dir;
    return -1;
}

int sweep_asked(const struct cca_given *options, char **words, struct sweep *sweep)
{
    int result;

    sweep->dir = cca_given_value(&options[ASKED_OUTPUT]);
    if (!sweep->dir && (!words || !*words))
        return mm_refuse(MM_EXIT_MISUSE, "found no -o, expected the directory of the "
                                         "sweep");
    if (!words || !*words) {
        for (int i = 0; i < ASKED_OPTIONS; i++)
            if (options[i].given && i < ASKED_OUTPUT && i != ASKED_BUDGET)
                return mm_refuse(MM_EXIT_MISUSE,
                                 "found %s and no command; expected sweep [options] "
                                 "-o DIR -- ccafe ... SCRIPT",
                                 options[i].name);
        result = sweep_read_plan(sweep);
        return result >= 0 ? result : sweep_command_check(sweep);
    }
    result = read_counts(options, sweep);
    if (result < 0)
        result = read_axes(options, sweep);
    if (result < 0)
        result = read_launcher(options, sweep);
    if (result < 0)
        result = read_check(options, sweep);
    if (result < 0)
        result = read_over(options, sweep);
    if (result < 0)
        result = sweep_copy_command(sweep, words);
    if (result < 0)
        result = sweep_command_check(sweep);
    return result < 0 && !sweep->dir ? set_directory(sweep) : result;
}
