/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: read the symbol table of the program's file, which the loader does not
 * map. */
#include "mastermind/preload/program.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const char *bytes;
    size_t size;
};

/* Pointer to `count` items of `size` bytes at `offset` of the file; NULL: the file is
 * shorter. */
static const void *part(const struct file *file, uint64_t offset, uint64_t count,
                        uint64_t size)
{
    if (offset > file->size || (size && count > (file->size - offset) / size))
        return NULL;
    return file->bytes + offset;
}

static int is_function(const ElfW(Sym) * symbol)
{
    unsigned bind = symbol->st_info >> 4, type = symbol->st_info & 15;

    return (type == STT_FUNC || type == STT_GNU_IFUNC) && bind != STB_LOCAL &&
           symbol->st_shndx != SHN_UNDEF;
}

static int visit_table(const struct file *file, const ElfW(Shdr) * table,
                       const ElfW(Shdr) * strings,
                       void (*visit)(void *context, const char *name), void *context)
{
    size_t count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(file, table->sh_offset, count, sizeof *symbols);
    const char *text = part(file, strings->sh_offset, strings->sh_size, 1);

    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1] ||
        (uintptr_t)symbols % sizeof(ElfW(Addr)))
        return -ENOENT;
    for (size_t i = 0; i < count; i++)
        if (is_function(&symbols[i]) && symbols[i].st_name < strings->sh_size)
            visit(context, text + symbols[i].st_name);
    return 0;
}

static int visit_file(const struct file *file,
                      void (*visit)(void *context, const char *name), void *context)
{
    const ElfW(Ehdr) *header = part(file, 0, 1, sizeof *header);
    const ElfW(Shdr) * sections;

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof *sections)
        return -ENOENT;
    sections = part(file, header->e_shoff, header->e_shnum, sizeof *sections);
    if (!sections || header->e_shoff % sizeof(ElfW(Addr)))
        return -ENOENT;
    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
            return visit_table(file, &sections[i], &sections[sections[i].sh_link], visit,
                               context);
    return -ENOENT;
}

int mm_program_functions(void (*visit)(void *context, const char *name), void *context)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), status = -ENOENT;
    struct file file = {MAP_FAILED, 0};
    struct stat about;

    if (fd < 0)
        return -ENOENT;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        file.size = (size_t)about.st_size;
        file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (file.bytes == MAP_FAILED)
        return -ENOENT;
    status = visit_file(&file, visit, context);
    munmap((void *)file.bytes, file.size);
    return status;
}
