/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c: write columns of samples as methods and rows of an experiment. */
#include "mastermind/csv/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { MOST_VALUES = MONITOR_MAX_IN + MONITOR_MAX_OUT };

/* A pair of a method and a class. Its values are the columns in which at least one of its
 * rows has a value. */
struct method {
    size_t first; /* index of the method's first row */
    uint32_t id;
    unsigned in_count, count;
    unsigned char values[MOST_VALUES]; /* indexes of columns */
    uint32_t has; /* set of bits: the columns in which the method has a value */
};

struct rows {
    struct mm_samples *in;
    /* Columns of values: in-values in the order of the header, then out-values. */
    const struct mm_column *columns[MOST_VALUES];
    struct monitor_value_decl decls[MOST_VALUES];
    size_t in_count, count;
    struct method *methods;
    size_t method_count;
    uint32_t *of; /* [row] index of each row's method */
};

/* --- Values --------------------------------------------------------------- */

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

static int is_value(const struct mm_column *c, int out)
{
    return c && c->role != MM_COLUMN_TIME && c->role != MM_COLUMN_NAME && !c->left_out &&
           (c->role == MM_COLUMN_OUT) == out;
}

static int declare_value(struct rows *r, const struct mm_column *c, struct cca_error *err)
{
    int out = c->role == MM_COLUMN_OUT;
    size_t most = out ? r->in_count + MONITOR_MAX_OUT : MONITOR_MAX_IN;
    struct monitor_value_decl *decl = &r->decls[r->count];

    if (r->count == most)
        return cca_error_set(err, -EINVAL,
                             "%s: found more than %d columns of %s, expected fewer: name "
                             "them by %s",
                             r->in->csv.name, out ? MONITOR_MAX_OUT : MONITOR_MAX_IN,
                             out ? "out-parameters" : "parameters and modes",
                             out ? "--outs" : "--params");
    decl->name = c->name;
    decl->type = c->type;
    decl->kind = out                         ? MONITOR_OUT
                 : c->role == MM_COLUMN_MODE ? MONITOR_MODE
                                             : MONITOR_PARAM;
    if (label_mode(c, decl))
        return cca_no_memory(err);
    r->columns[r->count++] = c;
    return 0;
}

static int declare_values(struct rows *r, struct cca_error *err)
{
    int result = 0;

    for (int out = 0; out < 2; out++) {
        for (size_t at = 0; !result && at < r->in->csv.column_count; at++) {
            const struct mm_column *c = mm_columns_of(&r->in->columns, at);

            if (is_value(c, out))
                result = declare_value(r, c, err);
        }
        if (!out)
            r->in_count = r->count;
    }
    return result;
}

/* --- Methods -------------------------------------------------------------- */

/* Return the number of the text that a row has in a column of names; 0 if the file has no
 * such column. */
static int64_t name_of(const struct rows *r, long long column, size_t row)
{
    return column < 0 ? 0 : r->in->columns.columns[column].values[row].i;
}

/* Find the pairs of method and class in the rows, in the order of their first
 * appearance. */
static int find_methods(struct rows *r, struct cca_error *err)
{
    size_t count = r->in->columns.row_count;
    struct mm_names pairs = {0};
    char text[64];
    int result = 0;

    r->of = calloc(count, sizeof *r->of);
    if (!r->of)
        return cca_no_memory(err);
    for (size_t i = 0; !result && i < count; i++) {
        int length = 0;
        long long pair;

        if (r->in->method >= 0 || r->in->class_name >= 0)
            length =
                snprintf(text, sizeof text, "%" PRId64 ",%" PRId64,
                         name_of(r, r->in->method, i), name_of(r, r->in->class_name, i));
        pair = mm_names_add(&pairs, text, (size_t)length);
        if (pair >= MM_GIVEN_METHODS)
            result = cca_error_set(err, -EBADMSG,
                                   "%s: found more than %d methods, expected fewer",
                                   r->in->csv.name, MM_GIVEN_METHODS);
        else if (pair < 0)
            result = cca_no_memory(err);
        else if ((size_t)pair == r->method_count) {
            struct method *m =
                cca_array_add(&r->methods, &r->method_count, sizeof *r->methods);

            if (m)
                m->first = i;
            else
                result = cca_no_memory(err);
        }
        r->of[i] = (uint32_t)pair;
    }
    mm_names_done(&pairs);
    return result;
}

