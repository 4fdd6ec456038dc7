/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c: find the functions of a file that begin with room for a jump, and where
 * their arguments are. */
#include "mastermind/library/entries.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/library/cache.h"

/* --- The file ------------------------------------------------------------- */

struct file {
    const unsigned char *bytes;
    size_t size;
    uint64_t *sites; /* [site_count], ascending: addresses listed by the compiler */
    size_t site_count;
    uint64_t *known; /* [known_count], ascending: functions that other files may call */
    size_t known_count;
};

static const void *part(const struct file *file, uint64_t offset, uint64_t count,
                        uint64_t size)
{
    if (offset > file->size || (size && count > (file->size - offset) / size) ||
        offset % 8)
        return NULL;
    return file->bytes + offset;
}

static const Elf64_Shdr *sections(const struct file *file, size_t *count)
{
    const Elf64_Ehdr *head = part(file, 0, 1, sizeof *head);
    const Elf64_Shdr *list;

    *count = 0;
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
        head->e_shentsize != sizeof *list)
        return NULL;
    list = part(file, head->e_shoff, head->e_shnum, sizeof *list);
    *count = list ? head->e_shnum : 0;
    return list;
}

static int add_number(uint64_t **list, size_t *count, uint64_t number)
{
    uint64_t *more = number ? cca_array_add(list, count, sizeof *more) : NULL;

    if (more)
        *more = number;
    return number && !more ? -ENOMEM : 0;
}

static int add_site(struct file *file, uint64_t site)
{
    return add_number(&file->sites, &file->site_count, site);
}

/* Add the addresses from relocations of the section, where the file itself has zeros. */
static int add_relocated(struct file *file, const Elf64_Shdr *list, size_t count,
                         const Elf64_Shdr *section)
{
    for (size_t i = 0; i < count; i++) {
        size_t entries = list[i].sh_size / sizeof(Elf64_Rela);
        const Elf64_Rela *rela =
            list[i].sh_type == SHT_RELA
                ? part(file, list[i].sh_offset, entries, sizeof *rela)
                : NULL;

        for (size_t k = 0; rela && k < entries; k++)
            if (ELF64_R_TYPE(rela[k].r_info) == R_X86_64_RELATIVE &&
                rela[k].r_offset >= section->sh_addr &&
                rela[k].r_offset < section->sh_addr + section->sh_size &&
                add_site(file, (uint64_t)rela[k].r_addend))
                return -ENOMEM;
    }
    return 0;
}

static int is_named(const struct file *file, const Elf64_Shdr *list, size_t count,
                    const Elf64_Shdr *section, const char *name)
{
    const Elf64_Ehdr *head = part(file, 0, 1, sizeof *head);
    const Elf64_Shdr *names =
        head && head->e_shstrndx < count ? &list[head->e_shstrndx] : NULL;

    return names && names->sh_size <= file->size &&
           names->sh_offset <= file->size - names->sh_size &&
           section->sh_name < names->sh_size &&
           names->sh_size - section->sh_name > strlen(name) &&
           strcmp((const char *)file->bytes + names->sh_offset + section->sh_name,
                  name) == 0;
}

/* Add functions that are visible outside their file, whose arguments a compiler must keep
 * as declared. */
static int add_known(struct file *file, const Elf64_Shdr *table)
{
    size_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbols = part(file, table->sh_offset, count, sizeof *symbols);

    for (size_t i = 0; symbols && i < count; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
            ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL &&
            symbols[i].st_shndx != SHN_UNDEF &&
            add_number(&file->known, &file->known_count, symbols[i].st_value))
            return -ENOMEM;
    return 0;
}

