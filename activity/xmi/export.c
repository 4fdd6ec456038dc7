/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c: a model as UML 2 in XMI: activities with nodes and edges, then the
 * stereotypes with their tags.
 *
 *   if           decision, guarded edges, merge         fork        fork, edges, join
 *   loop, while  LoopNode                               call        CallBehaviorAction
 *   parallel ..  StructuredActivityNode                 all others  OpaqueAction */
#include "activity/xmi/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/print.h"
#include "activity/xmi/parts.h"
#include "common/xml.h"

struct export
{
    FILE *out;    /* text with the nodes of the model */
    FILE *tags;   /* text with the applied stereotypes, written after the model */
    FILE *shapes; /* text with the diagram, written after the stereotypes */
    struct xmi_spot_place *places;
    size_t place_count;
    int indent;
    int edges;
};

/* The first or the last of the nodes written for an element, by its id. */
struct end {
    char id[40];
};

static void indent(const struct export *x)
{
    for (int i = 0; i < x->indent; i++)
        fputs("  ", x->out);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(out, " %s=\"", name);
    cca_xml_put(out, value, SIZE_MAX);
    fputc('"', out);
}

/* --- Texts of parts. --- */

static char *expression_text(const struct act_expr *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = e ? open_memstream(&text, &size) : NULL;

    if (!out)
        return NULL;
    act_expr_print(e, out);
    fclose(out);
    return text;
}

static void put_expression(FILE *out, const char *name, const struct act_expr *e)
{
    char *text = expression_text(e);

    put_attribute(out, name, text);
    free(text);
}

/* Write an attribute whose value is the text that `print` writes for `of`, without the
 * last newline; nothing where `print` writes nothing. */
#define PUT_PRINTED(out, name, print, of)                                                \
    do {                                                                                 \
        char *text_ = NULL;                                                              \
        size_t size_;                                                                    \
        FILE *to_ = open_memstream(&text_, &size_);                                      \
        if (to_) {                                                                       \
            print(of, to_);                                                              \
            fclose(to_);                                                                 \
            if (size_ && text_[size_ - 1] == '\n')                                       \
                text_[size_ - 1] = '\0';                                                 \
            if (*text_)                                                                  \
                put_attribute(out, name, text_ + strspn(text_, " "));                    \
        }                                                                                \
        free(text_);                                                                     \
    } while (0)

/* --- Stereotypes. --- */

static void begin_tags(struct export *x, const char *stereotype, const char *base,
                       const char *id)
{
    fprintf(x->tags, "  <Mastermind:%s xmi:id=\"s_%s\" base_%s=\"%s\"", stereotype, id,
            base, id);
}

/* Write the tag `id` of the element whose id in the file is `on`, and its place in the
 * diagram if the layout has it. */
static void put_id(struct export *x, int64_t id, const char *on)
{
    if (id >= 0)
        fprintf(x->tags, " id=\"%" PRId64 "\"", id);
    xmi_layout_put(x->shapes, x->places, x->place_count, id, on);
}

/* Write the tags of an element that has a name. */
static void put_element_tags(struct export *x, const struct act_element *e,
                             const char *stereotype, const char *base, const char *id)
{
    begin_tags(x, stereotype, base, id);
    put_id(x, e->id, id);
    put_attribute(x->tags, "type", e->type);
    put_attribute(x->tags, "method", e->method);
    PUT_PRINTED(x->tags, "applied", act_print_applied, e->applied);
    put_expression(x->tags, "peer", e->peer);
    if (e->peer_count)
        PUT_PRINTED(x->tags, "peers", act_print_peers, e);
    put_expression(x->tags, "time", e->time);
    put_expression(x->tags, "cost", e->cost);
    put_expression(x->tags, "memory", e->memory);
    put_expression(x->tags, "bytes", e->bytes);
    put_expression(x->tags, "tag", e->tag);
    if (e->as != ACT_AS_USUAL)
        put_attribute(x->tags, "as", e->as == ACT_AS_COST ? "cost" : "expanded");
    if (e->code)
        PUT_PRINTED(x->tags, "code", act_print_code, e);
    put_attribute(x->tags, "raw", e->raw);
    put_expression(x->tags, "threads", e->threads);
    if (e->schedule_given)
        put_attribute(x->tags, "schedule",
                      e->schedule == ACT_DYNAMIC ? "dynamic" : "static");
    put_expression(x->tags, "chunk", e->chunk);
    if (e->variable && e->kind != ACT_SET) {
        put_attribute(x->tags, "variable", e->variable->name);
        put_expression(x->tags, "first", e->value);
        put_expression(x->tags, "last", e->last);
    }
    if (e->kind == ACT_WHILE)
        put_expression(x->tags, "guard", e->value);
    if (e->body && e->kind != ACT_FORK)
        put_attribute(x->tags, "inside", e->body_comment);
    else
        put_attribute(x->tags, "inside", e->body_comment);
    put_attribute(x->tags, "comment", e->comment);
    put_attribute(x->tags, "tail", e->tail);
    fputs("/>\n", x->tags);
}

