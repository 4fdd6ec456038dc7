/* SPDX-License-Identifier: BSD-3-Clause */
/* class_info.h: the class descriptor in a component library, read from the file as data.
 *
 * No code of the file is run: the ELF symbol `cca_class` is found, its pointers are
 * resolved through the file's own relocations, and everything is checked against the
 * file's bounds and copied. */
#ifndef FRAMEWORK_CLASS_INFO_H
#define FRAMEWORK_CLASS_INFO_H

#include "framework/cca.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cca_class_info {
    char *file;        /* real path */
    char build_id[65]; /* build id from the GNU note, else a hash of the file;
                        * hexadecimal */
    struct cca_class
        cls;      /* deep copy of the descriptor: `size` is the file's, members beyond
                   * it are zero, function pointers are NULL; `provides` includes all
                   * ports of `implements`, of whose structs only the base is copied */
    void *memory; /* memory of the strings and arrays of `cls`; private */
};

/* Read the descriptor of the library `path`.
 *
 * Returns it, new; NULL with `err`: -ENOENT no such file, -ENOEXEC not a component
 * library (no ELF shared object for this machine, or no symbol cca_class), -EPROTO
 * another ABI, -EBADMSG damaged, -ENOMEM. Never crashes, whatever the file holds. */
CCA_API struct cca_class_info *cca_class_info_read(const char *path,
                                                   struct cca_error *err);
CCA_API void cca_class_info_free(struct cca_class_info *info);
/* Return the signature (struct cca_signature) of a port type in the class, borrowed, or
 * NULL. */
CCA_API const char *cca_class_signature(const struct cca_class *cls, const char *type);
/* Return the last part of a qualified class name: `Name` of `a.b.Name` or `a::b::Name`;
 * borrowed. */
CCA_API const char *cca_class_leaf(const char *class_name);

#ifdef __cplusplus
}
#endif
#endif
