/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef ACTIVITY_XMI_PARTS_H
#define ACTIVITY_XMI_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "activity/model/tree.h"
#include "activity/xmi/graph.h"

/* --- guards.c ------------------------------------------------------------ */

enum { XMI_TURNS = 64 };

struct xmi_guards {
    const struct xmi_document *document;
    const char *declarations; /* text of the model's declarations, or "" */
    const char *locals; /* locals of the activity whose guards are converted, or "" */
    const char *turns[XMI_TURNS]; /* variables of the enclosing loops */
    int turn_count;
    char **globals; /* names of globals that guards need */
    int *lines;     /* by global: line of the file where it was needed first */
    size_t count;
    const char *refused; /* a guard that has operators and yet is no condition, or NULL */
};

/* Convert a guard to a condition: a new string that the caller frees; NULL: out of
 * memory. */
char *xmi_condition(struct xmi_guards *guards, const char *guard, int line);
/* Declare a global, such as "Step_turns", unless it is there already. Returns its name,
 * borrowed; NULL: out of memory. */
const char *xmi_new_global(struct xmi_guards *guards, const char *name, int line);
void xmi_guards_done(struct xmi_guards *guards);

/* Turn words into a name: letters, digits and _, not a keyword of the language;
 * `otherwise` if nothing is left. Returns a new string. */
char *xmi_name(const char *words, const char *otherwise);

/* --- layout.c ------------------------------------------------------------ */

struct xmi_spot_place {
    int64_t id;
    double x, y, width, height;
};

/* Read the layout beside a model's file. Reading stops at the first line in another
 * format. New, freed by the caller; NULL with *count 0: there is none. */
struct xmi_spot_place *xmi_layout_read(const char *file, size_t *count);
/* Write the UMLDI shape of element `id`, if it has a place. `on`: the element's id in the
 * UML file. */
void xmi_layout_put(FILE *out, const struct xmi_spot_place *places, size_t count,
                    int64_t id, const char *on);

/* --- pieces.c ------------------------------------------------------------ */

/* Whether the language accepts each part between commas as an expression, whatever its
 * names mean. */
int xmi_is_one_clause(const char *text);
/* Whether the text is assignments and ifs with balanced braces. */
int xmi_is_code(const char *text);
/* Whether an action's body is prose rather than code: it has no assignment, or its
 * language is neither C nor C++. */
int xmi_is_prose(const char *language, const char *body);
/* Whether `word` occurs in a text as a whole word. */
int xmi_has_word(const char *text, const char *word);

/* --- shape --------------------------------------------------------------- */

/* A graph of control flow whose vertices are being collapsed. */

enum xmi_spot_kind { PLAIN, DECISION, MERGE, FORK, JOIN, GONE };

/* A vertex: a node of the file, or several that have collapsed. */
struct xmi_spot {
    enum xmi_spot_kind kind;
    struct xmi_node *node; /* node whose name appears in errors; NULL: begin or end */
    struct xmi_item *items, *last;
    int in, out;
};

struct xmi_way {
    int from, to, line, is_gone, is_object;
    const char *guard;
};

struct xmi_shape {
    const struct xmi_document *document;
    const struct xmi_graph *graph;
    struct xmi_spot *spots;
    size_t spot_count;
    struct xmi_way *ways;
    size_t way_count;
    int start, end;
    int failed;
    struct cca_error *err;
};

/* The next edge out of vertex `spot` after edge number `after`; -1: none. */
int xmi_way_from(const struct xmi_shape *s, int spot, int after);
/* Make an item of the reduced graph; NULL with s->failed. */
struct xmi_item *xmi_new_item(struct xmi_shape *s, enum xmi_item_kind kind, int line);

/* Structure the vertices that reduction could not collapse: a global holds the number of
 * the vertex that comes next. Returns 1: *items is the whole graph; 0: a loop has two
 * entries, or forks are left; s->failed: no memory. */
int xmi_structure_rest(struct xmi_shape *s, struct xmi_item **items);

/* --- words.c ------------------------------------------------------------- */

#define XMI_PROFILE "urn:mastermind:activity:1"

/* The stereotype of a kind of element: "ActionPlus", "AllReduce"; NULL: it has none (if,
 * loop, while, call). */
const char *xmi_stereotype(enum act_kind kind);
/* The kind of a stereotype, in any case; "action", "action+" and "recv" are accepted,
 * too. ACT_KINDS: none. */
enum act_kind xmi_kind_of(const char *stereotype);

#endif
