/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: find names of methods and functions for a crash report.
 *
 * Names of methods are collected before components run: a handler cannot allocate. The
 * name of a function is read from the file in the handler, by system calls alone. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/crash/methods.h"
#include "framework/crash/names.h"

/* Bytes of a function's name, including a NUL. */
enum { LONGEST_NAME = 128 };

/* --- Methods -------------------------------------------------------------- */

/* A port type in a list. It is never freed, and added at the head: a signal handler may
 * read the list at any time. */
struct type {
    const struct type *next;
    size_t count;
    const char *name, *methods[]; /* name of the type; its methods in the order of the
                                   * port's struct */
};

static const struct type *types; /* __atomic */

static const struct type *find_type(const char *name)
{
    const struct type *type = __atomic_load_n(&types, __ATOMIC_ACQUIRE);

    while (type && strcmp(type->name, name) != 0)
        type = type->next;
    return type;
}

/* Add a port type with its strings in one block. A type whose proxy is unknown is added
 * without methods, so that it is looked up only once. */
static void add_name(const char *name, const struct ccafe_methods *methods)
{
    size_t size =
        sizeof(struct type) + methods->count * sizeof(char *) + strlen(name) + 1;
    struct type *type;
    char *text;

    for (size_t i = 0; i < methods->count; i++)
        size += strlen(methods->items[i].name) + 1;
    type = malloc(size);
    if (!type)
        return;
    type->next = types;
    type->count = methods->count;
    text = (char *)&type->methods[methods->count];
    type->name = text;
    text = stpcpy(text, name) + 1;
    for (size_t i = 0; i < methods->count; i++) {
        type->methods[i] = text;
        text = stpcpy(text, methods->items[i].name) + 1;
    }
    __atomic_store_n(&types, type, __ATOMIC_RELEASE);
}

static void learn_types(const struct cca_repository *repository,
                        const struct cca_port_decl *port)
{
    const struct cca_class_info *proxy = cca_repository_proxy_for(repository, port->type);
    struct ccafe_methods methods = {.items = NULL};

    /* if the port's struct has members that are no methods, the order of methods gives no
     * index */
    if (!proxy || ccafe_methods_read(&methods, proxy->file, port->type) < 0 ||
        sizeof(struct cca_port) + methods.count * sizeof(void (*)(void)) != port->size)
        methods.count = 0;
    add_name(port->type, &methods);
    ccafe_methods_done(&methods);
}

void ccafe_names_learn(const struct cca_framework *framework)
{
    struct cca_framework *asked = (struct cca_framework *)framework;
    struct builder_port *builder = cca_framework_builder(asked);
    struct builder_instance instance;

    for (size_t i = 0; builder->instance(builder, i, 0, &instance) == 0; i++) {
        const struct cca_port_decl *port = instance.cls->provides;

        for (; port && port->name; port++)
            if (!find_type(port->type))
                learn_types(cca_framework_repository(asked), port);
    }
}

const char *ccafe_name_of_method(const char *port_type, size_t number)
{
    const struct type *type = find_type(port_type);

    return type && number < type->count ? type->methods[number] : NULL;
}

/* --- Functions ------------------------------------------------------------ */

static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Check that the file is the loaded file: compare its head, which has the build
 * id, with memory. */
static int is_loaded(int fd, uintptr_t base)
{
    enum { HEAD = 1024 };
    char head[HEAD];

    return read_at(fd, head, sizeof head, 0) &&
           memcmp(head, (const void *)base, sizeof head) == 0;
}

static int read_section(int fd, const Elf64_Ehdr *header, uint64_t number,
                        Elf64_Shdr *section)
{
    return number < header->e_shnum &&
           read_at(fd, section, sizeof *section,
                   header->e_shoff + number * sizeof *section);
}

/* Find the symbol table and its string table. */
static int find_tables(int fd, Elf64_Shdr *symbols, Elf64_Shdr *names)
{
    Elf64_Ehdr header;

    if (!read_at(fd, &header, sizeof header, 0) || header.e_shentsize != sizeof *symbols)
        return 0;
    for (uint64_t i = 0; read_section(fd, &header, i, symbols); i++)
        if (symbols->sh_type == SHT_SYMTAB)
            return read_section(fd, &header, symbols->sh_link, names);
    return 0;
}

