/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c: build, compare and free the model of a port. */
#include "tools/proxygen/perf/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
void pg_expr_free(struct pg_expr *expr)
{
    if (!expr)
        return;
    pg_expr_free(expr->left);
    pg_expr_free(expr->right);
    pg_expr_free(expr->third);
    free(expr);
}

/* True if an expression would read both types in the same way. */
static int same_type(const struct pg_type *a, const struct pg_type *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->scalar.cls == b->scalar.cls &&
           a->scalar.bits == b->scalar.bits &&
           a->scalar.is_signed == b->scalar.is_signed && a->size == b->size &&
           a->count == b->count;
}

static int same_field(const struct pg_field *a, const struct pg_field *b)
{
    if (!a || !b)
        return a == b;
    return strcmp(a->name, b->name) == 0 && a->offset == b->offset && a->bit == b->bit &&
           a->bits == b->bits;
}

int pg_expr_equal(const struct pg_expr *a, const struct pg_expr *b)
{
    if (!a || !b)
        return a == b;
    return a->op == b->op && a->cls == b->cls && a->i == b->i &&
           memcmp(&a->d, &b->d, sizeof a->d) == 0 && a->arg == b->arg &&
           same_type(a->type, b->type) && same_field(a->field, b->field) &&
           pg_expr_equal(a->left, b->left) && pg_expr_equal(a->right, b->right) &&
           pg_expr_equal(a->third, b->third);
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

static void get_done(struct pg_get *get)
{
    for (size_t i = 0; i < get->name_count; i++)
        free(get->names[i].name);
    for (size_t i = 0; i < get->arg_count; i++)
        pg_expr_free(get->args[i]);
    pg_expr_free(get->only_if);
    free(get->names);
    free(get->args);
}

static void clear_gets_and_keeps(struct pg_method *method)
{
    for (size_t i = 0; i < method->get_count; i++)
        get_done(&method->gets[i]);
    for (size_t i = 0; i < method->keep_count; i++) {
        pg_expr_free(method->keeps[i].handle);
        pg_expr_free(method->keeps[i].what);
    }
    free(method->gets);
    free(method->keeps);
    method->gets = NULL;
    method->keeps = NULL;
    method->get_count = method->keep_count = 0;
}

void pg_method_clear_marks(struct pg_method *method)
{
    clear_gets_and_keeps(method);
    for (size_t i = 0; i < method->arg_count; i++) {
        pg_expr_free(method->args[i].count);
        method->args[i].count = NULL;
        method->args[i].access = PG_UNKNOWN_ACCESS;
    }
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
        free(method->args[i].plain);
        pg_layout_done(&method->args[i].layout);
    }
    free(method->args);
    free(method->name);
    free(method->symbol);
    free(method->forward);
    free(method->forward_symbol);
    free(method->result);
    free(method->result_plain);
    pg_layout_done(&method->result_layout);
    memset(method, 0, sizeof *method);
}

void pg_port_free(struct pg_port *port)
{
    if (!port)
        return;
    for (size_t i = 0; i < port->method_count; i++)
        pg_method_done(&port->methods[i]);
    for (size_t i = 0; i < port->type_count; i++)
        pg_type_free(port->types[i]);
    pg_port_clear_qualities(port);
    for (size_t i = 0; i < port->memory_count; i++)
        free(port->memories[i].name);
    for (size_t i = 0; i < port->getter_count; i++) {
        pg_method_done(port->getters[i]);
        free(port->getters[i]);
    }
    if (port->lookup)
        port->lookup->close(port->lookup);
    free(port->memories);
    free(port->getters);
    free(port->version);
    free(port->types);
    free(port->methods);
    free(port->name);
    free(port->type);
    free(port->signature);
    free(port);
}

struct pg_method *pg_port_add_method(struct pg_port *port)
{
    struct pg_method *method =
        cca_array_add(&port->methods, &port->method_count, sizeof *port->methods);

    if (method)
        method->port = port;
    return method;
}

struct pg_arg *pg_method_add_arg(struct pg_method *method)
{
    return cca_array_add(&method->args, &method->arg_count, sizeof *method->args);
}

struct pg_get *pg_method_add_get(struct pg_method *method)
{
    return cca_array_add(&method->gets, &method->get_count, sizeof *method->gets);
}

struct pg_keep *pg_method_add_keep(struct pg_method *method)
{
    return cca_array_add(&method->keeps, &method->keep_count, sizeof *method->keeps);
}

struct pg_memory *pg_port_add_memory(struct pg_port *port)
{
    return cca_array_add(&port->memories, &port->memory_count, sizeof *port->memories);
}

struct pg_quality *pg_port_add_quality(struct pg_port *port)
{
    return cca_array_add(&port->qualities, &port->quality_count, sizeof *port->qualities);
}

void pg_port_clear_qualities(struct pg_port *port)
{
    for (size_t i = 0; i < port->quality_count; i++)
        free(port->qualities[i].name);
    free(port->qualities);
    port->qualities = NULL;
    port->quality_count = 0;
}

struct pg_method *pg_port_add_getter(struct pg_port *port)
{
    struct pg_method *getter = calloc(1, sizeof *getter), **slot;

    slot = getter
               ? cca_array_add(&port->getters, &port->getter_count, sizeof *port->getters)
               : NULL;
    if (!slot) {
        free(getter);
        return NULL;
    }
    getter->port = port;
    return *slot = getter;
}

int pg_get_checks(const struct pg_get *get, const struct pg_method *call)
{
    for (size_t i = 0; i < get->name_count; i++)
        if (get->names[i].arg == get->arg_count)
            return 0;
    return call->result_value.cls == PG_INTEGER;
}

