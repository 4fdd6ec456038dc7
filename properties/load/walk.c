/* SPDX-License-Identifier: BSD-3-Clause */
/* walk.c: read the rows of an experiment once, for all metrics.
 *
 * The dual (weighted call graph, mastermind/counts/dual/dual.h) corrects times for the
 * cost of recording, so sums equal those of `mastermind report`. The rows that it passes
 * to this file are summed by processing unit, with all metrics. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/counts/counts.h"
#include "properties/load/sums/batches.h"
#include "properties/load/sums/sums.h"
#include "properties/load/parts.h"
#include "properties/load/sums/tree.h"

/* A caller whose row has not come yet. */
struct frame {
    uint64_t number; /* number of the caller's invocation; 0: the thread itself */
    /* time in MPI and CPU time, summed over the caller's direct callees */
    int64_t mpi_ns, cpu_ns;
    /* placeholder node for the caller in the tree of calling contexts; its callees are
     * below it until its row comes; 0: none */
    uint32_t node;
};

struct walk {
    struct mm_load *load;
    /* unit of the thread whose rows are read; NULL: none yet */
    struct mm_load_unit *unit;
    /* callers whose rows have not come, ascending by invocation number: the last one is
     * the innermost */
    struct frame *frames;
    size_t frame_count, frame_room;
    uint64_t *begun; /* [frame_count] number of the thread's rows before each frame
                      * began */
    size_t begun_room;
    uint64_t rows; /* number of this thread's rows so far */
    /* [method_count] sums of each method over outermost activations */
    struct mm_outer *outer;
    int result; /* first error of the walk */
};

/* Values of a call that is being added to the sums. */
struct call {
    uint32_t lacks, own_lacks;
    int64_t all[MM_LOAD_MOST], own[MM_LOAD_MOST];
};

static struct mm_load_sum *sum_of(struct mm_load *load, struct mm_load_unit *unit,
                                  const struct mm_method_info *method)
{
    if (!unit->sums)
        unit->sums = calloc(load->e->method_count, sizeof *unit->sums);
    return unit->sums ? &unit->sums[load->same[method->index]] : NULL;
}

/* --- Frames --------------------------------------------------------------- */

static struct frame *find_frame(struct walk *w, uint64_t number)
{
    size_t at = w->frame_count;

    while (at > 0 && w->frames[at - 1].number > number)
        at--;
    return at > 0 && w->frames[at - 1].number == number ? &w->frames[at - 1] : NULL;
}

/* The frame of invocation `number`. If it is new, it began at `began` and is the
 * innermost frame. */
static struct frame *frame_of(struct walk *w, uint64_t number, uint64_t began)
{
    struct frame *frame = find_frame(w, number);
    size_t at = w->frame_count;

    if (frame)
        return frame;
    if (cca_array_extend(&w->frames, &w->frame_room, sizeof *w->frames,
                         w->frame_count + 1) ||
        cca_array_extend(&w->begun, &w->begun_room, sizeof *w->begun, w->frame_count + 1))
        return NULL;
    while (at > 0 && w->frames[at - 1].number > number) {
        w->frames[at] = w->frames[at - 1];
        w->begun[at] = w->begun[at - 1];
        at--;
    }
    w->frames[at] = (struct frame){.number = number};
    w->begun[at] = began;
    w->frame_count++;
    return &w->frames[at];
}

static int give_node(struct walk *w, struct frame *frame)
{
    if (w->load->tree && !frame->node)
        frame->node = mm_tree_caller(w->load->tree);
    return !w->load->tree || frame->node ? 0 : -ENOMEM;
}

/* Drop callers from number `from` on: their rows will not come. Their callees move to the
 * nearest remaining caller. */
static int drop_frames(struct walk *w, uint64_t from)
{
    while (w->frame_count > 1 && w->frames[w->frame_count - 1].number >= from) {
        struct frame *gone = &w->frames[--w->frame_count];
        struct frame *up = gone - 1;

        if (!w->load->tree || !gone->node)
            continue;
        if (give_node(w, up) || mm_tree_move(w->load->tree, gone->node, up->node))
            return -ENOMEM;
    }
    return 0;
}

/* --- Threads -------------------------------------------------------------- */

static void drop_tree(struct walk *w)
{
    mm_tree_free(w->load->tree);
    w->load->tree = NULL;
    w->result = mm_load_missing(w->load, "context", "more than %d calling contexts",
                                MM_TREE_MOST);
}

