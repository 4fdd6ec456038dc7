/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.c: find a function's name in the symbol table of its file, which the loader
 * does not map, but which has static functions, too. */
#include "mastermind/preload/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cxx_name.h"
#include "common/elf.h"

/* The file that was used last. It remains mapped, because the next functions to look up
 * are often in the same file. */
static struct {
    char path[1024];
    struct cca_elf elf;
} file;

static int map(const char *path)
{
    if (file.elf.bytes && strcmp(path, file.path) == 0)
        return 0;
    cca_elf_unmap(&file.elf);
    snprintf(file.path, sizeof file.path, "%s", path);
    return cca_elf_map(&file.elf, path);
}

/* Find a function with the address `value` in the symbol table of the given type,
 * preferably a global one. Returns its symbol or NULL. */
static const char *find(uint32_t type, uint64_t value)
{
    struct cca_elf_symbols symbols;
    const char *found = NULL;

    if (!cca_elf_symbols(&file.elf, type, &symbols))
        return NULL;
    for (size_t i = 0; i < symbols.count; i++) {
        const ElfW(Sym) *symbol = &symbols.list[i];

        if ((symbol->st_info & 15) == STT_FUNC && symbol->st_value == value &&
            symbol->st_shndx != SHN_UNDEF && symbol->st_name < symbols.name_bytes &&
            (!found || symbol->st_info >> 4 != STB_LOCAL))
            found = symbols.names + symbol->st_name;
    }
    return found;
}

int mm_symbol_of(const void *address, char *name, size_t size)
{
    struct link_map *object = NULL;
    Dl_info about;
    const char *found;
    uint64_t value;

    if (!dladdr1(address, &about, (void **)&object, RTLD_DL_LINKMAP) || !object)
        return -ENOENT;
    if (map(*object->l_name ? object->l_name : "/proc/self/exe"))
        return -ENOENT;
    value = (uint64_t)((const char *)address - (const char *)object->l_addr);
    found = find(SHT_DYNSYM, value);
    found = found ? found : find(SHT_SYMTAB, value);
    if (!found)
        return -ENOENT;
    snprintf(name, size, "%s", found);
    return 0;
}

/* Write the demangled name, or the symbol itself. */
static void demangle(const char *symbol, char *name, size_t size)
{
    union {
        void *address;
        char *(*call)(const char *, char *, size_t *, int *);
    } function = {NULL};
    char *text = NULL;
    size_t length;
    int status = -1;

    if (strncmp(symbol, "_Z", 2) == 0)
        function.address = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (function.address)
        text = function.call(symbol, NULL, NULL, &status);
    if (text && status == 0) {
        cca_cxx_plain(text);
        symbol = text;
    }
    length = strnlen(symbol, size - 1);
    memcpy(name, symbol, length);
    name[length] = '\0';
    free(text);
}

void mm_symbol_plain(const char *symbol, char *name, size_t size)
{
    const char *module = strstr(symbol, "_MOD_");
    size_t length;

    demangle(module ? module + 5 : symbol, name, size);
    length = strlen(name);
    if (strncmp(symbol, "_Z", 2) != 0 && length > 1 && name[length - 1] == '_' && !module)
        name[length - 1] = 0;
    for (char *c = name; *c; c++)
        if (*c == '.')
            *c = '_';
}

int mm_symbol_matches(const char *patterns, const char *symbol, const char *name)
{
    const char *rest = patterns, *at;
    int matched = 0;
    size_t length;

    while ((at = cca_list_next(&rest, &length))) {
        char word[1024];

        if (length == 1 && *at == '*') {
            matched = matched < 2 ? 1 : 2;
            continue;
        }
        if (!length || length >= sizeof word)
            continue;
        memcpy(word, at, length);
        word[length] = '\0';
        if (strcmp(word, name) == 0 ||
            (strpbrk(word, "*?[\\")
                 ? fnmatch(word, name, 0) == 0 || fnmatch(word, symbol, 0) == 0
                 : strcmp(word, symbol) == 0))
            matched =
                strpbrk(word, "*?[") && strcmp(word, name) != 0 && matched < 2 ? 1 : 2;
    }
    return matched;
}

static const char only_list[] = "MASTERMIND_RECORD_ONLY",
                  except_list[] = "MASTERMIND_RECORD_EXCEPT";

int mm_symbol_has_choice(void)
{
    return getenv(only_list) || getenv(except_list);
}

int mm_symbol_is_chosen(const char *symbol, const char *name, const char *numbered)
{
    const char *only = getenv(only_list), *except = getenv(except_list);

    return (!only || mm_symbol_matches(only, symbol, name) ||
            mm_symbol_matches(only, symbol, numbered)) &&
           (!except || !(mm_symbol_matches(except, symbol, name) ||
                         mm_symbol_matches(except, symbol, numbered)));
}
