/* SPDX-License-Identifier: BSD-3-Clause */
/* uml1.c: activity graphs of UML 1 in XMI 1, as ArgoUML and Poseidon write them; and what
 * Umbrello keeps of an activity diagram: its widgets and their associations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/xmi/read.h"

enum { DEEPEST = 60 };

static int is_inside(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return 1;
    return 0;
}

static void add_graph(struct xmi_reading *r, struct xmi_graph *g)
{
    *r->graphs_end = g;
    r->graphs_end = &g->next;
}

/* --- XMI 1: UML:ActivityGraph. --- */

static int pseudostate(struct xmi_reading *r, const xmlNode *n, enum xmi_kind *kind)
{
    static const struct {
        const char *name;
        enum xmi_kind kind;
    } kinds[] = {{"initial", XMI_INITIAL}, {"junction", XMI_DECISION},
                 {"branch", XMI_DECISION}, {"choice", XMI_DECISION},
                 {"fork", XMI_FORK},       {"join", XMI_JOIN}};
    const char *text = xmi_attribute(r, n, "kind");

    for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, text) == 0) {
            *kind = kinds[i].kind;
            return 0;
        }
    return xmi_refuse(r->document, xmi_line(n), r->err,
                      "found a pseudostate of kind '%.40s', expected initial, junction, "
                      "choice, branch, fork or join",
                      text ? text : "");
}

/* The id that an attribute has, or an element in an element of that name. */
static const char *end_of(struct xmi_reading *r, const xmlNode *n, const char *name,
                          const char *element)
{
    const char *found = xmi_attribute(r, n, name);

    for (const xmlNode *c = n->children; c && !found; c = c->next)
        for (const xmlNode *i = xmi_is(c, element) ? c->children : NULL; i && !found;
             i = i->next)
            if (i->type == XML_ELEMENT_NODE)
                found = xmi_attribute_of_xmi(r, i, "idref");
    return found;
}

static int read_vertices(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                         int depth)
{
    static const char *const states[] = {"ActionState", "SubactivityState",
                                         "CallState",   "ObjectFlowState",
                                         "SimpleState", NULL};
    const char *id;
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        enum xmi_kind kind = XMI_ACTION;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        id = xmi_attribute_of_xmi(r, c, "id");
        if (xmi_is(c, "Pseudostate") && id)
            rc = pseudostate(r, c, &kind);
        else if (xmi_is(c, "FinalState") && id)
            kind = XMI_FINAL;
        else if (!is_inside((const char *)c->name, states) || !id) {
            rc = read_vertices(r, g, c, depth + 1);
            continue;
        }
        if (!rc && !xmi_new_node(r, g, c, kind, id))
            rc = -ENOMEM;
    }
    return rc;
}

static int read_transitions(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                            int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        const char *from, *to, *guard;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (!xmi_is(c, "Transition") || !xmi_attribute_of_xmi(r, c, "id")) {
            rc = read_transitions(r, g, c, depth + 1);
            continue;
        }
        from = end_of(r, c, "source", "Transition.source");
        to = end_of(r, c, "target", "Transition.target");
        if (!from || !to)
            return xmi_refuse(r->document, xmi_line(c), r->err,
                              "found a transition without %s, expected both ends",
                              from ? "target" : "source");
        guard = xmi_inner(r, c, "body");
        if (!xmi_new_edge(r, g, c, from, to, guard))
            return -ENOMEM;
    }
    return rc;
}

static int read_graphs(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        struct xmi_graph *g;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (xmi_is(c, "Model") && !r->document->name) {
            r->document->name = xmi_attribute(r, c, "name");
            r->document->line = xmi_line(c);
        }
        if (!xmi_is(c, "ActivityGraph")) {
            rc = read_graphs(r, c, depth + 1);
            continue;
        }
        g = xmi_new_graph(r, c, xmi_attribute_of_xmi(r, c, "id"));
        rc = g ? read_vertices(r, g, c, 0) : -ENOMEM;
        rc = rc ? rc : read_transitions(r, g, c, 0);
        if (!rc)
            add_graph(r, g);
    }
    return rc;
}

/* --- Umbrello. --- */

/* The numbers of its ActivityWidget::ActivityType: initial, normal, end, final, branch,
 * invoke, parameter. */
static int widget_kind(struct xmi_reading *r, const xmlNode *n, enum xmi_kind *kind)
{
    static const enum xmi_kind kinds[] = {XMI_INITIAL,  XMI_ACTION, XMI_FINAL, XMI_FINAL,
                                          XMI_DECISION, XMI_CALL,   XMI_ACTION};
    const char *text = xmi_attribute(r, n, "activitytype");
    int number = text ? atoi(text) : 1;

    if (number < 0 || number >= (int)(sizeof kinds / sizeof *kinds))
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found activitytype %d, expected 0 to 6", number);
    *kind = kinds[number];
    return 0;
}

/* Umbrello has no tags: the documentation of an activity has one a line, "cost 3*n", and
 * "<<AllReduce>>" is its stereotype. Other lines are a comment. */
