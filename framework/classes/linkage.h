/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage.h: find the libraries and symbols that a library would miss if it were loaded
 * now.
 *
 * It follows the rules of the dynamic linker, but only reads: no library is loaded, no
 * code is run. Libraries that this process has loaded, and libraries rehearsed before,
 * count as loaded. */
#ifndef FRAMEWORK_CLASSES_LINKAGE_H
#define FRAMEWORK_CLASSES_LINKAGE_H

#include <stddef.h>

#include "framework/cca.h"

struct cca_linkage;

/* make an object for rehearsals; NULL: out of memory */
CCA_API struct cca_linkage *cca_linkage_new(void);
CCA_API void cca_linkage_free(struct cca_linkage *linkage);

/* Rehearse dlopen(file, RTLD_NOW | RTLD_LOCAL), or RTLD_GLOBAL with `global`.
 *
 *   name   name of the library in findings: "class 'X'"
 *
 * Returns 0, also if libraries or symbols are missing: each of them is a new finding; or
 * -ENOMEM. */
CCA_API int cca_linkage_rehearse(struct cca_linkage *linkage, const char *name,
                                 const char *file, int global);

/* Return the finding with index `index`: one line, borrowed; NULL beyond the last. */
CCA_API const char *cca_linkage_finding(const struct cca_linkage *linkage, size_t index);

/* Replace $ORIGIN in directory `dir` of a run path by the directory of library `file`.
 * Returns a new path; NULL: out of memory. */
CCA_API char *cca_linkage_expand(const char *dir, const char *file);

#endif
