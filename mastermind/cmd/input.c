/* SPDX-License-Identifier: BSD-3-Clause */
/* input.c: open the experiments given as arguments. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"

int mm_refuse(int code, const char *format, ...)
{
    char text[4096];
    va_list args;

    if (mm_memory_failed() && code != MM_EXIT_SYSTEM) /* the cause may be lack of it */
        return mm_no_memory();
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mm_message(text);
    return code;
}

int mm_complain(const struct cca_error *err)
{
    char line[sizeof err->text * 4 + 1];
    size_t used = 0;

    if (mm_memory_failed()) /* lack of memory may be the cause of any other message */
        return mm_no_memory();
    /* escape control characters of names from files, and keep the message on one line */
    for (const unsigned char *at = (const unsigned char *)err->text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f)
            used += (size_t)snprintf(line + used, sizeof line - used, "\\x%02x", *at);
        else
            line[used++] = (char)*at;
    }
    line[used] = '\0';
    mm_message(line);
    switch (err->code) {
    case -ENOENT:
    case -ENOTDIR:
    case -EBADMSG:
    case -ENODATA:
        return MM_EXIT_INPUT;
    case -EINVAL:
    case -E2BIG:
        return MM_EXIT_MISUSE;
    default:
        return MM_EXIT_SYSTEM;
    }
}

void mm_print_notes(const struct mm_notes *notes)
{
    for (size_t i = 0; i < notes->count && !mm_answer_kept(); i++)
        fprintf(stderr, "mastermind: note: %s\n", mm_safe(notes->items[i]));
}

static int read_profile(struct mm_input *input, size_t at, const char *name, int rank,
                        struct cca_error *err)
{
    struct mm_experiment *experiment = input->experiments[at];
    int result = mm_metric_find(experiment, name, &input->metric, err);
    struct mm_metric metric = input->metric;

    if (result)
        return result;
    if (metric.kind == MM_METRIC_WALL_TIME && input->stretched)
        metric.kind = MM_METRIC_TIME;
    if (rank >= experiment->ranks)
        return cca_error_set(err, -ENOENT, "%s: found no rank %d, expected 0 to %d",
                             experiment->path, rank, experiment->ranks - 1);
    mm_metric_source_init(&input->sources[at], experiment, &metric);
    input->sources[at].rank = rank;
    input->sources[at].source.inclusive = input->inclusive;
    input->profiles[at] =
        mm_profile_new(&input->sources[at].source, experiment->wiring, err);
    return input->profiles[at] ? 0 : err->code;
}

/* True if the experiment was given before, under this or another name: each run counts
 * once. */
static int is_given(char *const *paths, int at)
{
    struct stat own, other;

    if (stat(paths[at], &own) != 0)
        return 0;
    for (int i = 0; i < at; i++)
        if (stat(paths[i], &other) == 0 && other.st_dev == own.st_dev &&
            other.st_ino == own.st_ino)
            return 1;
    return 0;
}

/* The metric for an experiment if none is requested. A timed command has no own time, as
 * the host's share of its elapsed time is unknown. */
static const char *default_metric(const struct mm_experiment *experiment)
{
    int is_timed = experiment->origin && strcmp(experiment->origin, "timed") == 0;

    return is_timed && experiment->has_cpu ? "CPU_TIME" : "TIME";
}

static int open_all(struct mm_input *input, char *const *paths, int count,
                    const struct cca_given *option, int rank)
{
    const char *metric = option && option->given ? cca_given_value(option) : NULL;
    struct cca_error err = {0};

    if (count < 1)
        return mm_refuse(MM_EXIT_MISUSE, "expected the directory of an experiment");
    input->experiments = calloc((size_t)count, sizeof *input->experiments);
    input->profiles = calloc((size_t)count, sizeof *input->profiles);
    input->sources = calloc((size_t)count, sizeof *input->sources);
    if (!input->experiments || !input->profiles || !input->sources) {
        cca_no_memory(&err);
        return mm_complain(&err);
    }
    for (int i = 0; i < count; i++) {
        struct mm_experiment *experiment;

        if (is_given(paths, i))
            continue;
        experiment = mm_experiment_open(paths[i], &err);
        if (!experiment)
            return mm_complain(&err);
        if (input->hints)
            mm_experiment_use_hints(experiment);
        if (!metric)
            metric = default_metric(experiment);
        input->experiments[input->count++] = experiment;
        if (read_profile(input, input->count - 1, metric, rank, &err))
            return mm_complain(&err);
    }
    return -1;
}

