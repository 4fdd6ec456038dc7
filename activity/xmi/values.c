/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c: variables, tables and cost functions of a UML model.
 *
 *   attributes of classes             globals; a table where the default is { 1, 2 }
 *   FunctionBehavior, OpaqueBehavior  cost functions
 *   variables of activities           locals; globals where a cost function names them
 *
 * Files that act_xmi_write wrote have the declarations as text in a tag. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "activity/xmi/parts.h"
#include "activity/xmi/read.h"

enum { DEEPEST = 60, MOST_VALUES = 1000 };

static const char *joined(struct xmi_reading *r, const char *a, const char *b,
                          const char *c, const char *d)
{
    const char *parts[] = {a, b, c, d};
    size_t size = 1, at = 0;
    char *text;

    for (int i = 0; i < 4; i++)
        size += strlen(parts[i]);
    text = xmi_take(r, size);
    for (int i = 0; text && i < 4; i++) {
        strcpy(text + at, parts[i]);
        at += strlen(parts[i]);
    }
    return text;
}

/* --- Types. --- */

/* The type "long" or "double" for a UML type such as "EAJava_int", "..#Integer" or
 * "long"; NULL: neither. */
static const char *type_named(const char *name)
{
    static const char *const longs[] = {"int",  "integer", "long",  "short",   "boolean",
                                        "bool", "eint",    "elong", "int64_t", NULL};
    static const char *const doubles[] = {"real", "double", "float", "edouble", NULL};
    size_t from = strlen(name);

    while (from > 0 && isalnum((unsigned char)name[from - 1]))
        from--;
    for (int i = 0; longs[i]; i++)
        if (strcasecmp(name + from, longs[i]) == 0)
            return "long";
    for (int i = 0; doubles[i]; i++)
        if (strcasecmp(name + from, doubles[i]) == 0)
            return "double";
    return NULL;
}

const xmlNode *xmi_find_element(struct xmi_reading *r, const xmlNode *n, const char *id,
                                int depth)
{
    const xmlNode *found = NULL;
    const char *own;

    for (const xmlNode *c = n->children; c && !found && depth < DEEPEST; c = c->next) {
        if (c->type != XML_ELEMENT_NODE)
            continue;
        own = xmi_attribute_of_xmi(r, c, "id");
        found = own && strcmp(own, id) == 0 ? c : xmi_find_element(r, c, id, depth + 1);
    }
    return found;
}

/* The type "long" or "double" of an element; NULL: another type. *given becomes 1 if the
 * file gives a type. */
static const char *type_of(struct xmi_reading *r, const xmlNode *n, int *given)
{
    const char *name = xmi_reference(r, n, "type"), *type;
    const xmlNode *element;

    *given = name != NULL;
    if (!name)
        return NULL;
    type = type_named(name);
    element = type || strchr(name, '#')
                  ? NULL
                  : xmi_find_element(r, xmlDocGetRootElement(n->doc), name, 0);
    name = element ? xmi_attribute(r, element, "name") : NULL;
    return name ? type_named(name) : type;
}

/* --- Values. --- */

/* The text in one line, without blanks around it. */
static const char *in_one_line(struct xmi_reading *r, const char *text)
{
    char *copy;
    size_t length;

    if (!text)
        return NULL;
    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    copy = xmi_take(r, length + 1);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    return copy && *copy ? copy : NULL;
}

static const char *default_of(struct xmi_reading *r, const xmlNode *n)
{
    const char *text = xmi_attribute(r, n, "default");

    for (const xmlNode *c = n->children; c && !text; c = c->next) {
        if (!xmi_is(c, "defaultValue") && !xmi_is(c, "default"))
            continue;
        text = xmi_inner(r, c, "value");
        text = text ? text : xmi_inner(r, c, "body");
        text = text ? text : xmi_attribute(r, c, "symbol");
    }
    return in_one_line(r, text);
}

static int is_numbers(const char *text)
{
    return text[strspn(text, "0123456789+-.eE, \t")] == '\0';
}

