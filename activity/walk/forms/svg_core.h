/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_core.h: boxes of a diagram, for the files that make, place and draw them.
 *
 *   svg.c         boxes of nodes (the ContentHandler)
 *   svg_text.c    lines in boxes
 *   svg_place.c   sizes and places
 *   svg_draw.c    SVG of placed boxes
 *
 * Each box is placed on an axis: the vertical line of the control flow, which enters at
 * the box's top and leaves at its bottom. */
#ifndef ACTIVITY_WALK_FORMS_SVG_CORE_H
#define ACTIVITY_WALK_FORMS_SVG_CORE_H

#include <stddef.h>
#include <stdio.h>

#include "activity/walk/walk.h"

enum act_box_kind {
    ACT_BOX_MODEL,    /* the whole model: a note of declarations, then activities */
    ACT_BOX_NOTE,     /* a note: lines of text alone */
    ACT_BOX_ACTIVITY, /* an activity: a frame with text above its flow, which leads from a
                       * start to an end */
    ACT_BOX_START,
    ACT_BOX_END,
    ACT_BOX_STEP,      /* a plain box: an action, a wait, a collective .. */
    ACT_BOX_SENDING,   /* a send: a box that points to the right */
    ACT_BOX_RECEIVING, /* a receive: a box with a notch */
    ACT_BOX_CALLING,   /* a call: a box with the symbol of an activity call (a rake) */
    ACT_BOX_REGION,    /* a loop, threads, a lock: a frame with text above its flow */
    ACT_BOX_CHOICE,    /* an if: a diamond, flows side by side, a diamond */
    ACT_BOX_FORK,      /* a fork: like CHOICE, with bars in place of diamonds */
    ACT_BOX_FLOW       /* a branch of a choice or fork; its lines of text are its guard */
};

enum act_line_style { ACT_LINE_KIND, ACT_LINE_NAME, ACT_LINE_DETAIL, ACT_LINE_CODE };

struct act_box_line {
    char *text;
    enum act_line_style style;
    int indent; /* indent of the line, in characters */
};

struct act_box {
    enum act_box_kind kind;
    struct act_box_line *lines;
    size_t line_count;
    const struct act_element *element; /* element that the box shows; NULL: none */
    struct act_box *up, *next, *first, *last;
    double left, right, height; /* size in pixels; left, right: distances from the axis */
    double x, y;                /* position: x of the axis, y of the top */
};

enum {
    ACT_SVG_LINE = 16,    /* pixels from one line of text to the next */
    ACT_SVG_PAD = 8,      /* space around text */
    ACT_SVG_GAP = 22,     /* space between boxes of a flow */
    ACT_SVG_BETWEEN = 28, /* space between parallel flows, and between activities */
    ACT_SVG_DIAMOND = 12, /* half the width of a diamond */
    ACT_SVG_BAR = 6,
    ACT_SVG_POINT = 12, /* depth of the point or notch of a message's box, pixels */
    ACT_SVG_ROW = 1400, /* width at which activities continue in a new row */
    ACT_SVG_MOST = 46   /* most characters of a line; longer lines are folded */
};

/* Width of a character: in monospaced fonts .6 of the font size. */
#define ACT_SVG_CHARACTER 7.3

/* Add a line, folded where it is long; `text` may have several lines. Returns 0 or
 * -ENOMEM. */
int act_box_line(struct act_box *box, enum act_line_style style, int indent,
                 const char *text);
/* Add a line of `words` and an expression after them (NULL: add no line). */
int act_box_expression(struct act_box *box, enum act_line_style style, const char *words,
                       const struct act_expr *e);
/* Length of a text in character widths. */
size_t act_svg_length(const char *text);

/* Compute the sizes of a box and its contents, then place them. */
void act_box_measure(struct act_box *box);
void act_box_place(struct act_box *box, double x, double y);
/* Height of a box's lines of text; 0 if it has none. */
double act_box_lines_height(const struct act_box *box);

/* Write a placed model as an SVG document. */
void act_box_draw(const struct act_box *model, const char *name, FILE *out);

#endif