static int read_documentation(struct xmi_reading *r, struct xmi_node *node,
                              const char *text)
{
    static const char *const words[] = {"id",   "type", "time", "cost",  "memory",
                                        "code", "tag",  "as",   "bytes", NULL};
    const char *comment = NULL;

    while (text && *text) {
        size_t length = strcspn(text, "\r\n"), word = strcspn(text, " \t=\r\n");
        char line[1000];
        struct xmi_tag *tag;
        int known = 0;

        snprintf(line, sizeof line, "%.*s", (int)length, text);
        while (words[known] &&
               (strlen(words[known]) != word || strncmp(words[known], line, word) != 0))
            known++;
        if (strncmp(line, "<<", 2) == 0) {
            line[strcspn(line, ">")] = '\0';
            node->stereotype = xmi_copy(r, line + 2);
        } else if (*line && word < length) {
            tag = xmi_take(r, sizeof *tag);
            if (!tag)
                return -ENOMEM;
            tag->name = words[known] ? words[known] : "comment";
            tag->value = xmi_copy(r, words[known] ? line + word + 1 : line);
            tag->next = node->tags;
            if (words[known] || !comment)
                node->tags = tag;
            comment = words[known] ? comment : tag->value;
        }
        text += length;
        text += strspn(text, "\r\n");
    }
    return r->err->code;
}

static int read_widget(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n)
{
    static const char *const names[] = {"activityname", "signalname", "objectnodename"};
    const char *id = xmi_attribute(r, n, "localid");
    enum xmi_kind kind = xmi_is(n, "forkjoin") ? XMI_FORK : XMI_ACTION;
    struct xmi_node *node;
    int rc = 0;

    if (!id)
        id = xmi_attribute_of_xmi(r, n, "id");
    if (xmi_is(n, "activitywidget"))
        rc = widget_kind(r, n, &kind);
    if (rc)
        return rc;
    node = xmi_new_node(r, g, n, kind, id);
    if (!node)
        return -ENOMEM;
    for (int i = 0; i < 3; i++)
        if (xmi_attribute(r, n, names[i]))
            node->name = xmi_attribute(r, n, names[i]);
    return read_documentation(r, node, xmi_attribute(r, n, "documentation"));
}

static int read_association(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n)
{
    const char *from = xmi_attribute(r, n, "widgetaid");
    const char *to = xmi_attribute(r, n, "widgetbid"), *guard = NULL;

    for (const xmlNode *c = n->children; c && !guard; c = c->next)
        if (xmi_is(c, "floatingtext"))
            guard = xmi_attribute(r, c, "text");
    if (!from || !to)
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found an association without widget%s, expected both ends",
                          from ? "bid" : "aid");
    if (guard && *guard == '[') {
        char text[500];

        snprintf(text, sizeof text, "%.*s", (int)strcspn(guard + 1, "]"), guard + 1);
        guard = xmi_copy(r, text);
    }
    return xmi_new_edge(r, g, n, from, to, guard) ? 0 : -ENOMEM;
}

static int has_widgets(const xmlNode *n, int depth)
{
    for (const xmlNode *c = n->children; c && depth < 4; c = c->next)
        if (xmi_is(c, "activitywidget") ||
            (c->type == XML_ELEMENT_NODE && has_widgets(c, depth + 1)))
            return 1;
    return 0;
}

static int read_diagram(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                        int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < 6; c = c->next) {
        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (xmi_is(c, "activitywidget") || xmi_is(c, "forkjoin") ||
            xmi_is(c, "signalwidget") || xmi_is(c, "objectnodewidget"))
            rc = read_widget(r, g, c);
        else if (xmi_is(c, "assocwidget"))
            rc = read_association(r, g, c);
        else
            rc = read_diagram(r, g, c, depth + 1);
    }
    return rc;
}

/* Its bars are forks or joins, by how many associations come to them. */
static void tell_joins(struct xmi_graph *g)
{
    for (struct xmi_node *n = g->nodes; n; n = n->next) {
        int in = 0;

        for (const struct xmi_edge *e = g->edges; e; e = e->next)
            in += strcmp(e->to, n->id) == 0;
        if (n->kind == XMI_FORK && in > 1)
            n->kind = XMI_JOIN;
    }
}

static int read_diagrams(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        struct xmi_graph *g;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (!xmi_is(c, "diagram")) {
            rc = read_diagrams(r, c, depth + 1);
            continue;
        }
        if (!has_widgets(c, 0))
            continue;
        g = xmi_new_graph(r, c, xmi_attribute_of_xmi(r, c, "id"));
        rc = g ? read_diagram(r, g, c, 0) : -ENOMEM;
        if (!rc) {
            tell_joins(g);
            add_graph(r, g);
        }
    }
    return rc;
}

/* An invocation is of the diagram with its name. */
static void resolve_calls(struct xmi_document *d)
{
    for (struct xmi_graph *g = d->graphs; g; g = g->next)
        for (struct xmi_node *n = g->nodes; n; n = n->next)
            for (const struct xmi_graph *of = d->graphs; of; of = of->next)
                if (n->kind == XMI_CALL && n->name && of->name &&
                    strcmp(n->name, of->name) == 0)
                    n->behavior = of->id;
}

int xmi_read_uml1(struct xmi_reading *r, xmlNode *root)
{
    int rc = read_graphs(r, root, 0);

    if (rc || r->document->graphs)
        return rc;
    rc = read_diagrams(r, root, 0);
    resolve_calls(r->document);
    return rc || !r->document->graphs ? rc : xmi_read_values(r, root);
}
