/* SPDX-License-Identifier: BSD-3-Clause */
/* beside.h: paths of files that are installed together with the running program. */
#ifndef COMMON_BESIDE_H
#define COMMON_BESIDE_H

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Write the path of the running program to path[size]; without /proc, the path by which
 * it was started. Returns its length, or a negative errno. */
static inline ssize_t cca_path_own(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    int rc = length < 0 ? -errno : 0;
    const char *started = (const char *)getauxval(AT_EXECFN);
    char real[PATH_MAX];

    if (!rc || !started || !strchr(started, '/') || !realpath(started, real) ||
        strlen(real) >= size)
        return rc ? rc : length;
    strcpy(path, real);
    return (ssize_t)strlen(real);
}

/* Write DIR/`below` to path[size]; DIR is the folder of the running program, such as
 * bin/. Returns 0; or -ENAMETOOLONG or another negative errno: then `path` is "". */
static inline int cca_path_beside(char *path, size_t size, const char *below)
{
    ssize_t length = cca_path_own(path, size);
    int rc = length < 0 ? (int)length : -ENAMETOOLONG;
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
