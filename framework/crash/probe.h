/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h: loading a library can end the process. So a child process loads it first. */
#ifndef FRAMEWORK_CRASH_PROBE_H
#define FRAMEWORK_CRASH_PROBE_H

#include "framework/repository.h"

/* The argument that makes a child process of this program load the library behind it. */
#define CCAFE_PROBE "--probe"

/* From now on the repository loads no library that a child process could not load and
 * survive. Libraries in `own`, the directory of this program's components, are exempt.
 * `own` is borrowed for the life of the repository; NULL: there is none. */
void ccafe_probe_begin(struct cca_repository *repository, const char *own);

/* The child: load the library and exit. */
_Noreturn void ccafe_probe_child(const char *file);

#endif
