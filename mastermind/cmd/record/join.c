/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c: assign samples of a recorded run to the calls that were open at their times,
 * and write the counts to samples.json of the experiment. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/reader/timers.h"
#include "mastermind/writer/json_file.h"
#include "messages/read/lookup.h"

/* Owners of samples that are no methods; the number of a method as owner is its index
 * + 1. */
enum { OUTSIDE = 0, LOADING = -1, OTHER_PROCESS = -2, RECORDER = -3 };
enum { MOST_LINES = 24 };

/* The samples of a thread of the experiment, [first, end) of all. */
struct span {
    int thread;
    size_t first, end;
};

struct join {
    const struct mm_experiment *experiment;
    struct mm_kept_sample *samples; /* [count] samples, borrowed from the sampler */
    size_t count;
    size_t *next; /* [count + 1]: for each sample, the first one from there on that has no
                     method */
    struct span *spans; /* [span_count] */
    size_t span_count;
    uint64_t *counts; /* [method_count] samples of each method */
};

/* --- Threads ---------------------------------------------------------------- */

/* The kernel's id of a thread of rank 0, from the head of a file of that thread; 0:
 * unknown.
 */
static int32_t thread_id(const char *experiment, int thread)
{
    static const char *const endings[] = {"ring", "seg"};
    struct mm_file_head head = {.thread_id = 0};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = NULL;
        ssize_t got = 0;
        int file;

        if (asprintf(&path, "%s/rank-0000/thread-%03d.%s", experiment, thread,
                     endings[i]) < 0)
            return 0;
        file = open(path, O_RDONLY | O_CLOEXEC);
        free(path);
        if (file < 0)
            continue;
        got = pread(file, &head, sizeof head, 0);
        close(file);
        if (got == (ssize_t)sizeof head)
            return (int32_t)head.thread_id;
    }
    return 0;
}

/* Find the samples of each thread. Returns 0 or a negative errno with `err`. */
static int find_spans(struct join *join, const char *path, struct cca_error *err)
{
    int *numbers = NULL, result;
    size_t count = 0;

    result = mm_experiment_threads(join->experiment, 0, &numbers, &count, err);
    for (size_t i = 0; i < count && !result; i++) {
        int32_t id = thread_id(path, numbers[i]);
        struct span *span = cca_array_add(&join->spans, &join->span_count, sizeof *span);

        if (!span) {
            result = cca_no_memory(err);
            break;
        }
        span->thread = numbers[i];
        while (span->first < join->count && join->samples[span->first].tid < id)
            span->first++;
        span->end = span->first;
        while (span->end < join->count && join->samples[span->end].tid == id)
            span->end++;
    }
    free(numbers);
    return result;
}

/* --- Calls ------------------------------------------------------------------ */

/* The first sample from `i` on that has no method. */
static size_t find_free(struct join *join, size_t i)
{
    size_t found = i;

    while (join->next[found] != found)
        found = join->next[found];
    while (join->next[i] != found) {
        size_t after = join->next[i];

        join->next[i] = found;
        i = after;
    }
    return found;
}

