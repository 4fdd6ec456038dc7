/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_version.h: symbols with several versions in a library, foo@V1 and foo@@V2.
 *
 * A wrapper function has no version, so callers of either version call it. dlsym finds
 * only the default version; the version with which a caller was linked is recorded in the
 * caller's object:
 *
 *     relocation ──▶ symbol ──▶ .gnu.version ──▶ .gnu.version_r: "V1" */
#ifndef PROXIES_INTERPOSE_VERSION_H
#define PROXIES_INTERPOSE_VERSION_H

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

enum { INTERPOSE_SITES = 256, INTERPOSE_HIDDEN_BIT = 0x8000 };

/* The tables of a loaded object: strings, relocations, symbols, versions, hash table. */
struct interpose_object {
    const char *strings, *relocations[2];
    size_t bytes[2], entry_bytes;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;
    const char *needed; /* versions that the object needs: a chain of struct Verneed */
    const uint32_t *hashed; /* DT_GNU_HASH */
};

/* True for equal strings. It replaces strcmp, which may be interposed itself. */
static inline int interpose_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Convert an address of the dynamic section. Some linkers leave addresses relative to the
 * file. */
static inline const void *interpose_at(const struct dl_phdr_info *info, ElfW(Addr) value)
{
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

/* Find the tables of a loaded object. Returns false for an object without symbols. */
static inline int interpose_object_read(const struct dl_phdr_info *info,
                                        struct interpose_object *object)
{
    const ElfW(Dyn) *dynamic = NULL;

    memset(object, 0, sizeof *object);
    object->entry_bytes = sizeof(ElfW(Rela));
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = interpose_at(info, dynamic->d_un.d_ptr);

        switch (dynamic->d_tag) {
        case DT_STRTAB:
            object->strings = (const char *)at;
            break;
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)at;
            break;
        case DT_VERSYM:
            object->versions = (const ElfW(Half) *)at;
            break;
        case DT_VERNEED:
            object->needed = (const char *)at;
            break;
        case DT_GNU_HASH:
            object->hashed = (const uint32_t *)at;
            break;
        case DT_RELA:
        case DT_REL:
            object->relocations[0] = (const char *)at;
            break;
        case DT_RELASZ:
        case DT_RELSZ:
            object->bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            object->relocations[1] = (const char *)at;
            break;
        case DT_PLTRELSZ:
            object->bytes[1] = dynamic->d_un.d_val;
            break;
        case DT_PLTREL:
            object->entry_bytes =
                dynamic->d_un.d_val == DT_REL ? sizeof(ElfW(Rel)) : sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    return object->strings && object->symbols;
}

static inline int interpose_holds(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

        if (info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)address >= start &&
            (uintptr_t)address - start < info->dlpi_phdr[i].p_memsz)
            return 1;
    }
    return 0;
}

/* --- Does a symbol have several versions? --------------------------------- */

struct interpose_several {
    const char *symbol;
    const void *found;
    int several;
};

static inline int interpose_visit_definition(struct dl_phdr_info *info, size_t size,
                                             void *data)
{
    struct interpose_several *search = (struct interpose_several *)data;
    struct interpose_object object;
    uint32_t hash = 5381, index;
    const uint32_t *buckets, *chain;
    const ElfW(Sym) *first = NULL;

    (void)size;
    if (!interpose_holds(info, search->found))
        return 0;
    if (!interpose_object_read(info, &object) || !object.versions || !object.hashed ||
        !object.hashed[0])
        return 1;
    for (const char *c = search->symbol; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    /* the header of the hash table has the numbers of buckets, of the first symbol and of
     * words of the filter, and a shift; then come filter, buckets, chain */
    buckets = object.hashed + 4 + object.hashed[2] * (sizeof(ElfW(Addr)) / 4);
    chain = buckets + object.hashed[0];
    index = buckets[hash % object.hashed[0]];
    if (index < object.hashed[1])
        return 1;
    for (;; index++) {
        uint32_t own = chain[index - object.hashed[1]];
        const ElfW(Sym) *symbol = &object.symbols[index];

        if ((own | 1) == (hash | 1) &&
            interpose_same(object.strings + symbol->st_name, search->symbol)) {
            search->several |= first && first->st_value != symbol->st_value;
            first = symbol;
        }
        if (own & 1)
            return 1;
    }
}

/* True if the library that contains `found` has other versions of the symbol. */
static inline int interpose_is_versioned(const char *symbol, const void *found)
{
    struct interpose_several search = {symbol, found, 0};

    dl_iterate_phdr(interpose_visit_definition, &search);
    return search.several;
}

/* --- Which version does a caller need? ------------------------------------ */

/* Find the next relocation of the object for the symbol. Returns the symbol's index in
 * the symbol table, or 0. `*part` and `*at` start at 0 and are moved past the relocation;
 * `*type` is its type.
 */
static inline size_t interpose_relocation(const struct interpose_object *object,
                                          const char *symbol, int *part, size_t *at,
                                          unsigned *type)
{
    for (; *part < 2; ++*part, *at = 0)
        while (object->relocations[*part] &&
               *at + object->entry_bytes <= object->bytes[*part]) {
            const ElfW(Rel) *entry =
                (const ElfW(Rel) *)(object->relocations[*part] + *at);
            size_t index = sizeof(ElfW(Addr)) == 8 ? ELF64_R_SYM(entry->r_info)
                                                   : ELF32_R_SYM(entry->r_info);

            *at += object->entry_bytes;
            *type = (unsigned)(sizeof(ElfW(Addr)) == 8 ? ELF64_R_TYPE(entry->r_info)
                                                       : ELF32_R_TYPE(entry->r_info));
            if (index &&
                interpose_same(object->strings + object->symbols[index].st_name, symbol))
                return index;
        }
    return 0;
}

/* Return the version of the symbol with which the object was linked, or NULL. */
static inline const char *interpose_wanted(const struct interpose_object *object,
                                           const char *symbol)
{
    size_t index, at = 0;
    unsigned type;
    int part = 0;

    while ((index = interpose_relocation(object, symbol, &part, &at, &type)) != 0) {
        ElfW(Half) number = object->versions[index] & (ElfW(Half)) ~INTERPOSE_HIDDEN_BIT;
        const char *need = object->needed;

        while (need) {
            const ElfW(Verneed) *file = (const ElfW(Verneed) *)need;
            const char *next = need + file->vn_aux;

            for (unsigned i = 0; i < file->vn_cnt; i++) {
                const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)next;

                if (version->vna_other == number)
                    return object->strings + version->vna_name;
                next += version->vna_next;
            }
            need = file->vn_next ? need + file->vn_next : NULL;
        }
    }
    return NULL;
}

