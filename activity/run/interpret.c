/* SPDX-License-Identifier: BSD-3-Clause */
/* interpret.c: processes execute the instructions of a model. */
#include "activity/run/interpret.h"

#include <errno.h>
#include <stdlib.h>

#include "activity/run/code.h"
#include "activity/run/engine_core.h"

/* limit of instructions without an event, a few seconds */
enum { MOST_STEPS = 200000000 };

struct interpreter {
    /* must be the first member: callers hold a pointer to it */
    struct act_program program;
    struct act_code code;
    size_t slots_at; /* offset of the variables in a state, bytes */
};

/* The interpreter's view of a state: the head, return addresses, then variables. */
struct frame {
    struct act_state head;
    int32_t depth, unused;
    int32_t returns[]; /* code.deepest return addresses, then variables */
};

static union act_number *slots_of(const struct interpreter *in, struct act_state *state)
{
    return (union act_number *)(void *)((char *)state + in->slots_at);
}

static int give_up(const struct interpreter *in, const struct act_state *state,
                   const struct act_element *e, struct act_place place, int code,
                   const char *what, struct cca_error *err)
{
    int named = e && e->name;

    return cca_error_set(err, code, "%s:%d:%d: %s (%s%sprocess %d)",
                         in->program.model->file, place.line, place.column, what,
                         named ? e->name : "", named ? ", " : "", (int)state->pid);
}

static double cost_of(const struct act_element *e, struct act_scope *s)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;

    return cost ? act_eval_real(cost, s) : 0;
}

static int64_t whole_of(const struct act_expr *e, struct act_scope *s)
{
    return e ? act_eval(e, s).whole : 0;
}

/* Fill the members of an event for the engine from the current element. */
static void fill_event(const struct act_element *e, struct act_scope *s,
                       struct act_event *event)
{
    event->kind = ACT_EVENT_ELEMENT;
    event->element = e->number;
    event->cost_s = cost_of(e, s);
    event->memory = e->memory ? act_eval_real(e->memory, s) : 0;
    event->bytes = whole_of(e->bytes, s);
    event->tag = whole_of(e->tag, s);
    event->peer = whole_of(e->peer, s);
    event->count = 0;
    if (e->kind == ACT_EXCHANGE)
        for (; event->count < e->peer_count; event->count++)
            event->peers[event->count] = whole_of(e->peers[event->count], s);
}

static void fill_threads(const struct interpreter *in, const struct act_instruction *i,
                         struct act_scope *s, struct act_event *event)
{
    const struct act_element *e = i->element;
    int at = (int)(i - in->code.all) + 1;

    *event = (struct act_event){.kind = i->op == ACT_OP_FORK ? ACT_EVENT_FORK
                                                             : ACT_EVENT_PARALLEL,
                                .element = e->number};
    if (i->op == ACT_OP_FORK) {
        for (const struct act_element *b = e->body; b; b = b->next)
            event->pcs[event->count++] = in->code.all[at++].target;
        event->threads = event->count;
        return;
    }
    event->pcs[event->count++] = at;
    event->threads = whole_of(e->threads, s);
    event->chunk = whole_of(e->chunk, s);
    event->has_turns = e->variable != NULL;
    if (e->variable) {
        event->last = whole_of(e->last, s);
        event->first = whole_of(e->value, s);
        event->turn_at = (uint32_t)(in->slots_at +
                                    (size_t)e->variable->slot * sizeof(union act_number));
    }
}

/* Execute an instruction that yields an event. */
static void tell(const struct interpreter *in, const struct act_instruction *i,
                 struct act_scope *s, struct act_event *event)
{
    static const enum act_event_kind kinds[] = {[ACT_OP_END] = ACT_EVENT_END,
                                                [ACT_OP_LOCK] = ACT_EVENT_LOCK,
                                                [ACT_OP_UNLOCK] = ACT_EVENT_UNLOCK,
                                                [ACT_OP_ENTER] = ACT_EVENT_ENTER,
                                                [ACT_OP_LEAVE] = ACT_EVENT_LEAVE};

