/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c: make the runs of a sweep one after the other. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/cost.h"
#include "mastermind/cmd/sweep/sweep.h"

/* --- Progress ----------------------------------------------------------------------- */

struct progress {
    const struct sweep *sweep;
    size_t at; /* index of the current run */
    size_t ended;
    double left_s; /* expected remaining time with the current run; NAN: unknown */
    int is_terminal;
};

static void print_progress(void *context, double elapsed_s)
{
    const struct progress *p = context;
    const struct sweep *sweep = p->sweep;
    char text[60];

    sweep_queue_renew(sweep->queue);
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

/* --- Runs --------------------------------------------------------------------------- */

/* Set the reason of a failed run: the last line of its standard error, else its
 * status. */
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
    run->error = reason ? strdup(reason) : sweep_last_line(path);
    if (!run->error)
        run->error = strdup(text);
    run->state = SWEEP_FAILED;
    run->failures++;
    free(path);
}

/* Judge the result of a run that ended with status 0. Returns -1 to go on. */
static int check_result(const struct sweep *sweep, size_t at)
{
    char *wrong = NULL;
    int result = sweep->check
                     ? sweep_check_result(sweep, sweep->check, sweep->cwd, at, &wrong)
                     : -1;

    if (wrong) {
        set_failure(sweep, at, 0, wrong);
        sweep->runs[at].wrong++;
    }
    free(wrong);
    return result;
}

/* Accept the experiment of a run that ended with status 0. Of a shared sweep it gets its
 * final name when the worker ends the run (sweep_queue_end_run). */
static void take_experiment(const struct sweep *sweep, size_t at)
{
    char *part = sweep_run_path(sweep, at, ".part");
    char *path = sweep_run_path(sweep, at, ".mm");
    struct cca_error err = {0};
    int result =
        part && path ? sweep_measure(part, &sweep->runs[at], &err) : cca_no_memory(&err);

    if (!result && !sweep->is_plain)
        result = sweep_check_run(sweep, at, part, &err);
    if (!result && !sweep->queue && rename(part, path))
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

/* Append a line to the standard error of a run. */
static void append_line(const char *path, const char *text)
{
    FILE *file = fopen(path, "ae");

    if (!file)
        return;
    fprintf(file, "%s\n", text);
    fclose(file);
}

/* Run a command other than ccafe, and write its experiment. Returns as sweep_cost_run. */
static int run_plain(const struct sweep *sweep, size_t at, char *const *words,
                     const char *out, const char *err, const struct sweep_watch *watch,
                     int *signal_number)
{
    struct sweep_run *run = &sweep->runs[at];
    char *part = sweep_run_path(sweep, at, ".part");
    struct sweep_names names = {NULL, 0};
    struct cca_error error = {0};
    struct sweep_cost cost;
    int status;

    sweep_usage_begin(sweep, at);
    status = part ? sweep_cost_run(words, sweep->cwd, out, err, watch, &names, &cost,
                                   signal_number)
                  : -ENOMEM;

    if (status >= 0)
        run->elapsed_s = cost.wall_s;
    if (status >= 0 &&
        sweep_usage_end(sweep, at, sweep_ranks_of(sweep, at), &cost, &error) &&
        status == 0) {
        append_line(err, error.text);
        status = 1 << 8; /* the run has failed with status 1 */
    }
    if (status == 0 && !*signal_number) {
        run->peak_bytes = cost.peak_bytes;
        json_decref(run->functions);
        run->functions = sweep_plain_functions(&cost);
        status = sweep_plain_write(sweep, at, &cost, part, &error);
        if (status)
            mm_complain(&error);
    }
    if (part)
        sweep_cost_done(&cost);
    sweep_names_done(&names);
    free(part);
    return status;
}

/* Number of ended runs. */
static size_t count_ended(const struct sweep *sweep)
{
    size_t ended = 0;

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        ended +=
            sweep->runs[i].state == SWEEP_DONE || sweep->runs[i].state == SWEEP_FAILED;
    return ended;
}

/* Write the states of a shared sweep's runs. Another worker may write at the same time,
 * and overwrite newer states by older ones; so each worker looks again after it has
 * written, and the last one to write has all. Returns -1 to go on. */
static int write_shared(const struct sweep *sweep)
{
    size_t written;
    int result = sweep_queue_read(sweep);

    do {
        written = count_ended(sweep);
        if (result < 0)
            result = sweep_write_runs(sweep);
        if (result < 0)
            result = sweep_queue_read(sweep);
    } while (result < 0 && count_ended(sweep) != written);
    return result;
}

/* Make a run. Returns -1, or an exit code that ends the sweep. */
static int make_run(const struct sweep *sweep, size_t at, struct progress *progress)
{
    const struct sweep_watch watch = {.tick = print_progress, .context = progress};
    struct sweep_run *run = &sweep->runs[at];
    char **words = sweep_command_of(sweep, at);
    char *out = sweep_run_path(sweep, at, ".out"),
         *err = sweep_run_path(sweep, at, ".err");
    int status = -ENOMEM, signal_number = 0, result;

    print_progress(progress, 0);
    sweep_remove(sweep, at, ".part");
    if (words && out && err)
        status = sweep->is_plain
                     ? run_plain(sweep, at, words, out, err, &watch, &signal_number)
                     : sweep_child_run(words, sweep->cwd, out, err, &watch,
                                       &run->elapsed_s, &signal_number);
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
    if (status)
        set_failure(sweep, at, status, NULL);
    else if ((result = check_result(sweep, at)) >= 0)
        return result;
    if (run->state == SWEEP_OPEN)
        take_experiment(sweep, at);
    if (run->state == SWEEP_FAILED)
        report_failure(sweep, at);
    if (!sweep->queue)
        return sweep_write_runs(sweep);
    result = sweep_queue_end_run(sweep);
    return result < 0 ? write_shared(sweep) : result;
}

/* Make the run that is next, if no other worker claims it first. Returns -1 to go on. */
static int make_next(const struct sweep *sweep, struct progress *progress)
{
    int claimed = 1,
        result = sweep->queue ? sweep_queue_claim(sweep, progress->at, &claimed) : -1;

    if (result < 0 && claimed)
        result = make_run(sweep, progress->at, progress);
    if (sweep->queue)
        sweep_queue_give_back(sweep); /* unless the run has ended */
    return result;
}

/* Find the states of the runs that other workers make. Returns -1 to go on. */
static int look_around(const struct sweep *sweep)
{
    int result = sweep->queue ? sweep_queue_read(sweep) : -1;

    return result < 0 && sweep->queue ? sweep_queue_release_dead(sweep) : result;
}

/* Sum of the elapsed times of all runs so far; stores the time of each finished run,
 * and flags of the runs that are not open. */
static double elapsed_times(const struct sweep *sweep, double *seconds,
                            unsigned char *closed)
{
    double sum = 0;

    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        closed[i] = run->state != SWEEP_OPEN;
        seconds[i] = run->state == SWEEP_DONE ? run->elapsed_s : NAN;
        sum += closed[i] && run->state != SWEEP_TAKEN ? run->elapsed_s : 0;
    }
    return sum;
}

