/* SPDX-License-Identifier: BSD-3-Clause */
/* expr_c.c: print expressions as C.
 *
 * A place that is reached through pointers gets guards: "p && p->next". They precede the
 * whole expression, whose value is absent if a guard is false. In an expression that
 * chooses between places (by '?:', '&&' or '||') only the chosen places matter: there
 * each place has its own guard, which marks the value as missing if it is evaluated and
 * false. In handles and conditions each place has its own guard, too; the place's value
 * is 0 if the guard is false. */
#include <inttypes.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/word.h"

enum guarding {
    GUARD_ZERO,   /* guard each memory access; the value of unreachable memory is 0 */
    GUARD_MARK,   /* guard each memory access; unreachable memory marks the whole value as
                     missing */
    GUARD_NOTHING /* no guard at memory accesses: guards precede the expression */
};

struct printer {
    FILE *out;
    const struct pg_method *method;
    const struct pg_c_names *names;
    enum guarding guarding;
};

static void print_c(const struct printer *p, const struct pg_expr *expr, int least);

static int is_place(const struct pg_expr *expr)
{
    return expr->op <= PG_GOT;
}

static int leaf(const struct pg_expr *expr)
{
    return is_place(expr) || expr->op == PG_RECALL || expr->op == PG_STRLEN ||
           expr->op == PG_INT || expr->op == PG_REAL || expr->op == PG_SIZEOF ||
           expr->op == PG_COUNTOF;
}

/* --- Places --------------------------------------------------------------- */

/* Print the place in memory (argument, field, element, target of a pointer) as C,
 * without guards. */
static void print_place(const struct printer *p, const struct pg_expr *expr, int least)
{
    struct printer bare = *p;
    int brackets = expr->op == PG_DEREF && least == PG_OPERAND;

    bare.guarding = GUARD_NOTHING;
    if (brackets)
        fputc('(', p->out);
    switch (expr->op) {
    case PG_ARG:
        fputs(p->names->args[expr->arg], p->out);
        break;
    case PG_RETURN:
        fputs(p->names->result, p->out);
        break;
    case PG_GOT:
        fprintf(p->out, "proxy_got_%" PRId64 "_%zu", expr->i, expr->arg);
        break;
    case PG_DEREF:
        fputc('*', p->out);
        print_place(&bare, expr->left, PG_SIGNS);
        break;
    case PG_FIELD:
        print_place(&bare, expr->left, PG_OPERAND);
        fprintf(p->out, "%s%s", expr->left->type->kind == PG_TYPE_POINTER ? "->" : ".",
                expr->field->name);
        break;
    default: /* PG_INDEX */
        print_place(&bare, expr->left, PG_OPERAND);
        fputc('[', p->out);
        print_c(&bare, expr->right, 0);
        fputc(']', p->out);
    }
    if (brackets)
        fputc(')', p->out);
}

static int is_pointer(const struct pg_expr *expr)
{
    return expr->type && expr->type->kind == PG_TYPE_POINTER;
}

/* True if the node is an array element whose index is known only at run time. */
static int open_index(const struct pg_expr *expr)
{
    return expr->op == PG_INDEX && expr->right->op != PG_INT;
}

/* True if the node adds its own guard, a test that the memory it reads is reachable. */
static int needs_guard(const struct pg_expr *expr)
{
    return open_index(expr) || ((expr->op == PG_DEREF || expr->op == PG_FIELD ||
                                 expr->op == PG_INDEX || expr->op == PG_STRLEN) &&
                                is_pointer(expr->left));
}

static int same_guard(const struct pg_expr *a, const struct pg_expr *b)
{
    return pg_expr_equal(a->left, b->left) &&
           ((!open_index(a) && !open_index(b)) || pg_expr_equal(a, b));
}

/* True if the node reads memory. Sizes are constants. */
static int reads_memory(const struct pg_expr *expr)
{
    return expr && expr->op != PG_SIZEOF && expr->op != PG_COUNTOF;
}

/* True if a node that print_guards visits before `last` has the same guard. */
static int met_before(const struct pg_expr *expr, const struct pg_expr *last, int *done)
{
    const struct pg_expr *const parts[] = {expr->left, expr->right, expr->third};

    for (int i = 0; i < 3 && !*done; i++)
        if (reads_memory(parts[i]) && met_before(parts[i], last, done))
            return 1;
    if (*done)
        return 0;
    if (expr == last) {
        *done = 1;
        return 0;
    }
    return needs_guard(expr) && same_guard(expr, last);
}