static int end_thread(struct walk *w)
{
    struct mm_load *load = w->load;
    int result = 0;

    if (!w->unit)
        return 0;
    result = drop_frames(w, 1);
    if (!result && load->tree && w->frame_count && w->frames[0].node)
        result = mm_tree_keep(load->tree, w->frames[0].node,
                              (uint32_t)(w->unit - load->units));
    if (!result && load->batches)
        result = mm_load_put_batches(load, w->unit);
    for (size_t i = 0; i < load->e->method_count; i++)
        mm_outer_clear(&w->outer[i]);
    w->frame_count = 0;
    w->unit = NULL;
    w->rows = 0;
    return result;
}

static int begin_thread(struct walk *w, int rank, int thread)
{
    int result = end_thread(w);

    if (result)
        return result;
    w->unit = mm_load_unit_of(w->load, rank, thread);
    if (!w->unit)
        return cca_error_set(w->load->err, -EBADMSG,
                             "%s: found a row of rank %d, thread %d, which has no file",
                             w->load->e->path, rank, thread);
    return frame_of(w, 0, 0) ? 0 : -ENOMEM;
}

/* --- Rows ----------------------------------------------------------------- */

static void counters_of(const struct mm_load *load, const struct mm_row *row,
                        struct call *call)
{
    for (size_t i = 0; i < load->e->counter_count; i++) {
        size_t at = MM_LOAD_COUNTERS + i;

        call->all[at] = row->counters ? row->counters[i] : MM_COUNT_MISSING;
        call->own[at] =
            row->exclusive_counters ? row->exclusive_counters[i] : MM_COUNT_MISSING;
        if (call->all[at] == MM_COUNT_MISSING) {
            call->all[at] = 0;
            call->lacks |= (uint32_t)1 << at;
        }
        if (call->own[at] == MM_COUNT_MISSING) {
            call->own[at] = 0;
            call->own_lacks |= (uint32_t)1 << at;
        }
    }
}

/* The values of a row. The values of an open call are the sums over its callees. */
static void values_of(const struct mm_load *load, const struct mm_row *row,
                      const struct mm_joined *joined, const struct frame *own,
                      struct call *call)
{
    int64_t mpi_ns = own ? own->mpi_ns : 0, cpu_ns = own ? own->cpu_ns : 0;
    int open = row->status == MM_ROW_OPEN, has_cpu = !open && row->cpu_ns >= 0;

    *call = (struct call){0};
    call->all[MM_LOAD_EXEC] = joined->wall_ns;
    call->own[MM_LOAD_EXEC] = joined->exclusive_ns;
    call->all[MM_LOAD_MPI] = open ? mpi_ns : row->mpi_ns;
    call->own[MM_LOAD_MPI] = open ? 0 : row->mpi_ns - mpi_ns;
    call->all[MM_LOAD_CPU] = has_cpu ? row->cpu_ns : cpu_ns;
    call->own[MM_LOAD_CPU] = has_cpu ? row->cpu_ns - cpu_ns : 0;
    if (!has_cpu && (!open || !load->metrics.has_cpu))
        call->lacks = call->own_lacks = (uint32_t)1 << MM_LOAD_CPU;
    call->all[MM_LOAD_RECORDING] = open ? 0 : row->wall_ns - joined->wall_ns;
    call->own[MM_LOAD_RECORDING] = open ? 0 : row->exclusive_ns - joined->exclusive_ns;
    if (!open)
        counters_of(load, row, call);
}

static void add_sum(struct mm_load_sum *sum, const struct call *call,
                    const int64_t *delta, int open, size_t count)
{
    sum->calls++;
    sum->open += (uint64_t)open;
    sum->lacks |= call->lacks;
    sum->own_lacks |= call->own_lacks;
    for (size_t i = 0; i < count; i++) {
        sum->all[i] += delta[i];
        sum->own[i] += call->own[i];
    }
}

static void see_times(struct mm_load_unit *unit, const struct mm_row *row,
                      const struct mm_joined *joined)
{
    int64_t end =
        row->start_ns + (row->status == MM_ROW_OPEN ? joined->wall_ns : row->wall_ns);

    /* times of the call are reduced by the time that the host took */
    if (row->host_ns > 0) {
        end += row->host_ns;
        unit->host_ns += row->host_exclusive_ns;
    }
    if (unit->first_ns > row->start_ns)
        unit->first_ns = row->start_ns;
    if (unit->last_ns < end)
        unit->last_ns = end;
}

