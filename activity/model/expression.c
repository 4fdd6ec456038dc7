/* SPDX-License-Identifier: BSD-3-Clause */
/* expression.c: parse expressions, with C's precedence and separate types long and
 * double. */
#include <string.h>

#include "activity/model/parse.h"
#include "common/expr/words.h"

const char *const act_builtin_names[ACT_BUILTINS] = {"pid",   "tid",   "uid",
                                                     "nproc", "nnode", "nthread"};
const char *const act_math_names[ACT_MATHS] = {"min",  "max", "floor", "ceil", "sqrt",
                                               "log2", "log", "exp",   "pow",  "abs"};
const char *const act_operator_texts[] = {
    "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "-", "!"};
const unsigned char act_operator_strength[] = {1, 2, 3, 3, 4, 4, 4, 4,
                                               5, 5, 6, 6, 6, 7, 7};

int act_math_arguments(int which)
{
    return which == ACT_MIN || which == ACT_MAX || which == ACT_POW ? 2 : 1;
}

static int find_name(const char *const *names, int count, const char *name)
{
    while (--count >= 0 && strcmp(names[count], name) != 0)
        ;
    return count;
}

int act_builtin_named(const char *name)
{
    return find_name(act_builtin_names, ACT_BUILTINS, name);
}

/* The math function (enum act_math) with this name, or -1. */
static int act_math_named(const char *name)
{
    return find_name(act_math_names, ACT_MATHS, name);
}

int act_name_is_own(const char *name)
{
    return cca_is_word("model long double", name, strlen(name)) ||
           act_math_named(name) >= 0;
}

int act_name_is_word(const char *name)
{
    return act_name_is_own(name) || act_builtin_named(name) >= 0 ||
           cca_is_word("global local cost table activity stereotype action call if elif "
                       "else loop while code send recv isend irecv wait exchange bcast "
                       "reduce barrier alltoall allreduce parallel critical fork branch "
                       "do id type method time memory bytes tag to from with for root as "
                       "threads schedule static dynamic chunk text of expanded",
                       name, strlen(name));
}

static struct act_expr *make(struct act_parse *p, enum act_expr_kind kind,
                             enum act_type type)
{
    struct act_expr *e = act_parse_take(p, sizeof *e);

    if (e) {
        e->kind = kind;
        e->type = type;
        e->place = p->lex.word.place;
    }
    return e;
}

int act_parse_long(struct act_parse *p, const struct act_expr *e, const char *of)
{
    return e->type == ACT_LONG
               ? 0
               : act_lex_refuse_at(&p->lex, e->place,
                                   "found a double, expected a long for %s; floor(x) and "
                                   "ceil(x) make one",
                                   of);
}

struct act_variable *act_parse_variable(const struct act_parse *p, const char *name)
{
    struct act_variable *lists[3] = {p->parameters, p->locals, p->model->globals};

    for (int i = 0; i < 3; i++)
        for (struct act_variable *v = lists[i]; v; v = v->next)
            if (strcmp(v->name, name) == 0)
                return v;
    return NULL;
}

static struct act_function *find_function(const struct act_parse *p, const char *name)
{
    for (struct act_function *f = p->model->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* Read arguments up to ")" into list[count]. Returns 0 or an error. */
static int read_arguments(struct act_parse *p, struct act_expr **list, int count,
                          const char *name, struct act_place place)
{
    int n = 0;

    while (!act_parse_is(p, ")")) {
        struct act_expr *e = act_parse_expression(p);

        if (!e)
            return p->lex.failed;
        if (n < count)
            list[n] = e;
        n++;
        if (!act_parse_is(p, ")") && act_parse_expect(p, ","))
            return p->lex.failed;
    }
    if (n != count)
        return act_lex_refuse_at(
            &p->lex, place, "found %d arguments of %.40s, expected %d", n, name, count);
    return act_parse_next(p);
}

static struct act_expr *read_function(struct act_parse *p, struct act_expr *e,
                                      const char *name)
{
    struct act_function *f = find_function(p, name);
    const struct act_variable *v;

    if (!f) {
        act_lex_refuse_at(
            &p->lex, e->place,
            "found the function %.40s, expected one that was declared before", name);
        return NULL;
    }
    f->used = 1;
    e->kind = ACT_CALL_FUNCTION;
    e->function = f;
    e->type = f->body ? f->body->type : ACT_DOUBLE;
    if (!f->body) {
        act_lex_refuse_at(&p->lex, e->place,
                          "found %.40s in its own body, expected no "
                          "recursion",
                          name);
        return NULL;
    }
    e->list = act_parse_take(p, (size_t)(f->parameter_count + 1) * sizeof *e->list);
    if (!e->list || read_arguments(p, e->list, f->parameter_count, name, e->place))
        return NULL;
    v = f->parameters;
    for (int i = 0; i < f->parameter_count; i++, v = v->next)
        if (v->type == ACT_LONG && act_parse_long(p, e->list[i], v->name))
            return NULL;
    return e;
}

/* Read model("flux.flux.compute", axis = 0, Q = nx*ny), from the parenthesis on. */
static struct act_expr *read_model(struct act_parse *p, struct act_expr *e)
{
    enum { MOST = 32 };
    struct act_model_call *call = act_parse_take(p, sizeof *call);
    struct act_model_call **last = &p->model->models;

    if (!call)
        return NULL;
    if (!p->costs) {
        act_lex_refuse_at(&p->lex, e->place, "found model, expected it in costs alone");
        return NULL;
    }
    call->place = e->place;
    call->names = act_parse_take(p, MOST * sizeof *call->names);
    call->values = act_parse_take(p, MOST * sizeof *call->values);
    if (act_parse_next(p) || !(call->method = act_parse_text(p, "the method's name")))
        return NULL;
    while (!act_parse_is(p, ")")) {
        if (act_parse_expect(p, ","))
            return NULL;
        for (int i = 0; i < call->count; i++)
            if (strcmp(call->names[i], p->lex.word.text) == 0) {
                act_lex_refuse(&p->lex, "each parameter once");
                return NULL;
            }
        if (p->lex.word.kind != CCA_TOKEN_NAME || call->count == MOST) {
            act_lex_refuse(&p->lex, "the name of a parameter, at most 32");
            return NULL;
        }
        call->names[call->count] = p->lex.word.text;
        if (act_parse_next(p) || act_parse_expect(p, "=") ||
            !(call->values[call->count++] = act_parse_expression(p)))
            return NULL;
    }
    while (*last)
        last = &(*last)->next;
    *last = call;
    call->number = p->model->model_count++;
    e->kind = ACT_CALL_MODEL;
    e->type = ACT_DOUBLE;
    e->model = call;
    return act_parse_next(p) ? NULL : e;
}

/* Read NAME[index] of a table, from the bracket on. */
static struct act_expr *read_index(struct act_parse *p, struct act_expr *e,
                                   const char *name)
{
    struct act_table *t = p->model->tables;

    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    if (!t) {
        act_lex_refuse_at(&p->lex, e->place,
                          "found %.40s[, expected a table that was declared before",
                          name);
        return NULL;
    }
    t->used = 1;
    e->kind = ACT_INDEX;
    e->table = t;
    e->type = t->type;
    if (act_parse_next(p) || !(e->arguments[0] = act_parse_expression(p)) ||
        act_parse_long(p, e->arguments[0], "an index") || act_parse_expect(p, "]"))
        return NULL;
    return e;
}

static struct act_expr *read_call(struct act_parse *p, struct act_expr *e,
                                  const char *name)
{
    int which = act_math_named(name);

    if (strcmp(name, "model") == 0)
        return read_model(p, e);
    if (act_parse_next(p)) /* "(" */
        return NULL;
    if (which < 0)
        return read_function(p, e, name);
    e->kind = ACT_CALL_MATH;
    e->which = which;
    if (read_arguments(p, e->arguments, act_math_arguments(which), name, e->place))
        return NULL;
    e->type = which == ACT_FLOOR || which == ACT_CEIL ? ACT_LONG
              : which >= ACT_SQRT && which <= ACT_POW ? ACT_DOUBLE
                                                      : e->arguments[0]->type;
    if (act_math_arguments(which) == 2 && e->arguments[1]->type == ACT_DOUBLE)
        e->type = ACT_DOUBLE;
    return e;
}

static struct act_expr *read_name(struct act_parse *p)
{
    struct act_expr *e = make(p, ACT_VARIABLE, ACT_LONG);
    const char *name = p->lex.word.text;

    if (!e || act_parse_next(p))
        return NULL;
    if (act_parse_is(p, "("))
        return read_call(p, e, name);
    if (act_parse_is(p, "["))
        return read_index(p, e, name);
    e->variable = act_parse_variable(p, name);
    if (e->variable) {
        e->variable->used = 1;
        e->type = e->variable->type;
        return e;
    }
    e->kind = ACT_BUILTIN;
    e->which = act_builtin_named(name);
    if (e->which >= 0)
        return e;
    act_lex_refuse_at(&p->lex, e->place,
                      "found %.40s, expected a variable that was declared before, pid, "
                      "tid, uid, nproc, nnode or nthread",
                      name);
    return NULL;
}

struct act_expr *act_parse_number(struct act_parse *p)
{
    const struct act_word *word = &p->lex.word;
    struct act_expr *e =
        make(p, ACT_NUMBER, word->kind == CCA_TOKEN_INTEGER ? ACT_LONG : ACT_DOUBLE);

    if (!e)
        return NULL;
    e->text = word->text;
    if (word->kind == CCA_TOKEN_INTEGER)
        e->number.whole = word->whole;
    else
        e->number.real = word->real;
    return act_parse_next(p) ? NULL : e;
}

static struct act_expr *read_primary(struct act_parse *p)
{
    const struct act_word *word = &p->lex.word;
    struct act_expr *e;

    if (word->kind == CCA_TOKEN_INTEGER || word->kind == CCA_TOKEN_REAL)
        return act_parse_number(p);
    if (word->kind == CCA_TOKEN_NAME)
        return read_name(p);
    if (!act_parse_is(p, "(")) {
        act_lex_refuse(&p->lex, "an expression");
        return NULL;
    }
    if (act_parse_next(p) || !(e = act_parse_expression(p)) || act_parse_expect(p, ")"))
        return NULL;
    e->parentheses++;
    return e;
}

static struct act_expr *read_unary(struct act_parse *p)
{
    int negative = act_parse_is(p, "-");
    struct act_expr *e;

    if (!negative && !act_parse_is(p, "!"))
        return read_primary(p);
    e = make(p, ACT_UNARY, ACT_LONG);
    if (!e || ++p->depth > ACT_DEEPEST || act_parse_next(p) ||
        !(e->arguments[0] = read_unary(p)))
        return NULL;
    p->depth--;
    e->which = negative ? ACT_NEG : ACT_NOT;
    e->type = negative ? e->arguments[0]->type : ACT_LONG;
    return e;
}

/* The operator of the current token, or -1. */
static int operator_at(const struct act_parse *p)
{
    for (int o = ACT_OR; p->lex.word.kind == CCA_TOKEN_SIGN && o <= ACT_MOD; o++)
        if (act_parse_is(p, act_operator_texts[o]))
            return o;
    return -1;
}

/* Read operands and binary operators whose precedence (strength) is at least `least`; all
 * operators associate to the left. */
static struct act_expr *read_binary(struct act_parse *p, int least)
{
    struct act_expr *left = read_unary(p);
    int which;

    while (left && (which = operator_at(p)) >= 0 &&
           act_operator_strength[which] >= least) {
        struct act_expr *e = make(p, ACT_BINARY, ACT_LONG);

        if (!e || act_parse_next(p))
            return NULL;
        e->which = which;
        e->arguments[0] = left;
        e->arguments[1] = read_binary(p, act_operator_strength[which] + 1);
        if (!e->arguments[1])
            return NULL;
        if (which >= ACT_ADD &&
            (left->type == ACT_DOUBLE || e->arguments[1]->type == ACT_DOUBLE))
            e->type = ACT_DOUBLE;
        if (which == ACT_MOD &&
            (act_parse_long(p, left, "%") || act_parse_long(p, e->arguments[1], "%")))
            return NULL;
        left = e;
    }
    return left;
}

struct act_expr *act_parse_expression(struct act_parse *p)
{
    struct act_expr *condition, *e;

    if (++p->depth > ACT_DEEPEST) {
        act_lex_refuse_at(&p->lex, p->lex.word.place,
                          "found more than %d levels, expected fewer", ACT_DEEPEST);
        return NULL;
    }
    condition = read_binary(p, 0);
    if (!condition || !act_parse_is(p, "?")) {
        p->depth--;
        return condition;
    }
    e = make(p, ACT_CHOICE, ACT_LONG);
    if (!e || act_parse_next(p))
        return NULL;
    e->arguments[0] = condition;
    if (!(e->arguments[1] = act_parse_expression(p)) || act_parse_expect(p, ":") ||
        !(e->arguments[2] = act_parse_expression(p)))
        return NULL;
    if (e->arguments[1]->type == ACT_DOUBLE || e->arguments[2]->type == ACT_DOUBLE)
        e->type = ACT_DOUBLE;
    p->depth--;
    return e;
}
