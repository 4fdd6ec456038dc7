/* SPDX-License-Identifier: BSD-3-Clause */
/* eval.c: evaluation of expressions. */
#include "activity/run/engine_core.h"

#include <math.h>

static union act_number fault(const struct act_expr *e, struct act_scope *s,
                              const char *what)
{
    if (!s->fault) {
        s->fault = what;
        s->place = e->place;
    }
    return (union act_number){0};
}

double act_eval_real(const struct act_expr *e, struct act_scope *s)
{
    union act_number v = act_eval(e, s);

    return s->fault ? 0 : e->type == ACT_LONG ? (double)v.whole : v.real;
}

int act_eval_true(const struct act_expr *e, struct act_scope *s)
{
    union act_number v = act_eval(e, s);

    return s->fault ? 0 : e->type == ACT_LONG ? v.whole != 0 : v.real != 0;
}

void act_eval_set(const struct act_variable *variable, const struct act_expr *value,
                  struct act_scope *s)
{
    union act_number *to = &s->slots[variable->slot];

    if (!value)
        to->whole = 0; /* sets all bytes of the union: a double is then 0, too */
    else if (variable->type == ACT_DOUBLE)
        to->real = act_eval_real(value, s);
    else
        *to = act_eval(value, s);
}

/* A comparison of two numbers. `less`, `equal`, `more`: one of them is true, or none if a
 * number is NaN. */
static int holds(int which, int less, int equal, int more)
{
    switch (which) {
    case ACT_EQ:
        return equal;
    case ACT_NE:
        return !equal;
    case ACT_LT:
        return less;
    case ACT_LE:
        return less || equal;
    case ACT_GT:
        return more;
    default:
        return more || equal;
    }
}

static union act_number whole_binary(const struct act_expr *e, struct act_scope *s,
                                     int64_t a, int64_t b)
{
    union act_number v = {0};
    int over = 0;

    switch (e->which) {
    case ACT_ADD:
        over = __builtin_add_overflow(a, b, &v.whole);
        break;
    case ACT_SUB:
        over = __builtin_sub_overflow(a, b, &v.whole);
        break;
    case ACT_MUL:
        over = __builtin_mul_overflow(a, b, &v.whole);
        break;
    default: /* ACT_DIV, ACT_MOD */
        if (b == 0)
            return fault(e, s, "a division by zero");
        over = a == INT64_MIN && b == -1;
        if (!over)
            v.whole = e->which == ACT_DIV ? a / b : a % b;
    }
    return over ? fault(e, s, "a long that does not fit 64 bits") : v;
}

static union act_number real_binary(const struct act_expr *e, struct act_scope *s,
                                    double a, double b)
{
    union act_number v = {0};

    if (e->which == ACT_DIV && b == 0)
        return fault(e, s, "a division by zero");
    v.real = e->which == ACT_ADD   ? a + b
             : e->which == ACT_SUB ? a - b
             : e->which == ACT_MUL ? a * b
                                   : a / b;
    return v;
}

static union act_number binary(const struct act_expr *e, struct act_scope *s)
{
    const struct act_expr *x = e->arguments[0], *y = e->arguments[1];
    int whole = x->type == ACT_LONG && y->type == ACT_LONG;
    union act_number v = {0};

    if (e->which == ACT_OR || e->which == ACT_AND) {
        v.whole = act_eval_true(x, s);
        if (v.whole == (e->which == ACT_AND))
            v.whole = act_eval_true(y, s);
        return v;
    }
    if (whole) {
        int64_t a = act_eval(x, s).whole, b = act_eval(y, s).whole;

        if (e->which >= ACT_ADD)
            return whole_binary(e, s, a, b);
        v.whole = holds(e->which, (a < b), a == b, (a > b));
    } else {
        double a = act_eval_real(x, s), b = act_eval_real(y, s);

        if (e->which >= ACT_ADD)
            return real_binary(e, s, a, b);
        v.whole = holds(e->which, (a < b), a == b, (a > b));
    }
    return v;
}

static union act_number to_whole(const struct act_expr *e, struct act_scope *s, double x)
{
    if (!(fabs(x) < 9.2e18))
        return fault(e, s, "a double that is no long");
    return (union act_number){.whole = (int64_t)x};
}

/* Functions of one or two doubles that give a double. */
static union act_number real_math(const struct act_expr *e, struct act_scope *s, double a)
{
    union act_number v = {0};

    switch (e->which) {
    case ACT_SQRT:
        return a < 0 ? fault(e, s, "a root of a negative number")
                     : (union act_number){.real = sqrt(a)};
    case ACT_LOG2:
    case ACT_LOG:
        return a <= 0
                   ? fault(e, s, "a logarithm of no positive number")
                   : (union act_number){.real = e->which == ACT_LOG ? log(a) : log2(a)};
    case ACT_EXP:
        v.real = exp(a);
        return v;
    case ACT_POW:
        v.real = pow(a, act_eval_real(e->arguments[1], s));
        return isnan(v.real) ? fault(e, s, "a power that is no number") : v;
    default:
        v.real = fabs(a);
        return v;
    }
}

