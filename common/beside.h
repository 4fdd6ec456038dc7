/* SPDX-License-Identifier: BSD-3-Clause */
/* beside.h: paths of files that are installed together with the running program. */
#ifndef COMMON_BESIDE_H
#define COMMON_BESIDE_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Write DIR/`below` to path[size]; DIR is the folder of the running program, such as
 * bin/. Returns 0; or -ENAMETOOLONG or an error of reading /proc: then `path` is "". */
static inline int cca_path_beside(char *path, size_t size, const char *below)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    int rc = length < 0 ? -errno : -ENAMETOOLONG;
    char *slash;
    size_t room;

    path[length < 0 ? 0 : length] = '\0';
    slash = strrchr(path, '/');
    room = slash ? size - (size_t)(slash + 1 - path) : 0;
    if (slash && strlen(below) < room) {
        strcpy(slash + 1, below);
        return 0;
    }
    *path = '\0';
    return rc;
}

#endif
