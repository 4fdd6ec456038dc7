/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.c: write and read describe documents. */
#include "tools/proxygen/perf/describe.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/parts.h"
#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/perf/word.h"

static const char schema[] = "mastermind/describe/1";
static const char *const kind_names[] = {"param", "mode", "out", "hint"};

/* --- Writing -------------------------------------------------------------- */

/* Set the member "of" of an argument or result, the index of its type, if expressions
 * read inside the type. */
static void set_type(json_t *item, const struct pg_used *used, const struct pg_type *type)
{
    if (item && pg_used_place(used, type) >= 0)
        json_object_set_new(item, "of", json_integer(pg_used_place(used, type)));
}

static json_t *args_json(const struct pg_method *method, const struct pg_used *used)
{
    json_t *args = json_array();

    for (size_t i = 0; args && i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];
        json_t *item = json_pack("{s:s, s:s, s:o}", "name", arg->name, "type", arg->type,
                                 "value", pg_scalar_write(&arg->value));

        if (item && arg->value.cls == PG_OTHER)
            json_object_set_new(item, "layout", pg_layout_write(&arg->layout));
        if (item && arg->pointee.cls != PG_OTHER)
            json_object_set_new(item, "pointee", pg_scalar_write(&arg->pointee));
        set_type(item, used, arg->of);
        json_array_append_new(args, item);
    }
    return args;
}

static json_t *returns_json(const struct pg_method *method, const struct pg_used *used)
{
    json_t *returns = json_pack("{s:s, s:o}", "type", method->result, "value",
                                pg_scalar_write(&method->result_value));

    if (returns && method->result_value.cls == PG_OTHER)
        json_object_set_new(returns, "layout", pg_layout_write(&method->result_layout));
    set_type(returns, used, method->result_of);
    return returns;
}

static json_t *expression_json(const struct pg_expr *expr, const struct pg_method *method)
{
    char *text = pg_expr_text(expr, method);
    json_t *json = text ? json_string(text) : NULL;

    free(text);
    return json;
}

static json_t *values_json(const struct pg_method *method)
{
    json_t *values = json_array();

    for (size_t i = 0; values && i < method->value_count; i++) {
        const struct pg_value *value = &method->values[i];
        json_t *item = json_pack("{s:s, s:s, s:s, s:o}", "name", value->name, "kind",
                                 kind_names[value->kind], "type",
                                 value->expr->cls == PG_FLOATING ? "double" : "int64",
                                 "expression", expression_json(value->expr, method));

        if (item && value->label_count) {
            json_t *labels = json_array();

            for (size_t l = 0; l < value->label_count; l++)
                json_array_append_new(labels,
                                      json_pack("{s:I, s:s}", "value",
                                                (json_int_t)value->labels[l].value,
                                                "text", value->labels[l].text));
            json_object_set_new(item, "labels", labels);
        }
        if (item && value->strings)
            json_object_set_new(item, "strings", json_true());
        json_array_append_new(values, item);
    }
    return values;
}

/* Return an array of the method's sidecar lines `get`, `remember` and `forget`. */
static json_t *lines_json(const struct pg_method *method)
{
    json_t *lines = json_array();

    for (size_t i = 0; i < method->get_count + method->keep_count; i++) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);

        if (memory && i < method->get_count)
            pg_get_print(memory, method, &method->gets[i]);
        else if (memory)
            pg_keep_print(memory, method, &method->keeps[i - method->get_count]);
        if (memory && fclose(memory) == 0)
            json_array_append_new(lines, json_string(text));
        free(text);
    }
    return lines;
}

static json_t *memories_json(const struct pg_port *port)
{
    json_t *memories = json_array();

    for (size_t i = 0; i < port->memory_count; i++)
        json_array_append_new(
            memories,
            json_pack("{s:s, s:s}", "name", port->memories[i].name, "type",
                      port->memories[i].cls == PG_FLOATING ? "double" : "int64"));
    return memories;
}

