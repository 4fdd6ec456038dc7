/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c: add calls to histograms (grids) and to samples. */
#include "mastermind/page/calls.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

/* Least cost on the logarithmic axis: costs of 0, and costs that are negative after the
 * recording cost was subtracted, are placed here. */
#define LEAST_NS .5

int mm_page_calls_init(struct mm_page_calls *calls, const struct mm_row_source *source)
{
    *calls = (struct mm_page_calls){.count = source->method_count};
    calls->methods = calloc(source->method_count + 1, sizeof *calls->methods);
    if (!calls->methods)
        return -ENOMEM;
    for (size_t i = 0; i < source->method_count; i++) {
        struct mm_page_method *m = &calls->methods[i];

        m->method = m->modes.method = source->methods[i];
        m->slowest = malloc(MM_PAGE_SLOWEST * sizeof *m->slowest);
        m->fair = malloc(MM_PAGE_FAIR * sizeof *m->fair);
        if (!m->slowest || !m->fair)
            return -ENOMEM;
    }
    return 0;
}

static void mode_done(struct mm_page_mode *mode, size_t in_count)
{
    for (size_t i = 0; mode->grids && i < in_count; i++)
        mm_grid_done(&mode->grids[i]);
    free(mode->grids);
}

void mm_page_calls_done(struct mm_page_calls *calls)
{
    for (size_t i = 0; calls->methods && i < calls->count; i++) {
        struct mm_page_method *m = &calls->methods[i];

        for (size_t k = 0; k < m->mode_count; k++)
            mode_done(&m->by_mode[k], m->method->in_count);
        free(m->by_mode);
        mm_modes_done(&m->modes);
        mm_grid_done(&m->starts);
        free(m->slowest);
        free(m->fair);
    }
    free(calls->methods);
    *calls = (struct mm_page_calls){0};
}

/* --- Grids ------------------------------------------------------------------ */

/* Find or add the struct for calls with the modes in `in` (in-values that select
 * behaviour). Returns 0, with NULL if there are too many modes; or -ENOMEM. */
static int mode_of(struct mm_page_method *m, const union monitor_value *in,
                   struct mm_page_mode **mode)
{
    int number = mm_modes_number(&m->modes, in);

    *mode = NULL;
    if (number < 0 || number >= MM_PAGE_MODES)
        return number < 0 ? number : 0;
    if (!m->by_mode) {
        m->by_mode = calloc(MM_PAGE_MODES, sizeof *m->by_mode);
        if (!m->by_mode)
            return -ENOMEM;
    }
    while (m->mode_count <= (size_t)number) {
        m->by_mode[m->mode_count].grids =
            calloc(m->method->in_count + 1, sizeof(struct mm_grid));
        if (!m->by_mode[m->mode_count].grids)
            return -ENOMEM;
        m->mode_count++;
    }
    *mode = &m->by_mode[number];
    return 0;
}

static double parameter_value(const struct mm_value_info *info, union monitor_value value)
{
    if (monitor_value_absent(value, info->type))
        return NAN;
    return info->type == MONITOR_INT64 ? (double)value.i : value.d;
}

static int64_t cost_bin(double ns)
{
    return mm_grid_log_bin(ns > LEAST_NS ? ns : LEAST_NS);
}

int mm_page_calls_end(struct mm_page_calls *calls)
{
    for (size_t i = 0; i < calls->waiting_count; i++) {
        const struct mm_page_waiting *w = &calls->waiting[i];

        if (mm_grid_add(w->grid, w->x, w->y, w->calls))
            return -ENOMEM;
    }
    calls->waiting_count = 0;
    return 0;
}

/* Queue calls that are to be added to a grid. Returns 0 or -ENOMEM. */
static int add_soon(struct mm_page_calls *all, struct mm_grid *grid, int64_t x, int64_t y,
                    double calls)
{
    if (all->waiting_count == MM_PAGE_WAITING && mm_page_calls_end(all))
        return -ENOMEM;
    mm_grid_prefetch(grid, x, y);
    all->waiting[all->waiting_count++] = (struct mm_page_waiting){grid, x, y, calls};
    return 0;
}

