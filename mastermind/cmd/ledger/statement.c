/* SPDX-License-Identifier: BSD-3-Clause */
/* statement.c: build the ledger entry of a verb's prediction. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/ledger/match.h"
#include "mastermind/reader/json.h"

/* Copy a text into the statement; "" if memory is out. */
static const char *keep_text(struct mm_statement *s, const char *text)
{
    char *copy = strdup(text), **at;

    at = copy ? cca_array_add(&s->texts, &s->text_count, sizeof *at) : NULL;
    if (at)
        return *at = copy;
    free(copy);
    s->no_memory = 1;
    return "";
}

void mm_statement_set(struct mm_statement *s, struct mm_run_values *values,
                      const char *name, const char *text)
{
    struct mm_run_value *value = NULL;

    for (size_t i = 0; i < values->count && !value; i++)
        if (strcmp(values->items[i].name, name) == 0)
            value = &values->items[i];
    if (!value) {
        value = cca_array_add(&values->items, &values->count, sizeof *value);
        if (!value) {
            s->no_memory = 1;
            return;
        }
        value->name = keep_text(s, name);
    }
    value->text = keep_text(s, text);
}

void mm_statement_name(struct mm_statement *s, const char *name)
{
    const char **at = cca_array_add(&s->entry.names, &s->entry.name_count, sizeof *at);

    if (at)
        *at = keep_text(s, name);
    else
        s->no_memory = 1;
}

void mm_statement_add(struct mm_statement *s, const char *kind, const char *name,
                      double value, double low, double high)
{
    struct mm_ledger_quantity *quantity;
    char text[600];

    if (!isfinite(value))
        return;
    quantity =
        cca_array_add(&s->entry.quantities, &s->entry.quantity_count, sizeof *quantity);
    if (!quantity) {
        s->no_memory = 1;
        return;
    }
    snprintf(text, sizeof text, "%s%s%s", kind, name ? " of " : "", name ? name : "");
    *quantity = (struct mm_ledger_quantity){keep_text(s, text), value, low, high};
}

static void add_run(struct mm_statement *s, const struct mm_experiment *experiment)
{
    struct mm_ledger_run *run =
        cca_array_add(&s->entry.runs, &s->entry.run_count, sizeof *run);
    char id[400];

    if (!run) {
        s->no_memory = 1;
        return;
    }
    mm_experiment_identity(experiment, id, sizeof id);
    *run = (struct mm_ledger_run){keep_text(s, experiment->name), keep_text(s, id)};
}

static void copy_values(struct mm_statement *s, struct mm_run_values *to,
                        const struct mm_run_values *from)
{
    for (size_t i = 0; i < from->count; i++)
        mm_statement_set(s, to, from->items[i].name, from->items[i].text);
}

/* Name of the script in the command line, without its folder; NULL: none. */
static const char *script_of(const struct mm_experiment *experiment)
{
    for (size_t i = 1; i < experiment->command_count; i++) {
        const char *word = experiment->command[i], *dot = strrchr(word, '.');
        const char *slash = strrchr(word, '/');

        if (*word != '-' && dot && strcmp(dot, ".rc") == 0)
            return slash ? slash + 1 : word;
    }
    return NULL;
}

void mm_experiment_identity(const struct mm_experiment *experiment, char *text,
                            size_t size)
{
    /* the start of its clock in ns is unique on a host */
    if (experiment->epoch_ns > 0)
        snprintf(text, size, "%lld@%s", (long long)experiment->epoch_ns,
                 experiment->host ? experiment->host : "");
    else
        snprintf(text, size, "%s", experiment->name);
}

int mm_statement_of_run(struct mm_statement *s, const struct mm_experiment *experiment,
                        struct cca_error *err)
{
    struct mm_ledger_entry *entry = &s->entry;
    char program[MM_PROGRAM_TEXT] = "";
    json_t *about = NULL;
    int result = mm_experiment_rank_about(experiment, 0, &about, err);

    *s = (struct mm_statement){.entry = {.low = NAN, .high = NAN, .factor = 1}};
    if (result)
        return result;
    mm_machine_of_experiment(&entry->machine, about);
    json_decref(about);
    if (experiment->wiring && mm_ledger_program(experiment->wiring, program))
        return cca_no_memory(err);
    entry->program = keep_text(s, program);
    if (script_of(experiment))
        entry->script = keep_text(s, script_of(experiment));
    copy_values(s, &entry->run.variables, &experiment->run.variables);
    copy_values(s, &entry->run.set, &experiment->run.set);
    copy_values(s, &entry->run.classes, &experiment->run.classes);
    entry->run.ranks = experiment->run.ranks;
    entry->run.is_known = experiment->run.is_known && *program;
    entry->beyond = 1;
    add_run(s, experiment);
    return s->no_memory ? cca_no_memory(err) : 0;
}

int mm_statement_begin(struct mm_statement *s, const char *verb,
                       const struct mm_input *input)
{
    struct cca_error err = {0};

    if (mm_statement_of_run(s, input->experiments[0], &err))
        return mm_complain(&err);
    for (size_t i = 1; i < input->count; i++)
        add_run(s, input->experiments[i]);
    s->entry.verb = verb;
    s->entry.metric = keep_text(s, input->metric.name);
    s->entry.unit = mm_metric_unit(&input->metric);
    s->entry.total = "all ranks";
    return s->no_memory ? mm_no_memory() : -1;
}

void mm_statement_done(struct mm_statement *s)
{
    for (size_t i = 0; i < s->text_count; i++)
        free(s->texts[i]);
    free(s->texts);
    mm_ledger_entry_done(&s->entry);
    *s = (struct mm_statement){0};
}

void mm_statement_total(struct mm_statement *s, const struct mm_keeper *keeper,
                        double level, double value, const char *why)
{
    s->entry.level = level;
    s->entry.value = value;
    s->entry.low = isfinite(keeper->high) ? keeper->low : NAN;
    s->entry.high = isfinite(keeper->high) ? keeper->high : NAN;
    if (!isfinite(keeper->high))
        s->entry.why = why;
}

/* --- Appending --------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void mm_keeper_keep(struct mm_keeper *keeper, struct mm_statement *s)
{
    struct cca_error err = {0};

    if (!keeper->path || !isfinite(s->entry.value) || s->entry.value < 0)
        return;
    s->entry.kind = MM_LEDGER_STATEMENT;
    s->entry.at_ns = now_ns();
    s->entry.factor = keeper->used.factor;
    if (s->no_memory)
        keeper->failed = mm_no_memory();
    else if (!mm_ledger_append(keeper->path, &s->entry, 1, NULL, &err))
        keeper->kept = 1;
    else if (keeper->is_asked)
        keeper->failed = mm_refuse(err.code == -EBADMSG ? MM_EXIT_INPUT : MM_EXIT_SYSTEM,
                                   "%s", mm_safe(err.text));
    else
        fprintf(stderr, "mastermind: not kept: %s\n", mm_safe(err.text));
}
