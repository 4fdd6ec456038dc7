/* SPDX-License-Identifier: BSD-3-Clause */
/* directory.h: choose a name for the experiment directory, and create it. */
#ifndef MASTERMIND_WRITER_DIRECTORY_H
#define MASTERMIND_WRITER_DIRECTORY_H

#include "ports/exchange_port.h"

#include <jansson.h>

/* An experiment directory of our own. The paths are absolute: components may change the
 * working directory. */
struct mm_directory {
    char *shown; /* path of the directory for display, as a user would type it */
    char *path;
    char *rank_path; /* path of the rank's folder, path/rank-0000 for rank 0 */
    int rank;
    int made; /* 1: this process made the directory; 0: it existed and was empty */
};

/* Create the directory `wanted`, or use it if it exists and is empty. With `wanted` NULL
 * or "" create BASE-N.mm in the working directory: BASE is the name of the script without
 * its extension (NULL or "": "assembly"), N the first free number.
 *
 * Returns 0; -EEXIST if `wanted` exists and is not empty, or mkdir's error, with `err`
 * naming the path. */
int mm_directory_make(struct mm_directory *directory, const char *wanted,
                      const char *script, struct cca_error *err);
/* Check that a directory for the purpose `what` can be created later, or exists and is
 * empty. `*path` is new and absolute. Returns 0; a system call's error, or -EEXIST, with
 * `err`; -ENOMEM. */
int mm_directory_place(const char *wanted, const char *what, char **path,
                       struct cca_error *err);
/* mm_directory_make for ranks that share one directory: rank 0 creates it, each rank
 * creates its own folder in it. `ranks` NULL: this process is alone. Also -EIO: a rank
 * does not see the directory; -ECANCELED: another rank failed. Collective. */
int mm_directory_share(struct mm_directory *directory, const char *wanted,
                       const char *script, struct exchange_port *ranks,
                       struct cca_error *err);
/* Make the folder of a rank in an existing directory. 0; -EEXIST: the rank has one
 * already. */
int mm_directory_enter(struct mm_directory *directory, const char *path, int rank,
                       struct cca_error *err);
/* mm_directory_make for processes of one job, in any order: the first process makes
 * the directory, with `about` as its experiment.json. Also -EEXIST: the directory
 * belongs to another job. join.c */
int mm_directory_join(struct mm_directory *directory, const char *path, const char *job,
                      int rank, const json_t *about, struct cca_error *err);
/* Remove the directory if it contains only the first files, and clear the struct. */
void mm_directory_remove(struct mm_directory *directory);
void mm_directory_done(struct mm_directory *directory);

#endif
