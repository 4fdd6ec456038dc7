/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_needs.c: read the libraries, versions and symbols that a shared object needs. */
#include "framework/classes/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"

/* Limits above the sizes of real libraries. They bound the work that a damaged file can
 * cause. */
enum { LONGEST_NAME = 1 << 16, MOST_VERSIONS = 4096, MOST_SYMBOLS = 1 << 20 };
enum { INDEX_MASK = 0x7fff, HIDDEN = 0x8000, UNVERSIONED = 2 };

static const char *text_at(const struct cca_elf_file *elf, uint64_t offset)
{
    return elf->dynamic[DT_STRTAB] && offset < elf->size
               ? cca_elf_file_string(elf, elf->dynamic[DT_STRTAB] + offset, LONGEST_NAME)
               : NULL;
}

const char *cca_elf_text(const struct cca_elf_file *elf, int64_t tag, size_t index)
{
    uint64_t offset;

    return cca_elf_file_dynamic(elf, tag, index, &offset) < 0 ? NULL
                                                              : text_at(elf, offset);
}

/* Return the version number of symbol `index`, with HIDDEN if it matches only symbols
 * that name the version; 0: the file has no versions. */
static unsigned version_of(const struct cca_elf_file *elf, uint64_t index)
{
    uint64_t table;
    uint16_t number = 0;

    if (cca_elf_file_dynamic(elf, DT_VERSYM, 0, &table) < 0 ||
        cca_elf_file_copy(elf, table + index * sizeof number, &number, sizeof number) < 0)
        return 0;
    return number;
}

/* --- Needed versions and symbols ------------------------------------------ */

static int add_version(struct cca_elf_needs *needs, const struct cca_elf_file *elf,
                       uint32_t library, const Elf64_Vernaux *entry)
{
    struct cca_elf_version *version;

    if (cca_array_reserve(&needs->versions, needs->version_count, sizeof *version))
        return -ENOMEM;
    version = &needs->versions[needs->version_count];
    *version = (struct cca_elf_version){.library = text_at(elf, library),
                                        .name = text_at(elf, entry->vna_name),
                                        .index = entry->vna_other & INDEX_MASK,
                                        .weak = (entry->vna_flags & VER_FLG_WEAK) != 0};
    if (!version->library || !version->name || needs->version_count >= MOST_VERSIONS)
        return -EBADMSG;
    needs->version_count++;
    return 0;
}

static int read_versions(struct cca_elf_needs *needs, const struct cca_elf_file *elf)
{
    uint64_t at, entry_at;
    Elf64_Verneed need;
    Elf64_Vernaux entry;
    int status = 0;

    if (cca_elf_file_dynamic(elf, DT_VERNEED, 0, &at) < 0)
        return 0;
    do {
        if (cca_elf_file_copy(elf, at, &need, sizeof need) < 0)
            return -EBADMSG;
        entry_at = at + need.vn_aux;
        do {
            if (cca_elf_file_copy(elf, entry_at, &entry, sizeof entry) < 0)
                return -EBADMSG;
            status = add_version(needs, elf, need.vn_file, &entry);
            entry_at += entry.vna_next;
        } while (!status && entry.vna_next);
        at += need.vn_next;
    } while (!status && need.vn_next);
    return status;
}