static void print_own_guard(const struct printer *p, const struct pg_expr *expr)
{
    if (is_pointer(expr->left))
        print_place(p, expr->left, PG_SIGNS);
    if (!open_index(expr))
        return;
    fprintf(p->out, "%sproxy_within(", is_pointer(expr->left) ? " && " : "");
    print_c(p, expr->right, 0);
    fprintf(p->out, ", %" PRId64 ")", expr->i);
}

/* Print the guards of all places in `expr`; a guard that another guard needs comes first.
 * Returns the number of guards. */
static int print_guards(const struct printer *p, const struct pg_expr *expr,
                        const struct pg_expr *root, int count)
{
    struct printer bare = *p;
    int done = 0;

    if (!reads_memory(expr))
        return count;
    bare.guarding = GUARD_NOTHING;
    if (!root)
        root = expr;
    count = print_guards(p, expr->left, root, count);
    count = print_guards(p, expr->right, root, count);
    count = print_guards(p, expr->third, root, count);
    if (!needs_guard(expr) || met_before(root, expr, &done))
        return count;
    if (count)
        fputs(" && ", p->out);
    print_own_guard(&bare, expr);
    return count + 1;
}

static int has_guards(const struct pg_expr *expr)
{
    return reads_memory(expr) && (needs_guard(expr) || has_guards(expr->left) ||
                                  has_guards(expr->right) || has_guards(expr->third));
}

static int is_comparison(enum pg_op op)
{
    return pg_operations[op].holds != NULL;
}

/* True for nodes whose value is always 0 or 1. */
static int is_truth(const struct pg_expr *expr)
{
    return is_comparison(expr->op) || expr->op == PG_NOT || expr->op == PG_BOTH ||
           expr->op == PG_EITHER;
}

/* --- Ranges --------------------------------------------------------------- */

static int at_most_63(int bits)
{
    return bits < 63 ? bits : 63;
}

/* Return the exponent b of a bound |v| <= 2^b on the integer value v of `expr`; 63: no
 * bound is known. */
static int magnitude(const struct pg_expr *expr)
{
    int left, right, bits = 0;

    if (is_truth(expr))
        return 0;
    switch (expr->op) {
    case PG_INT:
    case PG_SIZEOF:
    case PG_COUNTOF:
        while (bits < 63 && expr->i > INT64_C(1) << bits)
            bits++;
        return bits;
    case PG_ARG:
    case PG_RETURN:
    case PG_DEREF:
    case PG_INDEX:
    case PG_GOT:
        return at_most_63(expr->type->scalar.bits - (expr->type->scalar.is_signed != 0));
    case PG_FIELD:
        bits = expr->field->bits ? expr->field->bits : expr->type->scalar.bits;
        return at_most_63(bits - (expr->type->scalar.is_signed != 0));
    case PG_NEG:
    case PG_DIV:
    case PG_UPPER:
        return magnitude(expr->left);
    case PG_MIN:
    case PG_MAX:
    case PG_MOD:
        left = magnitude(expr->left);
        right = magnitude(expr->right);
        return (left < right) == (expr->op == PG_MOD) ? left : right;
    case PG_CHOOSE:
        left = magnitude(expr->right);
        right = magnitude(expr->third);
        return left > right ? left : right;
    case PG_MUL:
        return at_most_63(magnitude(expr->left) + magnitude(expr->right));
    case PG_ADD:
    case PG_SUB:
        left = magnitude(expr->left);
        right = magnitude(expr->right);
        return at_most_63((left > right ? left : right) + 1);
    default:
        return 63;
    }
}

/* True if plain C arithmetic of the node cannot overflow or trap. */
static int is_safe(const struct pg_expr *expr)
{
    if (expr->op == PG_DIV || expr->op == PG_MOD)
        return expr->right->op == PG_INT && expr->right->i > 0;
    return magnitude(expr) < 63;
}

/* --- Values --------------------------------------------------------------- */

