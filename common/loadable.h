/* SPDX-License-Identifier: BSD-3-Clause */
/* loadable.h: whether the dynamic linker of a program can preload libraries of this
 * build. Any thread; allocates nothing. */
#ifndef COMMON_LOADABLE_H
#define COMMON_LOADABLE_H

#include <elf.h>
#include <limits.h>
#include <string.h>

#include "common/elf.h"

enum { CCA_LOADABLE_SCRIPTS = 4 }; /* as many interpreters of scripts as Linux follows */

static const char cca_loadable_static[] = "it is linked statically";

/* Copy the interpreter of a script, from its first line, to path[PATH_MAX]. Returns 1, or
 * 0 if the file is no script. */
static inline int cca_loadable_interpreter(const struct cca_elf *file, char *path)
{
    size_t at = 2, length = 0;

    if (file->size < 4 || memcmp(file->bytes, "#!", 2) != 0)
        return 0;
    while (at < file->size && (file->bytes[at] == ' ' || file->bytes[at] == '\t'))
        at++;
    while (at + length < file->size && length < PATH_MAX - 1 &&
           !memchr(" \t\n", file->bytes[at + length], 3))
        length++;
    memcpy(path, file->bytes + at, length);
    path[length] = '\0';
    return length > 0;
}

/* The name at an address of a program's memory, as its file has it; "": none. */
static inline const char *cca_loadable_name(const struct cca_elf *file,
                                            const ElfW(Phdr) * parts, size_t count,
                                            uint64_t address)
{
    for (size_t i = 0; i < count; i++) {
        const ElfW(Phdr) *part = &parts[i];
        uint64_t offset = part->p_offset + (address - part->p_vaddr);

        if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
            address - part->p_vaddr < part->p_filesz && offset < file->size &&
            memchr(file->bytes + offset, 0, file->size - offset))
            return file->bytes + offset;
    }
    return "";
}

/* True if the program needs a library whose name begins with `name`. */
static inline int cca_loadable_needs(const struct cca_elf *file, const ElfW(Phdr) * parts,
                                     size_t count, const char *name)
{
    const ElfW(Dyn) *list = NULL;
    uint64_t names = 0;
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        if (parts[i].p_type == PT_DYNAMIC) {
            length = parts[i].p_filesz / sizeof *list;
            list = cca_elf_part(file, parts[i].p_offset, length, sizeof *list);
        }
    for (size_t i = 0; list && i < length; i++)
        if (list[i].d_tag == DT_STRTAB)
            names = list[i].d_un.d_ptr;
    for (size_t i = 0; list && i < length && list[i].d_tag != DT_NULL; i++)
        if (list[i].d_tag == DT_NEEDED &&
            strncmp(cca_loadable_name(file, parts, count, names + list[i].d_un.d_val),
                    name, strlen(name)) == 0)
            return 1;
    return 0;
}

static inline const char *cca_loadable_program(const struct cca_elf *file)
{
    const ElfW(Ehdr) *head = cca_elf_part(file, 0, 1, sizeof *head);
    const ElfW(Phdr) *parts = NULL;
    const char *linker = NULL;

    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return NULL;
    if (head->e_ident[EI_CLASS] != (sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32))
        return "it is made for another kind of processor";
#ifdef __x86_64__
    if (head->e_machine != EM_X86_64)
        return "it is made for another kind of processor";
#endif
    if (head->e_phentsize == sizeof *parts)
        parts = cca_elf_part(file, head->e_phoff, head->e_phnum, sizeof *parts);
    if (!parts)
        return NULL;
    for (size_t i = 0; i < head->e_phnum; i++)
        if (parts[i].p_type == PT_INTERP && parts[i].p_filesz &&
            cca_elf_part(file, parts[i].p_offset, parts[i].p_filesz, 1) &&
            !file->bytes[parts[i].p_offset + parts[i].p_filesz - 1])
            linker = file->bytes + parts[i].p_offset;
    if (!linker)
        return cca_loadable_static;
    if (strstr(linker, "ld-musl") || strstr(linker, "uClibc") ||
        strstr(linker, "/bin/linker"))
        return "it has another C library";
    if (cca_loadable_needs(file, parts, head->e_phnum, "libasan.so"))
        return "it has the address sanitizer, which must be loaded first";
    return NULL;
}

/* The first file of `path` and the interpreters of scripts that is no script: mapped, to
 * be unmapped by the caller. Returns 0 or a negative errno. */
static inline int cca_loadable_map(struct cca_elf *file, const char *path)
{
    char next[PATH_MAX];
    int rc = cca_elf_map(file, path);

    for (int depth = 0;
         !rc && depth < CCA_LOADABLE_SCRIPTS && cca_loadable_interpreter(file, next);
         depth++) {
        cca_elf_unmap(file);
        rc = cca_elf_map(file, next);
    }
    return rc;
}

/* The reason why nothing can be preloaded into the program `path`, or into the
 * interpreter of a script, to follow "because"; NULL: no reason is known. */
static inline const char *cca_loadable_refusal(const char *path)
{
    struct cca_elf file;
    const char *why;

    if (cca_loadable_map(&file, path))
        return NULL;
    why = cca_loadable_program(&file);
    cca_elf_unmap(&file);
    return why;
}

/* True for a program that is linked statically: it ignores LD_PRELOAD. */
static inline int cca_loadable_is_static(const char *path)
{
    const char *why = cca_loadable_refusal(path);

    return why && strcmp(why, cca_loadable_static) == 0;
}

#endif