/* The first sample of a span at this time or later. */
static size_t find_time(const struct join *join, const struct span *span, int64_t time_ns)
{
    size_t low = span->first, high = span->end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (join->samples[middle].time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows come in the order of their ends, so a callee takes its samples before its
 * caller. */
static int take_row(const struct mm_row *row, void *context)
{
    struct join *join = context;
    const struct span *span = NULL;
    int64_t begin_ns = join->experiment->epoch_ns + row->start_ns;

    for (size_t i = 0; i < join->span_count && !span; i++)
        if (join->spans[i].thread == row->thread)
            span = &join->spans[i];
    if (!span || row->rank)
        return 0;
    for (size_t i = find_free(join, find_time(join, span, begin_ns));
         i < span->end && join->samples[i].time_ns < begin_ns + row->wall_ns;
         i = find_free(join, i)) {
        join->next[i] = i + 1;
        if (join->samples[i].kind == MM_KEPT_MEASURING)
            continue;
        join->samples[i].owner = (int32_t)row->method->index + 1;
        join->counts[row->method->index]++;
    }
    return 0;
}

/* Set the owners of samples outside of the recorded part of the run. */
static void mark_outside(struct join *join, pid_t pid, int64_t recorded_ns)
{
    for (size_t i = 0; i < join->count; i++) {
        struct mm_kept_sample *sample = &join->samples[i];

        if (sample->kind == MM_KEPT_MEASURING)
            sample->owner = RECORDER;
        else if (sample->owner == OUTSIDE && sample->pid != pid)
            sample->owner = OTHER_PROCESS;
        else if (sample->owner == OUTSIDE && sample->time_ns < recorded_ns)
            sample->owner = LOADING;
    }
}

/* --- The document ----------------------------------------------------------- */

static uint64_t count_owner(const struct join *join, int32_t owner)
{
    uint64_t count = 0;

    for (size_t i = 0; i < join->count; i++)
        count += join->samples[i].owner == owner;
    return count;
}

static const char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void put_line(json_t *lines, const char *file, const char *function,
                     const char *place, uint64_t samples)
{
    json_t *line = json_object();

    json_object_set_new(line, "file", mm_json_text(file));
    if (function)
        json_object_set_new(line, "function", mm_json_text(function));
    if (place && *place && *place != '?')
        json_object_set_new(line, "line", mm_json_text(place));
    json_object_set_new(line, "samples", json_integer((json_int_t)samples));
    mm_json_append(lines, line);
}

/* Lines of functions outside of recorded calls, the functions with most samples first. */
static json_t *make_rest(const struct mm_samples *samples)
{
    json_t *lines = json_array();
    uint64_t others = 0;

    for (size_t i = 0; i < samples->row_count; i++) {
        const struct mm_sample_row *row = &samples->rows[i];
        char function[256] = "", inlined[256] = "", place[256] = "";
        struct mm_lookup *lookup;

        if (i >= MOST_LINES) {
            others += row->count;
            continue;
        }
        lookup = row->path && row->hottest ? mm_lookup_new(row->path) : NULL;
        if (lookup) {
            mm_lookup_place(lookup, row->begin, function, place);
            mm_lookup_place(lookup, row->hottest, inlined, place);
        }
        mm_lookup_free(lookup);
        put_line(lines, row->path ? name_of_file(row->path) : "(made by the program)",
                 !row->is_symbol && *place && *place != '?' && *function &&
                         *function != '?'
                     ? function
                     : row->function,
                 place, row->count);
    }
    if (samples->kernel)
        put_line(lines, "(kernel)", NULL, NULL, samples->kernel);
    if (others)
        put_line(lines, "(others)", NULL, NULL, others);
    return lines;
}

static int write_document(struct join *join, const char *path, struct mm_whole *whole,
                          struct cca_error *err)
{
    json_t *document = json_object(), *methods = json_array();
    struct mm_samples rest, all;
    int result = mm_sampler_count(whole->sampler, &all) ? cca_no_memory(err) : 0;

    if (mm_sampler_count_owner(whole->sampler, OUTSIDE, &rest) && !result)
        result = cca_no_memory(err);
    for (size_t i = 0; i < join->experiment->method_count; i++)
        mm_json_append(methods,
                       json_pack("{s:o, s:I}", "method",
                                 mm_json_text(join->experiment->methods[i]->name),
                                 "samples", (json_int_t)join->counts[i]));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "schema", json_string("mastermind/samples/1"));
    json_object_set_new(document, "period_ns", json_integer(all.period_ns));
    json_object_set_new(document, "samples", json_integer((json_int_t)join->count));
    json_object_set_new(document, "lost", json_integer((json_int_t)all.lost));
    json_object_set_new(document, "cost_ns",
                        mm_json_real((double)join->count * all.cost_ns));
    json_object_set_new(document, "peak_bytes",
                        json_integer((json_int_t)whole->usage.ru_maxrss * 1024));
    json_object_set_new(document, "loading",
                        json_integer((json_int_t)count_owner(join, LOADING)));
    json_object_set_new(document, "other_processes",
                        json_integer((json_int_t)count_owner(join, OTHER_PROCESS)));
    json_object_set_new(document, "methods", methods);
    json_object_set_new(document, "rest", make_rest(&rest));
    if (!result)
        result = mm_json_replace(path, "samples.json", document, err);
    json_decref(document);
    mm_samples_done(&rest);
    mm_samples_done(&all);
    return result;
}

/* --- All -------------------------------------------------------------------- */

static int join_samples(struct join *join, const char *path, struct mm_whole *whole,
                        pid_t pid, struct cca_error *err)
{
    struct mm_process_times times = {0};
    int result = mm_experiment_process(join->experiment, 0, &times, err);

    join->next = malloc((join->count + 1) * sizeof *join->next);
    join->counts = calloc(join->experiment->method_count + 1, sizeof *join->counts);
    if (!join->next || !join->counts)
        return cca_no_memory(err);
    for (size_t i = 0; i <= join->count; i++)
        join->next[i] = i;
    if (!result)
        result = find_spans(join, path, err);
    if (!result)
        result = mm_experiment_rows(join->experiment, take_row, join, err);
    mark_outside(join, pid, whole->began_ns + times.load_ns);
    return result ? result : write_document(join, path, whole, err);
}

int mm_record_join(const char *path, struct mm_whole *whole, pid_t pid,
                   struct cca_error *err)
{
    struct mm_experiment *experiment;
    struct join join = {.count = 0};
    int result;

    if (!whole->sampler)
        return 0;
    experiment = mm_experiment_open(path, err);
    if (!experiment)
        return err->code;
    join.experiment = experiment;
    join.samples = mm_sampler_kept(whole->sampler, &join.count);
    result = join_samples(&join, path, whole, pid, err);
    free(join.next);
    free(join.counts);
    free(join.spans);
    mm_experiment_free(experiment);
    return result;
}
