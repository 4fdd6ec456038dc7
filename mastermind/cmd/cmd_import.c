/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_import.c: samples of other tools as an experiment. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/csv/columns.h"
#include "mastermind/writer/given.h"

static const char usage[] =
    "mastermind import csv samples.csv --time t:us --params Q --modes axis -o exp\n"
    "mastermind import csv samples.csv --time seconds:s -o exp\n"
    "\n"
    "Make an experiment of a CSV file with a header line and one invocation a line, for\n"
    "all other verbs. FILE may be -, standard input.\n"
    "\n"
    "  --time COL[:UNIT]  the column of the times and their unit: ns (default), us, ms, "
    "s\n"
    "  --params A,B       columns of parameters; by default all further columns of "
    "numbers\n"
    "  --modes M,N        columns of modes: integers, or texts, which become labels\n"
    "  --outs X,Y         columns of out-parameters\n"
    "  --method COL       a column of method names: METHOD, or INSTANCE.PORT.METHOD\n"
    "  --class COL        a column of class names\n"
    "  -o EXP             the directory to make; it must not exist, or be empty\n"
    "\n"
    "Names may be given in lists or by repeated options. An empty field of a parameter "
    "or\n"
    "mode is a missing value. Lines keep their order: each is taken to begin when the "
    "one\n"
    "before has ended.\n";

enum { TIME, PARAMS, MODES, OUTS, METHOD, CLASS, OUTPUT, OPTIONS };

struct import {
    struct mm_csv csv;
    struct mm_columns columns;
    long long time, method, class_name; /* indices in `columns`; -1: none */
    const char *unit;
    char *base;    /* of the file's name; stands for names that the file does not have */
    uint32_t *ids; /* [pair] of method and class: id + 1, 0: not declared yet */
    size_t class_count;
    struct mm_given *given;
};

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/* --- Columns -------------------------------------------------------------- */

static int add_column(struct import *in, const char *name, enum mm_column_role role,
                      long long *index, struct cca_error *err)
{
    int at = mm_csv_column(&in->csv, name);

    if (at < 0)
        return mm_csv_no_column(&in->csv, name, err);
    if (mm_columns_of(&in->columns, (size_t)at))
        return cca_error_set(err, -EINVAL, "column '%.200s' is named twice", name);
    if (!mm_columns_add(&in->columns, &in->csv, (size_t)at, role))
        return cca_no_memory(err);
    if (index)
        *index = (long long)in->columns.count - 1;
    return 0;
}

/* "A,B", of each time that the option was given. */
static int add_list(struct import *in, const struct mm_option *option,
                    enum mm_column_role role, struct cca_error *err)
{
    int result = 0;

    for (int i = 0; !result && i < option->given; i++) {
        char *list = strdup(option->values[i]), *rest = list, *name;

        if (!list)
            return cca_no_memory(err);
        while (!result && (name = strsep(&rest, ",")))
            if (*name || !rest)
                result = add_column(in, name, role, NULL, err);
        free(list);
    }
    return result;
}

/* COL, or COL:UNIT where UNIT is one or no column is named COL:UNIT. */
static int add_time(struct import *in, const char *option, struct cca_error *err)
{
    const char *colon = strrchr(option, ':');
    char *name = NULL;
    size_t unit = 0;
    int result;

    if (colon && mm_csv_column(&in->csv, option) < 0) {
        while (unit < sizeof units / sizeof *units && strcmp(units[unit].name, colon + 1))
            unit++;
        if (unit == sizeof units / sizeof *units)
            return cca_error_set(
                err, -EINVAL, "unknown unit '%.40s' in --time, expected ns, us, ms or s",
                colon + 1);
        name = strndup(option, (size_t)(colon - option));
    } else {
        name = strdup(option);
    }
    result =
        name ? add_column(in, name, MM_COLUMN_TIME, &in->time, err) : cca_no_memory(err);
    free(name);
    if (result)
        return result;
    in->columns.columns[in->time].unit_ns = units[unit].ns;
    in->unit = units[unit].name;
    return 0;
}

static int add_columns(struct import *in, const struct mm_option *options,
                       struct cca_error *err)
{
    int result = add_time(in, options[TIME].values[options[TIME].given - 1], err);

