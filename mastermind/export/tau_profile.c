/* SPDX-License-Identifier: BSD-3-Clause */
/* tau_profile.c: write an experiment as TAU profile files.
 *
 *     5 templated_functions_MULTI_TIME
 *     # Name Calls Subrs Excl Incl ProfileCalls # <metadata>...</metadata>
 *     ".TAU application" 1 1 0 18200000 0 GROUP="TAU_DEFAULT"
 *     "flux.flux.compute" 9600 0 8100000 8100000 0 GROUP="GodunovFlux | shock.FluxPort/1"
 *     0 aggregates
 *     2 userevents
 *     # eventname numevents max min mean sumsqr
 *     "flux.flux.compute nx" 9600 201 201 201 387849600 */
#include "mastermind/export/tau_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/directory.h"
#include "common/xml.h"
#include "mastermind/counts/counts.h"
#include "mastermind/reader/timers.h"

/* A parameter or out-parameter of a method in one thread. */
struct event {
    uint64_t count;
    double min, max, sum, squares;
};

struct profiles {
    struct mm_experiment *experiment;
    struct mm_notes *notes;
    struct cca_error *err;
    int multi; /* true to write one directory for each metric */
    char directory[PATH_MAX];
    struct event *events; /* parameters and out-parameters in the
                             current thread, grouped by method */
    size_t *first_event;  /* [method_count + 1] index of each method's
                             first event */
    uint64_t missing;     /* number of values that are missing in the current metric */
    /* numbers of aggregated calls that have no events for parameters, and for
     * out-parameters */
    uint64_t without_values, without_out;
};

/* Write a name without quotes: readers of these files split lines at quotes, and there is
 * no escape. */
static void put_name(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(*name == '"' ? '\'' : (unsigned char)*name < 0x20 ? ' ' : *name, out);
}

/* Convert a time to whole microseconds, which all readers accept; the count of a counter
 * is returned unchanged. */
static int64_t in_units(const struct mm_metric *metric, int64_t value)
{
    return metric->kind < MM_METRIC_COUNTER ? llround((double)value / 1000) : value;
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<attribute><name>%s</name><value>", name);
    cca_xml_put(out, value ? value : "", SIZE_MAX);
    fputs("</value></attribute>", out);
}

static void put_head(FILE *out, const struct profiles *x, const struct mm_metric *metric,
                     size_t lines)
{
    fprintf(out, "%zu templated_functions_MULTI_", lines);
    put_name(out, metric->name);
    fputs("\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata>", out);
    put_attribute(out, "Metric Name", metric->name); /* the metric's name must be the
                                                        first attribute in TAU's format */
    put_attribute(out, "Experiment", x->experiment->name);
    put_attribute(out, "Hostname", x->experiment->host);
    put_attribute(out, "CPU Type", x->experiment->cpu);
    fputs("</metadata>\n", out);
}

static void put_functions(FILE *out, const struct profiles *x,
                          const struct mm_metric *metric, const struct mm_dual *dual)
{
    const struct mm_vertex *thread = &dual->vertices[dual->thread_vertex];
    const struct mm_vertex *lost = &dual->vertices[dual->lost_vertex];
    size_t lines = 1;

    for (size_t i = 0; i < dual->thread_vertex; i++)
        lines += dual->vertices[i].calls > 0;
    put_head(out, x, metric, lines);
    fprintf(out,
            "\".TAU application\" 1 %" PRIu64 " 0 %" PRId64 " 0 GROUP=\"TAU_DEFAULT\"\n",
            thread->subrs + lost->subrs, in_units(metric, dual->total_ns));
    for (size_t i = 0; i < dual->thread_vertex; i++) {
        const struct mm_vertex *v = &dual->vertices[i];

        if (!v->calls)
            continue;
        fputc('"', out);
        put_name(out, v->name);
        fprintf(out, "\" %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " 0 GROUP=\"",
                v->calls, v->subrs, in_units(metric, v->exclusive_ns),
                in_units(metric, v->inclusive_ns));
        put_name(out, v->method->class_name);
        fputs(" | ", out);
        put_name(out, v->method->port_type);
        fputs("\"\n", out);
    }
    fputs("0 aggregates\n", out);
}

