/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.c: checks of single elements: ids, unused declarations, loops, costs, waits,
 * threads. */

#include "activity/check/visit.h"
#include "activity/run/engine_core.h"

/* --- Ids -------------------------------------------------------------------------- */

static int same_id(int64_t id, struct act_place place, int64_t other,
                   struct act_place there)
{
    return id >= 0 && id == other &&
           (there.line < place.line ||
            (there.line == place.line && there.column < place.column));
}

static void check_id(struct act_findings *f, const struct act_model *m, int64_t id,
                     struct act_place place)
{
    for (int i = 0; id >= 0 && i < m->element_count; i++)
        if (same_id(id, place, m->elements[i]->id, m->elements[i]->place))
            act_find(f, "ids", place, "found id %lld, which line %d has", (long long)id,
                     m->elements[i]->place.line);
    for (const struct act_activity *a = m->activities; a && id >= 0; a = a->next)
        if (same_id(id, place, a->id, a->place))
            act_find(f, "ids", place, "found id %lld, which line %d has", (long long)id,
                     a->place.line);
}

/* --- Unused ----------------------------------------------------------------------- */

static void unused(struct act_findings *f, int used, const char *what, const char *name,
                   struct act_place place)
{
    if (!used)
        act_find(f, "unused", place, "%s %.60s is not used", what, name);
}

static void check_unused(struct act_findings *f, const struct act_model *m)
{
    int raw = m->has_raw; /* raw C code may use any variable */

    for (const struct act_variable *v = m->globals; v; v = v->next)
        unused(f, v->used || raw, "global", v->name, v->place);
    for (const struct act_table *t = m->tables; t; t = t->next)
        unused(f, t->used || raw, "table", t->name, t->place);
    for (const struct act_function *c = m->functions; c; c = c->next) {
        unused(f, c->used || raw, "function", c->name, c->place);
        for (const struct act_variable *v = c->parameters; v; v = v->next)
            unused(f, v->used || raw, "parameter", v->name, v->place);
    }
    for (const struct act_activity *a = m->activities; a; a = a->next) {
        unused(f, a->used, "activity", a->name, a->place);
        for (const struct act_variable *v = a->locals; v; v = v->next)
            unused(f, v->used || raw, "local", v->name, v->place);
    }
}

/* --- Loops ------------------------------------------------------------------------ */

struct wanted {
    const struct act_variable *variables[64];
    int count;
    int known; /* 1: the guard has only variables, numbers and operators */
};

static void take_variable(void *context, const struct act_expr *e)
{
    struct wanted *w = context;

    if (e->kind == ACT_VARIABLE && w->count < 64)
        w->variables[w->count++] = e->variable;
}

/* Whether elements assign to one of the variables, or run C code that could. */
static int sets(const struct act_element *e, const struct wanted *w)
{
    for (; e; e = e->next) {
        for (int i = 0; i < w->count; i++)
            if (e->variable == w->variables[i])
                return 1;
        if (e->raw || sets(e->code, w) || sets(e->body, w) || sets(e->otherwise, w) ||
            (e->kind == ACT_CALL && sets(e->activity->body, w)))
            return 1;
    }
    return 0;
}

static void check_while(struct act_findings *f, const struct act_element *e)
{
    struct wanted w = {.count = 0};

    act_visit_inner(e->value, take_variable, &w);
    if (!sets(e->body, &w))
        act_find(f, "endless", e->value->place,
                 w.count ? "nothing in the body sets a variable that the guard depends on"
                         : "the guard depends on nothing that could be set");
}

static void note_leaf(void *context, const struct act_expr *e)
{
    if (e->kind != ACT_NUMBER && e->kind != ACT_UNARY && e->kind != ACT_BINARY)
        *(int *)context = 0;
}

static void check_loop(struct act_findings *f, const struct act_element *e)
{
    struct act_system system = {.nproc = 1, .nnode = 1, .nthread = 1};
    struct act_scope scope = {.system = &system, .nthread = 1};
    int constant = 1;
    int64_t first, last;

    if (!e->value || !e->last)
        return;
    act_visit_inner(e->value, note_leaf, &constant);
    act_visit_inner(e->last, note_leaf, &constant);
    if (!constant)
        return;
    first = act_eval(e->value, &scope).whole;
    last = act_eval(e->last, &scope).whole;
    if (!scope.fault && last < first)
        act_find(f, "empty-loop", e->place, "the loop from %lld to %lld has no turn",
                 (long long)first, (long long)last);
}

/* --- Waits ------------------------------------------------------------------------ */

/* Whether a wait of the model covers this isend or irecv, by name or as a wait for
 * all. */
static int is_waited(const struct act_model *m, const struct act_element *e)
{
    for (int i = 0; i < m->element_count; i++) {
        const struct act_element *w = m->elements[i];

        if (w->kind == ACT_WAIT && !w->peer_count)
            return 1;
        for (int k = 0; w->kind == ACT_WAIT && k < w->peer_count; k++)
            if (w->waited[k] == e)
                return 1;
    }
    return 0;
}

/* --- Threads ---------------------------------------------------------------------- */

/* The first parallel or fork in elements or in the activities they call. */
static const struct act_element *find_threads(const struct act_element *e)
{
    for (; e; e = e->next) {
        const struct act_element *in;

        if (e->kind == ACT_PARALLEL || e->kind == ACT_FORK)
            return e;
        in = find_threads(e->body);
        in = in ? in : find_threads(e->otherwise);
        in = in || e->kind != ACT_CALL ? in : find_threads(e->activity->body);
        if (in)
            return in;
    }
    return NULL;
}

/* --- All checks of the shape ------------------------------------------------------ */

static void check_element(struct act_findings *f, const struct act_model *m,
                          const struct act_element *e)
{
    const struct act_element *inner;

    check_id(f, m, e->id, e->place);
    if (e->raw)
        act_find(f, "raw-c", e->place, "%.60s has C of its own",
                 e->name ? e->name : "this element");
    if (e->kind == ACT_WHILE)
        check_while(f, e);
    if (e->kind == ACT_LOOP || e->kind == ACT_PARALLEL)
        check_loop(f, e);
    if (e->kind == ACT_ACTION && !e->cost && !e->time && !e->memory)
        act_find(f, "no-cost", e->place, "action %.60s takes no time: it has no cost",
                 e->name);
    if ((e->kind == ACT_ISEND || e->kind == ACT_IRECV) && !is_waited(m, e))
        act_find(f, "not-waited", e->place, "no wait is for %.60s", e->name);
    if (e->kind == ACT_PARALLEL || e->kind == ACT_FORK) {
        inner = find_threads(e->body);
        if (inner)
            act_find(f, "nested-threads", inner->place,
                     "%s within the threads of line %d", act_kind_name(inner->kind),
                     e->place.line);
    }
}

void act_check_shape(struct act_findings *f, const struct act_model *model)
{
    for (const struct act_activity *a = model->activities; a; a = a->next)
        check_id(f, model, a->id, a->place);
    for (int i = 0; i < model->element_count; i++)
        check_element(f, model, model->elements[i]);
    check_unused(f, model);
}
