/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.c: write the rows of a simulated run. */
#include "activity/trace/experiment.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/format/layout.h"
#include "mastermind/writer/given.h"

static const double ticks_per_s = 1e12;

/* An invocation that has not ended yet. */
struct open_call {
    uint64_t number, start;
    int method;
    int32_t element; /* element that makes the call */
    int64_t mpi_ns;
    union monitor_value in[MONITOR_MAX_IN];
};

/* State of a process or thread: its open invocations and the current element. */
struct flow {
    struct open_call *calls; /* stack of open invocations, innermost last */
    size_t depth, room;
    uint64_t numbered;
    int asked; /* number of the model("...") that the current element's cost uses; -1:
                * none */
    union monitor_value in[MONITOR_MAX_IN];
};

/* Order in which the parameters of a model("...") are stored in a row: by name, so that
 * calls with the parameters in another order belong to the same method. */
struct layout {
    int count;
    int from[MONITOR_MAX_IN]; /* by column of the row: index of the parameter that it
                               * holds */
    int is_mode[MONITOR_MAX_IN], is_whole[MONITOR_MAX_IN];
};

/* An element or activity that counts as a method. */
struct method {
    int id; /* id of the method in the experiment's writer; -1: it was not declared yet */
    const struct act_model_call *call; /* model("...") whose parameters are the in-values
                                        * of the method's rows, or NULL */
};

struct act_experiment {
    const struct act_model *model;
    struct mm_given *given;
    struct act_sink sink;
    struct act_costs costs;
    const struct act_costs *inner;
    int asked; /* number of the model("...") used since the last element began */
    double values[MONITOR_MAX_IN];
    struct method *methods;              /* methods by element, then the method of Main */
    const struct act_model_call **calls; /* the model("...") of the text, by number */
    /* layouts by number of the model("..."), set by declare_all */
    struct layout *layouts;
    const char **owners; /* by element: name of its activity */
    struct flow *flows; /* by pid: state of the process or its first thread; other threads
                         * are in `threads` */
    int64_t processes;
    struct flow *threads; /* states of other threads, by pid*thread_room + tid - 1 */
    int thread_room;
    int (*is_mode)(void *context, const struct act_model_call *call, int i);
    void *mode_context;
    int declared;
    struct cca_error err; /* error of the first row that could not be written */
};

/* --- Methods. --- */

/* The first model("...") in an expression; NULL: none. */
static const struct act_model_call *call_in(const struct act_expr *e)
{
    const struct act_model_call *found = NULL;

    if (!e || e->kind == ACT_CALL_MODEL)
        return e ? e->model : NULL;
    for (int i = 0; i < 3 && !found; i++)
        found = call_in(e->arguments[i]);
    for (int i = 0;
         e->kind == ACT_CALL_FUNCTION && i < e->function->parameter_count && !found; i++)
        found = call_in(e->list[i]);
    if (!found && e->kind == ACT_CALL_FUNCTION)
        found = call_in(e->function->body);
    return found;
}

/* A model("...") of the method `name` in the element or its body; NULL: none. */
static const struct act_model_call *call_of(const struct act_element *e,
                                            const char *method)
{
    const struct act_model_call *found = NULL;

    for (; e && !found; e = e->next) {
        const struct act_model_call *call = call_in(e->cost);

        if (call && strcmp(call->method, method) == 0)
            found = call;
        found = found ? found : call_of(e->body, method);
        found = found ? found : call_of(e->otherwise, method);
    }
    return found;
}

/* Split "instance.port.method" in three; with fewer dots, the first parts are empty. */
static void split(const char *name, char parts[3][128])
{
    const char *first = strchr(name, '.'), *last = strrchr(name, '.');

    for (int i = 0; i < 3; i++)
        parts[i][0] = '\0';
    snprintf(parts[2], 128, "%.127s", last ? last + 1 : name);
    if (first && last > first) {
        snprintf(parts[0], 128, "%.*s", (int)(first - name), name);
        snprintf(parts[1], 128, "%.*s", (int)(last - first - 1), first + 1);
    } else if (first) {
        snprintf(parts[0], 128, "%.*s", (int)(first - name), name);
    }
}

static void lay_out(const struct act_experiment *x, const struct act_model_call *call,
                    struct layout *l)
{
    for (int i = 0; i < call->count && i < MONITOR_MAX_IN; i++) {
        int at = l->count++;

        while (at > 0 && strcmp(call->names[l->from[at - 1]], call->names[i]) > 0) {
            l->from[at] = l->from[at - 1];
            at--;
        }
        l->from[at] = i;
    }
    for (int i = 0; i < l->count; i++) {
        l->is_mode[i] = x->is_mode && x->is_mode(x->mode_context, call, l->from[i]);
        l->is_whole[i] = l->is_mode[i] || call->values[l->from[i]]->type == ACT_LONG;
    }
}

