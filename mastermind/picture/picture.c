/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c: add nodes, ports and edges to a picture. */
#include <math.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/picture/inside.h"

/* Copy a text without the newline at its end. */
static char *copy_text(struct mm_picture *picture, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    char *copy =
        strndup(text ? text : "", length - (length && text[length - 1] == '\n' ? 1 : 0));

    picture->failed |= !copy;
    return copy;
}

void mm_picture_init(struct mm_picture *picture, const char *name, const char *title,
                     const char *note)
{
    *picture = (struct mm_picture){0};
    picture->name = copy_text(picture, name);
    picture->title = copy_text(picture, title);
    picture->note = copy_text(picture, note);
}

static void node_done(struct mm_picture_node *node)
{
    for (size_t i = 0; i < node->port_count; i++) {
        free(node->ports[i].name);
        free(node->ports[i].hover);
    }
    free(node->ports);
    free(node->id);
    free(node->title);
    free(node->subtitle);
    free(node->hover);
}

void mm_picture_done(struct mm_picture *picture)
{
    for (size_t i = 0; i < picture->node_count; i++)
        node_done(&picture->nodes[i]);
    for (size_t i = 0; i < picture->edge_count; i++) {
        free(picture->edges[i].label);
        free(picture->edges[i].hover);
        free(picture->edges[i].points);
    }
    free(picture->nodes);
    free(picture->edges);
    free(picture->name);
    free(picture->title);
    free(picture->note);
    *picture = (struct mm_picture){0};
}

struct mm_picture_node *mm_picture_node(struct mm_picture *picture,
                                        enum mm_node_kind kind, const char *title,
                                        const char *subtitle, const char *hover)
{
    static struct mm_picture_node nowhere;
    struct mm_picture_node *node =
        cca_array_add(&picture->nodes, &picture->node_count, sizeof *node);

    if (!node) {
        picture->failed = 1;
        nowhere = (struct mm_picture_node){0};
        return &nowhere;
    }
    node->kind = kind;
    if (asprintf(&node->id, "%s-%zu", picture->name ? picture->name : "",
                 picture->node_count - 1) < 0) {
        node->id = NULL;
        picture->failed = 1;
    }
    node->title = copy_text(picture, title);
    node->subtitle = copy_text(picture, subtitle);
    node->hover = copy_text(picture, hover);
    node->measured = node->predicted = NAN;
    return node;
}

void mm_picture_port(struct mm_picture *picture, const char *name, int is_used,
                     const char *hover)
{
    struct mm_picture_node *node;
    struct mm_picture_port *port;

    if (picture->failed)
        return;
    node = &picture->nodes[picture->node_count - 1];
    port = cca_array_add(&node->ports, &node->port_count, sizeof *port);
    if (!port) {
        picture->failed = 1;
        return;
    }
    port->is_used = is_used;
    port->name = copy_text(picture, name);
    port->hover = copy_text(picture, hover);
}

struct mm_picture_edge *mm_picture_edge(struct mm_picture *picture, size_t from,
                                        size_t to, const char *label, const char *hover)
{
    static struct mm_picture_edge nowhere;
    struct mm_picture_edge *edge =
        cca_array_add(&picture->edges, &picture->edge_count, sizeof *edge);

    if (!edge) {
        picture->failed = 1;
        nowhere = (struct mm_picture_edge){0};
        return &nowhere;
    }
    edge->from = from;
    edge->to = to;
    edge->from_port = edge->to_port = MM_NO_PORT;
    edge->label = copy_text(picture, label);
    edge->hover = copy_text(picture, hover);
    return edge;
}

/* --- Sizes ------------------------------------------------------------------- */

/* Return the width of a letter, relative to the font size, in DejaVu Sans, which is wider
 * than Helvetica and similar fonts. */
static double letter_width(unsigned char letter)
{
    if (letter >= 0xf0)
        return 1.3;
    if (letter >= 0x80)
        return 1;
    if (strchr("ijlI'|", letter))
        return .30;
    if (strchr(" .,:;!frt()[]-/\\", letter))
        return .40;
    if (strchr("mwMW%@<>=+~#", letter))
        return letter == '%' || letter == '@' || letter == 'm' || letter == 'W' ? 1 : .86;
    return letter >= 'A' && letter <= 'Z' ? .72 : .63;
}

double mm_text_width(const char *text, double size, int bold)
{
    double width = 0;
    size_t letters = 0;

    for (const unsigned char *at = (const unsigned char *)text;
         *at && letters < MOST_LETTERS + 3; at++) {
        if ((*at & 0xc0) == 0x80)
            continue; /* skip a continuation byte of UTF-8 */
        width += letter_width(*at);
        letters++;
    }
    return width * size * (bold ? 1.09 : 1);
}

double mm_node_head(const struct mm_picture_node *node)
{
    return PAD / 2. + TITLE + (*node->subtitle ? SUBTITLE : 0) + node->bars * BAR +
           (node->bars ? 4 : 0);
}

static double port_rows(struct mm_picture_node *node, double top, double width[2])
{
    size_t rows[2] = {0, 0};

    width[0] = width[1] = 0;
    for (size_t i = 0; i < node->port_count; i++) {
        struct mm_picture_port *port = &node->ports[i];
        int side = !!port->is_used;

        port->y = top + PORT * ((double)rows[side]++ + .5);
        width[side] = fmax(width[side], mm_text_width(port->name, SMALL_SIZE, 0));
    }
    return PORT * (double)(rows[0] > rows[1] ? rows[0] : rows[1]);
}

void mm_node_measure(struct mm_picture_node *node)
{
    double head = mm_node_head(node), sides[2], ports = port_rows(node, head + 3, sides);
    double width = mm_text_width(node->title, TITLE_SIZE, 1);

    width = fmax(width, mm_text_width(node->subtitle, SMALL_SIZE, 0));
    if (node->bars)
        width = fmax(width, BAR_LENGTH + NUMBER);
    if (node->port_count)
        width = fmax(width, sides[0] + sides[1] + 2 * PAD);
    node->width = ceil(width + 2 * PAD);
    node->height = ceil(head + (node->port_count ? ports + 3 : 0) + PAD / 2.);
}
