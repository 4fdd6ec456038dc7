/* SPDX-License-Identifier: BSD-3-Clause */
/* trust.h: could another user have written a file whose code is to run?
 *
 * Trusted are root, the user, and the owners of this program and of the directories that
 * it lies in: they control this process already. A file is trusted if it is theirs and
 * nobody else can write to it. The groups of root, the user and the program are trusted,
 * too. */
#ifndef FRAMEWORK_CLASSES_TRUST_H
#define FRAMEWORK_CLASSES_TRUST_H

#include "framework/cca.h"

/* Check a directory, given as real path, and its parents. A parent may be writable for
 * all if it is sticky. 0; -EPERM with the offender and the reason; other negative errno
 * of the file system. */
CCA_API int cca_trust_judge(const char *path, struct cca_error *err);
/* Like cca_trust_directory, but `err` also names the option that accepts it. */
CCA_API int cca_trust_directory(const char *path, struct cca_error *err);
/* Like cca_trust_directory for a file, given as real path, and its directories. */
CCA_API int cca_trust_file(const char *path, struct cca_error *err);

#endif