    if (!result)
        result = add_list(in, &options[PARAMS], MM_COLUMN_PARAM, err);
    if (!result)
        result = add_list(in, &options[MODES], MM_COLUMN_MODE, err);
    if (!result)
        result = add_list(in, &options[OUTS], MM_COLUMN_OUT, err);
    if (!result && options[METHOD].given)
        result = add_column(in, options[METHOD].values[options[METHOD].given - 1],
                            MM_COLUMN_NAME, &in->method, err);
    if (!result && options[CLASS].given)
        result = add_column(in, options[CLASS].values[options[CLASS].given - 1],
                            MM_COLUMN_NAME, &in->class_name, err);
    for (size_t at = 0; !result && !options[PARAMS].given && at < in->csv.column_count;
         at++)
        if (!mm_columns_of(&in->columns, at) &&
            !mm_columns_add(&in->columns, &in->csv, at, MM_COLUMN_GUESS))
            result = cca_no_memory(err);
    return result;
}

static void note_columns(const struct import *in)
{
    const struct mm_column *time = &in->columns.columns[in->time];
    size_t small = 0;

    for (size_t i = 0; i < in->columns.count; i++) {
        const struct mm_column *c = &in->columns.columns[i];

        if (c->left_out)
            fprintf(stderr,
                    "mastermind: note: %s:%zu: found '%s' in column '%s', which is "
                    "therefore no parameter; --modes takes texts\n",
                    mm_safe(in->csv.name), c->left_out, c->found, mm_safe(c->name));
    }
    for (size_t i = 0; i < in->columns.row_count; i++)
        small += time->values[i].d < 1;
    if (2 * small > in->columns.row_count)
        fprintf(stderr,
                "mastermind: note: most times in column '%s' are below 1 ns; is their "
                "unit %s?\n",
                mm_safe(time->name), in->unit);
}

/* --- Methods -------------------------------------------------------------- */

/* Names hold no dot: "a.b.c" with three parts is a triple, all else a method's name. */
static int split_name(struct import *in, const char *name, char **copy,
                      struct monitor_method_decl *decl)
{
    char *first, *second;

    *copy = strdup(name);
    if (!*copy)
        return -ENOMEM;
    first = strchr(*copy, '.');
    second = first ? strchr(first + 1, '.') : NULL;
    decl->instance = in->base;
    decl->port = "csv";
    decl->method = *copy;
    if (!second || strchr(second + 1, '.') || first == *copy || second == first + 1 ||
        !second[1])
        return 0;
    *first = *second = '\0';
    decl->instance = *copy;
    decl->port = first + 1;
    decl->method = second + 1;
    return 0;
}

/* Number of the method and class of a row among their pairs. */
static size_t pair_of(const struct import *in, size_t row)
{
    const struct mm_column *columns = in->columns.columns;
    size_t method = in->method >= 0 ? (size_t)columns[in->method].values[row].i : 0;
    size_t class_name =
        in->class_name >= 0 ? (size_t)columns[in->class_name].values[row].i : 0;

    return method * in->class_count + class_name;
}

static int is_value(const struct mm_column *c)
{
    return c->role != MM_COLUMN_TIME && c->role != MM_COLUMN_NAME && !c->left_out;
}

static int label_mode(const struct mm_column *c, struct monitor_value_decl *value)
{
    struct monitor_label *labels;

    if (!c->texts)
        return 0;
    labels = calloc(c->names.count, sizeof *labels);
    if (!labels)
        return -ENOMEM;
    for (size_t i = 0; i < c->names.count; i++)
        labels[i] = (struct monitor_label){(int64_t)i, c->names.texts[i]};
    value->labels = labels;
    value->label_count = c->names.count;
    return 0;
}

/* The values of all methods: in-values in the order of the header, then out-values.
 * `order` gets the column of each. Returns their number, or a negative errno. */
static int declare_values(const struct import *in, struct monitor_value_decl *values,
                          const struct mm_column **order,
                          struct monitor_method_decl *decl, struct cca_error *err)
{
    size_t count = 0;

