/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.c: find a function's name in the symbol table of its file, which the loader
 * does not map, but which has static functions, too. */
#include "mastermind/preload/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file used last remains mapped, as functions of one file are looked up in a row. */
static struct {
    char path[1024];
    const char *bytes;
    size_t size;
} file;

static const void *part(uint64_t offset, uint64_t count, uint64_t size)
{
    if (offset > file.size || (size && count > (file.size - offset) / size))
        return NULL;
    return file.bytes + offset;
}

static int map(const char *path)
{
    int fd;
    struct stat about;

    if (file.bytes && strcmp(path, file.path) == 0)
        return 0;
    if (file.bytes)
        munmap((void *)file.bytes, file.size);
    file.bytes = NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -ENOENT;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            file.bytes = bytes;
            file.size = (size_t)about.st_size;
            snprintf(file.path, sizeof file.path, "%s", path);
        }
    }
    close(fd);
    return file.bytes ? 0 : -ENOENT;
}

/* A symbol with this address in a table; global symbols before local ones. */
static const char *find(const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
                        uint64_t value)
{
    size_t count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(table->sh_offset, count, sizeof *symbols);
    const char *text = part(strings->sh_offset, strings->sh_size, 1), *found = NULL;

    if (!symbols || !text || !strings->sh_size || text[strings->sh_size - 1] ||
        (uintptr_t)symbols % sizeof(ElfW(Addr)))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if ((symbols[i].st_info & 15) == STT_FUNC && symbols[i].st_value == value &&
            symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name < strings->sh_size &&
            (!found || symbols[i].st_info >> 4 != STB_LOCAL))
            found = text + symbols[i].st_name;
    return found;
}

static const char *find_in_file(uint64_t value)
{
    const ElfW(Ehdr) *header = part(0, 1, sizeof *header);
    const ElfW(Shdr) * sections;
    const char *found = NULL;

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof *sections)
        return NULL;
    sections = part(header->e_shoff, header->e_shnum, sizeof *sections);
    if (!sections || header->e_shoff % sizeof(ElfW(Addr)))
        return NULL;
    for (size_t i = 0; i < header->e_shnum && !found; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            sections[i].sh_link < header->e_shnum)
            found = find(&sections[i], &sections[sections[i].sh_link], value);
    return found;
}

int mm_symbol_of(const void *address, char *name, size_t size)
{
    struct link_map *object = NULL;
    Dl_info about;
    const char *found;

    if (!dladdr1(address, &about, (void **)&object, RTLD_DL_LINKMAP) || !object)
        return -ENOENT;
    if (map(*object->l_name ? object->l_name : "/proc/self/exe"))
        return -ENOENT;
    found =
        find_in_file((uint64_t)((const char *)address - (const char *)object->l_addr));
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
    int status = -1;

    if (strncmp(symbol, "_Z", 2) == 0)
        function.address = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (function.address)
        text = function.call(symbol, NULL, NULL, &status);
    snprintf(name, size, "%s", text && status == 0 ? text : symbol);
    free(text);
}

void mm_symbol_plain(const char *symbol, char *name, size_t size)
{
    const char *module = strstr(symbol, "_MOD_");
    size_t length;

    demangle(module ? module + 5 : symbol, name, size);
    length = strlen(name);
    if (!strchr(name, '(') && length > 1 && name[length - 1] == '_' && !module)
        name[length - 1] = 0;
    if (strchr(name, '(') && strncmp(name, "operator()", 10) != 0)
        *strchr(name, '(') = 0;
    for (char *c = name; *c; c++)
        if (*c == '.')
            *c = '_';
}

int mm_symbol_matches(const char *patterns, const char *symbol, const char *name)
{
    char copy[4096], *rest = copy, *word;
    int matched = 0;

    snprintf(copy, sizeof copy, "%s", patterns);
    while ((word = strsep(&rest, ",")))
        if (*word && (fnmatch(word, name, 0) == 0 || fnmatch(word, symbol, 0) == 0))
            matched = strpbrk(word, "*?[") && matched < 2 ? 1 : 2;
    return matched;
}
