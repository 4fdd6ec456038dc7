/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_file.h: a shared object read as data, as the dynamic linker would see it.
 *
 * The file is read, never mapped or run. Addresses are the file's own (before loading).
 * Every access is checked against the file's bounds, so a damaged file gives errors and
 * nothing else. */
#ifndef FRAMEWORK_CLASSES_ELF_FILE_H
#define FRAMEWORK_CLASSES_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/cca.h"

struct cca_elf_file {
    unsigned char *bytes; /* the file up to the end of its last segment */
    size_t size;
    size_t segment_count;
    Elf64_Phdr *segments;
    uint64_t dynamic[DT_NUM]; /* values of the dynamic section by tag, 0: absent */
    uint64_t gnu_hash, relr, relr_size;
    size_t relocation_count;
    Elf64_Rela *relocations; /* sorted by address */
    char build_id[65];       /* of its note, else a hash of the whole file; hexadecimal */
};

/* Read the file behind descriptor `fd` into `elf` (done with cca_elf_file_done, also
 * after a failure). 0; -ENOEXEC not a shared object for this machine; -EBADMSG damaged;
 * -EFBIG; -ENOMEM; -EIO and other negative errno. */
CCA_API int cca_elf_file_read(struct cca_elf_file *elf, int fd, struct cca_error *err);
/* Likewise, for a program, which may also be of the kind that has its own addresses. */
CCA_API int cca_elf_program_read(struct cca_elf_file *elf, int fd, struct cca_error *err);
CCA_API void cca_elf_file_done(struct cca_elf_file *elf);

/* Address and size of the exported data symbol `name`. 0 or -ENOENT. */
CCA_API int cca_elf_file_symbol(const struct cca_elf_file *elf, const char *name,
                                uint64_t *address, uint64_t *size);

/* Value number `index` of a tag of the dynamic section. 0 or -ENOENT. */
CCA_API int cca_elf_file_dynamic(const struct cca_elf_file *elf, int64_t tag,
                                 size_t index, uint64_t *value);

/* Symbol number `index`. 0 or -EBADMSG. */
CCA_API int cca_elf_file_symbol_at(const struct cca_elf_file *elf, uint64_t index,
                                   Elf64_Sym *symbol);

/* Find the exported symbol `name` that `accept` takes (returns true). 0 or -ENOENT. */
typedef int (*cca_elf_file_accept)(void *context, const struct cca_elf_file *elf,
                                   uint64_t index, const Elf64_Sym *symbol);
CCA_API int cca_elf_file_find(const struct cca_elf_file *elf, const char *name,
                              cca_elf_file_accept accept, void *context);

/* Find the descriptor of note `index` of that name and type: its address and size. 0 or
 * -ENOENT. */
CCA_API int cca_elf_file_note(const struct cca_elf_file *elf, const char *name,
                              uint32_t type, size_t index, uint64_t *address,
                              uint64_t *size);

/* Copy `size` bytes from `address`. 0 or -EBADMSG: not all of them are in the file. */
CCA_API int cca_elf_file_copy(const struct cca_elf_file *elf, uint64_t address, void *to,
                              size_t size);

/* Where the pointer stored at `address` will point: `*target`, 0 for NULL.
 * 0; -ENOENT: to a symbol of another file; -EBADMSG. */
CCA_API int cca_elf_file_pointer(const struct cca_elf_file *elf, uint64_t address,
                                 uint64_t *target);

/* The string at `address`, borrowed until done; NULL: it does not end inside its segment
 * within `longest` bytes. */
CCA_API const char *cca_elf_file_string(const struct cca_elf_file *elf, uint64_t address,
                                        size_t longest);

#endif