static int declare(struct act_experiment *x, struct method *m, const char *name,
                   const char *class_name, struct cca_error *err)
{
    struct monitor_value_decl values[MONITOR_MAX_IN];
    char parts[3][128];
    struct monitor_method_decl decl = {.instance = parts[0],
                                       .port = parts[1],
                                       .method = parts[2],
                                       .class_name = class_name ? class_name : "",
                                       .build_id = "",
                                       .port_type = "",
                                       .values = values};

    split(name, parts);
    memset(values, 0, sizeof values);
    for (int i = 0; m->call && i < x->layouts[m->call->number].count; i++) {
        const struct layout *l = &x->layouts[m->call->number];

        values[decl.in_count++] = (struct monitor_value_decl){
            .name = m->call->names[l->from[i]],
            .type = l->is_whole[i] ? MONITOR_INT64 : MONITOR_DOUBLE,
            .kind = l->is_mode[i] ? MONITOR_MODE : MONITOR_PARAM};
    }
    m->id = mm_given_method(x->given, &decl, err);
    return m->id < 0 ? m->id : 0;
}

static int declare_element(struct act_experiment *x, const struct act_element *e,
                           struct cca_error *err)
{
    struct method *m = &x->methods[e->number];
    char name[400];

    if (e->kind == ACT_CALL) {
        if (!e->activity->method)
            return 0;
        m->call = call_of(e->activity->body, e->activity->method);
        return declare(x, m, e->activity->method, e->activity->type, err);
    }
    if (!e->name || e->kind == ACT_CRITICAL || e->kind == ACT_PARALLEL ||
        e->kind == ACT_FORK)
        return 0;
    m->call = call_in(e->cost);
    if (e->method)
        return declare(x, m, e->method, e->type, err);
    snprintf(name, sizeof name, "%.120s.%.120s.%.120s", x->model->name,
             x->owners[e->number], e->name);
    return declare(x, m, name, NULL, err);
}

/* Declare methods when the first row comes: until then the caller may set modes. */
static int declare_all(struct act_experiment *x, struct cca_error *err)
{
    struct method *main_method = &x->methods[x->model->element_count];
    int rc = 0;

    x->declared = 1;
    for (int i = 0; i < x->model->model_count; i++)
        lay_out(x, x->calls[i], &x->layouts[i]);
    for (int i = 0; i < x->model->element_count && !rc; i++)
        rc = declare_element(x, x->model->elements[i], err);
    if (!rc && x->model->main->method) {
        main_method->call = call_of(x->model->main->body, x->model->main->method);
        rc = declare(x, main_method, x->model->main->method, x->model->main->type, err);
    }
    return rc;
}

/* --- Rows. --- */

static struct flow *flow_of(struct act_experiment *x, int32_t pid, int32_t tid)
{
    if (tid == 0)
        return &x->flows[pid];
    if (tid > x->thread_room) {
        int room = tid + 7;
        struct flow *threads =
            calloc((size_t)x->processes * (size_t)room, sizeof *threads);

        if (!threads)
            return NULL;
        for (int64_t p = 0; p < x->processes && x->thread_room; p++)
            memcpy(threads + p * room, x->threads + p * x->thread_room,
                   (size_t)x->thread_room * sizeof *threads);
        for (int64_t i = 0; i < x->processes * room; i++)
            if (i % room >= x->thread_room)
                threads[i].asked = -1;
        free(x->threads);
        x->threads = threads;
        x->thread_room = room;
    }
    return &x->threads[(int64_t)pid * x->thread_room + tid - 1];
}

static uint64_t ticks(double seconds)
{
    return (uint64_t)llround(seconds * ticks_per_s);
}

static int is_mpi(enum act_kind kind)
{
    return kind >= ACT_SEND && kind <= ACT_ALLTOALL;
}

static void fill(const struct act_experiment *x, const struct act_model_call *call,
                 union monitor_value in[MONITOR_MAX_IN])
{
    const struct layout *l = &x->layouts[call->number];

    for (int i = 0; i < l->count; i++)
        if (l->is_whole[i])
            in[i].i = llround(x->values[l->from[i]]);
        else
            in[i].d = x->values[l->from[i]];
}

