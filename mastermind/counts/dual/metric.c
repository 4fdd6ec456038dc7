/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.c: the rows of an experiment, with values of one metric in place of times. */
#include "mastermind/counts/dual/metric.h"

#include <errno.h>
#include <string.h>

/* The reason why a metric of an experiment is missing, or NULL. */
static const char *why_missing(const struct mm_experiment *experiment, const char *name)
{
    for (size_t i = 0; i < experiment->missing_count; i++)
        if (strcmp(experiment->missing[i].name, name) == 0)
            return experiment->missing[i].why;
    return NULL;
}

/* The index of out-parameter `name` among the values of a method; `value_count` of the
 * method if it has none. */
static size_t out_of(const struct mm_method_info *m, const char *name)
{
    size_t i = m->in_count;

    while (i < m->value_count && strcmp(m->values[i].name, name) != 0)
        i++;
    return i;
}

static int find_out(const struct mm_experiment *e, const char *name,
                    struct mm_metric *metric, struct cca_error *err)
{
    int found = 0;

    for (size_t i = 0; i < e->method_count; i++) {
        const struct mm_method_info *m = e->methods[i];
        size_t at = out_of(m, name + 2);

        if (at == m->value_count)
            continue;
        if (m->values[at].type != MONITOR_INT64)
            return cca_error_set(
                err, -ENOENT,
                "%s: out-parameter '%s' of %s is a real number, expected an "
                "integer: sums are of whole numbers",
                e->name, name + 2, m->name);
        found = 1;
    }
    if (!found)
        return cca_error_set(err, -ENOENT,
                             "%s: found no out-parameter '%s' of any method", e->name,
                             name + 2);
    *metric = (struct mm_metric){.kind = MM_METRIC_OUT, .name = name};
    return 0;
}

/* True if a list of names has the out-parameter `name`. */
static int is_listed(const char *list, const char *name)
{
    char word[80];

    snprintf(word, sizeof word, ", o.%.70s", name);
    return strstr(list, word) != NULL;
}

static int refuse_metric(const struct mm_experiment *e, const char *name,
                         struct cca_error *err)
{
    char known[160] = "TIME, WALL_TIME";
    size_t used = strlen(known);

    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                             e->has_losses ? ", CPU_TIME, HOST_TIME, WAIT_TIME"
                             : e->has_cpu  ? ", CPU_TIME"
                                           : "",
                             e->has_mpi ? ", MPI_TIME, COMPUTE_TIME" : "");
    for (size_t i = 0; i < e->counter_count && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, ", %s", e->counters[i]);
    for (size_t i = 0; i < e->method_count; i++) {
        const struct mm_method_info *m = e->methods[i];

        for (size_t k = m->in_count; k < m->value_count && used < sizeof known; k++)
            if (m->values[k].type == MONITOR_INT64 &&
                !is_listed(known, m->values[k].name))
                used += (size_t)snprintf(known + used, sizeof known - used, ", o.%s",
                                         m->values[k].name);
    }
    return cca_error_set(err, -ENOENT, "%s: found no metric '%s', expected one of: %s",
                         e->path, name, known);
}

/* The reason why the time off the core of an experiment is unknown. */
static const char *no_losses(const struct mm_experiment *e)
{
    return e->origin ? "rows that were not recorded have no time off the core"
                     : "the recorder of this run stored no time off the core";
}

/* Choose the metric `name` if it is a time, measured or not. Returns 1 if it is no time.
 */
