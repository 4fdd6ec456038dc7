/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h: the index of a checkpoint: the state of the driver, the mesh, and the position
 * of each patch's values in the files of values. A text file:
 *
 *     checkpoint 1                        version of the format
 *     serial 7                            in the names of the files of values
 *     files 3                             number of files: one of each rank that wrote
 *     step 60
 *     time 0x1.a6p-3                      doubles are exact: C's %a
 *     least 0x1.c2p-9                     smallest step so far
 *     updates 245760 368640 0 0 0 0 0 0   cells advanced so far, for each level
 *     domain 0x0p+0 0x0p+0 0x1p+2 0x1p+0  xlo ylo xhi yhi
 *     cells 128 32                        of level 0
 *     periodic 0 0                        in x, in y
 *     components 5                        of the field
 *     levels 2
 *     level 0 1 1                         level, ratio to the coarser level, patches
 *     patch 0 0 0 128 32 0 56             level, ilo, jlo, nx, ny, file, offset in bytes
 *     level 1 2 13
 *     ...
 *     checksum 1c291ca3                   CRC-32 of all bytes before this line */
#ifndef COMPONENTS_CHECKPOINT_INDEX_H
#define COMPONENTS_CHECKPOINT_INDEX_H

#include "ports/checkpoint_port.h"

enum {
    INDEX_FILES_MAX = 1 << 20, /* largest number of files of values in a checkpoint */
    INDEX_SIZE_MAX = 64 << 20, /* largest size of the index's text, bytes */
    INDEX_SERIAL_DIGITS = 15   /* largest number of digits of a serial number */
};

struct index_patch {
    int64_t ilo, jlo, nx, ny;
    int file;
    int64_t offset; /* offset in the file of the patch's record */
};

struct index {
    int64_t serial;
    int file_count;
    struct checkpoint_moment moment;
    struct mesh_domain domain;
    int components;
    int level_count;
    int ratio[MESH_LEVELS]; /* [level]: refinement ratio to level - 1; 1 for level 0 */
    int first[MESH_LEVELS + 1]; /* level l has the patches first[l] to first[l + 1] - 1 */
    struct index_patch *patches;
    int64_t *file_bytes; /* [file_count], size of each file */
};

/* Describe the current mesh, with one file for each rank. Returns 0 or a negative errno
 * with `err`. index_done frees the members of `x`, also after a failure. */
int index_describe(struct index *x, struct mesh_port *mesh, int components, int ranks,
                   struct cca_error *err);
void index_done(struct index *x);

/* Print the text of the index; *text is new. Returns 0 or a negative errno with `err`. */
int index_print(const struct index *x, char **text, size_t *size, struct cca_error *err);

/* Parse a text, which may be damaged. `path` is its name in messages. Returns 0;
 * -EBADMSG, -ENOMEM with `err`. */
int index_parse(struct index *x, const char *text, size_t size, const char *path,
                struct cca_error *err);

#endif
