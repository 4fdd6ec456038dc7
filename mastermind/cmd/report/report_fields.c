/* SPDX-License-Identifier: BSD-3-Clause */
/* report_fields.c: the table of numbers that a report has for a method; a new column is a
 * row. */
#include <math.h>

#include "mastermind/cmd/report/report.h"

/* State of a line: which numbers are known, and which are hidden or marked. */
enum {
    VALUE = 1,  /* at least one call has a value of the metric */
    ALL = 2,    /* all calls have a value of the metric */
    SINGLE = 4, /* the least and the greatest value of single calls are known */
    HOST = 8,
    MPI = 16,
    LACKS = 32, /* at least one call has no value of the metric */
    OPEN = 64,
    SHOWS_HOST = 128,
    HIDES_HOST = 256,
    SUSPENDED = 512, /* calls without a row were counted: their times are the callers' */
    LEAST = 1024     /* and there were more */
};

/* The state of a line whose method has calls that were counted alone, which are added to
 * `all_calls`. */
static unsigned add_counted(const struct report *report, const struct mm_vertex *v,
                            uint64_t *all_calls)
{
    uint64_t calls = 0;
    int is_least = 0;

    if (!v->method ||
        !mm_experiment_counted(report->experiment, v->method, &calls, &is_least))
        return 0;
    *all_calls += calls;
    return SUSPENDED | (is_least ? LEAST : 0U);
}

unsigned mm_report_line(const struct report *report, const struct mm_vertex *v,
                        struct report_line *line)
{
    const struct mm_dual *dual = report->dual;
    uint64_t known = v->calls - v->missing;
    /* aggregates keep the range of single calls for times only */
    int is_peak = mm_metric_is_peak(report->metric);
    int lacks = v->missing && !(is_peak && known); /* nested calls have no peak */
    unsigned counted;
    int is_single = mm_report_is_own(report) || !v->folded ||
                    report->metric->kind == MM_METRIC_MPI_TIME;

    *line = (struct report_line){
        .vertex = *v,
        .share =
            dual->total_ns > 0 ? (double)v->inclusive_ns / (double)dual->total_ns : NAN,
        .per_call = !known    ? 0
                    : is_peak ? v->mean_ns * (double)v->calls / (double)known
                              : (double)v->inclusive_ns / (double)known,
        .host_share = mm_report_host_share(&v->off, v->exclusive_ns),
        .sd = mm_vertex_sd(v),
        .wall_ns = v->inclusive_ns + v->off_inclusive.host_ns,
        .all_calls = v->calls};
    counted = add_counted(report, v, &line->all_calls);
    line->is_least = (counted & LEAST) != 0;
    return counted | (known ? VALUE : 0U) | (lacks ? LACKS : ALL) |
           (lacks || !is_single ? 0U : SINGLE) | (v->open ? OPEN : 0U) |
           (mm_report_knows_host(report) ? HOST : 0U) |
           (report->experiment->has_mpi ? MPI : 0U) |
           (mm_report_shows_host(report) ? SHOWS_HOST : HIDES_HOST);
}

unsigned mm_report_sum(const struct report *report, struct report_line *line)
{
    struct mm_vertex sum = {.inclusive_ns = report->dual->total_ns,
                            .off = report->dual->off};
    uint64_t all_calls = 0;
    unsigned state, counted = 0;

    for (size_t i = 0; i < report->count; i++) {
        sum.calls += report->lines[i]->calls;
        all_calls += report->lines[i]->calls;
        counted |= add_counted(report, report->lines[i], &all_calls);
        sum.exclusive_ns += report->lines[i]->exclusive_ns;
    }
    if (mm_metric_is_peak(report->metric))
        sum.exclusive_ns = sum.inclusive_ns;
    state = mm_report_line(report, &sum, line) | VALUE | (counted & LEAST);
    line->all_calls = all_calls;
    line->share = 1;
    line->host_share = mm_report_host_share(&sum.off, sum.inclusive_ns);
    return state;
}

#define INT(member) MM_INTEGER, offsetof(struct report_line, member)
#define NUMBER(member) MM_NUMBER, offsetof(struct report_line, member)
#define MEMBER(name, unit, documents, number, needs)                                     \
    {                                                                                    \
        name, unit, documents, number, needs, .head = NULL                               \
    }

