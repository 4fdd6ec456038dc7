/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c: draw pictures, whose nodes and edges have positions, as one SVG document.
 *
 * The document has a title, a subtitle and a legend; then for each picture a heading, a
 * note, arrows and boxes. */
#include <math.h>

#include "common/svg.h"
#include "mastermind/picture/inside.h"

enum {
    MARGIN = 20,
    LEAST_WIDTH = 900,
    HEADING = 54, /* height of the heading and the note of a picture */
    GAP = 34,     /* space below a picture */
    LINE = 17     /* height of a line of the legend */
};

/* Style sheet. The colours for measured and predicted are from Okabe and Ito (2008): any
 * kind of colour vision can distinguish them, also by brightness. */
static const char style[] =
    "svg{background:#fff}\n"
    "text{fill:#111}\n"
    ".quiet{fill:#555}\n"
    ".paper{fill:#fff}\n"
    ".box{fill:#f6f7f9;stroke:#6b6f76}\n"
    ".rest .box{fill:#d5d7da;stroke:#6b6f76}\n"
    ".rail{fill:#e3e5e9}\n"
    ".rest .rail{fill:#c3c6cb}\n"
    ".measured{fill:#0072b2}\n"
    ".predicted{fill:#e69f00}\n"
    ".unknown{fill:none;stroke:#6b6f76;stroke-dasharray:3 2}\n"
    ".edge path{fill:none;stroke:#7b8088}\n"
    ".edge polygon{fill:#7b8088}\n"
    ".edge .hit{stroke:#000;stroke-opacity:0;stroke-width:11}\n"
    ".edge text{stroke:#fff;stroke-width:4;stroke-linejoin:round;paint-order:stroke}\n"
    ".cut{stroke-dasharray:5 4}\n"
    ".port{fill:#7b8088}\n"
    ".edge:hover .line{stroke:#d55e00}\n"
    ".edge:hover polygon{fill:#d55e00}\n"
    ".node:hover .box{stroke:#d55e00}\n"
    "@media (prefers-color-scheme:dark){\n"
    "svg{background:#16181c}\n"
    "text{fill:#f0f0f0}\n"
    ".quiet{fill:#b4b8bf}\n"
    ".paper{fill:#16181c}\n"
    ".box{fill:#25282e;stroke:#9a9fa8}\n"
    ".rest .box{fill:#4a4e55;stroke:#9a9fa8}\n"
    ".rail{fill:#3a3e46}\n"
    ".rest .rail{fill:#5c6068}\n"
    ".measured{fill:#56b4e9}\n"
    ".unknown{stroke:#9a9fa8}\n"
    ".edge path{stroke:#8d929b}\n"
    ".edge polygon{fill:#8d929b}\n"
    ".edge text{stroke:#16181c}\n"
    "}\n";

/* Write a text of several lines that a viewer shows at the mouse pointer. */
static void put_hover(FILE *to, const char *text)
{
    fputs("<title>", to);
    cca_xml_put(to, text, SIZE_MAX);
    fputs("</title>\n", to);
}

static void put_rect(FILE *to, const char *kind, double x, double y, double width,
                     double height)
{
    char more[40];

    snprintf(more, sizeof more, " class=\"%s\"", kind);
    cca_svg_rect(to, x, y, width, height, more, NULL);
}

/* --- Nodes ------------------------------------------------------------------- */

static void draw_bar(FILE *to, const struct mm_picture_node *node, double y,
                     const char *kind, double share)
{
    double left = node->x + PAD, right = node->x + node->width - PAD;
    char number[32] = "no model";

    if (isnan(share)) {
        put_rect(to, "unknown", left, y, BAR_LENGTH, BAR - 4);
    } else {
        put_rect(to, "rail", left, y, BAR_LENGTH, BAR - 4);
        put_rect(to, kind, left, y, BAR_LENGTH * fmin(fmax(share, 0), 1), BAR - 4);
        snprintf(number, sizeof number, "%.*f %%", share > .9995 ? 0 : 1, 100 * share);
    }
    cca_svg_text(to, right, y + 7.5, " text-anchor=\"end\" font-size=\"10\"", number, 20);
}

