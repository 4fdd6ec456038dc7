/* SPDX-License-Identifier: BSD-3-Clause */
/* package.h: which packages of the system have a library, and what is needed to compile
 * with it. Debian's lists are read as files. */
#ifndef MASTERMIND_LIBRARY_PACKAGE_H
#define MASTERMIND_LIBRARY_PACKAGE_H

#include "mastermind/library/uses.h"

struct mm_package {
    char *name;        /* that has the library; NULL: none is known */
    char *development; /* that has its headers; NULL: none is known */
    int installed;     /* the latter is */
    char **headers;    /* [header_count] paths of what it has installed */
    size_t header_count;
    char **configs; /* [config_count] names for pkg-config */
    size_t config_count;
};

/* Find the packages of `count` libraries: packages[i] is that of uses[i]. Libraries that
 * no package has get the headers of the include folder beside theirs.
 *
 *   packages  out  [count], zeros before; each done with mm_package_done
 *   ask       in   ask apt for packages that are not installed, about a second
 *
 * 0 or -ENOMEM. */
int mm_packages_find(const struct mm_use *const *uses, size_t count, int ask,
                     struct mm_package *packages);
void mm_package_done(struct mm_package *package);

#endif
