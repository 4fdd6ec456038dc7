/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.c: parse columns of a CSV file of samples. */
#include "mastermind/csv/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"

struct mm_column *mm_columns_add(struct mm_columns *columns, const struct mm_csv *csv,
                                 size_t at, enum mm_column_role role)
{
    struct mm_column *c =
        cca_array_add(&columns->columns, &columns->count, sizeof *columns->columns);

    if (!c)
        return NULL;
    c->role = role;
    c->at = at;
    c->type = role == MM_COLUMN_TIME ? MONITOR_DOUBLE : MONITOR_INT64;
    c->unit_ns = 1;
    c->name = strndup(csv->header[at].at, csv->header[at].length);
    return c->name ? c : NULL;
}

struct mm_column *mm_columns_of(const struct mm_columns *columns, size_t at)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i].at == at)
            return &columns->columns[i];
    return NULL;
}

void mm_columns_done(struct mm_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->columns[i].name);
        free(columns->columns[i].values);
        mm_names_done(&columns->columns[i].names);
    }
    free(columns->columns);
    memset(columns, 0, sizeof *columns);
}

/* --- Fields --------------------------------------------------------------- */

static int read_time(struct mm_column *c, const struct mm_csv *csv,
                     union monitor_value *value, struct cca_error *err)
{
    double time;

    if (!mm_csv_number(&csv->fields[c->at], &time) || time < 0 ||
        !isfinite(time * c->unit_ns))
        return mm_csv_refuse(csv, c->at, "a time: a number that is not negative", err);
    value->d = time * c->unit_ns;
    return 0;
}

/* Convert the `rows` integers of a column to doubles. */
static void make_double(struct mm_column *c, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        c->values[i].d = c->values[i].i == MONITOR_ABSENT ? MONITOR_ABSENT_DOUBLE
                                                          : (double)c->values[i].i;
    c->type = MONITOR_DOUBLE;
}

static int read_number(struct mm_column *c, const struct mm_csv *csv, size_t row,
                       union monitor_value *value, struct cca_error *err)
{
    const struct mm_csv_field *field = &csv->fields[c->at];
    double real;

    if (c->type == MONITOR_INT64 && mm_csv_integer(field, &value->i))
        return 0;
    if (!mm_csv_number(field, &real)) {
        if (c->role != MM_COLUMN_GUESS)
            return mm_csv_refuse(csv, c->at, "a number", err);
        c->left_out = csv->line;
        mm_csv_shown(field, c->found, sizeof c->found);
        return 0;
    }
    if (c->type == MONITOR_INT64)
        make_double(c, row);
    value->d = real;
    return 0;
}

/* Set `value` to the number of a text in the column's list of texts; a new text is
 * appended to the list. */
static int name_text(struct mm_column *c, const struct mm_csv *csv, const char *text,
                     size_t length, union monitor_value *value, struct cca_error *err)
{
    long long number;

    if (memchr(text, '\0', length))
        return mm_csv_refuse(csv, c->at, "a text", err);
    number = mm_names_add(&c->names, text, length);
    if (number < 0)
        return cca_no_memory(err);
    if (c->role == MM_COLUMN_MODE && number >= MM_COLUMN_MODES)
        return mm_csv_refuse(csv, c->at, "a mode: at most 10,000 different texts", err);
    value->i = number;
    return 0;
}

/* Replace an integer, read before a text was found in the column, by the number of its
 * decimal text. */
static int name_integer(struct mm_column *c, const struct mm_csv *csv, int64_t integer,
                        union monitor_value *value, struct cca_error *err)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId64, integer);

    return name_text(c, csv, text, (size_t)length, value, err);
}

static int read_mode(struct mm_column *c, const struct mm_csv *csv, size_t row,
                     union monitor_value *value, struct cca_error *err)
{
    const struct mm_csv_field *field = &csv->fields[c->at];
    int is_integer = mm_csv_integer(field, &value->i), result = 0;

    if (is_integer && !c->texts)
        return 0;
    for (size_t i = 0; !c->texts && !result && i < row; i++)
        if (c->values[i].i != MONITOR_ABSENT)
            result = name_integer(c, csv, c->values[i].i, &c->values[i], err);
    c->texts = 1;
    if (result)
        return result;
    return is_integer ? name_integer(c, csv, value->i, value, err)
                      : name_text(c, csv, field->at, field->length, value, err);
}

static int read_field(struct mm_column *c, const struct mm_csv *csv, size_t row,
                      struct cca_error *err)
{
    const struct mm_csv_field *field = &csv->fields[c->at];
    union monitor_value *value = &c->values[row];

    if (c->role == MM_COLUMN_TIME)
        return read_time(c, csv, value, err);
    if (c->role == MM_COLUMN_NAME)
        return field->length ? name_text(c, csv, field->at, field->length, value, err)
                             : mm_csv_refuse(csv, c->at, "a name", err);
    if (c->left_out)
        return 0;
    if (!field->length) {
        if (c->type == MONITOR_DOUBLE)
            value->d = MONITOR_ABSENT_DOUBLE;
        else
            value->i = MONITOR_ABSENT;
        return 0;
    }
    return c->role == MM_COLUMN_MODE ? read_mode(c, csv, row, value, err)
                                     : read_number(c, csv, row, value, err);
}

/* --- Lines ---------------------------------------------------------------- */

static int reserve_row(struct mm_columns *columns)
{
    int failed = 0;

    for (size_t i = 0; i < columns->count && !failed; i++)
        failed = cca_array_reserve(&columns->columns[i].values, columns->row_count,
                                   sizeof *columns->columns[i].values);
    return failed;
}

/* Number the texts of a mode again, in alphabetical order. */
static int sort_texts(struct mm_column *c, size_t rows)
{
    char **texts = calloc(c->names.count + 1, sizeof *texts);
    struct mm_names sorted = {0};
    int result = texts ? 0 : -ENOMEM;

    for (size_t i = 0; !result && i < c->names.count; i++)
        texts[i] = c->names.texts[i];
    if (!result && c->names.count)
        qsort(texts, c->names.count, sizeof *texts, cca_order_text);
    for (size_t i = 0; !result && i < c->names.count; i++)
        if (mm_names_add(&sorted, texts[i], strlen(texts[i])) < 0)
            result = -ENOMEM;
    for (size_t i = 0; !result && i < rows; i++) {
        const char *text =
            c->values[i].i == MONITOR_ABSENT ? NULL : c->names.texts[c->values[i].i];

        if (text)
            c->values[i].i = mm_names_find(&sorted, text, strlen(text));
    }
    free(texts);
    mm_names_done(result ? &sorted : &c->names);
    if (!result)
        c->names = sorted;
    return result;
}

int mm_columns_read(struct mm_columns *columns, struct mm_csv *csv, struct cca_error *err)
{
    int result;

    while ((result = mm_csv_next(csv, 0, err)) == MM_CSV_LINE) {
        if (reserve_row(columns))
            return cca_no_memory(err);
        for (size_t i = 0; i < columns->count; i++) {
            result = read_field(&columns->columns[i], csv, columns->row_count, err);
            if (result)
                return result;
        }
        columns->row_count++;
    }
    for (size_t i = 0; !result && i < columns->count; i++)
        if (columns->columns[i].role == MM_COLUMN_MODE && columns->columns[i].texts &&
            sort_texts(&columns->columns[i], columns->row_count))
            return cca_no_memory(err);
    if (!result && !columns->row_count)
        return cca_error_set(err, -EBADMSG,
                             "%s:%zu: found the end of the file, expected a line with "
                             "%zu fields",
                             csv->name, csv->line + 1, csv->column_count);
    return result;
}