static const char *cast_of(const struct pg_expr *expr, int wide)
{
    const struct pg_scalar *scalar = &expr->type->scalar;

    if (scalar->cls == PG_FLOATING)
        return scalar->bits == 64 ? "" : "(double)";
    return wide || (scalar->bits == 64 && !scalar->is_signed) ? "(int64_t)" : "";
}

static void print_strlen(const struct printer *p, const struct pg_expr *expr)
{
    const struct pg_type *type = expr->left->type;
    int bound = type->kind == PG_TYPE_ARRAY && type->count > 1;

    fputs("proxy_strlen(", p->out);
    print_place(p, expr->left, 0);
    fprintf(p->out, ", %s", bound && expr->right ? "proxy_min(" : "");
    if (expr->right)
        print_c(p, expr->right, 0);
    if (bound)
        fprintf(p->out, "%s%zu%s", expr->right ? ", " : "", type->count,
                expr->right ? ")" : "");
    else if (!expr->right)
        fputs("INT64_MAX", p->out);
    fputc(')', p->out);
}

static void print_pointer(const struct printer *p, const struct pg_expr *expr);

static void print_handle(const struct printer *p, const struct pg_expr *expr)
{
    if (expr->cls == PG_OTHER) {
        fputs("proxy_pointer_handle(", p->out);
        print_pointer(p, expr);
    } else if (has_guards(expr)) {
        fputs("proxy_integer_handle(", p->out);
        print_guards(p, expr, NULL, 0);
        fputs(" ? ", p->out);
        print_c(p, expr, PG_SIGNS);
        fputs(" : -1", p->out);
    } else {
        fputs("proxy_integer_handle(", p->out);
        print_c(p, expr, 0);
    }
    fputc(')', p->out);
}

static void print_recall(const struct printer *p, const struct pg_expr *expr)
{
    struct printer handle = *p;

    /* if the handle is unreachable, its value is unknown */
    handle.guarding = GUARD_ZERO;
    fprintf(p->out, "proxy_recall(%s, %zu, ", p->names->memory, expr->arg);
    print_handle(&handle, expr->left);
    fprintf(p->out, ", &proxy_gone).%c", expr->cls == PG_FLOATING ? 'd' : 'i');
}

/* Print a leaf (an expression without operators) as a value of its class. `wide`: the C
 * type of an integer must be int64_t. */
static void print_leaf(const struct printer *p, const struct pg_expr *expr, int wide)
{
    struct printer bare = *p;
    int guard = p->guarding != GUARD_NOTHING && expr->op != PG_RECALL && has_guards(expr);

    bare.guarding = GUARD_NOTHING;
    if (guard) {
        fputc('(', p->out);
        print_guards(p, expr, NULL, 0);
        fputs(" ? ", p->out);
    }
    if (expr->op == PG_REAL) {
        pg_expr_print(p->out, expr, p->method);
    } else if (expr->op == PG_RECALL) {
        print_recall(p, expr);
    } else if (expr->op == PG_GOT) {
        fprintf(p->out,
                "(proxy_have_%" PRId64 " ? %sproxy_got_%" PRId64 "_%zu"
                " : proxy_missing(&proxy_gone))",
                expr->i, cast_of(expr, 1), expr->i, expr->arg);
    } else if (expr->op == PG_STRLEN) {
        print_strlen(&bare, expr);
    } else if (is_place(expr)) {
        fputs(cast_of(expr, wide || p->guarding == GUARD_MARK), p->out);
        print_place(&bare, expr, PG_SIGNS);
    } else {
        fprintf(p->out, "%s%" PRId64, wide ? "(int64_t)" : "", expr->i);
    }
    if (guard)
        fprintf(p->out, " : %s)",
                p->guarding == GUARD_MARK ? "proxy_missing(&proxy_gone)" : "0");
}

/* Print the node so that its C type is int64_t or double: then C computes the expression
 * around it in that type. */
static void print_typed(const struct printer *p, const struct pg_expr *expr, int least)
{
    if (is_truth(expr) && !is_comparison(expr->op)) {
        fputs("(int64_t)", p->out);
        print_c(p, expr, PG_SIGNS);
    } else if (!leaf(expr) || expr->cls == PG_FLOATING) {
        print_c(p, expr, least);
    } else {
        print_leaf(p, expr, 1);
    }
}

/* Print a pointer as an argument or a condition; it is NULL if its place is
 * unreachable. */
