/* SPDX-License-Identifier: BSD-3-Clause */
/* object.c: the dynamic linker's list of objects, their build ids, and the symbol tables
 * of their files. */
#include "messages/frames/object.h"

#include <stdio.h>

#include "common/elf.h"

/* --- The object ----------------------------------------------------------------- */

struct search {
    uintptr_t pc;
    struct mm_frames_object *found;
};

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * part,
                          struct mm_frames_object *object)
{
    size_t size;
    const unsigned char *id = cca_elf_build_id(
        (const void *)(info->dlpi_addr + part->p_vaddr), part->p_memsz, &size);

    if (!id || size > sizeof object->build_id)
        return;
    object->build_id_bytes = (uint32_t)size;
    memcpy(object->build_id, id, size);
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

static void find_symbol(const struct cca_elf *file, uint32_t type,
                        struct mm_frames_object *object)
{
    struct cca_elf_symbols symbols;

    if (*object->function || !cca_elf_symbols(file, type, &symbols))
        return;
    for (size_t i = 0; i < symbols.count; i++) {
        const ElfW(Sym) *symbol = &symbols.list[i];

        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
            object->offset - symbol->st_value >= symbol->st_size ||
            symbol->st_name >= symbols.name_bytes)
            continue;
        snprintf(object->function, sizeof object->function, "%s",
                 symbols.names + symbol->st_name);
        return;
    }
}

static void find_function(struct mm_frames_object *object)
{
    struct cca_elf file;

    if (cca_elf_map(&file, object->path))
        return;
    find_symbol(&file, SHT_DYNSYM, object);
    find_symbol(&file, SHT_SYMTAB, object);
    cca_elf_unmap(&file);
}

void mm_frames_object_of(uintptr_t pc, struct mm_frames_object *object)
{
    struct search search = {pc, object};

    memset(object, 0, sizeof *object);
    object->offset = pc;
    if (dl_iterate_phdr(look_at, &search))
        find_function(object);
}