    for (int out = 0; out < 2; out++) {
        for (size_t at = 0; at < in->csv.column_count; at++) {
            const struct mm_column *c = mm_columns_of(&in->columns, at);

            if (!c || !is_value(c) || (c->role == MM_COLUMN_OUT) != out)
                continue;
            if (count - (out ? decl->in_count : 0) ==
                (size_t)(out ? MONITOR_MAX_OUT : MONITOR_MAX_IN))
                return cca_error_set(err, -EINVAL,
                                     "%s: found more than %d columns of %s, expected "
                                     "fewer: name them by %s",
                                     in->csv.name, out ? MONITOR_MAX_OUT : MONITOR_MAX_IN,
                                     out ? "out-parameters" : "parameters and modes",
                                     out ? "--outs" : "--params");
            order[count] = c;
            values[count] = (struct monitor_value_decl){
                .name = c->name,
                .type = c->type,
                .kind = out                         ? MONITOR_OUT
                        : c->role == MM_COLUMN_MODE ? MONITOR_MODE
                                                    : MONITOR_PARAM};
            if (label_mode(c, &values[count++]))
                return cca_no_memory(err);
        }
        if (!out)
            decl->in_count = count;
    }
    decl->out_count = count - decl->in_count;
    decl->values = values;
    return (int)count;
}

/* An instance for wiring.json; NULL: out of memory. */
static json_t *instance_json(const struct monitor_method_decl *decl)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:s}], s:[], s:[], s:[]}",
                     "name", decl->instance, "class", decl->class_name, "summary", "",
                     "file", "", "build_id", "", "provides", "name", decl->port, "type",
                     decl->port_type, "uses", "parameters", "qualities");
}

/* Add what a method tells about the wiring: its instance with its class, and the port. */
static int wire_method(json_t *instances, const struct monitor_method_decl *decl)
{
    json_t *item, *ports, *port;
    size_t i, k;

    json_array_foreach(instances, i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "name")), decl->instance) != 0)
            continue;
        ports = json_object_get(item, "provides");
        json_array_foreach(
            ports, k, port) if (strcmp(json_string_value(json_object_get(port, "name")),
                                       decl->port) == 0) return 0;
        return json_array_append_new(ports, json_pack("{s:s, s:s}", "name", decl->port,
                                                      "type", decl->port_type))
                   ? -ENOMEM
                   : 0;
    }
    return json_array_append_new(instances, instance_json(decl)) ? -ENOMEM : 0;
}

/* Declare the method and class of a row, unless they are known. */
static int declare_method(struct import *in, size_t row, struct monitor_method_decl *decl,
                          json_t *instances, struct cca_error *err)
{
    const struct mm_column *columns = in->columns.columns;
    size_t pair = pair_of(in, row);
    char *copy = NULL, type[300];
    int id;

    if (in->ids[pair])
        return 0;
    if (split_name(
            in,
            in->method < 0
                ? columns[in->time].name
                : columns[in->method].names.texts[columns[in->method].values[row].i],
            &copy, decl))
        return cca_no_memory(err);
    decl->class_name =
        in->class_name < 0
            ? decl->instance
            : columns[in->class_name].names.texts[columns[in->class_name].values[row].i];
    snprintf(type, sizeof type, "imported.%.250s/1", decl->port);
    decl->port_type = type;
    decl->build_id = "";
    id = mm_given_method(in->given, decl, err);
    if (id >= 0) {
        in->ids[pair] = (uint32_t)id + 1;
        id = wire_method(instances, decl) ? cca_no_memory(err) : 0;
    }
    free(copy);
    return id;
}

/* --- Rows ----------------------------------------------------------------- */

static int write_rows(struct import *in, double ticks_per_ns,
                      struct monitor_method_decl *decl, const struct mm_column **order,
                      json_t *instances, struct cca_error *err)
{
    union monitor_value values[MONITOR_MAX_IN + MONITOR_MAX_OUT];
    const union monitor_value *times = in->columns.columns[in->time].values;
    size_t count = decl->in_count + decl->out_count;
    struct mm_given_row row = {.in = values, .out = values + decl->in_count};
    int result = 0;

    for (size_t i = 0; !result && i < in->columns.row_count; i++) {
        result = declare_method(in, i, decl, instances, err);
        if (result)
            break;
        for (size_t k = 0; k < count; k++)
            values[k] = order[k]->values[i];
        row.method = in->ids[pair_of(in, i)] - 1;
        row.start += row.wall;
        row.wall = (uint64_t)nearbyint(times[i].d * ticks_per_ns);
        result = mm_given_row(in->given, &row, err);
    }
    return result;
}