static int find_time(const struct mm_experiment *e, const char *name,
                     struct mm_metric *metric, struct cca_error *err)
{
    const struct {
        const char *name;
        enum mm_metric_kind kind;
        int measured;
        const char *why;
    } times[] = {
        {"TIME", MM_METRIC_TIME, 1, ""},
        {"WALL_TIME", MM_METRIC_WALL_TIME, 1, ""},
        {"CPU_TIME", MM_METRIC_CPU_TIME, e->has_losses || e->has_cpu,
         "the run was without the metric CPU_TIME"},
        {"HOST_TIME", MM_METRIC_HOST_TIME, e->has_losses, no_losses(e)},
        {"WAIT_TIME", MM_METRIC_WAIT_TIME, e->has_losses, no_losses(e)},
        {"MPI_TIME", MM_METRIC_MPI_TIME, e->has_mpi, "time inside MPI is not measured"},
        {"COMPUTE_TIME", MM_METRIC_COMPUTE_TIME, e->has_mpi,
         "it is TIME less MPI_TIME, and time inside MPI is not measured"},
    };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const char *why = why_missing(e, name);

        if (strcmp(times[i].name, name) != 0)
            continue;
        if (!times[i].measured)
            return cca_error_set(err, -ENOENT, "%s: '%s' was not measured: %s", e->name,
                                 name, why ? why : times[i].why);
        *metric = (struct mm_metric){.kind = times[i].kind, .name = name};
        return 0;
    }
    return 1;
}

int mm_metric_find(const struct mm_experiment *experiment, const char *name,
                   struct mm_metric *metric, struct cca_error *err)
{
    int result = find_time(experiment, name, metric, err);
    const char *why = why_missing(experiment, name);

    if (result <= 0)
        return result;
    if (why)
        return cca_error_set(err, -ENOENT, "%s: '%s' was not measured: %s",
                             experiment->name, name, why);
    for (size_t i = 0; i < experiment->counter_count; i++) {
        if (strcmp(experiment->counters[i], name) == 0) {
            *metric = (struct mm_metric){.kind = MM_METRIC_COUNTER,
                                         .counter = i,
                                         .name = name,
                                         .unit = experiment->units[i]};
            return 0;
        }
    }
    return strncmp(name, "o.", 2) == 0 ? find_out(experiment, name, metric, err)
                                       : refuse_metric(experiment, name, err);
}

struct mm_metric mm_metric_named(const char *name)
{
    static const char *const times[MM_METRIC_COUNTER] = {
        [MM_METRIC_TIME] = "TIME",
        [MM_METRIC_WALL_TIME] = "WALL_TIME",
        [MM_METRIC_CPU_TIME] = "CPU_TIME",
        [MM_METRIC_MPI_TIME] = "MPI_TIME",
        [MM_METRIC_HOST_TIME] = "HOST_TIME",
        [MM_METRIC_WAIT_TIME] = "WAIT_TIME",
        [MM_METRIC_COMPUTE_TIME] = "COMPUTE_TIME"};
    struct mm_metric metric = {.kind = MM_METRIC_COUNTER, .name = name};

    if (strncmp(name, "o.", 2) == 0)
        metric.kind = MM_METRIC_OUT;
    for (int i = 0; i < MM_METRIC_COUNTER; i++)
        if (strcmp(name, times[i]) == 0)
            metric.kind = (enum mm_metric_kind)i;
    return metric;
}

/* Units of counters by the suffix of the name, such as OMP_SYNC_TIME. */
static const char *unit_of_name(const char *name)
{
    static const struct {
        const char *ending, *unit;
    } endings[] = {{"_TIME", "ns"}, {"_BYTES", "bytes"}};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof *endings && !strchr(name, ':'); i++) {
        size_t own = strlen(endings[i].ending);

        if (length > own && strcmp(name + length - own, endings[i].ending) == 0)
            return endings[i].unit;
    }
    return "count";
}

const char *mm_metric_unit(const struct mm_metric *metric)
{
    if (metric->kind < MM_METRIC_COUNTER)
        return "ns";
    if (metric->kind > MM_METRIC_COUNTER)
        return "count";
    return metric->unit ? metric->unit : unit_of_name(metric->name);
}

int mm_metric_is_peak(const struct mm_metric *metric)
{
    return metric->kind == MM_METRIC_COUNTER && strcmp(metric->name, "PEAK_BYTES") == 0;
}