static int is_whole(const char *text)
{
    text += *text == '-';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static const char *name_of(struct xmi_reading *r, const xmlNode *n)
{
    const char *name = xmi_attribute(r, n, "name");
    size_t i = 0;

    while (name && (isalnum((unsigned char)name[i]) || name[i] == '_'))
        i++;
    return name && *name && !name[i] && !isdigit((unsigned char)*name) ? name : NULL;
}

static struct xmi_value *add_value(struct xmi_reading *r, struct xmi_value **list,
                                   int line, const char *name, const char *text)
{
    struct xmi_value *value = xmi_take(r, sizeof *value);
    int count = 0;

    if (!value || !text)
        return NULL;
    for (; *list; list = &(*list)->next)
        if (++count == MOST_VALUES) {
            xmi_refuse(r->document, line, r->err,
                       "found more than %d variables and functions, expected fewer",
                       MOST_VALUES);
            return NULL;
        }
    value->text = text;
    value->name = name;
    value->line = line;
    *list = value;
    return value;
}

static int refuse_value(struct xmi_reading *r, const xmlNode *n, const char *value,
                        const char *expected)
{
    return xmi_refuse(r->document, xmi_line(n), r->err, "found '%.80s', expected %s",
                      value, expected);
}

/* Read a variable as a line such as "global long GV = 0". */
static int add_variable(struct xmi_reading *r, const xmlNode *n, const char *word,
                        struct xmi_value **list)
{
    const char *name = name_of(r, n), *value = default_of(r, n), *head;
    int given;
    const char *type = type_of(r, n, &given);

    if (!name || (given && !type))
        return 0; /* an attribute of a class is not part of a cost model */
    if (!type && !value)
        return 0;
    if (!type)
        type = is_whole(value) ? "long" : "double";
    if (value && *value == '{') {
        size_t length = strlen(value);
        char *inner = xmi_take(r, length);

        if (!inner)
            return -ENOMEM;
        memcpy(inner, value + 1, length > 1 ? length - 2 : 0);
        if (value[length - 1] != '}' || !is_numbers(inner))
            return refuse_value(r, n, value, "{ numbers }");
        head = joined(r, "table ", type, " ", name);
        value = head ? joined(r, head, " = { ", inner, " }") : NULL;
    } else {
        if (value && !xmi_is_one_clause(value))
            return refuse_value(r, n, value, "an expression");
        head = joined(r, word, type, " ", name);
        value = head && value ? joined(r, head, " = ", value, "") : head;
    }
    return add_value(r, list, xmi_line(n), name, value) ? 0 : r->err->code;
}

/* The expression E of a body "return E;" in another language. */
static const char *plain_body(struct xmi_reading *r, const char *body)
{
    char *copy;
    size_t length;

    body = in_one_line(r, body);
    if (body && strncmp(body, "return", 6) == 0 && !isalnum((unsigned char)body[6]) &&
        body[6] != '_')
        body += 6;
    length = body ? strlen(body) : 0;
    while (length && strchr("; ", body[length - 1]))
        length--;
    copy = length ? xmi_take(r, length + 1) : NULL;
    if (copy)
        memcpy(copy, body, length);
    return copy ? copy + strspn(copy, " ") : NULL;
}

static const char *parameters_of(struct xmi_reading *r, const xmlNode *n)
{
    const char *text = "";

    for (const xmlNode *p = n->children; p && text; p = p->next) {
        const char *direction, *name, *type;
        int given;

        if (!xmi_is(p, "ownedParameter"))
            continue;
        direction = xmi_attribute(r, p, "direction");
        name = name_of(r, p);
        if ((direction && strcmp(direction, "return") == 0) || !name)
            continue;
        type = type_of(r, p, &given);
        type = joined(r, *text ? ", " : "", type ? type : "double", " ", name);
        text = type ? joined(r, text, type, "", "") : NULL;
    }
    return text;
}

/* Read a cost function as a line such as "cost FA4(double P) = 3.14 + 2.71*P". */
static int add_function(struct xmi_reading *r, const xmlNode *n)
{
    const char *name = name_of(r, n), *parameters, *head, *text;
    const char *body = plain_body(r, xmi_inner(r, n, "body"));
    struct xmi_value *value;

    if (!name || !body)
        return 0; /* the result of the function is not a number */
    if (!xmi_is_one_clause(body))
        return xmi_is_prose(NULL, body) && !strpbrk(body, "+*/()")
                   ? 0
                   : refuse_value(r, n, body, "an expression");
    parameters = parameters_of(r, n);
    head = parameters ? joined(r, "cost ", name, "(", parameters) : NULL;
    text = head ? joined(r, head, ") = ", body, "") : NULL;
    value = add_value(r, &r->document->functions, xmi_line(n), name, text);
    if (!value)
        return r->err->code;
    value->parameters = parameters;
    value->body = body;
    return 0;
}

static int is_of_class(struct xmi_reading *r, const xmlNode *n)
{
    const char *type = xmi_type(r, n);

    return strcmp(type, "Class") == 0 || strcmp(type, "Component") == 0 ||
           strcmp(type, "Activity") == 0;
}

static int read_values(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        const char *type;

        if (c->type != XML_ELEMENT_NODE || xmi_is(c, "Extension") ||
            xmi_attribute_of_xmi(r, c, "idref"))
            continue;
        type = xmi_type(r, c);
        if (xmi_is(c, "ownedAttribute") && is_of_class(r, n))
            rc = add_variable(r, c, "global ", &r->document->values);
        else if (strcmp(type, "FunctionBehavior") == 0 ||
                 strcmp(type, "OpaqueBehavior") == 0 || xmi_is(c, "ownedOperation"))
            rc = add_function(r, c);
        else
            rc = read_values(r, c, depth + 1);
    }
    return rc;
}