int mm_input_open_rank(struct mm_input *input, char *const *paths, int count,
                       const struct cca_given *option, int rank)
{
    *input = (struct mm_input){0};
    mm_stretch_of(&input->stretch, NULL, 0);
    return open_all(input, paths, count, option, rank);
}

int mm_input_open_stretched(struct mm_input *input, char *const *paths, int count,
                            const struct cca_given *option, unsigned how)
{
    int result;

    *input = (struct mm_input){.stretched = 1,
                               .inclusive = (how & MM_INPUT_INCLUSIVE) != 0,
                               .hints = (how & MM_INPUT_HINTS) != 0};
    mm_stretch_of(&input->stretch, NULL, 0);
    result = open_all(input, paths, count, option, -1);
    if (result < 0 && input->metric.kind == MM_METRIC_WALL_TIME)
        mm_stretch_fit(&input->stretch, input->profiles, input->count);
    return result;
}

int mm_input_by_clock(struct mm_input *input)
{
    struct cca_error err = {0};

    input->stretched = 0;
    mm_stretch_of(&input->stretch, NULL, 0);
    for (size_t i = 0; i < input->count; i++) {
        mm_profile_free(input->profiles[i]);
        mm_metric_source_done(&input->sources[i]);
        input->profiles[i] = NULL;
        if (read_profile(input, i, "WALL_TIME", -1, &err))
            return mm_complain(&err);
    }
    return -1;
}

int mm_input_open(struct mm_input *input, char *const *paths, int count,
                  const struct cca_given *option)
{
    return mm_input_open_rank(input, paths, count, option, -1);
}

const struct mm_stretch *mm_input_stretch(const struct mm_input *input)
{
    return input->stretch.runs ? &input->stretch : NULL;
}

/* A search for a name among offered names; `found` is set if one of them is equal. */
struct search {
    struct cca_nearest nearest;
    int found;
};

static void offer_name(struct search *search, const char *name)
{
    search->found |= strcmp(search->nearest.name, name) == 0;
    cca_nearest_offer(&search->nearest, name);
}

static int report_unknown(const struct search *search, const char *what)
{
    char hint[128];

    if (search->found)
        return -1;
    return mm_refuse(MM_EXIT_INPUT, "%s '%s'%s", what, mm_safe(search->nearest.name),
                     mm_safe(cca_nearest_hint(search->nearest.best, hint, sizeof hint)));
}

int mm_input_check_instance(const struct mm_input *input, const char *name)
{
    const struct mm_profile *base = input->profiles[0];
    struct search search = {.found = 0};
    char what[300];

    cca_nearest_init(&search.nearest, name);
    for (size_t i = 0; i < base->source.method_count; i++)
        if (base->dual->vertices[i].calls)
            offer_name(&search, base->source.methods[i]->instance);
    snprintf(what, sizeof what, "%.250s: no invocation of an instance",
             mm_safe(base->source.name));
    return report_unknown(&search, what);
}

int mm_input_check_class(const struct mm_input *input, const char *name)
{
    struct search search = {.found = 0};

    cca_nearest_init(&search.nearest, name);
    for (size_t i = 0; i < input->count; i++) {
        const struct mm_experiment *experiment = input->experiments[i];
        const struct mm_wiring *wiring = experiment->wiring;

        for (size_t k = 0; k < experiment->method_count; k++)
            offer_name(&search, experiment->methods[k]->class_name);
        for (size_t k = 0; wiring && k < wiring->instance_count; k++)
            offer_name(&search, wiring->instances[k].class_name);
    }
    for (size_t i = 0; i < input->repository_count; i++)
        for (size_t k = 0; k < input->repositories[i]->count; k++)
            offer_name(&search, input->repositories[i]->models[k].class_name);
    return report_unknown(&search, "these experiments have no class");
}

void mm_input_done(struct mm_input *input)
{
    for (size_t i = 0; i < input->count; i++) {
        mm_profile_free(input->profiles[i]);
        mm_metric_source_done(&input->sources[i]);
        mm_experiment_free(input->experiments[i]);
    }
    for (size_t i = 0; i < input->repository_count; i++)
        mm_repository_free(input->repositories[i]);
    free(input->repositories);
    free(input->profiles);
    free(input->sources);
    free(input->experiments);
    *input = (struct mm_input){0};
}
