/* SPDX-License-Identifier: BSD-3-Clause */
/* directory.h: test whether a directory is empty, and whether two paths lead to the same
 * directory; remove one with its entries. */
#ifndef COMMON_DIRECTORY_H
#define COMMON_DIRECTORY_H

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Return 1 if `path` is an empty directory; 0 if it has entries; a negative errno if it
 * cannot be opened as a directory. */
static inline int cca_directory_is_empty(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int empty = 1;

    if (!dir)
        return -errno;
    while (empty && (entry = readdir(dir)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(dir);
    return empty;
}

/* True if two paths lead to the same directory or file. */
static inline int cca_directory_is_same(const char *a, const char *b)
{
    struct stat x, y;

    return strcmp(a, b) == 0 ||
           (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static inline int cca_directory_remove_entry(const char *path, const struct stat *status,
                                             int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path) != 0 && errno != ENOENT;
}

/* Remove a directory and all in it, or a file, as far as that is possible; symbolic links
 * are not followed. */
static inline void cca_directory_remove(const char *path)
{
    nftw(path, cca_directory_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