/* --- Nodes and edges. --- */

static void put_edge(struct export *x, const char *from, const char *to,
                     const char *guard)
{
    indent(x);
    fprintf(x->out,
            "<edge xmi:type=\"uml:ControlFlow\" xmi:id=\"f%d\" source=\"%s\" "
            "target=\"%s\"",
            ++x->edges, from, to);
    if (!guard) {
        fputs("/>\n", x->out);
        return;
    }
    fprintf(x->out, ">\n");
    indent(x);
    fprintf(x->out, "  <guard xmi:type=\"uml:OpaqueExpression\" xmi:id=\"g%d\">\n",
            x->edges);
    indent(x);
    fputs("    <body>", x->out);
    cca_xml_put(x->out, guard, SIZE_MAX);
    fputs("</body>\n", x->out);
    indent(x);
    fputs("  </guard>\n", x->out);
    indent(x);
    fputs("</edge>\n", x->out);
}

static void put_node(struct export *x, const char *type, const char *id, const char *name,
                     const char *more)
{
    indent(x);
    fprintf(x->out, "<node xmi:type=\"uml:%s\" xmi:id=\"%s\"", type, id);
    put_attribute(x->out, "name", name);
    fprintf(x->out, "%s\n", more);
}

static int put_elements(struct export *x, const struct act_element *e, struct end *first,
                        struct end *last);

/* Write a structured node with its contents. */
static void put_region(struct export *x, const struct act_element *e, const char *type,
                       const char *stereotype, const char *id)
{
    struct end first, last;

    put_node(x, type, id, e->name, ">");
    x->indent++;
    put_elements(x, e->body, &first, &last);
    x->indent--;
    indent(x);
    fputs("</node>\n", x->out);
    put_element_tags(x, e, stereotype, type, id);
}

/* Write branch `index` of a decision or fork. */
static void put_branch(struct export *x, const struct act_element *body, const char *from,
                       const char *to, const char *guard)
{
    struct end first, last;

    if (put_elements(x, body, &first, &last)) {
        put_edge(x, from, first.id, guard);
        put_edge(x, last.id, to, NULL);
    } else {
        put_edge(x, from, to, guard);
    }
}

static void put_inside(struct export *x, int index, const char *comment)
{
    char name[40];

    snprintf(name, sizeof name, "inside_%d", index);
    put_attribute(x->tags, name, comment);
}

static void put_decision_tags(struct export *x, const struct act_element *e,
                              const char *id, int has_else)
{
    const struct act_element *at = e;
    int index = 0;
    char *comments = NULL;
    size_t size;
    FILE *all = open_memstream(&comments, &size);

    begin_tags(x, "Decision", "DecisionNode", id);
    if (!has_else)
        put_attribute(x->tags, "open", "true");
    if (all && e->comment)
        fputs(e->comment, all);
    for (;; at = at->otherwise) {
        put_inside(x, index++, at->body_comment);
        if (!at->is_elif)
            break;
        if (all && at->otherwise->comment) /* write_comment has printed it before the
                                            * whole if */
            fprintf(all, "%s%s", ftell(all) > 0 ? "\n" : "", at->otherwise->comment);
    }
    if (at->has_else)
        put_inside(x, index, at->else_comment);
    if (all && fclose(all) == 0 && *comments)
        put_attribute(x->tags, "comment", comments);
    free(comments);
    put_attribute(x->tags, "tail", e->tail);
    fputs("/>\n", x->tags);
}