char *pg_describe_write(const struct pg_port *port)
{
    json_t *methods = json_array(), *types = NULL, *root;
    struct pg_used used;
    char *text, *ended;
    int status = pg_used_init(&used, port);

    for (size_t i = 0; status == 0 && methods && i < port->method_count; i++) {
        const struct pg_method *method = &port->methods[i];

        json_array_append_new(
            methods,
            json_pack("{s:s, s:I, s:o, s:b, s:o, s:o}", "name", method->name, "offset",
                      (json_int_t)method->offset, "returns", returns_json(method, &used),
                      "unmeasured", method->unmeasured, "args", args_json(method, &used),
                      "values", values_json(method)));
        if (method->get_count || method->keep_count)
            json_object_set_new(json_array_get(methods, i), "lines", lines_json(method));
    }
    if (status == 0 && used.count)
        types = pg_used_write(&used);
    pg_used_done(&used);
    if (status < 0 || (used.count && !types) ||
        json_array_size(methods) != port->method_count) {
        json_decref(methods);
        json_decref(types);
        return NULL;
    }
    root =
        json_pack("{s:s, s:s, s:s, s:I, s:o}", "schema", schema, "port", port->name,
                  "type", port->type, "size", (json_int_t)port->size, "methods", methods);
    if (root && types)
        json_object_set(root, "types", types);
    json_decref(types);
    if (root && port->signature)
        json_object_set_new(root, "signature", json_string(port->signature));
    if (root && port->memory_count)
        json_object_set_new(root, "memories", memories_json(port));
    text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    ended = text ? realloc(text, strlen(text) + 2) : NULL;
    if (!ended)
        free(text);
    else
        strcat(ended, "\n");
    return ended;
}

/* --- Reading -------------------------------------------------------------- */

struct document {
    const char *file;
    struct cca_error *err;
    size_t method; /* index of the method being read, for messages */
    int status;
};

static int fail_at(struct document *doc, const char *member, const char *expected)
{
    if (!doc->status)
        doc->status =
            cca_error_set(doc->err, -EINVAL, "%.150s: error: methods[%zu].%s: %s",
                          doc->file, doc->method, member, expected);
    return doc->status;
}

static int no_memory(struct document *doc)
{
    doc->status = cca_no_memory(doc->err);
    return doc->status;
}

/* Copy the string member `key` if `ok` accepts it; else NULL with doc->status set. */
static char *text_of(struct document *doc, const json_t *object, const char *key,
                     int (*ok)(const char *), const char *expected)
{
    const char *text = json_string_value(json_object_get(object, key));
    char *copy;

    if (!text || !ok(text)) {
        fail_at(doc, key, expected);
        return NULL;
    }
    copy = strdup(text);
    if (!copy)
        no_memory(doc);
    return copy;
}

static int index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    return -1;
}

static int read_scalar(struct document *doc, const json_t *json, struct pg_scalar *scalar)
{
    if (pg_scalar_read(json, scalar) < 0)
        return fail_at(doc, "class",
                       "expected \"integer\", \"floating\" or \"other\", a width and "
                       "\"signed\"");
    return 0;
}

/* Read the optional member "of". */
static int read_of(struct document *doc, const json_t *object, const struct pg_port *port,
                   struct pg_type **type)
{
    const json_t *json = json_object_get(object, "of");
    json_int_t place = json_integer_value(json);

    if (!json || doc->status < 0)
        return doc->status;
    if (!json_is_integer(json) || place < 0 || place >= (json_int_t)port->type_count)
        return fail_at(doc, "of", "expected the place of a type");
    *type = port->types[place];
    return 0;
}

/* Read the layout of a type that is not a number. */
static int read_layout(struct document *doc, const json_t *object,
                       const struct pg_scalar *value, struct pg_layout *layout)
{
    const char *wrong = "";
    int status;

    if (doc->status < 0 || value->cls != PG_OTHER)
        return doc->status;
    status = pg_layout_read(json_object_get(object, "layout"), layout, &wrong);
    if (status == -ENOMEM)
        return no_memory(doc);
    return status < 0 ? fail_at(doc, "layout", wrong) : 0;
}

/* A number of bytes. */
static int read_size(struct document *doc, const json_t *object, const char *key,
                     size_t *size)
{
    const json_t *json = json_object_get(object, key);
    json_int_t value = json_integer_value(json);

    if (!json_is_integer(json) || value < 0 || value > INT32_MAX)
        return fail_at(doc, key, "expected a number of bytes");
    *size = (size_t)value;
    return 0;
}

/* True for an identifier; names of arguments may be keywords of other languages. */
static int is_word(const char *name)
{
    return pg_word_ok(name, strlen(name));
}

static int read_args(struct document *doc, const json_t *json, struct pg_method *method)
{
    size_t i;
    json_t *item;

    if (!json_is_array(json))
        return fail_at(doc, "args", "expected an array");
    json_array_foreach(json, i, item)
    {
        const json_t *pointee = json_object_get(item, "pointee");
        struct pg_arg *arg;

        if (i >= 64)
            return fail_at(doc, "args", "more than 64 arguments");
        arg = pg_method_add_arg(method);
        if (!arg)
            return no_memory(doc);
        arg->name = text_of(doc, item, "name", is_word, "expected a name");
        arg->type = text_of(doc, item, "type", pg_type_written_ok, "expected a type");
        if (doc->status < 0)
            return doc->status;
        if (pg_method_find_arg(method, arg->name, strlen(arg->name)) != (ptrdiff_t)i)
            return fail_at(doc, "args", "two arguments of one name");
        read_scalar(doc, json_object_get(item, "value"), &arg->value);
        read_layout(doc, item, &arg->value, &arg->layout);
        if (pointee)
            read_scalar(doc, pointee, &arg->pointee);
        read_of(doc, item, method->port, &arg->of);
        if (doc->status < 0)
            return doc->status;
    }
    return 0;
}

