/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_predict_points.c: predict the cost of single calls, one for each line of a CSV
 * file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/cost.h"
#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/predict/predict_points.h"
#include "mastermind/csv/csv.h"

#define NO_COLUMN SIZE_MAX

struct points {
    struct mm_csv csv;
    const struct mm_model_set *set;
    size_t columns[MONITOR_MAX_IN]; /* CSV column of each in-value, or NO_COLUMN */
    /* The method of the models, with all parameters as doubles: a point may lie between
     * the integer values of the calls. */
    struct mm_method_info method;
    struct mm_value_info *values;
    struct mm_model *models;
    double unit_ns;
    int curve;                    /* 1: print the interval of the curve, too */
    size_t unknown, unknown_line; /* number of lines without an answer; number of the
                                   * first such line */
    char why[400];                /* reason of the first line without an answer */
};

/* --- The models ----------------------------------------------------------- */

static int copy_models(struct points *p)
{
    const struct mm_method_info *method = p->set->method;

    p->values = calloc(method->value_count + 1, sizeof *p->values);
    p->models = calloc(p->set->model_count, sizeof *p->models);
    if (!p->values || !p->models)
        return mm_no_memory();
    memcpy(p->values, method->values, method->value_count * sizeof *p->values);
    for (size_t i = 0; i < method->in_count; i++)
        if (p->values[i].kind == MONITOR_PARAM)
            p->values[i].type = MONITOR_DOUBLE;
    p->method = *method;
    p->method.values = p->values;
    for (size_t i = 0; i < p->set->model_count; i++) {
        p->models[i] = p->set->models[i];
        p->models[i].method = &p->method;
    }
    return -1;
}

/* The model for the modes of a point; NULL: there is none. */
static const struct mm_model *find_model(const struct points *p,
                                         const union monitor_value *in)
{
    for (size_t i = 0; i < p->set->model_count; i++)
        if (mm_same_modes(&p->method, p->models[i].modes, in))
            return &p->models[i];
    return NULL;
}

/* True if some model's formula uses in-value `k`. */
static int is_needed(const struct points *p, size_t k)
{
    for (size_t i = 0; i < p->set->model_count; i++) {
        const struct mm_forms *forms = &p->models[i].forms;

        for (size_t n = 0; n < forms->count; n++)
            if (mm_form_uses(&forms->form[n], k))
                return 1;
    }
    return 0;
}

/* --- Lines ---------------------------------------------------------------- */

static int find_columns(struct points *p, struct cca_error *err)
{
    for (size_t i = 0; i < p->method.in_count; i++) {
        int column = mm_csv_column(&p->csv, p->values[i].name);

        p->columns[i] = column < 0 ? NO_COLUMN : (size_t)column;
        if (column >= 0)
            continue;
        if (p->values[i].kind == MONITOR_MODE || is_needed(p, i))
            return mm_csv_no_column(&p->csv, p->values[i].name, err);
        fprintf(stderr, "mastermind: note: %s has no column '%s', which no formula has\n",
                mm_safe(p->csv.name), mm_safe(p->values[i].name));
    }
    return 0;
}

/* Read the value of a mode, its label or an integer; any other text reads as
 * MONITOR_ABSENT. */
static void read_mode(const struct mm_value_info *info, const struct mm_csv_field *field,
                      union monitor_value *value)
{
    value->i = MONITOR_ABSENT;
    for (size_t i = 0; i < info->label_count; i++) {
        if (strlen(info->labels[i].text) == field->length &&
            memcmp(info->labels[i].text, field->at, field->length) == 0) {
            value->i = info->labels[i].value;
            return;
        }
    }
    if (!mm_csv_integer(field, &value->i))
        value->i = MONITOR_ABSENT;
}

/* Read the in-values of a line; `*unknown` is the index of a mode with a value that no
 * model has, or in_count. */
static int read_point(const struct points *p, union monitor_value *in, size_t *unknown,
                      struct cca_error *err)
{
    *unknown = p->method.in_count;
    for (size_t i = 0; i < p->method.in_count; i++) {
        const struct mm_csv_field *field;

        if (p->columns[i] == NO_COLUMN)
            continue;
        field = &p->csv.fields[p->columns[i]];
        if (p->values[i].kind == MONITOR_MODE) {
            read_mode(&p->values[i], field, &in[i]);
            if (in[i].i == MONITOR_ABSENT && field->length)
                *unknown = i;
        } else if (!field->length) {
            in[i].d = MONITOR_ABSENT_DOUBLE;
        } else if (!mm_csv_number(field, &in[i].d)) {
            return mm_csv_refuse(&p->csv, p->columns[i], "a number", err);
        }
    }
    return 0;
}

/* Read the whole file once, to refuse a damaged one before any output. */
static int check_lines(struct points *p, struct cca_error *err)
{
    union monitor_value in[MONITOR_MAX_IN];
    size_t unknown;
    int result;

    while ((result = mm_csv_next(&p->csv, 0, err)) == MM_CSV_LINE) {
        result = read_point(p, in, &unknown, err);
        if (result)
            return result;
    }
    mm_csv_rewind(&p->csv);
    return result;
}

