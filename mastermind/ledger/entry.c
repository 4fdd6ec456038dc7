/* SPDX-License-Identifier: BSD-3-Clause */
/* entry.c: convert a statement or outcome to a line of JSON, and back. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/ledger/ledger.h"
#include "mastermind/writer/json_file.h"

/* --- Writing ----------------------------------------------------------------------- */

static int put_text(json_t *object, const char *key, const char *text)
{
    return text ? json_object_set_new(object, key, mm_json_text(text)) : 0;
}

static int put_number(json_t *object, const char *key, double value)
{
    return isfinite(value) ? json_object_set_new(object, key, json_real(value)) : 0;
}

static int put_values(json_t *object, const char *key, const struct mm_run_values *values)
{
    json_t *own = json_object();
    int failed = 0;

    for (size_t i = 0; i < values->count; i++) {
        json_t *name = mm_json_text(values->items[i].name); /* converted to UTF-8 */

        failed |= !name || json_object_set_new(own, json_string_value(name),
                                               mm_json_text(values->items[i].text));
        json_decref(name);
    }
    return json_object_set_new(object, key, own) | failed;
}

static json_t *run_json(const struct mm_ledger_entry *entry)
{
    json_t *object = json_object();
    int failed = put_values(object, "variables", &entry->run.variables) |
                 put_values(object, "set", &entry->run.set) |
                 put_values(object, "classes", &entry->run.classes) |
                 json_object_set_new(object, "ranks", json_integer(entry->run.ranks)) |
                 json_object_set_new(object, "known", json_boolean(entry->run.is_known));

    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static int put_lists(json_t *object, const struct mm_ledger_entry *entry)
{
    json_t *names = json_array(), *runs = json_array(), *quantities = json_array();
    int failed = 0;

    for (size_t i = 0; i < entry->name_count; i++)
        failed |= json_array_append_new(names, mm_json_text(entry->names[i]));
    for (size_t i = 0; i < entry->run_count; i++) {
        json_t *run = json_object();

        failed |= put_text(run, "name", entry->runs[i].name);
        failed |= put_text(run, "id", entry->runs[i].id);
        failed |= json_array_append_new(runs, run);
    }
    for (size_t i = 0; i < entry->quantity_count; i++) {
        const struct mm_ledger_quantity *from = &entry->quantities[i];
        json_t *quantity = json_object();

        failed |= put_text(quantity, "name", from->name);
        failed |= put_number(quantity, "value", from->value);
        failed |= put_number(quantity, "low", from->low);
        failed |= put_number(quantity, "high", from->high);
        failed |= json_array_append_new(quantities, quantity);
    }
    failed |= json_object_set_new(object, "names", names);
    failed |= json_object_set_new(object, "runs", runs);
    failed |= json_object_set_new(object, "quantities", quantities);
    return failed;
}

static int put_interval(json_t *object, const struct mm_ledger_entry *entry)
{
    return put_number(object, "low", entry->low) |
           put_number(object, "high", entry->high) |
           put_number(object, "level", entry->level) |
           put_number(object, "factor", entry->factor) |
           put_number(object, "beyond", entry->beyond) |
           put_text(object, "no_interval", entry->why);
}

char *mm_ledger_line(const struct mm_ledger_entry *entry)
{
    int is_statement = entry->kind == MM_LEDGER_STATEMENT;
    json_t *object = json_object(), *run = run_json(entry);
    json_t *machine = mm_machine_json_of(&entry->machine);
    char *text = NULL;
    int failed = !object || !run || !machine;

    failed |= put_text(object, "line", is_statement ? "statement/1" : "outcome/1");
    failed |= json_object_set_new(object, "at_ns", json_integer(entry->at_ns));
    failed |= put_text(object, "verb", entry->verb);
    failed |= put_text(object, "program", entry->program);
    failed |= put_text(object, "script", entry->script);
    failed |= json_object_set_new(object, "run", run);
    failed |= json_object_set_new(object, "machine", machine);
    failed |= put_text(object, "metric", entry->metric);
    failed |= put_text(object, "unit", entry->unit);
    failed |= put_text(object, "total", entry->total);
    failed |= put_number(object, "value", entry->value);
    if (is_statement)
        failed |= put_interval(object, entry);
    failed |= put_lists(object, entry);
    if (!failed)
        text = mm_json_dump(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

/* --- Reading ----------------------------------------------------------------------- */

static int refuse(struct cca_error *err, const char *key, const char *expected)
{
    return cca_error_set(err, -EBADMSG, "found no good '%s', expected %s", key, expected);
}

/* Read a string member of an entry; if it is `optional` and absent, `*text` is NULL. */
static int read_text(const json_t *object, const char *key, int optional,
                     const char **text, struct cca_error *err)
{
    const json_t *value = json_object_get(object, key);

    *text = json_string_value(value);
    return *text || (optional && !value) ? 0 : refuse(err, key, "a string");
}

/* Read a number member, which must be at least `least`. If it is absent, the number is
 * `other`; if `other` is infinite, that is an
 * error. */
static int read_number(const json_t *object, const char *key, double least, double other,
                       double *number, struct cca_error *err)
{
    const json_t *value = json_object_get(object, key);
    char expected[60];

    *number = value ? json_number_value(value) : other;
    if (value ? json_is_number(value) && *number >= least : !isinf(other))
        return 0;
    snprintf(expected, sizeof expected, "a number of at least %g", least);
    return refuse(err, key, expected);
}

static int read_values(const json_t *object, const char *key,
                       struct mm_run_values *values, struct cca_error *err)
{
    json_t *own = json_object_get(object, key), *value;
    const char *name;

    if (!json_is_object(own))
        return refuse(err, key, "an object");
    values->items = calloc(json_object_size(own) + 1, sizeof *values->items);
    if (!values->items)
        return cca_no_memory(err);
    json_object_foreach(own, name, value)
    {
        if (!json_is_string(value))
            return refuse(err, key, "strings in it");
        values->items[values->count++] =
            (struct mm_run_value){name, json_string_value(value)};
    }
    return 0;
}

static int read_run(struct mm_ledger_entry *entry, struct cca_error *err)
{
    const json_t *run = json_object_get(entry->json, "run");
    const json_t *ranks = json_object_get(run, "ranks");

    if (!json_is_object(run))
        return refuse(err, "run", "an object");
    if (read_values(run, "variables", &entry->run.variables, err) ||
        read_values(run, "set", &entry->run.set, err) ||
        read_values(run, "classes", &entry->run.classes, err))
        return err->code;
    if (!json_is_integer(ranks) || json_integer_value(ranks) < 1 ||
        json_integer_value(ranks) > 1 << 30)
        return refuse(err, "ranks", "a whole number of at least 1");
    if (!json_is_boolean(json_object_get(run, "known")))
        return refuse(err, "known", "a boolean");
    entry->run.ranks = (int)json_integer_value(ranks);
    entry->run.is_known = json_is_true(json_object_get(run, "known"));
    return 0;
}

/* Read the array member `key` of an entry; `*list` gets memory for its elements of `size`
 * bytes each. */
static int read_list(const struct mm_ledger_entry *entry, const char *key, size_t size,
                     const json_t **array, void **list, struct cca_error *err)
{
    *array = json_object_get(entry->json, key);
    if (!json_is_array(*array))
        return refuse(err, key, "an array");
    *list = calloc(json_array_size(*array) + 1, size);
    return *list ? 0 : cca_no_memory(err);
}

static int read_quantities(struct mm_ledger_entry *entry, struct cca_error *err)
{
    const json_t *array;
    void *list = NULL;
    int result =
        read_list(entry, "quantities", sizeof *entry->quantities, &array, &list, err);

    entry->quantities = list;
    for (size_t i = 0; !result && i < json_array_size(array); i++) {
        const json_t *from = json_array_get(array, i);
        struct mm_ledger_quantity *to = &entry->quantities[i];

        result = read_text(from, "name", 0, &to->name, err);
        if (!result)
            result = read_number(from, "value", -INFINITY, INFINITY, &to->value, err);
        if (!result)
            result = read_number(from, "low", -INFINITY, NAN, &to->low, err);
        if (!result)
            result = read_number(from, "high", -INFINITY, NAN, &to->high, err);
        entry->quantity_count++;
    }
    return result;
}

static int read_lists(struct mm_ledger_entry *entry, struct cca_error *err)
{
    const json_t *array;
    void *list = NULL;
    int result = read_list(entry, "names", sizeof *entry->names, &array, &list, err);

    entry->names = list;
    for (size_t i = 0; !result && i < json_array_size(array); i++) {
        entry->names[i] = json_string_value(json_array_get(array, i));
        entry->name_count++;
        if (!entry->names[i])
            return refuse(err, "names", "strings in it");
    }
    list = NULL;
    if (!result)
        result = read_list(entry, "runs", sizeof *entry->runs, &array, &list, err);
    entry->runs = list;
    for (size_t i = 0; !result && i < json_array_size(array); i++) {
        const json_t *run = json_array_get(array, i);

        result = read_text(run, "name", 0, &entry->runs[i].name, err);
        if (!result)
            result = read_text(run, "id", 0, &entry->runs[i].id, err);
        entry->run_count++;
    }
    return result ? result : read_quantities(entry, err);
}

static int read_statement(struct mm_ledger_entry *entry, struct cca_error *err)
{
    const json_t *json = entry->json;

    if (read_text(json, "verb", 0, &entry->verb, err) ||
        read_text(json, "no_interval", 1, &entry->why, err) ||
        read_number(json, "low", 0, NAN, &entry->low, err) ||
        read_number(json, "high", 0, NAN, &entry->high, err) ||
        read_number(json, "level", 0, INFINITY, &entry->level, err) ||
        read_number(json, "factor", 0, 1, &entry->factor, err) ||
        read_number(json, "beyond", 1, 1, &entry->beyond, err))
        return err->code;
    if (!(entry->level > 0) || entry->level >= 1)
        return refuse(err, "level", "a number between 0 and 1");
    if (!(entry->factor > 0))
        return refuse(err, "factor", "a number above 0");
    if (isnan(entry->low) != isnan(entry->high) || entry->low > entry->value ||
        entry->high < entry->value)
        return cca_error_set(err, -EBADMSG,
                             "found 'low' %g, 'value' %g, 'high' %g, expected both ends "
                             "or none, around the value",
                             entry->low, entry->value, entry->high);
    return 0;
}

static int read_common(struct mm_ledger_entry *entry, struct cca_error *err)
{
    const json_t *json = entry->json, *at = json_object_get(json, "at_ns");

    if (!json_is_integer(at) || json_integer_value(at) < 1)
        return refuse(err, "at_ns", "a whole number of at least 1");
    entry->at_ns = json_integer_value(at);
    if (read_text(json, "program", 0, &entry->program, err) ||
        read_text(json, "script", 1, &entry->script, err) ||
        read_text(json, "metric", 0, &entry->metric, err) ||
        read_text(json, "unit", 0, &entry->unit, err) ||
        read_text(json, "total", 0, &entry->total, err) ||
        read_number(json, "value", 0, INFINITY, &entry->value, err) ||
        read_run(entry, err) || read_lists(entry, err))
        return err->code;
    if (!json_object_get(json, "machine"))
        return refuse(err, "machine", "an object");
    return mm_machine_read(&entry->machine, json_object_get(json, "machine"), err);
}

int mm_ledger_entry_read(struct mm_ledger_entry *entry, json_t *json,
                         struct cca_error *err)
{
    struct cca_error own = {0};
    const char *line = json_string_value(json_object_get(json, "line"));
    int result;

    *entry = (struct mm_ledger_entry){.json = json, .low = NAN, .high = NAN};
    entry->kind =
        line && strcmp(line, "outcome/1") == 0 ? MM_LEDGER_OUTCOME : MM_LEDGER_STATEMENT;
    if (!line || (entry->kind == MM_LEDGER_STATEMENT && strcmp(line, "statement/1") != 0))
        result = cca_error_set(
            &own, -EBADMSG, "found %s%.40s%s, expected 'line' statement/1 or outcome/1",
            line ? "'line' '" : "no 'line'", line ? line : "", line ? "'" : "");
    else
        result = read_common(entry, &own);
    if (!result && entry->kind == MM_LEDGER_STATEMENT)
        result = read_statement(entry, &own);
    if (!result && entry->kind == MM_LEDGER_OUTCOME && entry->run_count != 1)
        result =
            cca_error_set(&own, -EBADMSG, "found %zu 'runs' of an outcome, expected 1",
                          entry->run_count);
    return result ? cca_error_set(err, result, "%s", own.text) : 0;
}

void mm_ledger_entry_done(struct mm_ledger_entry *entry)
{
    free(entry->run.variables.items);
    free(entry->run.set.items);
    free(entry->run.classes.items);
    free(entry->names);
    free(entry->runs);
    free(entry->quantities);
    json_decref(entry->json);
    *entry = (struct mm_ledger_entry){.kind = entry->kind};
}
