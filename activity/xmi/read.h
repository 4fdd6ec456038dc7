/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h: what the readers of the dialects of XMI share. */
#ifndef ACTIVITY_XMI_READ_H
#define ACTIVITY_XMI_READ_H

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "activity/xmi/graph.h"

struct xmi_reading {
    struct xmi_document *document;
    struct cca_error *err;
    struct xmi_graph **graphs_end;
    int file;         /* number of the file that is read: ids are those of one */
    int is_elsewhere; /* stereotypes that are applied to elements of other files */
    xmlDoc *first;    /* the file that was asked for, open while others are read */
};

/* The value of an attribute, in the arena; NULL: memory is out. */
const char *xmi_value(struct xmi_reading *r, const xmlAttr *a);
/* The same without a namespace, by name; NULL: it is not there. */
const char *xmi_attribute(struct xmi_reading *r, const xmlNode *n, const char *name);
/* The same of a namespace of XMI (or, where such files leave it out, of any). */
const char *xmi_attribute_of_xmi(struct xmi_reading *r, const xmlNode *n,
                                 const char *name);
/* "OpaqueAction" of xmi:type="uml:OpaqueAction", else of the element's own name. */
const char *xmi_type(struct xmi_reading *r, const xmlNode *n);
/* An id with the number of its file. */
const char *xmi_id(struct xmi_reading *r, const char *id);
/* The same of "other.uml#id", where that file was read; NULL: it was not. */
const char *xmi_id_elsewhere(struct xmi_reading *r, const char *reference);
const char *xmi_copy(struct xmi_reading *r, const char *text);
int xmi_is(const xmlNode *n, const char *name);
int xmi_line(const xmlNode *n);
/* The text of the first element in it, at any depth, with this name; or of its attribute
 * of that name. NULL: none. */
const char *xmi_inner(struct xmi_reading *r, const xmlNode *n, const char *name);
void *xmi_take(struct xmi_reading *r, size_t size);
/* The element of an id below `n`, `depth` levels below the top; NULL: none. */
const xmlNode *xmi_find_element(struct xmi_reading *r, const xmlNode *n, const char *id,
                                int depth);
/* All text in an element. */
const char *xmi_text_of(struct xmi_reading *r, const xmlNode *n);
/* What an element refers to: an attribute, or an element with xmi:idref or href. */
const char *xmi_reference(struct xmi_reading *r, const xmlNode *n, const char *name);

struct xmi_graph *xmi_new_graph(struct xmi_reading *r, const xmlNode *n, const char *id);
struct xmi_node *xmi_new_node(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, enum xmi_kind kind, const char *id);
struct xmi_edge *xmi_new_edge(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, const char *from, const char *to,
                              const char *guard);

/* XMI 2: uml:Activity. A document without one: nothing is read. 0 or negative. */
int xmi_read_uml2(struct xmi_reading *r, xmlNode *root);
/* What is applied to elements, `depth` levels below the top. */
int xmi_read_stereotypes(struct xmi_reading *r, const xmlNode *n, int depth);
/* Variables and cost functions. values.c */
int xmi_read_values(struct xmi_reading *r, xmlNode *root);
/* Globals that code assigns to and no file declares, when all was read. */
int xmi_guess_values(struct xmi_reading *r);
/* Places in diagrams, of nodes that were read. */
int xmi_read_places(struct xmi_reading *r, xmlNode *root);

#endif
