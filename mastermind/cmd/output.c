/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c: print names and numbers for people, and JSON documents. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"

#define RING 8
#define TEXT_MAX 1024

static char *next_text(void)
{
    static char ring[RING][TEXT_MAX];
    static unsigned at;

    return ring[at++ % RING];
}

const char *mm_safe(const char *name)
{
    char *text = next_text();
    size_t used = 0;

    for (const unsigned char *at = (const unsigned char *)name;
         *at && used + 5 < TEXT_MAX; at++) {
        /* terminals obey C1 controls, too; in UTF-8 they are 0xc2 0x80 to 0xc2 0x9f */
        int c1 = *at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f;

        if (*at < 0x20 || *at == 0x7f || c1)
            used += (size_t)snprintf(text + used, TEXT_MAX - used, "\\x%02x", *at);
        else
            text[used++] = (char)*at;
        if (c1) {
            at++;
            if (used + 5 < TEXT_MAX)
                used += (size_t)snprintf(text + used, TEXT_MAX - used, "\\x%02x", *at);
        }
    }
    text[used] = '\0';
    return text;
}

const char *mm_thousands(uint64_t value)
{
    char digits[32], *text = next_text();
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value), used = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *mm_counted(uint64_t count, const char *noun)
{
    char *text = next_text();

    snprintf(text, TEXT_MAX, "%s %s%s", mm_thousands(count), noun, count == 1 ? "" : "s");
    return text;
}

const char *mm_amount(double value)
{
    char *text;

    if (value >= 99.5 && value < 1e18)
        return mm_thousands((uint64_t)llround(value));
    text = next_text();
    if (value == 0)
        snprintf(text, TEXT_MAX, "0");
    else
        snprintf(text, TEXT_MAX, "%.*f",
                 fabs(value) >= 9.95   ? 1
                 : fabs(value) >= .995 ? 2
                                       : 3,
                 value);
    return text;
}

const char *mm_time(double ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"},
                 {1e6, "ms"},   {1e3, "us"},   {1, "ns"}};
    char *text = next_text();
    size_t i = 0;

    /* minutes and hours are used from two on: 90 s is easier to read than 1.5 min */
    while (i < 5 && fabs(ns) < units[i].ns * (i < 2 ? 2 : .9995))
        i++;
    ns /= units[i].ns;
    if (fabs(ns) >= 1e6 && i == 0) {
        snprintf(text, TEXT_MAX, "%.3g h", ns);
        return text;
    }
    snprintf(text, TEXT_MAX, "%.*f %s",
             fabs(ns) >= 99.95 || ns == 0 ? 0
             : fabs(ns) >= 9.995          ? 1
                                          : 2,
             ns, units[i].unit);
    return text;
}

const char *mm_cost(const struct mm_metric *metric, double ns)
{
    size_t length = metric->kind == MM_METRIC_OUT ? strlen(metric->name) : 0;

    if (length > 5 && strcmp(metric->name + length - 5, "bytes") == 0)
        return mm_bytes(ns);
    return metric->kind < MM_METRIC_COUNTER ? mm_time(ns) : mm_amount(ns);
}

const char *mm_range_number(double value)
{
    char *text = next_text();

    if (fabs(value) < 1e4 && value == floor(value))
        snprintf(text, TEXT_MAX, "%.0f", value);
    else if (fabs(value) >= 1e4) {
        int exponent = (int)floor(log10(fabs(value)));
        double lead = round(value / pow(10, exponent) * 100) / 100;

        if (fabs(lead) >= 10) {
            lead /= 10;
            exponent++;
        }
        snprintf(text, TEXT_MAX, "%.3ge%d", lead, exponent);
    } else {
        snprintf(text, TEXT_MAX, "%.3g", value);
    }
    return text;
}

const char *mm_percent(double share)
{
    char *text = next_text();

    share *= 100;
    if (fabs(share) > 0 && fabs(share) < .01)
        snprintf(text, TEXT_MAX, "< 0.01 %%");
    else
        snprintf(text, TEXT_MAX, "%.*f %%",
                 fabs(share) >= 9.95   ? 0
                 : fabs(share) >= .995 ? 1
                                       : 2,
                 share);
    return text;
}

const char *mm_plus_minus(double half)
{
    char *text = next_text();

    if (half < .2)
        snprintf(text, TEXT_MAX, "+-%s", mm_percent(half));
    else
        snprintf(text, TEXT_MAX,
                 half < log(10)    ? "x/ %.2g"
                 : half < log(1e4) ? "x/ %.0f"
                                   : "x/ %.0e",
                 exp(half));
    return text;
}

const char *mm_factor(double value)
{
    char *text = next_text();

    if (!isfinite(value))
        snprintf(text, TEXT_MAX, "far");
    else
        snprintf(text, TEXT_MAX,
                 value >= 1e6    ? "%.3g x"
                 : value >= 9.95 ? "%.0f x"
                 : value >= 1.05 ? "%.2g x"
                                 : "%.3g x",
                 value);
    return text;
}