/* Returns 0 or -ENOMEM. */
static int read_sites(struct file *file)
{
    size_t count;
    const Elf64_Shdr *list = sections(file, &count);

    for (size_t i = 0; i < count; i++) {
        size_t entries = list[i].sh_size / 8;
        const uint64_t *sites;

        if ((list[i].sh_type == SHT_SYMTAB || list[i].sh_type == SHT_DYNSYM) &&
            add_known(file, &list[i]))
            return -ENOMEM;
        if (list[i].sh_type == SHT_NOBITS ||
            !is_named(file, list, count, &list[i], "__patchable_function_entries"))
            continue;
        sites = part(file, list[i].sh_offset, entries, 8);
        for (size_t k = 0; sites && k < entries; k++)
            if (add_site(file, sites[k]))
                return -ENOMEM;
        if (add_relocated(file, list, count, &list[i]))
            return -ENOMEM;
    }
    if (file->site_count)
        qsort(file->sites, file->site_count, sizeof *file->sites, cca_order_uint64);
    if (file->known_count)
        qsort(file->known, file->known_count, sizeof *file->known, cca_order_uint64);
    return 0;
}

static void close_file(struct file *file)
{
    if (file->bytes)
        munmap((void *)file->bytes, file->size);
    free(file->sites);
    free(file->known);
    memset(file, 0, sizeof *file);
}

static int open_file(struct file *file, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    memset(file, 0, sizeof *file);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            file->bytes = bytes;
            file->size = (size_t)about.st_size;
        }
    }
    close(fd);
    return file->bytes ? read_sites(file) : -EIO;
}

int mm_entries_there(const char *path)
{
    struct file file;
    int there = open_file(&file, path) == 0 && file.site_count > 0;

    close_file(&file);
    return there;
}

int mm_entries_hooked(const char *path)
{
    static const char hook[] = "__cyg_profile_func_enter";
    struct file file;
    int there = open_file(&file, path) == 0 &&
                memmem(file.bytes, file.size, hook, sizeof hook) != NULL;

    close_file(&file);
    return there;
}

#ifdef MM_DW
#include <dwarf.h>
#include <elfutils/libdw.h>

/* Index of the first number >= `least` in the ascending list. */
static size_t find_number(const uint64_t *list, size_t count, uint64_t least)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (list[middle] < least)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* --- Room for a jump ------------------------------------------------------ */

enum { JUMP = 5, ROOM_MOST = 1024, COPY_MOST = 4096, VALUES_MOST = 16, SPREAD = 64 };

/* Pointer to the file's bytes for an address. */
static const unsigned char *at_address(const struct file *file, uint64_t address,
                                       size_t size)
{
    const Elf64_Ehdr *head = part(file, 0, 1, sizeof *head);
    const Elf64_Phdr *list = head && head->e_phentsize == sizeof *list
                                 ? part(file, head->e_phoff, head->e_phnum, sizeof *list)
                                 : NULL;

    for (size_t i = 0; list && i < head->e_phnum; i++) {
        uint64_t into = address - list[i].p_vaddr;

        if (list[i].p_type == PT_LOAD && (list[i].p_flags & PF_X) &&
            address >= list[i].p_vaddr && into < list[i].p_filesz &&
            size <= list[i].p_filesz - into && list[i].p_offset <= file->size &&
            into + size <= file->size - list[i].p_offset)
            return file->bytes + list[i].p_offset + into;
    }
    return NULL;
}

/* Length of the no-op instruction at `code`; 0: another instruction. */
static size_t nothing_length(const unsigned char *code, size_t room)
{
    size_t prefixes = 0, length;

    while (prefixes < room && (code[prefixes] == 0x66 || code[prefixes] == 0x2e))
        prefixes++;
    if (prefixes < room && code[prefixes] == 0x90)
        return prefixes + 1;
    if (prefixes + 3 > room || code[prefixes] != 0x0f || code[prefixes + 1] != 0x1f)
        return 0;
    length = prefixes + 3;
    switch (code[prefixes + 2] >> 6) {
    case 1:
        length += 1;
        break;
    case 2:
        length += 4;
        break;
    default:
        break;
    }
    if (code[prefixes + 2] >> 6 != 3 && (code[prefixes + 2] & 7) == 4)
        length++;
    return length <= room ? length : 0;
}

/* Number of bytes of whole no-op instructions from `address` on: the smallest that is at
 * least `least`, or all if there are fewer. */
