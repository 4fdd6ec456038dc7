/* SPDX-License-Identifier: BSD-3-Clause */
/* goal.c: the operations of each process of a configuration, as GOAL of LogGOPSim (T.
 * Hoefler, T. Schneider, A. Lumsdaine, 2010). GOAL is a static graph, so guards and loops
 * are evaluated here. Times are whole nanoseconds; collectives are expanded to the same
 * messages as in the estimator. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/interpret.h"
#include "activity/run/engine_core.h"
#include "activity/walk/forms.h"
#include "activity/walk/forms/goal_sizes.h"

enum { MOST_EVENTS = 10000000, MOST_OPEN = 4096 };

struct goal {
    FILE *out;
    const struct act_program *program;
    int64_t processes, pid;
    int64_t label; /* number of the process's last label */
    /* label of the line on which the process's next line depends; 0: none */
    int64_t behind;
    /* labels of isends and irecvs for which no wait has come yet */
    int64_t open[MOST_OPEN];
    int32_t open_of[MOST_OPEN]; /* elements of the messages in `open` */
    int open_count;
    struct act_sends sends; /* messages of the model, without those of collectives */
    struct cca_error *err;
};

static int fault(const struct goal *g, int32_t element, int code, const char *what)
{
    const struct act_element *e = g->program->model->elements[element];

    return cca_error_set(g->err, code, "%s:%d:%d: %s (process %lld)",
                         g->program->model->file, e->place.line, e->place.column, what,
                         (long long)g->pid);
}

/* Begin a line of the process; returns its label. */
static int64_t begin(struct goal *g)
{
    fprintf(g->out, "l%lld: ", (long long)++g->label);
    return g->label;
}

static void require(struct goal *g, int64_t label, int64_t before)
{
    if (before)
        fprintf(g->out, "l%lld requires l%lld\n", (long long)label, (long long)before);
}

/* End a line of the process on which its next lines depend. */
static void end(struct goal *g, int64_t label)
{
    require(g, label, g->behind);
    g->behind = label;
}

static void calculate(struct goal *g, double seconds)
{
    int64_t label = begin(g);

    fprintf(g->out, "calc %.0f\n", rint(1e9 * seconds));
    end(g, label);
}

static int64_t message(struct goal *g, int is_receive, int64_t peer, int64_t bytes,
                       int64_t tag)
{
    int64_t label = begin(g);

    /* LogGOPSim accepts no empty messages */
    fprintf(g->out, "%s %lldb %s %lld tag %lld\n", is_receive ? "recv" : "send",
            (long long)(bytes > 0 ? bytes : 1), is_receive ? "from" : "to",
            (long long)peer, (long long)tag);
    return label;
}

static int check_peer(const struct goal *g, const struct act_event *event, int64_t peer)
{
    return peer >= 0 && peer < g->processes
               ? 0
               : fault(g, event->element, -EDOM,
                       "found a peer that is no process of this configuration");
}

/* The size of the next message that a process receives; the matching send has it. */
static int64_t take_message(struct goal *g, const struct act_event *event, int64_t peer)
{
    int64_t bytes = act_sends_take(&g->sends, peer, g->pid, event->tag);

    return message(g, 1, peer, bytes, event->tag);
}

/* Keep the label of an isend or irecv for the wait that completes it. */
static int open_message(struct goal *g, const struct act_event *event, int64_t label)
{
    require(g, label, g->behind);
    if (g->open_count == MOST_OPEN)
        return fault(g, event->element, -EDOM,
                     "found more than 4096 messages that are not waited for");
    g->open[g->open_count] = label;
    g->open_of[g->open_count++] = event->element;
    return 0;
}

static int is_for(const struct act_element *wait, const struct act_element *of)
{
    for (int i = 0; i < wait->peer_count; i++)
        if (wait->waited[i] == of)
            return 1;
    return wait->peer_count == 0;
}

static void wait_for(struct goal *g, const struct act_element *e)
{
    struct act_element *const *elements = g->program->model->elements;
    int64_t label = begin(g);
    int left = 0;

    fputs("calc 0\n", g->out);
    for (int i = 0; i < g->open_count; i++)
        if (is_for(e, elements[g->open_of[i]])) {
            require(g, label, g->open[i]);
        } else {
            g->open[left] = g->open[i];
            g->open_of[left++] = g->open_of[i];
        }
    g->open_count = left;
    end(g, label);
}

static void exchange(struct goal *g, const struct act_event *event)
{
    int64_t labels[2 * ACT_PEERS], join;
    int count = 0;

    for (int i = 0; i < event->count; i++) {
        if (event->peers[i] < 0 || event->peers[i] >= g->processes)
            continue;
        for (int is_receive = 0; is_receive < 2; is_receive++) {
            labels[count] =
                is_receive ? take_message(g, event, event->peers[i])
                           : message(g, 0, event->peers[i], event->bytes, event->tag);
            require(g, labels[count++], g->behind);
        }
    }
    if (!count)
        return;
    join = begin(g);
    fputs("calc 0\n", g->out);
    for (int i = 0; i < count; i++)
        require(g, join, labels[i]);
    g->behind = join;
}

/* Write a process's messages of a collective, one after the other, with tags of their
 * own. */
static void write_script(struct goal *g, const struct act_event *event,
                         enum act_kind kind, int64_t bytes)
{
    struct act_line line;

    for (int64_t i = 0;
         act_script_line(kind, g->processes, g->pid, event->peer, i, &line); i++)
        end(g, message(g, line.is_receive, line.peer, bytes, 1000000 + event->element));
}

/* Write a collective with a cost: a barrier, then the largest cost of all processes, then
 * a barrier. */
