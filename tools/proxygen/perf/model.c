/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c: building, comparing and freeing the model of a port. */
#include "tools/proxygen/perf/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pg_expr_free(struct pg_expr *expr)
{
    if (!expr)
        return;
    pg_expr_free(expr->left);
    pg_expr_free(expr->right);
    free(expr);
}

int pg_expr_equal(const struct pg_expr *a, const struct pg_expr *b)
{
    if (!a || !b)
        return a == b;
    return a->op == b->op && a->cls == b->cls && a->i == b->i &&
           memcmp(&a->d, &b->d, sizeof a->d) == 0 && a->arg == b->arg &&
           pg_expr_equal(a->left, b->left) && pg_expr_equal(a->right, b->right);
}

void pg_value_done(struct pg_value *value)
{
    free(value->name);
    pg_expr_free(value->expr);
    for (size_t i = 0; i < value->label_count; i++)
        free(value->labels[i].text);
    free(value->labels);
    memset(value, 0, sizeof *value);
}

void pg_method_clear_marks(struct pg_method *method)
{
    for (size_t i = 0; i < method->value_count; i++)
        pg_value_done(&method->values[i]);
    free(method->values);
    method->values = NULL;
    method->value_count = 0;
    method->unmeasured = 0;
}

void pg_method_done(struct pg_method *method)
{
    pg_method_clear_marks(method);
    for (size_t i = 0; i < method->arg_count; i++) {
        free(method->args[i].name);
        free(method->args[i].type);
        pg_layout_done(&method->args[i].layout);
    }
    free(method->args);
    free(method->name);
    free(method->symbol);
    free(method->result);
    pg_layout_done(&method->result_layout);
    memset(method, 0, sizeof *method);
}

void pg_port_free(struct pg_port *port)
{
    if (!port)
        return;
    for (size_t i = 0; i < port->method_count; i++)
        pg_method_done(&port->methods[i]);
    free(port->methods);
    free(port->name);
    free(port->type);
    free(port);
}

/* Grow `*array` of `*count` elements by one zeroed element at `at`. */
static void *insert(void *array, size_t *count, size_t size, size_t at)
{
    char **base = array;
    char *grown = realloc(*base, (*count + 1) * size);

    if (!grown)
        return NULL;
    *base = grown;
    memmove(grown + (at + 1) * size, grown + at * size, (*count - at) * size);
    memset(grown + at * size, 0, size);
    ++*count;
    return grown + at * size;
}

struct pg_method *pg_port_add_method(struct pg_port *port)
{
    return insert(&port->methods, &port->method_count, sizeof *port->methods,
                  port->method_count);
}

struct pg_arg *pg_method_add_arg(struct pg_method *method)
{
    return insert(&method->args, &method->arg_count, sizeof *method->args, method->arg_count);
}

size_t pg_method_in_count(const struct pg_method *method)
{
    size_t count = 0;

    while (count < method->value_count && method->values[count].kind != MONITOR_OUT)
        count++;
    return count;
}

int pg_method_add_value(struct pg_method *method, struct pg_value *value)
{
    size_t in_count = pg_method_in_count(method);
    int out = value->kind == MONITOR_OUT, status = 0;
    struct pg_value *slot = NULL;

    for (size_t i = 0; i < method->value_count; i++)
        if (strcmp(method->values[i].name, value->name) == 0)
            status = -EEXIST;
    if (!status && (out ? method->value_count - in_count >= MONITOR_MAX_OUT
                        : in_count >= MONITOR_MAX_IN))
        status = -E2BIG;
    if (!status) {
        slot = insert(&method->values, &method->value_count, sizeof *method->values,
                      out ? method->value_count : in_count);
        status = slot ? 0 : -ENOMEM;
    }
    if (status) {
        pg_value_done(value);
        return status;
    }
    *slot = *value;
    memset(value, 0, sizeof *value);
    return 0;
}

static int same_word(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name, size_t length)
{
    for (size_t i = 0; i < method->arg_count; i++)
        if (same_word(method->args[i].name, name, length))
            return (ptrdiff_t)i;
    return -1;
}

struct pg_method *pg_port_find_method(const struct pg_port *port, const char *name,
                                      size_t length)
{
    for (size_t i = 0; i < port->method_count; i++)
        if (same_word(port->methods[i].name, name, length))
            return &port->methods[i];
    return NULL;
}

static int same_scalar(const struct pg_scalar *a, const struct pg_scalar *b)
{
    return a->cls == b->cls && a->bits == b->bits && a->is_signed == b->is_signed;
}

static int same_value(const struct pg_value *a, const struct pg_value *b)
{
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind ||
        a->label_count != b->label_count || !pg_expr_equal(a->expr, b->expr))
        return 0;
    for (size_t i = 0; i < a->label_count; i++)
        if (a->labels[i].value != b->labels[i].value ||
            strcmp(a->labels[i].text, b->labels[i].text) != 0)
            return 0;
    return 1;
}

static int same_method(const struct pg_method *a, const struct pg_method *b)
{
    if (strcmp(a->name, b->name) != 0 || strcmp(a->result, b->result) != 0 ||
        !same_scalar(&a->result_value, &b->result_value) || a->unmeasured != b->unmeasured ||
        !pg_layout_equal(&a->result_layout, &b->result_layout) || a->offset != b->offset ||
        a->arg_count != b->arg_count || a->value_count != b->value_count)
        return 0;
    for (size_t i = 0; i < a->arg_count; i++)
        if (strcmp(a->args[i].name, b->args[i].name) != 0 ||
            strcmp(a->args[i].type, b->args[i].type) != 0 ||
            !same_scalar(&a->args[i].value, &b->args[i].value) ||
            !pg_layout_equal(&a->args[i].layout, &b->args[i].layout) ||
            !same_scalar(&a->args[i].pointee, &b->args[i].pointee))
            return 0;
    for (size_t i = 0; i < a->value_count; i++)
        if (!same_value(&a->values[i], &b->values[i]))
            return 0;
    return 1;
}

int pg_port_equal(const struct pg_port *a, const struct pg_port *b)
{
    if (strcmp(a->name, b->name) != 0 || strcmp(a->type, b->type) != 0 ||
        a->size != b->size || a->method_count != b->method_count)
        return 0;
    for (size_t i = 0; i < a->method_count; i++)
        if (!same_method(&a->methods[i], &b->methods[i]))
            return 0;
    return 1;
}
