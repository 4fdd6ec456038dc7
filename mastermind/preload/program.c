/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: read the symbol table of the program's file, which the loader does not
 * map. */
#include "mastermind/preload/symbols.h"

#include "common/elf.h"

static int is_function(const ElfW(Sym) * symbol)
{
    unsigned bind = symbol->st_info >> 4, type = symbol->st_info & 15;

    return (type == STT_FUNC || type == STT_GNU_IFUNC) && bind != STB_LOCAL &&
           symbol->st_shndx != SHN_UNDEF;
}

int mm_program_functions(void (*visit)(void *context, const char *name), void *context)
{
    struct cca_elf_symbols symbols;
    struct cca_elf file;
    int status = -ENOENT;

    if (cca_elf_map(&file, "/proc/self/exe"))
        return -ENOENT;
    if (cca_elf_symbols(&file, SHT_SYMTAB, &symbols)) {
        for (size_t i = 0; i < symbols.count; i++)
            if (is_function(&symbols.list[i]))
                visit(context, cca_elf_name(&symbols, &symbols.list[i]));
        status = 0;
    }
    cca_elf_unmap(&file);
    return status;
}