/* Read a value. Its labels and expression are parsed as one sidecar line, so that the
 * same checks apply. */
static int read_value(struct document *doc, const json_t *json,
                      const struct pg_port *port)
{
    struct pg_method *method = &port->methods[doc->method];
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *kind = json_string_value(json_object_get(json, "kind"));
    const char *text = json_string_value(json_object_get(json, "expression"));
    const json_t *labels = json_object_get(json, "labels");
    struct pg_value value = {0};
    int number = index_of(kind, kind_names, 4);

    if (!name || !pg_word_ok(name, strlen(name)))
        return fail_at(doc, "values", "expected a usable name");
    if (number < 0)
        return fail_at(doc, "values",
                       "expected kind \"param\", \"mode\", \"out\" or \"hint\"");
    if (!text)
        return fail_at(doc, "values", "expected an expression");
    doc->status =
        pg_marks_value(method, (enum monitor_kind)number, name, text, &value, doc->err);
    value.strings =
        number == MONITOR_MODE && json_is_true(json_object_get(json, "strings"));
    if (doc->status == 0 && value.strings && !pg_type_is_string(value.expr->type))
        fail_at(doc, "values", "expected a string where \"strings\" is true");
    for (size_t i = 0; doc->status == 0 && i < json_array_size(labels); i++) {
        const json_t *label = json_array_get(labels, i);
        const json_t *integer = json_object_get(label, "value");
        const char *word = json_string_value(json_object_get(label, "text"));

        if (!json_is_integer(integer) || !word)
            fail_at(doc, "labels", "expected value and text");
        else
            doc->status =
                pg_value_add_label(&value, json_integer_value(integer), word, doc->err);
    }
    if (doc->status == 0)
        doc->status = pg_marks_take(method, &value, doc->err);
    pg_value_done(&value);
    return doc->status;
}

static int read_method(struct document *doc, const json_t *json, struct pg_port *port)
{
    struct pg_method *method = pg_port_add_method(port);
    const json_t *returns = json_object_get(json, "returns");

    if (!method)
        return no_memory(doc);
    method->name = text_of(doc, json, "name", pg_word_usable, "expected a usable name");
    method->result = text_of(doc, returns, "type", pg_type_written_ok, "expected a type");
    if (doc->status < 0)
        return doc->status;
    if (pg_port_find_method(port, method->name, strlen(method->name)) != method)
        return fail_at(doc, "name", "two methods of one name");
    read_scalar(doc, json_object_get(returns, "value"), &method->result_value);
    read_layout(doc, returns, &method->result_value, &method->result_layout);
    read_of(doc, returns, port, &method->result_of);
    read_size(doc, json, "offset", &method->offset);
    if (doc->status < 0 || read_args(doc, json_object_get(json, "args"), method) < 0)
        return doc->status;
    return 0;
}

/* Read a line `get`, `remember` or `forget` with the parser of sidecars. */
static int read_line(struct document *doc, const json_t *json, struct pg_method *method)
{
    struct pg_source source = {.file = doc->file,
                               .text = json_string_value(json),
                               .line = 1,
                               .column = 1,
                               .lines = 1};
    struct pg_lexer lexer;

    if (!source.text)
        return fail_at(doc, "lines", "expected lines of a sidecar");
    source.length = strlen(source.text);
    doc->status = pg_lex_init(&lexer, &source, doc->err);
    if (doc->status == 0)
        doc->status = pg_line_read(&lexer, method);
    if (doc->status == -ENOENT ||
        (doc->status == 0 && lexer.token.kind != CCA_TOKEN_END)) {
        doc->status = 0;
        fail_at(doc, "lines",
                "expected 'get', 'remember' or 'forget' and one line of it");
    }
    return doc->status;
}

/* Read the marks of a method. Called when all methods have been read. */
static int read_marks(struct document *doc, const json_t *json, struct pg_port *port)
{
    struct pg_method *method = &port->methods[doc->method];
    const json_t *values = json_object_get(json, "values"),
                 *lines = json_object_get(json, "lines");
    size_t i;
    json_t *item;

    if (!json_is_boolean(json_object_get(json, "unmeasured")))
        return fail_at(doc, "unmeasured", "expected true or false");
    if (!json_is_array(values) || (lines && !json_is_array(lines)))
        return fail_at(doc, lines ? "lines" : "values", "expected an array");
    json_array_foreach(lines, i,
                       item) if (read_line(doc, item, method) < 0) return doc->status;
    json_array_foreach(values, i,
                       item) if (read_value(doc, item, port) < 0) return doc->status;
    method->unmeasured = json_is_true(json_object_get(json, "unmeasured"));
    if (method->unmeasured && method->value_count)
        return fail_at(doc, "values", "expected none in an unmeasured method");
    return 0;
}

