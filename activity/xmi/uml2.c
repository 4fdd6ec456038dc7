/* SPDX-License-Identifier: BSD-3-Clause */
/* uml2.c: activities of UML 2 in XMI 2, as written by Eclipse UML2 and Papyrus,
 * MagicDraw, Enterprise Architect, StarUML and Modelio. The tools use different names for
 * elements that hold nodes, but the same xmi:type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "activity/xmi/parts.h"
#include "activity/xmi/read.h"
#include "common/array.h"

/* --- Kinds of nodes. --- */

static int ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);

    return a >= b && strcmp(text + a - b, end) == 0;
}

static int is_pin(const char *type)
{
    return ends_with(type, "Pin");
}

/* Find the kind of a node by its UML type. Returns 1 with *kind; 0: no node of an
 * activity. */
static int kind_of(const char *type, enum xmi_kind *kind)
{
    static const struct {
        const char *type;
        enum xmi_kind kind;
    } kinds[] = {
        {"InitialNode", XMI_INITIAL},
        {"ActivityFinalNode", XMI_FINAL},
        {"FlowFinalNode", XMI_FINAL},
        {"FinalNode", XMI_FINAL},
        {"DecisionNode", XMI_DECISION},
        {"MergeNode", XMI_MERGE},
        {"ForkNode", XMI_FORK},
        {"JoinNode", XMI_JOIN},
        {"CallBehaviorAction", XMI_CALL},
        {"LoopNode", XMI_LOOP},
        {"ExpansionRegion", XMI_LOOP},
        {"StructuredActivityNode", XMI_REGION},
        {"SequenceNode", XMI_REGION},
        {"ConditionalNode", XMI_REGION},
        {"CentralBufferNode", XMI_ACTION},
        {"DataStoreNode", XMI_ACTION},
        {"ActivityParameterNode", XMI_ACTION},
        {"ObjectNode", XMI_ACTION},
        {"ExpansionNode", XMI_ACTION},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].type, type) == 0) {
            *kind = kinds[i].kind;
            return 1;
        }
    *kind = XMI_ACTION;
    return ends_with(type, "Action");
}

/* Whether XML elements of this name contain nodes of an activity. */
static int holds_node(const xmlNode *n)
{
    return xmi_is(n, "node") || xmi_is(n, "ownedNode") || xmi_is(n, "containedNode") ||
           xmi_is(n, "structuredNode") || xmi_is(n, "executableNode") ||
           xmi_is(n, "bodyOutput");
}

static int holds_edge(const xmlNode *n)
{
    return xmi_is(n, "edge") || xmi_is(n, "ownedEdge") || xmi_is(n, "containedEdge");
}

static int is_group(const xmlNode *n)
{
    return xmi_is(n, "group") || xmi_is(n, "ownedGroup") || xmi_is(n, "subgroup") ||
           xmi_is(n, "partition");
}

/* --- References. --- */

const char *xmi_reference(struct xmi_reading *r, const xmlNode *n, const char *name)
{
    const char *found = xmi_attribute(r, n, name);

    for (const xmlNode *c = n->children; c && !found; c = c->next) {
        if (!xmi_is(c, name))
            continue;
        found = xmi_attribute_of_xmi(r, c, "idref");
        if (!found)
            found = xmi_attribute(r, c, "href");
    }
    return found;
}

static const char *first_word(struct xmi_reading *r, const char *words)
{
    size_t length = words ? strcspn(words, " ") : 0;
    char text[600];

    if (!words)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)length, words);
    return xmi_copy(r, text);
}

/* All ids that an attribute or elements of a name refer to, with blanks between. */
static const char *ids_of(struct xmi_reading *r, const xmlNode *n, const char *name)
{
    const char *list = xmi_attribute(r, n, name), *id;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out) {
        cca_no_memory(r->err);
        return NULL;
    }
    for (list = list ? list : ""; *list; list += strspn(list, " ")) {
        id = xmi_id(r, first_word(r, list));
        fprintf(out, "%s ", id ? id : "");
        list += strcspn(list, " ");
    }
    for (const xmlNode *c = n->children; c; c = c->next) {
        id = xmi_is(c, name) ? xmi_id(r, xmi_attribute_of_xmi(r, c, "idref")) : NULL;
        if (id)
            fprintf(out, "%s ", id);
    }
    fclose(out);
    list = xmi_copy(r, text);
    free(text);
    return list;
}

