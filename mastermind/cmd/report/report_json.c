/* SPDX-License-Identifier: BSD-3-Clause */
/* report_json.c: a report as a document. */
#include "mastermind/cmd/report/report.h"

/* The cost of recording a call in the mean, and the least and most that it can be. */
static void put_call_cost(json_t *document, const struct mm_dual *dual)
{
    double calls = (double)(dual->rows + dual->folded);

    mm_json_put(document, "call_ns", mm_json_finite(mm_report_call_ns(dual)));
    if (!calls)
        return;
    mm_json_put(document, "call_least_ns",
                mm_json_finite(dual->recording_least_ns / calls));
    mm_json_put(document, "call_most_ns",
                mm_json_finite(dual->recording_most_ns / calls));
}

static json_t *line_json(const struct report *report, const struct mm_vertex *v)
{
    json_t *line = json_object();

    mm_json_put_method(line, v->method);
    mm_json_put(line, "calls", json_integer((json_int_t)v->calls));
    mm_json_put(line, "subrs", json_integer((json_int_t)v->subrs));
    mm_json_put(line, "exclusive_ns", json_integer(v->exclusive_ns));
    mm_json_put(line, "inclusive_ns", json_integer(v->inclusive_ns));
    mm_json_put(line, "overhead_ns", json_integer(v->overhead_ns));
    mm_report_put_line_host(report, line, v);
    if (report->experiment->has_mpi) {
        mm_json_put(line, "mpi_ns", json_integer(v->mpi_inclusive_ns));
        mm_json_put(line, "mpi_exclusive_ns", json_integer(v->mpi_ns));
    }
    if (report->dual->total_ns > 0)
        mm_json_put(
            line, "share",
            mm_json_finite((double)v->inclusive_ns / (double)report->dual->total_ns));
    mm_json_put(line, "mean_ns", mm_json_finite(v->mean_ns));
    mm_json_put(line, "sd_ns", mm_json_finite(mm_vertex_sd(v)));
    mm_json_put(line, "min_ns", json_integer(v->min_ns));
    mm_json_put(line, "max_ns", json_integer(v->max_ns));
    mm_json_put(line, "open", json_integer((json_int_t)v->open));
    mm_json_put(line, "broken", json_integer((json_int_t)v->broken));
    mm_json_put(line, "aggregated", json_integer((json_int_t)v->folded));
    mm_json_put(line, "clock_back", json_integer((json_int_t)v->clock_back));
    mm_report_put_ranks(report, line, v);
    return line;
}

static json_t *metric_line_json(const struct report *report, const struct mm_vertex *v)
{
    json_t *line = json_object();

    mm_json_put_method(line, v->method);
    mm_json_put(line, "calls", json_integer((json_int_t)v->calls));
    mm_json_put(line, "subrs", json_integer((json_int_t)v->subrs));
    mm_json_put(line, "missing", json_integer((json_int_t)v->missing));
    if (v->missing < v->calls) {
        mm_json_put(line, "exclusive", json_integer(v->exclusive_ns));
        mm_json_put(line, "inclusive", json_integer(v->inclusive_ns));
    }
    if (report->dual->total_ns > 0 && v->missing < v->calls)
        mm_json_put(
            line, "share",
            mm_json_finite((double)v->inclusive_ns / (double)report->dual->total_ns));
    mm_json_put(line, "aggregated", json_integer((json_int_t)v->folded));
    if (!v->missing)
        mm_json_put(line, "mean", mm_json_finite(v->mean_ns));
    /* Sums do not tell what single calls have, but for time in MPI. */
    if (!v->missing && !(v->folded && report->metric->kind != MM_METRIC_MPI_TIME)) {
        mm_json_put(line, "sd", mm_json_finite(mm_vertex_sd(v)));
        mm_json_put(line, "min", json_integer(v->min_ns));
        mm_json_put(line, "max", json_integer(v->max_ns));
    }
    mm_json_put(line, "open", json_integer((json_int_t)v->open));
    mm_json_put(line, "broken", json_integer((json_int_t)v->broken));
    mm_report_put_ranks(report, line, v);
    return line;
}

static json_t *metric_document(const struct report *report)
{
    json_t *document = mm_json_metric_document("report", report->metric);
    json_t *methods = json_array();

    mm_json_put(document, "experiment", mm_json_escaped(report->experiment->name));
    mm_json_put(document, "finished", json_boolean(report->experiment->finished));
    mm_kept_put(document, &report->kept);
    mm_json_put(document, "missing", json_integer((json_int_t)report->missing));
    mm_json_put(document, "total", json_integer(report->dual->total_ns));
    for (size_t i = 0; i < report->count && i < report->limit; i++)
        json_array_append_new(methods, metric_line_json(report, report->lines[i]));
    mm_json_put(document, "methods", methods);
    mm_report_put_document(report, document);
    return document;
}

static json_t *open_json(const struct mm_dual *dual)
{
    json_t *open = json_array();

    for (size_t i = 0; i < dual->open_count; i++) {
        json_t *frame = json_object();

        mm_json_put(frame, "rank", json_integer(dual->open[i].rank));
        mm_json_put(frame, "thread", json_integer(dual->open[i].thread));
        mm_json_put(frame, "name", mm_json_escaped(dual->open[i].method->name));
        mm_json_put(frame, "start_ns", json_integer(dual->open[i].start_ns));
        mm_json_put(frame, "elapsed_ns", json_integer(dual->open[i].elapsed_ns));
        json_array_append_new(open, frame);
    }
    return open;
}

static void put_storage(json_t *document, const struct mm_experiment *experiment)
{
    if (experiment->storage)
        mm_json_put(document, "storage", mm_json_escaped(experiment->storage));
    if (experiment->size_limit > 0)
        mm_json_put(document, "size_limit", json_integer(experiment->size_limit));
}

static json_t *own_document(const struct report *report)
{
    const struct mm_dual *dual = report->dual;
    json_t *document = mm_json_document("report"), *methods = json_array();

    mm_json_put(document, "experiment", mm_json_escaped(report->experiment->name));
    mm_json_put(document, "finished", json_boolean(report->experiment->finished));
    mm_json_put(document, "ranks", json_integer(dual->ranks));
    mm_json_put(document, "threads", json_integer(dual->threads));
    mm_kept_put(document, &report->kept);
    if (report->experiment->origin)
        mm_json_put(document, "origin", mm_json_escaped(report->experiment->origin));
    if (report->experiment->source)
        mm_json_put(document, "source", mm_json_escaped(report->experiment->source));
    put_storage(document, report->experiment);
    mm_json_put(document, "total_ns", json_integer(dual->total_ns));
    mm_report_put_host(report, document);
    mm_json_put(document, "overhead_ns", json_integer(dual->overhead_ns));
    put_call_cost(document, report->dual);
    for (size_t i = 0; i < report->count && i < report->limit; i++)
        json_array_append_new(methods, line_json(report, report->lines[i]));
    mm_json_put(document, "methods", methods);
    mm_report_put_shares(report, document);
    mm_report_put_document(report, document);
    mm_json_put(document, "open", open_json(dual));
    mm_report_messages_put(report->messages, dual, document);
    return document;
}

json_t *mm_report_document(const struct report *report)
{
    return mm_report_is_own(report) ? own_document(report) : metric_document(report);
}

int mm_report_print_json(const struct report *report)
{
    return mm_json_print(mm_report_document(report));
}
