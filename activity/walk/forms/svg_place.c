/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_place.c: sizes of boxes (inner ones first), then positions (outer ones first). */
#include <math.h>

#include "activity/walk/forms/svg_core.h"

double act_box_lines_height(const struct act_box *box)
{
    return box->line_count ? (double)box->line_count * ACT_SVG_LINE + ACT_SVG_PAD : 0;
}

/* Width of a box's lines of text; 0 if it has none. */
static double act_box_lines_width(const struct act_box *box)
{
    double widest = 0;

    for (size_t i = 0; i < box->line_count; i++)
        widest = fmax(
            widest, ((double)act_svg_length(box->lines[i].text) + box->lines[i].indent) *
                        ACT_SVG_CHARACTER);
    return box->line_count ? widest + 2 * ACT_SVG_PAD : 0;
}

static void measure_step(struct act_box *box)
{
    double width = fmax(act_box_lines_width(box), 60);

    if (box->kind == ACT_BOX_SENDING || box->kind == ACT_BOX_RECEIVING)
        width += 2 * ACT_SVG_POINT;
    if (box->kind == ACT_BOX_CALLING)
        width += 44;
    box->left = box->right = width / 2;
    box->height = fmax(act_box_lines_height(box), 24);
}

/* Compute the size of a flow: its boxes one below the other, with a gap before each and
 * after the last. */
static void measure_flow(struct act_box *box)
{
    double lines_s = act_box_lines_width(box);

    box->left = box->right = 10;
    box->height = ACT_SVG_GAP;
    for (struct act_box *b = box->first; b; b = b->next) {
        box->left = fmax(box->left, b->left);
        box->right = fmax(box->right, b->right);
        box->height += b->height + (b->kind == ACT_BOX_END ? 0 : ACT_SVG_GAP);
    }
    /* the guard of a flow is printed right of its axis */
    if (box->kind == ACT_BOX_FLOW) {
        box->right = fmax(box->right, lines_s);
    } else { /* the lines of other boxes are above the contents, left-aligned */
        box->left += ACT_SVG_PAD;
        box->right += ACT_SVG_PAD;
        box->right = fmax(box->right, lines_s - box->left);
    }
    box->height += act_box_lines_height(box);
}

/* The axis of a choice: that of its middle flow, or halfway between two; of an if without
 * else, the axis of its only branch. */
static double middle_of(const struct act_box *box)
{
    double axes[2] = {0, 0}, x = 0;
    int count = 0, at = 0;

    for (const struct act_box *b = box->first; b; b = b->next)
        count++;
    for (const struct act_box *b = box->first; b; b = b->next, at++) {
        if (at == (count - 1) / 2)
            axes[0] = x + b->left;
        if (at == count / 2)
            axes[1] = x + b->left;
        x += b->left + b->right + ACT_SVG_BETWEEN;
    }
    if (count == 2 && box->kind == ACT_BOX_CHOICE && !box->last->first)
        return axes[0];
    return (axes[0] + axes[1]) / 2;
}

static double end_height(const struct act_box *box)
{
    return box->kind == ACT_BOX_CHOICE ? 2 * ACT_SVG_DIAMOND : ACT_SVG_BAR;
}

static void measure_choice(struct act_box *box)
{
    double width = 0, height = 0;

    for (const struct act_box *b = box->first; b; b = b->next) {
        width += b->left + b->right + (b->next ? ACT_SVG_BETWEEN : 0);
        height = fmax(height, b->height);
    }
    box->left = fmax(middle_of(box), ACT_SVG_DIAMOND);
    box->right =
        fmax(fmax(width - middle_of(box), ACT_SVG_DIAMOND), act_box_lines_width(box));
    box->height = act_box_lines_height(box) + height + 2 * end_height(box);
}

/* Place activities side by side, in rows below the note. */
static void measure_model(struct act_box *box)
{
    double x = 0, y = 0, row = 0;

    box->left = 0;
    box->right = 0;
    for (struct act_box *b = box->first; b; b = b->next) {
        double width = b->left + b->right;

        if (x > 0 && (x + width > ACT_SVG_ROW || b == box->first->next)) {
            x = 0;
            y += row + ACT_SVG_BETWEEN;
            row = 0;
        }
        b->x = x + b->left;
        b->y = y;
        x += width + ACT_SVG_BETWEEN;
        row = fmax(row, b->height);
        box->right = fmax(box->right, x - ACT_SVG_BETWEEN);
    }
    box->height = y + row;
}

void act_box_measure(struct act_box *box)
{
    for (struct act_box *b = box->first; b; b = b->next)
        act_box_measure(b);
    switch (box->kind) {
    case ACT_BOX_MODEL:
        measure_model(box);
        break;
    case ACT_BOX_START:
    case ACT_BOX_END:
        box->left = box->right = 9;
        box->height = box->kind == ACT_BOX_END ? 18 : 14;
        break;
    case ACT_BOX_ACTIVITY:
        measure_flow(box);
        box->height += ACT_SVG_PAD;
        break;
    case ACT_BOX_REGION:
    case ACT_BOX_FLOW:
        measure_flow(box);
        break;
    case ACT_BOX_CHOICE:
    case ACT_BOX_FORK:
        measure_choice(box);
        break;
    case ACT_BOX_NOTE:
        measure_step(box);
        box->right = box->left + box->right;
        box->left = 0;
        break;
    default:
        measure_step(box);
    }
}

void act_box_place(struct act_box *box, double x, double y)
{
    double at = y + act_box_lines_height(box) + ACT_SVG_GAP, side = x - middle_of(box);

    box->x = x;
    box->y = y;
    for (struct act_box *b = box->first; b; b = b->next)
        switch (box->kind) {
        case ACT_BOX_MODEL:
            act_box_place(b, x + b->x, y + b->y);
            break;
        case ACT_BOX_CHOICE:
        case ACT_BOX_FORK:
            act_box_place(b, side + b->left,
                          y + act_box_lines_height(box) + end_height(box));
            side += b->left + b->right + ACT_SVG_BETWEEN;
            break;
        default:
            if (b->kind == ACT_BOX_START)
                at -= ACT_SVG_GAP / 2.0;
            act_box_place(b, x, at);
            at += b->height + ACT_SVG_GAP;
        }
}
