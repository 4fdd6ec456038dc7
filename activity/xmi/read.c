/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c: a UML file, read with libxml2: no network, no entities, bounded in depth and
 * size. */
#include "activity/xmi/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <libxml/xmlerror.h>

enum { MOST_BYTES = 64 << 20 };

int xmi_refuse(const struct xmi_document *document, int line, struct cca_error *err,
               const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cca_error_set(err, -EINVAL, "%s:%d: %s", document->path, line > 0 ? line : 1,
                         text);
}

const char *xmi_tag(const struct xmi_tag *tags, const char *name)
{
    for (; tags; tags = tags->next)
        if (strcasecmp(tags->name, name) == 0)
            return tags->value;
    return NULL;
}

/* --- Memory and words. --- */

void *xmi_take(struct xmi_reading *r, size_t size)
{
    void *memory = act_arena_take(r->document->arena, size);

    if (!memory)
        cca_no_memory(r->err);
    return memory;
}

const char *xmi_copy(struct xmi_reading *r, const char *text)
{
    char *copy = text ? act_arena_text(r->document->arena, text, strlen(text)) : NULL;

    if (text && !copy)
        cca_no_memory(r->err);
    return copy;
}

const char *xmi_id(struct xmi_reading *r, const char *id)
{
    char text[600];

    if (!id || r->file == 0)
        return id;
    snprintf(text, sizeof text, "%d/%.580s", r->file, id);
    return xmi_copy(r, text);
}

int xmi_is(const xmlNode *n, const char *name)
{
    return n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0;
}

int xmi_line(const xmlNode *n)
{
    return (int)xmlGetLineNo((xmlNode *)n);
}

const char *xmi_value(struct xmi_reading *r, const xmlAttr *a)
{
    xmlChar *value = a ? xmlNodeListGetString(a->doc, a->children, 1) : NULL;
    const char *copy = xmi_copy(r, value ? (const char *)value : a ? "" : NULL);

    xmlFree(value);
    return copy;
}

const char *xmi_attribute(struct xmi_reading *r, const xmlNode *n, const char *name)
{
    for (const xmlAttr *a = n->properties; a; a = a->next)
        if (!a->ns && strcmp((const char *)a->name, name) == 0)
            return xmi_value(r, a);
    return NULL;
}

/* Whatever the namespace's version is: 2.1, 20110701, 20131001, or XMI 1's "xmi.id". */
const char *xmi_attribute_of_xmi(struct xmi_reading *r, const xmlNode *n,
                                 const char *name)
{
    char dotted[80];

    for (const xmlAttr *a = n->properties; a; a = a->next)
        if (a->ns && strcmp((const char *)a->name, name) == 0)
            return xmi_value(r, a);
    snprintf(dotted, sizeof dotted, "xmi.%.60s", name);
    for (const xmlAttr *a = n->properties; a; a = a->next)
        if (strcmp((const char *)a->name, dotted) == 0)
            return xmi_value(r, a);
    for (int i = 0; i < 2; i++) { /* a prefix that was not declared */
        snprintf(dotted, sizeof dotted, "%s:%.60s", i ? "xsi" : "xmi", name);
        for (const xmlAttr *a = n->properties; a; a = a->next)
            if (strcmp((const char *)a->name, dotted) == 0)
                return xmi_value(r, a);
    }
    return NULL;
}

const char *xmi_type(struct xmi_reading *r, const xmlNode *n)
{
    const char *type = xmi_attribute_of_xmi(r, n, "type"), *colon;

    if (!type)
        type = (const char *)n->name;
    colon = strrchr(type, ':');
    return colon ? colon + 1 : type;
}

const char *xmi_text_of(struct xmi_reading *r, const xmlNode *n)
{
    xmlChar *text = xmlNodeGetContent((xmlNode *)n);
    const char *copy = xmi_copy(r, (const char *)text);

    xmlFree(text);
    return copy;
}

const char *xmi_inner(struct xmi_reading *r, const xmlNode *n, const char *name)
{
    const char *found = xmi_attribute(r, n, name);

    for (const xmlNode *c = n->children; c && !found; c = c->next) {
        if (c->type != XML_ELEMENT_NODE)
            continue;
        if (xmi_is(c, name)) {
            xmlChar *text = xmlNodeGetContent((xmlNode *)c);

            found = xmi_copy(r, (const char *)text);
            xmlFree(text);
        } else {
            found = xmi_inner(r, c, name);
        }
    }
    return found;
}

/* --- Graphs. --- */

