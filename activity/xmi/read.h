/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h: state and functions shared by the readers of XMI dialects. */
#ifndef ACTIVITY_XMI_READ_H
#define ACTIVITY_XMI_READ_H

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "activity/xmi/graph.h"

struct xmi_reading {
    struct xmi_document *document;
    struct cca_error *err;
    struct xmi_graph **graphs_end;
    int file;         /* number of the file being read: ids are unique only within a
                       * file */
    int is_elsewhere; /* 1: stereotypes apply to elements of other files */
    xmlDoc *first;    /* the main file, kept open while others are read */
};

/* The value of an attribute, in the arena; NULL: out of memory. */
const char *xmi_value(struct xmi_reading *r, const xmlAttr *a);
/* The value of the attribute `name` without a namespace; NULL: no such attribute. */
const char *xmi_attribute(struct xmi_reading *r, const xmlNode *n, const char *name);
/* The value of an attribute in an XMI namespace (in files without one, in any
 * namespace). */
const char *xmi_attribute_of_xmi(struct xmi_reading *r, const xmlNode *n,
                                 const char *name);
/* The type of an element: "OpaqueAction" if xmi:type is "uml:OpaqueAction"; without
 * xmi:type, the element's name. */
const char *xmi_type(struct xmi_reading *r, const xmlNode *n);
/* A copy of an id that is unique among all files: it begins with the number of its
 * file. */
const char *xmi_id(struct xmi_reading *r, const char *id);
/* Like xmi_id, for a reference "other.uml#id"; NULL: that file was not read. */
const char *xmi_id_elsewhere(struct xmi_reading *r, const char *reference);
const char *xmi_copy(struct xmi_reading *r, const char *text);
int xmi_is(const xmlNode *n, const char *name);
int xmi_line(const xmlNode *n);
/* Text of the first descendant with this name, or value of a descendant's attribute of
 * that name. NULL: none. */
const char *xmi_inner(struct xmi_reading *r, const xmlNode *n, const char *name);
void *xmi_take(struct xmi_reading *r, size_t size);
/* Find the element with an id below `n`, which is `depth` levels below the top. NULL:
 * none. */
const xmlNode *xmi_find_element(struct xmi_reading *r, const xmlNode *n, const char *id,
                                int depth);
/* All text in an element. */
const char *xmi_text_of(struct xmi_reading *r, const xmlNode *n);
/* The id that an element refers to: an attribute, or a child with xmi:idref or href. */
const char *xmi_reference(struct xmi_reading *r, const xmlNode *n, const char *name);

struct xmi_graph *xmi_new_graph(struct xmi_reading *r, const xmlNode *n, const char *id);
struct xmi_node *xmi_new_node(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, enum xmi_kind kind, const char *id);
struct xmi_edge *xmi_new_edge(struct xmi_reading *r, struct xmi_graph *g,
                              const xmlNode *n, const char *from, const char *to,
                              const char *guard);

/* Read the activities (uml:Activity) of an XMI 2 document; none is no error. Returns 0 or
 * negative. */
int xmi_read_uml2(struct xmi_reading *r, xmlNode *root);
/* Read stereotypes applied to elements; `n` is `depth` levels below the top. */
int xmi_read_stereotypes(struct xmi_reading *r, const xmlNode *n, int depth);
/* Read variables and cost functions. values.c */
int xmi_read_values(struct xmi_reading *r, xmlNode *root);
/* Declare the globals that code assigns to and no file declares. Called after all files
 * were read. */
int xmi_guess_values(struct xmi_reading *r);
/* Find a node of a graph, or of a graph within it, by its id. NULL: none. */
struct xmi_node *xmi_find_node(struct xmi_graph *g, const char *id);
/* Read the positions of the nodes in diagrams. */
int xmi_read_places(struct xmi_reading *r, xmlNode *root);

#endif
