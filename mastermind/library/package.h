/* SPDX-License-Identifier: BSD-3-Clause */
/* package.h: find the system's packages for a library, and the files needed to compile
 * with it. Debian's lists are read as files. */
#ifndef MASTERMIND_LIBRARY_PACKAGE_H
#define MASTERMIND_LIBRARY_PACKAGE_H

#include "mastermind/library/uses.h"

struct mm_package {
    char *name;        /* package with the library; NULL: unknown */
    char *development; /* package with its headers; NULL: unknown */
    int installed;     /* true if the package `development` is installed */
    char **headers; /* [header_count] paths of the installed headers of `development` */
    size_t header_count;
    char **configs; /* [config_count] names of the package's files for pkg-config */
    size_t config_count;
};

/* Find the packages of `count` libraries: packages[i] belongs to uses[i]. A library
 * without a package gets the headers of the include folder beside its own folder.
 *
 *   packages  out  [count], zeroed by the caller; free each with mm_package_done
 *   ask       in   true to search apt's lists, too, for packages that are not installed,
 *                  which takes about a second
 *
 * Returns 0 or -ENOMEM. */
int mm_packages_find(const struct mm_use *const *uses, size_t count, int ask,
                     struct mm_package *packages);
/* Add the headers of a folder or the header at this path. Returns 0 or -ENOMEM. */
int mm_package_add(struct mm_package *package, char *path);
void mm_package_done(struct mm_package *package);

#endif