struct xmi_graph *xmi_new_graph(struct xmi_reading *r, const xmlNode *n, const char *id)
{
    struct xmi_graph *g = xmi_take(r, sizeof *g);

    if (!g)
        return NULL;
    g->id = xmi_id(r, id ? id : "");
    g->name = xmi_attribute(r, n, "name");
    g->line = xmi_line(n);
    g->nodes_end = &g->nodes;
    g->edges_end = &g->edges;
    return g;
}

struct xmi_node *xmi_new_node(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, enum xmi_kind kind, const char *id)
{
    struct xmi_node *node = xmi_take(r, sizeof *node);

    if (!node)
        return NULL;
    node->kind = kind;
    node->id = xmi_id(r, id ? id : "");
    node->name = xmi_attribute(r, n, "name");
    node->line = xmi_line(n);
    *g->nodes_end = node;
    g->nodes_end = &node->next;
    return node;
}

struct xmi_edge *xmi_new_edge(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, const char *from, const char *to,
                              const char *guard)
{
    struct xmi_edge *edge = xmi_take(r, sizeof *edge);

    if (!edge)
        return NULL;
    edge->from = xmi_id(r, from ? from : "");
    edge->to = xmi_id(r, to ? to : "");
    edge->guard = guard && *guard ? guard : NULL;
    edge->line = xmi_line(n);
    *g->edges_end = edge;
    g->edges_end = &edge->next;
    return edge;
}

/* --- The file. --- */

static void be_silent(void *context, xmlErrorPtr error)
{
    (void)context;
    (void)error;
}

static int has_entities(const xmlDoc *doc)
{
    return doc->intSubset && (doc->intSubset->entities || doc->intSubset->pentities ||
                              doc->intSubset->ExternalID || doc->intSubset->SystemID);
}

static int read_document(struct xmi_reading *r, xmlDoc *doc)
{
    xmlNode *root = xmlDocGetRootElement(doc);
    int rc;

    if (!root)
        return xmi_refuse(r->document, 1, r->err, "found no element, expected XMI");
    if (has_entities(doc))
        return xmi_refuse(r->document, 1, r->err,
                          "found declarations of entities, expected none");
    rc = xmi_read_uml2(r, root);
    if (!rc && !r->document->graphs)
        rc = xmi_read_uml1(r, root);
    if (!rc && !r->document->graphs)
        rc = xmi_refuse(r->document, xmi_line(root), r->err,
                        "found <%.60s> without an activity, expected XMI with a "
                        "uml:Activity",
                        (const char *)root->name);
    return rc ? rc : xmi_read_places(r, root);
}

static int read_file(struct xmi_reading *r)
{
    struct xmi_document *d = r->document;
    struct stat status;
    xmlDoc *doc;
    int rc;

    if (stat(d->path, &status) != 0)
        return cca_error_set(r->err, -errno, "%s: %s", d->path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return cca_error_set(r->err, -EINVAL, "%s: found a directory, expected a file",
                             d->path);
    if (status.st_size > MOST_BYTES)
        return cca_error_set(r->err, -EINVAL, "%s: found more than 64 MiB, expected XMI",
                             d->path);
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)be_silent);
    doc = xmlReadFile(d->path, NULL, XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    if (!doc) {
        const xmlError *e = xmlGetLastError();
        char text[200] = "no XML";

        if (e && e->message)
            snprintf(text, sizeof text, "%.*s", (int)strcspn(e->message, "\n"),
                     e->message);
        return xmi_refuse(d, e ? e->line : 1, r->err,
                          "found what is no XML (%s), expected XMI", text);
    }
    rc = read_document(r, doc);
    xmlFreeDoc(doc);
    return rc;
}

struct xmi_document *xmi_read(const char *path, struct cca_error *err)
{
    struct act_arena *arena = act_arena_new();
    struct xmi_document *d = arena ? act_arena_take(arena, sizeof *d) : NULL;
    struct xmi_reading r = {.document = d, .err = err, .files = 1};
    int rc;

    if (!d) {
        act_arena_free(arena);
        cca_no_memory(err);
        return NULL;
    }
    d->arena = arena;
    d->path = xmi_copy(&r, path);
    r.graphs_end = &d->graphs;
    rc = d->path ? read_file(&r) : -ENOMEM;
    xmlSetStructuredErrorFunc(NULL, NULL);
    if (!rc && err->code)
        rc = err->code;
    if (!rc)
        return d;
    xmi_document_free(d);
    return NULL;
}

void xmi_document_free(struct xmi_document *document)
{
    if (document)
        act_arena_free(document->arena);
}
