/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_core.h: boxes of a diagram, for the files that make, place and draw them.
 *
 *   svg.c         boxes of nodes (the ContentHandler)
 *   svg_text.c    lines in boxes
 *   svg_place.c   sizes and places
 *   svg_draw.c    SVG of placed boxes
 *
 * A box hangs on its axis: the vertical line of the flow, which comes in at its top and
 * goes out at its bottom. */
#ifndef ACTIVITY_WALK_FORMS_SVG_CORE_H
#define ACTIVITY_WALK_FORMS_SVG_CORE_H

#include <stddef.h>
#include <stdio.h>

#include "activity/walk/walk.h"

enum act_box_kind {
    ACT_BOX_MODEL,    /* a note of declarations, then activities */
    ACT_BOX_NOTE,     /* lines alone */
    ACT_BOX_ACTIVITY, /* a frame with lines, then a flow from a start to an end */
    ACT_BOX_START,
    ACT_BOX_END,
    ACT_BOX_STEP,      /* an action, a message, a collective .. */
    ACT_BOX_SENDING,   /* a step that points to the right */
    ACT_BOX_RECEIVING, /* a step with a notch */
    ACT_BOX_CALLING,   /* a step with the sign of a diagram of its own */
    ACT_BOX_REGION,    /* a loop, threads, a lock: a frame with lines, then a flow */
    ACT_BOX_CHOICE,    /* an if: a diamond, flows side by side, a diamond */
    ACT_BOX_FORK,      /* bars in place of diamonds */
    ACT_BOX_FLOW       /* of a choice or fork; its lines are its guard */
};

enum act_line_style { ACT_LINE_KIND, ACT_LINE_NAME, ACT_LINE_DETAIL, ACT_LINE_CODE };

struct act_box_line {
    char *text;
    enum act_line_style style;
    int indent; /* characters */
};

struct act_box {
    enum act_box_kind kind;
    struct act_box_line *lines;
    size_t line_count;
    const struct act_element *element; /* NULL: of none */
    struct act_box *up, *next, *first, *last;
    double left, right, height; /* from the axis; pixels */
    double x, y;                /* of the axis, of the top */
};

enum {
    ACT_SVG_LINE = 16,    /* pixels from line to line */
    ACT_SVG_PAD = 8,      /* around lines */
    ACT_SVG_GAP = 22,     /* of the flow between boxes */
    ACT_SVG_BETWEEN = 28, /* flows side by side, and activities */
    ACT_SVG_DIAMOND = 12, /* half of one */
    ACT_SVG_BAR = 6,
    ACT_SVG_POINT = 12, /* of a message's side */
    ACT_SVG_ROW = 1400, /* activities go on below when they are wider */
    ACT_SVG_MOST = 46   /* characters of a line; longer ones are folded */
};

/* Width of a character; fonts of one width have .6 of their size. */
#define ACT_SVG_CHARACTER 7.3

/* Add a line, folded where it is long; `text` may have several lines. 0 or -ENOMEM. */
int act_box_line(struct act_box *box, enum act_line_style style, int indent,
                 const char *text);
/* The same from words and an expression behind them (NULL: none of it, no line). */
int act_box_expression(struct act_box *box, enum act_line_style style, const char *words,
                       const struct act_expr *e);
/* Widths of a character that a text takes. */
size_t act_svg_length(const char *text);

/* Size a box and all in it, then place it. */
void act_box_measure(struct act_box *box);
void act_box_place(struct act_box *box, double x, double y);
/* Height and width of a box's lines; 0 where it has none. */
double act_box_lines_height(const struct act_box *box);
double act_box_lines_width(const struct act_box *box);

/* A placed model as a document. */
void act_box_draw(const struct act_box *model, const char *name, FILE *out);

#endif
