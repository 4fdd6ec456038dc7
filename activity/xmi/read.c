/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c: a UML file, read with libxml2: no network, no entities, bounded in depth and
 * size. */
#include "activity/xmi/read.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/xmlerror.h>

enum { MOST_BYTES = 64 << 20 };

int xmi_refuse(const struct xmi_document *document, int line, struct cca_error *err,
               const char *format, ...)
{
    char text[sizeof err->text];
    int file;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* newlines become blanks, because libxml2's messages
                                   * must be one line here */
        if ((unsigned char)*c < ' ')
            *c = ' ';
    file = line > 0 ? line >> XMI_LINE_BITS : 0;
    return cca_error_set(err, -EINVAL, "%s:%d: %s",
                         file ? document->paths[file] : document->path,
                         XMI_LINE(line) > 0 ? XMI_LINE(line) : 1, text);
}

const char *xmi_tag(const struct xmi_tag *tags, const char *name)
{
    for (; tags; tags = tags->next)
        if (strcasecmp(tags->name, name) == 0)
            return tags->value;
    return NULL;
}

/* --- Memory and attributes. --- */

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

const char *xmi_id_elsewhere(struct xmi_reading *r, const char *reference)
{
    const struct xmi_document *d = r->document;
    const char *hash = strchr(reference, '#'), *id = NULL;
    size_t length = (size_t)(hash - reference);
    int before = r->file;

    for (int i = 0; i < d->file_count && !id; i++) {
        size_t whole = strlen(d->paths[i]);

        if (length && (whole < length ||
                       strncmp(d->paths[i] + whole - length, reference, length) != 0 ||
                       (whole > length && d->paths[i][whole - length - 1] != '/')))
            continue;
        r->file = i;
        id = xmi_id(r, hash + 1);
    }
    r->file = before;
    return id;
}

int xmi_is(const xmlNode *n, const char *name)
{
    return n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0;
}

int xmi_line(const xmlNode *n)
{
    long line = xmlGetLineNo((xmlNode *)n);
    int most = (1 << XMI_LINE_BITS) - 1;

    return (int)(intptr_t)n->doc->_private << XMI_LINE_BITS | (line < 1      ? 1
                                                               : line > most ? most
                                                                             : (int)line);
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

/* An attribute of the XMI namespace, whatever its version: 2.1, 20110701, 20131001. */
const char *xmi_attribute_of_xmi(struct xmi_reading *r, const xmlNode *n,
                                 const char *name)
{
    char prefixed[80];

    for (const xmlAttr *a = n->properties; a; a = a->next)
        if (a->ns && strcmp((const char *)a->name, name) == 0)
            return xmi_value(r, a);
    /* search prefixes that the file uses without declaring them */
    for (int i = 0; i < 2; i++) {
        snprintf(prefixed, sizeof prefixed, "%s:%.60s", i ? "xsi" : "xmi", name);
        for (const xmlAttr *a = n->properties; a; a = a->next)
            if (strcmp((const char *)a->name, prefixed) == 0)
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

/* --- Files. --- */

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
    int line = root ? xmi_line(root) : 1, rc;

    if (!root)
        return xmi_refuse(r->document, line, r->err, "found no element, expected XMI");
    if (has_entities(doc))
        return xmi_refuse(r->document, line, r->err,
                          "found declarations of entities, expected none");
    rc = xmi_read_uml2(r, root);
    if (!rc && !r->document->graphs)
        rc = xmi_refuse(r->document, line, r->err,
                        "found <%.60s> without an activity, expected XMI 2 with a "
                        "uml:Activity",
                        (const char *)root->name);
    return rc || r->file ? rc : xmi_read_places(r, root);
}

/* Parse the XML of file number r->file. NULL: refused, with the error in r. */
static xmlDoc *open_document(struct xmi_reading *r)
{
    struct xmi_document *d = r->document;
    const char *path = d->paths[r->file];
    struct stat status;
    xmlDoc *doc;

    if (stat(path, &status) != 0) {
        cca_error_set(r->err, -errno, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode) || status.st_size > MOST_BYTES) {
        cca_error_set(r->err, -EINVAL, "%s:1: found %s, expected XMI", path,
                      S_ISDIR(status.st_mode)   ? "a directory"
                      : S_ISREG(status.st_mode) ? "more than 64 MiB"
                                                : "no plain file");
        return NULL;
    }
    doc = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    if (doc) {
        doc->_private = (void *)(intptr_t)r->file;
    } else {
        const xmlError *e = xmlGetLastError();
        char text[200] = "no XML";

        if (e && e->message)
            snprintf(text, sizeof text, "%.*s", (int)strcspn(e->message, "\n"),
                     e->message);
        cca_error_set(r->err, -EINVAL, "%s:%d: found invalid XML (%s), expected XMI",
                      path, e && e->line > 0 ? e->line : 1, text);
    }
    return doc;
}

static int read_file(struct xmi_reading *r)
{
    xmlDoc *doc = open_document(r);
    int rc = doc ? read_document(r, doc) : r->err->code;

    if (r->file == 0)
        r->first = doc;
    else
        xmlFreeDoc(doc);
    return rc;
}

/* --- Referenced files. --- */

/* Number of the referenced file, which must be beside this one; -1: no such file, as for
 * a tool's own library. */
static int number_of_file(struct xmi_reading *r, const struct xmi_node *n, size_t length)
{
    struct xmi_document *d = r->document;
    const char *from = d->paths[n->line >> XMI_LINE_BITS], *slash = strrchr(from, '/');
    char path[1000];
    int used;

    if (memchr(n->behavior, ':', length))
        return -1;
    used = snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash - from) + 1 : 0,
                    from, (int)length, n->behavior);
    if (*n->behavior == '/' || strstr(n->behavior, "..") || used >= (int)sizeof path ||
        access(path, F_OK) != 0) {
        xmi_refuse(
            d, n->line, r->err,
            "found a reference to '%.*s', expected a file beside this one or below",
            (int)(length > 200 ? 200 : length), n->behavior);
        return -1;
    }
    for (int i = 0; i < d->file_count; i++)
        if (strcmp(d->paths[i], path) == 0)
            return i;
    if (d->file_count == XMI_FILES) {
        xmi_refuse(d, n->line, r->err, "found more than %d files, expected fewer",
                   XMI_FILES);
        return -1;
    }
    r->file = d->file_count;
    d->paths[d->file_count++] = xmi_copy(r, path);
    return r->err->code || read_file(r) ? -1 : d->file_count - 1;
}