static int is_listed(const char *list, const char *id)
{
    size_t length = strlen(id);

    for (const char *at = list; length && at && (at = strstr(at, id)); at++)
        if ((at == list || at[-1] == ' ') && at[length] == ' ')
            return 1;
    return 0;
}

/* --- Guards. --- */

/* The guard without blanks and brackets around it (diagrams show guards in brackets). */
static const char *bare(struct xmi_reading *r, const char *guard)
{
    size_t length;
    char text[1000];

    if (!guard)
        return NULL;
    guard += strspn(guard, " \t\r\n[");
    length = strlen(guard);
    while (length && strchr(" \t\r\n]", guard[length - 1]) &&
           !(guard[length - 1] == ']' && memchr(guard, '[', length)))
        length--;
    snprintf(text, sizeof text, "%.*s", (int)length, guard);
    return xmi_copy(r, text);
}

static const char *guard_of(struct xmi_reading *r, const xmlNode *edge)
{
    const char *text = xmi_attribute(r, edge, "guard");

    for (const xmlNode *c = edge->children; c && !text; c = c->next) {
        if (!xmi_is(c, "guard"))
            continue;
        text = xmi_inner(r, c, "body");
        text = text ? text : xmi_attribute(r, c, "value");
        text = text ? text : xmi_attribute(r, c, "symbol");
        text = text ? text : xmi_attribute(r, c, "name");
    }
    return bare(r, text);
}

/* --- Nodes. --- */

static int read_contents(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                         int depth);

/* Read the clauses of a ConditionalNode, in their order. */
static int read_clauses(struct xmi_reading *r, struct xmi_node *node, const xmlNode *n)
{
    struct xmi_clause **end = &node->clauses;

    for (const xmlNode *c = n->children; c; c = c->next) {
        struct xmi_clause *clause;

        if (!xmi_is(c, "clause"))
            continue;
        clause = xmi_take(r, sizeof *clause);
        if (!clause)
            return -ENOMEM;
        clause->test = xmi_id(r, first_word(r, xmi_reference(r, c, "test")));
        clause->body = ids_of(r, c, "body");
        *end = clause;
        end = &clause->next;
    }
    return 0;
}

/* Remove a node and its edges from a graph. */
static struct xmi_node *take_node(struct xmi_graph *g, struct xmi_node **at)
{
    struct xmi_node *node = *at;

    *at = node->next;
    node->next = NULL;
    for (g->nodes_end = &g->nodes; *g->nodes_end;)
        g->nodes_end = &(*g->nodes_end)->next;
    for (g->edges_end = &g->edges; *g->edges_end;) {
        if (strcmp((*g->edges_end)->from, node->id) == 0 ||
            strcmp((*g->edges_end)->to, node->id) == 0)
            *g->edges_end = (*g->edges_end)->next;
        else
            g->edges_end = &(*g->edges_end)->next;
    }
    return node;
}

/* Read a loop's guard (the body of its test, else the test's name), and the nodes before
 * the first iteration. */
static int read_loop(struct xmi_reading *r, struct xmi_node *node, const xmlNode *n)
{
    const char *test = xmi_id(r, first_word(r, xmi_reference(r, n, "test")));
    const char *setup = ids_of(r, n, "setupPart");
    const char *first = xmi_attribute(r, n, "isTestedFirst");

    node->is_tested_last = first && strcmp(first, "false") == 0;
    for (struct xmi_node **at = &node->inner->nodes; *at;) {
        /* the node of the test is left out: the test is evaluated, not run as an
         * action */
        if (test && strcmp((*at)->id, test) == 0) {
            node->guard = (*at)->body ? (*at)->body : (*at)->name;
            take_node(node->inner, at);
        } else if (setup && is_listed(setup, (*at)->id)) {
            if (!node->setup && !(node->setup = xmi_new_graph(r, n, node->id)))
                return -ENOMEM;
            *node->setup->nodes_end = take_node(node->inner, at);
            node->setup->nodes_end = &(*node->setup->nodes_end)->next;
        } else {
            at = &(*at)->next;
        }
    }
    return r->err->code;
}

static int read_inner(struct xmi_reading *r, struct xmi_node *node, const xmlNode *n,
                      int depth)
{
    int rc;

    node->inner = xmi_new_graph(r, n, node->id);
    if (!node->inner)
        return -ENOMEM;
    node->inner->id = node->id;
    rc = read_contents(r, node->inner, n, depth);
    rc = rc ? rc : read_clauses(r, node, n);
    return rc || node->kind != XMI_LOOP ? rc : read_loop(r, node, n);
}

