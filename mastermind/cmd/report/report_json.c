/* SPDX-License-Identifier: BSD-3-Clause */
/* report_json.c: print a report as a document. */
#include "mastermind/cmd/report/report.h"

/* Set the mean cost of recording a call, and its least and greatest possible value. */
static void put_call_cost(json_t *document, const struct mm_dual *dual)
{
    double calls = (double)(dual->rows + dual->folded);

    mm_json_put(document, "call_ns", mm_json_finite(mm_report_call_ns(dual)));
    if (!calls)
        return;
    mm_json_set(document, "call_least_ns call_most_ns", dual->recording_least_ns / calls,
                dual->recording_most_ns / calls);
}

static json_t *open_json(const struct mm_dual *dual)
{
    json_t *open = json_array();

    for (size_t i = 0; i < dual->open_count; i++) {
        json_array_append_new(
            open,
            mm_json_object("rank thread name start_ns elapsed_ns", dual->open[i].rank,
                           dual->open[i].thread, dual->open[i].method->name,
                           dual->open[i].start_ns, dual->open[i].elapsed_ns));
    }
    return open;
}

static void put_storage(json_t *document, const struct mm_experiment *experiment)
{
    mm_json_set(document, "storage", experiment->storage);
    if (experiment->size_limit > 0)
        mm_json_put(document, "size_limit", json_integer(experiment->size_limit));
}

/* The methods of the table. */
static json_t *methods_json(const struct report *report)
{
    json_t *methods = json_array();

    for (size_t i = 0; i < report->count && i < report->limit; i++) {
        json_t *line = json_object();
        struct report_line numbers;
        unsigned state = mm_report_line(report, report->lines[i], &numbers);

        mm_json_put_method(line, report->lines[i]->method);
        mm_fields_put(line, mm_report_fields, mm_report_is_own(report), &numbers, state);
        mm_report_put_ranks(report, line, report->lines[i]);
        json_array_append_new(methods, line);
    }
    return methods;
}

/* Set the members that only a report of own time has and that precede its methods. */
static void put_own(const struct report *report, json_t *document)
{
    const struct mm_experiment *experiment = report->experiment;

    mm_json_set(document, "ranks threads origin source", report->dual->ranks,
                report->dual->threads, experiment->origin, experiment->source);
    put_storage(document, experiment);
    mm_report_put_host(report, document);
    mm_json_put(document, "overhead_ns", json_integer(report->dual->overhead_ns));
    put_call_cost(document, report->dual);
}

json_t *mm_report_document(const struct report *report)
{
    json_t *document = mm_json_metric_document("report", report->metric);
    int is_own = mm_report_is_own(report);

    mm_json_set(document, "experiment finished", report->experiment->name,
                json_boolean(report->experiment->finished));
    mm_kept_put(document, &report->kept);
    mm_json_put(document, is_own ? "total_ns" : "total",
                json_integer(report->dual->total_ns));
    if (is_own)
        put_own(report, document);
    else
        mm_json_put(document, "missing", json_integer((json_int_t)report->missing));
    mm_json_put(document, "methods", methods_json(report));
    mm_report_put_document(report, document);
    mm_report_put_swaps(report, document);
    if (!is_own)
        return document;
    mm_report_put_shares(report, document);
    mm_json_put(document, "open", open_json(report->dual));
    mm_report_messages_put(report->messages, report->dual, document);
    return document;
}

int mm_report_print_json(const struct report *report)
{
    return mm_json_print(mm_report_document(report));
}
