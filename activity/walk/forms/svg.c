/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.c: a model as UML activity diagrams in SVG: a note with its declarations, then a
 * diagram for each activity. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "activity/walk/forms.h"
#include "activity/walk/forms/svg_core.h"

struct diagram {
    struct act_box *model, *note;
    struct act_box *now; /* current box: new boxes and lines are added to it */
    int in_code, indent; /* 1: inside a block of code; depth of its statements */
    int failed;          /* out of memory */
};

static void box_free(struct act_box *box)
{
    for (struct act_box *b = box ? box->first : NULL, *next; b; b = next) {
        next = b->next;
        box_free(b);
    }
    for (size_t i = 0; box && i < box->line_count; i++)
        free(box->lines[i].text);
    if (box)
        free(box->lines);
    free(box);
}

/* Append a box to the current one and make it the current one. */
static struct act_box *open_box(struct diagram *d, enum act_box_kind kind,
                                const struct act_element *e)
{
    struct act_box *box = calloc(1, sizeof *box);

    if (!box) {
        d->failed = 1;
        return NULL;
    }
    box->kind = kind;
    box->element = e;
    box->up = d->now;
    if (d->now && d->now->last)
        d->now->last->next = box;
    else if (d->now)
        d->now->first = box;
    if (d->now)
        d->now->last = box;
    d->now = box;
    return box;
}

static void close_box(struct diagram *d)
{
    if (d->now->up)
        d->now = d->now->up;
}

static void add_lone(struct diagram *d, enum act_box_kind kind)
{
    if (open_box(d, kind, NULL))
        close_box(d);
}

/* --- Lines of the current box. --- */

static void line(struct diagram *d, enum act_line_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(struct diagram *d, enum act_line_style style, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    if (!text || act_box_line(d->now, style, d->indent * 2, text))
        d->failed = 1;
    free(text);
}

static void clause(struct diagram *d, const char *words, const struct act_expr *e)
{
    if (act_box_expression(d->now, ACT_LINE_DETAIL, words, e))
        d->failed = 1;
}

/* Text of an expression: new, freed by the caller; NULL only if memory is out. */
static char *text_of(struct diagram *d, const struct act_expr *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        act_expr_print(e, out);
        fclose(out);
    }
    d->failed |= !text;
    return text;
}

/* Add "«allreduce»", then stereotypes; each of their tags has its own line. */
static void add_kind(struct diagram *d, const char *kind, const struct act_applied *first)
{
    char names[400];
    size_t used = (size_t)snprintf(names, sizeof names, "%s", kind);

    for (const struct act_applied *a = first; a && used < sizeof names; a = a->next)
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s",
                                 a->stereotype->name);
    line(d, ACT_LINE_KIND, "\302\253%s\302\273", names);
}

static void add_tags(struct diagram *d, const struct act_applied *a)
{
    for (; a; a = a->next)
        for (const struct act_applied_tag *t = a->tags; t; t = t->next)
            line(d, ACT_LINE_DETAIL, "%s = %s", t->tag->name, t->value);
}

static void add_quoted(struct diagram *d, const char *word, const char *text)
{
    if (text)
        line(d, ACT_LINE_DETAIL, "%s \"%s\"", word, text);
}

static void add_turns(struct diagram *d, const struct act_element *e)
{
    char *first = text_of(d, e->value), *last = text_of(d, e->last);

    if (first && last)
        line(d, ACT_LINE_NAME, "%s = %s..%s", e->variable->name, first, last);
    free(first);
    free(last);
}

static void add_peers(struct diagram *d, const struct act_element *e)
{
    for (int i = 0; i < e->peer_count; i++)
        if (e->kind == ACT_EXCHANGE)
            clause(d, "with ", e->peers[i]);
        else
            line(d, ACT_LINE_DETAIL, "for %s", e->waited_names[i]);
}

