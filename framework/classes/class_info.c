/* SPDX-License-Identifier: BSD-3-Clause */
/* class_info.c: read the class descriptor of a component library without running it.
 *
 *     .dynsym: cca_class ──▶ struct cca_class ──relocations──▶ arrays, strings
 *
 * The structs have the same layout in the file as in memory, except for pointers, which
 * are resolved through the file's relocations and replaced by pointers to copies. */
#include "framework/class_info.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/classes/parts.h"
#include "framework/classes/elf_file.h"

enum {
    LONGEST_STRING = 4096,
    MOST_ELEMENTS = 256,
    MOST_POINTERS = 8,
    /* size of the oldest descriptors, without the members that were added later */
    OLDEST_SIZE = offsetof(struct cca_class, instance_size)
};

/* Memory for all that a descriptor points to, in blocks that never move. */
struct block {
    struct block *next;
    _Alignas(max_align_t) char bytes[];
};

struct reader {
    const struct cca_elf_file *elf;
    struct cca_class_info *info;
    struct cca_error *err;
};

static void *reader_alloc(struct reader *reader, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size);

    if (!block) {
        cca_no_memory(reader->err);
        return NULL;
    }
    block->next = reader->info->memory;
    reader->info->memory = block;
    return block->bytes;
}

static int broken(struct reader *reader, const char *what)
{
    return cca_error_set(reader->err, -EBADMSG, "damaged: its class descriptor's %s",
                         what);
}

/* --- Pointers, strings, arrays -------------------------------------------- */

/* Resolve the pointer at `address` to `*target`, 0 for NULL. */
static int follow(struct reader *reader, uint64_t address, uint64_t *target)
{
    int status = cca_elf_file_pointer(reader->elf, address, target);

    if (status == -ENOENT)
        return broken(reader, "data lie in another library");
    return status < 0 ? broken(reader, "pointers lead nowhere") : 0;
}

/* Copy the string behind the pointer at `address`; NULL stays NULL. */
static int read_string(struct reader *reader, uint64_t address, const char **copy)
{
    const char *text;
    uint64_t target;
    char *made;
    int status = follow(reader, address, &target);

    *copy = NULL;
    if (status < 0 || !target)
        return status;
    text = cca_elf_file_string(reader->elf, target, LONGEST_STRING);
    if (!text)
        return broken(reader, "strings have no end");
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return broken(reader, "strings hold control characters");
    made = reader_alloc(reader, strlen(text) + 1);
    if (!made)
        return -ENOMEM;
    strcpy(made, text);
    *copy = made;
    return 0;
}

/* Layout of one of the structs of cca.h: its size, and the offsets of its strings. The
 * first string is the name, which is NULL in the element that ends an array. */
struct layout {
    size_t size;
    size_t strings[MOST_POINTERS];
    size_t string_count;
};

static const struct layout port_layout = {
    .size = sizeof(struct cca_port_decl),
    .strings = {offsetof(struct cca_port_decl, name),
                offsetof(struct cca_port_decl, type)},
    .string_count = 2,
};
static const struct layout param_layout = {
    .size = sizeof(struct cca_param_decl),
    .strings =
        {offsetof(struct cca_param_decl, name), offsetof(struct cca_param_decl, value),
         offsetof(struct cca_param_decl, low), offsetof(struct cca_param_decl, high),
         offsetof(struct cca_param_decl, choices), offsetof(struct cca_param_decl, unit),
         offsetof(struct cca_param_decl, help), offsetof(struct cca_param_decl, group)},
    .string_count = 8,
};
static const struct layout quality_layout = {
    .size = sizeof(struct cca_quality),
    .strings = {offsetof(struct cca_quality, name),
                offsetof(struct cca_quality, command)},
    .string_count = 2,
};
static const struct layout impl_layout = {
    .size = sizeof(struct cca_port_impl),
    .strings = {offsetof(struct cca_port_impl, name)},
    .string_count = 1,
};
static const struct layout signature_layout = {
    .size = sizeof(struct cca_signature),
    .strings = {offsetof(struct cca_signature, type),
                offsetof(struct cca_signature, hash)},
    .string_count = 2,
};
static const struct layout base_layout = {
    .size = sizeof(struct cca_port),
    .strings = {offsetof(struct cca_port, type)},
    .string_count = 1,
};
static const struct layout class_layout = {
    .size = OLDEST_SIZE,
    .strings = {offsetof(struct cca_class, name), offsetof(struct cca_class, summary),
                offsetof(struct cca_class, proxy_for),
                offsetof(struct cca_class, serves)},
    .string_count = 4,
};

