/* SPDX-License-Identifier: BSD-3-Clause */
/* object.c: search the dynamic linker's data about loaded objects. */
#include "mastermind/preload/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/elf.h"

/* --- The tables of one object --------------------------------------------- */

struct tables {
    const ElfW(Dyn) * dynamic;
    const char *strings, *soname;
    const ElfW(Sym) * symbols;
    const char *relocations[2]; /* relocation tables for data and for calls */
    size_t bytes[2];
    int with_addend; /* true if entries have the type Rela, else Rel */
    int symbolic;    /* the object binds its own symbols first (-Bsymbolic) */
};

/* Relocate an address, unless it is relocated already: linkers differ in the dynamic
 * section. */
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) value)
{
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static int read_tables(const struct dl_phdr_info *info, struct tables *tables)
{
    const ElfW(Dyn) *dynamic = NULL, *soname = NULL;

    memset(tables, 0, sizeof *tables);
    if (strncmp(info->dlpi_name, "linux-vdso", 10) == 0)
        return -ENOENT;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    tables->dynamic = dynamic;
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_STRTAB:
            tables->strings = pointer(info, dynamic->d_un.d_ptr);
            break;
        case DT_SYMTAB:
            tables->symbols = pointer(info, dynamic->d_un.d_ptr);
            break;
        case DT_RELA:
        case DT_REL:
            tables->relocations[0] = pointer(info, dynamic->d_un.d_ptr);
            break;
        case DT_RELASZ:
        case DT_RELSZ:
            tables->bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            tables->relocations[1] = pointer(info, dynamic->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            tables->bytes[1] = dynamic->d_un.d_val;
            break;
        case DT_PLTREL:
            tables->with_addend = dynamic->d_un.d_val == DT_RELA;
            break;
        case DT_SONAME:
            soname = dynamic;
            break;
        case DT_SYMBOLIC:
            tables->symbolic = 1;
            break;
        case DT_FLAGS:
            tables->symbolic |= (dynamic->d_un.d_val & DF_SYMBOLIC) != 0;
            break;
        default:
            break;
        }
        if (dynamic->d_tag == DT_RELA)
            tables->with_addend = 1;
    }
    if (!tables->strings || !tables->symbols)
        return -ENOENT;
    tables->soname = soname ? tables->strings + soname->d_un.d_val : NULL;
    return 0;
}

/* True if a relocation of the object refers to `symbol`; `*bound` is set if the relocated
 * word holds `address`. */
static int imports(const struct dl_phdr_info *info, const struct tables *tables,
                   const char *symbol, const void *address, int *bound)
{
    size_t step = tables->with_addend ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
    int found = 0;

    for (int part = 0; part < 2; part++)
        for (size_t at = 0; tables->relocations[part] && at + step <= tables->bytes[part];
             at += step) {
            const ElfW(Rel) *entry = (const void *)(tables->relocations[part] + at);
#if __ELF_NATIVE_CLASS == 64
            size_t index = ELF64_R_SYM(entry->r_info);
#else
            size_t index = ELF32_R_SYM(entry->r_info);
#endif
            const void *const *place = (const void *)(info->dlpi_addr + entry->r_offset);

            if (!index ||
                strcmp(tables->strings + tables->symbols[index].st_name, symbol) != 0)
                continue;
            found = 1;
            *bound |= *place == address;
        }
    return found;
}

/* True if the object was linked with a library `name`. */
static int needs(const struct tables *tables, const char *name)
{
    for (const ElfW(Dyn) *entry = tables->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED) {
            const char *needed = tables->strings + entry->d_un.d_val;
            const char *slash = strrchr(needed, '/');

            if (strcmp(slash ? slash + 1 : needed, name) == 0)
                return 1;
        }
    return 0;
}

static int holds(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && (uintptr_t)address >= start &&
            (uintptr_t)address < start + part->p_memsz)
            return 1;
    }
    return 0;
}

static const char here = 0; /* its address lies in this library */

/* True for an interposition library, and for this library. */
static int is_ours(const struct dl_phdr_info *info)
{
    static const char ending[] = "_interpose.so";
    size_t length = strlen(info->dlpi_name);

    return holds(info, &here) ||
           (length >= sizeof ending - 1 &&
            strcmp(info->dlpi_name + length - (sizeof ending - 1), ending) == 0);
}

/* --- The object of an address --------------------------------------------- */