/* The id of a called activity: of this file, or "other.uml#id", which is read later. */
static const char *behavior_of(struct xmi_reading *r, const xmlNode *n)
{
    const char *text = xmi_reference(r, n, "behavior");

    if (text && *text == '#')
        text++;
    return text && !strchr(text, '#') ? xmi_id(r, text) : text;
}

/* Read an action's body: assignments are code that runs before the cost is charged; prose
 * becomes a comment. */
static void read_body(struct xmi_reading *r, struct xmi_node *node, const xmlNode *n)
{
    const char *body = xmi_attribute(r, n, "body"), *language = NULL;
    struct xmi_tag *tag;

    for (const xmlNode *c = n->children; c; c = c->next) {
        if (xmi_is(c, "language") && !language)
            language = xmi_text_of(r, c);
        if (xmi_is(c, "body") && !body)
            body = xmi_text_of(r, c);
    }
    node->body = body && body[strspn(body, " \t\r\n")] ? body : NULL;
    if (!node->body || !(tag = xmi_take(r, sizeof *tag)))
        return;
    tag->name = xmi_is_prose(language, body) ? "comment" : "code";
    tag->value = body;
    tag->next = node->tags;
    node->tags = tag;
    if (!xmi_is_code(body) && strcmp(tag->name, "code") == 0)
        xmi_refuse(r->document, xmi_line(n), r->err,
                   "found '%.80s', expected assignments and ifs", body);
}

static int read_node(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                     int depth)
{
    const char *type = xmi_type(r, n), *id = xmi_attribute_of_xmi(r, n, "id");
    enum xmi_kind kind;
    struct xmi_node *node;

    if (!id && xmi_attribute_of_xmi(r, n, "idref"))
        return 0; /* only a reference to a node, which another XML element defines */
    if (is_pin(type))
        return 0;
    if (!kind_of(type, &kind))
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found a node of type '%.60s', expected a node of an activity",
                          type);
    if (!id)
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found a node without xmi:id, expected one");
    node = xmi_new_node(r, g, n, kind, id);
    if (!node)
        return -ENOMEM;
    if (kind == XMI_CALL)
        node->behavior = behavior_of(r, n);
    if (kind == XMI_ACTION && !node->name)
        node->name = xmi_inner(r, n, "body");
    else if (kind == XMI_ACTION)
        read_body(r, node, n);
    if (!r->err->code && kind == XMI_ACTION && !node->name)
        node->name = "";
    return kind == XMI_REGION || kind == XMI_LOOP ? read_inner(r, node, n, depth + 1) : 0;
}

/* The id of the action that has the pin with this id; NULL: the id is not a pin's. */
static const char *owner_of(struct xmi_reading *r, const xmlNode *root, const char *id)
{
    for (const xmlNode *n = root->children; n; n = n->next) {
        const char *found = NULL, *own;

        if (n->type != XML_ELEMENT_NODE)
            continue;
        if (is_pin(xmi_type(r, n)) && (own = xmi_attribute_of_xmi(r, n, "id")) &&
            strcmp(own, id) == 0)
            return xmi_attribute_of_xmi(r, root, "id");
        found = owner_of(r, n, id);
        if (found)
            return found;
    }
    return NULL;
}

static int is_node(const struct xmi_graph *g, const char *id)
{
    for (const struct xmi_node *n = g->nodes; n; n = n->next)
        if (strcmp(n->id, id) == 0)
            return 1;
    return 0;
}

static int read_edge(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                     const xmlNode *holder)
{
    const char *from = xmi_reference(r, n, "source"), *to = xmi_reference(r, n, "target");
    const char *type = xmi_type(r, n);
    struct xmi_edge *edge;

    if (xmi_attribute_of_xmi(r, n, "idref"))
        return 0;
    if (!from || !to)
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found an edge without %s, expected both ends",
                          from ? "target" : "source");
    if (strcmp(type, "ControlFlow") != 0 && strcmp(type, "ObjectFlow") != 0 &&
        strcmp(type, "ActivityEdge") != 0 && !holds_edge(n))
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found an edge of type '%.60s', expected ControlFlow or "
                          "ObjectFlow",
                          type);
    if (!is_node(g, xmi_id(r, from)) && owner_of(r, holder, from))
        from = owner_of(r, holder, from);
    if (!is_node(g, xmi_id(r, to)) && owner_of(r, holder, to))
        to = owner_of(r, holder, to);
    edge = xmi_new_edge(r, g, n, from, to, guard_of(r, n));
    if (!edge)
        return -ENOMEM;
    edge->is_object = strcmp(type, "ObjectFlow") == 0;
    return 0;
}