struct pg_method *pg_port_getter(const struct pg_port *port, size_t call)
{
    return port->functions && !port->members ? port->getters[call] : &port->methods[call];
}

/* --- Types ---------------------------------------------------------------- */

struct pg_type *pg_port_add_type(struct pg_port *port, enum pg_type_kind kind,
                                 const char *name)
{
    struct pg_type *type = calloc(1, sizeof *type), **slot;

    if (type)
        type->name = strdup(name);
    slot = type && type->name
               ? cca_array_add(&port->types, &port->type_count, sizeof *port->types)
               : NULL;
    if (!slot) {
        pg_type_free(type);
        return NULL;
    }
    type->kind = kind;
    type->number = port->type_count - 1;
    return *slot = type;
}

static struct pg_type *number_type(struct pg_port *port, const struct pg_scalar *scalar,
                                   const char *name)
{
    struct pg_type *type = pg_port_add_type(port, PG_TYPE_NUMBER, name);

    if (type) {
        type->scalar = *scalar;
        type->size = scalar->bits == 1 ? 1 : (size_t)scalar->bits / 8;
        type->is_text = scalar->cls == PG_INTEGER && scalar->bits == 8;
    }
    return type;
}

/* Return a new string: the type `text` without its last '*'. */
static char *pointee_name(const char *text)
{
    const char *star = strrchr(text, '*');
    size_t length = star ? (size_t)(star - text) : 0;

    while (length > 0 && text[length - 1] == ' ')
        length--;
    return strndup(text, length);
}

struct pg_type *pg_arg_type(struct pg_port *port, struct pg_arg *arg)
{
    struct pg_type *type = NULL;

    if (arg->of)
        return arg->of;
    if (arg->value.cls != PG_OTHER) {
        type = number_type(port, &arg->value, arg->type);
    } else if (arg->pointee.cls == PG_OTHER) {
        type = pg_port_add_type(port, PG_TYPE_OPAQUE, arg->type);
    } else {
        char *name = pointee_name(arg->type);

        type = name ? pg_port_add_type(port, PG_TYPE_POINTER, arg->type) : NULL;
        if (type) {
            type->size = sizeof(void *);
            type->to = number_type(port, &arg->pointee, name);
            type = type->to ? type : NULL;
        }
        free(name);
    }
    return arg->of = type;
}

struct pg_type *pg_result_type(struct pg_method *method)
{
    if (!method->result_of)
        method->result_of =
            method->result_value.cls != PG_OTHER
                ? number_type(method->port, &method->result_value, method->result)
                : pg_port_add_type(method->port, PG_TYPE_OPAQUE, method->result);
    return method->result_of;
}

int pg_port_open_type(struct pg_port *port, struct pg_type *type)
{
    if (!type->open || !port->lookup)
        return 0;
    type->open = 0;
    return port->lookup->open(port->lookup, port, type);
}

/* --- Values --------------------------------------------------------------- */

size_t pg_method_in_count(const struct pg_method *method)
{
    size_t count = 0;

    while (count < method->value_count &&
           !monitor_kind_is_out(method->values[count].kind))
        count++;
    return count;
}

size_t pg_method_known_count(const struct pg_method *method)
{
    size_t count = 0;

    while (count < method->value_count && method->values[count].kind != MONITOR_OUT)
        count++;
    return count;
}

int pg_method_add_value(struct pg_method *method, struct pg_value *value)
{
    const size_t in_count = pg_method_in_count(method);
    const size_t known = pg_method_known_count(method);
    const int out = monitor_kind_is_out(value->kind);
    int status = 0;
    struct pg_value *slot = NULL;

    for (size_t i = 0; i < method->value_count; i++)
        if (strcmp(method->values[i].name, value->name) == 0)
            status = -EEXIST;
    if (!status && (out ? method->value_count - in_count >= MONITOR_MAX_OUT
                        : known >= MONITOR_MAX_IN))
        status = -E2BIG;
    if (!status && value->kind == MONITOR_HINT && known >= MONITOR_MAX_IN)
        status = -E2BIG;
    if (!status) {
        slot = cca_array_add(&method->values, &method->value_count, sizeof *slot);
        status = slot ? 0 : -ENOMEM;
    }
    if (status) {
        pg_value_done(value);
        return status;
    }
    if (value->kind != MONITOR_OUT) { /* in-values come before hints, these before outs */
        const size_t place = out ? known : in_count;

        slot = &method->values[place];
        memmove(slot + 1, slot, (method->value_count - 1 - place) * sizeof *slot);
    }
    *slot = *value;
    memset(value, 0, sizeof *value);
    return 0;
}

static int same_word(const char *word, const char *name, size_t length)
{
    return strlen(word) == length && memcmp(word, name, length) == 0;
}

ptrdiff_t pg_method_find_arg(const struct pg_method *method, const char *name,
                             size_t length)
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

/* Add a text and the character `end` after it to a hash. */
static uint64_t hash_text(uint64_t hash, const char *text, char end)
{
    return cca_hash_bytes(cca_hash_text(hash, text), &end, 1);
}

char *pg_port_signature(const struct pg_port *port)
{
    uint64_t hash = CCA_HASH_START;
    char *text;

    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];

        hash = hash_text(hash, method->result_plain, ' ');
        hash = hash_text(hash, method->name, '(');
        for (size_t j = 0; j < method->arg_count; j++) {
            hash = hash_text(hash, method->args[j].plain, ' ');
            hash = hash_text(hash, method->args[j].name, ',');
        }
        hash = hash_text(hash, "", ')');
    }
    return asprintf(&text, "%016" PRIx64, hash) < 0 ? NULL : text;
}
