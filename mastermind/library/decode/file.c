/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: read an ELF file into memory and index it. Every offset and count of the file
 * is checked before use. */
#include "mastermind/library/decode/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"

enum { RELOCATIONS_MOST = 1 << 26, PACKED_RELOCATIONS = 19 /* SHT_RELR */ };

/* Copy the item `index` of a table that is at `offset` of the file. Returns 0, or -1 if
 * the file ends before. */
static int copy_item(const struct code_file *file, uint64_t offset, uint64_t index,
                     size_t size, void *item)
{
    if (offset > file->size || index > (file->size - offset) / size ||
        file->size - offset - index * size < size)
        return -1;
    memcpy(item, file->bytes + offset + index * size, size);
    return 0;
}

static int is_within(const struct code_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

const unsigned char *code_file_at(const struct code_file *file, uint64_t address,
                                  size_t *count)
{
    for (size_t i = 0; i < file->part_count; i++) {
        uint64_t into = address - file->parts[i].address;

        if (address >= file->parts[i].address && into < file->parts[i].size) {
            *count = (size_t)(file->parts[i].size - into);
            return file->parts[i].bytes + into;
        }
    }
    *count = 0;
    return NULL;
}

const struct code_part *code_file_code(const struct code_file *file, uint64_t address)
{
    for (size_t i = 0; i < file->code_count; i++)
        if (address >= file->codes[i].address &&
            address - file->codes[i].address < file->codes[i].size)
            return &file->codes[i];
    return NULL;
}

/* --- Segments and sections ------------------------------------------------ */

static int add_part(const struct code_file *file, struct code_part **parts, size_t *count,
                    uint64_t address, uint64_t offset, uint64_t size, int is_code)
{
    struct code_part *part;

    if (!size || !is_within(file, offset, size) || address + size < address)
        return 0;
    part = cca_array_add(parts, count, sizeof *part);
    if (!part)
        return -ENOMEM;
    *part = (struct code_part){.address = address,
                               .size = size,
                               .bytes = file->bytes + offset,
                               .is_code = is_code};
    return 0;
}

static int read_segments(struct code_file *file, const Elf64_Ehdr *head)
{
    int status = 0;

    for (unsigned i = 0; i < head->e_phnum && !status; i++) {
        Elf64_Phdr segment;

        if (copy_item(file, head->e_phoff, i, sizeof segment, &segment))
            return -EBADMSG;
        if (segment.p_type == PT_LOAD)
            status = add_part(file, &file->parts, &file->part_count, segment.p_vaddr,
                              segment.p_offset, segment.p_filesz,
                              (segment.p_flags & PF_X) != 0);
    }
    return status;
}

/* Find the section .eh_frame through the section .eh_frame_hdr, as the unwinder does. The
 * latter has a version, the encodings of a pointer, a count and a table, and then the
 * pointer to .eh_frame. */
static void find_frames(struct code_file *file, const Elf64_Ehdr *head)
{
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr segment;
        const unsigned char *at;
        int32_t distance;
        size_t count;

        if (copy_item(file, head->e_phoff, i, sizeof segment, &segment) ||
            segment.p_type != PT_GNU_EH_FRAME)
            continue;
        at = code_file_at(file, segment.p_vaddr, &count);
        if (!at || count < 8 || at[0] != 1 || at[1] != 0x1b) /* pcrel, sdata4 */
            continue;
        memcpy(&distance, at + 4, sizeof distance);
        file->frames = segment.p_vaddr + 4 + (uint64_t)(int64_t)distance;
    }
}

static const char *text_at(const struct code_file *file, const Elf64_Shdr *strings,
                           uint64_t offset)
{
    const char *text;

    if (strings->sh_type == SHT_NOBITS ||
        !is_within(file, strings->sh_offset, strings->sh_size) ||
        offset >= strings->sh_size)
        return "";
    text = (const char *)file->bytes + strings->sh_offset + offset;
    return memchr(text, 0, strings->sh_size - offset) ? text : "";
}

