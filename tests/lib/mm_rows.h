/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_rows.h: rows made in memory, for tests of the analysis. */
#ifndef TESTS_LIB_MM_ROWS_H
#define TESTS_LIB_MM_ROWS_H

#include <assert.h>
#include <math.h>

#include "tests/lib/test.h"
#include "mastermind/reader/rows.h"

#define ROWS_METHODS 16
#define ROWS_VALUES 4

struct rows {
    struct mm_method_info methods[ROWS_METHODS];
    struct mm_method_info *pointers[ROWS_METHODS];
    struct mm_value_info values[ROWS_METHODS][ROWS_VALUES];
    char names[ROWS_METHODS][64];
    size_t method_count;
    struct mm_row *rows;
    union monitor_value (*row_values)[ROWS_VALUES];
    size_t count, capacity;
    uint64_t next; /* invocation number */
};

static uint64_t rows_seed = 1;

/* Uniform in [0, 1). */
static inline double rows_random(void)
{
    rows_seed = rows_seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(rows_seed >> 11) / 9007199254740992.0;
}

static inline double rows_normal(void)
{
    double u = rows_random() + 1e-300, v = rows_random();

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* A method without values; rows_value adds them. Names are borrowed. */
static inline struct mm_method_info *rows_method(struct rows *r, const char *instance,
                                                 const char *method,
                                                 const char *class_name,
                                                 const char *port_type)
{
    struct mm_method_info *m = &r->methods[r->method_count];

    assert(r->method_count < ROWS_METHODS);
    snprintf(r->names[r->method_count], sizeof r->names[0], "%s.p.%s", instance, method);
    *m = (struct mm_method_info){.index = r->method_count,
                                 .instance = instance,
                                 .port = "p",
                                 .method = method,
                                 .class_name = class_name,
                                 .build_id = "b",
                                 .port_type = port_type,
                                 .name = r->names[r->method_count],
                                 .values = r->values[r->method_count]};
    r->pointers[r->method_count++] = m;
    return m;
}

static inline void rows_value(struct mm_method_info *m, const char *name,
                              enum monitor_type type, enum monitor_kind kind)
{
    assert(m->value_count < ROWS_VALUES);
    m->values[m->value_count++] =
        (struct mm_value_info){.name = name, .type = type, .kind = kind};
    m->in_count += kind != MONITOR_OUT;
}

/* One more row, to fill in; its values are borrowed from r when it is walked. */
static inline struct mm_row *rows_add(struct rows *r, const struct mm_method_info *m)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 64;
        r->rows = realloc(r->rows, r->capacity * sizeof *r->rows);
        r->row_values = realloc(r->row_values, r->capacity * sizeof *r->row_values);
        assert(r->rows && r->row_values);
    }
    r->rows[r->count] = (struct mm_row){.method = m,
                                        .invocation = ++r->next,
                                        .cpu_ns = -1,
                                        .lost_ns = -1,
                                        .lost_exclusive_ns = -1};
    memset(r->row_values[r->count], 0, sizeof *r->row_values);
    return &r->rows[r->count++];
}

/* A row called by no one, of `wall_ns`, with values that follow as doubles. */
static inline void rows_call(struct rows *r, const struct mm_method_info *m,
                             double wall_ns, const double *values)
{
    struct mm_row *row = rows_add(r, m);

    row->start_ns = r->count > 1 ? r->rows[r->count - 2].start_ns + 1000 : 0;
    row->wall_ns = row->exclusive_ns = llround(wall_ns);
    for (size_t i = 0; i < m->value_count; i++) {
        if (m->values[i].type == MONITOR_DOUBLE)
            r->row_values[r->count - 1][i].d = values[i];
        else
            r->row_values[r->count - 1][i].i = (int64_t)values[i];
    }
}

static inline int rows_walk(void *context, mm_row_function function,
                            void *function_context, struct cca_error *err)
{
    struct rows *r = context;

    (void)err;
    for (size_t i = 0; i < r->count; i++) {
        int result;

        r->rows[i].values = r->row_values[i];
        result = function(&r->rows[i], function_context);
        if (result)
            return result;
    }
    return 0;
}

static inline struct mm_row_source rows_source(struct rows *r, const char *name)
{
    return (struct mm_row_source){.name = name,
                                  .methods = r->pointers,
                                  .method_count = r->method_count,
                                  .walk = rows_walk,
                                  .context = r};
}

static inline void rows_done(struct rows *r)
{
    free(r->rows);
    free(r->row_values);
    *r = (struct rows){0};
}

#endif
