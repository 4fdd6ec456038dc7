/* SPDX-License-Identifier: BSD-3-Clause */
/* expr_value.c: compute expressions from the arguments in memory. */
#include <stdbool.h>
#include <string.h>

#include "proxies/proxy_value.h"
#include "tools/proxygen/perf/expr.h"

/* --- Numbers in memory ---------------------------------------------------- */

#define LOAD(member, type)                                                               \
    do {                                                                                 \
        type loaded;                                                                     \
        memcpy(&loaded, at, sizeof loaded);                                              \
        value.member = loaded;                                                           \
    } while (0)

/* Load a number at any address. A uint64 is converted to int64. */
union monitor_value pg_scalar_load(const struct pg_scalar *scalar, const void *at)
{
    union monitor_value value = {.i = 0};
    long double extended;

    switch ((scalar->cls == PG_FLOATING ? 1000
             : scalar->is_signed        ? 0
                                        : 100) +
            scalar->bits) {
    case 8:
        LOAD(i, int8_t);
        break;
    case 16:
        LOAD(i, int16_t);
        break;
    case 32:
        LOAD(i, int32_t);
        break;
    case 64:
    case 164:
        LOAD(i, int64_t);
        break;
    case 101:
        LOAD(i, bool);
        break;
    case 108:
        LOAD(i, uint8_t);
        break;
    case 116:
        LOAD(i, uint16_t);
        break;
    case 132:
        LOAD(i, uint32_t);
        break;
    case 1032:
        LOAD(d, float);
        break;
    case 1064:
        LOAD(d, double);
        break;
    default:
        memcpy(&extended, at, sizeof extended);
        value.d = (double)extended;
    }
    return value;
}

void pg_scalar_store(const struct pg_scalar *scalar, enum pg_class cls,
                     union monitor_value value, void *at)
{
    long double extended =
        cls == PG_FLOATING ? (long double)value.d : (long double)value.i;
    double real = (double)extended;
    float single = (float)real;
    int64_t whole = cls == PG_FLOATING ? (int64_t)value.d : value.i;

    if (scalar->cls == PG_FLOATING && scalar->bits == 32)
        memcpy(at, &single, sizeof single);
    else if (scalar->cls == PG_FLOATING && scalar->bits == 64)
        memcpy(at, &real, sizeof real);
    else if (scalar->cls == PG_FLOATING)
        memcpy(at, &extended, sizeof extended);
    else /* little-endian: the low bytes come first */
        memcpy(at, &whole, scalar->bits == 1 ? 1 : (size_t)scalar->bits / 8);
}

/* A bit-field, of at most 64 bits in at most 9 bytes. */
static int64_t load_bits(const struct pg_field *field, int is_signed,
                         const unsigned char *at)
{
    uint64_t bits = 0;

    for (int i = 0; i < field->bits; i++) {
        int from = field->bit + i;

        bits |= (uint64_t)(at[from / 8] >> (from % 8) & 1) << i;
    }
    if (is_signed && field->bits < 64 && bits >> (field->bits - 1))
        bits |= ~UINT64_C(0) << field->bits;
    return (int64_t)bits;
}

/* --- Places --------------------------------------------------------------- */

static const unsigned char *expr_address(const struct pg_expr *expr,
                                         struct pg_frame *frame);