/* --- Rows ----------------------------------------------------------------- */

/* Sum the metric over all callees with rows, and remove their tally. */
static int64_t take_callees(struct mm_metric_source *s, const struct mm_row *row)
{
    size_t at;
    int64_t sum = 0;

    if (row->rank != s->at_rank || row->thread != s->at_thread)
        s->stack.count = 0;
    s->at_rank = row->rank;
    s->at_thread = row->thread;
    at = mm_pending_position(&s->stack, row->invocation);
    if (at < s->stack.count) {
        if (s->stack.items[at].caller == row->invocation)
            sum = s->stack.items[at].wall_ns;
        mm_pending_drop(&s->stack,
                        &s->stack.items[at]); /* also drop the sums of deeper callers,
                                                 whose rows will not arrive */
    }
    return sum;
}

static int add_to_caller(struct mm_metric_source *s, const struct mm_row *row,
                         int64_t inclusive)
{
    struct mm_pending *up =
        mm_pending_of(&s->stack, row->caller < row->invocation ? row->caller : 0);

    if (!up)
        return -ENOMEM;
    up->wall_ns += inclusive;
    return 0;
}

/* True if a row has the time that its thread was off the core. */
static int knows_losses(const struct mm_row *row)
{
    return row->status != MM_ROW_OPEN && row->host_ns >= 0;
}

/* Inclusive value of a call for a derived metric, if the call has a value. */
static int value_of(const struct mm_metric_source *s, const struct mm_row *row,
                    int64_t *value)
{
    struct mm_row own = *row;

    mm_row_less_host(&own);
    *value = s->metric.kind == MM_METRIC_CPU_TIME   ? row->cpu_ns
             : s->metric.kind == MM_METRIC_MPI_TIME ? row->mpi_ns
                                                    : own.wall_ns - row->mpi_ns;
    return row->status != MM_ROW_OPEN &&
           (s->metric.kind != MM_METRIC_CPU_TIME || row->cpu_ns >= 0);
}

/* Give a row the values of a metric. In the dual (weighted call graph), an invocation
 * that never ended ends at the latest known time of its thread. Here all other rows end
 * at time 0, so that such an open call gets only the values of its callees. */
static void set_row(struct mm_row *row, int64_t inclusive, int64_t exclusive)
{
    row->wall_ns = row->status == MM_ROW_OPEN ? 0 : inclusive;
    row->exclusive_ns = row->status == MM_ROW_OPEN ? 0 : exclusive;
    row->wall_part_ns = row->exclusive_part_ns = 0;
    row->began_ns = row->start_ns;
    row->start_ns = -row->wall_ns;
    row->mpi_ns = row->folded_ns = 0;
    /* for other metrics, time lost to the host is unknown */
    row->lost_ns = row->lost_exclusive_ns = -1;
    row->waited = row->waited_exclusive = 0;
    row->host_ns = row->host_exclusive_ns = -1;
    row->wait_ns = row->wait_exclusive_ns = -1;
}

/* Make a row of WALL_TIME: its clock time, none of it attributed to the host. */
static void wall_row(struct mm_row *out)
{
    if (out->host_ns >= 0)
        out->lost_ns = out->lost_exclusive_ns = 0;
}

/* Make a row of HOST_TIME, WAIT_TIME or CPU_TIME (own time less waiting); rows have these
 * inclusive and exclusive.
 */
static void off_core_row(const struct mm_metric_source *s, const struct mm_row *row,
                         struct mm_row *out)
{
    out->no_value = out->no_exclusive = !knows_losses(row);
    if (out->no_value)
        set_row(out, 0, 0);
    else if (s->metric.kind == MM_METRIC_HOST_TIME)
        set_row(out, row->host_ns, row->host_exclusive_ns);
    else if (s->metric.kind == MM_METRIC_WAIT_TIME)
        set_row(out, row->wait_ns, row->wait_exclusive_ns);
    else
        set_row(out, row->wall_ns - row->host_ns - row->wait_ns,
                row->exclusive_ns - row->host_exclusive_ns - row->wait_exclusive_ns);
}