static size_t room_at(const struct file *file, uint64_t address, size_t least)
{
    size_t length = 0, one = 1;

    while (length < least && one) {
        const unsigned char *code = NULL;
        size_t room = 16;

        while (room && !(code = at_address(file, address + length, room)))
            room--;
        one = code ? nothing_length(code, room) : 0;
        length += one;
    }
    return length;
}

/* True if the compiler has listed the function that begins at `address`, with room from
 * `site` on. The list has the begin of the room, which may precede the function. */
static int is_listed(const struct file *file, uint64_t address, uint64_t site)
{
    size_t low = find_number(file->sites, file->site_count,
                             address > SPREAD ? address - SPREAD : 0);

    for (; low < file->site_count && file->sites[low] <= site; low++) {
        uint64_t from = file->sites[low];
        const unsigned char *code;

        if (from >= address)
            return 1;
        code = at_address(file, from, address - from);
        while (code && from < address) {
            size_t one = nothing_length(code, address - from);

            if (!one)
                break;
            code += one;
            from += one;
        }
        if (code && from == address)
            return 1;
    }
    return 0;
}

static int is_public(const struct file *file, uint64_t address)
{
    size_t at = find_number(file->known, file->known_count, address);

    return at < file->known_count && file->known[at] == address;
}

/* --- Types ---------------------------------------------------------------- */

struct type {
    Dwarf_Die die;
    int tag, encoding;
    uint64_t size;
    int referred; /* the number behind a reference through which nothing is written */
};

static int peeled(Dwarf_Die *of, Dwarf_Die *die, int *is_const)
{
    Dwarf_Attribute attribute;

    if (!dwarf_attr_integrate(of, DW_AT_type, &attribute) ||
        !dwarf_formref_die(&attribute, die))
        return -1;
    for (int depth = 0; depth < 64; depth++) {
        int tag = dwarf_tag(die);

        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
            tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
            tag != DW_TAG_atomic_type)
            return 0;
        *is_const |= tag == DW_TAG_const_type;
        if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
            !dwarf_formref_die(&attribute, die))
            return -1;
    }
    return -1;
}

static void describe(struct type *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;

    type->tag = dwarf_tag(&type->die);
    if (dwarf_aggregate_size(&type->die, &word) == 0)
        type->size = word;
    if (type->tag == DW_TAG_base_type &&
        dwarf_attr_integrate(&type->die, DW_AT_encoding, &attribute) &&
        dwarf_formudata(&attribute, &word) == 0)
        type->encoding = (int)word;
}

/* The type of a parameter or function; tag 0: none. */
static struct type type_of(Dwarf_Die *of)
{
    struct type type = {.tag = 0};
    int is_const = 0;

    if (peeled(of, &type.die, &is_const))
        return type;
    describe(&type);
    if (type.tag == DW_TAG_reference_type) {
        struct type behind = {.tag = 0};

        is_const = 0;
        if (peeled(&type.die, &behind.die, &is_const) == 0 && is_const) {
            describe(&behind);
            if (behind.tag == DW_TAG_base_type || behind.tag == DW_TAG_enumeration_type) {
                behind.referred = 1;
                return behind;
            }
        }
        type.size = 8;
    }
    return type;
}

static int is_float(const struct type *type)
{
    return type->tag == DW_TAG_base_type && !type->referred &&
           type->encoding == DW_ATE_float && type->size <= 8;
}

static int is_number(const struct type *type)
{
    if (type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8)
        return 0;
    if (type->tag == DW_TAG_enumeration_type)
        return 1;
    return type->tag == DW_TAG_base_type &&
           (type->encoding == DW_ATE_signed || type->encoding == DW_ATE_unsigned ||
            type->encoding == DW_ATE_boolean || type->encoding == DW_ATE_signed_char ||
            type->encoding == DW_ATE_unsigned_char);
}

static int is_mode(const struct type *type)
{
    return type->tag == DW_TAG_enumeration_type || type->encoding == DW_ATE_boolean ||
           type->encoding == DW_ATE_signed_char || type->encoding == DW_ATE_unsigned_char;
}