static void collective(struct goal *g, const struct act_event *event,
                       const struct act_element *e)
{
    int as_cost = e->as == ACT_AS_COST || (e->as == ACT_AS_USUAL && (e->cost || e->time));

    if (as_cost)
        write_script(g, event, ACT_BARRIER, 1);
    if (event->cost_s > 0)
        calculate(g, event->cost_s);
    if (as_cost)
        write_script(g, event, ACT_BARRIER, 1);
    else
        write_script(g, event, e->kind, event->bytes);
}

static int check_cost(const struct goal *g, const struct act_event *event)
{
    return event->cost_s >= 0 && !isinf(event->cost_s)
               ? 0
               : fault(g, event->element, -EDOM,
                       "found a cost that is negative or not finite");
}

static int write_element(struct goal *g, const struct act_event *event)
{
    const struct act_element *e = g->program->model->elements[event->element];
    int is_receive = e->kind == ACT_RECV || e->kind == ACT_IRECV;
    int64_t label;

    switch (e->kind) {
    case ACT_ACTION:
        if (check_cost(g, event))
            return -EDOM;
        calculate(g, event->cost_s);
        return 0;
    case ACT_SEND:
    case ACT_RECV:
    case ACT_ISEND:
    case ACT_IRECV:
        if (check_peer(g, event, event->peer))
            return -EDOM;
        label = is_receive ? take_message(g, event, event->peer)
                           : message(g, 0, event->peer, event->bytes, event->tag);
        if (e->kind == ACT_ISEND || e->kind == ACT_IRECV)
            return open_message(g, event, label);
        end(g, label);
        return 0;
    case ACT_WAIT:
        wait_for(g, e);
        return 0;
    case ACT_EXCHANGE:
        exchange(g, event);
        return 0;
    default:
        if (check_cost(g, event))
            return -EDOM;
        collective(g, event, e);
        return 0;
    }
}

/* Record the sends of an element. */
static int collect_sends(struct goal *g, const struct act_event *event)
{
    enum act_kind kind = g->program->model->elements[event->element]->kind;
    int rc = 0;

    if (kind == ACT_SEND || kind == ACT_ISEND)
        rc = act_sends_add(&g->sends, g->pid, event->peer, event->tag, event->bytes);
    for (int i = 0; kind == ACT_EXCHANGE && i < event->count && !rc; i++)
        rc = act_sends_add(&g->sends, g->pid, event->peers[i], event->tag, event->bytes);
    return rc ? cca_no_memory(g->err) : 0;
}

/* Run a process alone from start to end; `take` is called with each element. */
static int run_process(struct goal *g, struct act_state *state,
                       int (*take)(struct goal *g, const struct act_event *event))
{
    struct act_event event;
    int rc;

    memset(state, 0, g->program->state_bytes);
    state->pid = (int32_t)g->pid;
    state->nthread = 1;
    rc = g->program->start(g->program, state, g->err);
    for (int64_t n = 0; !rc; n++) {
        rc = g->program->next(g->program, state, &event, g->err);
        if (rc || event.kind == ACT_EVENT_END)
            break;
        if (n == MOST_EVENTS)
            rc = fault(g, event.element < 0 ? 0 : event.element, -EDOM,
                       "found no end after 10,000,000 events");
        else if (event.kind == ACT_EVENT_ELEMENT)
            rc = take(g, &event);
        else if (event.kind == ACT_EVENT_PARALLEL || event.kind == ACT_EVENT_FORK)
            rc = fault(g, event.element, -ENOTSUP,
                       "found threads, expected none: GOAL has processes alone");
    }
    return rc;
}

/* Run all processes twice: the first time to collect the sends. */
static int write_processes(struct goal *g, struct act_state *state)
{
    int rc = 0;

    for (g->pid = 0; !rc && g->pid < g->processes; g->pid++)
        rc = run_process(g, state, collect_sends);
    act_sends_sort(&g->sends);
    fprintf(g->out, "num_ranks %lld\n\n", (long long)g->processes);
    for (g->pid = 0; !rc && g->pid < g->processes; g->pid++) {
        g->label = g->behind = 0;
        g->open_count = 0;
        fprintf(g->out, "rank %lld {\n", (long long)g->pid);
        rc = run_process(g, state, write_element);
        fputs("}\n", g->out);
    }
    act_sends_done(&g->sends);
    return rc;
}

/* Refuse models with raw C code, which cannot be evaluated here. */
static int refuse_raw(const struct act_model *m, struct cca_error *err)
{
    for (int i = 0; i < m->element_count; i++)
        if (m->elements[i]->raw)
            return cca_error_set(err, -ENOTSUP,
                                 "%s:%d:%d: found C of the model's own, expected none: "
                                 "GOAL is made by the interpreter",
                                 m->file, m->elements[i]->place.line,
                                 m->elements[i]->place.column);
    return 0;
}

/* An all-to-all has P lines per process. */
int act_form_goal(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err)
{
    struct act_program *program =
        refuse_raw(model, err) ? NULL : act_interpret_new(model, NULL, err);
    struct goal *g = calloc(1, sizeof *g);
    struct act_state *state = program ? malloc(program->state_bytes) : NULL;
    int rc = !program ? err->code : !g || !state ? cca_no_memory(err) : 0;

    if (!rc) {
        program->system = (struct act_system){.nproc = options->config.processes,
                                              .nnode = options->config.nodes,
                                              .nthread = 1};
        *g = (struct goal){.out = out,
                           .program = program,
                           .processes = options->config.processes,
                           .err = err};
        rc = write_processes(g, state);
    }
    free(state);
    free(g);
    act_interpret_free(program);
    return rc;
}