static int write_experiment(struct import *in, double ticks_per_ns, struct cca_error *err)
{
    struct monitor_value_decl values[MONITOR_MAX_IN + MONITOR_MAX_OUT] = {{0}};
    const struct mm_column *order[MONITOR_MAX_IN + MONITOR_MAX_OUT];
    struct monitor_method_decl decl = {0};
    json_t *instances = json_array();
    json_t *wiring = json_pack("{s:i, s:O, s:[], s:[]}", "format", 1, "instances",
                               instances, "connections", "gos");
    int result =
        wiring ? declare_values(in, values, order, &decl, err) : cca_no_memory(err);

    if (result >= 0)
        result = write_rows(in, ticks_per_ns, &decl, order, instances, err);
    if (!result) {
        mm_given_wiring(in->given, wiring);
        result = mm_given_finish(in->given, err);
    }
    json_decref(wiring);
    json_decref(instances);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        free((void *)values[i].labels);
    return result;
}

/* --- The verb ------------------------------------------------------------- */

/* The file's name without folders and ending; dots become underscores. */
static char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *end = strrchr(name, '.');
    char *base;

    if (strcmp(path, "-") == 0 || !*name)
        return strdup("input");
    base = strndup(name, end && end > name ? (size_t)(end - name) : strlen(name));
    for (char *at = base; at && *at; at++)
        *at = *at == '.' ? '_' : *at;
    return base;
}

static int import_file(struct import *in, const char *path,
                       const struct mm_option *options, struct cca_error *err)
{
    struct mm_given_about about = {.origin = "imported", .ranks = 1};
    size_t pairs;
    double *times, ticks = 0;
    int result = mm_csv_open(&in->csv, path, err);

    if (!result)
        result = add_columns(in, options, err);
    if (!result)
        result = mm_columns_read(&in->columns, &in->csv, err);
    if (result)
        return result;
    in->class_count =
        in->class_name < 0 ? 1 : in->columns.columns[in->class_name].names.count;
    pairs = in->method < 0 ? 1 : in->columns.columns[in->method].names.count;
    if (pairs > MM_GIVEN_METHODS || in->class_count > MM_GIVEN_METHODS)
        return cca_error_set(err, -EBADMSG, "%s: found more than %d methods or classes",
                             in->csv.name, MM_GIVEN_METHODS);
    in->ids = calloc(pairs * in->class_count, sizeof *in->ids);
    in->base = base_of(path);
    if (!in->ids || !in->base)
        return cca_no_memory(err);
    times = &in->columns.columns[in->time].values[0].d;
    ticks = mm_given_ticks_per_ns(times, in->columns.row_count);
    if (!(ticks > 0))
        return cca_error_set(err, -EBADMSG,
                             "%s: found times that add up to more than 292 years",
                             in->csv.name);
    about.source = in->csv.name;
    about.unit = in->unit;
    about.ns_per_tick = 1 / ticks;
    in->given =
        mm_given_new(options[OUTPUT].values[options[OUTPUT].given - 1], &about, err);
    return in->given ? write_experiment(in, ticks, err) : err->code;
}

static void done(struct import *in)
{
    mm_given_free(in->given);
    mm_columns_done(&in->columns);
    mm_csv_done(&in->csv);
    free(in->ids);
    free(in->base);
}

int cmd_import(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [TIME] = {.name = "--time", .takes_value = 1},
        [PARAMS] = {.name = "--params", .takes_value = 1},
        [MODES] = {.name = "--modes", .takes_value = 1},
        [OUTS] = {.name = "--outs", .takes_value = 1},
        [METHOD] = {.name = "--method", .takes_value = 1},
        [CLASS] = {.name = "--class", .takes_value = 1},
        [OUTPUT] = {.name = "-o", .takes_value = 1}};
    struct import in = {.time = -1, .method = -1, .class_name = -1};
    struct cca_error err = {0};
    int count, result;

    result = mm_options_read(options, OPTIONS, usage, argc, argv, &count);
    if (result >= 0)
        return result;
    if (count != 2 || !options[TIME].given || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "import takes a format, a file, --time COL[:UNIT] "
                         "and -o EXP; mastermind import -h shows examples");
    if (strcmp(argv[0], "csv") != 0)
        return mm_refuse(MM_EXIT_MISUSE, "unknown format '%s'; expected csv",
                         mm_safe(argv[0]));
    result = import_file(&in, argv[1], options, &err);
    if (!result) {
        note_columns(&in);
        fprintf(stderr, "experiment %s: %s imported from %s\n",
                mm_safe(options[OUTPUT].values[options[OUTPUT].given - 1]),
                mm_counted(in.columns.row_count, "row"), mm_safe(in.csv.name));
    }
    done(&in);
    return result ? mm_complain(&err) : mm_finish_output(MM_EXIT_DONE);
}