    if (i->op == ACT_OP_EVENT) {
        fill_event(i->element, s, event);
    } else if (i->op == ACT_OP_PARALLEL || i->op == ACT_OP_FORK) {
        fill_threads(in, i, s, event);
    } else {
        event->kind = kinds[i->op];
        event->element = i->element ? i->element->number : -1;
    }
}

/* Execute an instruction that yields no event; returns the next instruction. */
static int step(const struct act_instruction *i, struct frame *f, struct act_scope *s,
                int pc)
{
    switch (i->op) {
    case ACT_OP_SET:
        act_eval_set(i->variable, i->value, s);
        return pc + 1;
    case ACT_OP_UNLESS:
        return act_eval_true(i->value, s) ? pc + 1 : i->target;
    case ACT_OP_JUMP:
        return i->target;
    case ACT_OP_CALL:
        f->returns[f->depth++] = pc + 1;
        return i->target;
    case ACT_OP_LAST:
        s->slots[i->last] = act_eval(i->value, s);
        return pc + 1;
    case ACT_OP_PAST:
        return s->slots[i->variable->slot].whole > s->slots[i->last].whole ? i->target
                                                                           : pc + 1;
    default: /* ACT_OP_NEXT */
        if (s->slots[i->variable->slot].whole >= s->slots[i->last].whole)
            return pc + 1;
        s->slots[i->variable->slot].whole++;
        return i->target;
    }
}

static int next(const struct act_program *program, struct act_state *state,
                struct act_event *event, struct cca_error *err)
{
    const struct interpreter *in = (const struct interpreter *)(const void *)program;
    struct frame *f = (struct frame *)(void *)state;
    struct act_scope s = {.slots = slots_of(in, state),
                          .system = &program->system,
                          .pid = state->pid,
                          .tid = state->tid,
                          .nthread = state->nthread};
    const struct act_instruction *i, *back = in->code.all; /* start of the current loop */
    int steps = 0, done = 0, pc = state->pc;

    while (!done && !s.fault) {
        i = &in->code.all[pc];
        if (i->op == ACT_OP_RETURN && f->depth > 0) {
            pc = f->returns[--f->depth];
        } else if (i->op == ACT_OP_RETURN) {
            *event = (struct act_event){.kind = ACT_EVENT_END, .element = -1};
            done = 1;
        } else if (i->op >= ACT_OP_EVENT) {
            tell(in, i, &s, event);
            pc = i->op == ACT_OP_PARALLEL || i->op == ACT_OP_FORK ? i->target : pc + 1;
            done = 1;
        } else {
            pc = step(i, f, &s, pc);
            if (&in->code.all[pc] < i)
                back = i;
        }
        if (++steps > MOST_STEPS)
            return give_up(
                in, state, back->element,
                back->element ? back->element->place : (struct act_place){1, 1}, -ELOOP,
                "found no end after 200,000,000 steps without an event", err);
    }
    state->pc = pc;
    return s.fault ? give_up(in, state, i->element, s.place, -EDOM, s.fault, err) : 0;
}

static int start(const struct act_program *program, struct act_state *state,
                 struct cca_error *err)
{
    (void)program;
    (void)err;
    state->pc = 0; /* globals get their values before the first event */
    return 0;
}

struct act_program *act_interpret_new(const struct act_model *model,
                                      const struct act_costs *costs,
                                      struct cca_error *err)
{
    struct interpreter *in;

    if (model->has_raw) {
        cca_error_set(err, -EINVAL,
                      "%s: found C code, expected none: the interpreter runs the model's "
                      "language alone",
                      model->file);
        return NULL;
    }
    in = calloc(1, sizeof *in);
    if (!in || act_code_make(&in->code, model)) {
        cca_no_memory(err);
        act_interpret_free(in ? &in->program : NULL);
        return NULL;
    }
    in->slots_at =
        (sizeof(struct frame) + (size_t)in->code.deepest * sizeof(int32_t) + 7) / 8 * 8;
    in->program = (struct act_program){
        .model = model,
        .state_bytes = in->slots_at + (size_t)in->code.slots * sizeof(union act_number),
        .system = {.costs = costs},
        .start = start,
        .next = next};
    return &in->program;
}

void act_interpret_free(struct act_program *program)
{
    struct interpreter *in = (struct interpreter *)(void *)program;

    if (in)
        act_code_free(&in->code);
    free(in);
}