static int is_pointer(const struct type *type)
{
    return type->tag == DW_TAG_pointer_type || type->tag == DW_TAG_reference_type ||
           type->tag == DW_TAG_rvalue_reference_type || type->referred;
}

static int is_vector(const struct type *type)
{
    Dwarf_Attribute attribute;
    bool flag = false;
    Dwarf_Die die = type->die;

    return type->tag == DW_TAG_array_type && type->size > 16 &&
           dwarf_attr_integrate(&die, DW_AT_GNU_vector, &attribute) &&
           dwarf_formflag(&attribute, &flag) == 0 && flag;
}

/* --- Parameters ----------------------------------------------------------- */

/* Where a parameter is when the function begins. */
enum where { NOWHERE, IN_REGISTER, BEHIND_REGISTER, IN_ORDER, BEHIND_ORDER };

/* DWARF numbers of the registers for integer arguments, in order (x86-64 psABI). */
static const int order[] = {5, 4, 1, 2, 8, 9};

static int place_in_order(int dwarf_register)
{
    for (int i = 0; i < 6; i++)
        if (order[i] == dwarf_register)
            return i;
    return -1;
}

static enum where where_is(Dwarf_Die *parameter, uint64_t address, uint64_t behind,
                           int *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    *place = -1;
    /* gcc's location lists begin at the function, clang's after the room */
    if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
        (dwarf_getlocation_addr(&attribute, address, &ops, &count, 1) != 1 &&
         dwarf_getlocation_addr(&attribute, behind, &ops, &count, 1) != 1) ||
        !count)
        return NOWHERE;
    if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        *place = place_in_order(ops[0].atom - DW_OP_reg0);
    if (*place >= 0)
        return IN_REGISTER;
    if (count == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
        ops[0].number == 0)
        *place = place_in_order(ops[0].atom - DW_OP_breg0);
    if (*place >= 0)
        return BEHIND_REGISTER;
    /* below the frame: the function stores it there later; stack arguments are above
     * it */
    if (ops[0].atom == DW_OP_fbreg && (int64_t)ops[0].number < 0) {
        if (count == 1)
            return IN_ORDER;
        if (count == 2 && ops[1].atom == DW_OP_deref)
            return BEHIND_ORDER;
    }
    return NOWHERE;
}

struct value {
    const char *name;
    int place, size, is_signed, is_mode, referred;
};

struct function {
    uint64_t address, site, behind, group;
    size_t room;
    const char *symbol, *refused; /* reason in one word; NULL: it can be recorded */
    uint64_t copied;
    struct value values[VALUES_MOST];
    size_t value_count;
};

/* Facts about the parameters read so far. */
struct walk {
    int is_public; /* other files may call it: the arguments are as declared */
    int is_fortran;
    int ordered; /* the next integer is in register number `integers` */
    int simple;  /* all are numbers and addresses */
    int integers, floats, parameters;
    uint64_t bytes; /* most bytes of all on the stack */
};

static void add_value(struct function *function, Dwarf_Die *parameter,
                      const struct type *type, int place, int referred)
{
    const char *name = dwarf_diename(parameter);
    Dwarf_Attribute attribute;
    bool artificial = false;
    struct value *value = &function->values[function->value_count];

    if (dwarf_attr_integrate(parameter, DW_AT_artificial, &attribute))
        dwarf_formflag(&attribute, &artificial);
    if (!name || strpbrk(name, " \t\n") || artificial || !is_number(type) ||
        function->value_count == VALUES_MOST)
        return;
    *value = (struct value){name,
                            place,
                            (int)type->size,
                            type->encoding == DW_ATE_signed ||
                                type->encoding == DW_ATE_signed_char,
                            is_mode(type),
                            referred || type->referred};
    function->value_count++;
}

