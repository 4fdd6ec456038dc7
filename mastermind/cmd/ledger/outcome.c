/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.c: experiments as outcomes of statements, the predictions in a ledger. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/ledger/match.h"

/* Outcomes to append, collected so that the file is written and read again only once. */
struct taken {
    struct mm_statement *items;
    size_t count;
};

/* True if the outcome belongs to the statement, and the ledger has no outcome of this run
 * with the statement's metric and total yet. */
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

/* True if an earlier statement about the run asks for the same metric and total. */
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

/* Begin the outcome of an experiment for a statement. Returns -1 to go on. */
static int begin(struct mm_statement *s, const struct mm_experiment *e,
                 const struct mm_ledger_entry *statement)
{
    struct cca_error err = {0};

    if (mm_statement_of_run(s, e, &err))
        return mm_complain(&err);
    s->entry.kind = MM_LEDGER_OUTCOME;
    s->entry.at_ns = e->epoch_ns;
    if (statement) {
        s->entry.metric = statement->metric;
        s->entry.unit = statement->unit;
        s->entry.total = statement->total;
    }
    return -1;
}

/* Measure the run by the metric of a statement. Returns -1 to go on. */
static int take_metric(struct taken *taken, const struct mm_experiment *e,
                       const struct mm_ledger_entry *statement,
                       struct mm_outcomes *outcomes)
{
    struct mm_statement *s;
    struct mm_metric metric;
    struct cca_error none = {0};
    int result;

    if (mm_metric_find(e, statement->metric, &metric, &none) ||
        (strcmp(statement->total, "all ranks") != 0 && !e->has_mpi)) {
        outcomes->without_metric++;
        return -1;
    }
    s = cca_array_add(&taken->items, &taken->count, sizeof *s);
    if (!s)
        return mm_no_memory();
    result = begin(s, e, statement);
    if (result < 0)
        result = mm_outcome_measure(s, e->path);
    return result < 0 && s->no_memory ? mm_no_memory() : result;
}

static int take_experiment(struct taken *taken, const struct mm_ledger *ledger,
                           const struct mm_experiment *e, struct mm_outcomes *outcomes)
{
    struct mm_statement s;
    int result = begin(&s, e, NULL);

    outcomes->experiments++;
    if (result < 0 && !e->finished)
        outcomes->unfinished++;
    else if (result < 0 && (!s.entry.run.is_known || e->epoch_ns < 1))
        outcomes->unknown++;
    else
        for (size_t i = 0; i < ledger->count && result < 0; i++) {
            const struct mm_ledger_entry *statement = &ledger->entries[i];

            if (statement->kind != MM_LEDGER_STATEMENT)
                continue;
            s.entry.metric = statement->metric;
            s.entry.total = statement->total;
            if (is_wanted(ledger, i, &s.entry) && !is_repeated(ledger, i, &s.entry))
                result = take_metric(taken, e, statement, outcomes);
        }
    mm_statement_done(&s);
    return result;
}

static int append(const char *path, const struct taken *taken,
                  struct mm_outcomes *outcomes)
{
    struct mm_ledger_entry *entries = calloc(taken->count + 1, sizeof *entries);
    struct cca_error err = {0};
    int result = -1;

    if (!entries)
        return mm_no_memory();
    for (size_t i = 0; i < taken->count; i++)
        entries[i] = taken->items[i].entry;
    if (taken->count &&
        mm_ledger_append(path, entries, taken->count, &outcomes->added, &err))
        result = mm_refuse(err.code == -EBADMSG ? MM_EXIT_INPUT : MM_EXIT_SYSTEM, "%s",
                           mm_safe(err.text));
    free(entries);
    return result;
}

int mm_outcomes_take(const char *path, const struct mm_ledger *ledger,
                     char *const *experiments, size_t count, struct mm_outcomes *outcomes)
{
    struct taken taken = {0};
    int result = -1;

    for (size_t i = 0; i < count && result < 0; i++) {
        struct cca_error err = {0};
        struct mm_experiment *e = mm_experiment_open(experiments[i], &err);

        result = e ? take_experiment(&taken, ledger, e, outcomes) : mm_complain(&err);
        mm_experiment_free(e);
    }
    if (result < 0)
        result = append(path, &taken, outcomes);
    for (size_t i = 0; i < taken.count; i++)
        mm_statement_done(&taken.items[i]);
    free(taken.items);
    return result;
}