/* Add `calls` calls of one cost to the grids of all parameters. Returns 0 or -ENOMEM. */
static int add_cost(struct mm_page_calls *all, struct mm_page_method *m,
                    const union monitor_value *in, double ns, double calls)
{
    int64_t y = cost_bin(ns);
    struct mm_page_mode *mode;

    if (mode_of(m, in, &mode))
        return -ENOMEM;
    if (!mode) {
        m->other_modes += calls;
        return 0;
    }
    mode->calls += calls;
    mode->sum_ns += calls * ns;
    for (size_t i = 0; i < m->method->in_count; i++) {
        double value;

        if (m->method->values[i].kind != MONITOR_PARAM)
            continue;
        value = parameter_value(&m->method->values[i], in[i]);
        if (!(value > 0) || !isfinite(value))
            mode->left_out[i] += calls;
        else if (add_soon(all, &mode->grids[i], mm_grid_log_bin(value), y, calls))
            return -ENOMEM;
    }
    return 0;
}

/* --- Complete calls ---------------------------------------------------------- */

static void fair_add(struct mm_page_calls *calls, struct mm_page_method *m,
                     const struct mm_page_call *call)
{
    uint64_t at = m->fair_seen++;

    if (at >= MM_PAGE_FAIR)
        at = cca_random_next(&calls->random) % m->fair_seen;
    if (at >= MM_PAGE_FAIR)
        return;
    m->fair[at] = *call;
    if (m->fair_count <= at)
        m->fair_count = at + 1;
}

static void heap_down(struct mm_page_call *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (heap[child].ns < heap[least].ns)
                least = child;
        if (least == at)
            return;
        struct mm_page_call call = heap[at];
        heap[at] = heap[least];
        heap[least] = call;
        at = least;
    }
}

/* Keep a call with all its values if it is one of the slowest calls, or chosen at random.
 * A call that drops out of the slowest calls is offered to the random sample, so that
 * this is a sample of all other calls. */
static void whole_add(struct mm_page_calls *calls, struct mm_page_method *m,
                      const struct mm_page_call *call)
{
    struct mm_page_call out = *call;

    if (m->slowest_count < MM_PAGE_SLOWEST) {
        m->slowest[m->slowest_count++] = *call;
        for (size_t i = m->slowest_count / 2 + 1;
             m->slowest_count == MM_PAGE_SLOWEST && i-- > 0;)
            heap_down(m->slowest, m->slowest_count, i);
        return;
    }
    if (call->ns > m->slowest[0].ns) {
        out = m->slowest[0];
        m->slowest[0] = *call;
        heap_down(m->slowest, m->slowest_count, 0);
    }
    fair_add(calls, m, &out);
}

/* --- Rows -------------------------------------------------------------------- */

int mm_page_calls_row(const struct mm_row *row, const struct mm_joined *joined,
                      void *context)
{
    struct mm_page_calls *calls = context;
    struct mm_page_method *m = &calls->methods[row->method->index];
    struct mm_page_call call = {.rank = row->rank,
                                .thread = row->thread,
                                .invocation = row->invocation,
                                .start_ns = row->start_ns,
                                .ns = (double)joined->exclusive_ns +
                                      row->exclusive_part_ns};

    if (row->counted)
        return 0;
    if (row->status != MM_ROW_DONE || row->clock_back || row->no_exclusive) {
        m->untimed++;
        return 0;
    }
    m->timed++;
    memcpy(call.in, row->values, row->method->in_count * sizeof *call.in);
    whole_add(calls, m, &call);
    if (add_soon(calls, &m->starts, row->start_ns >> MM_PAGE_TIME_BIT, cost_bin(call.ns),
                 1))
        return -ENOMEM;
    return add_cost(calls, m, row->values, call.ns, 1);
}

int mm_page_calls_aggregate(const struct mm_aggregate *a, const struct mm_joined *joined,
                            void *context)
{
    struct mm_page_calls *calls = context;
    struct mm_page_method *m = &calls->methods[a->method->index];
    double each = (double)a->calls, mean = (double)joined->exclusive_ns / each;
    double less = (double)a->exclusive.sum_ns / each - mean;

    if (a->unfinished || a->no_exclusive || !a->calls) {
        m->untimed += each;
        return 0;
    }
    m->timed += each;
    if (!a->values) {
        m->other_modes += each;
        return 0;
    }
    if (!a->sample_count)
        return add_cost(calls, m, a->values, mean, each);
    for (size_t i = 0; i < a->sample_count; i++)
        if (add_cost(calls, m, a->values, a->sample[i] - less,
                     each / (double)a->sample_count))
            return -ENOMEM;
    return 0;
}