static int add_symbols(struct code_file *file, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings)
{
    size_t count = table->sh_size / sizeof(Elf64_Sym);

    for (size_t i = 0; i < count; i++) {
        struct code_symbol *symbol;
        Elf64_Sym read;

        if (copy_item(file, table->sh_offset, i, sizeof read, &read))
            return 0; /* the file ends within the table */
        symbol = cca_array_add(&file->symbols, &file->symbol_count, sizeof *symbol);
        if (!symbol)
            return -ENOMEM;
        *symbol = (struct code_symbol){.address = read.st_value,
                                       .size = read.st_size,
                                       .name = text_at(file, strings, read.st_name),
                                       .type = ELF64_ST_TYPE(read.st_info),
                                       .bind = ELF64_ST_BIND(read.st_info),
                                       .is_defined = read.st_shndx != SHN_UNDEF &&
                                                     read.st_shndx < SHN_LORESERVE};
        file->has_symbols |= table->sh_type == SHT_SYMTAB && symbol->type == STT_FUNC &&
                             symbol->is_defined;
    }
    return 0;
}

static int add_relocation(struct code_file *file, struct code_relocation relocation)
{
    struct code_relocation *added =
        file->relocation_count < RELOCATIONS_MOST
            ? cca_array_add(&file->relocations, &file->relocation_count, sizeof *added)
            : NULL;

    if (!added)
        return -ENOMEM;
    *added = relocation;
    return 0;
}

static int add_relocations(struct code_file *file, const Elf64_Shdr *table)
{
    size_t count = table->sh_size / sizeof(Elf64_Rela);

    for (size_t i = 0; i < count; i++) {
        Elf64_Rela read;

        if (copy_item(file, table->sh_offset, i, sizeof read, &read))
            return 0;
        if (add_relocation(
                file, (struct code_relocation){read.r_offset, (uint64_t)read.r_addend,
                                               (uint32_t)ELF64_R_TYPE(read.r_info),
                                               (uint32_t)ELF64_R_SYM(read.r_info)}))
            return -ENOMEM;
    }
    return 0;
}

static int add_packed(struct code_file *file, uint64_t place)
{
    uint64_t addend = 0;
    size_t count;
    const unsigned char *at = code_file_at(file, place, &count);

    if (at && count >= sizeof addend)
        memcpy(&addend, at, sizeof addend);
    return add_relocation(file,
                          (struct code_relocation){place, addend, R_X86_64_RELATIVE, 0});
}

/* Read packed relocations (SHT_RELR): an address of a word to relocate, then words whose
 * bits select further words after it. */
static int add_packed_relocations(struct code_file *file, const Elf64_Shdr *table)
{
    uint64_t count = table->sh_size / 8, place = 0, word;

    for (uint64_t i = 0; i < count; i++) {
        if (copy_item(file, table->sh_offset, i, sizeof word, &word))
            return 0;
        if (!(word & 1)) {
            if (add_packed(file, word))
                return -ENOMEM;
            place = word + 8;
            continue;
        }
        for (unsigned bit = 1; bit < 64; bit++)
            if ((word >> bit & 1) && add_packed(file, place + 8 * (bit - 1)))
                return -ENOMEM;
        place += (uint64_t)63 * 8;
    }
    return 0;
}

static void read_dynamic(struct code_file *file, const Elf64_Shdr *table)
{
    size_t count = table->sh_size / sizeof(Elf64_Dyn);

    for (size_t i = 0; i < count; i++) {
        Elf64_Dyn read;

        if (copy_item(file, table->sh_offset, i, sizeof read, &read))
            return;
        if (read.d_tag == DT_INIT)
            file->starts[0] = read.d_un.d_ptr;
        if (read.d_tag == DT_FINI)
            file->starts[1] = read.d_un.d_ptr;
    }
}

static int add_code(struct code_file *file, const Elf64_Shdr *section, const char *name)
{
    size_t before = file->code_count;
    int status = add_part(file, &file->codes, &file->code_count, section->sh_addr,
                          section->sh_offset, section->sh_size, 1);

    if (file->code_count > before)
        file->codes[before].is_linkage = strncmp(name, ".plt", 4) == 0;
    return status;
}

