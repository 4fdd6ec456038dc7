/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_needs.h: libraries, versions and symbols that a shared object needs, and whether
 * another one defines them. */
#ifndef FRAMEWORK_CLASSES_ELF_NEEDS_H
#define FRAMEWORK_CLASSES_ELF_NEEDS_H

#include "framework/classes/elf_file.h"

/* A version of a needed library. */
struct cca_elf_version {
    const char *library, *name;
    unsigned index; /* number of the version in the file's table of symbol versions */
    int weak;       /* 1: the library may lack the version */
};

/* A symbol that another library must define. */
struct cca_elf_symbol {
    const char *name;
    const struct cca_elf_version *version; /* NULL: any version */
};

/* Needs of a file. Strings are borrowed from the file. */
struct cca_elf_needs {
    struct cca_elf_version *versions;
    struct cca_elf_symbol *symbols; /* symbols used by relocations, in order, without weak
                                     * ones */
    size_t version_count, symbol_count;
};

/* Read the needs of `elf`. Returns 0, -EBADMSG or -ENOMEM; call cca_elf_needs_done in
 * either case. */
CCA_API int cca_elf_needs_read(struct cca_elf_needs *needs,
                               const struct cca_elf_file *elf);
CCA_API void cca_elf_needs_done(struct cca_elf_needs *needs);

/* String number `index` of a tag of the dynamic section (DT_NEEDED, DT_SONAME, DT_RPATH,
 * DT_RUNPATH), borrowed, or NULL. */
CCA_API const char *cca_elf_text(const struct cca_elf_file *elf, int64_t tag,
                                 size_t index);
/* True if the file exports the symbol, by the rules of the dynamic linker. */
CCA_API int cca_elf_defines(const struct cca_elf_file *elf,
                            const struct cca_elf_symbol *symbol);
/* True if the file defines this version, or no versions at all. */
CCA_API int cca_elf_has_version(const struct cca_elf_file *elf, const char *version);

#endif
