/* SPDX-License-Identifier: BSD-3-Clause */
/* run_path.h: where the dynamic linker looks for what a library needs (DT_RPATH,
 * DT_RUNPATH), and which of these directories are a danger to whoever loads it. */
#ifndef FRAMEWORK_CMD_RUN_PATH_H
#define FRAMEWORK_CMD_RUN_PATH_H

#include <stddef.h>

struct ccafe_run_path_item {
    char *dir;     /* as the library says it */
    char *finding; /* what is wrong with it, or NULL: nothing */
};

struct ccafe_run_path {
    struct ccafe_run_path_item *items;
    size_t count;
};

/* Read that of the library `file`. 0, or a negative errno: not all is known. Done with
 * ccafe_run_path_done in either case. */
int ccafe_run_path_read(struct ccafe_run_path *path, const char *file);
void ccafe_run_path_done(struct ccafe_run_path *path);

#endif
