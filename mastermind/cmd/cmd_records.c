/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_records.c: print every row, for other tools. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/kept.h"

enum { CSV, JSONL };

static const struct cca_option option_table[] = {
    [CSV] = {"--csv", NULL,
             "a header line, then a line for each row (default); an empty cell is a "
             "missing value"},
    [JSONL] = {"--jsonl", NULL, "a JSON object for each row"},
};

/* A column of parameter values, shared by all methods with a value of that name. */
struct column {
    char prefix; /* letter before the column's name: 'p' in-value or 'o' out-value */
    const char *name;
};

struct writer {
    const struct mm_experiment *experiment;
    enum { HEAD_LINE, CSV_LINE, JSON_LINE } form;
    size_t cells; /* cells printed so far in this line */
    struct mm_kept kept;
    struct column *columns;
    size_t column_count;
    size_t **places; /* [method][column]: index of the value + 1, or 0 */
};

static const char *status_text(enum mm_row_status status)
{
    switch (status) {
    case MM_ROW_DONE:
        return "done";
    case MM_ROW_UNWOUND:
        return "unwound";
    case MM_ROW_LONGJMP:
        return "longjmp";
    case MM_ROW_OPEN:
        return "open";
    }
    return "unknown";
}

/* The column of value `k` of a method; column_count if there is none yet. */
static size_t column_of(const struct writer *w, const struct mm_method_info *method,
                        size_t k)
{
    char prefix = k < method->in_count ? 'p' : 'o';
    size_t c = 0;

    while (c < w->column_count && (w->columns[c].prefix != prefix ||
                                   strcmp(w->columns[c].name, method->values[k].name)))
        c++;
    return c;
}

static int columns_init(struct writer *w)
{
    const struct mm_experiment *e = w->experiment;

    for (size_t i = 0; i < e->method_count; i++) {
        for (size_t k = 0; k < e->methods[i]->value_count; k++) {
            if (column_of(w, e->methods[i], k) < w->column_count)
                continue;
            if (cca_array_reserve(&w->columns, w->column_count, sizeof *w->columns))
                return -1;
            w->columns[w->column_count++] = (struct column){
                k < e->methods[i]->in_count ? 'p' : 'o', e->methods[i]->values[k].name};
        }
    }
    w->places = calloc(e->method_count + 1, sizeof *w->places);
    for (size_t i = 0; w->places && i < e->method_count; i++) {
        w->places[i] = calloc(w->column_count + 1, sizeof **w->places);
        if (!w->places[i])
            return -1;
        for (size_t k = 0; k < e->methods[i]->value_count; k++)
            w->places[i][column_of(w, e->methods[i], k)] = k + 1;
    }
    return w->places ? 0 : -1;
}

static void columns_done(struct writer *w)
{
    for (size_t i = 0; w->places && i < w->experiment->method_count; i++)
        free(w->places[i]);
    free(w->places);
    free(w->columns);
}

/* The value of requested counter number `asked` in a row, inclusive or exclusive;
 * MM_COUNT_MISSING if the row has none. */
static int64_t count_of(const struct writer *w, const struct mm_row *row, size_t asked,
                        int exclusive)
{
    const char *name = w->experiment->asked[asked];

    for (size_t i = 0; i < w->experiment->counter_count; i++)
        if (strcmp(w->experiment->counters[i], name) == 0)
            return exclusive ? row->exclusive_counters[i] : row->counters[i];
    return MM_COUNT_MISSING;
}

/* --- Cells ---------------------------------------------------------------- */

static void print_json_text(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    json_t *value;
    char *quoted;

    while (*at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    if (!*at) { /* the whole text needs no escapes: print it without change */
        putchar_unlocked('"');
        fputs_unlocked(text, stdout);
        putchar_unlocked('"');
        return;
    }
    value = mm_json_escaped(text);
    quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "null", stdout);
    free(quoted);
    json_decref(value);
}

/* Faster than printf, which would take half of the verb's time. */
static void print_int(int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char text[24], *at = text + sizeof text;

    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--at = '-';
    fwrite_unlocked(at, 1, (size_t)(text + sizeof text - at), stdout);
}

/* Begin the cell "PREFIXname": print its name in the head line, a comma in CSV, its key
 * in JSON. Returns true if the value is to be printed. */
