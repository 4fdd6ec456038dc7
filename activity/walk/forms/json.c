/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: a model as a tree of JSON: each node is an object, with its children in
 * "in". */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "activity/walk/forms.h"
#include "common/array.h"

struct tree {
    json_t **stack; /* stack of the enclosing JSON objects */
    size_t depth;
    json_t *root;
};

/* Add a text to a JSON object. If it is not UTF-8, its non-ASCII bytes become "?". */
static void put_text(json_t *o, const char *key, const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    char *plain = text && !value ? strdup(text) : NULL;

    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    if (plain)
        value = json_string(plain);
    free(plain);
    if (value)
        json_object_set_new(o, key, value);
}

static void put_expression(json_t *o, const char *key, const struct act_expr *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = e ? open_memstream(&text, &size) : NULL;

    if (!out)
        return;
    act_expr_print(e, out);
    fclose(out);
    put_text(o, key, text);
    free(text);
}

static void put_place(json_t *o, struct act_place place)
{
    json_object_set_new(o, "line", json_integer(place.line));
    json_object_set_new(o, "column", json_integer(place.column));
}

static void put_applied(json_t *o, const struct act_applied *a)
{
    json_t *all = a ? json_array() : NULL;

    for (; a; a = a->next) {
        json_t *one = json_object();

        put_text(one, "name", a->stereotype->name);
        for (const struct act_applied_tag *t = a->tags; t; t = t->next) {
            json_t *tags = json_object_get(one, "tags");

            if (!tags) {
                tags = json_object();
                json_object_set_new(one, "tags", tags);
            }
            put_text(tags, t->tag->name, t->value);
        }
        json_array_append_new(all, one);
    }
    if (all)
        json_object_set_new(o, "stereotypes", all);
}

static void put_variable(json_t *o, const struct act_variable *v)
{
    put_text(o, "name", v->name);
    put_text(o, "type", v->type == ACT_LONG ? "long" : "double");
    put_expression(o, "value", v->value);
    put_text(o, "comment", v->comment);
    put_place(o, v->place);
}

static void put_table(json_t *o, const struct act_table *t)
{
    json_t *values = json_array();

    put_text(o, "name", t->name);
    put_text(o, "type", t->type == ACT_LONG ? "long" : "double");
    for (int64_t i = 0; i < t->count; i++)
        json_array_append_new(values, t->type == ACT_LONG
                                          ? json_integer(t->values[i].whole)
                                          : json_real(t->values[i].real));
    json_object_set_new(o, "values", values);
    put_text(o, "comment", t->comment);
    put_place(o, t->place);
}

static void put_function(json_t *o, const struct act_function *f)
{
    json_t *parameters = json_array();

    put_text(o, "name", f->name);
    for (const struct act_variable *v = f->parameters; v; v = v->next)
        json_array_append_new(parameters,
                              json_pack("{s:s, s:s}", "name", v->name, "type",
                                        v->type == ACT_LONG ? "long" : "double"));
    json_object_set_new(o, "parameters", parameters);
    put_expression(o, "body", f->body);
    put_text(o, "comment", f->comment);
    put_place(o, f->place);
}

static void put_activity(json_t *o, const struct act_activity *a)
{
    put_text(o, "name", a->name);
    if (a->id >= 0)
        json_object_set_new(o, "id", json_integer(a->id));
    put_text(o, "method", a->method);
    put_text(o, "type", a->type);
    put_text(o, "comment", a->comment);
    put_applied(o, a->applied);
    put_place(o, a->place);
}

