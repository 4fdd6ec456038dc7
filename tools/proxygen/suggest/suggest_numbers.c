/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_numbers.c: find handles that are integers of a type of their own, like HDF5's
 * hid_t. One type may be used for many kinds of objects; then the argument names of the
 * functions that end these objects distinguish the kinds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/proxygen/suggest/suggest.h"

/* A kind of handle, which is recognised by the function that ends it. */
struct kind {
    const char *type, *name; /* type of the handle, such as "hid_t", and name of the
                                argument that has it, such as "space_id" */
    const char *ender;
    int sized; /* true if some function makes such a handle with a known size */
};

struct kinds {
    const struct pg_port *port;
    struct kind *list;
    size_t count;
};

/* True for names of types that are neither types of C nor common types of sizes. */
static int is_own_type(const char *type)
{
    static const char *const others[] = {
        "int",  "uint", "long",  "short", "char", "unsigned", "signed",
        "bool", "size", "ssize", "off",   "time", "intptr",   "ptrdiff"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(type, others[i], strlen(others[i])) == 0)
            return 0;
    return strpbrk(type, " *(") == NULL;
}

static int is_number(const struct pg_arg *arg)
{
    return arg->value.cls == PG_INTEGER && arg->value.bits >= 32 && !arg->is_enum &&
           is_own_type(arg->type);
}

static int find_kinds(struct kinds *kinds)
{
    kinds->list = calloc(kinds->port->method_count + 1, sizeof *kinds->list);
    for (size_t i = 0; kinds->list && i < kinds->port->method_count; i++) {
        const struct pg_method *method = &kinds->port->methods[i];
        size_t arg = 0;

        while (arg < method->arg_count && !is_number(&method->args[arg]))
            arg++;
        if (arg < method->arg_count && pg_suggest_ends(method->name))
            kinds->list[kinds->count++] = (struct kind){
                method->args[arg].type, method->args[arg].name, method->name, 0};
    }
    return kinds->list ? 0 : -ENOMEM;
}

/* Return how many letters two names have in common at their beginnings. */
static size_t in_common(const char *a, const char *b)
{
    size_t same = 0;

    while (a[same] && a[same] == b[same])
        same++;
    return same;
}

/* Return the kind of handle that a function makes, judged by the function's name:
 * H5Screate is more like H5Sclose than like H5Dclose. */
static struct kind *kind_made(const struct kinds *kinds, const struct pg_method *method)
{
    struct kind *found = NULL;
    size_t most = 1, own;

    for (size_t i = 0; i < kinds->count; i++) {
        own = in_common(kinds->list[i].ender, method->name);
        if (strcmp(kinds->list[i].type, method->result) == 0 && own > most) {
            found = &kinds->list[i];
            most = own;
        }
    }
    return found;
}

static int ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), own = strlen(end);

    return length >= own && strcasecmp(name + length - own, end) == 0;
}

/* Return the index of the argument that is a handle of this kind: the argument with the
 * kind's name, else an argument whose name ends with the kind's name; else arg_count. */
static size_t arg_of_kind(const struct pg_method *method, const struct kind *kind)
{
    size_t found = method->arg_count;

    for (size_t i = method->arg_count; i-- > 0;) {
        const struct pg_arg *arg = &method->args[i];

        if (strcmp(arg->type, kind->type) != 0 || !ends_with(arg->name, kind->name))
            continue;
        if (found == method->arg_count || strcmp(arg->name, kind->name) == 0 ||
            strcmp(method->args[found].name, kind->name) != 0)
            found = i;
    }
    return found;
}

static int is_one_of(const char *name, const char *words)
{
    char word[40];

    snprintf(word, sizeof word, " %.30s ", name);
    return strcasestr(words, word) != NULL;
}

/* Return a new expression "dims[0] * (rank > 1 ? dims[1] : 1) * ..." if the method has
 * arguments for the number of dimensions and for an array of them. */
static char *shape_of(const struct pg_method *method)
{
    const char *rank = NULL, *dims = NULL;
    char *text;

    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];

        if (arg->value.cls == PG_INTEGER &&
            is_one_of(arg->name, " rank ndims ndim n_dims dimensions "))
            rank = arg->name;
        else if (arg->pointee.cls == PG_INTEGER && arg->points_to_const &&
                 is_one_of(arg->name, " dims dim shape extent extents sizes "))
            dims = arg->name;
    }
    if (!rank || !dims ||
        asprintf(&text, "%s[0] * (%s > 1 ? %s[1] : 1) * (%s > 2 ? %s[2] : 1)", dims, rank,
                 dims, rank, dims) < 0)
        return NULL;
    return text;
}

/* Return a new expression for the size of the handle from which a function makes another
 * handle. */
static char *size_from(const struct kinds *kinds, const struct pg_method *method,
                       const struct kind *made)
{
    char *text;

    for (size_t i = 0; i < kinds->count; i++) {
        size_t arg = arg_of_kind(method, &kinds->list[i]);

        if (&kinds->list[i] == made || !kinds->list[i].sized || arg == method->arg_count)
            continue;
        return asprintf(&text, "recall work on %s", method->args[arg].name) < 0 ? NULL
                                                                                : text;
    }
    return NULL;
}

/* Find functions that make a handle with a known size; if `derived`, functions that make
 * a handle with the size of another handle. */
static void find_makers(struct kinds *kinds, struct pg_handling *handlings, int derived)
{
    for (size_t i = 0; i < kinds->port->method_count; i++) {
        const struct pg_method *method = &kinds->port->methods[i];
        struct kind *made = kind_made(kinds, method);

        if (!made || handlings[i].size || arg_of_kind(method, made) < method->arg_count)
            continue;
        if (derived)
            handlings[i].size = size_from(kinds, method, made);
        else if (!(handlings[i].size = shape_of(method)))
            handlings[i].size = pg_handling_size(method);
        if (!handlings[i].size)
            continue;
        handlings[i].made = method->arg_count;
        handlings[i].derived = derived;
        made->sized = 1;
    }
}

static void find_users(const struct kinds *kinds, struct pg_handling *handlings)
{
    for (size_t i = 0; i < kinds->port->method_count; i++) {
        const struct pg_method *method = &kinds->port->methods[i];

        for (size_t k = 0; k < kinds->count && !handlings[i].uses && !handlings[i].ends;
             k++) {
            size_t arg = arg_of_kind(method, &kinds->list[k]);

            if (!kinds->list[k].sized || arg == method->arg_count)
                continue;
            handlings[i].ends = strcmp(kinds->list[k].ender, method->name) == 0;
            handlings[i].uses =
                !handlings[i].ends && !handlings[i].size && !pg_handling_is_sized(method);
            handlings[i].arg = arg;
        }
    }
}

int pg_number_handlings(const struct pg_port *port, struct pg_handling *handlings)
{
    struct kinds kinds = {.port = port};

    if (find_kinds(&kinds) < 0)
        return -ENOMEM;
    find_makers(&kinds, handlings, 0);
    find_makers(&kinds, handlings, 1);
    find_users(&kinds, handlings);
    free(kinds.list);
    return 0;
}