const char *mm_bytes(double value)
{
    char *text = next_text();

    snprintf(text, TEXT_MAX, "%.4g %s", value / (value < 1 << 20 ? 1 << 10 : 1 << 20),
             value < 1 << 20 ? "KiB" : "MiB");
    return text;
}

void mm_cell_set(char cell[MM_CELL], const char *text)
{
    snprintf(cell, MM_CELL, "%s", text);
}

void mm_table_row(struct mm_table *table, char cells[][MM_CELL], const char *name)
{
    for (int i = 0; i < table->columns; i++) {
        int length = (int)strlen(cells[i]);

        if (table->print)
            printf("%s%*s", i ? "  " : " ", table->width[i], cells[i]);
        else if (length > table->width[i])
            table->width[i] = length;
    }
    if (table->print)
        printf("  %s\n", mm_safe(name));
}

void mm_table_print(int columns,
                    void (*rows)(const void *context, struct mm_table *table),
                    const void *context)
{
    struct mm_table table = {.columns = columns};

    rows(context, &table);
    table.print = 1;
    rows(context, &table);
}

void mm_csv_print(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

json_t *mm_json_escaped(const char *text)
{
    json_t *value = json_string(text);
    char *escaped;
    size_t used = 0;

    if (value || !text)
        return value;
    escaped = malloc(4 * strlen(text) + 1);
    if (!escaped)
        return NULL;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at >= 0x80 || *at < 0x20)
            used += (size_t)sprintf(escaped + used, "\\x%02x", *at);
        else
            escaped[used++] = (char)*at;
    }
    escaped[used] = '\0';
    value = json_string(escaped);
    free(escaped);
    return value;
}

json_t *mm_json_finite(double value)
{
    return isfinite(value) ? json_real(value) : NULL;
}

void mm_json_put(json_t *object, const char *key, json_t *value)
{
    if (value)
        json_object_set_new(object, key, value);
}

json_t *mm_json_same(json_t *value)
{
    return value;
}

json_t *mm_json_integer(json_int_t value)
{
    return json_integer(value);
}

json_t *mm_json_put_all(json_t *object, const char *names, json_t *const *values,
                        size_t count)
{
    char key[64];

    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(names, " ");

        assert(length && length < sizeof key);
        snprintf(key, sizeof key, "%.*s", (int)length, names);
        mm_json_put(object, key, values[i]);
        names += length + (names[length] == ' ');
    }
    assert(!*names);
    return object;
}

json_t *mm_json_document(const char *verb)
{
    json_t *document = json_object();
    char schema[64];

    snprintf(schema, sizeof schema, "mastermind/%s/1", verb);
    mm_json_put(document, "schema", json_string(schema));
    return document;
}

json_t *mm_json_metric_document(const char *verb, const struct mm_metric *metric)
{
    json_t *document;
    char name[32];

    snprintf(name, sizeof name, "%.20s%s", verb,
             metric->kind == MM_METRIC_TIME ? "" : "-metric");
    document = mm_json_document(name);
    if (metric->kind == MM_METRIC_TIME)
        return document;
    mm_json_set(document, "metric unit", metric->name, mm_metric_unit(metric));
    return document;
}

void mm_json_put_costs(json_t *object, const struct mm_metric *metric, int in_seconds,
                       const char *names, const double *values, size_t count)
{
    const char *unit = metric->kind != MM_METRIC_TIME ? "" : in_seconds ? "_s" : "_ns";
    char key[64];

    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(names, " ");

        snprintf(key, sizeof key, "%.*s%s", (int)length, names, unit);
        mm_json_put(
            object, key,
            mm_json_finite(strcmp(unit, "_s") == 0 ? values[i] / 1e9 : values[i]));
        names += length + (names[length] == ' ');
    }
    assert(!*names);
}

json_t *mm_json_notes(const struct mm_notes *a, const struct mm_notes *b)
{
    json_t *array = json_array();

    for (size_t i = 0; a && i < a->count; i++)
        json_array_append_new(array, mm_json_escaped(a->items[i]));
    for (size_t i = 0; b && i < b->count; i++)
        json_array_append_new(array, mm_json_escaped(b->items[i]));
    return array;
}

void mm_json_put_method(json_t *object, const struct mm_method_info *method)
{
    mm_json_set(object, "name instance port method class build_id port_type",
                method->name, method->instance, method->port, method->method,
                method->class_name, method->build_id, method->port_type);
}

int mm_finish_output(int code)
{
    if (mm_memory_failed() && code != MM_EXIT_SYSTEM)
        return mm_no_memory();
    if (mm_answer_kept() || (fflush(stdout) == 0 && !ferror(stdout)))
        return code;
    return mm_refuse(MM_EXIT_SYSTEM, "cannot write the output: %s", strerror(errno));
}

int mm_json_print(json_t *document)
{
    int failed = !document || mm_memory_failed() || mm_document_put(document);

    json_decref(document);
    if (failed && (mm_answer_kept() || !ferror(stdout)))
        return mm_no_memory();
    return mm_finish_output(MM_EXIT_DONE);
}