/* The pointer stored at a place; NULL also for an unreachable place. */
static const unsigned char *pointer(const struct pg_expr *expr, struct pg_frame *frame)
{
    const unsigned char *at = expr_address(expr, frame), *value;

    if (!at)
        return NULL;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The first element of an array, or the target of a pointer. */
static const unsigned char *left_address(const struct pg_expr *expr,
                                         struct pg_frame *frame)
{
    return expr->type->kind == PG_TYPE_POINTER ? pointer(expr, frame)
                                               : expr_address(expr, frame);
}

/* The address of a place; NULL: unreachable. */
static const unsigned char *expr_address(const struct pg_expr *expr,
                                         struct pg_frame *frame)
{
    const unsigned char *at;
    struct pg_frame inner;
    int64_t index;

    switch (expr->op) {
    case PG_ARG:
        return frame->args[expr->arg];
    case PG_RETURN:
        return frame->result;
    case PG_GOT:
        return (const void *)(frame->got[expr->i] ? &frame->got[expr->i][expr->arg]
                                                  : NULL);
    case PG_DEREF:
        return pointer(expr->left, frame);
    case PG_FIELD:
        at = left_address(expr->left, frame);
        return at ? at + expr->field->offset : NULL;
    default: /* PG_INDEX */
        at = left_address(expr->left, frame);
        if (!at)
            return NULL;
        /* An unknown index reaches no place. */
        inner = *frame;
        inner.missing = 0;
        index = pg_expr_value(expr->right, &inner).i;
        if (inner.missing)
            return NULL;
        return proxy_within(index, expr->i) ? at + (size_t)index * expr->type->size
                                            : NULL;
    }
}

static union monitor_value place_value(const struct pg_expr *expr, struct pg_frame *frame)
{
    const unsigned char *at = expr_address(expr, frame);
    union monitor_value value = {.i = 0}; /* all bits zero are 0 of both */

    if (!at)
        frame->missing = 1;
    else if (expr->op == PG_GOT)
        memcpy(&value, at, sizeof value);
    else if (expr->op == PG_FIELD && expr->field->bits)
        value.i = load_bits(expr->field, expr->type->scalar.is_signed, at);
    else
        value = pg_scalar_load(&expr->type->scalar, at);
    return value;
}

/* The string at a place, and its maximal size; NULL: none. */
static const void *expr_string(const struct pg_expr *expr, struct pg_frame *frame,
                               int64_t *most)
{
    const struct pg_type *type = expr->type;

    *most =
        type->kind == PG_TYPE_ARRAY && type->count > 1 ? (int64_t)type->count : INT64_MAX;
    return left_address(expr, frame);
}

static int64_t length_of(const struct pg_expr *expr, struct pg_frame *frame)
{
    int64_t most, limit;
    const void *text = expr_string(expr->left, frame, &most);

    if (!text) {
        frame->missing = 1;
        return 0;
    }
    limit = expr->right ? pg_expr_value(expr->right, frame).i : INT64_MAX;
    return proxy_strlen(text, proxy_min(limit, most));
}

uint64_t pg_handle_value(const struct pg_expr *expr, struct pg_frame *frame)
{
    int before = frame->missing;
    uint64_t handle;

    if (expr->cls == PG_OTHER)
        return proxy_pointer_handle(pointer(expr, frame));
    frame->missing = 0;
    handle = proxy_integer_handle(pg_expr_value(expr, frame).i);
    if (frame->missing)
        handle = 0;
    frame->missing = before;
    return handle;
}

/* --- Operators ------------------------------------------------------------ */

static double as_double(const struct pg_expr *expr, struct pg_frame *frame)
{
    union monitor_value value = pg_expr_value(expr, frame);

    return expr->cls == PG_FLOATING ? value.d : (double)value.i;
}

static int expr_truth(const struct pg_expr *expr, struct pg_frame *frame)
{
    if (expr->cls == PG_FLOATING)
        return pg_expr_value(expr, frame).d != 0.0;
    if (expr->cls == PG_INTEGER)
        return pg_expr_value(expr, frame).i != 0;
    /* A NULL pointer is a valid value, an unreachable one is not. */
    if (!expr_address(expr, frame))
        frame->missing = 1;
    return pointer(expr, frame) != NULL;
}

static int order_holds(enum pg_op op, int less, int equal, int more)
{
    switch (op) {
    case PG_LT:
        return less;
    case PG_GT:
        return more;
    case PG_LE:
        return less || equal;
    case PG_GE:
        return more || equal;
    case PG_EQ:
        return equal;
    default:
        return !equal;
    }
}

static int expr_compare(const struct pg_expr *expr, struct pg_frame *frame)
{
    if (expr->left->cls == PG_FLOATING || expr->right->cls == PG_FLOATING) {
        double a = as_double(expr->left, frame), b = as_double(expr->right, frame);

        return order_holds(expr->op, a<b, a == b, a> b);
    }
    int64_t a = pg_expr_value(expr->left, frame).i,
            b = pg_expr_value(expr->right, frame).i;

    return order_holds(expr->op, a<b, a == b, a> b);
}

static double expr_floating(const struct pg_expr *expr, struct pg_frame *frame)
{
    double left = as_double(expr->left, frame);
    double right = expr->right ? as_double(expr->right, frame) : 0.0;

    switch (expr->op) {
    case PG_NEG:
        return -left;
    case PG_ADD:
        return left + right;
    case PG_SUB:
        return left - right;
    case PG_MUL:
        return left * right;
    case PG_MIN:
        return proxy_least(left, right);
    case PG_MAX:
        return proxy_most(left, right);
    default:
        return proxy_ratio(left, right);
    }
}

static int64_t integer(const struct pg_expr *expr, struct pg_frame *frame)
{
    int64_t left = pg_expr_value(expr->left, frame).i;
    int64_t right = expr->right ? pg_expr_value(expr->right, frame).i : 0;

    switch (expr->op) {
    case PG_NEG:
        return proxy_sub(0, left);
    case PG_UPPER:
        return proxy_upper(left);
    case PG_ADD:
        return proxy_add(left, right);
    case PG_SUB:
        return proxy_sub(left, right);
    case PG_MUL:
        return proxy_mul(left, right);
    case PG_DIV:
        return proxy_div(left, right);
    case PG_MOD:
        return proxy_mod(left, right);
    case PG_SHL:
        return proxy_shl(left, right);
    case PG_SHR:
        return proxy_shr(left, right);
    case PG_BIT_AND:
        return left & right;
    case PG_BIT_OR:
        return left | right;
    case PG_MIN:
        return proxy_min(left, right);
    default:
        return proxy_max(left, right);
    }
}

union monitor_value pg_expr_value(const struct pg_expr *expr, struct pg_frame *frame)
{
    union monitor_value value;

    switch (expr->op) {
    case PG_ARG:
    case PG_RETURN:
    case PG_DEREF:
    case PG_FIELD:
    case PG_INDEX:
    case PG_GOT:
        if (expr->cls == PG_OTHER) {
            value.i = (int64_t)(intptr_t)pointer(expr, frame);
            break;
        }
        return place_value(expr, frame);
    case PG_RECALL:
        return proxy_recall(frame->memory, frame->owner, (uint32_t)expr->arg,
                            pg_handle_value(expr->left, frame), &frame->missing);
    case PG_INT:
    case PG_SIZEOF:
    case PG_COUNTOF:
        value.i = expr->i;
        break;
    case PG_REAL:
        value.d = expr->d;
        break;
    case PG_STRLEN:
        value.i = length_of(expr, frame);
        break;
    case PG_NOT:
        value.i = !expr_truth(expr->left, frame);
        break;
    case PG_BOTH:
        value.i = expr_truth(expr->left, frame) && expr_truth(expr->right, frame);
        break;
    case PG_EITHER:
        value.i = expr_truth(expr->left, frame) || expr_truth(expr->right, frame);
        break;
    case PG_LT:
    case PG_GT:
    case PG_LE:
    case PG_GE:
    case PG_EQ:
    case PG_NE:
        value.i = expr_compare(expr, frame);
        break;
    case PG_CHOOSE: {
        const struct pg_expr *arm =
            expr_truth(expr->left, frame) ? expr->right : expr->third;

        if (expr->cls == PG_FLOATING)
            value.d = as_double(arm, frame);
        else
            value = pg_expr_value(arm, frame);
        break;
    }
    default:
        if (expr->cls == PG_FLOATING)
            value.d = expr_floating(expr, frame);
        else
            value.i = integer(expr, frame);
    }
    return value;
}

/* The string's index in the set; MONITOR_ABSENT: unreachable. */
static int64_t which_string(const struct pg_value *value, struct pg_frame *frame)
{
    int64_t most, which;
    const void *text = expr_string(value->expr, frame, &most);

    if (!expr_address(value->expr, frame))
        return MONITOR_ABSENT;
    which = text ? -1 : -2;
    for (size_t i = 0; text && i < value->label_count && which < 0; i++)
        if (value->labels[i].value >= 0 && proxy_is(text, most, value->labels[i].text))
            which = value->labels[i].value;
    return which;
}

union monitor_value pg_value_take(const struct pg_value *value, struct pg_frame *frame)
{
    union monitor_value taken;

    if (value->strings) {
        taken.i = which_string(value, frame);
        return taken;
    }
    frame->missing = 0;
    taken = pg_expr_value(value->expr, frame);
    if (frame->missing)
        taken.i = value->expr->cls == PG_FLOATING ? MONITOR_ABSENT_BITS : MONITOR_ABSENT;
    else if (value->expr->cls != PG_FLOATING)
        taken.i = proxy_present(taken.i);
    return taken;
}
