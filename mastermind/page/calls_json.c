/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_json.c: write grids and calls as JSON, in long arrays of numbers, which keep the
 * text
 * short. */
#include <math.h>
#include <stdlib.h>

#include "mastermind/page/calls.h"

static size_t grid_count(const struct mm_page_calls *calls)
{
    size_t count = 0;

    for (size_t i = 0; i < calls->count; i++) {
        const struct mm_page_method *m = &calls->methods[i];

        count += m->starts.count > 0;
        for (size_t k = 0; k < m->mode_count; k++)
            for (size_t p = 0; p < m->method->in_count; p++)
                count += m->by_mode[k].grids[p].count > 0;
    }
    return count;
}

/* Return a JSON number, without a decimal point if it is a whole number. */
static json_t *number_json(double value)
{
    if (!isfinite(value))
        return json_null();
    if (fabs(value) < 9e15 && value == floor(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

/* Return the cells of a grid as an array x, y, calls, x, y, calls...; x is the difference
 * from the previous cell's x. */
static json_t *grid_json(struct mm_grid *grid, size_t most)
{
    json_t *object = json_object(), *cells = json_array();
    int64_t x = 0;

    mm_grid_end(grid, most);
    for (size_t i = 0; i < grid->count; i++) {
        json_array_append_new(cells, json_integer(grid->cells[i].x - x));
        json_array_append_new(cells, json_integer(grid->cells[i].y));
        json_array_append_new(cells, number_json(round(grid->cells[i].calls * 10) / 10));
        x = grid->cells[i].x;
    }
    json_object_set_new(object, "shift_x", json_integer(grid->shift_x));
    json_object_set_new(object, "shift_y", json_integer(grid->shift_y));
    json_object_set_new(object, "cells", cells);
    return object;
}

static json_t *value_json(const struct mm_value_info *info, union monitor_value value)
{
    if (monitor_value_absent(value, info->type))
        return json_null();
    return info->type == MONITOR_INT64 ? json_integer(value.i) : number_json(value.d);
}

static void put_calls(json_t *columns[], const struct mm_method_info *method,
                      const struct mm_page_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(columns[0], json_integer(calls[i].rank));
        json_array_append_new(columns[1], json_integer(calls[i].thread));
        json_array_append_new(columns[2], json_integer((json_int_t)calls[i].invocation));
        json_array_append_new(columns[3], json_integer(calls[i].start_ns));
        json_array_append_new(columns[4], number_json(calls[i].ns));
        for (size_t k = 0; k < method->in_count; k++)
            json_array_append_new(columns[5 + k],
                                  value_json(&method->values[k], calls[i].in[k]));
    }
}

static int compare_slower(const void *left, const void *right)
{
    const struct mm_page_call *a = left, *b = right;

    return (a->ns < b->ns) - (a->ns > b->ns);
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Return at most `most` calls with all their values, one array for each column: first the
 * slowest calls, then calls of the random sample. A part of a random sample is random as
 * well. */
static json_t *whole_json(struct mm_page_method *m, size_t most)
{
    size_t slow = least_of(m->slowest_count,
                           most * MM_PAGE_SLOWEST / (MM_PAGE_SLOWEST + MM_PAGE_FAIR) + 1);
    static const char *const names[] = {"rank", "thread", "invocation", "start_ns", "ns"};
    json_t *object = json_object(), *columns[5 + MONITOR_MAX_IN], *in = json_array();

    for (size_t k = 0; k < 5 + m->method->in_count; k++)
        columns[k] = json_array();
    qsort(m->slowest, m->slowest_count, sizeof *m->slowest, compare_slower);
    put_calls(columns, m->method, m->slowest, slow);
    put_calls(columns, m->method, m->fair, least_of(m->fair_count, most));
    for (size_t k = 0; k < 5; k++)
        json_object_set_new(object, names[k], columns[k]);
    for (size_t k = 0; k < m->method->in_count; k++)
        json_array_append_new(in, columns[5 + k]);
    json_object_set_new(object, "in", in);
    json_object_set_new(object, "slowest", json_integer((json_int_t)slow));
    return object;
}

/* Return an array of all in-values that has the values of the modes with index `number`,
 * and null for in-values that are no modes. */
static json_t *mode_values_json(struct mm_page_method *m, size_t number)
{
    const union monitor_value *values = mm_modes_of(&m->modes, (uint32_t)number);
    json_t *array = json_array();

    for (size_t i = 0; i < m->method->in_count; i++)
        json_array_append_new(array, values && m->method->values[i].kind == MONITOR_MODE
                                         ? value_json(&m->method->values[i], values[i])
                                         : json_null());
    return array;
}

static json_t *mode_json(struct mm_page_method *m, size_t number, size_t most)
{
    struct mm_page_mode *mode = &m->by_mode[number];
    json_t *object = json_object(), *grids = json_array(), *left_out = json_array();

    json_object_set_new(object, "values", mode_values_json(m, number));
    json_object_set_new(object, "calls", number_json(mode->calls));
    json_object_set_new(object, "sum_ns", number_json(round(mode->sum_ns)));
    for (size_t i = 0; i < m->method->in_count; i++) {
        json_array_append_new(
            grids, mode->grids[i].count ? grid_json(&mode->grids[i], most) : json_null());
        json_array_append_new(left_out, number_json(mode->left_out[i]));
    }
    json_object_set_new(object, "grids", grids);
    json_object_set_new(object, "left_out", left_out);
    return object;
}

static json_t *method_json(struct mm_page_method *m, size_t most, size_t whole)
{
    json_t *object = json_object(), *modes = json_array();

    json_object_set_new(object, "index", json_integer((json_int_t)m->method->index));
    json_object_set_new(object, "timed", number_json(m->timed));
    json_object_set_new(object, "untimed", number_json(m->untimed));
    json_object_set_new(object, "other_modes", number_json(m->other_modes));
    for (size_t i = 0; i < m->mode_count; i++)
        json_array_append_new(modes, mode_json(m, i, most));
    json_object_set_new(object, "modes", modes);
    if (m->starts.count)
        json_object_set_new(object, "starts", grid_json(&m->starts, most));
    json_object_set_new(object, "whole", whole_json(m, whole));
    return object;
}

/* Divide `sum` by `count`; the result is limited to [least, most]. */
static size_t share_of(size_t sum, size_t count, size_t least, size_t most)
{
    size_t share = count ? sum / count : most;

    return share < least ? least : least_of(share, most);
}

json_t *mm_page_calls_json(struct mm_page_calls *calls)
{
    json_t *array = json_array();
    size_t cells = share_of(MM_PAGE_CELLS, grid_count(calls), 24, 3000), called = 0;
    size_t whole;

    for (size_t i = 0; i < calls->count; i++)
        called += calls->methods[i].timed > 0;
    whole = share_of(MM_PAGE_WHOLE, called, 10, MM_PAGE_SLOWEST + MM_PAGE_FAIR);
    for (size_t i = 0; i < calls->count; i++)
        if (calls->methods[i].timed > 0 || calls->methods[i].untimed > 0)
            json_array_append_new(array, method_json(&calls->methods[i], cells, whole));
    return array;
}