/* Copy a struct from `address` to `to`, with copies of its strings. */
static int read_struct(struct reader *reader, const struct layout *layout,
                       uint64_t address, char *to)
{
    if (cca_elf_file_copy(reader->elf, address, to, layout->size) < 0)
        return broken(reader, "data lie outside the file");
    for (size_t i = 0; i < layout->string_count; i++) {
        const char *copy;
        int status = read_string(reader, address + layout->strings[i], &copy);

        memcpy(to + layout->strings[i], &copy, sizeof copy);
        if (status < 0)
            return status;
    }
    return 0;
}

static int read_array(struct reader *reader, const struct layout *layout,
                      uint64_t address, const void **array)
{
    uint64_t start, name = 1;
    size_t count = 0;
    char *made;
    int status = follow(reader, address, &start);

    *array = NULL;
    if (status < 0 || !start)
        return status;
    while (status == 0 && name) {
        if (count > MOST_ELEMENTS)
            return broken(reader, "arrays have no end");
        status = follow(reader, start + count * layout->size + layout->strings[0], &name);
        count++;
    }
    if (status < 0)
        return status;
    made = reader_alloc(reader, count * layout->size); /* the last element of the array
                                                        * remains zero */
    if (!made)
        return -ENOMEM;
    for (size_t i = 0; status == 0 && i + 1 < count; i++)
        status = read_struct(reader, layout, start + i * layout->size,
                             made + i * layout->size);
    *array = made;
    return status;
}

/* --- The descriptor itself ------------------------------------------------ */

static int is_code(const struct cca_elf_file *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];

        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
            return 1;
    }
    return 0;
}

/* Check a function pointer. Returns 1: it points to a function of this file, or of
 * another file, which the dynamic linker finds; 0: NULL; a negative errno: it points to
 * something else. */
static int has_function(struct reader *reader, uint64_t address, size_t offset)
{
    uint64_t target = 0;
    int status = cca_elf_file_pointer(reader->elf, address + offset, &target);

    if (status == -ENOENT)
        return 1;
    if (status < 0 || (target && !is_code(reader->elf, target)))
        return broken(reader, "functions lie outside the code");
    return target != 0;
}

static int check_functions(struct reader *reader, uint64_t address)
{
    int optional = reader->info->cls.instance_size > 0;
    int creates = has_function(reader, address, offsetof(struct cca_class, create));
    int sets = has_function(reader, address, offsetof(struct cca_class, set_services));
    int destroys = has_function(reader, address, offsetof(struct cca_class, destroy));

    if (creates < 0 || sets < 0 || destroys < 0)
        return -EBADMSG;
    if (!creates && !optional)
        return broken(reader, "function 'create' and its instance_size are missing");
    if (!sets && !optional)
        return broken(reader, "function 'set_services' is missing");
    if (creates && !destroys)
        return broken(reader, "function 'destroy' is missing");
    return 0;
}

/* Check that members of the class which this framework does not know are zero. */
static int check_unknown(struct reader *reader, uint64_t address, unsigned size)
{
    for (uint64_t at = sizeof(struct cca_class); at + sizeof(void *) <= size;
         at += sizeof(void *)) {
        uint64_t target = 0;

        if (cca_elf_file_pointer(reader->elf, address + at, &target) < 0 || target)
            return cca_error_set(reader->err, -EPROTO,
                                 "its class descriptor of %u bytes uses members that "
                                 "this framework, whose descriptor has %zu bytes, lacks",
                                 size, sizeof(struct cca_class));
    }
    return 0;
}

