/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.c: find functions in the symbol tables of an ELF file. */
#include "properties/load/measure/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file mapped in memory. */
struct file {
    const unsigned char *data;
    size_t bytes;
};

/* A symbol table and its string table, inside the file. */
struct table {
    const unsigned char *symbols, *names;
    size_t count, name_bytes;
};

static int lies_inside(const struct file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->bytes && bytes <= f->bytes - at;
}

static int read_section(const struct file *f, const Elf64_Ehdr *head, uint32_t index,
                        Elf64_Shdr *section)
{
    uint64_t at = head->e_shoff + (uint64_t)index * sizeof *section;

    if (index >= head->e_shnum || head->e_shoff > f->bytes ||
        !lies_inside(f, at, sizeof *section))
        return 0;
    memcpy(section, f->data + at, sizeof *section);
    return section->sh_type == SHT_NOBITS ||
           lies_inside(f, section->sh_offset, section->sh_size);
}

/* The symbol table in sections of a type. 0: there is none. */
static int find_table(const struct file *f, uint32_t type, struct table *table)
{
    Elf64_Ehdr head;
    Elf64_Shdr symbols, names;

    if (f->bytes < sizeof head)
        return 0;
    memcpy(&head, f->data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof symbols)
        return 0;
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        if (!read_section(f, &head, i, &symbols) || symbols.sh_type != type ||
            !read_section(f, &head, symbols.sh_link, &names) ||
            names.sh_type != SHT_STRTAB || !names.sh_size ||
            f->data[names.sh_offset + names.sh_size - 1] != 0)
            continue;
        *table = (struct table){.symbols = f->data + symbols.sh_offset,
                                .names = f->data + names.sh_offset,
                                .count = symbols.sh_size / sizeof(Elf64_Sym),
                                .name_bytes = names.sh_size};
        return 1;
    }
    return 0;
}

/* 2: equal to the name; 1: ends in `_name`; 0: neither. */
static int fits(const char *symbol, const char *name)
{
    size_t length = strlen(symbol), wanted = strlen(name);

    if (strcmp(symbol, name) == 0)
        return 2;
    return length > wanted + 1 && symbol[length - wanted - 1] == '_' &&
           strcmp(symbol + length - wanted, name) == 0;
}

static int search(const struct table *t, const char *name, uint64_t *offset)
{
    int best = 0, several = 0;

    for (size_t i = 0; i < t->count; i++) {
        Elf64_Sym symbol;
        int fit;

        memcpy(&symbol, t->symbols + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value ||
            symbol.st_name >= t->name_bytes)
            continue;
        fit = fits((const char *)t->names + symbol.st_name, name);
        if (!fit || fit < best)
            continue;
        several = fit == best && (several || symbol.st_value != *offset);
        best = fit;
        *offset = symbol.st_value;
    }
    return best && !several;
}

int mm_symbol_find(const char *path, const char *name, uint64_t *offset)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    struct table table;
    struct file f = {0};
    struct stat st;
    void *data;

    if (fd < 0)
        return 0;
    if (*name && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        f.bytes = (size_t)st.st_size;
        data = mmap(NULL, f.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            f.data = data;
            if (find_table(&f, SHT_SYMTAB, &table) || find_table(&f, SHT_DYNSYM, &table))
                found = search(&table, name, offset);
            munmap(data, f.bytes);
        }
    }
    close(fd);
    return found;
}