/* Add a call to the sums of its caller's frame, and to the contexts. */
static int add_to_caller(struct walk *w, const struct mm_row *row, struct frame *up,
                         uint32_t node, const struct call *call)
{
    struct mm_load *load = w->load;

    up->mpi_ns += call->all[MM_LOAD_MPI];
    up->cpu_ns += call->all[MM_LOAD_CPU];
    if (up->number == 0)
        add_sum(&w->unit->roots, call, call->all, row->status == MM_ROW_OPEN,
                load->metrics.count);
    if (!load->tree)
        return 0;
    if (give_node(w, up) ||
        mm_tree_call(load->tree, up->node, node, (uint32_t)load->same[row->method->index],
                     row->status == MM_ROW_OPEN, call->own_lacks, call->own))
        return -ENOMEM;
    if (load->tree->overflow)
        drop_tree(w);
    return w->result;
}

static int add_row(struct walk *w, const struct mm_row *row,
                   const struct mm_joined *joined)
{
    struct mm_load *load = w->load;
    size_t count = load->metrics.count, method = load->same[row->method->index];
    uint64_t caller = row->caller < row->invocation ? row->caller : 0;
    struct frame *own, *up;
    struct call call;
    int64_t delta[MM_LOAD_MOST];
    struct mm_load_sum *sum = sum_of(load, w->unit, row->method);
    uint64_t began, now = ++w->rows;
    uint32_t node;
    int result = drop_frames(w, row->invocation + 1);

    if (result || !sum)
        return result ? result : -ENOMEM;
    own = find_frame(w, row->invocation);
    values_of(load, row, joined, own, &call);
    began = own ? w->begun[own - w->frames] : now - 1;
    node = own ? own->node : 0;
    w->frame_count -= own != NULL; /* drop the call's own frame, the innermost */
    up = frame_of(w, caller, began);
    if (!up || mm_outer_add(&w->outer[method], began, now, w->begun, w->frame_count,
                            call.all, delta, count))
        return -ENOMEM;
    add_sum(sum, &call, delta, row->status == MM_ROW_OPEN, count);
    see_times(w->unit, row, joined);
    if (load->batches && row->status != MM_ROW_OPEN &&
        mm_batches_add(load->batches, method, call.own[MM_LOAD_EXEC], delta, count))
        return -ENOMEM;
    return add_to_caller(w, row, up, node, &call);
}

static int on_row(const struct mm_row *row, const struct mm_joined *joined, void *context)
{
    struct walk *w = context;
    int result = 0;

    if (!w->unit || w->unit->rank != row->rank || w->unit->thread != row->thread)
        result = begin_thread(w, row->rank, row->thread);
    if (!result)
        result = add_row(w, row, joined);
    return result == -ENOMEM ? cca_no_memory(w->load->err) : result;
}

/* --- Aggregates ----------------------------------------------------------- */

static void values_of_aggregate(const struct mm_load *load, const struct mm_aggregate *a,
                                const struct mm_joined *joined, struct mm_load_sum *s)
{
    *s = (struct mm_load_sum){.calls = a->calls};
    s->all[MM_LOAD_EXEC] = joined->wall_ns;
    s->own[MM_LOAD_EXEC] = joined->exclusive_ns;
    s->all[MM_LOAD_MPI] = s->own[MM_LOAD_MPI] = a->mpi.sum_ns;
    s->all[MM_LOAD_CPU] = s->own[MM_LOAD_CPU] = a->has_cpu ? a->cpu.sum_ns : 0;
    if (!a->has_cpu)
        s->lacks = s->own_lacks = (uint32_t)1 << MM_LOAD_CPU;
    s->all[MM_LOAD_RECORDING] = a->wall.sum_ns - joined->wall_ns;
    s->own[MM_LOAD_RECORDING] = a->exclusive.sum_ns - joined->exclusive_ns;
    for (size_t i = 0; i < load->e->counter_count; i++) {
        size_t at = MM_LOAD_COUNTERS + i;

        s->all[at] = a->counters ? a->counters[i] : MM_COUNT_MISSING;
        s->own[at] = a->exclusive_counters ? a->exclusive_counters[i] : MM_COUNT_MISSING;
        if (s->all[at] == MM_COUNT_MISSING) {
            s->all[at] = 0;
            s->lacks |= (uint32_t)1 << at;
        }
        if (s->own[at] == MM_COUNT_MISSING) {
            s->own[at] = 0;
            s->own_lacks |= (uint32_t)1 << at;
        }
    }
}