static void add_element_lines(struct diagram *d, const struct act_element *e)
{
    int to = e->kind == ACT_SEND || e->kind == ACT_ISEND;
    int from = e->kind == ACT_RECV || e->kind == ACT_IRECV;

    add_kind(d,
             e->kind == ACT_ACTION ? "action+"
             : e->kind == ACT_DO   ? "code"
                                   : act_kind_name(e->kind),
             e->applied);
    if (e->called || e->name)
        line(d, ACT_LINE_NAME, "%s", e->called ? e->called : e->name);
    if (e->kind == ACT_LOOP || (e->kind == ACT_PARALLEL && e->variable))
        add_turns(d, e);
    if (e->kind == ACT_WHILE)
        clause(d, "", e->value);
    add_quoted(d, "type", e->type);
    add_quoted(d, "method", e->method);
    add_tags(d, e->applied);
    clause(d, to ? "to " : from ? "from " : "root ", e->peer);
    add_peers(d, e);
    clause(d, "threads ", e->threads);
    if (e->schedule_given)
        line(d, ACT_LINE_DETAIL, "schedule %s",
             e->schedule == ACT_DYNAMIC ? "dynamic" : "static");
    clause(d, "chunk ", e->chunk);
    clause(d, "time ", e->time);
    clause(d, "cost ", e->cost);
    clause(d, "memory ", e->memory);
    clause(d, "bytes ", e->bytes);
    clause(d, "tag ", e->tag);
    if (e->as != ACT_AS_USUAL)
        line(d, ACT_LINE_DETAIL, "as %s", e->as == ACT_AS_COST ? "cost" : "expanded");
}

/* --- Nodes. --- */

static const char *type_name(enum act_type type)
{
    return type == ACT_LONG ? "long" : "double";
}

/* Add "long NAME = VALUE". */
static void add_variable(struct diagram *d, const char *word,
                         const struct act_variable *v)
{
    char *value = v->value ? text_of(d, v->value) : NULL;

    line(d, ACT_LINE_DETAIL, "%s %s %s%s%s", word, type_name(v->type), v->name,
         value ? " = " : "", value ? value : "");
    free(value);
}

static void add_function(struct diagram *d, const struct act_function *f)
{
    char parameters[2000] = "", *body = text_of(d, f->body);
    size_t used = 0;

    for (const struct act_variable *v = f->parameters; v && used < sizeof parameters;
         v = v->next)
        used += (size_t)snprintf(parameters + used, sizeof parameters - used, "%s%s %s",
                                 used ? ", " : "", type_name(v->type), v->name);
    if (body)
        line(d, ACT_LINE_DETAIL, "cost %s(%s) = %s", f->name, parameters, body);
    free(body);
}

/* Add a declaration to the note, which comes before all activities. */
static void add_declaration(struct diagram *d, const struct act_node *n)
{
    d->now = d->note;
    if (n->kind == ACT_NODE_STEREOTYPE)
        line(d, ACT_LINE_DETAIL, "stereotype %s of %s", n->stereotype->name,
             n->stereotype->base);
    else if (n->kind == ACT_NODE_GLOBAL)
        add_variable(d, "global", n->variable);
    else if (n->kind == ACT_NODE_TABLE)
        line(d, ACT_LINE_DETAIL, "table %s %s of %lld numbers", type_name(n->table->type),
             n->table->name, (long long)n->table->count);
    else
        add_function(d, n->function);
    d->now = d->model;
}

static void open_activity(struct diagram *d, const struct act_activity *a)
{
    if (!open_box(d, ACT_BOX_ACTIVITY, NULL))
        return;
    add_kind(d, "activity+", a->applied);
    line(d, ACT_LINE_NAME, "%s", a->name);
    add_quoted(d, "type", a->type);
    add_quoted(d, "method", a->method);
    add_tags(d, a->applied);
    for (const struct act_variable *v = a->locals; v; v = v->next)
        add_variable(d, "local", v);
    add_lone(d, ACT_BOX_START);
}

/* Open a branch with its guard, or write a line of code. */
static void open_branch(struct diagram *d, const struct act_node *n)
{
    char *guard = n->guard ? text_of(d, n->guard) : NULL;

    if (d->in_code) {
        d->indent--;
        line(d, ACT_LINE_CODE, "%s%s {",
             n->index == 0 ? "if "
             : n->guard    ? "} elif "
                           : "} else",
             guard ? guard : "");
        d->indent++;
    } else if (open_box(d, ACT_BOX_FLOW, NULL)) {
        line(d, ACT_LINE_KIND, "[%s]", guard ? guard : "else");
    }
    free(guard);
}

