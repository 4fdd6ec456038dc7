/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: run a command and measure the cost of the whole run. */
#include "mastermind/cmd/sweep/cost.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/clock.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/library/sample/sampler.h"

/* --- Samples ------------------------------------------------------------------------ */

struct watched {
    const struct sweep_watch *watch;
    int is_sampled;
    struct mm_sampler *sampler;
    struct cca_error err;
};

static void begin(void *context, pid_t child)
{
    struct watched *watched = context;

    if (watched->is_sampled)
        watched->sampler = mm_sampler_new(child, &watched->err);
}

static void tick(void *context, double elapsed_s)
{
    struct watched *watched = context;

    if (watched->sampler)
        mm_sampler_collect(watched->sampler);
    if (watched->watch && watched->watch->tick)
        watched->watch->tick(watched->watch->context, elapsed_s);
}

static const char *name_of(struct sweep_names *names, const char *text)
{
    char **name;

    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], text) == 0)
            return names->list[i];
    name = cca_array_add(&names->list, &names->count, sizeof *name);
    if (name && !(*name = strdup(text)))
        names->count--;
    return name ? *name : NULL;
}

static int add_part(struct sweep_names *names, struct sweep_cost *cost, const char *text,
                    double cpu_s)
{
    const char *name = name_of(names, text);
    struct sweep_part *part;

    for (size_t i = 0; i < cost->part_count; i++)
        if (cost->parts[i].name == name) {
            cost->parts[i].cpu_s += cpu_s;
            return 0;
        }
    part = name ? cca_array_add(&cost->parts, &cost->part_count, sizeof *part) : NULL;
    if (!part)
        return -ENOMEM;
    *part = (struct sweep_part){name, cpu_s};
    return 0;
}

/* Name of a function: of the program itself without the name of its file, so that it is
 * the same in all versions of the program. A function without a name, FILE+0x1234, has
 * that name already. */
static void label(char text[200], const char *program, const struct mm_sample_row *row)
{
    const char *function = row->function ? row->function : "(functions without names)";
    const char *file = row->path ? strrchr(row->path, '/') : NULL;
    const char *slash = strrchr(program, '/');

    file = file ? file + 1 : row->path;
    if (!file)
        snprintf(text, 200, "(code that the program made)");
    else if (strcmp(file, slash ? slash + 1 : program) == 0 ||
             strncmp(function, file, strlen(file)) == 0)
        snprintf(text, 200, "%.150s", function);
    else
        snprintf(text, 200, "%.150s in %.40s", function, file);
}

static int read_samples(struct sweep_names *names, const char *program,
                        struct sweep_cost *cost)
{
    const struct mm_samples *samples = &cost->whole.samples;
    double sample_s = samples->count ? cost->cpu_s / (double)samples->count : 0;
    char text[200];
    int result = 0;

    for (size_t i = 0; i < samples->row_count && !result; i++) {
        label(text, program, &samples->rows[i]);
        result = add_part(names, cost, text, sample_s * (double)samples->rows[i].count);
    }
    if (!result && samples->kernel)
        result = add_part(names, cost, "(kernel)", sample_s * (double)samples->kernel);
    return result;
}

/* The sampled file with the name of a program; NULL: there is none. */
static const char *file_of(const struct mm_samples *samples, const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    for (size_t i = 0; i < samples->row_count; i++) {
        const char *path = samples->rows[i].path,
                   *last = path ? strrchr(path, '/') : NULL;

        if (last && strcmp(last + 1, name) == 0)
            return path;
    }
    return NULL;
}

/* Collect the samples of a run. */
static int collect_whole(struct sweep_cost *cost, const struct rusage *usage,
                         char *const *words, int status, struct mm_sampler *sampler)
{
    struct mm_whole *whole = &cost->whole;
    int64_t wall_ns = (int64_t)(1e9 * cost->wall_s);
    int result;

    *whole = (struct mm_whole){.program = words[0],
                               .words = words,
                               .sampler = sampler,
                               .status = status,
                               .usage = *usage,
                               .wall_ns = wall_ns,
                               .began_ns = cca_clock_ns(CLOCK_REALTIME) - wall_ns,
                               .queued_ns = -1};
    result = mm_whole_collect(whole);
    whole->sampler = NULL;
    whole->file = file_of(&whole->samples, words[0]);
    *whole->callers.stacks.lacking = 0; /* none were requested */
    return result;
}

/* --- A run -------------------------------------------------------------------------- */

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int sweep_costs_run(const struct sweep_cost_request *requests, size_t count,
                    struct sweep_cost *costs, int *statuses, int *signal_number)
{
    struct one {
        struct watched watched;
        struct rusage usage;
        struct sweep_watch watch;
    } *all = calloc(count, sizeof *all);
    struct sweep_child *children = calloc(count, sizeof *children);
    int result = all && children ? 0 : -ENOMEM;

    memset(costs, 0, count * sizeof *costs);
    *signal_number = 0;
    for (size_t i = 0; i < count && !result; i++) {
        const struct sweep_cost_request *request = &requests[i];

        all[i].watched = (struct watched){.watch = request->watch,
                                          .is_sampled = request->names != NULL};
        all[i].watch = (struct sweep_watch){.tick = tick,
                                            .context = &all[i].watched,
                                            .begin = begin,
                                            .usage = &all[i].usage};
        children[i] = (struct sweep_child){.words = request->words,
                                           .cwd = request->cwd,
                                           .out = request->out,
                                           .err = request->err,
                                           .watch = &all[i].watch,
                                           .is_pinned = request->is_pinned,
                                           .core = request->core};
    }
    if (!result)
        result = sweep_children_run(children, count, signal_number);
    for (size_t i = 0; i < count && all && children; i++) {
        struct sweep_cost *cost = &costs[i];
        struct watched *watched = &all[i].watched;

        cost->wall_s = children[i].elapsed_s;
        cost->cpu_s = seconds(all[i].usage.ru_utime) + seconds(all[i].usage.ru_stime);
        cost->peak_bytes = 1024. * (double)all[i].usage.ru_maxrss;
        statuses[i] = children[i].status;
        if (watched->sampler && !result) {
            result = collect_whole(cost, &all[i].usage, requests[i].words, statuses[i],
                                   watched->sampler);
            if (!result)
                result = read_samples(requests[i].names, requests[i].words[0], cost);
        } else {
            snprintf(cost->unsampled, sizeof cost->unsampled, "%.190s",
                     watched->err.text);
        }
        mm_sampler_free(watched->sampler);
    }
    free(all);
    free(children);
    return result;
}

int sweep_cost_run(char *const *words, const char *cwd, const char *out, const char *err,
                   const struct sweep_watch *watch, struct sweep_names *names,
                   struct sweep_cost *cost, int *signal_number)
{
    const struct sweep_cost_request request = {.words = words,
                                               .cwd = cwd,
                                               .out = out,
                                               .err = err,
                                               .watch = watch,
                                               .names = names};
    int status = 0, result = sweep_costs_run(&request, 1, cost, &status, signal_number);

    return result ? result : status;
}

void sweep_cost_done(struct sweep_cost *cost)
{
    free(cost->parts);
    cost->parts = NULL;
    mm_whole_done(&cost->whole);
    cost->part_count = 0;
}

void sweep_names_done(struct sweep_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct sweep_names){NULL, 0};
}

char *sweep_last_line(const char *path)
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
