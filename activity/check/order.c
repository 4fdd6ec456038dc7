/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c: find variables that a process may read before it assigns to them; only those
 * declared without a value matter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/check/visit.h"

struct flow {
    struct act_findings *f;
    char *is_set; /* by slot: 1: the variable was assigned before the current element */
    char *told;   /* by slot: 1: a finding about the variable was added */
    size_t slots;
};

static void read_variable(void *context, const struct act_expr *e)
{
    struct flow *flow = context;
    const struct act_variable *v = e->variable;

    if (e->kind != ACT_VARIABLE || flow->is_set[v->slot] || flow->told[v->slot])
        return;
    flow->told[v->slot] = 1;
    act_find(flow->f, "read-before-set", e->place,
             "%.60s is read here, declared without a value (line %d) and not yet set: it "
             "is 0",
             v->name, v->place.line);
}

static void read_expression(void *context, const struct act_expr *e)
{
    struct flow *flow = context;

    act_visit_inner(e, read_variable, flow);
}

static void walk(struct flow *flow, const struct act_element *e);

/* Walk a body that may never run, or runs in a thread: its assignments do not count after
 * it. If `kept` is not NULL, `is_set` at the body's end is copied into it. */
static void walk_aside(struct flow *flow, const struct act_element *e, char *kept)
{
    char *before = malloc(flow->slots + 1);

    if (!before) {
        flow->f->failed = -ENOMEM;
        return;
    }
    memcpy(before, flow->is_set, flow->slots);
    walk(flow, e);
    if (kept)
        memcpy(kept, flow->is_set, flow->slots);
    memcpy(flow->is_set, before, flow->slots);
    free(before);
}

/* A variable counts as assigned after an if when both branches assign to it. */
static void walk_if(struct flow *flow, const struct act_element *e)
{
    char *one = malloc(flow->slots + 1);

    if (!one) {
        flow->f->failed = -ENOMEM;
        return;
    }
    walk_aside(flow, e->body, one);
    walk(flow, e->otherwise);
    for (size_t i = 0; i < flow->slots; i++)
        flow->is_set[i] = flow->is_set[i] && one[i];
    free(one);
}

static void walk_call(struct flow *flow, const struct act_activity *a)
{
    for (const struct act_variable *v = a->locals; v; v = v->next) {
        if (v->value)
            read_expression(flow, v->value);
        flow->is_set[v->slot] = v->value != NULL;
    }
    walk(flow, a->body);
}

static void walk_one(struct flow *flow, const struct act_element *e)
{
    int later = e->kind == ACT_PARALLEL || e->kind == ACT_LOOP || e->kind == ACT_WHILE;

    walk(flow, e->code);
    act_visit_expressions(e, read_expression, flow);
    if (e->variable)
        flow->is_set[e->variable->slot] = 1;
    if (e->kind == ACT_CALL)
        walk_call(flow, e->activity);
    else if (e->kind == ACT_IF)
        walk_if(flow, e);
    else if (later || e->kind == ACT_FORK || e->kind == ACT_BRANCH)
        walk_aside(flow, e->body, NULL);
    else
        walk(flow, e->body);
}

static void walk(struct flow *flow, const struct act_element *e)
{
    for (; e && !flow->f->failed; e = e->next)
        walk_one(flow, e);
}

void act_check_order(struct act_findings *f, const struct act_model *model)
{
    struct flow flow = {.f = f, .slots = (size_t)model->slots};

    flow.is_set = malloc(flow.slots + 1);
    flow.told = calloc(flow.slots + 1, 1);
    if (flow.is_set && flow.told) {
        memset(flow.is_set, 1, flow.slots); /* parameters and loop variables always have
                                             * values */
        for (const struct act_variable *v = model->globals; v; v = v->next) {
            flow.is_set[v->slot] = v->value != NULL || model->has_raw;
        }
        walk_call(&flow, model->main);
    } else {
        f->failed = -ENOMEM;
    }
    free(flow.is_set);
    free(flow.told);
}
