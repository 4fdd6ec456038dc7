/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_records.c: every row, for other tools. */
#include <errno.h>
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

/* A column of values; methods with a value of that name share it. */
struct column {
    char prefix; /* p or o */
    const char *name;
};

struct writer {
    const struct mm_experiment *experiment;
    mm_row_function print;
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

/* The column of value `k` of a method; column_count: there is none yet. */
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

/* The value of counter number `asked` in a row, inclusive or exclusive; MM_COUNT_MISSING
 * if it has none. */
static int64_t count_of(const struct writer *w, const struct mm_row *row, size_t asked,
                        int exclusive)
{
    const char *name = w->experiment->asked[asked];

    for (size_t i = 0; i < w->experiment->counter_count; i++)
        if (strcmp(w->experiment->counters[i], name) == 0)
            return exclusive ? row->exclusive_counters[i] : row->counters[i];
    return MM_COUNT_MISSING;
}

/* Print a cell of text, in quotes if it holds a separator. */
static void csv_text(const char *text)
{
    if (!strpbrk(text, "\",\r\n")) {
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

static int has_value(const struct mm_row *row, size_t index)
{
    if ((index >= row->method->in_count && row->status != MM_ROW_DONE) ||
        monitor_value_absent(row->values[index], row->method->values[index].type))
        return 0;
    return row->method->values[index].type == MONITOR_INT64 ||
           isfinite(row->values[index].d);
}

static void print_value(const struct mm_row *row, size_t index)
{
    if (row->method->values[index].type == MONITOR_INT64)
        printf("%" PRId64, row->values[index].i);
    else
        printf("%.17g", row->values[index].d);
}

/* A time with the part of a nanosecond that imported and simulated rows may have. */
static void print_ns(int64_t ns, double part_ns)
{
    if (part_ns == 0)
        printf("%" PRId64, ns);
    else
        printf("%.15g", (double)ns + part_ns);
}

/* Times of a row that are known. */
static int has_wall(const struct mm_row *row)
{
    return row->status != MM_ROW_OPEN && !row->clock_back;
}

static int has_mpi(const struct writer *w, const struct mm_row *row)
{
    return row->status != MM_ROW_OPEN && w->experiment->has_mpi;
}

static int has_cpu(const struct mm_row *row)
{
    return row->status != MM_ROW_OPEN && row->cpu_ns >= 0;
}

/* Readings that tell what the host took. */
static int has_evidence(const struct mm_row *row)
{
    return has_wall(row) && row->lost_ns >= 0;
}

/* Times off the core: name and value; -1: not known. */
enum { OFF_CORE = 4 };
static const char *const off_core_names[OFF_CORE] = {"host_ns", "host_exclusive_ns",
                                                     "wait_ns", "wait_exclusive_ns"};

static void off_core_of(const struct mm_row *row, int64_t ns[OFF_CORE])
{
    const int64_t all[OFF_CORE] = {row->host_ns, row->host_exclusive_ns, row->wait_ns,
                                   row->wait_exclusive_ns};

    for (int i = 0; i < OFF_CORE; i++)
        ns[i] = has_wall(row) ? all[i] : -1;
}

static int csv_row(const struct mm_row *row, void *context)
{
    const struct writer *w = context;
    int64_t off_core[OFF_CORE];

    printf("%d,%d,%" PRIu64 ",", row->rank, row->thread, row->invocation);
    if (row->caller)
        printf("%" PRIu64, row->caller);
    putchar(',');
    csv_text(row->method->instance);
    putchar(',');
    csv_text(row->method->port);
    putchar(',');
    csv_text(row->method->method);
    putchar(',');
    csv_text(row->method->class_name);
    printf(",%" PRId64 ",", row->start_ns);
    if (has_wall(row))
        print_ns(row->wall_ns, row->wall_part_ns);
    putchar(',');
    if (has_wall(row))
        print_ns(row->exclusive_ns, row->exclusive_part_ns);
    putchar(',');
    if (has_mpi(w, row))
        printf("%" PRId64, row->mpi_ns);
    putchar(',');
    if (has_cpu(row))
        printf("%" PRId64, row->cpu_ns);
    printf(",%s", status_text(row->status));
    for (size_t i = 0; i < 2 * w->experiment->asked_count; i++) {
        int64_t count = count_of(w, row, i / 2, i % 2);

        putchar(',');
        if (count != MM_COUNT_MISSING)
            printf("%" PRId64, count);
    }
    for (size_t i = 0; i < w->column_count; i++) {
        size_t place = w->places[row->method->index][i];

        putchar(',');
        if (place && has_value(row, place - 1))
            print_value(row, place - 1);
    }
    if (has_evidence(row))
        printf(",%" PRId64 ",%d", row->lost_ns, row->waited);
    else
        fputs(",,", stdout);
    off_core_of(row, off_core);
    for (int i = 0; i < OFF_CORE; i++) {
        putchar(',');
        if (off_core[i] >= 0)
            printf("%" PRId64, off_core[i]);
    }
    putchar('\n');
    return ferror(stdout) ? 1 : 0;
}

static void json_text(const char *key, const char *text)
{
    json_t *value = mm_json_escaped(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    printf(",\"%s\":%s", key, quoted ? quoted : "null");
    free(quoted);
    json_decref(value);
}

/* ,"c.NAME":7 */
static void json_count(const char *prefix, const char *name, int64_t count)
{
    char key[256];
    json_t *text;
    char *quoted;

    if (count == MM_COUNT_MISSING)
        return;
    snprintf(key, sizeof key, "%s%s", prefix, name);
    text = mm_json_escaped(key);
    quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        printf(",%s:%" PRId64, quoted, count);
    free(quoted);
    json_decref(text);
}

static int jsonl_row(const struct mm_row *row, void *context)
{
    const struct writer *w = context;
    int64_t off_core[OFF_CORE];

    printf("{\"rank\":%d,\"thread\":%d,\"invocation\":%" PRIu64, row->rank, row->thread,
           row->invocation);
    if (row->caller)
        printf(",\"caller\":%" PRIu64, row->caller);
    json_text("instance", row->method->instance);
    json_text("port", row->method->port);
    json_text("method", row->method->method);
    json_text("class", row->method->class_name);
    printf(",\"start_ns\":%" PRId64, row->start_ns);
    if (has_wall(row)) {
        fputs(",\"wall_ns\":", stdout);
        print_ns(row->wall_ns, row->wall_part_ns);
        fputs(",\"exclusive_ns\":", stdout);
        print_ns(row->exclusive_ns, row->exclusive_part_ns);
    }
    if (has_mpi(w, row))
        printf(",\"mpi_ns\":%" PRId64, row->mpi_ns);
    if (has_cpu(row))
        printf(",\"cpu_ns\":%" PRId64, row->cpu_ns);
    printf(",\"status\":\"%s\"", status_text(row->status));
    for (size_t i = 0; i < w->experiment->asked_count; i++) {
        const char *name = w->experiment->asked[i];

        json_count("c.", name, count_of(w, row, i, 0));
        json_count("x.", name, count_of(w, row, i, 1));
    }
    for (size_t i = 0; i < row->method->value_count; i++) {
        char key[256];

        if (!has_value(row, i))
            continue;
        snprintf(key, sizeof key, "%c.%s", i < row->method->in_count ? 'p' : 'o',
                 row->method->values[i].name);
        printf(",\"%s\":", key);
        print_value(row, i);
    }
    if (has_evidence(row))
        printf(",\"lost_ns\":%" PRId64 ",\"waited\":%d", row->lost_ns, row->waited);
    off_core_of(row, off_core);
    for (int i = 0; i < OFF_CORE; i++)
        if (off_core[i] >= 0)
            printf(",\"%s\":%" PRId64, off_core_names[i], off_core[i]);
    puts("}");
    return ferror(stdout) ? 1 : 0;
}

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
    return w->print(row, w);
}

/* Note the invocations that have no row. */
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
    if (!jsonl) {
        fputs("rank,thread,invocation,caller,instance,port,method,class,start_ns,wall_ns,"
              "exclusive_ns,mpi_ns,cpu_ns,status",
              stdout);
        for (size_t i = 0; i < 2 * experiment->asked_count; i++) {
            printf(",%c.", i % 2 ? 'x' : 'c');
            csv_text(experiment->asked[i / 2]);
        }
        for (size_t i = 0; i < w.column_count; i++) {
            printf(",%c.", w.columns[i].prefix);
            csv_text(w.columns[i].name);
        }
        fputs(",lost_ns,waited", stdout);
        for (int i = 0; i < OFF_CORE; i++)
            printf(",%s", off_core_names[i]);
        putchar('\n');
    }
    w.print = jsonl ? jsonl_row : csv_row;
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

static int records_verb(const struct mm_args *args)
{
    const struct mm_option *options = args->options;
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

const struct mm_verb mm_verb_records = {
    .name = "records",
    .summary = "every row, as CSV or JSON lines",
    .examples = "mastermind records shock-1.mm --csv > rows.csv\n"
                "mastermind records shock-1.mm --jsonl | head\n",
    .about = "Print every row: one recorded invocation a line.\n",
    MM_OPTIONS(option_table),
    .notes = "p.NAME is a parameter or mode, o.NAME an out-parameter, c.NAME a counter "
             "(inclusive), x.NAME a counter without recorded callees. Times are as "
             "measured. host_ns is the part of wall_ns in which the thread was ready to "
             "run while the host ran something else, wait_ns that in which it was off "
             "its core of its own accord; host_exclusive_ns and wait_exclusive_ns are "
             "those of exclusive_ns. lost_ns and waited are what runs without them tell: "
             "the most that the host can have taken in pieces of 1 ms or more, and "
             "whether it may have been a wait of the call.\n",
    .run = records_verb,
};
