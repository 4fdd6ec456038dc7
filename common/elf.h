/* SPDX-License-Identifier: BSD-3-Clause */
/* elf.h: read the symbol tables of ELF files of this machine. Offsets and counts in the
 * file are checked; a damaged table is treated as missing. Any thread. */
#ifndef COMMON_ELF_H
#define COMMON_ELF_H

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* An ELF file that is mapped into memory. */
struct cca_elf {
    const char *bytes;
    size_t size;
};

/* A symbol table and its names, as pointers into the mapped file. Names end with NUL. */
struct cca_elf_symbols {
    const ElfW(Sym) * list;
    const char *names;
    size_t count, name_bytes;
};

/* Map a plain file that is not empty. Returns 0 or a negative errno; unmap it with
 * cca_elf_unmap. */
static inline int cca_elf_map(struct cca_elf *elf, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = fd < 0 ? -errno : 0;
    struct stat about;

    *elf = (struct cca_elf){NULL, 0};
    if (!rc && (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size <= 0))
        rc = -ENOEXEC;
    if (!rc) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes == MAP_FAILED)
            rc = -errno;
        else
            *elf = (struct cca_elf){bytes, (size_t)about.st_size};
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

static inline void cca_elf_unmap(struct cca_elf *elf)
{
    if (elf->bytes)
        munmap((void *)elf->bytes, elf->size);
    *elf = (struct cca_elf){NULL, 0};
}

/* Return the `count` items of `size` bytes at an offset of the file; NULL: the file ends
 * before, or the offset is not aligned. */
static inline const void *cca_elf_part(const struct cca_elf *elf, uint64_t offset,
                                       uint64_t count, uint64_t size)
{
    if (offset > elf->size || count > (elf->size - offset) / size ||
        (size > 1 && offset % sizeof(ElfW(Addr))))
        return NULL;
    return elf->bytes + offset;
}

/* Find the build id in the notes of a segment. Returns NULL, and sets `*size` to 0, if
 * there is none. */
static inline const unsigned char *cca_elf_build_id(const void *notes, size_t bytes,
                                                    size_t *size)
{
    const unsigned char *at = notes;
    ElfW(Nhdr) note;

    *size = 0;
    while (bytes >= sizeof note) {
        size_t name, content;

        memcpy(&note, at, sizeof note);
        name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        content = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        at += sizeof note;
        bytes -= sizeof note;
        if (name > bytes || content > bytes - name)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at, "GNU", 4) == 0) {
            *size = note.n_descsz;
            return at + name;
        }
        at += name + content;
        bytes -= name + content;
    }
    return NULL;
}

/* Find the first undamaged symbol table in a section of the given type, SHT_SYMTAB or
 * SHT_DYNSYM. Returns 1, or 0 if there is none. */
static inline int cca_elf_symbols(const struct cca_elf *elf, uint32_t type,
                                  struct cca_elf_symbols *symbols)
{
    const ElfW(Ehdr) *head = cca_elf_part(elf, 0, 1, sizeof *head);
    const ElfW(Shdr) * sections;

    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(ElfW(Addr)) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_shentsize != sizeof *sections)
        return 0;
    sections = cca_elf_part(elf, head->e_shoff, head->e_shnum, sizeof *sections);
    for (size_t i = 0; sections && i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i], *names;

        if (table->sh_type != type || table->sh_link >= head->e_shnum)
            continue;
        names = &sections[table->sh_link];
        if (names->sh_type != SHT_STRTAB || !names->sh_size)
            continue;
        symbols->count = table->sh_size / sizeof *symbols->list;
        symbols->list =
            cca_elf_part(elf, table->sh_offset, symbols->count, sizeof *symbols->list);
        symbols->names = cca_elf_part(elf, names->sh_offset, names->sh_size, 1);
        symbols->name_bytes = names->sh_size;
        if (symbols->list && symbols->names && !symbols->names[names->sh_size - 1])
            return 1;
    }
    return 0;
}

/* Return the name of a symbol; "" if it lies outside of the table of names. */
static inline const char *cca_elf_name(const struct cca_elf_symbols *symbols,
                                       const ElfW(Sym) * symbol)
{
    return symbol->st_name < symbols->name_bytes ? symbols->names + symbol->st_name : "";
}

#endif