/* Set all in-values of a method's row to absent. */
static void clear(const struct act_experiment *x, const struct method *m,
                  union monitor_value in[MONITOR_MAX_IN])
{
    for (int i = 0; m->call && i < x->layouts[m->call->number].count; i++)
        if (x->layouts[m->call->number].is_whole[i])
            in[i].i = MONITOR_ABSENT;
        else
            in[i].d = MONITOR_ABSENT_DOUBLE;
}

static int write_row(struct act_experiment *x, const struct act_span *span, int method,
                     uint64_t number, uint64_t caller, uint64_t start, int64_t mpi_ns,
                     const union monitor_value *in)
{
    struct mm_given_row row = {.method = (uint32_t)method,
                               .rank = span->pid,
                               .thread = span->tid,
                               .invocation = number,
                               .caller = caller,
                               .start = start,
                               .wall = ticks(span->end_s) - start,
                               .mpi_ns = mpi_ns,
                               .status = MM_STATUS_DONE,
                               .in = in};

    return mm_given_row(x->given, &row, &x->err);
}

static int enter(struct act_experiment *x, struct flow *flow, const struct act_span *span)
{
    int at = span->element >= 0 ? span->element : x->model->element_count;
    struct open_call *call;

    if (cca_array_extend(&flow->calls, &flow->room, sizeof *flow->calls,
                         (size_t)flow->depth + 1))
        return cca_no_memory(&x->err);
    call = &flow->calls[flow->depth++];
    call->number = ++flow->numbered;
    call->start = ticks(span->start_s);
    call->method = x->methods[at].id;
    call->element = at;
    call->mpi_ns = 0;
    clear(x, &x->methods[at], call->in);
    return 0;
}

static int leave(struct act_experiment *x, struct flow *flow, const struct act_span *span)
{
    struct open_call call = flow->calls[--flow->depth];

    if (flow->depth > 0)
        flow->calls[flow->depth - 1].mpi_ns += call.mpi_ns;
    return write_row(x, span, call.method, call.number,
                     flow->depth > 0 ? flow->calls[flow->depth - 1].number : 0,
                     call.start, call.mpi_ns, call.in);
}

/* End of an element: write its row, or add its time to the enclosing method. */
static int element(struct act_experiment *x, struct flow *flow,
                   const struct act_span *span)
{
    const struct act_element *e = x->model->elements[span->element];
    const struct method *m = &x->methods[span->element];
    struct open_call *around = flow->depth > 0 ? &flow->calls[flow->depth - 1] : NULL;
    uint64_t start = ticks(span->start_s);
    int64_t mpi_ns =
        is_mpi(e->kind)
            ? llround((double)(ticks(span->end_s) - start) * 1e9 / ticks_per_s)
            : 0;
    union monitor_value in[MONITOR_MAX_IN];

    if (around)
        around->mpi_ns += mpi_ns;
    if (m->id < 0 || (around && !e->method)) {
        const struct act_model_call *own =
            around ? x->methods[around->element].call : NULL;

        if (own && flow->asked >= 0 && call_in(e->cost) &&
            strcmp(call_in(e->cost)->method, own->method) == 0 &&
            flow->asked == own->number)
            memcpy(around->in, flow->in, sizeof around->in);
        flow->asked = -1;
        return 0;
    }
    clear(x, m, in);
    if (m->call && flow->asked == m->call->number)
        memcpy(in, flow->in, sizeof in);
    flow->asked = -1;
    return write_row(x, span, m->id, ++flow->numbered, around ? around->number : 0, start,
                     mpi_ns, in);
}

static int span(void *context, const struct act_span *span)
{
    struct act_experiment *x = context;
    struct flow *flow = flow_of(x, span->pid, span->tid);
    int rc = flow ? 0 : cca_no_memory(&x->err);

    if (!rc && !x->declared)
        rc = declare_all(x, &x->err);
    if (rc)
        return rc;
    return span->kind == ACT_EVENT_ENTER   ? enter(x, flow, span)
           : span->kind == ACT_EVENT_LEAVE ? leave(x, flow, span)
                                           : element(x, flow, span);
}

/* Attribute the latest query of costs to the element that begins. */
static int begin(void *context, int32_t pid, int32_t tid, int32_t element)
{
    struct act_experiment *x = context;
    struct flow *flow = flow_of(x, pid, tid);

    (void)element;
    if (!flow)
        return cca_no_memory(&x->err);
    if (!x->declared && declare_all(x, &x->err))
        return x->err.code;
    flow->asked = x->asked;
    if (x->asked >= 0)
        fill(x, x->calls[x->asked], flow->in);
    x->asked = -1;
    return 0;
}

