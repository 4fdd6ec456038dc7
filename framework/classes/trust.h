/* SPDX-License-Identifier: BSD-3-Clause */
/* trust.h: could somebody else have put something into a directory or a file whose code
 * is to run?
 *
 * Trusted are root, the user, and whoever owns the program that runs or a directory that
 * it lies in: they have a hand in this process already. So whatever is theirs, and
 * writable for no other, is trusted, too. So are the groups of root, of the user and of
 * the program. */
#ifndef FRAMEWORK_CLASSES_TRUST_H
#define FRAMEWORK_CLASSES_TRUST_H

#include "framework/cca.h"

/* Judge a directory, as a real path, and all that it lies in; above it those are well in
 * which everybody may make files and nobody may remove another's. 0; -EPERM with the one
 * to blame and why; other negative errno of the file system. */
CCA_API int cca_trust_judge(const char *path, struct cca_error *err);
/* The same where an untrusted one is refused: `err` names the option that accepts it. */
CCA_API int cca_trust_directory(const char *path, struct cca_error *err);
/* The same for a file, as a real path, and the directories that it lies in. */
CCA_API int cca_trust_file(const char *path, struct cca_error *err);

#endif