static void counter_row(struct mm_metric_source *s, const struct mm_row *row,
                        struct mm_row *out)
{
    int64_t inclusive = row->counters[s->metric.counter];
    int64_t exclusive =
        s->source.largest ? inclusive : row->exclusive_counters[s->metric.counter];

    out->no_value = inclusive == MM_COUNT_MISSING;
    out->no_exclusive = exclusive == MM_COUNT_MISSING;
    set_row(out, out->no_value ? 0 : inclusive, out->no_exclusive ? 0 : exclusive);
}

/* Make a row of a derived metric (exclusive values are differences). The callees of a
 * sample are not in `stack`, so its value is known only if it made no calls. */
static int derived_row(struct mm_metric_source *s, const struct mm_row *row,
                       struct mm_row *out)
{
    int64_t callees = row->counted ? 0 : take_callees(s, row), inclusive;

    out->no_value = !value_of(s, row, &inclusive);
    if (out->no_value)
        inclusive = callees;
    out->no_exclusive = out->no_value || row->folded;
    set_row(out, inclusive, inclusive - callees);
    return row->counted ? 0 : add_to_caller(s, row, inclusive);
}

static int out_row(struct mm_metric_source *s, const struct mm_row *row,
                   struct mm_row *out)
{
    size_t at = out_of(row->method, s->metric.name + 2);
    int64_t callees = row->counted ? 0 : take_callees(s, row), own = 0;

    out->no_exclusive = at == row->method->value_count || row->status != MM_ROW_DONE ||
                        monitor_value_absent(row->values[at], MONITOR_INT64);
    out->no_value = out->no_exclusive && at < row->method->value_count;
    if (!out->no_exclusive)
        own = row->values[at].i;
    set_row(out, own + callees, own);
    return row->counted ? 0 : add_to_caller(s, row, own + callees);
}

static int set_value(struct mm_metric_source *s, const struct mm_row *row,
                     struct mm_row *out)
{
    if (s->metric.kind == MM_METRIC_OUT)
        return out_row(s, row, out);
    if (s->is_derived)
        return derived_row(s, row, out);
    if (s->metric.kind == MM_METRIC_COUNTER)
        counter_row(s, row, out);
    else if (s->metric.kind == MM_METRIC_TIME)
        mm_row_less_host(out);
    else if (s->metric.kind == MM_METRIC_WALL_TIME)
        wall_row(out);
    else
        off_core_row(s, row, out);
    return 0;
}

static int give_row(const struct mm_row *row, void *context)
{
    struct mm_metric_source *s = context;
    struct mm_row out = *row;
    int result = set_value(s, row, &out);

    s->rows += !row->counted;
    if (result)
        return result;
    if (row->status != MM_ROW_OPEN && !row->counted)
        s->missing += (uint64_t)out.no_value;
    return s->function(&out, s->context);
}

/* --- Aggregates ----------------------------------------------------------- */

/* Aggregates keep no out-parameters: their calls count as calls without a value. */
static void count_without_value(struct mm_metric_source *s, struct mm_aggregate *a)
{
    a->no_exclusive = 1;
    a->no_value = out_of(a->method, s->metric.name + 2) < a->method->value_count;
    a->wall = a->exclusive = (struct mm_sum){0};
}

/* Make a sum over calls whose spread is unknown. */
static struct mm_sum sum_alone(int64_t sum, uint64_t calls)
{
    int64_t mean = sum == MM_COUNT_MISSING ? 0 : sum / (int64_t)calls;

    return (struct mm_sum){
        .sum_ns = sum == MM_COUNT_MISSING ? 0 : sum, .min_ns = mean, .max_ns = mean};
}

