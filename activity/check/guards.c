/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.c: whether guards are exhaustive. An if without else is tried with values around
 * the numbers in its guards, and a combination of values that no branch takes is
 * reported. The test is a heuristic: if all these values take a branch, the guards
 * pass. */
#include <math.h>
#include <stdio.h>

#include "activity/check/visit.h"
#include "activity/run/engine_core.h"

enum { MOST_LEAVES = 3, MOST_VALUES = 40, MOST_SLOTS = 4096 };

/* A variable or builtin that guards depend on. */
struct leaf {
    /* the variable on which the guards depend; NULL: a builtin */
    const struct act_variable *variable;
    int builtin;
};

struct trial {
    struct leaf leaves[MOST_LEAVES + 1];
    int leaf_count;
    double values[MOST_VALUES];
    int value_count;
    int unknown; /* 1: a guard has other operands than variables and numbers */
    int has_double;
};

static void add_value(struct trial *t, double value)
{
    for (int i = 0; i < t->value_count; i++)
        if (t->values[i] == value)
            return;
    if (t->value_count < MOST_VALUES)
        t->values[t->value_count++] = value;
}

static void add_leaf(struct trial *t, const struct act_expr *e)
{
    struct leaf leaf = {e->kind == ACT_VARIABLE ? e->variable : NULL,
                        e->kind == ACT_BUILTIN ? e->which : 0};

    for (int i = 0; i < t->leaf_count; i++)
        if (t->leaves[i].variable == leaf.variable &&
            t->leaves[i].builtin == leaf.builtin)
            return;
    if (t->leaf_count <= MOST_LEAVES)
        t->leaves[t->leaf_count++] = leaf;
}

static void look(void *context, const struct act_expr *e)
{
    struct trial *t = context;

    switch (e->kind) {
    case ACT_NUMBER: {
        double number = e->type == ACT_LONG ? (double)e->number.whole : e->number.real;

        for (int d = -1; d <= 1; d++)
            add_value(t, number + d);
        break;
    }
    case ACT_VARIABLE:
        t->has_double |= e->variable->type == ACT_DOUBLE;
        add_leaf(t, e);
        break;
    case ACT_BUILTIN:
        add_leaf(t, e);
        break;
    case ACT_UNARY:
    case ACT_BINARY:
    case ACT_CHOICE:
        break;
    default:
        t->unknown = 1;
    }
}

/* Whether a process can have these values of builtins: P > 0, 0 <= pid < P. */
static int is_possible(const struct trial *t, const double *values,
                       const struct act_system *system, const struct act_scope *scope)
{
    int has_nproc = 0;

    for (int i = 0; i < t->leaf_count; i++) {
        if (t->leaves[i].variable)
            continue;
        if (values[i] < 0 || values[i] != floor(values[i]))
            return 0;
        has_nproc |= t->leaves[i].builtin == ACT_NPROC;
        if (t->leaves[i].builtin >= ACT_NPROC && values[i] < 1)
            return 0;
    }
    return !has_nproc || scope->pid < system->nproc;
}

static void set_leaves(const struct trial *t, const double *values,
                       struct act_system *system, struct act_scope *scope)
{
    for (int i = 0; i < t->leaf_count; i++) {
        const struct act_variable *v = t->leaves[i].variable;

        if (v && v->type == ACT_DOUBLE)
            scope->slots[v->slot].real = values[i];
        else if (v)
            scope->slots[v->slot].whole = (int64_t)values[i];
        else if (t->leaves[i].builtin == ACT_PID)
            scope->pid = (int64_t)values[i];
        else if (t->leaves[i].builtin == ACT_TID)
            scope->tid = (int64_t)values[i];
        else if (t->leaves[i].builtin == ACT_NPROC)
            system->nproc = (int64_t)values[i];
        else if (t->leaves[i].builtin == ACT_NNODE)
            system->nnode = (int64_t)values[i];
        else if (t->leaves[i].builtin == ACT_NTHREAD)
            scope->nthread = (int64_t)values[i];
    }
}

/* Whether some branch of an if is taken with these values of variables. Also true for
 * values that no process can have. */
