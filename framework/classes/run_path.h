/* SPDX-License-Identifier: BSD-3-Clause */
/* run_path.h: where the dynamic linker looks for what a library needs (DT_RPATH,
 * DT_RUNPATH), and which of these directories are a danger to whoever loads it. */
#ifndef FRAMEWORK_CLASSES_RUN_PATH_H
#define FRAMEWORK_CLASSES_RUN_PATH_H

#include <stddef.h>

#include "framework/cca.h"

struct cca_run_path_item {
    char *dir;     /* as the library says it */
    char *finding; /* what is wrong with it, or NULL: nothing */
};

struct cca_run_path {
    struct cca_run_path_item *items;
    size_t count;
};

/* Read that of the library `file`. 0, or a negative errno: not all is known. Done with
 * cca_run_path_done in either case. */
CCA_API int cca_run_path_read(struct cca_run_path *path, const char *file);
CCA_API void cca_run_path_done(struct cca_run_path *path);

#endif
