/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: compiling and running expressions on a stack of values. */
#include "proxies/ffi/program.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "proxies/proxy_value.h"

enum { STACK = 160 };

enum action {
    CONSTANT,
    ARGUMENT,
    POINTED, /* what an argument points to */
    TO_DOUBLE,
    NEGATE, /* these of int64 ... */
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    NEGATE_REAL, /* ... and these of double */
    ADD_REAL,
    SUBTRACT_REAL,
    MULTIPLY_REAL,
    DIVIDE_REAL
};

enum form {
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    TRUTH,
    SINGLE,
    DOUBLE,
    EXTENDED
};

struct fproxy_step {
    enum action action;
    enum form form; /* of what is loaded */
    size_t arg;
    union monitor_value value; /* of a constant */
};

/* --- Compiling ----------------------------------------------------------------------- */

struct compiler {
    struct fproxy_step *steps; /* NULL: only count */
    size_t count;
    int depth, deepest; /* of the stack */
    const struct pg_method *method;
    struct fproxy_step nowhere;
};

static struct fproxy_step *step(struct compiler *c, enum action action, int change)
{
    struct fproxy_step *made = c->steps ? &c->steps[c->count] : &c->nowhere;

    c->count++;
    c->depth += change;
    if (c->depth > c->deepest)
        c->deepest = c->depth;
    made->action = action;
    return made;
}

static enum form form_of(const struct pg_scalar *scalar)
{
    if (scalar->cls == PG_FLOATING)
        return scalar->bits == 32 ? SINGLE : scalar->bits == 64 ? DOUBLE : EXTENDED;
    switch (scalar->bits) {
    case 1:
        return TRUTH;
    case 8:
        return scalar->is_signed ? INT8 : UINT8;
    case 16:
        return scalar->is_signed ? INT16 : UINT16;
    case 32:
        return scalar->is_signed ? INT32 : UINT32;
    default:
        return INT64; /* an unsigned one is taken as int64 */
    }
}

static void compile(struct compiler *c, const struct pg_expr *expr);

static void compile_leaf(struct compiler *c, const struct pg_expr *expr)
{
    struct fproxy_step *made;

    if (expr->op == PG_INT || expr->op == PG_REAL) {
        made = step(c, CONSTANT, 1);
        if (expr->op == PG_INT)
            made->value.i = expr->i;
        else
            made->value.d = expr->d;
        return;
    }
    made = step(c, expr->op == PG_DEREF ? POINTED : ARGUMENT, 1);
    made->arg = expr->arg;
    made->form = form_of(expr->op == PG_DEREF ? &c->method->args[expr->arg].pointee
                                              : &c->method->args[expr->arg].value);
}

/* An operand of a node of class `cls`. */
static void compile_operand(struct compiler *c, const struct pg_expr *expr,
                            enum pg_class cls)
{
    compile(c, expr);
    if (cls == PG_FLOATING && expr->cls == PG_INTEGER)
        step(c, TO_DOUBLE, 0);
}

static void compile(struct compiler *c, const struct pg_expr *expr)
{
    static const enum action integer[] = {
        [PG_NEG] = NEGATE,   [PG_ADD] = ADD,    [PG_SUB] = SUBTRACT,
        [PG_MUL] = MULTIPLY, [PG_DIV] = DIVIDE, [PG_MOD] = MODULO,
    };
    static const enum action real[] = {
        [PG_NEG] = NEGATE_REAL,   [PG_ADD] = ADD_REAL,    [PG_SUB] = SUBTRACT_REAL,
        [PG_MUL] = MULTIPLY_REAL, [PG_DIV] = DIVIDE_REAL, [PG_MOD] = DIVIDE_REAL,
    };

    if (!expr->left) {
        compile_leaf(c, expr);
        return;
    }
    compile_operand(c, expr->left, expr->cls);
    if (expr->right)
        compile_operand(c, expr->right, expr->cls);
    step(c, expr->cls == PG_FLOATING ? real[expr->op] : integer[expr->op],
         expr->right ? -1 : 0);
}

