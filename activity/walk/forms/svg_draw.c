/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_draw.c: SVG of placed boxes: frames, the flow, steps with their lines. */
#include <inttypes.h>

#include "activity/walk/forms/svg_core.h"
#include "common/svg.h"

enum { MARGIN = 20, ROUND = 8 };

static const char style[] =
    "<style>\n"
    "text { font: 12px \"DejaVu Sans Mono\", \"Liberation Mono\", monospace; fill: #222; "
    "white-space: pre }\n"
    ".kind { fill: #5b6b7b; font-style: italic }\n"
    ".name { font-weight: bold }\n"
    ".code { fill: #7a4a12 }\n"
    ".step { fill: #eef4fb; stroke: #4a6fa5 }\n"
    ".message { fill: #f1f8ee; stroke: #5a8a4a }\n"
    ".activity { fill: #fdfdfd; stroke: #888 }\n"
    ".region { fill: none; stroke: #888; stroke-dasharray: 5 3 }\n"
    ".note { fill: #fffbe6; stroke: #c9b458 }\n"
    ".choice { fill: #fff; stroke: #4a6fa5 }\n"
    ".full { fill: #222 }\n"
    ".flow { fill: none; stroke: #555 }\n"
    ".arrow { marker-end: url(#head) }\n"
    ".rule { stroke: #bbb }\n"
    "</style>\n"
    "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
    "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
    "<path d=\"M0 0 L8 4 L0 8 z\" fill=\"#555\"/></marker></defs>\n";

/* Draw a box's lines of text from a corner on. A thin line separates them from the lines
 * of code. */
static void draw_lines(const struct act_box *box, double x, double y, double width,
                       FILE *out)
{
    static const char *const classes[] = {" class=\"kind\"", " class=\"name\"",
                                          " class=\"detail\"", " class=\"code\""};

    for (size_t i = 0; i < box->line_count; i++) {
        const struct act_box_line *l = &box->lines[i];
        double top = y + ACT_SVG_PAD / 2.0 + (double)i * ACT_SVG_LINE;

        if (width > 0 && l->style == ACT_LINE_CODE && i > 0 &&
            box->lines[i - 1].style != ACT_LINE_CODE)
            cca_svg_line(out, x, top + .5, x + width, top + .5, " class=\"rule\"");
        cca_svg_text(out, x + ACT_SVG_PAD + l->indent * ACT_SVG_CHARACTER, top + 12,
                     classes[l->style], l->text, SIZE_MAX);
    }
}

static void draw_rectangle(const char *class, double x, double y, double width,
                           double height, int round, FILE *out)
{
    fprintf(out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "rx=\"%d\"/>\n",
            class, x, y, width, height, round);
}

static void draw_line(double x1, double y1, double x2, double y2, int is_arrow, FILE *out)
{
    fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1f L%.1f %.1f\"/>\n",
            is_arrow ? "flow arrow" : "flow", x1, y1, x2, y2);
}

static void draw_box(const struct act_box *box, FILE *out);

/* The y coordinate at which the flow enters a box: a fork's lines are beside it. */
static double top_of(const struct act_box *box)
{
    return box->kind == ACT_BOX_FORK ? box->y + act_box_lines_height(box) : box->y;
}

/* Draw the boxes of a flow one below the other, from y to `end`. */
static void draw_flow(const struct act_box *box, double y, double end, int is_arrow,
                      FILE *out)
{
    for (const struct act_box *b = box->first; b; b = b->next) {
        if (b->kind != ACT_BOX_START)
            draw_line(box->x, y, b->x, top_of(b), 1, out);
        draw_box(b, out);
        y = b->y + b->height;
    }
    if (!box->last || box->last->kind != ACT_BOX_END)
        draw_line(box->x, y, box->x, end, is_arrow, out);
}

static void draw_diamond(double x, double y, FILE *out)
{
    fprintf(out, "<path class=\"choice\" d=\"M%.1f %.1f l%d %d l%d %d l%d %d z\"/>\n", x,
            y, ACT_SVG_DIAMOND, ACT_SVG_DIAMOND, -ACT_SVG_DIAMOND, ACT_SVG_DIAMOND,
            -ACT_SVG_DIAMOND, -ACT_SVG_DIAMOND);
}

/* Draw a choice: flows leave the first diamond at its sides or bottom, and enter the
 * second. */
static void draw_choice(const struct act_box *box, FILE *out)
{
    double bottom = box->y + box->height - 2 * ACT_SVG_DIAMOND;

    for (const struct act_box *b = box->first; b; b = b->next) {
        double side = b->x < box->x - .5   ? -ACT_SVG_DIAMOND
                      : b->x > box->x + .5 ? ACT_SVG_DIAMOND
                                           : 0;
        double middle = box->y + ACT_SVG_DIAMOND;

        if (side != 0)
            draw_line(box->x + side, middle, b->x, middle, 0, out);
        draw_lines(b, b->x, b->y, 0, out);
        draw_flow(b, side != 0 ? middle : b->y,
                  side != 0 ? bottom + ACT_SVG_DIAMOND : bottom, side == 0, out);
        if (side != 0)
            draw_line(b->x, bottom + ACT_SVG_DIAMOND, box->x + side,
                      bottom + ACT_SVG_DIAMOND, 1, out);
    }
    draw_diamond(box->x, box->y, out);
    draw_diamond(box->x, bottom, out);
}