/* Set parameters without a column to the middle of their measured sizes. */
static void fill_point(const struct points *p, const struct mm_model *model,
                       union monitor_value *in)
{
    struct mm_sizes sizes = mm_model_sizes(model);
    double x[MONITOR_MAX_IN];

    mm_sizes_middle(&sizes, x);
    for (size_t i = 0; i < p->method.in_count; i++)
        if (p->columns[i] == NO_COLUMN)
            in[i].d = model->lacks ? MONITOR_ABSENT_DOUBLE : x[i];
}

/* --- Answers -------------------------------------------------------------- */

/* Print a cell; empty for an unknown value. */
static void print_cell(double value)
{
    putchar(',');
    if (isfinite(value))
        printf("%.10g", value);
}

static void note_unknown(struct points *p, const union monitor_value *in, size_t unknown)
{
    char mode[300], shown[200];

    if (p->unknown++)
        return;
    p->unknown_line = p->csv.line;
    if (unknown < p->method.in_count) {
        snprintf(p->why, sizeof p->why, "no model for %.100s '%s'",
                 mm_safe(p->values[unknown].name),
                 mm_csv_shown(&p->csv.fields[p->columns[unknown]], shown, sizeof shown));
        return;
    }
    mm_mode_print(&p->method, in, mode, sizeof mode);
    if (find_model(p, in))
        snprintf(p->why, sizeof p->why, "the model has no call that lacks a parameter");
    else
        snprintf(p->why, sizeof p->why, "no model for %.300s", mm_safe(mode));
}

static void print_answer(struct points *p, union monitor_value *in, size_t unknown)
{
    const struct mm_model *model =
        unknown < p->method.in_count ? NULL : find_model(p, in);
    struct mm_estimate e;

    if (model) {
        fill_point(p, model, in);
        mm_model_estimate(model, in, &e);
    }
    if (!model || !isfinite(e.typ)) {
        note_unknown(p, in, unknown);
        fputs(p->curve ? ",,,,,,,," : ",,,,,,", stdout);
        return;
    }
    print_cell(e.typ / p->unit_ns);
    print_cell(e.mean / p->unit_ns);
    print_cell(e.sd / p->unit_ns);
    print_cell(e.low / p->unit_ns);
    print_cell(e.high / p->unit_ns);
    if (p->curve) {
        print_cell(e.fit_low / p->unit_ns);
        print_cell(e.fit_high / p->unit_ns);
    }
    print_cell(e.beyond);
}

/* Print the line of the input unchanged. */
static void print_raw(const struct mm_csv *csv)
{
    fwrite(csv->raw, 1, csv->raw_length, stdout);
}

static int answer_lines(struct points *p, struct cca_error *err)
{
    union monitor_value in[MONITOR_MAX_IN];
    size_t unknown;
    int kind;

    print_raw(&p->csv);
    printf(",typ,mean,sd,lo,hi,%sbeyond\n", p->curve ? "fit_lo,fit_hi," : "");
    while ((kind = mm_csv_next(&p->csv, 1, err)) > 0 && !ferror(stdout)) {
        print_raw(&p->csv);
        if (kind == MM_CSV_LINE) {
            kind = read_point(p, in, &unknown, err);
            if (kind < 0)
                return kind;
            print_answer(p, in, unknown);
        }
        putchar('\n');
    }
    return kind < 0 ? kind : 0;
}

/* --- The verb ------------------------------------------------------------- */

static double unit_of(const struct mm_input *input)
{
    const char *unit = input->count ? input->experiments[0]->unit : NULL;

    if (!unit || input->metric.kind >= MM_METRIC_COUNTER)
        return 1;
    return strcmp(unit, "s") == 0    ? 1e9
           : strcmp(unit, "ms") == 0 ? 1e6
           : strcmp(unit, "us") == 0 ? 1e3
                                     : 1;
}

static int answer_file(struct points *p, const char *path)
{
    struct cca_error err = {0};
    int result = mm_csv_open(&p->csv, path, &err);

    if (!result)
        result = find_columns(p, &err);
    if (!result)
        result = check_lines(p, &err);
    if (!result)
        result = answer_lines(p, &err);
    if (result)
        return mm_complain(&err);
    result = mm_finish_output(MM_EXIT_DONE);
    if (result != MM_EXIT_DONE || !p->unknown)
        return result;
    return mm_refuse(MM_EXIT_NO, "%s:%zu: %s%s; %s without an answer",
                     mm_safe(p->csv.name), p->unknown_line, p->why,
                     p->unknown > 1 ? ", and others" : "",
                     mm_counted(p->unknown, "line"));
}

int mm_predict_points(const struct mm_input *input, const char *path, const char *method,
                      const char *class_name, int curve)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_input_library(input, NULL, &err);
    struct points points = {.unit_ns = unit_of(input), .curve = curve};
    int result;

    if (!library || mm_kept_note_input(&library->notes, input, &err)) {
        mm_library_free(library);
        return mm_complain(&err);
    }
    mm_print_notes(&library->notes);
    result = mm_predict_set(library, input, method, class_name, &points.set);
    if (result < 0)
        result = copy_models(&points);
    if (result < 0)
        result = answer_file(&points, path);
    mm_csv_done(&points.csv);
    free(points.values);
    free(points.models);
    mm_library_free(library);
    return result;
}