static int check_abi(struct reader *reader, uint64_t address, uint64_t size,
                     unsigned *stated)
{
    unsigned head[2]; /* abi and size are the first members in every ABI */

    if (size < sizeof head ||
        cca_elf_file_copy(reader->elf, address, head, sizeof head) < 0)
        return broken(reader, "data lie outside the file");
    if (head[0] != CCA_ABI)
        return cca_error_set(reader->err, -EPROTO,
                             "made for component ABI %u, this framework has %u", head[0],
                             CCA_ABI);
    if (head[1] < OLDEST_SIZE || head[1] % sizeof(void *))
        return cca_error_set(
            reader->err, -EPROTO,
            "its class descriptor has a size of %u bytes, this framework "
            "has %zu (set .size = sizeof(struct cca_class))",
            head[1], sizeof(struct cca_class));
    if (size < head[1])
        return broken(reader, "symbol is too small");
    *stated = head[1];
    return check_unknown(reader, address, head[1]);
}

/* Read instance_size and services_offset, as far as the class has these members. */
static int read_sizes(struct reader *reader, uint64_t address, unsigned stated)
{
    struct cca_class *cls = &reader->info->cls;
    size_t sizes[2] = {0, 0};
    size_t there =
        stated - OLDEST_SIZE < sizeof sizes ? stated - OLDEST_SIZE : sizeof sizes;

    if (cca_elf_file_copy(reader->elf, address + OLDEST_SIZE, sizes, there) < 0)
        return broken(reader, "data lie outside the file");
    cls->instance_size = sizes[0];
    cls->services_offset = sizes[1];
    return 0;
}

static int bad_implement(struct reader *reader, const char *name, const char *problem)
{
    return cca_error_set(reader->err, -EBADMSG, "class '%s': implemented port '%s' %s",
                         reader->info->cls.name, name, problem);
}

/* Copy the base of each implemented port's struct. */
static int read_bases(struct reader *reader, uint64_t address,
                      struct cca_port_impl *impls)
{
    uint64_t at, target;
    int status = follow(reader, address + offsetof(struct cca_class, implements), &at);

    at += offsetof(struct cca_port_impl, port);
    for (; status == 0 && impls && impls->name; impls++, at += sizeof *impls) {
        struct cca_port *base = reader_alloc(reader, sizeof *base);
        char last;

        impls->port = base;
        if (!base)
            return -ENOMEM;
        status = follow(reader, at, &target);
        if (status == 0 && !target)
            return bad_implement(reader, impls->name, "has no struct to copy");
        if (status == 0)
            status = read_struct(reader, &base_layout, target, (char *)base);
        if (status < 0)
            return status;
        if (base->size < sizeof *base ||
            cca_elf_file_copy(reader->elf, target + base->size - 1, &last, 1) < 0)
            return bad_implement(reader, impls->name,
                                 "states a size that its struct does not have");
        if (!base->type || !*base->type)
            return bad_implement(reader, impls->name, "has no type");
    }
    return status;
}

/* Check the declaration of an implemented port in `provides`, or add a declaration. */
static int declare_implemented(struct reader *reader, const struct cca_port_impl *impl,
                               struct cca_port_decl *provides)
{
    struct cca_port_decl *decl = provides;

    while (decl->name && strcmp(decl->name, impl->name) != 0)
        decl++;
    if (!decl->name)
        *decl = (struct cca_port_decl){
            .name = impl->name, .type = impl->port->type, .size = impl->port->size};
    else if (!decl->type || strcmp(decl->type, impl->port->type) != 0 ||
             decl->size != impl->port->size)
        return cca_error_set(
            reader->err, -EBADMSG,
            "class '%s': provides port '%s' is declared as %s of %zu bytes and "
            "implemented as %s of %zu",
            reader->info->cls.name, impl->name, decl->type ? decl->type : "no type",
            decl->size, impl->port->type, impl->port->size);
    return 0;
}

static int declare_all_implemented(struct reader *reader)
{
    struct cca_class *cls = &reader->info->cls;
    size_t declared = 0, implemented = 0;
    struct cca_port_decl *provides;
    int status = 0;

    while (cls->provides && cls->provides[declared].name)
        declared++;
    while (cls->implements && cls->implements[implemented].name)
        implemented++;
    if (!implemented)
        return 0;
    provides = reader_alloc(reader, (declared + implemented + 1) * sizeof *provides);
    if (!provides)
        return -ENOMEM;
    for (size_t i = 0; i < declared; i++)
        provides[i] = cls->provides[i];
    for (size_t i = 0; status == 0 && i < implemented; i++)
        status = declare_implemented(reader, &cls->implements[i], provides);
    cls->provides = provides;
    return status;
}

