/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h: load a library in a child process first, because loading can end the
 * process. */
#ifndef FRAMEWORK_CRASH_PROBE_H
#define FRAMEWORK_CRASH_PROBE_H

#include "framework/repository.h"

/* Option by which a child process of this program loads the library that follows it. */
#define CCAFE_PROBE "--probe"

/* Make the repository refuse every library that ends a child process when loaded.
 * Libraries in `own`, the directory of this program's components, are exempt. `own` is
 * borrowed for the life of the repository; NULL: there is none. */
void ccafe_probe_begin(struct cca_repository *repository, const char *own);

/* In the child: load the library and exit. */
_Noreturn void ccafe_probe_child(const char *file);

#endif
