/* SPDX-License-Identifier: BSD-3-Clause */
/* expr_value.c: evaluate expressions on arguments in memory. */
#include <stdbool.h>
#include <string.h>

#include "proxies/proxy_value.h"
#include "tools/proxygen/perf/expr.h"

/* --- Operations ----------------------------------------------------------- */

static double real_add(double a, double b)
{
    return a + b;
}

static double real_sub(double a, double b)
{
    return a - b;
}

static double real_mul(double a, double b)
{
    return a * b;
}

static int64_t bit_and(int64_t a, int64_t b)
{
    return a & b;
}

static int64_t bit_or(int64_t a, int64_t b)
{
    return a | b;
}

#define WHOLE(name) .whole_name = "proxy_" #name, .whole = proxy_##name
#define REAL(name) .real_name = "proxy_" #name, .real = proxy_##name
#define ORDER(name)                                                                      \
    WHOLE(name), .real_name = "proxy_" #name "_real", .holds = proxy_##name##_real

const struct pg_operation pg_operations[PG_OP_COUNT] = {
    [PG_DEREF] = {.strength = PG_SIGNS},
    [PG_RECALL] = {.strength = PG_SIGNS},
    [PG_NOT] = {.strength = PG_SIGNS},
    [PG_NEG] = {.strength = PG_SIGNS, .whole_name = "proxy_sub"},
    [PG_UPPER] = {.whole_name = "proxy_upper"},
    [PG_MIN] = {WHOLE(min), REAL(least)},
    [PG_MAX] = {WHOLE(max), REAL(most)},
    [PG_MUL] = {"*", 10, WHOLE(mul), .real = real_mul},
    [PG_DIV] = {"/", 10, WHOLE(div), REAL(ratio)},
    [PG_MOD] = {"%", 10, WHOLE(mod)},
    [PG_ADD] = {"+", 9, WHOLE(add), .real = real_add},
    [PG_SUB] = {"-", 9, WHOLE(sub), .real = real_sub},
    [PG_SHL] = {"<<", 8, WHOLE(shl)},
    [PG_SHR] = {">>", 8, WHOLE(shr)},
    [PG_LT] = {"<", 7, ORDER(lt)},
    [PG_GT] = {">", 7, ORDER(gt)},
    [PG_LE] = {"<=", 7, ORDER(le)},
    [PG_GE] = {">=", 7, ORDER(ge)},
    [PG_EQ] = {"==", 6, ORDER(eq)},
    [PG_NE] = {"!=", 6, ORDER(ne)},
    [PG_BIT_AND] = {"&", 5, .whole = bit_and},
    [PG_BIT_OR] = {"|", 4, .whole = bit_or},
    [PG_BOTH] = {"&&", 3},
    [PG_EITHER] = {"||", 2},
    [PG_CHOOSE] = {.strength = 1},
};

int pg_op_strength(enum pg_op op)
{
    return pg_operations[op].strength ? pg_operations[op].strength : PG_OPERAND;
}

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

/* Load a bit-field, of at most 64 bits in at most 9 bytes. */
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

/* Return the pointer that is stored at a place; NULL also if the place is unreachable. */
static const unsigned char *pointer(const struct pg_expr *expr, struct pg_frame *frame)
{
    const unsigned char *at = expr_address(expr, frame), *value;

    if (!at)
        return NULL;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Return the first element of an array, or the target of a pointer. */
static const unsigned char *left_address(const struct pg_expr *expr,
                                         struct pg_frame *frame)
{
    return expr->type->kind == PG_TYPE_POINTER ? pointer(expr, frame)
                                               : expr_address(expr, frame);
}

/* Return the address of a place; NULL: unreachable. */
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
        /* an unknown index makes the place unreachable */
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
    /* initialise with `.i`: its zero bits are 0.0 in the other member, too */
    union monitor_value value = {.i = 0};

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

/* Return the string at a place, and the largest size that it can have; NULL: none. */
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

static double expr_floating(const struct pg_expr *expr, struct pg_frame *frame)
{
    double left = as_double(expr->left, frame);

    return expr->op == PG_NEG
               ? -left
               : pg_operations[expr->op].real(left, as_double(expr->right, frame));
}

static int64_t expr_integer(const struct pg_expr *expr, struct pg_frame *frame)
{
    const struct pg_operation *operation = &pg_operations[expr->op];
    int64_t left;

    if (operation->holds &&
        (expr->left->cls == PG_FLOATING || expr->right->cls == PG_FLOATING)) {
        double a = as_double(expr->left, frame), b = as_double(expr->right, frame);

        return operation->holds(a, b);
    }
    left = pg_expr_value(expr->left, frame).i;
    if (expr->op == PG_NEG)
        return proxy_sub(0, left);
    return expr->op == PG_UPPER
               ? proxy_upper(left)
               : operation->whole(left, pg_expr_value(expr->right, frame).i);
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
            value.i = expr_integer(expr, frame);
    }
    return value;
}

/* Return the index of the label that equals the string; MONITOR_ABSENT if the string is
 * unreachable. */
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