enum { DEEPEST = 60 };

/* Read nodes before edges: an edge may precede its nodes in the file. */
static int read_contents(struct xmi_reading *r, struct xmi_graph *g, const xmlNode *n,
                         int depth)
{
    int rc = 0;

    if (depth > DEEPEST)
        return xmi_refuse(r->document, xmi_line(n), r->err,
                          "found more than %d levels of nodes, expected fewer", DEEPEST);
    for (const xmlNode *c = n->children; c && !rc; c = c->next) {
        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (holds_node(c) ||
            (is_group(c) && strcmp(xmi_type(r, c), "ActivityPartition") != 0 &&
             xmi_attribute_of_xmi(r, c, "type")))
            rc = read_node(r, g, c, depth);
        else if (is_group(c))
            rc = read_contents(r, g, c, depth + 1);
    }
    for (const xmlNode *c = n->children; c && !rc; c = c->next)
        if (c->type == XML_ELEMENT_NODE && holds_edge(c))
            rc = read_edge(r, g, c, n);
    return rc;
}

/* --- Activities. --- */

static int read_activities(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    if (n->type != XML_ELEMENT_NODE || depth > DEEPEST)
        return 0;
    if (strcmp(xmi_type(r, n), "Activity") == 0 &&
        (xmi_attribute_of_xmi(r, n, "type") ||
         strcmp((const char *)n->name, "Activity") == 0)) {
        struct xmi_graph *g = xmi_new_graph(r, n, xmi_attribute_of_xmi(r, n, "id"));

        if (!g)
            return -ENOMEM;
        rc = read_contents(r, g, n, 0);
        if (g->nodes || g->name) {
            *r->graphs_end = g;
            r->graphs_end = &g->next;
        }
    }
    if (strcmp(xmi_type(r, n), "Model") == 0 && !r->document->name) {
        r->document->name = xmi_attribute(r, n, "name");
        r->document->line = xmi_line(n);
    }
    for (const xmlNode *c = n->children; c && !rc; c = c->next)
        rc = read_activities(r, c, depth + 1);
    return rc;
}

/* --- Stereotypes: <Profile:ActionPlus base_Action="ID" cost=".."/>. --- */

static int is_tag_of_xmi(const xmlAttr *a)
{
    return a->ns || strncmp((const char *)a->name, "base_", 5) == 0 ||
           strncmp((const char *)a->name, "xmi", 3) == 0;
}

static int read_tags(struct xmi_reading *r, const xmlNode *n, struct xmi_tag **tags)
{
    for (const xmlAttr *a = n->properties; a; a = a->next) {
        struct xmi_tag *tag;

        if (is_tag_of_xmi(a))
            continue;
        tag = xmi_take(r, sizeof *tag);
        if (!tag)
            return -ENOMEM;
        tag->line = xmi_line(n);
        tag->name = xmi_copy(r, (const char *)a->name);
        tag->value = xmi_value(r, a);
        tag->next = *tags;
        *tags = tag;
    }
    /* tags that are child elements, not attributes */
    for (const xmlNode *c = n->children; c; c = c->next) {
        struct xmi_tag *tag;
        xmlChar *text;

        if (c->type != XML_ELEMENT_NODE ||
            strncmp((const char *)c->name, "base_", 5) == 0)
            continue;
        tag = xmi_take(r, sizeof *tag);
        if (!tag)
            return -ENOMEM;
        text = xmlNodeGetContent((xmlNode *)c);
        tag->line = xmi_line(c);
        tag->name = xmi_copy(r, (const char *)c->name);
        tag->value = xmi_copy(r, (const char *)text);
        xmlFree(text);
        tag->next = *tags;
        *tags = tag;
    }
    return 0;
}

/* The element a stereotype is applied to: the attribute base_.., or a child of that
 * name. */
