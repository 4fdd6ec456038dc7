/* SPDX-License-Identifier: BSD-3-Clause */
/* dot.c: place a picture by Graphviz. The only texts that Graphviz gets are numbers: a
 * node is n<index>, its ports are p<index>, and a label consists of digits.
 *
 * The output format of dot, in inches with y upwards:
 *
 *   graph 1 WIDTH HEIGHT
 *   node n3 X Y WIDTH HEIGHT LABEL ...         X, Y: the centre
 *   edge n3:p1 n4:p0 COUNT X Y X Y ... [LABEL X Y] STYLE COLOUR
 *   stop */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/picture/inside.h"

#define INCH 72 /* number of pixels that an inch of Graphviz becomes */

enum { SECONDS = 1 /* limit of Graphviz's CPU time */ };

/* --- To dot ------------------------------------------------------------------ */

/* Write a cell for each port; the ports of one side form a column. */
static void write_ports(FILE *to, const struct mm_picture_node *node)
{
    int width = (int)node->width, left = width / 2, rows[2] = {0, 0}, most;
    size_t at[2] = {0, 0};

    for (size_t i = 0; i < node->port_count; i++)
        rows[!!node->ports[i].is_used]++;
    most = rows[0] > rows[1] ? rows[0] : rows[1];
    fprintf(to,
            "shape=plain, fixedsize=false, label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" "
            "CELLSPACING=\"0\" "
            "CELLPADDING=\"0\"><TR><TD COLSPAN=\"2\" FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" "
            "HEIGHT=\"%d\"></TD></TR>",
            width, (int)mm_node_head(node) + 3);
    for (int row = 0; row < most; row++) {
        fputs("<TR>", to);
        for (int side = 0; side < 2; side++) {
            size_t *i = &at[side];

            while (*i < node->port_count && !!node->ports[*i].is_used != side)
                ++*i;
            fputs("<TD", to);
            if (*i < node->port_count)
                fprintf(to, " PORT=\"p%zu\"", (*i)++);
            fprintf(to, " FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" HEIGHT=\"%d\"></TD>",
                    side ? width - left : left, PORT);
        }
        fputs("</TR>", to);
    }
    fprintf(to,
            "<TR><TD COLSPAN=\"2\" FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" HEIGHT=\"%d\"></TD>"
            "</TR></TABLE>>",
            width, (int)node->height - (int)mm_node_head(node) - 3 - PORT * most);
}

static void write_end(FILE *to, size_t node, size_t port, char side)
{
    fprintf(to, "n%zu", node);
    if (port != MM_NO_PORT)
        fprintf(to, ":p%zu:%c", port, side);
}

static void write_picture(FILE *to, const struct mm_picture *picture)
{
    fprintf(to,
            "digraph g {\nrankdir=LR; ranksep=.5; nodesep=.22; pack=16; "
            "packmode=\"array\";\n"
            "node [label=\"\", shape=box, fixedsize=true];\n"
            "edge [arrowsize=%.2f, fontname=\"Helvetica\", fontsize=%d];\n",
            ARROW / 10., SMALL_SIZE);
    for (size_t i = 0; i < picture->node_count; i++) {
        const struct mm_picture_node *node = &picture->nodes[i];

        fprintf(to, "n%zu [", i);
        if (node->port_count)
            write_ports(to, node);
        else
            fprintf(to, "width=%.4f, height=%.4f", node->width / INCH,
                    node->height / INCH);
        fputs("];\n", to);
    }
    for (size_t i = 0; i < picture->edge_count; i++) {
        const struct mm_picture_edge *edge = &picture->edges[i];

        write_end(to, edge->from, edge->from_port, 'e');
        fputs(" -> ", to);
        write_end(to, edge->to, edge->to_port, 'w');
        fprintf(to, " [weight=%d", 1 + (int)(8 * edge->weight));
        /* this node stands for many others and is at the right already, so its edges need
         * not decide positions */
        if (picture->nodes[edge->from].kind == MM_NODE_REST)
            fputs(", constraint=false", to);
        if (!edge->is_back && edge->from_port == MM_NO_PORT)
            fputs(", tailport=e", to);
        if (!edge->is_back && edge->to_port == MM_NO_PORT)
            fputs(", headport=w", to);
        if (*edge->label)
            fprintf(to, ", label=\"%s\"", edge->label);
        fputs("];\n", to);
    }
    fputs("}\n", to);
}

/* --- From dot ---------------------------------------------------------------- */

