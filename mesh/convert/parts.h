/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MESH_CONVERT_PARTS_H
#define MESH_CONVERT_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "mastermind/format/mesh_file.h"
#include "mastermind/writer/given.h"
#include "ports/cca_error.h"

struct mesh_folder;

/* --- boxes.c ------------------------------------------------------------- */

#define MESH_NO_KEY INT32_MIN /* key of cells that need no box */

struct mesh_key_box {
    int32_t key;
    int64_t lo[3], hi[3]; /* cells c of the box: lo <= c < hi */
};

/* Cover all cells that have a key other than MESH_NO_KEY by disjoint boxes of equal keys,
 * in a mesh of n[0] x n[1] x n[2] cells (dimension 2 fastest). Each box starts at the
 * first cell not yet covered and extends as far as possible along dimension 2, then 1,
 * then 0. `keys` is overwritten: covered cells get MESH_NO_KEY. (*boxes)[0 .. result-1]
 * is new, freed by the caller; NULL if there is none. Returns the number of boxes, or
 * -ENOMEM. Reentrant. */
int64_t mesh_boxes_cover(const int64_t n[3], int32_t *keys, struct mesh_key_box **boxes);

/* --- folder.c ------------------------------------------------------------ */

/* Begin a folder that will become `path`, which must not exist or be an empty directory.
 * Until mesh_folder_finish it has a temporary name in the same parent folder. Returns a
 * new object, or NULL with `err`: -EEXIST, -ENOMEM or an I/O error. */
struct mesh_folder *mesh_folder_new(const char *path, struct cca_error *err);

/* Return the temporary path of the folder; borrowed. */
const char *mesh_folder_path(const struct mesh_folder *folder);

/* Make a subfolder. Returns 0 or an I/O error. */
int mesh_folder_add(const struct mesh_folder *folder, const char *name,
                    struct cca_error *err);

/* Open a new file in the folder for writing; `name` may include a subfolder. Returns NULL
 * with `err`. Close it by mesh_folder_close: 0, or an I/O error of the file. */
FILE *mesh_folder_open(const struct mesh_folder *folder, const char *name,
                       struct cca_error *err);
int mesh_folder_close(const struct mesh_folder *folder, const char *name, FILE *file,
                      struct cca_error *err);

/* Rename the folder to its final name. Returns 0, -EEXIST or an I/O error. */
int mesh_folder_finish(struct mesh_folder *folder, struct cca_error *err);

/* Free the object, and remove a folder that was not finished. NULL is fine. */
void mesh_folder_free(struct mesh_folder *folder);

/* --- given_profile.c ----------------------------------------------------- */

/* Begin the experiment at `output`. It has no methods, one clock, `ranks` ranks, and the
 * name of the source file. New, finished and freed by mm_given_finish and mm_given_free;
 * NULL with `err` as in mm_given_new. */
struct mm_given *mesh_given_new(const char *output, const char *source, int ranks,
                                struct cca_error *err);

/* Make a name of a profile or probe from any text: characters that a name must not have
 * become _, long names are cut; the name is `otherwise` if no character is left. */
void mesh_given_name(const char *text, const char *otherwise,
                     char name[MM_MESH_NAME_BYTES]);

/* Called to report the progress of a long call: the fraction `done`, 0 to 1. NULL: no
 * report. */
typedef void mesh_progress_fn(void *context, double done);

#endif