static double seconds(void *context, int number, const double *values)
{
    struct act_experiment *x = context;
    int count = x->calls[number]->count;

    x->asked = number;
    for (int i = 0; i < count && i < MONITOR_MAX_IN; i++)
        x->values[i] = values[i];
    return x->inner->seconds(x->inner->context, number, values);
}

/* --- Begin and end. --- */

static void add_owners(struct act_experiment *x, const struct act_element *e,
                       const char *owner)
{
    for (; e; e = e->next) {
        x->owners[e->number] = owner;
        add_owners(x, e->body, owner);
        add_owners(x, e->otherwise, owner);
    }
}

static int make_room(struct act_experiment *x, struct cca_error *err)
{
    size_t elements = (size_t)x->model->element_count + 1;

    x->methods = calloc(elements, sizeof *x->methods);
    x->owners = calloc(elements, sizeof *x->owners);
    x->flows = calloc((size_t)x->processes, sizeof *x->flows);
    x->calls = calloc((size_t)x->model->model_count + 1, sizeof *x->calls);
    x->layouts = calloc((size_t)x->model->model_count + 1, sizeof *x->layouts);
    if (!x->methods || !x->owners || !x->flows || !x->calls || !x->layouts)
        return cca_no_memory(err);
    for (size_t i = 0; i < elements; i++)
        x->methods[i].id = -1;
    for (int64_t i = 0; i < x->processes; i++)
        x->flows[i].asked = -1;
    for (const struct act_model_call *c = x->model->models; c; c = c->next)
        x->calls[c->number] = c;
    for (const struct act_activity *a = x->model->activities; a; a = a->next)
        add_owners(x, a->body, a->name);
    return 0;
}

struct act_experiment *act_experiment_new(const char *path, const struct act_model *model,
                                          int64_t processes, struct cca_error *err)
{
    struct mm_given_about about = {.origin = "simulated",
                                   .source = model->file,
                                   .ns_per_tick = 1e9 / ticks_per_s,
                                   .ranks = (int)processes,
                                   .mpi_time = 1};
    struct act_experiment *x;

    if (processes > ACT_EXPERIMENT_PROCESSES) {
        cca_error_set(
            err, -EINVAL,
            "%s: found %lld processes, expected at most %d for an experiment; the "
            "sums of each element (--elements) are for any number",
            path, (long long)processes, ACT_EXPERIMENT_PROCESSES);
        return NULL;
    }
    x = calloc(1, sizeof *x);
    if (!x) {
        cca_no_memory(err);
        return NULL;
    }
    x->model = model;
    x->processes = processes;
    x->asked = -1;
    x->sink = (struct act_sink){.context = x, .begin = begin, .span = span};
    x->given = make_room(x, err) ? NULL : mm_given_new(path, &about, err);
    if (x->given)
        return x;
    act_experiment_free(x);
    return NULL;
}

const struct act_sink *act_experiment_sink(struct act_experiment *experiment)
{
    return &experiment->sink;
}

const struct act_costs *act_experiment_costs(struct act_experiment *experiment,
                                             const struct act_costs *costs)
{
    if (!costs)
        return NULL;
    experiment->inner = costs;
    experiment->costs = (struct act_costs){.context = experiment, .seconds = seconds};
    return &experiment->costs;
}

void act_experiment_modes(struct act_experiment *experiment,
                          int (*is_mode)(void *context, const struct act_model_call *call,
                                         int i),
                          void *context)
{
    experiment->is_mode = is_mode;
    experiment->mode_context = context;
}

int act_experiment_finish(struct act_experiment *experiment, struct cca_error *err)
{
    if (experiment->err.code) {
        *err = experiment->err;
        return err->code;
    }
    if (!experiment->declared && declare_all(experiment, err))
        return err->code;
    return mm_given_finish(experiment->given, err);
}

void act_experiment_free(struct act_experiment *experiment)
{
    if (!experiment)
        return;
    mm_given_free(experiment->given);
    for (int64_t i = 0; experiment->flows && i < experiment->processes; i++)
        free(experiment->flows[i].calls);
    for (int64_t i = 0; i < experiment->processes * experiment->thread_room; i++)
        free(experiment->threads[i].calls);
    free(experiment->flows);
    free(experiment->threads);
    free(experiment->methods);
    free(experiment->calls);
    free(experiment->layouts);
    free(experiment->owners);
    free(experiment);
}