/* Find the function that contains `offset`. */
static int find_symbol(int fd, const Elf64_Shdr *table, uint64_t offset, Elf64_Sym *found)
{
    enum { PIECE = 256 };
    static Elf64_Sym piece[PIECE]; /* static: the stack of a signal handler is small, and
                                    * only one thread calls this */
    uint64_t count = table->sh_size / sizeof *piece;

    for (uint64_t i = 0; i < count; i += PIECE) {
        size_t here = count - i < PIECE ? (size_t)(count - i) : PIECE;

        if (!read_at(fd, piece, here * sizeof *piece,
                     table->sh_offset + i * sizeof *piece))
            return 0;
        for (size_t k = 0; k < here; k++)
            if (ELF64_ST_TYPE(piece[k].st_info) == STT_FUNC &&
                offset >= piece[k].st_value &&
                offset - piece[k].st_value < piece[k].st_size) {
                *found = piece[k];
                return 1;
            }
    }
    return 0;
}

static const char *read_name(int fd, const Elf64_Shdr *names, uint64_t at)
{
    static char name[LONGEST_NAME];
    size_t length = sizeof name - 1;

    if (at >= names->sh_size)
        return NULL;
    if (names->sh_size - at < length)
        length = (size_t)(names->sh_size - at);
    if (!read_at(fd, name, length, names->sh_offset + at))
        return NULL;
    name[length] = '\0';
    for (char *c = name; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?'; /* replace control characters: the text goes to a terminal */
    return *name ? name : NULL;
}

/* Read a part of a mangled name, such as "5twice"; `*end` is the end of the part. Returns
 * NULL if the text is no such part. */
static const char *read_part(const char *at, const char **end, size_t *length)
{
    for (*length = 0; isdigit((unsigned char)*at) && *length < LONGEST_NAME; at++)
        *length = 10 * *length + (size_t)(*at - '0');
    if (!*length || strnlen(at, *length) < *length)
        return NULL;
    *end = at + *length;
    return at;
}

/* Return `name`, or for a C++ function without templates "space::Class::function" in
 * static memory.
 * __cxa_demangle allocates, which a handler must not do. */
static const char *readable_name(const char *name)
{
    static char text[2 * LONGEST_NAME];
    static const char anonymous[] = "_GLOBAL__N_";
    int nested = strncmp(name, "_ZN", 3) == 0;
    const char *at = name + 2 + nested, *part = NULL;
    size_t length = 0, used = 0;

    if (strncmp(name, "_Z", 2) != 0)
        return name;
    at += nested ? strspn(at, "rVKRO") : strspn(at, "L");
    do {
        int ends = part && (*at == 'C' || *at == 'D') && isdigit((unsigned char)at[1]);
        const char *tilde = ends && *at == 'D' ? "~" : "";

        if (ends) /* constructors and destructors have the name of their class */
            at += 2;
        else if (!(part = read_part(at, &at, &length)))
            return name;
        if (used + length + sizeof "::~(anonymous namespace)" > sizeof text)
            return name;
        used = (size_t)(stpcpy(stpcpy(text + used, used ? "::" : ""), tilde) - text);
        if (strncmp(part, anonymous, sizeof anonymous - 1) == 0)
            used = (size_t)(stpcpy(text + used, "(anonymous namespace)") - text);
        else
            used = (size_t)((char *)mempcpy(text + used, part, length) - text);
    } while (nested && *at && *at != 'E');
    text[used] = '\0';
    return nested && *at != 'E' ? name : text;
}

const char *ccafe_name_of_function(const char *file, uintptr_t base, uintptr_t offset)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    Elf64_Shdr symbols, names;
    Elf64_Sym symbol;
    const char *name = NULL;

    if (fd < 0)
        return NULL;
    if (is_loaded(fd, base) && find_tables(fd, &symbols, &names) &&
        find_symbol(fd, &symbols, offset, &symbol))
        name = read_name(fd, &names, symbol.st_name);
    close(fd);
    return name ? readable_name(name) : NULL;
}