static void put_events(FILE *out, const struct profiles *x)
{
    const struct mm_experiment *e = x->experiment;
    size_t count = 0;

    for (size_t i = 0; i < x->first_event[e->method_count]; i++)
        count += x->events[i].count > 0;
    if (!count)
        return;
    fprintf(out, "%zu userevents\n# eventname numevents max min mean sumsqr\n", count);
    for (size_t m = 0; m < e->method_count; m++)
        for (size_t k = 0; k < e->methods[m]->value_count; k++) {
            const struct event *event = &x->events[x->first_event[m] + k];

            if (!event->count)
                continue;
            fputc('"', out);
            put_name(out, e->methods[m]->name);
            fputc(' ', out);
            put_name(out, e->methods[m]->values[k].name);
            fprintf(out, "\" %" PRIu64 " %.16G %.16G %.16G %.16G\n", event->count,
                    event->max, event->min, event->sum / (double)event->count,
                    event->squares);
        }
}

/* Add the first `count` values of `calls` equal calls to the events of a method. */
static void add_values(struct profiles *x, const struct mm_method_info *m,
                       const union monitor_value *values, size_t count, uint64_t calls)
{
    for (size_t i = 0; i < count; i++) {
        struct event *event = &x->events[x->first_event[m->index] + i];
        enum monitor_type type = m->values[i].type;
        double value = type == MONITOR_INT64 ? (double)values[i].i : values[i].d;

        if (!isfinite(value) || monitor_value_absent(values[i], type))
            continue;
        if (!event->count || value < event->min)
            event->min = value;
        if (!event->count || value > event->max)
            event->max = value;
        event->count += calls;
        event->sum += (double)calls * value;
        event->squares += (double)calls * value * value;
    }
}

static int on_row(const struct mm_row *row, const struct mm_joined *joined, void *context)
{
    struct profiles *x = context;
    const struct mm_method_info *m = row->method;
    size_t count = row->status == MM_ROW_DONE ? m->value_count : m->in_count;

    (void)joined;
    if (row->counted)
        return 0; /* the row is a sample of calls that an aggregate counts */
    add_values(x, m, row->values, count, 1);
    return 0;
}

/* Add the parameters of the calls of an aggregate to the events; aggregates have no
 * out-parameters. */
static int on_aggregate(const struct mm_aggregate *a, const struct mm_joined *joined,
                        void *context)
{
    struct profiles *x = context;

    (void)joined;
    x->without_out += a->method->value_count > a->method->in_count ? a->calls : 0;
    if (a->values)
        add_values(x, a->method, a->values, a->method->in_count, a->calls);
    else
        x->without_values += a->calls;
    return 0;
}

static int report_failure(struct profiles *x, const char *path)
{
    return cca_error_set(x->err, -EIO, "%s: %s", path, strerror(errno));
}

static int write_thread(struct profiles *x, const char *directory,
                        const struct mm_metric *metric, int rank, int thread)
{
    struct mm_metric_source source;
    struct mm_dual *dual;
    char path[PATH_MAX + 64];
    FILE *out;
    int result = 0;

    mm_metric_source_init(&source, x->experiment, metric);
    source.rank = rank;
    source.thread = thread;
    memset(x->events, 0, x->first_event[x->experiment->method_count] * sizeof *x->events);
    dual = mm_dual_new(&source.source, on_row, on_aggregate, x, x->err);
    mm_metric_source_done(&source);
    if (!dual)
        return x->err->code;
    x->missing += source.missing;
    snprintf(path, sizeof path, "%s/profile.%d.0.%d", directory, rank, thread);
    out = fopen(path, "wxe");
    if (out) {
        put_functions(out, x, metric, dual);
        put_events(out, x);
        if (ferror(out) | fclose(out))
            out = NULL;
    }
    if (!out)
        result = report_failure(x, path);
    mm_dual_free(dual);
    return result;
}

