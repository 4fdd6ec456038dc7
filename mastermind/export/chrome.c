/* SPDX-License-Identifier: BSD-3-Clause */
/* chrome.c: write recorded calls as trace events for Chrome's viewer and Perfetto. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/export/formats.h"

/* A row, which is kept until all rows of its thread have been read: events are written in
 * the order of their starts, a caller before its callees. */
struct event {
    int64_t start_ns, wall_ns;
    const struct mm_method_info *method;
    size_t values; /* index of the event's first value */
    int has_out;
};

struct state {
    FILE *file;
    char **names; /* [method_count] names of the methods as JSON strings */
    struct event *events;
    size_t count;
    union monitor_value *values;
    size_t value_count;
    int rank, thread, told;
    int status;
};

static int by_start(const void *left, const void *right)
{
    const struct event *a = left, *b = right;

    if (a->start_ns != b->start_ns)
        return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
    return (a->wall_ns < b->wall_ns) - (a->wall_ns > b->wall_ns);
}

/* Print nanoseconds as microseconds, exactly. */
static void print_us(FILE *file, const char *key, int64_t ns)
{
    fprintf(file, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void print_value(struct state *state, const struct mm_value_info *info,
                        union monitor_value value, int *told)
{
    char *name;

    if (monitor_value_absent(value, info->type))
        return;
    name = mm_export_quoted(info->name);
    if (!name) {
        state->status = -ENOMEM;
        return;
    }
    fprintf(state->file, "%s%s:", (*told)++ ? "," : ",\"args\":{", name);
    free(name);
    if (info->type != MONITOR_DOUBLE)
        fprintf(state->file, "%" PRId64, value.i);
    else if (isfinite(value.d))
        fprintf(state->file, "%.17g", value.d);
    else
        fputs("null", state->file);
}

static void print_event(struct state *state, const struct event *event)
{
    const struct mm_method_info *method = event->method;
    size_t count = event->has_out ? method->value_count : method->in_count;
    int told = 0;

    if (!state->names[method->index] &&
        !(state->names[method->index] = mm_export_quoted(method->name))) {
        state->status = -ENOMEM;
        return;
    }
    fprintf(state->file, "%s\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":%s",
            state->told++ ? "," : "", state->rank, state->thread,
            state->names[method->index]);
    print_us(state->file, "ts", event->start_ns);
    print_us(state->file, "dur", event->wall_ns);
    for (size_t i = 0; i < count && !state->status; i++)
        print_value(state, &method->values[i], state->values[event->values + i], &told);
    fputs(told ? "}}" : "}", state->file);
}

/* Shorten calls so that they lie within their callers, in spite of different clock
 * readings and rounding. Readers of the format add start and duration as doubles; so a
 * call that ends exactly at the start of the next call, as in imported rows, is made to
 * end one nanosecond earlier. */
static void nest(struct event *events, size_t count)
{
    size_t *open = malloc((count + 1) * sizeof *open), depth = 0;

    for (size_t i = 0; open && i < count; i++) {
        struct event *event = &events[i];

        while (depth &&
               events[open[depth - 1]].start_ns + events[open[depth - 1]].wall_ns <=
                   event->start_ns)
            depth--;
        if (depth) {
            int64_t end =
                events[open[depth - 1]].start_ns + events[open[depth - 1]].wall_ns;

            if (event->start_ns + event->wall_ns > end)
                event->wall_ns = end - event->start_ns;
        }
        if (depth && event->wall_ns > 1 &&
            event->start_ns + event->wall_ns ==
                events[open[depth - 1]].start_ns + events[open[depth - 1]].wall_ns)
            event->wall_ns--;
        open[depth++] = i;
    }
    for (size_t i = 0; i + 1 < count; i++)
        if (events[i].wall_ns > 0 &&
            events[i].start_ns + events[i].wall_ns == events[i + 1].start_ns)
            events[i].wall_ns--;
    free(open);
}

static void flush_thread(struct state *state)
{
    if (!state->count)
        return;
    qsort(state->events, state->count, sizeof *state->events, by_start);
    nest(state->events, state->count);
    fprintf(state->file,
            "%s\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{"
            "\"name\":\"thread %d\"}}",
            state->told++ ? "," : "", state->rank, state->thread, state->thread);
    for (size_t i = 0; i < state->count && !state->status; i++)
        print_event(state, &state->events[i]);
    free(state->events);
    free(state->values);
    state->events = NULL;
    state->values = NULL;
    state->count = state->value_count = 0;
}

static int take_row(const struct mm_row *row, void *context)
{
    struct state *state = context;
    struct event *event;
    size_t count =
        row->status == MM_ROW_DONE ? row->method->value_count : row->method->in_count;

    if (row->rank != state->rank || row->thread != state->thread)
        flush_thread(state);
    if (row->rank != state->rank)
        fprintf(
            state->file,
            "%s\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":"
            "\"rank %d\"}}",
            state->told++ ? "," : "", row->rank, row->rank);
    state->rank = row->rank;
    state->thread = row->thread;
    event = cca_array_add(&state->events, &state->count, sizeof *event);
    if (!event)
        return -ENOMEM;
    *event = (struct event){.start_ns = row->start_ns,
                            .wall_ns = row->wall_ns,
                            .method = row->method,
                            .values = state->value_count,
                            .has_out = row->status == MM_ROW_DONE};
    for (size_t i = 0; i < count; i++) {
        union monitor_value *value =
            cca_array_add(&state->values, &state->value_count, sizeof *value);

        if (!value)
            return -ENOMEM;
        *value = row->values[i];
    }
    return state->status;
}

int mm_export_chrome(FILE *file, const struct mm_export *run, struct mm_notes *notes,
                     struct cca_error *err)
{
    struct state state = {.file = file,
                          .names =
                              calloc(run->experiment->method_count + 1, sizeof(char *)),
                          .rank = -1};
    int status = state.names ? 0 : cca_no_memory(err);

    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
    if (!status)
        status = mm_experiment_rows(run->experiment, take_row, &state, err);
    if (!status)
        flush_thread(&state);
    if (!status && state.status)
        status = cca_no_memory(err);
    fputs("]}\n", file);
    if (!status && run->dual->folded > run->dual->sampled &&
        mm_notes_add(notes, "%llu calls are in aggregates and have no event",
                     (unsigned long long)(run->dual->folded - run->dual->sampled)))
        status = cca_no_memory(err);
    for (size_t i = 0; state.names && i < run->experiment->method_count; i++)
        free(state.names[i]);
    free(state.names);
    free(state.events);
    free(state.values);
    return status;
}
