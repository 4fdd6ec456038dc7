/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h: LBDatafiles of a run, NAME.RANK.json or NAME.RANK.json.br, as text. */
#ifndef MESH_CONVERT_LBAF_FILES_H
#define MESH_CONVERT_LBAF_FILES_H

#include <stddef.h>

#include "ports/cca_error.h"

enum { MESH_LBAF_BYTES = 1 << 30 }; /* limit of a file's text, bytes */

struct mesh_lbaf_file {
    char *path;
    int rank;
    int brotli;
};

struct mesh_lbaf_files {
    char *stem;                   /* common part NAME of the file names */
    struct mesh_lbaf_file *files; /* [count] files of ranks 0, 1 .. */
    size_t count;
};

/* Find the files in a folder, all of them or all with one NAME: `path` is DIR or
 * DIR/NAME. Other files are ignored. Returns 0; -ENOENT: there are none; -EBADMSG:
 * several NAMEs, or a rank twice or missing; -ENOMEM or an I/O error. Call
 * mesh_lbaf_files_done in either case. */
int mesh_lbaf_files_find(const char *path, struct mesh_lbaf_files *files,
                         struct cca_error *err);
void mesh_lbaf_files_done(struct mesh_lbaf_files *files);

/* Read a file, of *size bytes, decompressed if needed whatever its name. Returns its
 * text, new; NULL with `err`: -EBADMSG: damaged, too large, or this build lacks
 * libbrotli; -ENOMEM or an I/O error. */
char *mesh_lbaf_text(const struct mesh_lbaf_file *file, size_t *size,
                     struct cca_error *err);

#endif