/* Read all arrays whose pointers are in the first `stated` bytes of the class. */
static int read_arrays(struct reader *reader, uint64_t address, unsigned stated)
{
    struct cca_class *cls = &reader->info->cls;
    const struct {
        const struct layout *layout;
        size_t offset;
    } parts[] = {{&port_layout, offsetof(struct cca_class, provides)},
                 {&port_layout, offsetof(struct cca_class, uses)},
                 {&param_layout, offsetof(struct cca_class, params)},
                 {&quality_layout, offsetof(struct cca_class, quality)},
                 {&impl_layout, offsetof(struct cca_class, implements)},
                 {&signature_layout, offsetof(struct cca_class, signatures)}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const void *array = NULL;
        int status =
            parts[i].offset < stated
                ? read_array(reader, parts[i].layout, address + parts[i].offset, &array)
                : 0;

        memcpy((char *)cls + parts[i].offset, &array, sizeof array);
        if (status < 0)
            return status;
    }
    return 0;
}

static int read_class(struct reader *reader)
{
    struct cca_class *cls = &reader->info->cls;
    uint64_t address, size;
    unsigned stated = 0;
    int status;

    if (cca_elf_file_symbol(reader->elf, "cca_class", &address, &size) < 0)
        return cca_error_set(
            reader->err, -ENOEXEC,
            "not a component library: it exports no data named 'cca_class'");
    status = check_abi(reader, address, size, &stated);
    if (status == 0)
        status = read_struct(reader, &class_layout, address, (char *)cls);
    cls->create = NULL;
    cls->set_services = NULL;
    cls->destroy = NULL;
    if (status == 0)
        status = read_sizes(reader, address, stated);
    if (status == 0)
        status = check_functions(reader, address);
    if (status == 0)
        status = read_arrays(reader, address, stated);
    if (status < 0)
        return status;
    if (!cls->name)
        return broken(reader, "class name is missing");
    if (cls->implements)
        status = read_bases(reader, address, (struct cca_port_impl *)cls->implements);
    if (status == 0)
        status = declare_all_implemented(reader);
    return status < 0 ? status : cca_class_check(cls, reader->err);
}

static int read_file(struct cca_class_info *info, int fd, struct cca_error *err)
{
    struct cca_elf_file elf;
    struct reader reader = {.elf = &elf, .info = info, .err = err};
    int status = cca_elf_file_read(&elf, fd, err);

    if (status == 0) {
        memcpy(info->build_id, elf.build_id, sizeof info->build_id);
        status = read_class(&reader);
    }
    cca_elf_file_done(&elf);
    return status;
}

struct cca_class_info *cca_class_info_read(const char *path, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_class_info *info = calloc(1, sizeof *info);
    int fd = -1, status;

    if (!info) {
        cca_no_memory(err);
        return NULL;
    }
    info->file = realpath(path, NULL);
    /* O_NONBLOCK: a file with a library's name may be a pipe without a writer */
    if (info->file)
        fd = open(info->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        status = cca_error_set(&own, -errno, "%s", strerror(errno));
    else
        status = read_file(info, fd, &own);
    if (fd >= 0)
        close(fd);
    if (status < 0) {
        cca_error_set(err, status, "'%s': %s", path, own.text);
        cca_class_info_free(info);
        return NULL;
    }
    return info;
}

void cca_class_info_free(struct cca_class_info *info)
{
    struct block *block = info ? info->memory : NULL;

    if (!info)
        return;
    while (block) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
    free(info->file);
    free(info);
}

const char *cca_class_signature(const struct cca_class *cls, const char *type)
{
    const struct cca_signature *signature = cls->signatures;

    while (signature && signature->type && strcmp(signature->type, type) != 0)
        signature++;
    return signature ? signature->hash : NULL;
}

const char *cca_class_leaf(const char *class_name)
{
    const char *leaf = class_name;

    for (const char *c = class_name; *c; c++)
        if (*c == '.' || *c == ':')
            leaf = c + 1;
    return *leaf ? leaf : class_name;
}
