/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.c: experiments as outcomes of statements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/ledger/match.h"

static double rank_ns(const struct mm_profile *profile, int rank)
{
    const struct mm_ranks *ranks = &profile->ranks;
    double sum = 0;

    for (size_t i = 0; i < ranks->method_count && rank < ranks->count; i++)
        sum += (double)ranks->sums[(size_t)rank * ranks->method_count + i].exclusive_ns;
    return sum;
}

static int open_metric(struct mm_input *input, char *path, const char *metric)
{
    struct mm_option option = {"--metric", 1, NULL, 1, {metric}};

    return mm_input_open(input, &path, 1, &option);
}

/* The sum of a parameter over all calls of a method; nothing where one lacks it. */
static void add_sum(struct mm_statement *s, const struct mm_method_info *method,
                    const struct mm_points *points, size_t parameter)
{
    double sum = 0;

    for (size_t i = 0; i < points->count; i++)
        sum += (double)points->points[i].calls *
               mm_in_value(method, points->points[i].in, parameter);
    if (!points->unknown)
        mm_statement_add(s, method->values[parameter].name, method->name, sum, NAN, NAN);
}

static void add_calls(struct mm_statement *s, const struct mm_profile *profile)
{
    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *method = profile->source.methods[i];
        double calls = (double)profile->dual->vertices[i].calls;

        if (!(calls > 0))
            continue;
        mm_statement_add(s, "calls", method->name, calls, NAN, NAN);
        for (size_t k = 0; k < method->in_count; k++)
            if (method->values[k].kind == MONITOR_PARAM &&
                strcmp(method->values[k].name, "level"))
                add_sum(s, method, &profile->points[i], k);
    }
}

/* Calls of one rank. */
static int add_rank_calls(struct mm_statement *s, char *path, int rank)
{
    struct mm_option option = {"--metric", 1, NULL, 1, {"COMPUTE_TIME"}};
    struct mm_input input;
    int result = mm_input_open_rank(&input, &path, 1, &option, rank);

    if (result < 0)
        add_calls(s, input.profiles[0]);
    mm_input_done(&input);
    return result;
}

/* The time of the rank that took longest, and its parts as forecasts have them: outside
 * MPI of the rank that had most of that, with its calls; the least that a rank spent
 * inside MPI; the rest. */
static int measure_longest(struct mm_statement *s, char *path)
{
    struct mm_input compute, mpi = {0};
    int result = open_metric(&compute, path, "COMPUTE_TIME"), busiest = 0;
    double work = 0, least = INFINITY, most = 0;

    if (result < 0)
        result = open_metric(&mpi, path, "MPI_TIME");
    for (int r = 0; result < 0 && r < compute.profiles[0]->ranks.count; r++) {
        double own = rank_ns(compute.profiles[0], r);
        double inside = rank_ns(mpi.profiles[0], r);

        busiest = own > work ? r : busiest;
        work = fmax(work, own);
        least = fmin(least, inside);
        most = fmax(most, own + inside);
    }
    mm_input_done(&compute);
    mm_input_done(&mpi);
    if (result < 0)
        result = add_rank_calls(s, path, busiest);
    if (result >= 0)
        return result;
    s->entry.value = most;
    mm_statement_add(s, "compute", NULL, work, NAN, NAN);
    mm_statement_add(s, "transfer", NULL, fmax(least, 0), NAN, NAN);
    mm_statement_add(s, "waiting", NULL, fmax(most - work - least, 0), NAN, NAN);
    return -1;
}

static int measure_all(struct mm_statement *s, char *path)
{
    struct mm_input input;
    int result = open_metric(&input, path, s->entry.metric);

    if (result < 0) {
        s->entry.value = 0;
        for (size_t i = 0; i < input.profiles[0]->source.method_count; i++)
            s->entry.value += (double)input.profiles[0]->dual->vertices[i].exclusive_ns;
        s->entry.value = fmax(s->entry.value, 0);
        add_calls(s, input.profiles[0]);
    }
    mm_input_done(&input);
    return result;
}