/* Append the indices of the symbols that a table of relocations uses. */
static int read_names(const struct cca_elf_file *elf, uint64_t table, uint64_t size,
                      uint32_t **numbers, size_t *count)
{
    uint32_t *grown;
    Elf64_Rela entry;

    if (!table || !size)
        return 0;
    if (size > elf->size)
        return -EBADMSG;
    grown = realloc(*numbers, (*count + size / sizeof entry + 1) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    *numbers = grown;
    for (uint64_t at = 0; at + sizeof entry <= size; at += sizeof entry) {
        if (cca_elf_file_copy(elf, table + at, &entry, sizeof entry) < 0)
            return -EBADMSG;
        if (ELF64_R_TYPE(entry.r_info) && ELF64_R_SYM(entry.r_info))
            grown[(*count)++] = (uint32_t)ELF64_R_SYM(entry.r_info);
    }
    return 0;
}

/* Read a symbol that a relocation uses. Returns 1 if symbol `number` must come from
 * another library; else 0, or -EBADMSG. */
static int read_need(const struct cca_elf_needs *needs, const struct cca_elf_file *elf,
                     uint32_t number, struct cca_elf_symbol *symbol)
{
    unsigned version = version_of(elf, number) & INDEX_MASK;
    Elf64_Sym entry;

    if (cca_elf_file_symbol_at(elf, number, &entry) < 0)
        return -EBADMSG;
    if (entry.st_shndx != SHN_UNDEF || ELF64_ST_BIND(entry.st_info) != STB_GLOBAL)
        return 0;
    *symbol = (struct cca_elf_symbol){.name = text_at(elf, entry.st_name)};
    for (size_t i = 0; i < needs->version_count; i++)
        if (needs->versions[i].index == version)
            symbol->version = &needs->versions[i];
    return symbol->name ? 1 : -EBADMSG;
}

static int by_name(const void *a, const void *b)
{
    const struct cca_elf_symbol *left = a, *right = b;

    return strcmp(left->name, right->name);
}

static int read_symbols(struct cca_elf_needs *needs, const struct cca_elf_file *elf)
{
    uint32_t *numbers = NULL;
    size_t count = 0;
    int status =
        read_names(elf, elf->dynamic[DT_RELA], elf->dynamic[DT_RELASZ], &numbers, &count);

    if (!status)
        status = read_names(elf, elf->dynamic[DT_JMPREL], elf->dynamic[DT_PLTRELSZ],
                            &numbers, &count);
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, cca_order_uint32);
    if (!status && count && !(needs->symbols = malloc(count * sizeof *needs->symbols)))
        status = -ENOMEM;
    for (size_t i = 0; i < count && status >= 0; i++) {
        if (i && numbers[i] == numbers[i - 1])
            continue;
        status = read_need(needs, elf, numbers[i], &needs->symbols[needs->symbol_count]);
        needs->symbol_count += status > 0;
        if (needs->symbol_count > MOST_SYMBOLS)
            status = -EBADMSG;
    }
    free(numbers);
    if (needs->symbol_count > 1)
        qsort(needs->symbols, needs->symbol_count, sizeof *needs->symbols, by_name);
    return status < 0 ? status : 0;
}

int cca_elf_needs_read(struct cca_elf_needs *needs, const struct cca_elf_file *elf)
{
    int status;

    *needs = (struct cca_elf_needs){.versions = NULL};
    status = read_versions(needs, elf);
    return status ? status : read_symbols(needs, elf);
}

void cca_elf_needs_done(struct cca_elf_needs *needs)
{
    free(needs->versions);
    free(needs->symbols);
    *needs = (struct cca_elf_needs){.versions = NULL};
}

/* --- Defined versions and symbols ----------------------------------------- */

/* Return the name of the version that the file defines at address `*at`; NULL: there is
 * none. `*at` advances to the next version, and is 0 after the last. */
static const char *next_version(const struct cca_elf_file *elf, uint64_t *at,
                                Elf64_Verdef *entry)
{
    Elf64_Verdaux name;

    if (!*at || cca_elf_file_copy(elf, *at, entry, sizeof *entry) < 0 ||
        cca_elf_file_copy(elf, *at + entry->vd_aux, &name, sizeof name) < 0)
        return NULL;
    *at = entry->vd_next ? *at + entry->vd_next : 0;
    return text_at(elf, name.vda_name);
}

/* Return the name of version `number`; NULL: it has none. The first entry is the file's
 * own name, not a version. */
static const char *version_name(const struct cca_elf_file *elf, unsigned number)
{
    Elf64_Verdef entry;
    const char *name;
    uint64_t at;

    if (cca_elf_file_dynamic(elf, DT_VERDEF, 0, &at) < 0)
        return NULL;
    for (int i = 0; i < MOST_VERSIONS && (name = next_version(elf, &at, &entry)); i++)
        if ((entry.vd_ndx & INDEX_MASK) == number)
            return entry.vd_flags & VER_FLG_BASE ? NULL : name;
    return NULL;
}

int cca_elf_has_version(const struct cca_elf_file *elf, const char *version)
{
    Elf64_Verdef entry;
    const char *name;
    uint64_t at;

    if (cca_elf_file_dynamic(elf, DT_VERDEF, 0, &at) < 0)
        return 1;
    for (int i = 0; i < MOST_VERSIONS && (name = next_version(elf, &at, &entry)); i++)
        if (strcmp(name, version) == 0)
            return 1;
    return 0;
}

static int accept_definition(void *context, const struct cca_elf_file *elf,
                             uint64_t index, const Elf64_Sym *symbol)
{
    const struct cca_elf_version *wanted = context;
    unsigned type = ELF64_ST_TYPE(symbol->st_info), number = version_of(elf, index);
    const char *version = version_name(elf, number & INDEX_MASK);

    if (type == STT_SECTION || type == STT_FILE ||
        (!symbol->st_value && symbol->st_shndx != SHN_ABS && type != STT_TLS))
        return 0;
    if (!wanted)
        return !(number & HIDDEN) || (number & INDEX_MASK) <= UNVERSIONED;
    return version ? strcmp(version, wanted->name) == 0 : !(number & HIDDEN);
}

int cca_elf_defines(const struct cca_elf_file *elf, const struct cca_elf_symbol *symbol)
{
    return cca_elf_file_find(elf, symbol->name, accept_definition,
                             (void *)symbol->version) == 0;
}
