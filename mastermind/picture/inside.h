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
/* Write a picture for dot; what is not `fine` is placed at less cost: straight edges, and
 * labels that may touch others. */
void mm_dot_write(FILE *to, const struct mm_picture *picture, int fine);
/* Take the places from what dot wrote. 0, -EIO: it is not that of this picture, -ENOMEM.
 */
int mm_dot_read(FILE *from, struct mm_picture *picture, int fine);

#endif
