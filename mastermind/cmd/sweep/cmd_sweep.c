/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_sweep.c: measured runs of one program with different parameters. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

static const char usage[] =
    "mastermind sweep -D NX=64,128,256 -o DIR -- ccafe -D NY=32 SCRIPT\n"
    "mastermind sweep -o DIR\n"
    "\n"
    "Make measured runs with each of these values, in an order that a drifting host "
    "does\n"
    "not disturb, and say whether they suffice. Again with the same options, or with -o\n"
    "alone, it goes on where it ended. Other verbs take DIR for the experiments in it.\n"
    "\n"
    "  -D NAME=VALUE,...         values of a variable of the script\n"
    "  --vary INSTANCE.PORT.NAME=VALUE,...\n"
    "                            values of a parameter\n"
    "  --class INSTANCE=CLASS,...\n"
    "                            classes of an instance\n"
    "  --ranks N,...             numbers of ranks\n"
    "  --launcher COMMAND        start runs by this, %n stands for the number of ranks\n"
    "                            (default with --ranks: mpirun -n %n)\n"
    "  --repeat N                runs of each point (default 3)\n"
    "  --budget TIME             start no run that would end after this much time of\n"
    "                            runs: 90s, 10m, 1.5h\n"
    "  --grid N                  make the full grid if it has at most N points, else a\n"
    "                            design (default 32)\n"
    "  --seed N                  of the order (default 1)\n"
    "  -o, --output DIR          directory of the sweep; new, empty, or of this sweep\n"
    "  --dry-run                 print the runs in their order, and make none\n"
    "  --json                    print one document, mastermind/sweep/1\n"
    "\n"
    "Exit status 1: a run failed. 130, 143: ended by SIGINT, SIGTERM.\n";

enum { VARY = 1, RANKS = 3, LAUNCHER, REPEAT, BUDGET, GRID, SEED, OUTPUT, DRY, JSON };
enum { OPTIONS = JSON + 1, GRID_POINTS = 32 };

/* --- Options --------------------------------------------------------------------------
 */

