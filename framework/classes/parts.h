/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef FRAMEWORK_CLASSES_PARTS_H
#define FRAMEWORK_CLASSES_PARTS_H

#include "framework/cca.h"
#include "framework/classes/elf_file.h"

/* --- class_check.c ------------------------------------------------------- */

/* Check names, ports, offsets of `implements` in the instance, and parameters of a class
 * that has a name, as made by cca_class_info_read. Returns 0, or -EBADMSG with `err`. */
int cca_class_check(const struct cca_class *cls, struct cca_error *err);

/* --- elf_needs.c --------------------------------------------------------- */

/* A version of a needed library. */
struct cca_elf_version {
    const char *library, *name;
    unsigned index; /* id of the version in the file's table of symbol versions */
    int weak;       /* true if the library may lack the version */
};

/* A symbol that another library must define. */
struct cca_elf_symbol {
    const char *name;
    const struct cca_elf_version *version; /* NULL: any version */
};

/* Needs of a file. Strings are borrowed from the file. */
struct cca_elf_needs {
    struct cca_elf_version *versions;
    /* symbols that relocations use, in order; weak symbols are left out */
    struct cca_elf_symbol *symbols;
    size_t version_count, symbol_count;
};

/* Read the needs of `elf`. Returns 0, -EBADMSG or -ENOMEM; call cca_elf_needs_done in
 * either case. */
CCA_API int cca_elf_needs_read(struct cca_elf_needs *needs,
                               const struct cca_elf_file *elf);
CCA_API void cca_elf_needs_done(struct cca_elf_needs *needs);

/* Return the string with index `index` of a tag of the dynamic section (DT_NEEDED,
 * DT_SONAME, DT_RPATH, DT_RUNPATH), borrowed, or NULL. */
CCA_API const char *cca_elf_text(const struct cca_elf_file *elf, int64_t tag,
                                 size_t index);
/* True if the file exports the symbol, by the rules of the dynamic linker. */
CCA_API int cca_elf_defines(const struct cca_elf_file *elf,
                            const struct cca_elf_symbol *symbol);
/* True if the file defines this version, or no versions at all. */
CCA_API int cca_elf_has_version(const struct cca_elf_file *elf, const char *version);

/* --- trust.c ------------------------------------------------------------- */

/* These functions check that no other user can have written a file whose code will run.
 *
 * Trusted users are root, the user, and the owners of this program and its parent
 * directories: they control this process already. A file is trusted if a trusted user
 * owns it and nobody else can write to it. The groups of root, the user and the program
 * are trusted, too. */

/* Check a directory, given as real path, and its parents. A parent may be writable for
 * all if it is sticky. Returns 0; -EPERM with the offending path and the reason; another
 * negative errno of the file system. */
CCA_API int cca_trust_judge(const char *path, struct cca_error *err);
/* Like cca_trust_judge, but `err` also names the option that accepts the directory. */
CCA_API int cca_trust_directory(const char *path, struct cca_error *err);
/* Like cca_trust_directory, but for a file, given as real path, and its directories.
 * `trusted`: a directory, given as real path, that the caller has checked; may be NULL.
 */
CCA_API int cca_trust_file(const char *path, const char *trusted, struct cca_error *err);

#endif
