/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_types.c: write and read the types of a describe document. */
#include "tools/proxygen/perf/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/word.h"

static const char *const class_names[] = {"other", "integer", "floating"};
static const char *const kind_names[] = {"opaque", "number", "pointer", "array",
                                         "record"};

static int index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    return -1;
}

/* --- Scalars -------------------------------------------------------------- */

json_t *pg_scalar_write(const struct pg_scalar *scalar)
{
    if (scalar->cls == PG_OTHER)
        return json_pack("{s:s}", "class", class_names[scalar->cls]);
    return json_pack("{s:s, s:i, s:b}", "class", class_names[scalar->cls], "bits",
                     scalar->bits, "signed", scalar->is_signed);
}

static int bits_ok(enum pg_class cls, json_int_t bits)
{
    return cls == PG_INTEGER
               ? bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64
               : bits == 32 || bits == 64 || bits == 8 * (json_int_t)sizeof(long double);
}

int pg_scalar_read(const json_t *json, struct pg_scalar *scalar)
{
    int cls = index_of(json_string_value(json_object_get(json, "class")), class_names, 3);
    json_int_t bits = json_integer_value(json_object_get(json, "bits"));

    if (cls < 0)
        return -EINVAL;
    *scalar = (struct pg_scalar){.cls = (enum pg_class)cls};
    if (cls == PG_OTHER)
        return 0;
    if (!bits_ok(scalar->cls, bits) || !json_is_boolean(json_object_get(json, "signed")))
        return -EINVAL;
    scalar->bits = (int)bits;
    scalar->is_signed = json_is_true(json_object_get(json, "signed"));
    return 0;
}

/* --- Types that expressions read ------------------------------------------ */

/* True if the members of an argument in a describe document (`value`, `pointee`) describe
 * its whole type. */
static int is_plain_type(const struct pg_type *type)
{
    return type->kind == PG_TYPE_NUMBER ||
           (type->kind == PG_TYPE_POINTER && type->to &&
            type->to->kind == PG_TYPE_NUMBER && !type->count);
}

/* Return the argument or result from which a place is reached; NULL: none. */
static const struct pg_expr *root_of(const struct pg_expr *expr)
{
    while (expr && expr->op != PG_ARG && expr->op != PG_RETURN)
        expr = expr->op == PG_DEREF || expr->op == PG_FIELD || expr->op == PG_INDEX
                   ? expr->left
                   : NULL;
    return expr;
}

static void need_type(struct pg_used *used, const struct pg_type *type)
{
    if (!used->places[type->number])
        used->places[type->number] = ++used->count;
    if (type->to && (type->kind == PG_TYPE_POINTER || type->kind == PG_TYPE_ARRAY) &&
        type->to->kind == PG_TYPE_NUMBER && !used->places[type->to->number])
        used->places[type->to->number] = ++used->count;
}

static int visit_expr(struct pg_used *used, const struct pg_expr *expr)
{
    const struct pg_expr *root = root_of(expr);
    const struct pg_expr *parts[3];

    if (!expr)
        return 0;
    if (expr->type && expr->op != PG_GOT &&
        (!root || root->op == PG_RETURN || !is_plain_type(root->type)))
        need_type(used, expr->type);
    if (expr->op == PG_FIELD) {
        const struct pg_type *record = expr->left->type->kind == PG_TYPE_POINTER
                                           ? expr->left->type->to
                                           : expr->left->type;
        unsigned char **fields = &used->fields[record->number];

        need_type(used, record);
        if (!*fields && !(*fields = calloc(record->field_count, 1)))
            return -ENOMEM;
        (*fields)[expr->field - record->fields] = 1;
    }
    parts[0] = expr->left;
    parts[1] = expr->right;
    parts[2] = expr->third;
    for (int i = 0; i < 3; i++)
        if (visit_expr(used, parts[i]) < 0)
            return -ENOMEM;
    return 0;
}