static void add_parameter(struct function *function, struct walk *walk,
                          Dwarf_Die *parameter)
{
    struct type type = type_of(parameter);
    int place = -1;
    enum where where = where_is(parameter, function->address, function->behind, &place);
    int in_order = where == IN_ORDER || where == BEHIND_ORDER;
    /* Fortran passes addresses unless the declaration requests values */
    int by_address = where == BEHIND_ORDER || where == BEHIND_REGISTER;
    int is_integer = by_address || is_pointer(&type) || is_number(&type);

    walk->parameters++;
    walk->bytes += (type.size > 16 && !by_address ? (type.size + 15) & ~15ull : 16);
    if (is_vector(&type))
        function->refused = "vectors";
    /* a missing or displaced argument: the compiler has changed the arguments */
    if (where == NOWHERE || (place >= 0 && place != walk->integers))
        walk->ordered = 0;
    if (in_order && walk->ordered && is_integer && walk->integers < 6)
        place = walk->integers;
    if (place >= 0)
        add_value(function, parameter, &type, place, by_address);
    if (is_integer)
        walk->integers++;
    else if (is_float(&type))
        walk->floats++;
    else
        walk->ordered = walk->simple = 0;
}

/* Upper bound of the bytes of arguments on the stack; arguments that are surely in
 * registers take none. Compilers may split an argument of a function without outside
 * callers into at most eight. Fortran passes lengths of texts after the arguments. */
static void bound_stack(struct function *function, const struct walk *walk, int returns)
{
    int most = walk->is_fortran ? 2 * walk->parameters : walk->integers;

    if ((walk->is_public && walk->simple && most + returns <= 6 && walk->floats <= 8) ||
        (!walk->parameters && !returns))
        return;
    function->copied = walk->bytes + 16 + 64u * (unsigned)walk->parameters;
    if (function->copied > COPY_MOST)
        function->refused = "arguments";
}

static void add_parameters(struct function *function, Dwarf_Die *die, int is_fortran,
                           int is_public)
{
    struct type result = type_of(die);
    struct walk walk = {
        .is_public = is_public, .is_fortran = is_fortran, .ordered = 1, .simple = 1};
    int returns = 0;
    Dwarf_Die child;

    if (is_vector(&result))
        function->refused = "vectors";
    /* the address of a large result precedes the arguments */
    if (result.tag && !is_number(&result) && !is_pointer(&result) && !is_float(&result)) {
        walk.ordered = result.tag == DW_TAG_base_type;
        returns = 1;
    }
    for (int status = dwarf_child(die, &child); status == 0;
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter)
            add_parameter(function, &walk, &child);
        else if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            function->refused = "variadic";
    }
    bound_stack(function, &walk, returns);
}

/* --- Functions ------------------------------------------------------------ */

struct table {
    struct file *file;
    FILE *out;
    int is_fortran;
    size_t count;
};

static const char *symbol_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

/* Offset of the function's own description; the DIE may be a variant of it. */
static uint64_t group_of(Dwarf_Die *die)
{
    Dwarf_Die origin = *die;
    Dwarf_Attribute attribute;

    for (int depth = 0; depth < 16; depth++)
        if (!dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) ||
            !dwarf_formref_die(&attribute, &origin))
            break;
    return dwarf_dieoffset(&origin);
}

static void write_function(struct table *table, const struct function *f)
{
    table->count++;
    if (f->refused) {
        fprintf(table->out, "%" PRIx64 " 0 0 %s %s\n", f->site, f->symbol, f->refused);
        return;
    }
    fprintf(table->out, "%" PRIx64 " %zu %" PRIu64 " %s %" PRIx64 " %zu", f->site,
            f->room, f->copied, f->symbol, f->group, f->value_count);
    for (size_t i = 0; i < f->value_count; i++) {
        const struct value *v = &f->values[i];

        fprintf(table->out, " %s %c %d %d %d %d", v->name, v->is_mode ? 'm' : 'p',
                v->place, v->size, v->is_signed, v->referred);
    }
    fputc('\n', table->out);
}

/* Find where the function begins; a function in several parts begins with the first one
 * listed. */
static int begins_at(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Addr base, end;

    return (dwarf_entrypc(die, address) == 0 ||
            dwarf_ranges(die, 0, &base, address, &end) > 0) &&
           *address;
}