static const char *last_value(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* "90s", "10m", "1.5h", "90": seconds. -1 to go on. */
static int read_budget(const struct mm_option *option, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
    const char *text = last_value(option);
    char *end;

    *seconds = INFINITY;
    if (!text)
        return -1;
    *seconds = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (strcmp(end, units[i].unit) == 0 && *seconds > 0 && isfinite(*seconds)) {
            *seconds *= units[i].seconds;
            return -1;
        }
    return mm_refuse(MM_EXIT_MISUSE,
                     "'%s' for --budget, expected a time as 90s, 10m, 1.5h",
                     mm_safe(text));
}

static int read_counts(const struct mm_option *options, struct sweep *sweep)
{
    double repeats = 3, grid = GRID_POINTS, seed = 1;
    int result = mm_option_count(&options[REPEAT], 1, &repeats);

    if (result < 0)
        result = mm_option_count(&options[GRID], 0, &grid);
    if (result < 0)
        result = mm_option_count(&options[SEED], 0, &seed);
    sweep->repeats = (size_t)fmin(repeats, MM_PLAN_RUNS);
    sweep->grid_limit = (size_t)fmin(grid, MM_PLAN_POINTS);
    sweep->seed = (uint64_t)fmin(seed, 9e15);
    return result;
}

static int read_axes(const struct mm_option *options, struct sweep *sweep)
{
    int result = -1;

    if (options[RANKS].given > 1)
        return mm_refuse(MM_EXIT_MISUSE, "option '--ranks' more than once");
    for (int kind = 0; kind < SWEEP_KINDS; kind++)
        for (int i = 0; i < options[kind].given && result < 0; i++)
            result =
                sweep_axis_add(sweep, (enum sweep_kind)kind, options[kind].values[i]);
    return result;
}

static int read_launcher(const struct mm_option *options, struct sweep *sweep)
{
    const char *text = last_value(&options[LAUNCHER]);

    if (!text && !options[RANKS].given)
        return -1;
    if (text && !text[strspn(text, " \t")])
        return mm_refuse(MM_EXIT_MISUSE, "option '--launcher' needs a command");
    if (text && strstr(text, "%n") && !options[RANKS].given)
        return mm_refuse(MM_EXIT_MISUSE, "--launcher '%s': %%n needs --ranks",
                         mm_safe(text));
    sweep->launcher = strdup(text ? text : "mpirun -n %n");
    return sweep->launcher ? -1 : mm_no_memory();
}

static int copy_command(struct sweep *sweep, char **words)
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

/* Read what was asked: from the options, or from the plan. */
static int read_asked(const struct mm_option *options, char **words, struct sweep *sweep)
{
    int result;

    sweep->dir = last_value(&options[OUTPUT]);
    if (!sweep->dir)
        return mm_refuse(MM_EXIT_MISUSE, "found no -o, expected the directory of the "
                                         "sweep");
    if (!words || !*words) {
        for (int i = 0; i < OPTIONS; i++)
            if (options[i].given && i != OUTPUT && i != BUDGET && i != DRY && i != JSON)
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
        result = copy_command(sweep, words);
    return result >= 0 ? result : sweep_command_check(sweep);
}

static int make_plan(struct sweep *sweep)
{
    struct mm_plan_axis *axes = calloc(sweep->axis_count + 1, sizeof *axes);
    struct cca_error err = {0};

    if (!axes)
        return mm_no_memory();
    for (size_t a = 0; a < sweep->axis_count; a++)
        axes[a] = (struct mm_plan_axis){sweep->axes[a].count, sweep->axes[a].numbers};
    sweep->plan = mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                                        .axis_count = sweep->axis_count,
                                                        .repeats = sweep->repeats,
                                                        .grid_limit = sweep->grid_limit,
                                                        .seed = sweep->seed},
                              &err);
    free(axes);
    if (!sweep->plan)
        return mm_complain(&err);
    sweep->runs = calloc(sweep->plan->run_count, sizeof *sweep->runs);
    return sweep->runs ? -1 : mm_no_memory();
}

static void sweep_done(struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        sweep_axis_done(&sweep->axes[a]);
    for (size_t i = 0; sweep->runs && i < sweep->plan->run_count; i++)
        free(sweep->runs[i].error);
    free(sweep->axes);
    free(sweep->launcher);
    sweep_words_free(sweep->command);
    free(sweep->cwd);
    free(sweep->path);
    free(sweep->runs);
    mm_plan_free(sweep->plan);
    if (sweep->lock >= 0)
        close(sweep->lock);
}

/* --- Progress -------------------------------------------------------------------------
 */

struct progress {
    const struct sweep *sweep;
    size_t at; /* the run under way */
    size_t ended;
    double left_s; /* with this run, NAN: unknown */
    int is_terminal;
};

static void print_progress(void *context, double elapsed_s)
{
    const struct progress *p = context;
    const struct sweep *sweep = p->sweep;
    char text[60];

    if (!p->is_terminal)
        return;
    sweep_point_text(
        sweep, sweep->plan->values + sweep->plan->runs[p->at].point * sweep->axis_count,
        text, sizeof text);
    fprintf(stderr, "\r\033[K%zu of %zu runs  %s", p->ended, sweep->plan->run_count,
            text);
    if (isfinite(p->left_s))
        fprintf(stderr, "  %s left", mm_time(1e9 * fmax(p->left_s - elapsed_s, 0)));
    fflush(stderr);
}

static void clear_progress(const struct progress *progress)
{
    if (progress->is_terminal)
        fputs("\r\033[K", stderr);
}

/* --- Runs -----------------------------------------------------------------------------
 */

/* The last line with a letter in a file, without those that report an experiment. New, or
 * NULL. */
static char *last_line(const char *path)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    char *line = NULL, *last = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strpbrk(line, "abcdefghijklmnopqrstuvwxyz") &&
            strncmp(line, "experiment ", 11) != 0) {
            free(last);
            last = strndup(line, 400);
        }
    }
    free(line);
    if (file)
        fclose(file);
    return last;
}