/* True where the outcome, but for its value, is one of a statement that has no such. */
static int is_wanted(const struct mm_ledger *ledger, size_t statement,
                     const struct mm_ledger_entry *outcome)
{
    const struct mm_ledger_entry *s = &ledger->entries[statement];

    if (!mm_ledger_same_run(s, outcome) || !mm_ledger_is_later(s, outcome))
        return 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct mm_ledger_entry *e = &ledger->entries[i];

        if (e->kind == MM_LEDGER_OUTCOME &&
            strcmp(e->runs[0].id, outcome->runs[0].id) == 0 &&
            strcmp(e->metric, s->metric) == 0 && strcmp(e->total, s->total) == 0)
            return 0;
    }
    return 1;
}

static int take_metric(const char *path, struct mm_statement *s, char *experiment,
                       struct mm_outcomes *outcomes)
{
    struct cca_error err = {0};
    size_t added = 0;
    int result = strcmp(s->entry.total, "all ranks") == 0
                     ? measure_all(s, experiment)
                     : measure_longest(s, experiment);

    if (result >= 0)
        return result;
    if (s->no_memory)
        return mm_no_memory();
    if (mm_ledger_append(path, &s->entry, 1, &added, &err))
        return mm_complain(&err);
    outcomes->added += added;
    s->entry.quantity_count = 0;
    free(s->entry.quantities);
    s->entry.quantities = NULL;
    return -1;
}

/* True for a metric and total that an earlier statement of the ledger has, too. */
static int is_repeated(const struct mm_ledger *ledger, size_t at,
                       const struct mm_ledger_entry *outcome)
{
    const struct mm_ledger_entry *s = &ledger->entries[at];

    for (size_t i = 0; i < at; i++) {
        const struct mm_ledger_entry *e = &ledger->entries[i];

        if (e->kind == MM_LEDGER_STATEMENT && strcmp(e->metric, s->metric) == 0 &&
            strcmp(e->total, s->total) == 0 && mm_ledger_same_run(e, outcome) &&
            mm_ledger_is_later(e, outcome))
            return 1;
    }
    return 0;
}

static int take_experiment(const char *path, const struct mm_ledger *ledger,
                           const struct mm_experiment *e, struct mm_outcomes *outcomes)
{
    struct cca_error err = {0};
    struct mm_statement s;
    int result = mm_statement_of_run(&s, e, &err) ? mm_complain(&err) : -1;

    outcomes->experiments++;
    s.entry.kind = MM_LEDGER_OUTCOME;
    s.entry.at_ns = e->epoch_ns;
    if (result < 0 && !e->finished)
        outcomes->unfinished++;
    else if (result < 0 && (!s.entry.run.is_known || e->epoch_ns < 1))
        outcomes->unknown++;
    else if (result < 0) {
        for (size_t i = 0; i < ledger->count && result < 0; i++) {
            const struct mm_ledger_entry *statement = &ledger->entries[i];
            struct mm_metric metric;
            struct cca_error none = {0};

            if (statement->kind != MM_LEDGER_STATEMENT)
                continue;
            s.entry.metric = statement->metric;
            s.entry.unit = statement->unit;
            s.entry.total = statement->total;
            if (!is_wanted(ledger, i, &s.entry) || is_repeated(ledger, i, &s.entry))
                continue;
            if (mm_metric_find(e, statement->metric, &metric, &none) ||
                (strcmp(statement->total, "all ranks") != 0 && !e->has_mpi))
                outcomes->without_metric++;
            else
                result = take_metric(path, &s, e->path, outcomes);
        }
    }
    mm_statement_done(&s);
    return result;
}

int mm_outcomes_take(const char *path, const struct mm_ledger *ledger,
                     char *const *experiments, size_t count, struct mm_outcomes *outcomes)
{
    int result = -1;

    for (size_t i = 0; i < count && result < 0; i++) {
        struct cca_error err = {0};
        struct mm_experiment *e = mm_experiment_open(experiments[i], &err);

        result = e ? take_experiment(path, ledger, e, outcomes) : mm_complain(&err);
        mm_experiment_free(e);
    }
    return result;
}
