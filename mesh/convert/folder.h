/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h: a folder of files that is there whole or not at all. */
#ifndef MESH_CONVERT_FOLDER_H
#define MESH_CONVERT_FOLDER_H

#include <stdio.h>

#include "ports/cca_error.h"

struct mesh_folder;

/* Begin a folder that will be `path`, which must not exist or be an empty directory. It
 * has another name beside its place until mesh_folder_finish. New, or NULL with `err`:
 * -EEXIST, -ENOMEM or an I/O error. */
struct mesh_folder *mesh_folder_new(const char *path, struct cca_error *err);

/* Its path until then; borrowed. */
const char *mesh_folder_path(const struct mesh_folder *folder);

/* Make a folder in it. 0 or an I/O error. */
int mesh_folder_add(const struct mesh_folder *folder, const char *name,
                    struct cca_error *err);

/* A new file in it, for writing; `name` may be of a folder in it. NULL with `err`. Closed
 * by mesh_folder_close: 0, or an I/O error of the file. */
FILE *mesh_folder_open(const struct mesh_folder *folder, const char *name,
                       struct cca_error *err);
int mesh_folder_close(const struct mesh_folder *folder, const char *name, FILE *file,
                      struct cca_error *err);

/* Give the folder its name. 0, -EEXIST or an I/O error. */
int mesh_folder_finish(struct mesh_folder *folder, struct cca_error *err);

/* Free; a folder that was not finished is removed. NULL is fine. */
void mesh_folder_free(struct mesh_folder *folder);

#endif