/* Set why a run failed: the last line of its standard error, else its status. */
static void set_failure(const struct sweep *sweep, size_t at, int status,
                        const char *reason)
{
    struct sweep_run *run = &sweep->runs[at];
    char *path = sweep_run_path(sweep, at, ".err"), text[64];

    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "status %d", WEXITSTATUS(status));
    free(run->error);
    run->error = reason ? strdup(reason) : last_line(path);
    if (!run->error)
        run->error = strdup(text);
    run->state = SWEEP_FAILED;
    free(path);
}

/* Take the experiment of a run that ended with status 0. */
static void take_experiment(const struct sweep *sweep, size_t at)
{
    char *part = sweep_run_path(sweep, at, ".part");
    char *path = sweep_run_path(sweep, at, ".mm");
    struct cca_error err = {0};
    int result =
        part && path ? sweep_measure(part, &sweep->runs[at], &err) : cca_no_memory(&err);

    if (!result && rename(part, path))
        result =
            cca_error_set(&err, -errno, "cannot rename '%s': %s", part, strerror(errno));
    if (result)
        set_failure(sweep, at, 0,
                    *err.text ? err.text : "its experiment has not ended in order");
    else
        sweep->runs[at].state = SWEEP_DONE;
    free(part);
    free(path);
}

static void report_failure(const struct sweep *sweep, size_t at)
{
    char text[1000];

    fprintf(stderr, "mastermind: run %zu failed: %s: %s\n", at + 1,
            sweep_point_text(sweep,
                             sweep->plan->values +
                                 sweep->plan->runs[at].point * sweep->axis_count,
                             text, sizeof text),
            mm_safe(sweep->runs[at].error ? sweep->runs[at].error : "out of memory"));
}

/* Make a run. Returns -1, or an exit code that ends the sweep. */
static int make_run(const struct sweep *sweep, size_t at, struct progress *progress)
{
    const struct sweep_watch watch = {print_progress, progress};
    struct sweep_run *run = &sweep->runs[at];
    char **words = sweep_command_of(sweep, at);
    char *out = sweep_run_path(sweep, at, ".out"),
         *err = sweep_run_path(sweep, at, ".err");
    int status = -ENOMEM, signal_number = 0;

    print_progress(progress, 0);
    sweep_remove(sweep, at, ".part");
    if (words && out && err)
        status = sweep_child_run(words, sweep->cwd, out, err, &watch, &run->elapsed_s,
                                 &signal_number);
    sweep_words_free(words);
    free(out);
    free(err);
    clear_progress(progress);
    if (signal_number) {
        sweep_remove(sweep, at, ".part");
        return 128 + signal_number;
    }
    if (status < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot start a run: %s", strerror(-status));
    if (status == 0)
        take_experiment(sweep, at);
    else
        set_failure(sweep, at, status, NULL);
    if (run->state == SWEEP_FAILED)
        report_failure(sweep, at);
    return sweep_write_runs(sweep);
}

/* Time of all runs so far; sets what the runs took and which are closed. */
static double elapsed_times(const struct sweep *sweep, double *seconds,
                            unsigned char *closed)
{
    double sum = 0;

    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        closed[i] = run->state != SWEEP_OPEN;
        seconds[i] = run->state == SWEEP_DONE ? run->elapsed_s : NAN;
        sum += closed[i] ? run->elapsed_s : 0;
    }
    return sum;
}