static int has_activity(const struct xmi_document *d, const char *id)
{
    const struct xmi_graph *g = d->graphs;

    while (g && id && strcmp(g->id, id) != 0)
        g = g->next;
    return g != NULL;
}

/* Read the files of called activities; from then on those calls refer to activities in
 * memory. */
static int read_called(struct xmi_reading *r, struct xmi_graph *g)
{
    for (struct xmi_node *n = g->nodes; n && !r->err->code; n = n->next) {
        const char *hash = n->behavior ? strchr(n->behavior, '#') : NULL;
        int file = hash ? number_of_file(r, n, (size_t)(hash - n->behavior)) : -1;

        if (file >= 0) {
            r->file = file;
            n->behavior = file ? xmi_id(r, hash + 1) : hash + 1;
            if (!has_activity(r->document, n->behavior))
                xmi_refuse(r->document, n->line, r->err,
                           "found a call of '%.80s' in %.120s, expected an activity",
                           hash + 1, r->document->paths[file]);
        }
        if (n->inner)
            read_called(r, n->inner);
        if (n->setup)
            read_called(r, n->setup);
    }
    return r->err->code;
}

/* Read the file, and all files to which files read so far refer; their graphs are
 * appended. */
static int read_all(struct xmi_reading *r)
{
    int rc = read_file(r);

    for (struct xmi_graph *g = r->document->graphs; g && !rc; g = g->next)
        rc = read_called(r, g);
    r->file = 0;
    r->is_elsewhere = 1;
    if (!rc)
        rc = xmi_read_stereotypes(r, xmlDocGetRootElement(r->first), 0);
    rc = rc ? rc : xmi_guess_values(r);
    xmlFreeDoc(r->first);
    return rc;
}

struct xmi_document *xmi_read(const char *path, struct cca_error *err)
{
    struct act_arena *arena = act_arena_new();
    struct xmi_document *d = arena ? act_arena_take(arena, sizeof *d) : NULL;
    struct xmi_reading r = {.document = d, .err = err};
    int rc;

    if (!d) {
        act_arena_free(arena);
        cca_no_memory(err);
        return NULL;
    }
    d->arena = arena;
    d->path = xmi_copy(&r, path);
    r.graphs_end = &d->graphs;
    d->paths[0] = d->path;
    d->file_count = 1;
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)be_silent);
    rc = d->path ? read_all(&r) : -ENOMEM;
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