/* Find the columns in which a method has values. */
static void find_values(struct rows *r)
{
    for (size_t k = 0; k < r->count; k++)
        for (size_t i = 0; i < r->in->columns.row_count; i++)
            if (!monitor_value_absent(r->columns[k]->values[i], r->columns[k]->type))
                r->methods[r->of[i]].has |= 1u << k;
    for (size_t i = 0; i < r->method_count; i++) {
        struct method *m = &r->methods[i];

        for (size_t k = 0; k < r->count; k++) {
            if (m->has & 1u << k) {
                m->values[m->count++] = (unsigned char)k;
                m->in_count += k < r->in_count;
            }
        }
    }
}

/* Split a method name: "a.b.c" is instance, port and method; any other text is just the
 * name of a method. Names contain no dots. `text` is cut into its parts. */
static void split_name(const struct mm_samples *in, char *text,
                       struct monitor_method_decl *decl)
{
    char *first = strchr(text, '.'), *second = first ? strchr(first + 1, '.') : NULL;

    decl->instance = in->base;
    decl->port = "csv";
    decl->method = text;
    if (!second || strchr(second + 1, '.') || first == text || second == first + 1 ||
        !second[1])
        return;
    *first = *second = '\0';
    decl->instance = text;
    decl->port = first + 1;
    decl->method = second + 1;
}

static int declare_method(struct rows *r, struct method *m, struct cca_error *err)
{
    const struct mm_samples *in = r->in;
    const struct mm_column *columns = in->columns.columns;
    struct monitor_value_decl values[MOST_VALUES];
    struct monitor_method_decl decl = {.build_id = "",
                                       .values = values,
                                       .in_count = m->in_count,
                                       .out_count = m->count - m->in_count};
    char *name =
        strdup(in->method < 0
                   ? columns[in->time].name
                   : columns[in->method].names.texts[name_of(r, in->method, m->first)]);
    char *type = NULL;
    int id;

    if (!name)
        return cca_no_memory(err);
    split_name(in, name, &decl);
    for (size_t k = 0; k < m->count; k++)
        values[k] = r->decls[m->values[k]];
    decl.class_name =
        in->class_name < 0
            ? decl.instance
            : columns[in->class_name].names.texts[name_of(r, in->class_name, m->first)];
    if (asprintf(&type, "imported.%s/1", decl.port) < 0)
        type = NULL;
    decl.port_type = type;
    id = type ? mm_given_method(in->given, &decl, err) : cca_no_memory(err);
    if (id >= 0)
        m->id = (uint32_t)id;
    free(type);
    free(name);
    return id < 0 ? id : 0;
}

/* --- Rows ----------------------------------------------------------------- */

static int write_rows(const struct rows *r, struct cca_error *err)
{
    const struct mm_columns *columns = &r->in->columns;
    const union monitor_value *times = columns->columns[r->in->time].values;
    union monitor_value values[MOST_VALUES];
    struct mm_given_row row = {.in = values};
    int result = 0;

    for (size_t i = 0; !result && i < columns->row_count; i++) {
        const struct method *m = &r->methods[r->of[i]];

        for (size_t k = 0; k < m->count; k++)
            values[k] = r->columns[m->values[k]]->values[i];
        row.out = values + m->in_count;
        row.method = m->id;
        row.start += row.wall;
        row.wall = (uint64_t)nearbyint(times[i].d * r->in->ticks_per_ns);
        result = mm_given_row(r->in->given, &row, err);
    }
    return result;
}

int mm_samples_write(struct mm_samples *in, struct cca_error *err)
{
    struct rows r = {.in = in};
    int result = declare_values(&r, err);

    if (!result)
        result = find_methods(&r, err);
    if (!result)
        find_values(&r);
    for (size_t i = 0; !result && i < r.method_count; i++)
        result = declare_method(&r, &r.methods[i], err);
    if (!result)
        result = write_rows(&r, err);
    if (!result)
        result = mm_given_finish(in->given, err);
    for (size_t i = 0; i < MOST_VALUES; i++)
        free((void *)r.decls[i].labels);
    free(r.methods);
    free(r.of);
    return result;
}