static void draw_ports(FILE *to, const struct mm_picture_node *node)
{
    for (size_t i = 0; i < node->port_count; i++) {
        const struct mm_picture_port *port = &node->ports[i];
        double x = node->x + (port->is_used ? node->width : 0), y = node->y + port->y;

        fputs("<g class=\"socket\">", to);
        put_hover(to, port->hover);
        fprintf(to, "<circle class=\"port\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x, y);
        cca_svg_text(to, x + (port->is_used ? -PAD : PAD), y + 4,
                     port->is_used ? " text-anchor=\"end\" font-size=\"11\""
                                   : " font-size=\"11\"",
                     port->name, MOST_LETTERS);
        fputs("</g>\n", to);
    }
}

static void draw_node(FILE *to, const struct mm_picture_node *node)
{
    double x = node->x + PAD, y = node->y + PAD / 2.;

    fprintf(to, "<g class=\"node%s\" id=\"%s\">\n",
            node->kind == MM_NODE_REST ? " rest" : "", node->id);
    put_hover(to, node->hover);
    if (node->kind == MM_NODE_WORD) {
        cca_svg_text(to, node->x + node->width / 2, node->y + node->height / 2 + 4,
                     " class=\"quiet\" text-anchor=\"middle\"", node->title,
                     MOST_LETTERS);
        fputs("</g>\n", to);
        return;
    }
    cca_svg_rect(to, node->x, node->y, node->width, node->height,
                 " class=\"box\" rx=\"5\"", NULL);
    cca_svg_text(to, x, y + 12, " font-weight=\"bold\"", node->title, MOST_LETTERS);
    y += TITLE;
    if (*node->subtitle) {
        cca_svg_text(to, x, y + 11, " class=\"quiet\" font-size=\"11\"", node->subtitle,
                     MOST_LETTERS);
        y += SUBTITLE;
    }
    y += 4;
    if (node->bars)
        draw_bar(to, node, y, "measured", node->measured);
    if (node->bars > 1)
        draw_bar(to, node, y + BAR, "predicted", node->predicted);
    draw_ports(to, node);
    fputs("</g>\n", to);
}

/* --- Edges ------------------------------------------------------------------- */

static void put_path(FILE *to, const struct mm_picture_edge *edge, const char *kind,
                     double width)
{
    fprintf(to, "<path class=\"%s\"", kind);
    if (width > 0)
        fprintf(to, " stroke-width=\"%.2f\"", width);
    fprintf(to, " d=\"M%.1f %.1f", edge->points[0].x, edge->points[0].y);
    for (size_t i = 1; i < edge->point_count; i++)
        fprintf(to, "%s%.1f %.1f", i % 3 == 1 ? "C" : " ", edge->points[i].x,
                edge->points[i].y);
    fputs("\"/>\n", to);
}

/* Write the arrow head of an edge, which begins where the edge's path ends. */
static void put_head(FILE *to, const struct mm_picture_edge *edge)
{
    const struct mm_picture_point *end = &edge->points[edge->point_count - 1];
    double dx = 1, dy = 0, half = ARROW * .45;

    for (size_t i = edge->point_count - 1; i-- > 0;) {
        double x = end->x - edge->points[i].x, y = end->y - edge->points[i].y;
        double length = hypot(x, y);

        if (length < .5)
            continue;
        dx = x / length;
        dy = y / length;
        break;
    }
    fprintf(to, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
            end->x + ARROW * dx, end->y + ARROW * dy, end->x - half * dy,
            end->y + half * dx, end->x + half * dy, end->y - half * dx);
}

static void draw_edge(FILE *to, const struct mm_picture *picture, size_t at)
{
    const struct mm_picture_edge *edge = &picture->edges[at];

    if (!edge->point_count)
        return;
    fprintf(to, "<g class=\"edge\" id=\"%s-edge-%zu\">\n", picture->name, at);
    put_hover(to, edge->hover);
    put_path(to, edge, edge->is_rest ? "line cut" : "line",
             1 + 4 * fmin(fmax(edge->weight, 0), 1));
    put_head(to, edge);
    put_path(to, edge, "hit", 0);
    if (*edge->label)
        cca_svg_text(to, edge->label_at.x, edge->label_at.y + 2,
                     " text-anchor=\"middle\" font-size=\"11\"", edge->label, 40);
    fputs("</g>\n", to);
}

/* --- The document ------------------------------------------------------------ */

static double picture_height(const struct mm_picture *picture)
{
    return HEADING + picture->height + GAP;
}

/* Draw the explanation of the bars, and below it the lines of the document's legend. */
static double draw_legend(FILE *to, const struct mm_picture_sheet *sheet, double y)
{
    static const struct {
        const char *kind, *text;
        double x;
    } keys[] = {{"measured", "share of exclusive time, measured", 0},
                {"predicted", "share by the models", 250},
                {"unknown", "no model", 420}};

    for (int i = 0; i < (sheet->bars > 1 ? 3 : sheet->bars); i++) {
        put_rect(to, keys[i].kind, MARGIN + keys[i].x, y - 8, 28, BAR - 4);
        cca_svg_text(to, MARGIN + keys[i].x + 34, y, " font-size=\"11\"", keys[i].text,
                     60);
    }
    if (sheet->bars)
        y += LINE;
    for (size_t i = 0; i < sheet->legend_count; i++, y += LINE)
        cca_svg_text(to, MARGIN, y, " class=\"quiet\" font-size=\"11\"", sheet->legend[i],
                     200);
    return y;
}

static void draw_picture(FILE *to, const struct mm_picture *picture, double top)
{
    fprintf(to, "<g class=\"picture\" id=\"%s\" transform=\"translate(0 %.1f)\">\n",
            picture->name, top);
    cca_svg_text(to, MARGIN, 16, " font-size=\"15\" font-weight=\"bold\"", picture->title,
                 100);
    cca_svg_text(to, MARGIN, 35, " class=\"quiet\" font-size=\"11\"", picture->note, 200);
    fprintf(to, "<g transform=\"translate(%d %d)\">\n", MARGIN, HEADING);
    for (size_t i = 0; i < picture->edge_count; i++)
        draw_edge(to, picture, i);
    for (size_t i = 0; i < picture->node_count; i++)
        draw_node(to, &picture->nodes[i]);
    fputs("</g>\n</g>\n", to);
}

void mm_picture_write(FILE *to, const struct mm_picture_sheet *sheet,
                      const struct mm_picture *pictures, size_t count)
{
    double width = LEAST_WIDTH, top = MARGIN + 56;
    double legend = LINE * (double)(sheet->legend_count + !!sheet->bars) + 12, height;

    height = top + legend;
    for (size_t i = 0; i < count; i++) {
        width = fmax(width, pictures[i].width + 2 * MARGIN);
        height += picture_height(&pictures[i]);
    }
    cca_svg_begin(to, ceil(width), ceil(height));
    fprintf(to, "<style>\n%s</style>\n", style);
    fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", to);
    cca_svg_text(to, MARGIN, MARGIN + 10, " font-size=\"18\" font-weight=\"bold\"",
                 sheet->title, 100);
    cca_svg_text(to, MARGIN, MARGIN + 31, " class=\"quiet\"", sheet->subtitle, 200);
    top = draw_legend(to, sheet, top) + 12;
    for (size_t i = 0; i < count; i++) {
        draw_picture(to, &pictures[i], top);
        top += picture_height(&pictures[i]);
    }
    fputs("</svg>\n", to);
}