static void print_pointer(const struct printer *p, const struct pg_expr *expr)
{
    int guard = p->guarding != GUARD_NOTHING && has_guards(expr);

    if (guard) {
        fputc('(', p->out);
        print_guards(p, expr, NULL, 0);
        fputs(" ? ", p->out);
    }
    print_place(p, expr, PG_SIGNS);
    if (guard)
        fprintf(p->out, " : %s)",
                p->guarding == GUARD_MARK ? "(proxy_missing(&proxy_gone), NULL)"
                                          : "NULL");
}

/* Print an operand of '!', '&&', '||' or '?' without arithmetic, about which compilers
 * would warn. */
static void print_truth(const struct printer *p, const struct pg_expr *expr)
{
    if (expr->cls == PG_OTHER) {
        print_pointer(p, expr);
    } else if (is_truth(expr) || expr->op == PG_ARG) {
        print_c(p, expr, PG_SIGNS);
    } else {
        fputs(expr->cls == PG_FLOATING ? "proxy_ne_real(" : "proxy_ne(", p->out);
        print_c(p, expr, 0);
        fputs(", 0)", p->out);
    }
}

static void print_call(const struct printer *p, const struct pg_expr *expr)
{
    const struct pg_operation *operation = &pg_operations[expr->op];
    int floating = expr->cls == PG_FLOATING ||
                   (is_comparison(expr->op) &&
                    (expr->left->cls == PG_FLOATING || expr->right->cls == PG_FLOATING));

    fprintf(p->out, "%s(%s", floating ? operation->real_name : operation->whole_name,
            expr->op == PG_NEG ? "0, " : "");
    print_c(p, expr->left, 0);
    if (expr->right) {
        fputs(", ", p->out);
        print_c(p, expr->right, 0);
    }
    fputc(')', p->out);
}

static int is_call(const struct pg_expr *expr)
{
    if (is_comparison(expr->op))
        return 1;
    switch (expr->op) {
    case PG_MIN:
    case PG_MAX:
    case PG_UPPER:
    case PG_SHL:
    case PG_SHR:
        return 1;
    case PG_NEG:
    case PG_ADD:
    case PG_SUB:
    case PG_MUL:
    case PG_MOD:
        return expr->cls != PG_FLOATING && !is_safe(expr);
    case PG_DIV:
        if (expr->cls == PG_FLOATING)
            return !(expr->right->op == PG_REAL || expr->right->op == PG_INT);
        return !is_safe(expr);
    default:
        return 0;
    }
}

/* Return the binding strength below which an operand is printed in parentheses. Operands
 * of operators that bind less than '+' get more parentheses than C needs, because readers
 * misread such expressions and compilers warn about them. */
static int operand_strength(enum pg_op op, int own)
{
    return own >= pg_op_strength(PG_ADD) && op != PG_DEREF ? own : PG_SIGNS;
}

static void print_operation(const struct printer *p, const struct pg_expr *expr)
{
    int own = pg_op_strength(expr->op), operand = operand_strength(expr->op, own);

    switch (expr->op) {
    case PG_NEG:
        fputc('-', p->out);
        print_typed(p, expr->left, PG_OPERAND);
        break;
    case PG_NOT:
        fputc('!', p->out);
        print_truth(p, expr->left);
        break;
    case PG_BOTH:
    case PG_EITHER:
        print_truth(p, expr->left);
        fprintf(p->out, " %s ", pg_operations[expr->op].sign);
        print_truth(p, expr->right);
        break;
    case PG_CHOOSE:
        print_truth(p, expr->left);
        fputs(" ? ", p->out);
        print_typed(p, expr->right, PG_SIGNS);
        fputs(" : ", p->out);
        print_typed(p, expr->third, PG_SIGNS);
        break;
    case PG_BIT_AND:
    case PG_BIT_OR:
        print_typed(p, expr->left, operand);
        fprintf(p->out, " %s ", pg_operations[expr->op].sign);
        print_typed(p, expr->right, operand);
        break;
    default:
        /* no cast is printed for the right operand: C converts both operands to the wider
         * type, which is int64 because of the left operand, or double if one is
         * floating */
        if (expr->cls == PG_FLOATING)
            print_c(p, expr->left, operand);
        else
            print_typed(p, expr->left, operand);
        fprintf(p->out, " %s ", pg_operations[expr->op].sign);
        print_c(p, expr->right, own + 1);
    }
}

