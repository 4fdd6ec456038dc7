/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage.h: which libraries and symbols a library would miss if it were loaded now.
 *
 * It does what the dynamic linker does, but only reads: no library is loaded, no code of
 * one is run. What this process has loaded, and what was rehearsed before, is there. */
#ifndef FRAMEWORK_CLASSES_LINKAGE_H
#define FRAMEWORK_CLASSES_LINKAGE_H

#include <stddef.h>

#include "framework/cca.h"

struct cca_linkage;

CCA_API struct cca_linkage *cca_linkage_new(void); /* new, or NULL: out of memory */
CCA_API void cca_linkage_free(struct cca_linkage *linkage);

/* Rehearse dlopen(file, RTLD_NOW | RTLD_LOCAL), or RTLD_GLOBAL with `global`.
 *
 *   name   what findings call it: "class 'X'"
 *
 * Returns 0, also where something is missing: each is a new finding. -ENOMEM. */
CCA_API int cca_linkage_rehearse(struct cca_linkage *linkage, const char *name,
                                 const char *file, int global);

/* Finding number `index` of all: one line, borrowed; NULL beyond the last. */
CCA_API const char *cca_linkage_finding(const struct cca_linkage *linkage, size_t index);

/* `dir` of a run path of the library `file`, with that one's directory for $ORIGIN; new,
 * or NULL: out of memory. */
CCA_API char *cca_linkage_expand(const char *dir, const char *file);

#endif