/* Subtract an aggregate's times from its caller, whose MPI and CPU time include
 * aggregated callees. */
static int take_from_caller(struct mm_load *load, struct mm_load_unit *unit,
                            const struct mm_aggregate *a, const struct mm_load_sum *s)
{
    struct mm_load_sum *caller;

    if (!a->context->caller) {
        mm_load_sum_add(&unit->roots, s, load->metrics.count);
        return 0;
    }
    caller = sum_of(load, unit, a->context->caller);
    if (!caller)
        return -ENOMEM;
    caller->own[MM_LOAD_MPI] -= s->all[MM_LOAD_MPI];
    caller->own[MM_LOAD_CPU] -= s->all[MM_LOAD_CPU];
    if (!load->tree)
        return 0;
    return mm_tree_take(load->tree, (uint32_t)(unit - load->units), a->context,
                        s->all[MM_LOAD_MPI], s->all[MM_LOAD_CPU]);
}

static int on_aggregate(const struct mm_aggregate *a, const struct mm_joined *joined,
                        void *context)
{
    struct walk *w = context;
    struct mm_load *load = w->load;
    struct mm_load_unit *unit = mm_load_unit_of(load, a->rank, a->thread);
    struct mm_load_sum s, *sum = unit ? sum_of(load, unit, a->method) : NULL;
    int result = end_thread(w); /* all rows were read */

    if (!unit)
        return cca_error_set(load->err, -EBADMSG,
                             "%s: found sums of rank %d, thread %d, which has no file",
                             load->e->path, a->rank, a->thread);
    values_of_aggregate(load, a, joined, &s);
    if (!result && !sum)
        result = -ENOMEM;
    if (!result)
        result = take_from_caller(load, unit, a, &s);
    if (!result && load->tree)
        result = mm_tree_aggregate(load->tree, (uint32_t)(unit - load->units), a,
                                   s.own_lacks, s.own);
    if (!result && load->tree && load->tree->overflow)
        drop_tree(w);
    unit->host_ns += a->host_exclusive_ns > 0 ? a->host_exclusive_ns : 0;
    if (a->context->nested)
        memset(s.all, 0, sizeof s.all);
    if (!result)
        mm_load_sum_add(sum, &s, load->metrics.count);
    return result == -ENOMEM ? cca_no_memory(load->err) : result ? result : w->result;
}

/* Set negative exclusive values of methods with open calls to 0: the inclusive values of
 * an open call are unknown, so its callees may have more. */
static void settle_open(struct mm_load *load, const struct mm_dual *dual)
{
    for (size_t i = 0; i < dual->open_count; i++) {
        struct mm_load_unit *unit =
            mm_load_unit_of(load, dual->open[i].rank, dual->open[i].thread);
        struct mm_load_sum *sum =
            unit && unit->sums ? &unit->sums[load->same[dual->open[i].method->index]]
                               : NULL;

        for (int at = MM_LOAD_MPI; sum && at <= MM_LOAD_CPU; at++)
            if (sum->own[at] < 0)
                sum->own[at] = 0;
    }
}

int mm_load_walk(struct mm_load *load)
{
    struct mm_row_source source = mm_row_source_of(load->e);
    struct walk w = {.load = load,
                     .outer = calloc(load->e->method_count + 1, sizeof *w.outer)};
    struct mm_dual *dual = NULL;
    int result = 0;

    if (!w.outer)
        return cca_no_memory(load->err);
    dual = mm_dual_new(&source, on_row, on_aggregate, &w, load->err);
    if (dual && end_thread(&w))
        result = cca_no_memory(load->err);
    if (dual)
        settle_open(load, dual);
    else
        result = load->err->code;
    mm_dual_free(dual);
    for (size_t i = 0; i < load->e->method_count; i++)
        mm_outer_done(&w.outer[i]);
    free(w.outer);
    free(w.frames);
    free(w.begun);
    return result;
}