static void add_statement(struct diagram *d, const struct act_element *e)
{
    char *value = text_of(d, e->value);

    if (value)
        line(d, ACT_LINE_CODE, "%s = %s;", e->variable->name, value);
    free(value);
}

static void open_element(struct diagram *d, const struct act_element *e)
{
    enum act_box_kind kind = ACT_BOX_STEP;

    switch (e->kind) {
    case ACT_IF:
        open_box(d, ACT_BOX_CHOICE, e);
        return;
    case ACT_BRANCH:
        open_box(d, ACT_BOX_FLOW, e);
        return;
    case ACT_LOOP:
    case ACT_WHILE:
    case ACT_PARALLEL:
    case ACT_CRITICAL:
        kind = ACT_BOX_REGION;
        break;
    case ACT_FORK:
        kind = ACT_BOX_FORK;
        break;
    case ACT_CALL:
        kind = ACT_BOX_CALLING;
        break;
    case ACT_SEND:
    case ACT_ISEND:
        kind = ACT_BOX_SENDING;
        break;
    case ACT_RECV:
    case ACT_IRECV:
        kind = ACT_BOX_RECEIVING;
        break;
    default:
        break;
    }
    if (open_box(d, kind, e))
        add_element_lines(d, e);
    if (e->raw && !d->failed)
        line(d, ACT_LINE_CODE, "{{%s}}", e->raw);
}

static int enter(void *context, const struct act_node *n, struct cca_error *err)
{
    struct diagram *d = context;

    switch (n->kind) {
    case ACT_NODE_MODEL:
        d->model = open_box(d, ACT_BOX_MODEL, NULL);
        d->note = d->model ? open_box(d, ACT_BOX_NOTE, NULL) : NULL;
        if (!d->note)
            break;
        line(d, ACT_LINE_NAME, "model %s", n->model->name);
        close_box(d);
        break;
    case ACT_NODE_ACTIVITY:
        open_activity(d, n->activity);
        break;
    case ACT_NODE_LOCAL:
        break;
    case ACT_NODE_ELEMENT:
        if (d->in_code)
            d->indent++; /* statements of an if are indented */
        else
            open_element(d, n->element);
        break;
    case ACT_NODE_BRANCH:
        open_branch(d, n);
        break;
    case ACT_NODE_CODE:
        d->in_code = 1;
        break;
    case ACT_NODE_STATEMENT:
        add_statement(d, n->element);
        break;
    default:
        add_declaration(d, n);
    }
    return d->failed ? cca_no_memory(err) : 0;
}

/* Close an if; one without else gets an empty flow. */
static void close_choice(struct diagram *d, const struct act_element *e)
{
    while (e->is_elif)
        e = e->otherwise;
    if (!e->has_else && open_box(d, ACT_BOX_FLOW, NULL)) {
        line(d, ACT_LINE_KIND, "[else]");
        close_box(d);
    }
    close_box(d);
}

static int leave(void *context, const struct act_node *n, struct cca_error *err)
{
    struct diagram *d = context;

    switch (n->kind) {
    case ACT_NODE_ACTIVITY:
        add_lone(d, ACT_BOX_END);
        close_box(d);
        break;
    case ACT_NODE_ELEMENT:
        if (d->in_code) {
            d->indent--;
            line(d, ACT_LINE_CODE, "}");
        } else if (n->element->kind == ACT_IF) {
            close_choice(d, n->element);
        } else {
            close_box(d);
        }
        break;
    case ACT_NODE_BRANCH:
        if (!d->in_code)
            close_box(d);
        break;
    case ACT_NODE_CODE:
        d->in_code = 0;
        break;
    default:
        break;
    }
    return d->failed ? cca_no_memory(err) : 0;
}

int act_form_svg(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err)
{
    struct diagram d = {.failed = 0};
    const struct act_content_handler handler = {&d, enter, leave};
    int rc = act_form_walk(model, 0, &handler, err);

    (void)options;
    if (!rc) {
        act_box_measure(d.model);
        act_box_place(d.model, 0, 0);
        act_box_draw(d.model, model->name, out);
    }
    box_free(d.model);
    return rc;
}
