/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.c: find functions in the symbol tables of an ELF file. */
#include "properties/load/measure/symbols.h"

#include "common/elf.h"

/* How well a symbol fits a name: 2: it is equal; 1: it ends in `_name`; 0: neither. */
static int fits(const char *symbol, const char *name)
{
    size_t length = strlen(symbol), wanted = strlen(name);

    if (strcmp(symbol, name) == 0)
        return 2;
    return length > wanted + 1 && symbol[length - wanted - 1] == '_' &&
           strcmp(symbol + length - wanted, name) == 0;
}

/* Find the function that fits best. Returns 1; 0: none, or several; -1: no such table. */
static int search(const struct cca_elf *file, uint32_t type, const char *name,
                  uint64_t *offset)
{
    struct cca_elf_symbols symbols;
    int best = 0, several = 0;

    if (!cca_elf_symbols(file, type, &symbols))
        return -1;
    for (size_t i = 0; i < symbols.count; i++) {
        const ElfW(Sym) *symbol = &symbols.list[i];
        int fit;

        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_value)
            continue;
        fit = fits(cca_elf_name(&symbols, symbol), name);
        if (!fit || fit < best)
            continue;
        several = fit == best && (several || symbol->st_value != *offset);
        best = fit;
        *offset = symbol->st_value;
    }
    return best && !several;
}

int mm_symbol_find(const char *path, const char *name, uint64_t *offset)
{
    struct cca_elf file;
    int found;

    if (!*name || cca_elf_map(&file, path))
        return 0;
    found = search(&file, SHT_SYMTAB, name, offset);
    if (found < 0)
        found = search(&file, SHT_DYNSYM, name, offset);
    cca_elf_unmap(&file);
    return found > 0;
}
