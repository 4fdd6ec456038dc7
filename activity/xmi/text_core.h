/* SPDX-License-Identifier: BSD-3-Clause */
/* text_core.h: the state of a model's text while several files write it. */
#ifndef ACTIVITY_XMI_TEXT_CORE_H
#define ACTIVITY_XMI_TEXT_CORE_H

#include "activity/xmi/graph.h"
#include "activity/xmi/parts.h"

enum { XMI_ACTIVITIES = 2000, XMI_DEEPEST = 100 };

/* A model being written. */
struct xmi_writing {
    const struct xmi_document *document;
    const struct xmi_graph *root;
    /* the activities of the model, the root first, then the activities that it calls */
    const struct xmi_graph *parts[XMI_ACTIVITIES];
    char *names[XMI_ACTIVITIES];
    int part_count;
    FILE *out;
    FILE *layout;
    int has_layout;
    int indent, depth;
    int *lines; /* by line of the text: line of the UML file that it comes from */
    size_t line_count;
    int unnamed; /* number of elements without a name so far */
    struct xmi_guards guards;
    struct cca_error *err;
    int failed; /* 1: out of memory, or another error, which `err` describes */
};

/* --- lines.c --- */

/* Begin a line of the text that comes from line `line` of the file. */
void xmi_begin_line(struct xmi_writing *w, int line);
void xmi_write_line(struct xmi_writing *w, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Write the lines of a tag unchanged (xmi_write_lines) or as comments
 * (xmi_write_comment). `text` may be NULL. */
void xmi_write_lines(struct xmi_writing *w, int line, const char *text);
void xmi_write_comment(struct xmi_writing *w, int line, const char *text);
/* Write "}" after the comment `comment`, and then the text that follows the brace. */
void xmi_end_block(struct xmi_writing *w, int line, const char *comment,
                   const char *tail);
/* Begin a loop that runs again while a new global is 1. Its name goes into `name`. */
void xmi_begin_again(struct xmi_writing *w, int line, char name[80]);
int xmi_fail(struct xmi_writing *w, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- elements.c --- */

void xmi_write_node(struct xmi_writing *w, const struct xmi_node *n);
/* xmi_write_name writes the name of a node; xmi_write_id its id, and its place into the
 * layout. */
void xmi_write_name(struct xmi_writing *w, const struct xmi_node *n);
void xmi_write_id(struct xmi_writing *w, const struct xmi_node *n);
/* Write a tag in quotes, or nothing if it is not given. */
void xmi_write_quoted(struct xmi_writing *w, const struct xmi_node *n, const char *tag);
/* The tag's value if the tag is there and not empty, else NULL. */
const char *xmi_given(const struct xmi_node *n, const char *name);
/* Convert a guard to a condition of the activity language: a new string. */
char *xmi_guard_text(struct xmi_writing *w, const char *guard, int line);

/* --- items.c --- */

void xmi_write_items(struct xmi_writing *w, const struct xmi_item *items);
/* Write the items of a graph as text; an error is stored in `w`. */
void xmi_write_graph(struct xmi_writing *w, const struct xmi_graph *g);

/* --- text.c --- */

/* The activity that a node calls; NULL: it is not in the file. */
const struct xmi_graph *xmi_called(const struct xmi_document *d, const char *behavior);
/* The index of a graph in `parts`; part_count: it is not in `parts`. */
int xmi_part_of(const struct xmi_writing *w, const struct xmi_graph *g);

#endif