static void put_if(struct export *x, const struct act_element *e, struct end *first,
                   struct end *last)
{
    const struct act_element *at = e;
    char *guard;

    snprintf(first->id, sizeof first->id, "d%d", e->number);
    snprintf(last->id, sizeof last->id, "m%d", e->number);
    put_node(x, "DecisionNode", first->id, NULL, "/>");
    for (;; at = at->otherwise) {
        guard = expression_text(at->value);
        put_branch(x, at->body, first->id, last->id, guard);
        free(guard);
        if (!at->is_elif)
            break;
    }
    put_branch(x, at->has_else ? at->otherwise : NULL, first->id, last->id, "else");
    put_node(x, "MergeNode", last->id, NULL, "/>");
    put_decision_tags(x, e, first->id, at->has_else);
}

static int branches_of(const struct act_element *e)
{
    int count = 0;

    for (const struct act_element *b = e->body; b; b = b->next)
        count++;
    return count;
}

/* Whether a fork can be a ForkNode: it has several branches, and none of them has a
 * comment. UML has no comments at branches. Other forks become structured nodes. */
static int is_plain_fork(const struct act_element *e)
{
    for (const struct act_element *b = e->body; b; b = b->next)
        if (b->comment || b->tail)
            return 0;
    return branches_of(e) > 1 && !e->code && !e->raw;
}

static void put_fork(struct export *x, const struct act_element *e, struct end *first,
                     struct end *last)
{
    int index = 0;

    snprintf(first->id, sizeof first->id, "k%d", e->number);
    snprintf(last->id, sizeof last->id, "j%d", e->number);
    put_node(x, "ForkNode", first->id, e->name, "/>");
    for (const struct act_element *b = e->body; b; b = b->next)
        put_branch(x, b->body, first->id, last->id, NULL);
    put_node(x, "JoinNode", last->id, NULL, "/>");
    begin_tags(x, "Fork", "ForkNode", first->id);
    put_id(x, e->id, first->id);
    put_attribute(x->tags, "type", e->type);
    put_attribute(x->tags, "method", e->method);
    PUT_PRINTED(x->tags, "applied", act_print_applied, e->applied);
    for (const struct act_element *b = e->body; b; b = b->next)
        put_inside(x, index++, b->body_comment);
    put_attribute(x->tags, "inside", e->body_comment);
    put_attribute(x->tags, "comment", e->comment);
    put_attribute(x->tags, "tail", e->tail);
    fputs("/>\n", x->tags);
}

static void put_call(struct export *x, const struct act_element *e, const char *id)
{
    char more[300];

    snprintf(more, sizeof more, " behavior=\"a_%.250s\"/>", e->called);
    put_node(x, "CallBehaviorAction", id, e->called, more);
    put_element_tags(x, e, "Call", "CallBehaviorAction", id);
}

static void put_element(struct export *x, const struct act_element *e, struct end *first,
                        struct end *last)
{
    snprintf(first->id, sizeof first->id, "e%d", e->number);
    *last = *first;
    switch (e->kind) {
    case ACT_IF:
        put_if(x, e, first, last);
        break;
    case ACT_LOOP:
    case ACT_WHILE:
        put_region(x, e, "LoopNode", "Loop", first->id);
        break;
    case ACT_FORK:
        if (is_plain_fork(e)) {
            put_fork(x, e, first, last);
            break;
        }
        /* fallthrough */
    case ACT_PARALLEL:
    case ACT_CRITICAL:
    case ACT_BRANCH:
        put_region(x, e, "StructuredActivityNode", xmi_stereotype(e->kind), first->id);
        break;
    case ACT_CALL:
        put_call(x, e, first->id);
        break;
    default:
        put_node(x, "OpaqueAction", first->id, e->name, "/>");
        put_element_tags(x, e, xmi_stereotype(e->kind), "OpaqueAction", first->id);
    }
}

/* Write elements in sequence. Returns 0 if there are none. */
static int put_elements(struct export *x, const struct act_element *e, struct end *first,
                        struct end *last)
{
    int is_first = 1, any = e != NULL;

    for (; e; e = e->next) {
        struct end begin, end;

        put_element(x, e, &begin, &end);
        if (is_first)
            *first = begin;
        else
            put_edge(x, last->id, begin.id, NULL);
        *last = end;
        is_first = 0;
    }
    return any;
}

