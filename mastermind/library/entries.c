/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c: list the functions of a file whose first instructions can be replaced by a
 * jump, and the registers and memory of their arguments. */
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
#include "common/find.h"
#include "common/sort.h"
#include "mastermind/library/decode/code.h"
#include "mastermind/library/arguments.h"
#include "mastermind/library/cache.h"

/* --- The file ------------------------------------------------------------- */

struct file {
    const unsigned char *bytes;
    size_t size;
    /* [site_count], ascending: addresses of the no-ops that the compiler has left for
     * jumps (-fpatchable-function-entry) */
    uint64_t *sites;
    size_t site_count;
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

static int add_site(struct file *file, uint64_t site)
{
    uint64_t *more =
        site ? cca_array_add(&file->sites, &file->site_count, sizeof *more) : NULL;

    if (more)
        *more = site;
    return site && !more ? -ENOMEM : 0;
}

/* Add the addresses that the dynamic linker will write into the section with the
 * compiler's list: the file itself has zeros there. */
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

/* Read the addresses of the no-ops that the compiler has left for jumps. Returns 0 or
 * -ENOMEM. */
static int read_sites(struct file *file)
{
    size_t count;
    const Elf64_Shdr *list = sections(file, &count);

    for (size_t i = 0; i < count; i++) {
        size_t entries = list[i].sh_size / 8;
        const uint64_t *sites;

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
    return 0;
}

static void close_file(struct file *file)
{
    if (file->bytes)
        munmap((void *)file->bytes, file->size);
    free(file->sites);
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

/* Return the size of the part of the file that the loader maps, with the names of symbols
 * that the program imports; debug information is behind it. */
static size_t loaded_size(const struct file *file)
{
    const Elf64_Ehdr *head = part(file, 0, 1, sizeof *head);
    const Elf64_Phdr *list = head && head->e_phentsize == sizeof *list
                                 ? part(file, head->e_phoff, head->e_phnum, sizeof *list)
                                 : NULL;
    uint64_t end = 0;

    for (size_t i = 0; list && i < head->e_phnum; i++)
        if (list[i].p_type == PT_LOAD && list[i].p_offset <= file->size &&
            list[i].p_filesz <= file->size - list[i].p_offset &&
            list[i].p_offset + list[i].p_filesz > end)
            end = list[i].p_offset + list[i].p_filesz;
    return end ? (size_t)end : file->size;
}

int mm_entries_hooked(const char *path)
{
    static const char hook[] = "__cyg_profile_func_enter";
    struct file file;
    int there = open_file(&file, path) == 0 &&
                memmem(file.bytes, loaded_size(&file), hook, sizeof hook) != NULL;

    close_file(&file);
    return there;
}

/* Return the index of the first of the ascending numbers that is at least `least`. */
static size_t find_number(const uint64_t *list, size_t count, uint64_t least)
{
    size_t at;

    CCA_FIND_FIRST(at, count, list[at] < least);
    return at;
}

/* --- Room for a jump ------------------------------------------------------ */

enum { ROOM_MOST = 1024, SPREAD = 64 };

/* Return the bytes of the file that are loaded at an address, and their number. */
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

/* Return the length of the no-op instruction at `code`; 0: another instruction. */
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

/* Return the length in bytes of the first no-op instructions at `address` that together
 * have at least `least` bytes; of all of them if they have fewer. */
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

/* True if the compiler has listed the function at `address`, whose no-ops begin at
 * `site`, which may be before the function. */
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

/* --- The table ------------------------------------------------------------ */

static uint64_t site_of(const struct file *file, uint64_t address)
{
    const unsigned char *code = at_address(file, address, 4);

    return code && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? address + 4 : address;
}

/* Return the address in the function after the no-ops that the compiler left for a
 * jump. */
static uint64_t behind(void *context, uint64_t address)
{
    const struct file *file = context;
    uint64_t site = site_of(file, address);

    return is_listed(file, address, site) ? site + room_at(file, site, ROOM_MOST)
                                          : address;
}

static void write_bytes(FILE *out, const unsigned char *bytes, size_t count)
{
    fputc(' ', out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%02x", bytes[i]);
    if (!count)
        fputc('-', out);
}

static void write_fixes(FILE *out, const struct mm_code_function *f)
{
    fputs(f->fix_count ? " " : " -", out);
    for (unsigned i = 0; i < f->fix_count; i++)
        fprintf(out, "%s%x,%x,%x,%" PRIx64, i ? ";" : "", f->fixes[i].at,
                f->fixes[i].size, f->fixes[i].end, f->fixes[i].target);
}

static void write_values(FILE *out, const struct mm_described *described)
{
    size_t count = described ? described->value_count : 0;

    fprintf(out, " %zu", count);
    for (size_t i = 0; i < count; i++) {
        const struct mm_argument *v = &described->values[i];

        fprintf(out, " %s %c %d %d %d %d", v->name, v->is_mode ? 'm' : 'p', v->place,
                v->size, v->is_signed, v->referred);
    }
    fputc('\n', out);
}

static void write_function(FILE *out, const struct mm_code_function *f,
                           const struct mm_described *described)
{
    char unnamed[32];
    const char *name = described ? described->symbol : f->name;

    if (!*name || strpbrk(name, " \t\n")) {
        snprintf(unnamed, sizeof unnamed, "0x%" PRIx64, f->address);
        name = unnamed;
    }
    if (f->refusal) {
        fprintf(out, "%" PRIx64 " 0 %s %s\n", f->site, name, mm_code_words[f->refusal]);
        return;
    }
    fprintf(out, "%" PRIx64 " %u %s %" PRIx64, f->site, f->length, name,
            described ? described->group : f->address | (uint64_t)1 << 63);
    write_bytes(out, f->original, f->length);
    write_bytes(out, f->moved, f->moved_length);
    write_fixes(out, f);
    write_values(out, described);
}

/* Use the no-ops that the compiler left in the function as room for the jump: nothing is
 * moved, so neither a decoder nor unwind information is needed. */
static void use_room(const struct file *file, struct mm_code_function *f)
{
    uint64_t site = site_of(file, f->address);
    size_t room =
        is_listed(file, f->address, site) ? room_at(file, site, MM_CODE_JUMP) : 0;
    const unsigned char *bytes = room ? at_address(file, site, room) : NULL;

    if (room < MM_CODE_JUMP || room > MM_CODE_ORIGINAL || !bytes ||
        (f->refusal && f->refusal != MM_CODE_UNWIND && f->refusal != MM_CODE_PART &&
         f->refusal != MM_CODE_SHORT))
        return;
    f->refusal = MM_CODE_MOVABLE;
    f->site = site;
    f->length = (unsigned char)room;
    f->moved_length = f->fix_count = 0;
    memcpy(f->original, bytes, room);
}

/* List functions by their debug information alone, because the file's code was not
 * decoded. */
static void write_listed(const struct file *file, FILE *out,
                         const struct mm_described_list *described)
{
    for (size_t i = 0; i < described->count; i++) {
        struct mm_code_function f = {.address = described->functions[i].address,
                                     .refusal = MM_CODE_SHORT,
                                     .name = ""};

        use_room(file, &f);
        if (!f.refusal)
            write_function(out, &f, &described->functions[i]);
    }
}

static void write_functions(const struct file *file, FILE *out,
                            const struct mm_described_list *described,
                            struct mm_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        use_room(file, &code->functions[i]);
        write_function(out, &code->functions[i],
                       mm_described_at(described, code->functions[i].address));
    }
}

/* Write the table. Returns 0, or a negative errno with `err`. */
static int write_table(struct file *file, const char *path, FILE *out,
                       struct cca_error *err)
{
    struct mm_described_list described = {.behind = behind, .context = file};
    struct mm_code code;
    int status = mm_code_read(&code, path, err), decoded = status == 0;

    if (status && status != -ENOMEM && file->site_count) {
        *err = (struct cca_error){.code = 0};
        status = 0;
    }
    if (!status && mm_described_read(&described, path))
        status = cca_no_memory(err);
    if (!status && decoded)
        write_functions(file, out, &described, &code);
    else if (!status)
        write_listed(file, out, &described);
    mm_described_done(&described);
    mm_code_done(&code);
    return status;
}

static int make_table(struct file *file, const char *path, const char *place,
                      struct cca_error *err)
{
    char *work = NULL;
    FILE *out = NULL;
    int status, fd;

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
    fprintf(out, "mastermind/entries/4 %c %s\n", file->site_count ? 'l' : '-', path);
    status = write_table(file, path, out, err);
    if (fclose(out) && !status)
        status = cca_error_set(err, -EIO, "%s: %s", work, strerror(errno));
    if (!status && rename(work, place))
        status = cca_error_set(err, -EIO, "%s: %s", place, strerror(errno));
    if (status)
        unlink(work);
    free(work);
    return status;
}

/* Add the file's identity to the key from which the table's name is made: its build-id,
 * or the time of its last change if it has none. */
static void add_file(struct mm_cache_key *key, const struct file *file, const char *path)
{
    size_t count;
    const Elf64_Shdr *list = sections(file, &count);

    for (size_t i = 0; i < count; i++)
        if (list[i].sh_type == SHT_NOTE && list[i].sh_offset <= file->size &&
            list[i].sh_size <= file->size - list[i].sh_offset &&
            is_named(file, list, count, &list[i], ".note.gnu.build-id")) {
            char byte[4];

            mm_cache_add(key, path);
            for (uint64_t k = 0; k < list[i].sh_size; k++) {
                snprintf(byte, sizeof byte, "%02x", file->bytes[list[i].sh_offset + k]);
                mm_cache_add(key, byte);
            }
            snprintf(byte, sizeof byte, "-");
            mm_cache_add(key, byte);
            return;
        }
    mm_cache_add_file(key, path);
}

int mm_entries_get(const char *path, char **table, struct cca_error *err)
{
    struct mm_cache_key key = MM_CACHE_KEY;
    char *cache = mm_cache_folder("entries", err), *place = NULL;
    char *real = realpath(path, NULL), size[24];
    struct file file = {.bytes = NULL};
    int status = cache ? 0 : err->code ? err->code : -ENOMEM;

    *table = NULL;
    if (!status)
        status = real ? open_file(&file, real) : -errno;
    if (status && !err->code)
        cca_error_set(err, status, "%s: %s", path, strerror(-status));
    if (!status) {
        mm_cache_add(&key, "entries/4");
        snprintf(size, sizeof size, "%zu", file.size);
        mm_cache_add(&key, size);
        add_file(&key, &file, real);
        if (asprintf(&place, "%s/%016" PRIx64 "%016" PRIx64, cache, key.a, key.b) < 0) {
            place = NULL;
            status = cca_no_memory(err);
        }
    }
    if (!status && access(place, R_OK) != 0)
        status = make_table(&file, real, place, err);
    close_file(&file);
    free(cache);
    free(real);
    if (status)
        free(place);
    else
        *table = place;
    return status;
}