static void print_c(const struct printer *p, const struct pg_expr *expr, int least)
{
    int brackets;

    if (leaf(expr)) {
        print_leaf(p, expr, 0);
        return;
    }
    if (is_call(expr)) {
        print_call(p, expr);
        return;
    }
    brackets = pg_op_strength(expr->op) < least;
    if (brackets)
        fputc('(', p->out);
    print_operation(p, expr);
    if (brackets)
        fputc(')', p->out);
}

/* --- Values of a row ------------------------------------------------------ */

static int is_choice(const struct pg_expr *expr)
{
    return pg_expr_has(expr, PG_CHOOSE) || pg_expr_has(expr, PG_BOTH) ||
           pg_expr_has(expr, PG_EITHER);
}

static void print_strings(const struct printer *p, const struct pg_value *value)
{
    const struct pg_type *type = value->expr->type;

    fputs("proxy_choice(", p->out);
    print_place(p, value->expr, 0);
    if (type->kind == PG_TYPE_ARRAY && type->count > 1)
        fprintf(p->out, ", %zu,", type->count);
    else
        fputs(", INT64_MAX,", p->out);
    for (size_t i = 0; i < value->label_count; i++) {
        if (value->labels[i].value < 0)
            continue;
        fputc(' ', p->out);
        pg_word_literal(p->out, value->labels[i].text);
        fputs(" \"\\0\"", p->out);
    }
    fputc(')', p->out);
}

/* Print the expression of a value as a number, without the test whether the value is
 * absent. */
static void print_number(const struct printer *p, const struct pg_value *value)
{
    int might = value->expr->cls != PG_FLOATING && magnitude(value->expr) >= 63;

    if (value->strings) {
        print_strings(p, value);
        return;
    }
    fputs(might ? "proxy_present(" : "", p->out);
    print_c(p, value->expr, 0);
    fputs(might ? ")" : "", p->out);
}

int pg_expr_may_miss(const struct pg_expr *expr)
{
    return pg_expr_has(expr, PG_RECALL) || pg_expr_has(expr, PG_GOT);
}

void pg_expr_print_c(FILE *out, const struct pg_expr *expr,
                     const struct pg_method *method, const struct pg_c_names *names)
{
    struct printer p = {.out = out, .method = method, .names = names};

    if (expr->cls == PG_OTHER)
        print_pointer(&p, expr);
    else
        print_c(&p, expr, 0);
}

void pg_handle_print_c(FILE *out, const struct pg_expr *expr,
                       const struct pg_method *method, const struct pg_c_names *names)
{
    struct printer p = {.out = out, .method = method, .names = names};

    print_handle(&p, expr);
}

void pg_expr_print_c_marking(FILE *out, const struct pg_expr *expr,
                             const struct pg_method *method,
                             const struct pg_c_names *names)
{
    struct printer p = {out, method, names, GUARD_MARK};

    print_c(&p, expr, 0);
}

void pg_value_print_c(FILE *out, const struct pg_value *value,
                      const struct pg_method *method, const struct pg_c_names *names)
{
    struct printer p = {.out = out, .method = method, .names = names};
    int floating = value->expr->cls == PG_FLOATING,
        misses = !value->strings && pg_expr_may_miss(value->expr);
    const char *suffix = floating ? "_DOUBLE" : "";

    if (!misses && !has_guards(value->expr)) {
        print_number(&p, value);
    } else if (!misses && !is_choice(value->expr)) {
        p.guarding = GUARD_NOTHING;
        print_guards(&p, value->expr, NULL, 0);
        fputs(" ? ", out);
        print_number(&p, value);
        fprintf(out, " : MONITOR_ABSENT%s", suffix);
    } else {
        p.guarding = GUARD_MARK;
        fprintf(out, "__extension__({ int proxy_gone = 0; %s proxy_value = ",
                floating ? "double" : "int64_t");
        print_c(&p, value->expr, 0);
        fprintf(out, "; proxy_gone ? MONITOR_ABSENT%s : %s; })", suffix,
                floating ? "proxy_value" : "proxy_present(proxy_value)");
    }
}