static void draw_fork(const struct act_box *box, FILE *out)
{
    double top = top_of(box), bottom = box->y + box->height - ACT_SVG_BAR,
           left = box->x - 20, right = box->x + 20;

    draw_lines(box, box->x, box->y, 0, out);
    for (const struct act_box *b = box->first; b; b = b->next) {
        draw_flow(b, b->y, bottom, 1, out);
        if (b->x - 10 < left)
            left = b->x - 10;
        if (b->x + 10 > right)
            right = b->x + 10;
    }
    draw_rectangle("full", left, top, right - left, ACT_SVG_BAR, 2, out);
    draw_rectangle("full", left, bottom, right - left, ACT_SVG_BAR, 2, out);
}

/* Draw a message: a send points to the right, a receive has a notch on its left. */
static void draw_message(const struct act_box *box, FILE *out)
{
    double x = box->x - box->left, half = box->height / 2,
           width = box->left + box->right - ACT_SVG_POINT;

    if (box->kind == ACT_BOX_SENDING)
        fprintf(out,
                "<path class=\"message\" d=\"M%.1f %.1f h%.1f l%d %.1f l%d %.1f h%.1f "
                "z\"/>\n",
                x, box->y, width, ACT_SVG_POINT, half, -ACT_SVG_POINT, half, -width);
    else
        fprintf(out,
                "<path class=\"message\" d=\"M%.1f %.1f h%.1f v%.1f h%.1f l%d %.1f "
                "z\"/>\n",
                x, box->y, width + ACT_SVG_POINT, box->height, -width - ACT_SVG_POINT,
                ACT_SVG_POINT, -half);
    draw_lines(box, x + ACT_SVG_POINT, box->y, 0, out);
}

/* The symbol of an activity call: a rake. */
static void draw_rake(double x, double y, FILE *out)
{
    fprintf(out,
            "<path class=\"flow\" d=\"M%.1f %.1f v7 m-6 6 v-6 h12 v6 m-6 0 v-6\"/>\n", x,
            y);
}

static void draw_step(const struct act_box *box, FILE *out)
{
    double x = box->x - box->left, width = box->left + box->right;

    if (box->kind == ACT_BOX_SENDING || box->kind == ACT_BOX_RECEIVING) {
        draw_message(box, out);
        return;
    }
    draw_rectangle("step", x, box->y, width, box->height, ROUND, out);
    draw_lines(box, x, box->y, width, out);
    if (box->kind == ACT_BOX_CALLING)
        draw_rake(x + width - 16, box->y + box->height / 2 - 7, out);
}

static void draw_frame(const struct act_box *box, const char *class, FILE *out)
{
    double x = box->x - box->left, width = box->left + box->right,
           lines = act_box_lines_height(box);

    draw_rectangle(class, x, box->y, width, box->height, ROUND, out);
    draw_lines(box, x, box->y, width, out);
    cca_svg_line(out, x, box->y + lines, x + width, box->y + lines, " class=\"rule\"");
    draw_flow(box, box->y + lines, box->y + box->height, 0, out);
}

static void draw_inner(const struct act_box *box, FILE *out)
{
    double middle = box->y + box->height / 2;

    switch (box->kind) {
    case ACT_BOX_MODEL:
        for (const struct act_box *b = box->first; b; b = b->next)
            draw_box(b, out);
        break;
    case ACT_BOX_NOTE:
        draw_rectangle("note", box->x, box->y, box->right, box->height, 0, out);
        draw_lines(box, box->x, box->y, 0, out);
        break;
    case ACT_BOX_ACTIVITY:
        draw_frame(box, "activity", out);
        break;
    case ACT_BOX_REGION:
        draw_frame(box, "region", out);
        break;
    case ACT_BOX_START:
        fprintf(out, "<circle class=\"full\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/>\n", box->x,
                middle);
        break;
    case ACT_BOX_END:
        fprintf(out,
                "<circle class=\"choice\" cx=\"%.1f\" cy=\"%.1f\" r=\"9\"/>\n"
                "<circle class=\"full\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
                box->x, middle, box->x, middle);
        break;
    case ACT_BOX_CHOICE:
        draw_choice(box, out);
        break;
    case ACT_BOX_FORK:
        draw_fork(box, out);
        break;
    default:
        draw_step(box, out);
    }
}

/* Draw a box. The box of an element is an SVG group with the element's id, and its line
 * number as tooltip. */
static void draw_box(const struct act_box *box, FILE *out)
{
    const struct act_element *e = box->element;

    if (e) {
        fputs("<g", out);
        if (e->id >= 0)
            fprintf(out, " id=\"e%" PRId64 "\"", e->id);
        fprintf(out, "><title>line %d</title>\n", e->place.line);
    }
    draw_inner(box, out);
    if (e)
        fputs("</g>\n", out);
}

void act_box_draw(const struct act_box *model, const char *name, FILE *out)
{
    double width = model->right + 2 * MARGIN, height = model->height + 2 * MARGIN;

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"%d %d %.1f %.1f\">\n<title>",
            width, height, -MARGIN, -MARGIN, width, height);
    cca_xml_put(out, name, SIZE_MAX);
    fprintf(out, "</title>\n%s", style);
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\"/>\n",
            -MARGIN, -MARGIN, width, height);
    draw_box(model, out);
    fputs("</svg>\n", out);
}
