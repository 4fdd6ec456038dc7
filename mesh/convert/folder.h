/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h: write a folder of files that is complete or does not exist. */
#ifndef MESH_CONVERT_FOLDER_H
#define MESH_CONVERT_FOLDER_H

#include <stdio.h>

#include "ports/cca_error.h"

struct mesh_folder;

/* Begin a folder that will become `path`, which must not exist or be an empty directory.
 * It has a temporary name beside its place until mesh_folder_finish. New, or NULL with
 * `err`: -EEXIST, -ENOMEM or an I/O error. */
struct mesh_folder *mesh_folder_new(const char *path, struct cca_error *err);

/* The temporary path of the folder; borrowed. */
const char *mesh_folder_path(const struct mesh_folder *folder);

/* Make a subfolder. 0 or an I/O error. */
int mesh_folder_add(const struct mesh_folder *folder, const char *name,
                    struct cca_error *err);

/* Open a new file in it for writing; `name` may include a subfolder. NULL with `err`.
 * Close it by mesh_folder_close: 0, or an I/O error of the file. */
FILE *mesh_folder_open(const struct mesh_folder *folder, const char *name,
                       struct cca_error *err);
int mesh_folder_close(const struct mesh_folder *folder, const char *name, FILE *file,
                      struct cca_error *err);

/* Rename the folder to its final name. 0, -EEXIST or an I/O error. */
int mesh_folder_finish(struct mesh_folder *folder, struct cca_error *err);

/* Free; remove a folder that was not finished. NULL is fine. */
void mesh_folder_free(struct mesh_folder *folder);

#endif