/* The next run of a race; run_count: none, or it is estimated to take longer than
 * `left`. */
static size_t next_of_race(const struct sweep *sweep, const double *points, double left)
{
    struct sweep_race race;
    size_t next = sweep->plan->run_count;

    if (!sweep_race_find(sweep, &race))
        next = race.decision.next;
    sweep_race_done(&race);
    return next < sweep->plan->run_count && points[sweep->plan->runs[next].point] > left
               ? sweep->plan->run_count
               : next;
}

int sweep_make_runs(const struct sweep *sweep, double budget_s,
                    int (*is_enough)(const struct sweep *sweep))
{
    const struct mm_plan *plan = sweep->plan;
    double *seconds = calloc(plan->run_count, sizeof *seconds);
    double *points = calloc(plan->point_count, sizeof *points);
    unsigned char *closed = calloc(plan->run_count, 1);
    struct progress progress = {.sweep = sweep, .is_terminal = isatty(STDERR_FILENO)};
    int result = -1;

    if (!seconds || !points || !closed)
        result = mm_no_memory();
    while (result < 0 && !(is_enough && is_enough(sweep)) &&
           (result = look_around(sweep)) < 0) {
        double left = budget_s - elapsed_times(sweep, seconds, closed);
        int is_open = 0;

        if (mm_plan_estimate(plan, seconds, points)) {
            result = mm_no_memory();
            break;
        }
        progress.at = sweep->over ? next_of_race(sweep, points, left)
                                  : mm_plan_next(plan, closed, points, left);
        if (progress.at == plan->run_count) {
            if (sweep->queue && !memchr(closed, 0, plan->run_count))
                result = sweep_queue_watch(sweep, &is_open);
            if (!is_open)
                break;
            continue;
        }
        progress.left_s = progress.ended = 0;
        for (size_t i = 0; i < plan->run_count; i++) {
            progress.ended += closed[i];
            progress.left_s += closed[i] ? 0 : points[plan->runs[i].point];
        }
        progress.left_s = fmin(progress.left_s, left);
        result = make_next(sweep, &progress);
    }
    free(seconds);
    free(points);
    free(closed);
    return result;
}