/* --- Timers and events of components -------------------------------------- */

static void put_timers(FILE *out, const struct profiles *x,
                       const struct mm_metric *metric, const struct mm_timers *own)
{
    int64_t outermost = 0;

    for (size_t i = 0; i < own->timer_count; i++)
        outermost += own->timers[i].exclusive_ns;
    put_head(out, x, metric, 1 + own->timer_count);
    fprintf(out, "\".TAU application\" 1 0 0 %" PRId64 " 0 GROUP=\"TAU_DEFAULT\"\n",
            in_units(metric, outermost));
    for (size_t i = 0; i < own->timer_count; i++) {
        const struct mm_timer *t = &own->timers[i];

        fputc('"', out);
        put_name(out, t->name);
        fprintf(out, "\" %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " 0 GROUP=\"",
                t->calls, t->subroutines, in_units(metric, t->exclusive_ns),
                in_units(metric, t->inclusive_ns));
        put_name(out, *t->group ? t->group : "TAU_USER");
        fputs("\"\n", out);
    }
    fputs("0 aggregates\n", out);
}

static void put_own_events(FILE *out, const struct mm_timers *own)
{
    if (own->event_count)
        fprintf(out, "%zu userevents\n# eventname numevents max min mean sumsqr\n",
                own->event_count);
    for (size_t i = 0; i < own->event_count; i++) {
        const struct mm_event *e = &own->events[i];
        double n = (double)e->count;

        fputc('"', out);
        put_name(out, e->name);
        fprintf(out, "\" %" PRId64 " %.16G %.16G %.16G %.16G\n", e->count, e->max, e->min,
                e->mean, (n - 1) * e->sd * e->sd + n * e->mean * e->mean);
    }
}

/* Write timers and events, which are sums over all threads of a rank and do not belong to
 * a method, to a file of their own: the format calls this a context. */
static int write_own(struct profiles *x, const char *directory,
                     const struct mm_metric *metric, int rank,
                     const struct mm_timers *own)
{
    char path[PATH_MAX + 64];
    FILE *out;

    if (!own->timer_count && !own->event_count)
        return 0;
    snprintf(path, sizeof path, "%s/profile.%d.1.0", directory, rank);
    out = fopen(path, "wxe");
    if (out) {
        put_timers(out, x, metric, own);
        put_own_events(out, own);
        if (ferror(out) | fclose(out))
            out = NULL;
    }
    return out ? 0 : report_failure(x, path);
}

static int write_own_of_rank(struct profiles *x, const char *directory,
                             const struct mm_metric *metric, int rank)
{
    struct mm_timers own;
    int result = mm_experiment_timers(x->experiment, rank, &own, x->err);

    if (!result)
        result = write_own(x, directory, metric, rank, &own);
    mm_timers_done(&own);
    return result;
}

/* --- All timers and events ------------------------------------------------ */

static int write_metric(struct profiles *x, const struct mm_metric *metric)
{
    char directory[PATH_MAX + 32];
    int result = 0;

    snprintf(directory, sizeof directory, "%s%s%s", x->directory,
             x->multi ? "/MULTI__" : "", x->multi ? metric->name : "");
    for (char *c = directory + strlen(x->directory) + (x->multi != 0); *c; c++)
        if (*c == '/')
            *c = '_';
    if (x->multi && mkdir(directory, 0777))
        return report_failure(x, directory);
    x->missing = x->without_values = x->without_out = 0;
    for (int rank = 0; !result && rank < x->experiment->ranks; rank++) {
        size_t count;
        int *threads;

        result = mm_experiment_threads(x->experiment, rank, &threads, &count, x->err);
        for (size_t i = 0; !result && i < count; i++)
            result = write_thread(x, directory, metric, rank, threads[i]);
        free(threads);
    }
    for (int rank = 0;
         !result && rank < x->experiment->ranks && metric->kind == MM_METRIC_TIME; rank++)
        result = write_own_of_rank(x, directory, metric, rank);
    if (!result && x->missing &&
        mm_notes_add(x->notes,
                     "%" PRIu64 " calls have no value of %s: they count as nothing in it",
                     x->missing, metric->name))
        result = cca_no_memory(x->err);
    return result;
}