static int begin_cell(struct writer *w, const char *prefix, const char *name, int known)
{
    char key[256];

    if (w->form == JSON_LINE && !known)
        return 0;
    if (w->cells++)
        putchar_unlocked(',');
    if (w->form == CSV_LINE)
        return known;
    if (*prefix) {
        snprintf(key, sizeof key, "%s%s", prefix, name);
        name = key;
    }
    if (w->form == HEAD_LINE) {
        mm_csv_print(name);
        return 0;
    }
    print_json_text(name);
    putchar_unlocked(':');
    return 1;
}

static void put_int(struct writer *w, const char *prefix, const char *name, int known,
                    int64_t value)
{
    if (begin_cell(w, prefix, name, known))
        print_int(value);
}

static void put_text(struct writer *w, const char *name, const char *text)
{
    if (!begin_cell(w, "", name, 1))
        return;
    if (w->form == CSV_LINE)
        mm_csv_print(text);
    else
        print_json_text(text);
}

/* Print a time; rows of imports and simulations may have a fraction of a nanosecond. */
static void put_ns(struct writer *w, const char *name, int known, int64_t ns,
                   double part_ns)
{
    if (!begin_cell(w, "", name, known))
        return;
    if (part_ns == 0)
        print_int(ns);
    else
        printf("%.15g", (double)ns + part_ns);
}

static int has_value(const struct mm_row *row, size_t index)
{
    if ((index >= row->method->in_count && row->status != MM_ROW_DONE) ||
        monitor_value_absent(row->values[index], row->method->values[index].type))
        return 0;
    return row->method->values[index].type == MONITOR_INT64 ||
           isfinite(row->values[index].d);
}

/* Print the cell of a column; it is empty for methods without this value. */
static void put_value(struct writer *w, const struct mm_row *row, size_t column)
{
    size_t place = w->form == HEAD_LINE ? 0 : w->places[row->method->index][column];
    const char prefix[] = {w->columns[column].prefix, '.', '\0'};

    if (!begin_cell(w, prefix, w->columns[column].name,
                    place && has_value(row, place - 1)))
        return;
    if (row->method->values[place - 1].type == MONITOR_INT64)
        print_int(row->values[place - 1].i);
    else
        printf("%.17g", row->values[place - 1].d);
}

/* Print all columns in order: their names for the head line, else the cells of a row. */
static void put_columns(struct writer *w, const struct mm_row *row)
{
    int ended = row->status != MM_ROW_OPEN, has_wall = ended && !row->clock_back;

    put_int(w, "", "rank", 1, row->rank);
    put_int(w, "", "thread", 1, row->thread);
    put_int(w, "", "invocation", 1, (int64_t)row->invocation);
    put_int(w, "", "caller", row->caller != 0, (int64_t)row->caller);
    put_text(w, "instance", row->method->instance);
    put_text(w, "port", row->method->port);
    put_text(w, "method", row->method->method);
    put_text(w, "class", row->method->class_name);
    put_int(w, "", "start_ns", 1, row->start_ns);
    put_ns(w, "wall_ns", has_wall, row->wall_ns, row->wall_part_ns);
    put_ns(w, "exclusive_ns", has_wall, row->exclusive_ns, row->exclusive_part_ns);
    put_int(w, "", "mpi_ns", ended && w->experiment->has_mpi, row->mpi_ns);
    put_int(w, "", "cpu_ns", ended && row->cpu_ns >= 0, row->cpu_ns);
    put_text(w, "status", status_text(row->status));
    for (size_t i = 0; i < 2 * w->experiment->asked_count; i++) {
        int64_t count = w->form == HEAD_LINE ? 0 : count_of(w, row, i / 2, i % 2);

        put_int(w, i % 2 ? "x." : "c.", w->experiment->asked[i / 2],
                count != MM_COUNT_MISSING, count);
    }
    for (size_t i = 0; i < w->column_count; i++)
        put_value(w, row, i);
    /* time lost by clock readings, then times off the core */
    put_int(w, "", "lost_ns", has_wall && row->lost_ns >= 0, row->lost_ns);
    put_int(w, "", "waited", has_wall && row->lost_ns >= 0, row->waited);
    put_int(w, "", "host_ns", has_wall && row->host_ns >= 0, row->host_ns);
    put_int(w, "", "host_exclusive_ns", has_wall && row->host_exclusive_ns >= 0,
            row->host_exclusive_ns);
    put_int(w, "", "wait_ns", has_wall && row->wait_ns >= 0, row->wait_ns);
    put_int(w, "", "wait_exclusive_ns", has_wall && row->wait_exclusive_ns >= 0,
            row->wait_exclusive_ns);
}