static void add_function(struct table *table, Dwarf_Die *die)
{
    struct function function = {.copied = 0};
    const unsigned char *code;
    Dwarf_Addr address;

    if (!begins_at(die, &address))
        return;
    function.address = function.site = address;
    code = at_address(table->file, address, 4);
    if (code && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) /* endbr64 */
        function.site += 4;
    function.symbol = symbol_of(die);
    if (!function.symbol || strpbrk(function.symbol, " \t\n") ||
        !is_listed(table->file, address, function.site))
        return;
    function.room = room_at(table->file, function.site, JUMP);
    function.behind = function.site + room_at(table->file, function.site, ROOM_MOST);
    function.group = group_of(die);
    add_parameters(&function, die, table->is_fortran, is_public(table->file, address));
    if (function.room < JUMP)
        function.refused = "room";
    write_function(table, &function);
}

static int is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

static void add_functions(struct table *table, Dwarf_Die *scope, int depth)
{
    Dwarf_Die child;

    for (int status = dwarf_child(scope, &child); status == 0;
         status = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) == DW_TAG_subprogram)
            add_function(table, &child);
        if (depth < 64 && is_scope(dwarf_tag(&child)))
            add_functions(table, &child, depth + 1);
    }
}

static int is_fortran(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);

    return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
           language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
           language == DW_LANG_Fortran08;
}

/* Write the table. Returns the number of functions, or a negative errno. */
static int write_table(struct file *file, const char *path, FILE *out)
{
    struct table table = {.file = file, .out = out};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        table.is_fortran = is_fortran(&die);
        add_functions(&table, &die, 0);
    }
    if (dwarf)
        dwarf_end(dwarf);
    if (fd >= 0)
        close(fd);
    return table.count ? (int)table.count : -ENODATA;
}

static int make_table(struct file *file, const char *path, const char *place,
                      struct cca_error *err)
{
    char *work = NULL;
    FILE *out = NULL;
    int status, fd = -1;

    if (asprintf(&work, "%s-XXXXXX", place) < 0)
        return cca_no_memory(err);
    fd = mkostemp(work, O_CLOEXEC);
    out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        status = cca_error_set(err, -EIO, "%s: %s", work, strerror(errno));
        if (fd >= 0)
            close(fd);
        free(work);
        return status;
    }
    fprintf(out, "mastermind/entries/2 %s\n", path);
    status = write_table(file, path, out);
    if (status == -ENODATA)
        cca_error_set(err, status,
                      "%s has entries that can be patched, but no debug information that "
                      "describes them; build it with -g",
                      path);
    if (fclose(out) && status >= 0)
        status = cca_error_set(err, -EIO, "%s: %s", work, strerror(errno));
    if (status >= 0 && rename(work, place))
        status = cca_error_set(err, -EIO, "%s: %s", place, strerror(errno));
    if (status < 0)
        unlink(work);
    free(work);
    return status < 0 ? status : 0;
}
#else
static int make_table(struct file *file, const char *path, const char *place,
                      struct cca_error *err)
{
    (void)file;
    (void)place;
    return cca_error_set(err, -ENODATA,
                         "%s has entries that can be patched, but this build is without "
                         "libdw, which reads their description",
                         path);
}
#endif

int mm_entries_get(const char *path, char **table, struct cca_error *err)
{
    struct mm_cache_key key = MM_CACHE_KEY;
    char *cache = mm_cache_folder("entries", err), *place = NULL;
    char *real = realpath(path, NULL);
    struct file file;
    int status;

    *table = NULL;
    if (!cache || !real) {
        free(cache);
        free(real);
        return err->code ? err->code
                         : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    }
    mm_cache_add(&key, "entries/3");
    mm_cache_add_file(&key, real);
    if (asprintf(&place, "%s/%016" PRIx64 "%016" PRIx64, cache, key.a, key.b) < 0)
        place = NULL;
    free(cache);
    status = place ? 0 : cca_no_memory(err);
    if (!status && access(place, R_OK) != 0) {
        status = open_file(&file, real);
        status = status ? cca_error_set(err, status, "%s: %s", path, strerror(-status))
                        : make_table(&file, real, place, err);
        close_file(&file);
    }
    free(real);
    if (status)
        free(place);
    else
        *table = place;
    return status;
}