/* Create the directory of profiles; it may exist if it is empty. */
static int make_directory(const char *path, struct cca_error *err)
{
    int empty;

    if (mkdir(path, 0777) == 0)
        return 0;
    empty = errno == EEXIST ? cca_directory_is_empty(path) : -errno;
    if (empty < 0)
        return cca_error_set(err, -EIO, "%s: %s", path, strerror(-empty));
    return empty ? 0
                 : cca_error_set(err, -EINVAL,
                                 "%s: found files, expected an empty directory", path);
}

static int ignore_row(const struct mm_row *row, void *context)
{
    (void)row;
    (void)context;
    return 0;
}

static int add_note(struct profiles *x, uint64_t calls, const char *what)
{
    if (calls &&
        mm_notes_add(x->notes, "%" PRIu64 " calls are in aggregates: %s", calls, what))
        return cca_no_memory(x->err);
    return 0;
}

/* Write the profile of a metric, unless it has no values, because the format cannot omit
 * a number. */
static int write_named(struct profiles *x, const char *name)
{
    struct cca_error why = {0};
    struct mm_metric metric;

    if (mm_metric_find(x->experiment, name, &metric, &why) == 0)
        return write_metric(x, &metric);
    return mm_notes_add(x->notes, "%s", why.text) ? cca_no_memory(x->err) : 0;
}

/* Write the profiles of all metrics, except metrics that can be derived from other
 * metrics. */
static int write_metrics(struct profiles *x)
{
    const struct mm_experiment *e = x->experiment;
    int result = write_named(x, "TIME");

    if (!result && e->has_cpu && !e->has_losses)
        result = write_named(x, "CPU_TIME");
    if (!result && e->has_mpi)
        result = write_named(x, "MPI_TIME");
    for (size_t i = 0; !result && i < e->counter_count; i++)
        result = write_named(x, e->counters[i]);
    if (!result)
        result = add_note(
            x, x->without_values,
            "too many different values to keep them apart, so not in user events");
    if (!result)
        result =
            add_note(x, x->without_out, "their out-parameters are not in user events");
    return result;
}

int mm_tau_profiles(struct mm_experiment *experiment, const char *directory,
                    struct mm_notes *notes, struct cca_error *err)
{
    struct profiles x = {.experiment = experiment,
                         .notes = notes,
                         .err = err,
                         .multi = experiment->counter_count > 0 ||
                                  (experiment->has_cpu && !experiment->has_losses) ||
                                  experiment->has_mpi};
    size_t values = 0;
    int result;

    if (snprintf(x.directory, sizeof x.directory, "%s", directory) >=
        (int)sizeof x.directory)
        return cca_error_set(err, -EINVAL, "%s: the path is too long", directory);
    /* visit all rows once: this fixes the set of threads of a running program for the
     * later passes, and finds damaged files before anything is written */
    result = mm_experiment_rows(experiment, ignore_row, NULL, err);
    if (!result)
        result = make_directory(directory, err);
    if (result)
        return result;
    x.first_event = calloc(experiment->method_count + 1, sizeof *x.first_event);
    for (size_t i = 0; x.first_event && i < experiment->method_count; i++) {
        values += experiment->methods[i]->value_count;
        x.first_event[i + 1] = values;
    }
    x.events = calloc(values + 1, sizeof *x.events);
    if (!x.first_event || !x.events)
        result = cca_no_memory(err);
    if (!result)
        result = write_metrics(&x);
    free(x.first_event);
    free(x.events);
    return result;
}
