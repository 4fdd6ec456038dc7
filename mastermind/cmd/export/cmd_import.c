/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_import.c: make an experiment of samples from other tools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/csv/samples.h"

enum { TIME, PARAMS, MODES, OUTS, METHOD, CLASS, THIS_MACHINE, OUTPUT };

static const struct cca_option option_table[] = {
    [TIME] = {"--time", "COL[:UNIT]",
              "the times and their unit: ns (default), us, ms or s"},
    [PARAMS] = {"--params", "A,B",
                "columns of parameters; by default all others with numbers"},
    [MODES] = {"--modes", "M,N", "columns of modes: integers, or texts"},
    [OUTS] = {"--outs", "X,Y", "columns of out-parameters"},
    [METHOD] = {"--method-column", "COL",
                "a column of method names: METHOD or INSTANCE.PORT.METHOD"},
    [CLASS] = {"--class-column", "COL", "a column of class names"},
    [THIS_MACHINE] = {"--this-machine", NULL,
                      "the times were measured on this machine: keep its caches"},
    [OUTPUT] = {"--output", "EXP",
                "the directory to make; it must not exist, or be empty", "-o"},
};

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/* --- Columns -------------------------------------------------------------- */

static int add_column(struct mm_samples *in, const char *name, enum mm_column_role role,
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

/* Read "A,B" from each occurrence of the option. */
static int add_list(struct mm_samples *in, const struct cca_given *option,
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

/* Read COL, or COL:UNIT if UNIT is a unit and no column has the name "COL:UNIT". */
static int add_time(struct mm_samples *in, const char *option, struct cca_error *err)
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

static int add_columns(struct mm_samples *in, const struct cca_given *options,
                       struct cca_error *err)
{
    int result = add_time(in, cca_given_value(&options[TIME]), err);

    if (!result)
        result = add_list(in, &options[PARAMS], MM_COLUMN_PARAM, err);
    if (!result)
        result = add_list(in, &options[MODES], MM_COLUMN_MODE, err);
    if (!result)
        result = add_list(in, &options[OUTS], MM_COLUMN_OUT, err);
    if (!result && options[METHOD].given)
        result = add_column(in, cca_given_value(&options[METHOD]), MM_COLUMN_NAME,
                            &in->method, err);
    if (!result && options[CLASS].given)
        result = add_column(in, cca_given_value(&options[CLASS]), MM_COLUMN_NAME,
                            &in->class_name, err);
    for (size_t at = 0; !result && !options[PARAMS].given && at < in->csv.column_count;
         at++)
        if (!mm_columns_of(&in->columns, at) &&
            !mm_columns_add(&in->columns, &in->csv, at, MM_COLUMN_GUESS))
            result = cca_no_memory(err);
    return result;
}

static void note_columns(const struct mm_samples *in)
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

/* --- The verb ------------------------------------------------------------- */

/* The file's name without folders and extension; dots become underscores. */
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

static int import_file(struct mm_samples *in, const char *path,
                       const struct cca_given *options, struct cca_error *err)
{
    struct mm_given_about about = {.origin = "imported", .ranks = 1};
    int result = mm_csv_open(&in->csv, path, err);

    if (!result)
        result = add_columns(in, options, err);
    if (!result)
        result = mm_columns_read(&in->columns, &in->csv, err);
    if (result)
        return result;
    in->base = base_of(path);
    if (!in->base)
        return cca_no_memory(err);
    in->ticks_per_ns = mm_given_ticks_per_ns(&in->columns.columns[in->time].values[0].d,
                                             in->columns.row_count);
    if (!(in->ticks_per_ns > 0))
        return cca_error_set(err, -EBADMSG,
                             "%s: found times that add up to more than 292 years",
                             in->csv.name);
    about.source = in->csv.name;
    about.this_machine = options[THIS_MACHINE].given > 0;
    about.unit = in->unit;
    about.ns_per_tick = 1 / in->ticks_per_ns;
    in->given = mm_given_new(cca_given_value(&options[OUTPUT]), &about, err);
    return in->given ? mm_samples_write(in, err) : err->code;
}

static void done(struct mm_samples *in)
{
    mm_given_free(in->given);
    mm_columns_done(&in->columns);
    mm_csv_done(&in->csv);
    free(in->base);
}

static int import_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct mm_samples in = {.time = -1, .method = -1, .class_name = -1};
    struct cca_error err = {0};
    int result;

    if (args->count != 2 || !options[TIME].given || !options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE,
                         "import takes a format, a file, --time COL[:UNIT] "
                         "and -o EXP; mastermind import -h shows examples");
    if (strcmp(args->words[0], "csv") != 0)
        return mm_refuse(MM_EXIT_MISUSE,
                         "unknown format '%s'; expected csv, or cells or lbaf "
                         "as the first argument",
                         mm_safe(args->words[0]));
    result = import_file(&in, args->words[1], options, &err);
    if (!result) {
        note_columns(&in);
        fprintf(stderr, "experiment %s: %s imported from %s\n",
                mm_safe(cca_given_value(&options[OUTPUT])),
                mm_counted(in.columns.row_count, "row"), mm_safe(in.csv.name));
    }
    done(&in);
    if (!result)
        return mm_finish_output(MM_EXIT_DONE);
    result = mm_complain(&err);
    /* the file could be read, so the error is about the experiment's path */
    return result == MM_EXIT_INPUT && in.ticks_per_ns > 0 && err.code != -EBADMSG
               ? MM_EXIT_SYSTEM
               : result;
}

const struct cca_verb mm_verb_import = {
    .name = "import",
    .summary = "make an experiment of samples or cells of other tools",
    .examples =
        "mastermind import csv samples.csv --time t:us --params Q --modes axis -o exp\n"
        "mastermind import csv samples.csv --time seconds:s -o exp\n",
    .about = "Make an experiment of a CSV file with a header line and one invocation a "
             "line, for all other verbs. FILE may be -, standard input. `mastermind "
             "import cells -h` and `mastermind import lbaf -h` are about mesh "
             "profiles.\n",
    CCA_OPTIONS(option_table),
    .notes = "An empty field of a parameter or mode is a missing value. Each line is "
             "taken to begin when the one before has ended.\n",
    .run = import_verb,
};