static void put_element(json_t *o, const struct act_element *e)
{
    json_t *peers = e->peer_count ? json_array() : NULL;

    put_text(o, "element", e->kind == ACT_DO ? "code" : act_kind_name(e->kind));
    json_object_set_new(o, "number", json_integer(e->number));
    put_text(o, "name", e->name);
    if (e->id >= 0)
        json_object_set_new(o, "id", json_integer(e->id));
    put_text(o, "type", e->type);
    put_text(o, "method", e->method);
    put_text(o, "calls", e->called);
    put_expression(o, "time", e->time);
    put_expression(o, "cost", e->cost);
    put_expression(o, "memory", e->memory);
    put_expression(o, "bytes", e->bytes);
    put_expression(o, "tag", e->tag);
    put_expression(o, "peer", e->peer);
    for (int i = 0; i < e->peer_count; i++) {
        json_t *one = json_object();

        if (e->kind == ACT_EXCHANGE)
            put_expression(one, "peer", e->peers[i]);
        else
            put_text(one, "name", e->waited_names[i]);
        json_array_append_new(peers, one);
    }
    if (peers)
        json_object_set_new(o, "with", peers);
    if (e->as != ACT_AS_USUAL)
        put_text(o, "as", e->as == ACT_AS_COST ? "cost" : "expanded");
    if (e->variable)
        put_text(o, "variable", e->variable->name);
    if (e->kind != ACT_IF)
        put_expression(o, e->last ? "first" : "value", e->value);
    put_expression(o, "last", e->last);
    put_expression(o, "threads", e->threads);
    if (e->schedule_given)
        put_text(o, "schedule", e->schedule == ACT_DYNAMIC ? "dynamic" : "static");
    put_expression(o, "chunk", e->chunk);
    put_text(o, "raw", e->raw);
    put_text(o, "comment", e->comment);
    put_text(o, "tail", e->tail);
    put_applied(o, e->applied);
    put_place(o, e->place);
}

static void put_stereotype(json_t *o, const struct act_stereotype *s)
{
    static const char *const types[] = {"long", "double", "text"};
    json_t *tags = json_array();

    put_text(o, "name", s->name);
    put_text(o, "of", s->base);
    for (const struct act_tag *t = s->tags; t; t = t->next) {
        json_t *tag = json_object();

        put_text(tag, "name", t->name);
        put_text(tag, "type", types[t->type]);
        put_text(tag, "value", t->value);
        json_array_append_new(tags, tag);
    }
    json_object_set_new(o, "tags", tags);
    put_text(o, "comment", s->comment);
    put_place(o, s->place);
}

static void put_node(json_t *o, const struct act_node *n)
{
    switch (n->kind) {
    case ACT_NODE_MODEL:
        put_text(o, "schema", "activity/model/1");
        put_text(o, "name", n->model->name);
        put_text(o, "file", n->model->file);
        put_text(o, "comment", n->model->comment);
        break;
    case ACT_NODE_STEREOTYPE:
        put_stereotype(o, n->stereotype);
        break;
    case ACT_NODE_GLOBAL:
    case ACT_NODE_LOCAL:
        put_variable(o, n->variable);
        break;
    case ACT_NODE_TABLE:
        put_table(o, n->table);
        break;
    case ACT_NODE_FUNCTION:
        put_function(o, n->function);
        break;
    case ACT_NODE_ACTIVITY:
        put_activity(o, n->activity);
        break;
    case ACT_NODE_BRANCH:
        put_expression(o, "guard", n->guard);
        break;
    case ACT_NODE_CODE:
        break;
    default:
        put_element(o, n->element);
    }
}

static int enter(void *context, const struct act_node *n, struct cca_error *err)
{
    static const char *const names[] = {"model",    "stereotype", "global",   "table",
                                        "function", "activity",   "local",    "element",
                                        "branch",   "code",       "statement"};
    struct tree *t = context;
    json_t *o = json_object();

    if (!o || cca_array_reserve(&t->stack, t->depth, sizeof(json_t *))) {
        json_decref(o);
        return cca_no_memory(err);
    }
    put_text(o, "node", names[n->kind]);
    put_node(o, n);
    if (t->depth) {
        json_t *around = t->stack[t->depth - 1], *in = json_object_get(around, "in");

        if (!in) {
            in = json_array();
            json_object_set_new(around, "in", in);
        }
        json_array_append_new(in, o);
    } else {
        t->root = o;
    }
    t->stack[t->depth++] = o;
    return 0;
}

static int leave(void *context, const struct act_node *n, struct cca_error *err)
{
    struct tree *t = context;

    (void)n;
    (void)err;
    t->depth--;
    return 0;
}

int act_form_json(const struct act_model *model, const struct act_form_options *options,
                  FILE *out, struct cca_error *err)
{
    struct tree t = {.depth = 0};
    const struct act_content_handler handler = {&t, enter, leave};
    int rc = act_form_walk(model, 0, &handler, err);

    (void)options;
    if (!rc && json_dumpf(t.root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)))
        rc = cca_no_memory(err);
    fputc('\n', out);
    json_decref(t.root);
    free(t.stack);
    return rc;
}
