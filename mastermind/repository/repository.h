/* SPDX-License-Identifier: BSD-3-Clause */
/* repository.h: a directory of models, with one file for each model.
 *
 * The name of a file is made from the model's key, so that saving a model again replaces
 * just its own file. A file is written under another name and renamed, so that a reader
 * finds either the old or the new one. */
#ifndef MASTERMIND_REPOSITORY_REPOSITORY_H
#define MASTERMIND_REPOSITORY_REPOSITORY_H

#include "mastermind/repository/model_json.h"

#define MM_MODEL_SUFFIX ".model.json"

struct mm_repository {
    char *path;
    struct mm_stored_model *models; /* models, ascending by file name */
    size_t count;
};

/* True if `path` is a directory that contains model files and is no experiment, or is a
 * single model file. */
int mm_repository_is(const char *path);
/* Open all models of a directory, or the model in one file. Returns a new struct, or NULL
 * with `err`: -ENOENT; -EBADMSG: a damaged or wrong file; -EIO; -ENOMEM. */
struct mm_repository *mm_repository_open(const char *path, struct cca_error *err);
void mm_repository_free(struct mm_repository *repository);

/* Save models into the directory `path`, which is created if absent; several processes
 * may save at a time. After a failure, the models before the failing one are saved.
 *
 * Returns 0; -ENOTDIR: `path` is not a directory, or is an experiment; -EIO and other
 * negative errnos of files; -ENOMEM. */
int mm_repository_save(const char *path, struct mm_stored_model *const *models,
                       size_t count, struct cca_error *err);

#endif
