/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.h: measures that the parts of the folder share, in pixels. */
#ifndef MASTERMIND_PICTURE_INSIDE_H
#define MASTERMIND_PICTURE_INSIDE_H

#include "mastermind/picture/picture.h"

enum {
    PAD = 8,    /* between a box and what is in it */
    TITLE = 16, /* height of lines */
    SUBTITLE = 15,
    BAR = 12,
    PORT = 15,
    BAR_LENGTH = 110, /* of a share of 100 % */
    NUMBER = 52,      /* room for "100.0 %" */
    TITLE_SIZE = 12,  /* of letters */
    SMALL_SIZE = 11,
    MOST_LETTERS = 44, /* of a line in a box */
    ARROW = 9
};

/* An upper estimate of the width of a text in the fonts that viewers put in the place of
 * Helvetica, of its first MOST_LETTERS characters. */
double mm_text_width(const char *text, double size, int bold);
/* Set the sizes of a node and where its ports are. */
void mm_node_measure(struct mm_picture_node *node);
/* Height of the lines and bars above the ports. */
double mm_node_head(const struct mm_picture_node *node);

/* Run `dot -Tplain-ext` with at most `seconds` of CPU time. `input` and `output` are open
 * files, which it reads from the beginning and writes. 0; -ENOENT: no such program;
 * -ETIMEDOUT; -EIO. */
int mm_dot_run(FILE *input, FILE *output, unsigned seconds);
/* Place a picture whose nodes are measured and whose edges back are marked. 0; -ENOENT:
 * there is no Graphviz; -ETIMEDOUT, -EIO: it could not; -ENOMEM. */
int mm_dot_place(struct mm_picture *picture);
/* Place it in layers from left to right, each node behind those that point to it, without
 * any care for arrows that cross. 0 or -ENOMEM. */
int mm_layers_place(struct mm_picture *picture);

#endif