static int visit_method(struct pg_used *used, const struct pg_method *method)
{
    int status = 0;

    for (size_t i = 0; i < method->value_count && status == 0; i++)
        status = visit_expr(used, method->values[i].expr);
    for (size_t i = 0; i < method->get_count && status == 0; i++)
        for (size_t j = 0; j < method->gets[i].arg_count && status == 0; j++)
            status = visit_expr(used, method->gets[i].args[j]);
    for (size_t i = 0; i < method->keep_count && status == 0; i++) {
        status = visit_expr(used, method->keeps[i].handle);
        if (status == 0)
            status = visit_expr(used, method->keeps[i].what);
    }
    return status;
}

int pg_used_init(struct pg_used *used, const struct pg_port *port)
{
    *used = (struct pg_used){.port = port};
    used->places = calloc(port->type_count + 1, sizeof *used->places);
    used->fields = calloc(port->type_count + 1, sizeof *used->fields);
    if (!used->places || !used->fields)
        return -ENOMEM;
    for (size_t m = 0; m < port->method_count; m++)
        if (visit_method(used, &port->methods[m]) < 0)
            return -ENOMEM;
    return 0;
}

void pg_used_done(struct pg_used *used)
{
    for (size_t i = 0; used->fields && i < used->port->type_count; i++)
        free(used->fields[i]);
    free(used->fields);
    free(used->places);
}

json_int_t pg_used_place(const struct pg_used *used, const struct pg_type *type)
{
    return type ? (json_int_t)used->places[type->number] - 1 : -1;
}

/* --- Writing -------------------------------------------------------------- */

static void set_place(const struct pg_used *used, json_t *item, const char *key,
                      const struct pg_type *type)
{
    if (pg_used_place(used, type) >= 0)
        json_object_set_new(item, key, json_integer(pg_used_place(used, type)));
}

static json_t *fields_json(const struct pg_used *used, const struct pg_type *type)
{
    json_t *fields = json_array();

    for (size_t i = 0; used->fields[type->number] && i < type->field_count; i++) {
        const struct pg_field *field = &type->fields[i];
        json_t *item;

        if (!used->fields[type->number][i])
            continue;
        item = json_pack("{s:s, s:I}", "name", field->name, "offset",
                         (json_int_t)field->offset);
        set_place(used, item, "type", field->type);
        if (field->bits) {
            json_object_set_new(item, "bit", json_integer(field->bit));
            json_object_set_new(item, "bits", json_integer(field->bits));
        }
        json_array_append_new(fields, item);
    }
    return fields;
}

static json_t *type_json(const struct pg_used *used, const struct pg_type *type)
{
    json_t *item = json_pack("{s:s, s:s, s:I}", "name", type->name, "kind",
                             kind_names[type->kind], "size", (json_int_t)type->size);

    if (item && type->kind == PG_TYPE_NUMBER)
        json_object_set_new(item, "value", pg_scalar_write(&type->scalar));
    if (item && (type->kind == PG_TYPE_POINTER || type->kind == PG_TYPE_ARRAY)) {
        set_place(used, item, "to", type->to);
        json_object_set_new(item, "count", json_integer((json_int_t)type->count));
    }
    if (item && type->kind == PG_TYPE_RECORD)
        json_object_set_new(item, "fields", fields_json(used, type));
    return item;
}

json_t *pg_used_write(const struct pg_used *used)
{
    json_t *types = json_array();

    for (size_t place = 1; types && place <= used->count; place++)
        for (size_t i = 0; i < used->port->type_count; i++)
            if (used->places[i] == place)
                json_array_append_new(types, type_json(used, used->port->types[i]));
    if (types && json_array_size(types) != used->count) {
        json_decref(types);
        return NULL;
    }
    return types;
}

/* --- Reading -------------------------------------------------------------- */

enum { TYPES_MAX = 10000, SIZE_MOST = 1 << 30 };

/* Return a whole number from 0 to `most`, 0 if absent; -1: any other value. */
static json_int_t read_integer(const json_t *object, const char *key, json_int_t most)
{
    const json_t *json = json_object_get(object, key);
    json_int_t value = json_integer_value(json);

    return (json && !json_is_integer(json)) || value < 0 || value > most ? -1 : value;
}

/* Find the type whose index is the JSON member `key`; NULL if the member is absent.
 * Returns 0, or -EINVAL for an index that no type has. */