/* Return the next token of a line, and move `*at` past it; "" at the end of the line. A
 * token in quotes or angle brackets may contain blanks; it is skipped, and "" is
 * returned. */
static const char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \n"), *end;
    int deep = 0, quoted = *word == '"';

    if (*word != '"' && *word != '<') {
        end = word + strcspn(word, " \n");
    } else {
        for (end = word; *end; end++) {
            if (quoted && end > word && *end == '"' && end[-1] != '\\')
                break;
            deep += !quoted && *end == '<';
            deep -= !quoted && *end == '>';
            if (!quoted && !deep)
                break;
        }
        end += *end != '\0';
    }
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static double next_number(char **at)
{
    const char *word = next_word(at);
    char *end;
    double value = strtod(word, &end);

    return end != word && isfinite(value) ? value : 0;
}

/* Parse one end of an edge, such as n3 or n3:"p1:w". */
static void read_end(const char *word, size_t *node, size_t *port)
{
    char *end = NULL;

    *node = *word == 'n' ? strtoul(word + 1, &end, 10) : SIZE_MAX;
    *port = MM_NO_PORT;
    if (end && *end == ':') {
        end += strcspn(end, "p");
        *port = *end ? strtoul(end + 1, NULL, 10) : MM_NO_PORT;
    }
}

static int read_node(char *at, struct mm_picture *picture)
{
    size_t number, port;
    struct mm_picture_node *node;
    double x, y;

    read_end(next_word(&at), &number, &port);
    if (number >= picture->node_count)
        return -EIO;
    node = &picture->nodes[number];
    x = next_number(&at) * INCH;
    y = next_number(&at) * INCH;
    node->x = x - node->width / 2;
    node->y = picture->height - y - node->height / 2;
    return 0;
}

static struct mm_picture_edge *find_edge(struct mm_picture *picture, size_t from,
                                         size_t from_port, size_t to, size_t to_port)
{
    for (size_t i = 0; i < picture->edge_count; i++) {
        struct mm_picture_edge *edge = &picture->edges[i];

        if (edge->from == from && edge->to == to && edge->from_port == from_port &&
            edge->to_port == to_port && !edge->points)
            return edge;
    }
    return NULL;
}

static int read_edge(char *at, struct mm_picture *picture)
{
    size_t from, to, from_port, to_port, count;
    struct mm_picture_edge *edge;

    read_end(next_word(&at), &from, &from_port);
    read_end(next_word(&at), &to, &to_port);
    edge = find_edge(picture, from, from_port, to, to_port);
    count = (size_t)next_number(&at);
    if (!edge || count < 4 || count > strlen(at) || count % 3 != 1)
        return -EIO;
    edge->points = calloc(count, sizeof *edge->points);
    if (!edge->points)
        return -ENOMEM;
    edge->point_count = count;
    for (size_t i = 0; i < count; i++) {
        edge->points[i].x = next_number(&at) * INCH;
        edge->points[i].y = picture->height - next_number(&at) * INCH;
    }
    if (*edge->label) {
        next_word(&at);
        edge->label_at.x = next_number(&at) * INCH;
        edge->label_at.y = picture->height - next_number(&at) * INCH;
    }
    return 0;
}

static int read_picture(FILE *from, struct mm_picture *picture)
{
    char *line = NULL;
    size_t size = 0, placed = 0;
    int result = 0;

    while (!result && getline(&line, &size, from) > 0) {
        char *at = line;
        const char *word = next_word(&at);

        if (strcmp(word, "graph") == 0) {
            next_word(&at);
            picture->width = next_number(&at) * INCH;
            picture->height = next_number(&at) * INCH;
        } else if (strcmp(word, "node") == 0) {
            placed++;
            result = read_node(at, picture);
        } else if (strcmp(word, "edge") == 0) {
            placed++;
            result = read_edge(at, picture);
        }
    }
    if (!result && !feof(from)) /* getline failed: out of memory, or a read error */
        result = errno == ENOMEM ? -ENOMEM : -EIO;
    free(line);
    if (!result && placed != picture->node_count + picture->edge_count)
        result = -EIO;
    return result;
}

int mm_dot_place(struct mm_picture *picture)
{
    FILE *input = tmpfile(), *output = tmpfile();
    int result = input && output ? 0 : -errno;

    if (!result) {
        write_picture(input, picture);
        result = mm_dot_run(input, output, SECONDS);
    }
    if (!result)
        result = read_picture(output, picture);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    return result;
}