static int read_memories(struct document *doc, const json_t *memories,
                         struct pg_port *port)
{
    size_t i;
    json_t *item;

    json_array_foreach(memories, i, item)
    {
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *type = json_string_value(json_object_get(item, "type"));
        struct pg_memory *memory;

        if (!name || !type || !pg_word_ok(name, strlen(name)) || i >= 1000)
            return cca_error_set(doc->err, -EINVAL,
                                 "%.150s: error: memories: expected name and "
                                 "type",
                                 doc->file);
        memory = pg_port_add_memory(port);
        if (!memory || !(memory->name = strdup(name)))
            return no_memory(doc);
        memory->cls = strcmp(type, "double") == 0 ? PG_FLOATING : PG_INTEGER;
    }
    return 0;
}

static int read_port(struct document *doc, const json_t *root, struct pg_port *port)
{
    const char *is = json_string_value(json_object_get(root, "schema"));
    const char *name = json_string_value(json_object_get(root, "port"));
    const char *type = json_string_value(json_object_get(root, "type"));
    const char *signature = json_string_value(json_object_get(root, "signature"));
    const json_t *methods = json_object_get(root, "methods");
    const char *wrong = "";
    int status;

    if (!is || strcmp(is, schema) != 0)
        return cca_error_set(doc->err, -EINVAL,
                             "%.150s: error: schema is %s%.40s%s, expected "
                             "'%s'",
                             doc->file, is ? "'" : "", is ? is : "absent", is ? "'" : "",
                             schema);
    if (!name || !pg_word_usable(name) || strlen(name) > 200)
        return cca_error_set(doc->err, -EINVAL,
                             "%.150s: error: port: expected a usable name", doc->file);
    if (!type || !pg_port_type_ok(type))
        return cca_error_set(doc->err, -EINVAL,
                             "%.150s: error: type: expected name/revision", doc->file);
    if (!json_is_array(methods))
        return cca_error_set(doc->err, -EINVAL,
                             "%.150s: error: methods: expected an array", doc->file);
    if (read_size(doc, root, "size", &port->size) < 0)
        return doc->status;
    port->name = strdup(name);
    port->type = strdup(type);
    port->signature = signature ? strdup(signature) : NULL;
    if (!port->name || !port->type || (signature && !port->signature))
        return no_memory(doc);
    status = pg_used_read(json_object_get(root, "types"), port, &wrong);
    if (status == -ENOMEM)
        return no_memory(doc);
    if (status < 0)
        return cca_error_set(doc->err, -EINVAL, "%.150s: error: types: %s", doc->file,
                             wrong);
    for (doc->method = 0; doc->method < json_array_size(methods); doc->method++)
        if (read_method(doc, json_array_get(methods, doc->method), port) < 0)
            return doc->status;
    status = read_memories(doc, json_object_get(root, "memories"), port);
    for (doc->method = 0; status == 0 && doc->method < port->method_count; doc->method++)
        status = read_marks(doc, json_array_get(methods, doc->method), port);
    return status;
}

/* Parse a JSON text. The library jansson drops characters if memory runs out; so the text
 * is parsed twice: equal results prove that memory was sufficient, else errno is
 * ENOMEM. */
static json_t *load_json(const char *text, size_t size, json_error_t *where)
{
    json_t *root, *again;

    errno = 0;
    root = json_loadb(text, size, JSON_REJECT_DUPLICATES, where);
    again = root ? json_loadb(text, size, JSON_REJECT_DUPLICATES, where) : NULL;
    if (root && !json_equal(root, again)) {
        json_decref(root);
        root = NULL;
        errno = ENOMEM;
    }
    json_decref(again);
    return root;
}

struct pg_port *pg_describe_read(const char *text, size_t size, const char *file,
                                 struct cca_error *err)
{
    struct document doc = {.file = file, .err = err};
    struct pg_port *port;
    json_error_t where;
    json_t *root;

    root = load_json(text, size, &where);
    if (!root && errno == ENOMEM) {
        /* memory has run out, which jansson reports as bad input */
        no_memory(&doc);
        return NULL;
    }
    if (!root) {
        cca_error_set(err, -EINVAL, "%.150s:%d: error: %.150s", file, where.line,
                      where.text);
        return NULL;
    }
    port = calloc(1, sizeof *port);
    if (!port) {
        no_memory(&doc);
    } else if (read_port(&doc, root, port) < 0) {
        pg_port_free(port);
        port = NULL;
    }
    json_decref(root);
    return port;
}