static int read_section(struct code_file *file, const Elf64_Ehdr *head,
                        const Elf64_Shdr *section, const char *name)
{
    Elf64_Shdr strings = {.sh_type = SHT_NOBITS};

    if (strcmp(name, ".gopclntab") == 0 || strcmp(name, ".note.go.buildid") == 0)
        file->is_go = 1;
    if (section->sh_link < head->e_shnum &&
        copy_item(file, head->e_shoff, section->sh_link, sizeof strings, &strings))
        strings.sh_type = SHT_NOBITS;
    switch (section->sh_type) {
    case SHT_DYNSYM:
        file->dynamic_symbol_first = file->symbol_count;
        return add_symbols(file, section, &strings);
    case SHT_SYMTAB:
        return add_symbols(file, section, &strings);
    case SHT_RELA:
        return add_relocations(file, section);
    case PACKED_RELOCATIONS:
        return add_packed_relocations(file, section);
    case SHT_DYNAMIC:
        read_dynamic(file, section);
        return 0;
    case SHT_PROGBITS:
        return section->sh_flags & SHF_EXECINSTR ? add_code(file, section, name) : 0;
    default:
        return 0;
    }
}

static int read_sections(struct code_file *file, const Elf64_Ehdr *head)
{
    Elf64_Shdr names = {.sh_type = SHT_NOBITS};
    int status = 0;

    if (head->e_shstrndx < head->e_shnum &&
        copy_item(file, head->e_shoff, head->e_shstrndx, sizeof names, &names))
        names.sh_type = SHT_NOBITS;
    for (unsigned i = 0; i < head->e_shnum && !status; i++) {
        Elf64_Shdr section;

        if (copy_item(file, head->e_shoff, i, sizeof section, &section))
            return 0; /* the section table was stripped, so that the size of the symbol
                         table is unknown */
        status =
            read_section(file, head, &section, text_at(file, &names, section.sh_name));
    }
    return status;
}

/* If the file has no sections, use its segments of code. */
static int need_codes(struct code_file *file)
{
    int status = 0;

    for (size_t i = 0; i < file->part_count && !file->code_count && !status; i++)
        if (file->parts[i].is_code) {
            struct code_part *part =
                cca_array_add(&file->codes, &file->code_count, sizeof *part);

            status = part ? 0 : -ENOMEM;
            if (part)
                *part = file->parts[i];
        }
    return status;
}

static int order_parts(const void *a, const void *b)
{
    const struct code_part *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static int read_head(struct code_file *file, Elf64_Ehdr *head)
{
    if (copy_item(file, 0, 0, sizeof *head, head) ||
        memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        head->e_machine != EM_X86_64 ||
        (head->e_type != ET_EXEC && head->e_type != ET_DYN))
        return -ENOEXEC;
    if ((head->e_phnum && head->e_phentsize != sizeof(Elf64_Phdr)) ||
        (head->e_shnum && head->e_shentsize != sizeof(Elf64_Shdr)))
        return -EBADMSG;
    file->is_fixed = head->e_type == ET_EXEC;
    file->entry = head->e_entry;
    return 0;
}

static int map_file(struct code_file *file, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = -ENOEXEC;
    struct stat about;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        status = bytes == MAP_FAILED ? -errno : 0;
        if (!status) {
            file->bytes = bytes;
            file->size = (size_t)about.st_size;
        }
    }
    close(fd);
    return status;
}

int code_file_open(struct code_file *file, const char *path, struct cca_error *err)
{
    Elf64_Ehdr head;
    int status;

    memset(file, 0, sizeof *file);
    status = map_file(file, path);
    if (status)
        return cca_error_set(err, status, "%s: %s", path, strerror(-status));
    status = read_head(file, &head);
    if (!status)
        status = read_segments(file, &head);
    if (!status)
        status = read_sections(file, &head);
    if (!status)
        status = need_codes(file);
    if (status == -ENOEXEC)
        return cca_error_set(err, status, "%s is no ELF file of x86-64", path);
    if (status == -ENOMEM)
        return cca_no_memory(err);
    if (status || !file->code_count)
        return cca_error_set(err, -EBADMSG, "%s is damaged", path);
    find_frames(file, &head);
    qsort(file->codes, file->code_count, sizeof *file->codes, order_parts);
    return 0;
}

void code_file_close(struct code_file *file)
{
    if (file->bytes)
        munmap((void *)file->bytes, file->size);
    free(file->parts);
    free(file->codes);
    free(file->symbols);
    free(file->relocations);
    memset(file, 0, sizeof *file);
}
