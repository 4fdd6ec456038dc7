/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h: the phases of an LBDatafile one by one: a file can have more than memory has
 * room for once it is parsed. */
#ifndef MESH_CONVERT_LBAF_SPLIT_H
#define MESH_CONVERT_LBAF_SPLIT_H

#include <stddef.h>

/* The array of phases in the text: text[first] is its '[', text[end - 1] its ']'. */
struct mesh_lbaf_split {
    const char *text;
    size_t size, first, end;
    size_t at;   /* where the next item is looked for */
    size_t line; /* newlines before `counted` */
    size_t counted;
};

/* Find the one member "phases" of an object that is an array. 1; 0: there is none, there
 * are several, or the text is no JSON as far as was looked: then a parser has to say what
 * it is. Text in the array is looked at for its strings and brackets alone. */
int mesh_lbaf_split(const char *text, size_t size, struct mesh_lbaf_split *split);

/* The next item: 1 and its place in *item and *length, its line less 1 in *line; 0: none
 * is left. */
int mesh_lbaf_split_next(struct mesh_lbaf_split *split, const char **item, size_t *length,
                         size_t *line);

#endif