static void read_build_id(const struct dl_phdr_info *info, char text[65])
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const unsigned char *id = NULL;
        size_t size = 0;

        if (part->p_type == PT_NOTE)
            id = cca_elf_build_id((const void *)(info->dlpi_addr + part->p_vaddr),
                                  part->p_memsz, &size);
        for (size_t j = 0; id && size <= 32 && j < size; j++)
            snprintf(text + 2 * j, 3, "%02x", id[j]);
    }
}

struct holder {
    const void *address;
    struct mm_object *object;
};

static int visit_holder(struct dl_phdr_info *info, size_t size, void *data)
{
    struct holder *holder = data;
    struct mm_object *object = holder->object;
    struct tables tables;
    const char *name = info->dlpi_name;

    (void)size;
    if (!holds(info, holder->address))
        return 0;
    snprintf(object->file, sizeof object->file, "%s", name);
    if (read_tables(info, &tables) == 0 && tables.soname)
        name = tables.soname;
    if (!*name)
        name = program_invocation_name;
    name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    snprintf(object->name, sizeof object->name, "%s", name);
    read_build_id(info, object->build_id);
    return 1;
}

int mm_object_of(const void *address, struct mm_object *object)
{
    struct holder holder = {address, object};

    memset(object, 0, sizeof *object);
    return dl_iterate_phdr(visit_holder, &holder) ? 0 : -ENOENT;
}

/* --- Symbols -------------------------------------------------------------- */

enum { OBJECTS_MAX = 512 };

struct names {
    const char *list[OBJECTS_MAX]; /* names of objects, valid while these stay loaded */
    size_t count;
};

static int visit_name(struct dl_phdr_info *info, size_t size, void *data)
{
    struct names *names = data;

    (void)size;
    if (*info->dlpi_name && !is_ours(info) && names->count < OBJECTS_MAX)
        names->list[names->count++] = info->dlpi_name;
    return 0;
}

void *mm_object_find_in(const char *file, const char *symbol)
{
    void *object = dlopen(*file ? file : NULL, RTLD_LAZY | RTLD_NOLOAD), *found;
    struct mm_object holder;

    if (!object)
        return NULL;
    found = dlsym(object, symbol); /* searches the object's dependencies, too */
    if (found &&
        (mm_object_of(found, &holder) < 0 || strstr(holder.file, "_interpose.so")))
        found = NULL;
    dlclose(object);
    return found;
}

void *mm_object_find(const char *symbol)
{
    struct names names = {.count = 0};
    void *found = NULL;

    dl_iterate_phdr(visit_name, &names);
    for (size_t i = 0; i < names.count && !found; i++)
        found = mm_object_find_in(names.list[i], symbol);
    return found;
}

struct import_visit {
    const char *symbol, *object;
    const void *defining;
    struct mm_importers *importers;
};

static int visit_importer(struct dl_phdr_info *info, size_t size, void *data)
{
    struct import_visit *visit = data;
    struct mm_importers *importers = visit->importers;
    struct tables tables;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    int defines = holds(info, visit->defining), bound = 0, asked;

    (void)size;
    if (is_ours(info) || read_tables(info, &tables) < 0)
        return 0;
    if (defines)
        importers->symbolic = tables.symbolic;
    importers->needed |= needs(&tables, visit->object);
    asked = imports(info, &tables, visit->symbol, visit->defining, &bound);
    if (asked && defines) {
        importers->itself = 1;
    } else if (asked) {
        if (importers->count++ == 0)
            snprintf(importers->name, sizeof importers->name, "%s", name);
        if (bound && importers->direct++ == 0)
            snprintf(importers->direct_name, sizeof importers->direct_name, "%s", name);
    }
    return 0;
}

static int is_protected(const char *symbol, const void *defining)
{
    const ElfW(Sym) *entry = NULL;
    Dl_info info;

    return dladdr1(defining, &info, (void **)&entry, RTLD_DL_SYMENT) && entry &&
           info.dli_sname && strcmp(info.dli_sname, symbol) == 0 &&
           (entry->st_other & 3) == STV_PROTECTED;
}

void mm_object_importers(const char *symbol, const void *defining, const char *object,
                         struct mm_importers *importers)
{
    struct import_visit visit = {symbol, object, defining, importers};

    memset(importers, 0, sizeof *importers);
    importers->is_protected = is_protected(symbol, defining);
    dl_iterate_phdr(visit_importer, &visit);
}