/* Make all runs that are open and fit into the budget. Returns -1, or an exit code. */
static int make_runs(const struct sweep *sweep, double budget_s)
{
    const struct mm_plan *plan = sweep->plan;
    double *seconds = calloc(plan->run_count, sizeof *seconds);
    double *points = calloc(plan->point_count, sizeof *points);
    unsigned char *closed = calloc(plan->run_count, 1);
    struct progress progress = {.sweep = sweep, .is_terminal = isatty(STDERR_FILENO)};
    int result = -1;

    if (!seconds || !points || !closed)
        result = mm_no_memory();
    while (result < 0) {
        double left = budget_s - elapsed_times(sweep, seconds, closed);

        if (mm_plan_estimate(plan, seconds, points)) {
            result = mm_no_memory();
            break;
        }
        progress.at = mm_plan_next(plan, closed, points, left);
        if (progress.at == plan->run_count)
            break;
        progress.left_s = progress.ended = 0;
        for (size_t i = 0; i < plan->run_count; i++) {
            progress.ended += closed[i];
            progress.left_s += closed[i] ? 0 : points[plan->runs[i].point];
        }
        progress.left_s = fmin(progress.left_s, left);
        result = make_run(sweep, progress.at, &progress);
    }
    free(seconds);
    free(points);
    free(closed);
    return result;
}

/* --- The verb -------------------------------------------------------------------------
 */

static int tell(const struct sweep *sweep, int json, double budget_s, int ended)
{
    struct sweep_verdict verdict;
    int result;

    if (sweep_judge(sweep, &verdict))
        return mm_no_memory();
    if (ended > 128)
        fprintf(stderr,
                "mastermind: ended by signal %d with %zu of %s; 'mastermind sweep -o %s' "
                "goes on\n",
                ended - 128, verdict.done, mm_counted(sweep->plan->run_count, "run"),
                mm_safe(sweep->dir));
    else if (verdict.open)
        fprintf(
            stderr,
            "mastermind: the budget of %s ends with %zu of %s; a larger --budget goes "
            "on\n",
            mm_time(1e9 * budget_s), verdict.done,
            mm_counted(sweep->plan->run_count, "run"));
    if (ended > 0)
        return ended;
    if (json)
        result = mm_json_print(sweep_json(sweep, &verdict));
    else
        sweep_print(sweep, &verdict);
    result = json ? result : mm_finish_output(MM_EXIT_DONE);
    return result == MM_EXIT_DONE && verdict.failed ? MM_EXIT_NO : result;
}

static int run_sweep(const struct mm_option *options, char **words, struct sweep *sweep)
{
    double budget_s;
    int result = read_budget(&options[BUDGET], &budget_s);

    if (result < 0)
        result = read_asked(options, words, sweep);
    if (result < 0)
        result = make_plan(sweep);
    if (result < 0 && options[DRY].given) {
        sweep_print_plan(sweep);
        return mm_finish_output(MM_EXIT_DONE);
    }
    if (result < 0)
        result = sweep_open(sweep);
    if (result >= 0)
        return result;
    sweep_hold_signals();
    result = make_runs(sweep, budget_s);
    return result >= 0 && result < 128
               ? result
               : tell(sweep, options[JSON].given, budget_s, result);
}

int cmd_sweep(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [SWEEP_VARIABLE] = {.name = "-D", .takes_value = 1},
        [VARY] = {.name = "--vary", .takes_value = 1},
        [SWEEP_CLASS] = {.name = "--class", .takes_value = 1},
        [RANKS] = {.name = "--ranks", .takes_value = 1},
        [LAUNCHER] = {.name = "--launcher", .takes_value = 1},
        [REPEAT] = {.name = "--repeat", .takes_value = 1},
        [BUDGET] = {.name = "--budget", .takes_value = 1},
        [GRID] = {.name = "--grid", .takes_value = 1},
        [SEED] = {.name = "--seed", .takes_value = 1},
        [OUTPUT] = {.name = "--output", .takes_value = 1, .letter = "-o"},
        [DRY] = {.name = "--dry-run"},
        [JSON] = {.name = "--json"}};
    struct sweep sweep = {.lock = -1};
    int own = 0, count, result;

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    result = mm_options_read(options, OPTIONS, usage, own, argv, &count);
    if (result >= 0)
        return result;
    if (count)
        return mm_refuse(MM_EXIT_MISUSE, "found '%s'; expected -- before the command",
                         mm_safe(argv[0]));
    result = run_sweep(options, own < argc ? argv + own + 1 : NULL, &sweep);
    sweep_done(&sweep);
    return result;
}
