/* SPDX-License-Identifier: BSD-3-Clause */
/* split.h: read the phases of an LBDatafile one by one, since a parsed file may need more
 * memory than there is. */
#ifndef MESH_CONVERT_LBAF_SPLIT_H
#define MESH_CONVERT_LBAF_SPLIT_H

#include <stddef.h>

/* The array of phases in the text: text[first] is its '[', text[end - 1] its ']'. */
struct mesh_lbaf_split {
    const char *text;
    size_t size, first, end;
    size_t at;   /* offset at which to look for the next item */
    size_t line; /* newlines before `counted` */
    size_t counted;
};

/* Find the only member "phases" of an object, which must be an array. 1; 0: there is
 * none, there are several, or the text is not JSON as far as it was scanned: then a
 * parser must report the error. Inside the array only strings and brackets are
 * scanned. */
int mesh_lbaf_split(const char *text, size_t size, struct mesh_lbaf_split *split);

/* The next item: 1 with its place in *item and *length, and its line less 1 in *line; 0:
 * there are no more items. */
int mesh_lbaf_split_next(struct mesh_lbaf_split *split, const char **item, size_t *length,
                         size_t *line);

#endif
