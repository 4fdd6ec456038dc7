/* SPDX-License-Identifier: BSD-3-Clause */
/* object.c: the dynamic linker's list of objects, their build ids, and the symbol tables
 * of their files. */
#include "messages/frames/object.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The object ----------------------------------------------------------------- */

struct search {
    uintptr_t pc;
    struct mm_frames_object *found;
};

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * part,
                          struct mm_frames_object *object)
{
    const char *at = (const char *)(info->dlpi_addr + part->p_vaddr),
               *end = at + part->p_memsz;

    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        const char *data = name + ((note->n_namesz + 3) & ~3u);

        if (data + note->n_descsz > end || data < name)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            memcmp(name, "GNU", 4) == 0 && note->n_descsz <= sizeof object->build_id) {
            object->build_id_bytes = note->n_descsz;
            memcpy(object->build_id, data, note->n_descsz);
            return;
        }
        at = data + ((note->n_descsz + 3) & ~3u);
    }
}

static void name_object(const struct dl_phdr_info *info, struct mm_frames_object *object)
{
    ssize_t length;

    if (*info->dlpi_name) {
        snprintf(object->path, sizeof object->path, "%s", info->dlpi_name);
        return;
    }
    length = readlink("/proc/self/exe", object->path, sizeof object->path - 1);
    object->path[length < 0 ? 0 : length] = 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    int holds = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        holds |= part->p_type == PT_LOAD &&
                 search->pc - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
    }
    if (!holds)
        return 0;
    search->found->offset = search->pc - info->dlpi_addr;
    name_object(info, search->found);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && !search->found->build_id_bytes)
            read_build_id(info, &info->dlpi_phdr[i], search->found);
    return 1;
}

/* --- The function ---------------------------------------------------------------- */

struct image {
    const char *start;
    size_t bytes;
};

/* `count` entries of `each` bytes at an offset, or NULL: outside of the file. */
static const void *part_of(const struct image *image, uint64_t at, uint64_t bytes)
{
    return at <= image->bytes && bytes <= image->bytes - at ? image->start + at : NULL;
}

static void find_symbol(const struct image *image, const ElfW(Shdr) * table,
                        const ElfW(Shdr) * names, struct mm_frames_object *object)
{
    const ElfW(Sym) *symbols = part_of(image, table->sh_offset, table->sh_size);
    const char *text = part_of(image, names->sh_offset, names->sh_size);

    for (uint64_t i = 0; symbols && text && i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *symbol = &symbols[i];

        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
            object->offset - symbol->st_value >= symbol->st_size ||
            symbol->st_name >= names->sh_size)
            continue;
        snprintf(object->function, sizeof object->function, "%.*s",
                 (int)strnlen(text + symbol->st_name,
                              (size_t)(names->sh_size - symbol->st_name)),
                 text + symbol->st_name);
        return;
    }
}

static void search_tables(const struct image *image, struct mm_frames_object *object)
{
    const ElfW(Ehdr) *head = part_of(image, 0, sizeof *head);
    const ElfW(Shdr) * sections;

    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof *sections)
        return;
    sections = part_of(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    for (int i = 0; sections && i < head->e_shnum && !*object->function; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            sections[i].sh_link < head->e_shnum)
            find_symbol(image, &sections[i], &sections[sections[i].sh_link], object);
}

static void find_function(struct mm_frames_object *object)
{
    int file = open(object->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    struct image image;
    void *map;

    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map != MAP_FAILED) {
            image = (struct image){map, (size_t)status.st_size};
            search_tables(&image, object);
            munmap(map, image.bytes);
        }
    }
    close(file);
}

void mm_frames_object_of(uintptr_t pc, struct mm_frames_object *object)
{
    struct search search = {pc, object};

    memset(object, 0, sizeof *object);
    object->offset = pc;
    if (dl_iterate_phdr(look_at, &search))
        find_function(object);
}
