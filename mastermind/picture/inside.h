/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: functions and sizes (in pixels) shared by the files of this folder. */
#ifndef MASTERMIND_PICTURE_INSIDE_H
#define MASTERMIND_PICTURE_INSIDE_H

#include "mastermind/picture/picture.h"

enum {
    PAD = 8,    /* pixels between the edge of a box and its contents */
    TITLE = 16, /* height of lines in a box */
    SUBTITLE = 15,
    BAR = 12,
    PORT = 15,
    BAR_LENGTH = 110, /* length of a bar for 100 % */
    NUMBER = 52,      /* width of the text "100.0 %" */
    TITLE_SIZE = 12,  /* font size of titles */
    SMALL_SIZE = 11,
    MOST_LETTERS = 44, /* longest line in a box, in characters */
    ARROW = 9
};

/* Return an upper estimate of the width of the first MOST_LETTERS characters of a text,
 * in the fonts that viewers substitute for Helvetica. */
double mm_text_width(const char *text, double size, int bold);
/* Set the size of a node's box and the positions of its ports. */
void mm_node_measure(struct mm_picture_node *node);
/* Return the height of the part of a box above its ports, which has lines and bars. */
double mm_node_head(const struct mm_picture_node *node);

/* Run `dot -Tplain-ext` with at most `seconds` of CPU time. dot reads the open file
 * `input` from its beginning and writes `output`. Returns 0; -ENOENT: dot not found;
 * -ETIMEDOUT; -EIO. */
int mm_dot_run(FILE *input, FILE *output, unsigned seconds);
/* Place the nodes and edges of a picture by Graphviz; sizes of nodes are set, and edges
 * that close a cycle are marked. Returns 0; -ENOENT: there is no Graphviz; -ETIMEDOUT,
 * -EIO: Graphviz failed; or -ENOMEM. */
int mm_dot_place(struct mm_picture *picture);
/* Place the nodes of a picture in layers from left to right, each node to the right of
 * its predecessors, and the edges between them; arrows may cross. Returns 0 or
 * -ENOMEM. */
int mm_layers_place(struct mm_picture *picture);

#endif