struct interpose_wish {
    const char *symbol;
    const void *caller;
    const char *own, *any; /* version that the caller's object needs, and version that any
                              other object needs */
    int differ;            /* true if objects need different versions */
};

static inline int interpose_visit_caller(struct dl_phdr_info *info, size_t size,
                                         void *data)
{
    struct interpose_wish *wish = (struct interpose_wish *)data;
    struct interpose_object object;
    const char *wanted;

    (void)size;
    if (!interpose_object_read(info, &object) || !object.versions || !object.needed)
        return 0;
    wanted = interpose_wanted(&object, wish->symbol);
    if (!wanted)
        return 0;
    if (interpose_holds(info, wish->caller))
        wish->own = wanted;
    wish->differ |= wish->any && !interpose_same(wish->any, wanted);
    wish->any = wanted;
    return 0;
}

/* Return the version with which the caller was linked. If no object contains the caller's
 * address, the result is the version that all objects need, else the default version.
 * Call sites are cached.
 */
static inline void *interpose_version(const char *symbol, const void *caller,
                                      void *by_default)
{
    static struct {
        uintptr_t address, check; /* address: of the function in this version; check:
                                     address ^ caller ^ symbol */
    } sites[INTERPOSE_SITES];
    const uintptr_t key = (uintptr_t)caller ^ (uintptr_t)symbol;
    const size_t slot = (key ^ key >> 8 ^ key >> 16) % INTERPOSE_SITES;
    uintptr_t address = __atomic_load_n(&sites[slot].address, __ATOMIC_RELAXED);
    struct interpose_wish wish = {symbol, caller, NULL, NULL, 0};
    const int number = errno;
    const char *wanted;
    void *found = NULL;

    if (address &&
        (__atomic_load_n(&sites[slot].check, __ATOMIC_RELAXED) ^ address) == key)
        return (void *)address;
    dl_iterate_phdr(interpose_visit_caller, &wish);
    wanted = wish.own ? wish.own : wish.differ ? NULL : wish.any;
    if (wanted)
        found = dlvsym(RTLD_NEXT, symbol, wanted);
    address = (uintptr_t)(found ? found : by_default);
    __atomic_store_n(&sites[slot].address, address, __ATOMIC_RELAXED);
    __atomic_store_n(&sites[slot].check, address ^ key, __ATOMIC_RELAXED);
    errno = number;
    return (void *)address;
}

/* --- Does a library call it through the dynamic linker? ------------------- */

struct interpose_import {
    const void *address; /* an address in the library, which identifies the library */
    const char *symbol;
    int calls;
};

/* True for a relocation that calls use; false for the address of a function in a table.
 */
static inline int interpose_is_call(int part, unsigned type)
{
#ifdef __x86_64__
    return part == 1 || type == R_X86_64_GLOB_DAT;
#elif defined __aarch64__
    return part == 1 || type == R_AARCH64_GLOB_DAT;
#else
    (void)type;
    return part == 1;
#endif
}

static inline int interpose_visit_import(struct dl_phdr_info *info, size_t size,
                                         void *data)
{
    struct interpose_import *import = (struct interpose_import *)data;
    struct interpose_object object;
    size_t at = 0;
    unsigned type;
    int part = 0;

    (void)size;
    if (!interpose_holds(info, import->address))
        return 0;
    if (interpose_object_read(info, &object))
        while (!import->calls &&
               interpose_relocation(&object, import->symbol, &part, &at, &type))
            import->calls = interpose_is_call(part, type);
    return 1;
}

/* True if the library that contains `address` calls the symbol through the dynamic
 * linker. */
static inline int interpose_imports(const void *address, const char *symbol)
{
    struct interpose_import import = {address, symbol, 0};

    dl_iterate_phdr(interpose_visit_import, &import);
    return import.calls;
}

#endif
