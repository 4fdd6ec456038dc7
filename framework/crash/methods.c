/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.c: read the symbol `cca_proxy_table` of a proxy library, the table of an
 * interposition library, or the notes about wrapped tables. Runs no code of them. */
#include "framework/crash/methods.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxies/proxy_table.h"

enum { LONGEST_STRING = 4096, MOST_METHODS = 10000, MOST_TABLES = 1000 };

/* Return the string to which the pointer at `address` points, or NULL. It is printed to a
 * terminal, so control characters are replaced. */
static const char *string_at(const struct cca_elf_file *elf, uint64_t address)
{
    const char *text;
    uint64_t target;

    if (cca_elf_file_pointer(elf, address, &target) < 0 || !target)
        return NULL;
    text = cca_elf_file_string(elf, target, LONGEST_STRING);
    for (const char *c = text; c && *c; c++)
        if (iscntrl((unsigned char)*c))
            return NULL;
    return text;
}

static int read_value(const struct cca_elf_file *elf, uint64_t address,
                      struct monitor_value_decl *value)
{
    if (cca_elf_file_copy(elf, address, value, sizeof *value) < 0)
        return -1;
    value->name = string_at(elf, address + offsetof(struct monitor_value_decl, name));
    value->expression =
        string_at(elf, address + offsetof(struct monitor_value_decl, expression));
    value->labels = NULL;
    value->label_count = 0;
    return value->name && (unsigned)value->kind <= MONITOR_HINT ? 0 : -1;
}

static int read_method(const struct cca_elf_file *elf, uint64_t address,
                       struct ccafe_method *method)
{
    struct proxy_table_method raw;
    uint64_t values;

    if (cca_elf_file_copy(elf, address, &raw, sizeof raw) < 0 ||
        cca_elf_file_pointer(elf, address + offsetof(struct proxy_table_method, values),
                             &values) < 0 ||
        raw.in_count > MONITOR_MAX_IN || raw.out_count > MONITOR_MAX_OUT)
        return -1;
    method->name = string_at(elf, address + offsetof(struct proxy_table_method, name));
    method->unmeasured = raw.unmeasured;
    method->value_count = values ? raw.in_count + raw.out_count : 0;
    for (size_t i = 0; i < method->value_count; i++)
        if (read_value(elf, values + i * sizeof *method->values, &method->values[i]) < 0)
            return -1;
    return method->name ? 0 : -1;
}

/* Read the table of methods at an address. Its type must be `port_type`, unless this is
 * NULL. */
static int read_table(struct ccafe_methods *methods, uint64_t address,
                      const char *port_type)
{
    const struct cca_elf_file *elf = &methods->elf;
    struct proxy_table table;
    uint64_t first;

    if (cca_elf_file_copy(elf, address, &table, sizeof table) < 0 ||
        table.abi != PROXY_TABLE_ABI || table.size != sizeof table ||
        table.method_count > MOST_METHODS)
        return -1;
    methods->type = string_at(elf, address + offsetof(struct proxy_table, port_type));
    if (!methods->type || (port_type && strcmp(methods->type, port_type) != 0) ||
        cca_elf_file_pointer(elf, address + offsetof(struct proxy_table, methods),
                             &first) < 0)
        return -1;
    methods->items = calloc(table.method_count + 1, sizeof *methods->items);
    if (!methods->items)
        return -1;
    for (; methods->count < table.method_count; methods->count++)
        if (read_method(elf, first + methods->count * sizeof(struct proxy_table_method),
                        &methods->items[methods->count]) < 0)
            return -1;
    return 0;
}

/* Find the table that the ELF note with index `index` describes. Returns 0 or -ENOENT. */
static int find_table(const struct cca_elf_file *elf, size_t index, uint64_t *address)
{
    struct proxy_table_note note;
    uint64_t at, size;

    for (size_t i = 0; cca_elf_file_note(elf, PROXY_TABLE_NOTE_NAME, PROXY_TABLE_ABI, i,
                                         &at, &size) == 0;
         i++) {
        if (size != sizeof note || cca_elf_file_copy(elf, at, &note, sizeof note) < 0 ||
            note.count > MOST_TABLES)
            return -ENOENT;
        if (index < note.count) {
            *address = at + (uint64_t)note.offset + index * sizeof(struct proxy_table);
            return 0;
        }
        index -= note.count;
    }
    return -ENOENT;
}

/* Read the table at symbol `symbol`; if this is NULL, the table with index `index` among
 * the notes. */
static int read_file(struct ccafe_methods *methods, const char *file, const char *symbol,
                     size_t index, const char *port_type)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = -1;
    uint64_t address, size;

    *methods = (struct ccafe_methods){.items = NULL};
    if (fd < 0)
        return -1;
    if (cca_elf_file_read(&methods->elf, fd, NULL) == 0)
        status = symbol ? cca_elf_file_symbol(&methods->elf, symbol, &address, &size)
                        : find_table(&methods->elf, index, &address);
    if (status == 0)
        status = read_table(methods, address, port_type);
    close(fd);
    return status < 0 ? -1 : 0;
}

int ccafe_methods_read(struct ccafe_methods *methods, const char *file,
                       const char *port_type)
{
    return read_file(methods, file, "cca_proxy_table", 0, port_type);
}

int ccafe_functions_read(struct ccafe_methods *functions, const char *file)
{
    return read_file(functions, file, "mm_interpose_table", 0, NULL);
}

int ccafe_table_read(struct ccafe_methods *table, const char *file, size_t index)
{
    return read_file(table, file, NULL, index, NULL);
}

void ccafe_methods_done(struct ccafe_methods *methods)
{
    cca_elf_file_done(&methods->elf);
    free(methods->items);
    *methods = (struct ccafe_methods){.items = NULL};
}