/* --- Activities. --- */

static void put_activity(struct export *x, const struct act_activity *a)
{
    struct end first, last;
    char id[300];

    snprintf(id, sizeof id, "a_%.280s", a->name);
    indent(x);
    fprintf(x->out, "<packagedElement xmi:type=\"uml:Activity\" xmi:id=\"%s\"", id);
    put_attribute(x->out, "name", a->name);
    fputs(">\n", x->out);
    x->indent++;
    snprintf(id, sizeof id, "i_%.280s", a->name);
    put_node(x, "InitialNode", id, NULL, "/>");
    if (put_elements(x, a->body, &first, &last)) {
        put_edge(x, id, first.id, NULL);
    } else {
        memcpy(last.id, "", 1);
    }
    {
        char final[300];

        snprintf(final, sizeof final, "z_%.280s", a->name);
        put_node(x, "ActivityFinalNode", final, NULL, "/>");
        put_edge(x, *last.id ? last.id : id, final, NULL);
    }
    x->indent--;
    indent(x);
    fputs("</packagedElement>\n", x->out);
    snprintf(id, sizeof id, "a_%.280s", a->name);
    begin_tags(x, "ActivityPlus", "Activity", id);
    put_id(x, a->id, id);
    put_attribute(x->tags, "type", a->type);
    put_attribute(x->tags, "method", a->method);
    PUT_PRINTED(x->tags, "applied", act_print_applied, a->applied);
    if (a->locals)
        PUT_PRINTED(x->tags, "locals", act_print_locals, a);
    put_attribute(x->tags, "comment", a->comment);
    put_attribute(x->tags, "end_comment", a->end_comment);
    fputs("/>\n", x->tags);
}

/* Write the whole model into the streams of `x`. */
static void put_model(struct export *x, const struct act_model *model)
{
    indent(x);
    fputs("<uml:Model xmi:type=\"uml:Model\" xmi:id=\"model\"", x->out);
    put_attribute(x->out, "name", model->name);
    fputs(">\n", x->out);
    x->indent++;
    for (const struct act_activity *a = model->activities; a; a = a->next)
        put_activity(x, a);
    x->indent--;
    indent(x);
    fputs("</uml:Model>\n", x->out);
    begin_tags(x, "Model", "Model", "model");
    PUT_PRINTED(x->tags, "declarations", act_print_declarations, model);
    put_attribute(x->tags, "comment", model->comment);
    put_attribute(x->tags, "end_comment", model->end_comment);
    fputs("/>\n", x->tags);
}

int act_xmi_write(const struct act_model *model, FILE *out, struct cca_error *err)
{
    char *tags = NULL, *shapes = NULL;
    size_t size;
    struct export x = {.out = out,
                       .tags = open_memstream(&tags, &size),
                       .shapes = open_memstream(&shapes, &size),
                       .indent = 1};
    int bad = !x.tags || !x.shapes;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<xmi:XMI xmi:version=\"20131001\" "
          "xmlns:xmi=\"http://www.omg.org/spec/XMI/20131001\" "
          "xmlns:uml=\"http://www.omg.org/spec/UML/20131001\" "
          "xmlns:umldi=\"http://www.omg.org/spec/UML/20131001/UMLDI\" "
          "xmlns:Mastermind=\"" XMI_PROFILE "\">\n",
          out);
    x.places = xmi_layout_read(model->file, &x.place_count);
    if (!bad)
        put_model(&x, model);
    bad |= x.tags && fclose(x.tags) != 0;
    bad |= x.shapes && fclose(x.shapes) != 0;
    if (!bad)
        fputs(tags, out);
    if (!bad && *shapes)
        fprintf(out,
                "  <umldi:UMLActivityDiagram xmi:id=\"diagram\" modelElement=\"model\">\n"
                "%s  </umldi:UMLActivityDiagram>\n",
                shapes);
    fputs("</xmi:XMI>\n", out);
    free(tags);
    free(shapes);
    free(x.places);
    if (bad)
        return cca_no_memory(err);
    return ferror(out) ? cca_error_set(err, -EIO, "the XMI cannot be written") : 0;
}