/* Replace the times of an aggregate by sums whose distribution over single calls is
 * unknown. */
static void replace_by_sums(struct mm_aggregate *a, int64_t inclusive, int64_t exclusive)
{
    a->no_value = inclusive == MM_COUNT_MISSING;
    a->no_exclusive = exclusive == MM_COUNT_MISSING;
    a->sums_only = 1;
    a->sample_count = 0;
    a->wall = sum_alone(inclusive, a->calls);
    a->exclusive = sum_alone(exclusive, a->calls);
}

/* Replace times of an aggregate by WALL_TIME, HOST_TIME, WAIT_TIME or CPU_TIME. The time
 * off the core is known only as a sum over its calls; if the sum is 0, every call keeps
 * its time. */
static void replace_off_core(const struct mm_metric_source *s, struct mm_aggregate *a)
{
    int known = a->host_ns >= 0;

    if (s->metric.kind == MM_METRIC_HOST_TIME)
        replace_by_sums(a, known ? a->host_ns : MM_COUNT_MISSING,
                        known ? a->host_exclusive_ns : MM_COUNT_MISSING);
    else if (s->metric.kind == MM_METRIC_WAIT_TIME)
        replace_by_sums(a, known ? a->wait_ns : MM_COUNT_MISSING,
                        known ? a->wait_exclusive_ns : MM_COUNT_MISSING);
    else if (s->metric.kind == MM_METRIC_WALL_TIME && a->host_ns > 0)
        replace_by_sums(a, a->wall.sum_ns + a->host_ns,
                        a->exclusive.sum_ns + a->host_exclusive_ns);
    else if (s->metric.kind == MM_METRIC_CPU_TIME && !known)
        replace_by_sums(a, MM_COUNT_MISSING, MM_COUNT_MISSING);
    else if (s->metric.kind == MM_METRIC_CPU_TIME && a->wait_ns > 0)
        replace_by_sums(a, a->wall.sum_ns - a->wait_ns,
                        a->exclusive.sum_ns - a->wait_exclusive_ns);
}

/* Replace times of an aggregate by a derived metric. For calls without callees the
 * exclusive value is the inclusive one; for others the dual subtracts the callees. */
static void replace_derived(struct mm_metric_source *s, struct mm_aggregate *a)
{
    int computes = s->metric.kind == MM_METRIC_COMPUTE_TIME;

    if (s->metric.kind == MM_METRIC_CPU_TIME) {
        a->no_value = !a->has_cpu;
        a->wall = a->has_cpu ? a->cpu : (struct mm_sum){0};
    } else if (!computes) {
        a->wall = a->mpi;
    } else if (a->mpi.sum_ns) { /* each single call's time inside MPI is unknown */
        a->wall = sum_alone(a->wall.sum_ns - a->mpi.sum_ns, a->calls);
        a->sums_only = 1;
    }
    if (!computes || a->mpi.sum_ns)
        a->sample_count = 0;
    a->no_exclusive = a->no_value || a->callees;
    a->exclusive = a->wall;
}

static void set_sums(struct mm_metric_source *s, struct mm_aggregate *a)
{
    if (s->is_derived) {
        replace_derived(s, a);
    } else if (s->metric.kind == MM_METRIC_COUNTER) {
        replace_by_sums(a, a->counters[s->metric.counter],
                        s->source.largest ? a->counters[s->metric.counter]
                                          : a->exclusive_counters[s->metric.counter]);
    } else if (s->metric.kind == MM_METRIC_OUT) {
        count_without_value(s, a);
        a->sample_count = 0;
    } else {
        replace_off_core(s, a);
    }
    if (s->metric.kind > MM_METRIC_WALL_TIME) {
        a->mpi = (struct mm_sum){0};
        a->host_ns = a->host_exclusive_ns = a->wait_ns = a->wait_exclusive_ns = -1;
    }
}