static int put_line(struct writer *w, const struct mm_row *row)
{
    w->cells = 0;
    if (w->form == JSON_LINE)
        putchar('{');
    put_columns(w, row);
    puts(w->form == JSON_LINE ? "}" : "");
    return ferror(stdout) ? 1 : 0;
}

static void put_head(struct writer *w)
{
    static const struct mm_method_info nobody = {.instance = ""};

    w->form = HEAD_LINE;
    put_line(w, &(struct mm_row){.method = &nobody});
}

/* --- All rows ------------------------------------------------------------- */

static int count_aggregate(const struct mm_aggregate *aggregate, void *context)
{
    struct mm_kept *kept = context;

    kept->folded += aggregate->calls;
    kept->other += aggregate->values ? 0 : aggregate->calls;
    kept->bare += aggregate->method->value_count > aggregate->method->in_count;
    return 0;
}

static int give_row(const struct mm_row *row, void *context)
{
    struct writer *w = context;

    w->kept.rows += !row->counted;
    w->kept.sampled += (uint64_t)row->counted;
    w->kept.clock_back += (uint64_t)row->clock_back;
    return put_line(w, row);
}

/* Print a note on invocations that have no row. */
static int say_rest(struct writer *w, struct cca_error *err)
{
    struct mm_notes notes = {0};
    int result = mm_experiment_aggregates(w->experiment, count_aggregate, &w->kept, err);

    if (!result)
        result = mm_experiment_losses(w->experiment, &w->kept.losses, err);
    if (!result &&
        (mm_kept_note(&notes, "", &w->kept) || mm_kept_note_end(&notes, "", &w->kept)))
        result = cca_no_memory(err);
    if (!result)
        mm_print_notes(&notes);
    mm_notes_done(&notes);
    return result;
}

static int print_rows(const struct mm_experiment *experiment, int jsonl)
{
    struct writer w = {.experiment = experiment, .kept = {.experiment = experiment}};
    struct cca_error err = {0};
    int result;

    if (columns_init(&w) < 0) {
        columns_done(&w);
        return mm_no_memory();
    }
    if (!jsonl)
        put_head(&w);
    w.form = jsonl ? JSON_LINE : CSV_LINE;
    result = mm_experiment_rows(experiment, give_row, &w, &err);
    if (!result)
        result = say_rest(&w, &err);
    columns_done(&w);
    if (result < 0) {
        fflush(stdout);
        return mm_complain(&err);
    }
    return mm_finish_output(MM_EXIT_DONE);
}

static int records_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mm_experiment *experiment;
    struct cca_error err = {0};
    int result;

    if (args->count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "records takes the directory of one experiment");
    if (options[CSV].given && options[JSONL].given)
        return mm_refuse(MM_EXIT_MISUSE, "--csv and --jsonl at once");
    experiment = mm_experiment_open(args->words[0], &err);
    if (!experiment)
        return mm_complain(&err);
    result = print_rows(experiment, options[JSONL].given);
    mm_experiment_free(experiment);
    return result;
}

const struct cca_verb mm_verb_records = {
    .name = "records",
    .summary = "every row, as CSV or JSON lines",
    .examples = "mastermind records shock-1.mm --csv > rows.csv\n"
                "mastermind records shock-1.mm --jsonl | head\n",
    .about = "Print every row: one recorded invocation a line.\n",
    CCA_OPTIONS(option_table),
    .notes = "p.NAME is a parameter or mode, o.NAME an out-parameter, c.NAME a counter "
             "(inclusive), x.NAME a counter without recorded callees. Times are as "
             "measured. host_ns is the part of wall_ns in which the thread was ready to "
             "run while the host ran something else, wait_ns that in which it was off "
             "its core of its own accord; host_exclusive_ns and wait_exclusive_ns are "
             "the same parts of exclusive_ns. Runs without them have lost_ns and waited: "
             "the most that the host can have taken in pieces of 1 ms or more, and "
             "whether it may have been a wait of the call.\n",
    .run = records_verb,
};
