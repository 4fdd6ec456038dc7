/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_file.h: read a shared object as data, as the dynamic linker would see it.
 *
 * The file is read, never mapped or run. Addresses are the file's own (before loading).
 * Every access is checked against the file's bounds, so a damaged file causes only
 * errors. */
#ifndef FRAMEWORK_CLASSES_ELF_FILE_H
#define FRAMEWORK_CLASSES_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/cca.h"

struct cca_elf_file {
    unsigned char *bytes; /* contents of the file up to the end of its last segment */
    size_t size;
    size_t segment_count;
    Elf64_Phdr *segments;
    uint64_t dynamic[DT_NUM]; /* values of the dynamic section by tag; 0: absent */
    uint64_t gnu_hash, relr, relr_size;
    size_t relocation_count;
    Elf64_Rela *relocations; /* sorted by address */
    char build_id[65];       /* build id from the file's note, else a hash of the whole
                              * file; hexadecimal */
};

/* Read the file behind descriptor `fd` into `elf`; call cca_elf_file_done even after a
 * failure. Returns 0; -ENOEXEC not a shared object for this machine; -EBADMSG damaged;
 * -EFBIG; -ENOMEM; -EIO and other negative errno. */
CCA_API int cca_elf_file_read(struct cca_elf_file *elf, int fd, struct cca_error *err);
/* Like cca_elf_file_read, for a program, which may also have fixed addresses. */
CCA_API int cca_elf_program_read(struct cca_elf_file *elf, int fd, struct cca_error *err);
CCA_API void cca_elf_file_done(struct cca_elf_file *elf);

/* Find address and size of the exported data symbol `name`. Returns 0 or -ENOENT. */
CCA_API int cca_elf_file_symbol(const struct cca_elf_file *elf, const char *name,
                                uint64_t *address, uint64_t *size);

/* Get the value with index `index` among the values of a tag in the dynamic section.
 * Returns 0 or -ENOENT. */
CCA_API int cca_elf_file_dynamic(const struct cca_elf_file *elf, int64_t tag,
                                 size_t index, uint64_t *value);

/* Get the symbol with index `index` in the symbol table. Returns 0 or -EBADMSG. */
CCA_API int cca_elf_file_symbol_at(const struct cca_elf_file *elf, uint64_t index,
                                   Elf64_Sym *symbol);

/* Find an exported symbol `name` for which `accept` returns true. Returns 0 or
 * -ENOENT. */
typedef int (*cca_elf_file_accept)(void *context, const struct cca_elf_file *elf,
                                   uint64_t index, const Elf64_Sym *symbol);
CCA_API int cca_elf_file_find(const struct cca_elf_file *elf, const char *name,
                              cca_elf_file_accept accept, void *context);

/* Find address and size of the descriptor of note `index` with that name and type.
 * Returns 0 or -ENOENT. */
CCA_API int cca_elf_file_note(const struct cca_elf_file *elf, const char *name,
                              uint32_t type, size_t index, uint64_t *address,
                              uint64_t *size);

/* Copy `size` bytes from `address`. Returns 0 or -EBADMSG: not all of them are in the
 * file. */
CCA_API int cca_elf_file_copy(const struct cca_elf_file *elf, uint64_t address, void *to,
                              size_t size);

/* Find the target of the pointer stored at `address`: `*target`, 0 for NULL. Returns 0;
 * -ENOENT: a symbol of another file; -EBADMSG. */
CCA_API int cca_elf_file_pointer(const struct cca_elf_file *elf, uint64_t address,
                                 uint64_t *target);

/* Return the string at `address`, borrowed until cca_elf_file_done; NULL: it does not end
 * inside its segment within `longest` bytes. */
CCA_API const char *cca_elf_file_string(const struct cca_elf_file *elf, uint64_t address,
                                        size_t longest);

#endif