static union act_number math(const struct act_expr *e, struct act_scope *s)
{
    const struct act_expr *x = e->arguments[0], *y = e->arguments[1];
    union act_number v = {0};
    double a;

    if (e->type == ACT_LONG && x->type == ACT_LONG) {
        int64_t i = act_eval(x, s).whole, j = y ? act_eval(y, s).whole : 0;

        v.whole = e->which == ACT_MIN   ? (i < j ? i : j)
                  : e->which == ACT_MAX ? (i > j ? i : j)
                  : e->which == ACT_ABS ? (i < 0 ? -i : i)
                                        : i;
        return e->which == ACT_ABS && i == INT64_MIN
                   ? fault(e, s, "a long that does not fit 64 bits")
                   : v;
    }
    a = act_eval_real(x, s);
    switch (e->which) {
    case ACT_MIN:
        v.real = fmin(a, act_eval_real(y, s));
        break;
    case ACT_MAX:
        v.real = fmax(a, act_eval_real(y, s));
        break;
    case ACT_FLOOR:
        return to_whole(e, s, floor(a));
    case ACT_CEIL:
        return to_whole(e, s, ceil(a));
    default:
        return real_math(e, s, a);
    }
    return v;
}

/* Evaluate arguments first: they may call the function, too. */
static union act_number call(const struct act_expr *e, struct act_scope *s)
{
    const struct act_variable *v = e->function->parameters;
    union act_number values[ACT_PARAMETERS];

    for (int i = 0; i < e->function->parameter_count; i++, v = v->next) {
        if (v->type == ACT_DOUBLE)
            values[i].real = act_eval_real(e->list[i], s);
        else
            values[i] = act_eval(e->list[i], s);
    }
    v = e->function->parameters;
    for (int i = 0; i < e->function->parameter_count; i++, v = v->next)
        s->slots[v->slot] = values[i];
    return act_eval(e->function->body, s);
}

static union act_number unary(const struct act_expr *e, struct act_scope *s)
{
    union act_number v = {0};

    if (e->which == ACT_NOT) {
        v.whole = !act_eval_true(e->arguments[0], s);
        return v;
    }
    v = act_eval(e->arguments[0], s);
    if (e->type == ACT_DOUBLE)
        v.real = -v.real;
    else if (v.whole == INT64_MIN)
        return fault(e, s, "a long that does not fit 64 bits");
    else
        v.whole = -v.whole;
    return v;
}

static union act_number choice(const struct act_expr *e, struct act_scope *s)
{
    const struct act_expr *taken =
        e->arguments[act_eval_true(e->arguments[0], s) ? 1 : 2];

    if (e->type == ACT_DOUBLE)
        return (union act_number){.real = act_eval_real(taken, s)};
    return act_eval(taken, s);
}

static union act_number element_of(const struct act_expr *e, struct act_scope *s)
{
    int64_t i = act_eval(e->arguments[0], s).whole;

    if (s->fault)
        return (union act_number){0};
    return i < 0 || i >= e->table->count ? fault(e, s, "an index beyond its table")
                                         : e->table->values[i];
}

static union act_number builtin(const struct act_expr *e, const struct act_scope *s)
{
    const int64_t values[ACT_BUILTINS] = {
        [ACT_PID] = s->pid,
        [ACT_TID] = s->tid,
        [ACT_UID] = s->pid * s->nthread + s->tid,
        [ACT_NPROC] = s->system->nproc,
        [ACT_NNODE] = s->system->nnode,
        [ACT_NTHREAD] = s->nthread,
    };

    return (union act_number){.whole = values[e->which]};
}

/* The prediction of a model of the Mastermind. */
static union act_number modelled(const struct act_expr *e, struct act_scope *s)
{
    const struct act_costs *costs = s->system->costs;
    double values[32];
    union act_number v = {0};

    for (int i = 0; i < e->model->count; i++)
        values[i] = act_eval_real(e->model->values[i], s);
    if (s->fault)
        return v;
    if (!costs)
        return fault(e, s, "a model of which no experiment was given");
    v.real = costs->seconds(costs->context, e->model->number, values);
    if (isfinite(v.real))
        return v;
    return fault(e, s,
                 costs->fault ? costs->fault(costs->context)
                              : "a cost that the model does not know");
}

union act_number act_eval(const struct act_expr *e, struct act_scope *s)
{
    union act_number v = {0};

    if (s->fault)
        return v;
    switch (e->kind) {
    case ACT_NUMBER:
        return e->number;
    case ACT_VARIABLE:
        return s->slots[e->variable->slot];
    case ACT_BUILTIN:
        return builtin(e, s);
    case ACT_CALL_FUNCTION:
        return call(e, s);
    case ACT_CALL_MATH:
        return math(e, s);
    case ACT_CALL_MODEL:
        return modelled(e, s);
    case ACT_INDEX:
        return element_of(e, s);
    case ACT_UNARY:
        return unary(e, s);
    case ACT_BINARY:
        return binary(e, s);
    default:
        return choice(e, s);
    }
}
