/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c: decide whether a statement is about a given run. */
#include "mastermind/ledger/match.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* True if the whole text is a number. */
static int read_number(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end > text && !*end && !isnan(*number);
}

/* True for a text that looks like the name of a file: with a directory or with letters
 * after a dot. */
static int is_file(const char *text)
{
    const char *dot = strrchr(text, '.');

    return strchr(text, '/') || (dot && dot > text && isalpha((unsigned char)dot[1]));
}

static int same_text(const char *a, const char *b)
{
    double x, y;

    int a_is_number = read_number(a, &x), b_is_number = read_number(b, &y);

    if (a_is_number || b_is_number)
        return a_is_number && b_is_number ? x == y : 0;
    return strcmp(a, b) == 0 || (is_file(a) && is_file(b));
}

/* Return a hash that is equal for texts that same_text considers equal. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    char number[40];
    double x;

    if (read_number(text, &x)) {
        snprintf(number, sizeof number, "%.17g", x + 0.); /* turns -0 into 0 */
        return cca_hash_field(hash, number);
    }
    return cca_hash_field(hash, is_file(text) ? "file." : text);
}

/* Return a hash that is independent of the order of values. */
static uint64_t hash_values(const struct mm_run_values *values)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < values->count; i++)
        sum += hash_text(cca_hash_field(CCA_HASH_START, values->items[i].name),
                         values->items[i].text);
    return sum;
}

uint64_t mm_ledger_key(const struct mm_ledger_entry *entry)
{
    uint64_t hash = cca_hash_field(CCA_HASH_START, entry->program);

    hash = cca_hash_field(hash, entry->metric);
    hash = cca_hash_field(hash, entry->total);
    return hash + 31 * hash_values(&entry->run.set) +
           7 * hash_values(&entry->run.classes);
}

static int is_name(const struct mm_ledger_entry *statement, const char *name)
{
    for (size_t i = 0; i < statement->name_count; i++)
        if (strcmp(statement->names[i], name) == 0)
            return 1;
    return 0;
}

/* True if the text is the name of a class in the run. */
static int is_class(const struct mm_run *run, const char *text)
{
    for (size_t i = 0; i < run->classes.count; i++)
        if (strcmp(run->classes.items[i].text, text) == 0)
            return 1;
    return 0;
}

/* True if a statement and an outcome have the same names with the same values. */
static int same_values(const struct mm_ledger_entry *statement,
                       const struct mm_run_values *asked, const struct mm_run_values *ran)
{
    for (size_t i = 0; i < asked->count; i++) {
        const char *name = asked->items[i].name, *text = mm_run_value(ran, name);

        if (!is_name(statement, name) &&
            (!text || !same_text(asked->items[i].text, text)))
            return 0;
    }
    for (size_t i = 0; i < ran->count; i++)
        if (!is_name(statement, ran->items[i].name) &&
            !mm_run_value(asked, ran->items[i].name))
            return 0;
    return 1;
}

static int same_variables(const struct mm_ledger_entry *statement,
                          const struct mm_run *ran)
{
    const struct mm_run_values *asked = &statement->run.variables;

    for (size_t i = 0; i < asked->count; i++) {
        const struct mm_run_value *value = &asked->items[i];
        const char *text = mm_run_value(&ran->variables, value->name);

        if (text && !is_name(statement, value->name) && !same_text(value->text, text) &&
            !is_class(&statement->run, value->text) && !is_class(ran, text))
            return 0;
    }
    return 1;
}

int mm_ledger_same_run(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome)
{
    return statement->kind == MM_LEDGER_STATEMENT && outcome->kind == MM_LEDGER_OUTCOME &&
           statement->run.is_known && outcome->run.is_known &&
           strcmp(statement->program, outcome->program) == 0 &&
           strcmp(statement->metric, outcome->metric) == 0 &&
           strcmp(statement->total, outcome->total) == 0 &&
           statement->run.ranks == outcome->run.ranks &&
           same_values(statement, &statement->run.classes, &outcome->run.classes) &&
           same_values(statement, &statement->run.set, &outcome->run.set) &&
           same_variables(statement, &outcome->run);
}

int mm_ledger_is_later(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome)
{
    for (size_t i = 0; i < statement->run_count; i++)
        if (strcmp(statement->runs[i].id, outcome->runs[0].id) == 0)
            return 0;
    return statement->at_ns < outcome->at_ns;
}