static int type_at(const struct pg_port *port, const json_t *object, const char *key,
                   struct pg_type **type)
{
    json_int_t place = read_integer(object, key, (json_int_t)port->type_count - 1);

    *type = json_object_get(object, key) && place >= 0 ? port->types[place] : NULL;
    return place < 0 ? -EINVAL : 0;
}

static int read_head(const json_t *json, struct pg_port *port, const char **wrong)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    int kind = index_of(json_string_value(json_object_get(json, "kind")), kind_names, 5);
    json_int_t size = read_integer(json, "size", SIZE_MOST),
               count = read_integer(json, "count", SIZE_MOST);
    struct pg_type *type;

    *wrong = "expected name, kind, size and count of a type";
    if (!name || kind < 0 || size < 0 || count < 0)
        return -EINVAL;
    type = pg_port_add_type(port, (enum pg_type_kind)kind, name);
    if (!type)
        return -ENOMEM;
    type->size = (size_t)size;
    type->count = (size_t)count;
    if (kind == PG_TYPE_POINTER)
        type->size = sizeof(void *);
    if (kind == PG_TYPE_NUMBER) {
        *wrong = "expected the class, the width and \"signed\" of a type";
        if (pg_scalar_read(json_object_get(json, "value"), &type->scalar) < 0 ||
            type->scalar.cls == PG_OTHER)
            return -EINVAL;
        type->size = type->scalar.bits == 1 ? 1 : (size_t)type->scalar.bits / 8;
        type->is_text = type->scalar.cls == PG_INTEGER && type->scalar.bits == 8;
    }
    return 0;
}

static int read_field(const json_t *json, struct pg_port *port, struct pg_type *record)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    json_int_t offset = read_integer(json, "offset", SIZE_MOST),
               bit = read_integer(json, "bit", 7);
    json_int_t bits = read_integer(json, "bits", 64);
    struct pg_type *type = NULL;
    struct pg_field *field;
    size_t size;

    if (!name || !pg_word_ok(name, strlen(name)) || offset < 0 || bit < 0 || bits < 0 ||
        type_at(port, json, "type", &type) < 0 || !type)
        return -EINVAL;
    size = bits ? (size_t)(bit + bits + 7) / 8 : type->size;
    if ((size_t)offset + size > record->size || (bits && type->scalar.cls != PG_INTEGER))
        return -EINVAL;
    field = pg_type_add_field(record);
    if (!field || !(field->name = strdup(name)))
        return -ENOMEM;
    field->type = type;
    field->offset = (size_t)offset;
    field->bit = (int)bit;
    field->bits = (int)bits;
    return 0;
}

/* Set the references of a type to other types. Called when all types have been read. */
static int read_rest(const json_t *json, struct pg_port *port, struct pg_type *type,
                     const char **wrong)
{
    const json_t *fields = json_object_get(json, "fields");
    size_t i;
    json_t *item;
    int status;

    *wrong = "expected the place of a type";
    if (type_at(port, json, "to", &type->to) < 0)
        return -EINVAL;
    *wrong = "expected the elements of an array to fill it";
    if (type->kind == PG_TYPE_ARRAY &&
        (!type->to || (type->count && type->size / type->count < type->to->size)))
        return -EINVAL;
    *wrong = "expected name, offset and type of a field inside its record";
    json_array_foreach(fields, i, item)
    {
        status = type->kind == PG_TYPE_RECORD ? read_field(item, port, type) : -EINVAL;
        if (status < 0)
            return status;
    }
    return 0;
}

int pg_used_read(const json_t *types, struct pg_port *port, const char **wrong)
{
    size_t i, count = json_array_size(types);
    int status = 0;

    *wrong = "expected an array of types";
    if ((types && !json_is_array(types)) || count > TYPES_MAX)
        return -EINVAL;
    for (i = 0; i < count && status == 0; i++)
        status = read_head(json_array_get(types, i), port, wrong);
    for (i = 0; i < count && status == 0; i++)
        status = read_rest(json_array_get(types, i), port, port->types[i], wrong);
    return status;
}