static int is_taken(const struct trial *t, const struct act_element *e,
                    const double *values)
{
    static _Thread_local union act_number slots[MOST_SLOTS];
    struct act_system system = {.nproc = INT64_MAX, .nnode = 1, .nthread = 1};
    struct act_scope scope = {.slots = slots, .system = &system, .nthread = 1};

    set_leaves(t, values, &system, &scope);
    if (!is_possible(t, values, &system, &scope))
        return 1;
    for (const struct act_element *at = e; at; at = at->is_elif ? at->otherwise : NULL)
        if (act_eval_true(at->value, &scope) || scope.fault)
            return 1;
    return 0;
}

static const char *leaf_name(const struct leaf *leaf)
{
    return leaf->variable ? leaf->variable->name : act_builtin_names[leaf->builtin];
}

/* Print the values of a trial: "GV = 2, pid = 0". */
static void say(const struct trial *t, const double *values, char *text, size_t size)
{
    size_t used = 0;

    for (int i = 0; i < t->leaf_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.60s = %g", i ? ", " : "",
                                 leaf_name(&t->leaves[i]), values[i]);
}

/* Find values of variables for which no branch of an if is taken. Returns 1 if there are
 * such values, else 0. */
static int find_gap(const struct trial *t, const struct act_element *e, double *values)
{
    int at[MOST_LEAVES] = {0};

    for (;;) {
        int i = 0;

        for (int k = 0; k < t->leaf_count; k++)
            values[k] = t->values[at[k]];
        if (!is_taken(t, e, values))
            return 1;
        while (i < t->leaf_count && ++at[i] == t->value_count)
            at[i++] = 0;
        if (i >= t->leaf_count)
            return 0;
    }
}

/* Add values to try: one between each two numbers of the guards, one below and one above
 * all of them. */
static void add_between(struct trial *t)
{
    int count = t->value_count;

    for (int i = 0; t->has_double && i < count; i++)
        add_value(t, t->values[i] + .5);
    for (int i = -1; i <= 3; i++)
        add_value(t, i);
}

static void check_chain(struct act_findings *f, const struct act_element *e)
{
    struct trial t = {.leaf_count = 0};
    const struct act_element *last = e;
    double values[MOST_LEAVES];
    char text[240];

    act_visit_inner(e->value, look, &t);
    while (last->is_elif) {
        last = last->otherwise;
        act_visit_inner(last->value, look, &t);
    }
    if (last->has_else)
        return;
    add_between(&t);
    if (t.unknown || t.leaf_count > MOST_LEAVES) {
        act_find(f, "guards", e->place,
                 "%d guards without else, of more than a few variables: whether they are "
                 "exhaustive is not known",
                 1 + (e != last));
    } else if (t.leaf_count && find_gap(&t, e, values)) {
        say(&t, values, text, sizeof text);
        act_find(f, "guards", e->place, "guards are not exhaustive: no branch for %s",
                 text);
    }
}

/* Report a guard without variables, which is always true or always false. */
static void check_constant(struct act_findings *f, const struct act_element *e)
{
    struct trial t = {.leaf_count = 0};
    struct act_system system = {.nproc = 1, .nnode = 1, .nthread = 1};
    struct act_scope scope = {.system = &system, .nthread = 1};

    act_visit_inner(e->value, look, &t);
    if (!t.unknown && !t.leaf_count)
        act_find(f, "constant-guard", e->value->place, "the guard is %s true",
                 act_eval_true(e->value, &scope) ? "always" : "never");
}

static void check_list(struct act_findings *f, const struct act_element *e, int is_elif)
{
    for (; e; e = e->next) {
        if (e->kind == ACT_IF) {
            check_constant(f, e);
            if (e->is_elif && !is_elif)
                check_chain(f, e);
        }
        check_list(f, e->code, 0);
        check_list(f, e->body, 0);
        check_list(f, e->otherwise, e->kind == ACT_IF && e->is_elif);
    }
}

void act_check_guards(struct act_findings *f, const struct act_model *model)
{
    if (model->slots > MOST_SLOTS)
        return;
    for (const struct act_activity *a = model->activities; a; a = a->next)
        check_list(f, a->body, 0);
}