/* --- Variables of activities. --- */

static int is_shared(const struct xmi_document *d, const char *name)
{
    for (const struct xmi_value *f = d->functions; f; f = f->next)
        if (xmi_has_word(f->body, name) && !xmi_has_word(f->parameters, name))
            return 1;
    return 0;
}

static struct xmi_graph *graph_of(struct xmi_reading *r, const xmlNode *n)
{
    const char *id = xmi_id(r, xmi_attribute_of_xmi(r, n, "id"));
    struct xmi_graph *g = r->document->graphs;

    while (g && id && strcmp(g->id, id) != 0)
        g = g->next;
    return id ? g : NULL;
}

static int read_locals(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        struct xmi_graph *g;
        const char *name;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        g = xmi_is(c, "variable") && !xmi_attribute_of_xmi(r, c, "idref") ? graph_of(r, n)
                                                                          : NULL;
        name = g ? name_of(r, c) : NULL;
        if (name)
            rc = is_shared(r->document, name)
                     ? add_variable(r, c, "global ", &r->document->values)
                     : add_variable(r, c, "local ", &g->locals);
        else if (!g)
            rc = read_locals(r, c, depth + 1);
    }
    return rc;
}

/* --- Undeclared variables that code assigns to. --- */

static struct xmi_value *find_value(const struct xmi_document *d, const char *name)
{
    struct xmi_value *v = d->values;

    while (v && strcmp(v->name, name) != 0)
        v = v->next;
    for (struct xmi_value *f = d->functions; f && !v; f = f->next)
        v = strcmp(f->name, name) == 0 ? f : NULL;
    for (const struct xmi_graph *g = d->graphs; g && !v; g = g->next)
        for (v = g->locals; v && strcmp(v->name, name) != 0;)
            v = v->next;
    return v;
}

/* Declare `name` from an assignment "name = value": long if the value is a whole number,
 * else double. */
static int guess_one(struct xmi_reading *r, const char *name, const char *value, int line)
{
    struct xmi_value *v = find_value(r->document, name);
    int whole = is_whole(value);

    if (v && (!v->is_guess || whole))
        return 0;
    value = joined(r, "global ", whole ? "long " : "double ", name, " = 0");
    if (v && value)
        v->text = value;
    else if (value && (v = add_value(r, &r->document->values, line, name, value)))
        v->is_guess = 1;
    return r->err->code;
}

static int guess_in_code(struct xmi_reading *r, const char *code, int line)
{
    int rc = 0;

    while (*code && !rc) {
        size_t length = 0, gap;
        const char *name, *value;

        while (isalnum((unsigned char)code[length]) || code[length] == '_')
            length++;
        gap = length + strspn(code + length, " \t");
        if (length && !isdigit((unsigned char)*code) && code[gap] == '=' &&
            code[gap + 1] != '=') {
            const char *from = code + gap + 1;
            char *copy = xmi_take(r, strcspn(from, ";") + length + 2);

            if (!copy)
                return -ENOMEM;
            memcpy(copy, code, length);
            name = copy;
            memcpy(copy + length + 1, from, strcspn(from, ";"));
            value = in_one_line(r, copy + length + 1);
            rc = guess_one(r, name, value ? value : "0", line);
        }
        code += length ? length : 1;
    }
    return rc;
}

static int guess_in(struct xmi_reading *r, const struct xmi_graph *g)
{
    int rc = 0;

    for (const struct xmi_node *n = g->nodes; n && !rc; n = n->next) {
        const char *code = xmi_tag(n->tags, "code");

        if (code)
            rc = guess_in_code(r, code, n->line);
        if (!rc && n->inner)
            rc = guess_in(r, n->inner);
        if (!rc && n->setup)
            rc = guess_in(r, n->setup);
    }
    return rc;
}

int xmi_guess_values(struct xmi_reading *r)
{
    int rc = 0;

    if (xmi_tag(r->document->tags, "declarations"))
        return 0;
    for (const struct xmi_graph *g = r->document->graphs; g && !rc; g = g->next)
        rc = guess_in(r, g);
    return rc;
}

int xmi_read_values(struct xmi_reading *r, xmlNode *root)
{
    int rc;

    if (xmi_tag(r->document->tags, "declarations"))
        return 0;
    rc = read_values(r, root, 0);
    return rc ? rc : read_locals(r, root, 0);
}