int fproxy_program_make(struct fproxy_program *program, struct fproxy_pool *pool,
                        const struct pg_expr *expr, const struct pg_method *method)
{
    struct compiler c = {.method = method};

    compile(&c, expr);
    if (c.deepest > STACK)
        return -E2BIG;
    program->steps = fproxy_pool_get(pool, c.count, sizeof *program->steps);
    if (!program->steps)
        return -ENOMEM;
    c = (struct compiler){.steps = program->steps, .method = method};
    compile(&c, expr);
    program->count = c.count;
    program->type = expr->cls == PG_FLOATING ? MONITOR_DOUBLE : MONITOR_INT64;
    return 0;
}

/* --- Running ------------------------------------------------------------------------- */

#define LOAD(member, type)                                                               \
    do {                                                                                 \
        type loaded;                                                                     \
        memcpy(&loaded, at, sizeof loaded);                                              \
        value.member = loaded;                                                           \
    } while (0)

/* A number of that form. In memory it may lie anywhere. */
static inline union monitor_value load(enum form form, const void *at)
{
    union monitor_value value;

    switch (form) {
    case INT8:
        LOAD(i, int8_t);
        break;
    case INT16:
        LOAD(i, int16_t);
        break;
    case INT32:
        LOAD(i, int32_t);
        break;
    case INT64:
        LOAD(i, int64_t);
        break;
    case UINT8:
        LOAD(i, uint8_t);
        break;
    case UINT16:
        LOAD(i, uint16_t);
        break;
    case UINT32:
        LOAD(i, uint32_t);
        break;
    case TRUTH:
        LOAD(i, bool);
        break;
    case SINGLE:
        LOAD(d, float);
        break;
    case DOUBLE:
        LOAD(d, double);
        break;
    default: {
        long double loaded;

        memcpy(&loaded, at, sizeof loaded);
        value.d = (double)loaded;
    }
    }
    return value;
}

static inline union monitor_value load_pointed(const struct fproxy_step *s,
                                               const void *at, int *absent)
{
    const void *pointer;

    memcpy(&pointer, at, sizeof pointer);
    if (pointer)
        return load(s->form, pointer);
    *absent = 1;
    /* All bits zero are 0 of both. */
    return (union monitor_value){.i = 0};
}

/* `*a` with what lies above it on the stack. */
static inline void operate(enum action action, union monitor_value *a)
{
    const union monitor_value b = a[1];

    switch (action) {
    case ADD:
        a->i = proxy_add(a->i, b.i);
        break;
    case SUBTRACT:
        a->i = proxy_sub(a->i, b.i);
        break;
    case MULTIPLY:
        a->i = proxy_mul(a->i, b.i);
        break;
    case DIVIDE:
        a->i = proxy_div(a->i, b.i);
        break;
    case MODULO:
        a->i = proxy_mod(a->i, b.i);
        break;
    case ADD_REAL:
        a->d += b.d;
        break;
    case SUBTRACT_REAL:
        a->d -= b.d;
        break;
    case MULTIPLY_REAL:
        a->d *= b.d;
        break;
    default:
        a->d = proxy_ratio(a->d, b.d);
    }
}

union monitor_value fproxy_program_run(const struct fproxy_program *program,
                                       void *const *args, int *absent)
{
    union monitor_value stack[STACK + 2], *top = stack; /* the lowest one stays unused */
    const struct fproxy_step *end = program->steps + program->count;

    for (const struct fproxy_step *s = program->steps; s < end; s++) {
        switch (s->action) {
        case CONSTANT:
            *++top = s->value;
            break;
        case ARGUMENT:
            *++top = load(s->form, args[s->arg]);
            break;
        case POINTED:
            *++top = load_pointed(s, args[s->arg], absent);
            break;
        case TO_DOUBLE:
            top->d = (double)top->i;
            break;
        case NEGATE:
            top->i = proxy_sub(0, top->i);
            break;
        case NEGATE_REAL:
            top->d = -top->d;
            break;
        default:
            operate(s->action, --top);
        }
    }
    return *top;
}