const struct mm_field mm_report_fields[] = {
    {"share", NULL, MM_OWN_MAYBE | MM_OTHER_MAYBE, NUMBER(share), VALUE, "%time",
     "%total", MM_PERCENT, 0, 0, 1, "inclusive time, in percent of the run", NULL},
    {"exclusive", "ns", MM_OWN | MM_OTHER_MAYBE, INT(vertex.exclusive_ns), VALUE,
     "excl ms", "excl", MM_MS, 0, LACKS | SUSPENDED, 1,
     "exclusive time: without recorded callees", NULL},
    {"inclusive", "ns", MM_OWN | MM_OTHER_MAYBE, INT(vertex.inclusive_ns), VALUE,
     "incl total ms", "incl total", MM_MS, 0, LACKS | OPEN | SUSPENDED, 1,
     "inclusive time: from entry to return", NULL},
    {"all_calls", NULL, MM_OWN_MAYBE | MM_OTHER_MAYBE, INT(all_calls), 0, "calls", NULL,
     MM_COUNT, 0, LEAST, 1,
     "invocations, also those that were counted alone since recording them was "
     "suspended; > "
     "marks lower bounds",
     NULL},
    {"subrs", NULL, MM_BOTH, INT(vertex.subrs), 0, "subrs", NULL, MM_COUNT, SHOWS_HOST, 0,
     0, "recorded calls that the method made", NULL},
    {"host_share", NULL, 0, NUMBER(host_share), 0, "host", NULL, MM_WHOLE_PERCENT,
     HIDES_HOST, 0, 1,
     "the share of exclusive wall time that the host took: in the place of subrs where "
     "it took 2 % of the run or more",
     NULL},
    {"percall", NULL, 0, NUMBER(per_call), VALUE, "usec/call", "per call", MM_US, 0, 0, 0,
     "inclusive time of a call, in the mean", NULL},

    /* members of documents without a column in tables */
    MEMBER("calls", NULL, MM_BOTH, INT(vertex.calls), 0),
    MEMBER("all_calls_least", NULL, MM_OWN_MAYBE | MM_OTHER_MAYBE, INT(is_least),
           SUSPENDED),
    MEMBER("missing", NULL, MM_OTHER, INT(vertex.missing), 0),
    MEMBER("overhead", "ns", MM_OWN, INT(vertex.overhead_ns), 0),
    MEMBER("uncertain", "ns", MM_OWN, NUMBER(vertex.uncertain_ns), 0),
    MEMBER("wall", "ns", MM_OWN_MAYBE, INT(wall_ns), HOST),
    MEMBER("host", "ns", MM_OWN_MAYBE, INT(vertex.off_inclusive.host_ns), HOST),
    MEMBER("wait", "ns", MM_OWN_MAYBE, INT(vertex.off_inclusive.wait_ns), HOST),
    MEMBER("host_exclusive", "ns", MM_OWN_MAYBE, INT(vertex.off.host_ns), HOST),
    MEMBER("wait_exclusive", "ns", MM_OWN_MAYBE, INT(vertex.off.wait_ns), HOST),
    MEMBER("mpi", "ns", MM_OWN_MAYBE, INT(vertex.mpi_inclusive_ns), MPI),
    MEMBER("mpi_exclusive", "ns", MM_OWN_MAYBE, INT(vertex.mpi_ns), MPI),
    MEMBER("mean", "ns", MM_OWN | MM_OTHER_MAYBE, NUMBER(vertex.mean_ns), ALL),
    MEMBER("sd", "ns", MM_OWN | MM_OTHER_MAYBE, NUMBER(sd), SINGLE),
    MEMBER("min", "ns", MM_OWN | MM_OTHER_MAYBE, INT(vertex.min_ns), SINGLE),
    MEMBER("max", "ns", MM_OWN | MM_OTHER_MAYBE, INT(vertex.max_ns), SINGLE),
    MEMBER("open", NULL, MM_BOTH, INT(vertex.open), 0),
    MEMBER("broken", NULL, MM_BOTH, INT(vertex.broken), 0),
    MEMBER("aggregated", NULL, MM_BOTH, INT(vertex.folded), 0),
    MEMBER("clock_back", NULL, MM_OWN, INT(vertex.clock_back), 0),
    {.name = NULL}};
