/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_handles.c: find sizes of objects that a library hides behind handles; such a
 * size is known in the call that makes the handle. */
#include "tools/proxygen/suggest/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"

/* Return the type without a "const" at its beginning. */
static const char *type_without_const(const char *type)
{
    while (strncmp(type, "const ", 6) == 0)
        type += 6;
    return type;
}

/* True for pointers to a library's private structs, but not for pointers to numbers,
 * strings, functions or streams. */
static int is_handle(struct pg_port *port, struct pg_type *type)
{
    const char *name;

    if (!type || pg_port_open_type(port, type) < 0 || type->kind != PG_TYPE_POINTER ||
        !type->to || pg_port_open_type(port, type->to) < 0 ||
        (type->to->kind != PG_TYPE_OPAQUE && type->to->kind != PG_TYPE_RECORD))
        return 0;
    name = type->to->name ? type->to->name : "void";
    return !strstr(name, "void") && !strchr(name, '(') && !strstr(name, "FILE");
}

/* Return the index of the function's argument with the type `type`, or arg_count. */
static size_t arg_of(const struct pg_method *method, const char *type)
{
    size_t i = 0;

    while (i < method->arg_count && strcmp(type_without_const(method->args[i].type),
                                           type_without_const(type)) != 0)
        i++;
    return i;
}

/* Return the value that measures a new object's size best: the product of dimensions,
 * else the first dimension. */
static const struct pg_value *size_of(const struct pg_method *method)
{
    const struct pg_value *first = NULL;

    for (size_t i = 0; i < method->value_count; i++) {
        const struct pg_value *value = &method->values[i];

        if (value->kind != MONITOR_PARAM || strcmp(value->name, "rank") == 0)
            continue;
        if (strcmp(value->name, "work") == 0)
            return value;
        first = first ? first : value;
    }
    return first;
}

static int is_ended(const struct pg_port *port, const char *type)
{
    for (size_t i = 0; i < port->method_count; i++)
        if (pg_suggest_ends(port->methods[i].name) &&
            arg_of(&port->methods[i], type) < port->methods[i].arg_count)
            return 1;
    return 0;
}

/* Return the handle type to which argument `arg` points, so that the function can write a
 * handle there; NULL: it points to no handle. */
static const char *arg_written_through(struct pg_port *port,
                                       const struct pg_method *method, size_t arg)
{
    struct pg_type *type = method->args[arg].of;

    if (!type || pg_port_open_type(port, type) < 0 || type->kind != PG_TYPE_POINTER ||
        !type->to || type->to->is_const || !is_handle(port, type->to))
        return NULL;
    return type->to->name;
}

/* Find where a function that takes no handle of the type `type` returns one: the index of
 * an argument; arg_count: its result; SIZE_MAX: nowhere. */
static size_t made_at(struct pg_port *port, const struct pg_method *method,
                      const char *type)
{
    if (arg_of(method, type) < method->arg_count)
        return SIZE_MAX;
    if (strcmp(type_without_const(method->result), type_without_const(type)) == 0)
        return method->arg_count;
    for (size_t i = 0; i < method->arg_count; i++) {
        const char *own = arg_written_through(port, method, i);

        if (own && strcmp(type_without_const(own), type_without_const(type)) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* True if most functions that make a handle of this type also give its size. */
static int is_sized(struct pg_port *port, const char *type)
{
    size_t sized = 0, others = 0;

    for (size_t i = 0; i < port->method_count; i++)
        if (made_at(port, &port->methods[i], type) != SIZE_MAX)
            *(size_of(&port->methods[i]) ? &sized : &others) += 1;
    return sized > others;
}

int pg_handling_is_sized(const struct pg_method *method)
{
    return size_of(method) != NULL;
}

char *pg_handling_size(const struct pg_method *method)
{
    const struct pg_value *size = size_of(method);
    char *text = NULL;
    size_t length;
    FILE *memory = size ? open_memstream(&text, &length) : NULL;

    if (!memory)
        return NULL;
    pg_expr_print(memory, size->expr, method);
    if (fclose(memory) == 0)
        return text;
    free(text);
    return NULL;
}

/* Find the functions that take a handle of the type `type`, which another function
 * makes. */
static void find_users(const struct pg_port *port, struct pg_handling *handlings,
                       const char *type)
{
    for (size_t i = 0; i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];
        size_t arg = arg_of(method, type);

        if (arg == method->arg_count || handlings[i].uses || handlings[i].ends)
            continue;
        handlings[i].arg = arg;
        handlings[i].ends = pg_suggest_ends(method->name);
        handlings[i].uses = !handlings[i].ends && !size_of(method) &&
                            pg_method_find_arg(method, "work", 4) < 0;
    }
}

/* If the function `maker` makes a handle of the type `type`, note this in
 * handlings[maker], and find the handle's users. */
static void find_made(struct pg_port *port, struct pg_handling *handlings, size_t maker,
                      const char *type)
{
    const struct pg_method *method = &port->methods[maker];
    size_t made = made_at(port, method, type);

    if (made == SIZE_MAX || !is_ended(port, type) || !is_sized(port, type))
        return;
    handlings[maker].made = made;
    handlings[maker].size = pg_handling_size(method);
    if (handlings[maker].size)
        find_users(port, handlings, type);
}

struct pg_handling *pg_handlings_find(struct pg_port *port)
{
    struct pg_handling *handlings = calloc(port->method_count + 1, sizeof *handlings);

    for (size_t i = 0; handlings && i < port->method_count; i++) {
        struct pg_method *method = &port->methods[i];

        if (!size_of(method))
            continue;
        if (is_handle(port, pg_result_type(method)))
            find_made(port, handlings, i, method->result);
        for (size_t j = 0; j < method->arg_count && !handlings[i].size; j++)
            if (arg_written_through(port, method, j))
                find_made(port, handlings, i, arg_written_through(port, method, j));
    }
    if (handlings && pg_number_handlings(port, handlings) < 0) {
        pg_handlings_free(handlings, port);
        return NULL;
    }
    return handlings;
}

void pg_handlings_free(struct pg_handling *handlings, const struct pg_port *port)
{
    for (size_t i = 0; handlings && i < port->method_count; i++)
        free(handlings[i].size);
    free(handlings);
}

static void print_line(FILE *out, const char *word, const char *what, const char *rest,
                       const char *why)
{
    int used = fprintf(out, "    %s%s%s", word, what, rest);

    fprintf(out, "%*s # %s\n", used < 38 ? 38 - used : 0, "", why);
}

void pg_handling_tell(const struct pg_handling *handling, const struct pg_method *method,
                      FILE *out)
{
    const char *arg =
        handling->uses || handling->ends ? method->args[handling->arg].name : "";
    char where[240] = " as work on return";

    if (handling->uses)
        print_line(out, "param work = recall work on ", arg, "",
                   "remembered when the handle was made");
    if (handling->size && handling->made < method->arg_count)
        snprintf(where, sizeof where, " as work on *%.200s",
                 method->args[handling->made].name);
    if (handling->size)
        print_line(out, "remember ", handling->size, where,
                   handling->derived ? "a handle made from another handle"
                                     : "a handle, made of this size");
    if (handling->ends)
        print_line(out, "forget ", arg, "", "by its name the function ends the handle");
}
