/* SPDX-License-Identifier: BSD-3-Clause */
/* run_path.h: the directories in which the dynamic linker searches for a library's needs
 * (DT_RPATH, DT_RUNPATH), and a finding for each dangerous one. */
#ifndef FRAMEWORK_CLASSES_RUN_PATH_H
#define FRAMEWORK_CLASSES_RUN_PATH_H

#include <stddef.h>

#include "framework/cca.h"

struct cca_run_path_item {
    char *dir;     /* directory as written in the library */
    char *finding; /* danger of the directory as a text; NULL: it is safe */
};

struct cca_run_path {
    struct cca_run_path_item *items;
    size_t count;
};

/* Read the run path of library `file`. Returns 0, or a negative errno: the list is
 * incomplete. Call cca_run_path_done in either case. */
CCA_API int cca_run_path_read(struct cca_run_path *path, const char *file);
CCA_API void cca_run_path_done(struct cca_run_path *path);

#endif