static const char *base_of(struct xmi_reading *r, const xmlNode *n)
{
    for (const xmlAttr *a = n->properties; a; a = a->next)
        if (strncmp((const char *)a->name, "base_", 5) == 0)
            return xmi_value(r, a);
    for (const xmlNode *c = n->children; c; c = c->next) {
        const char *id;

        if (c->type != XML_ELEMENT_NODE ||
            strncmp((const char *)c->name, "base_", 5) != 0)
            continue;
        id = xmi_attribute_of_xmi(r, c, "idref");
        return id ? id : xmi_attribute(r, c, "href");
    }
    return NULL;
}

static int apply(struct xmi_reading *r, const xmlNode *n, const char *base)
{
    struct xmi_document *d = r->document;

    if ((strchr(base, '#') != NULL) != r->is_elsewhere)
        return 0;
    base = r->is_elsewhere ? xmi_id_elsewhere(r, base) : xmi_id(r, base);
    if (!base)
        return r->err->code;
    if (strcasecmp((const char *)n->name, "Model") == 0)
        return read_tags(r, n, &d->tags);
    for (struct xmi_graph *g = d->graphs; g; g = g->next) {
        struct xmi_node *node;

        if (strcmp(g->id, base) == 0)
            return read_tags(r, n, &g->tags);
        node = xmi_find_node(g, base);
        if (!node)
            continue;
        if (!node->stereotype)
            node->stereotype = xmi_copy(r, (const char *)n->name);
        return read_tags(r, n, &node->tags);
    }
    if (xmi_kind_of((const char *)n->name) == ACT_KINDS ||
        xmi_find_element(r, xmlDocGetRootElement(n->doc), base, 0) || r->file)
        return 0; /* a stereotype of a class or port, which is not used here */
    return xmi_refuse(d, xmi_line(n), r->err,
                      "found %.60s of '%.80s', expected the id of an element",
                      (const char *)n->name, base);
}

int xmi_read_stereotypes(struct xmi_reading *r, const xmlNode *n, int depth)
{
    int rc = 0;

    for (const xmlNode *c = n->children; c && !rc && depth < DEEPEST; c = c->next) {
        const char *base = c->type == XML_ELEMENT_NODE ? base_of(r, c) : NULL;

        if (base)
            rc = apply(r, c, base);
        else if (c->type == XML_ELEMENT_NODE)
            rc = xmi_read_stereotypes(r, c, depth + 1);
    }
    return rc;
}

/* --- Ids. --- */

struct ids {
    const struct xmi_node **nodes;
    size_t count;
};

static int collect_nodes(const struct xmi_graph *g, struct ids *ids)
{
    for (const struct xmi_node *n = g->nodes; n; n = n->next) {
        const struct xmi_node **at = cca_array_add(&ids->nodes, &ids->count, sizeof *at);

        if (!at)
            return -ENOMEM;
        *at = n;
        if ((n->inner && collect_nodes(n->inner, ids)) ||
            (n->setup && collect_nodes(n->setup, ids)))
            return -ENOMEM;
    }
    return 0;
}

static int compare_ids(const void *a, const void *b)
{
    const struct xmi_node *x = *(const struct xmi_node *const *)a;
    const struct xmi_node *y = *(const struct xmi_node *const *)b;
    int order = strcmp(x->id, y->id);

    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int check_ids(struct xmi_reading *r)
{
    struct ids ids = {0};
    int rc = 0;

    for (const struct xmi_graph *g = r->document->graphs; g && !rc; g = g->next)
        rc = collect_nodes(g, &ids);
    if (rc)
        cca_no_memory(r->err);
    else if (ids.count)
        qsort(ids.nodes, ids.count, sizeof *ids.nodes, compare_ids);
    for (size_t i = 1; i < ids.count && !rc; i++)
        if (strcmp(ids.nodes[i]->id, ids.nodes[i - 1]->id) == 0)
            rc = xmi_refuse(r->document, ids.nodes[i]->line, r->err,
                            "found the id '%.80s' again (first in line %d), expected "
                            "each once",
                            ids.nodes[i]->id, XMI_LINE(ids.nodes[i - 1]->line));
    free(ids.nodes);
    return rc;
}

int xmi_read_uml2(struct xmi_reading *r, xmlNode *root)
{
    int rc = read_activities(r, root, 0);

    if (rc || !r->document->graphs)
        return rc;
    rc = check_ids(r);
    rc = rc ? rc : xmi_read_stereotypes(r, root, 0);
    return rc ? rc : xmi_read_values(r, root);
}
