/* SPDX-License-Identifier: BSD-3-Clause */
/* trust.h: check that no other user can have written a file whose code will run.
 *
 * Trusted users are root, the user, and the owners of this program and its parent
 * directories: they control this process already. A file is trusted if a trusted user
 * owns it and nobody else can write to it. The groups of root, the user and the program
 * are trusted, too. */
#ifndef FRAMEWORK_CLASSES_TRUST_H
#define FRAMEWORK_CLASSES_TRUST_H

#include "framework/cca.h"

/* Check a directory, given as real path, and its parents. A parent may be writable for
 * all if it is sticky. Returns 0; -EPERM with the offending path and the reason; another
 * negative errno of the file system. */
CCA_API int cca_trust_judge(const char *path, struct cca_error *err);
/* Like cca_trust_judge, but `err` also names the option that accepts the directory. */
CCA_API int cca_trust_directory(const char *path, struct cca_error *err);
/* Like cca_trust_directory for a file, given as real path, and its directories. */
CCA_API int cca_trust_file(const char *path, struct cca_error *err);

#endif