static int give_aggregate(const struct mm_aggregate *a, void *context)
{
    struct mm_metric_source *s = context;
    struct mm_aggregate out = *a;

    if (s->rank >= 0 &&
        (a->rank != s->rank || (s->thread >= 0 && a->thread != s->thread)))
        return 0;
    s->rows += a->calls;
    set_sums(s, &out);
    s->missing += out.no_value ? a->calls : 0;
    return s->aggregate_function(&out, s->context);
}

static int walk_aggregates(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err)
{
    struct mm_metric_source *source = context;

    source->aggregate_function = function;
    source->context = function_context;
    if (source->given)
        return source->given->walk_aggregates(source->given->context, give_aggregate,
                                              source, err);
    return mm_experiment_aggregates(source->experiment, give_aggregate, source, err);
}

static int walk_rows(void *context, mm_row_function function, void *function_context,
                     struct cca_error *err)
{
    struct mm_metric_source *s = context;
    int result;

    s->function = function;
    s->context = function_context;
    s->rows = s->missing = 0;
    s->stack.count = 0;
    s->at_rank = s->at_thread = -1;
    if (s->given)
        result = s->given->walk(s->given->context, give_row, s, err);
    else if (s->rank >= 0 && s->thread < 0)
        result = mm_experiment_rank_rows(s->experiment, s->rank, give_row, s, err);
    else if (s->rank >= 0)
        result = mm_experiment_thread_rows(s->experiment, s->rank, s->thread, give_row, s,
                                           err);
    else
        result = mm_experiment_rows(s->experiment, give_row, s, err);
    return result == -ENOMEM ? cca_no_memory(err) : result;
}

/* True if exclusive values of the metric are differences between a call and its callees.
 */
static int is_derived(const struct mm_experiment *experiment, enum mm_metric_kind kind)
{
    return kind == MM_METRIC_MPI_TIME || kind == MM_METRIC_COMPUTE_TIME ||
           (kind == MM_METRIC_CPU_TIME && !experiment->has_losses);
}

/* True if recording a call adds to its caller's time. This holds for all times but
 * waiting and host time, and for a CPU clock, whose reading costs more than all other
 * recording. */
static int has_recording(const struct mm_metric_source *source)
{
    switch (source->metric.kind) {
    case MM_METRIC_TIME:
    case MM_METRIC_WALL_TIME:
    case MM_METRIC_COMPUTE_TIME: /* compute time is outside MPI and contains all
                                    recording cost */
        return 1;
    case MM_METRIC_CPU_TIME:
        return !source->is_derived;
    default:
        return 0;
    }
}

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment,
                           const struct mm_metric *metric)
{
    *source = (struct mm_metric_source){.source = mm_row_source_of(experiment),
                                        .experiment = experiment,
                                        .metric = *metric,
                                        .rank = -1,
                                        .thread = -1};
    source->source.walk = walk_rows;
    source->source.walk_aggregates = walk_aggregates;
    source->source.context = source;
    source->is_derived = is_derived(experiment, metric->kind);
    if (metric->kind == MM_METRIC_TIME)
        return;
    source->source.less_host = 0;
    source->source.ends_at_0 = metric->kind != MM_METRIC_WALL_TIME;
    if (!has_recording(source))
        source->source.costs = NULL;
    source->source.derived = source->is_derived;
    source->source.host_free =
        metric->kind == MM_METRIC_CPU_TIME ||
        (experiment->has_losses && metric->kind == MM_METRIC_COMPUTE_TIME);
    source->source.counts = metric->kind >= MM_METRIC_COUNTER;
    source->source.largest = mm_metric_is_peak(metric);
    source->source.rows_only = metric->kind == MM_METRIC_OUT;
    if (metric->kind >= MM_METRIC_COUNTER)
        source->source.floor_ns = 0;
}

void mm_metric_source_done(struct mm_metric_source *source)
{
    mm_pending_done(&source->stack);
}
