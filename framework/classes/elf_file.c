/* SPDX-License-Identifier: BSD-3-Clause */
/* elf_file.c: read an ELF shared object of this machine as data. */
#include "framework/classes/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hash.h"

#if defined(__x86_64__)
enum {
    MACHINE = EM_X86_64,
    RELATIVE = R_X86_64_RELATIVE,
    ABSOLUTE = R_X86_64_64,
    GLOBAL = R_X86_64_GLOB_DAT
};
#elif defined(__aarch64__)
enum {
    MACHINE = EM_AARCH64,
    RELATIVE = R_AARCH64_RELATIVE,
    ABSOLUTE = R_AARCH64_ABS64,
    GLOBAL = R_AARCH64_GLOB_DAT
};
#else
#error "elf_file.c: add the relocation numbers of this machine"
#endif

/* DT_RELRSZ and DT_RELR: older versions of <elf.h> lack these names. */
enum { TAG_RELRSZ = 35, TAG_RELR = 36 };

/* Limits above the sizes of real libraries. They bound the work that a damaged file can
 * cause. */
enum { MOST_SEGMENTS = 64, MOST_DYNAMIC = 4096, LONGEST_CHAIN = 1024 };
static const uint64_t LARGEST = (uint64_t)1 << 30;

static int damaged(struct cca_error *err, const char *what)
{
    return cca_error_set(err, -EBADMSG, "damaged: %s", what);
}

/* Read `size` bytes at `offset`. A short file is damaged: its size was checked. */
static int read_at(int fd, void *to, size_t size, uint64_t offset, struct cca_error *err)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cca_error_set(err, -errno, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return damaged(err, "it ends too early");
        done += (size_t)got;
    }
    return 0;
}

/* --- Header and segments -------------------------------------------------- */

static int read_header(int fd, uint64_t file_size, int program, Elf64_Ehdr *header,
                       struct cca_error *err)
{
    int status;

    if (file_size == 0)
        return damaged(err, "the file is empty");
    memset(header, 0, sizeof *header);
    status = read_at(fd, header, file_size < sizeof *header ? file_size : sizeof *header,
                     0, err);
    if (status < 0)
        return status;
    if (memcmp(header->e_ident, ELFMAG, file_size < SELFMAG ? file_size : SELFMAG) != 0)
        return cca_error_set(err, -ENOEXEC, "not an ELF file");
    if (file_size < sizeof *header)
        return damaged(err, "it ends inside the ELF header");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != MACHINE)
        return cca_error_set(err, -ENOEXEC, "made for another machine");
    if (header->e_type != ET_DYN && !(program && header->e_type == ET_EXEC))
        return cca_error_set(err, -ENOEXEC, "not a shared object");
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
        header->e_phnum > MOST_SEGMENTS)
        return damaged(err, "its program header table makes no sense");
    if (header->e_phoff > file_size ||
        header->e_phnum * sizeof(Elf64_Phdr) > file_size - header->e_phoff)
        return damaged(err, "it ends before its program header table does");
    /* The loader does not need the table of sections, but it is at the end: a file
     * without all of it was truncated. */
    if (header->e_shoff &&
        (header->e_shoff > file_size ||
         (uint64_t)header->e_shnum * header->e_shentsize > file_size - header->e_shoff))
        return damaged(err, "it ends before its section header table does");
    return 0;
}

static int check_segment(const Elf64_Phdr *segment, uint64_t file_size,
                         struct cca_error *err)
{
    if (segment->p_offset > file_size ||
        segment->p_filesz > file_size - segment->p_offset)
        return damaged(err, "it ends before its segments do");
    if (segment->p_type == PT_LOAD &&
        (segment->p_filesz > segment->p_memsz ||
         segment->p_vaddr + segment->p_memsz < segment->p_vaddr))
        return damaged(err, "a segment has an impossible size");
    return 0;
}

static int read_segments(struct cca_elf_file *elf, int fd, uint64_t file_size,
                         const Elf64_Ehdr *header, struct cca_error *err)
{
    uint64_t end = 0;
    int status;

    elf->segments = calloc(header->e_phnum, sizeof *elf->segments);
    if (!elf->segments)
        return cca_no_memory(err);
    elf->segment_count = header->e_phnum;
    status = read_at(fd, elf->segments, elf->segment_count * sizeof *elf->segments,
                     header->e_phoff, err);
    for (size_t i = 0; status == 0 && i < elf->segment_count; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];

        status = check_segment(segment, file_size, err);
        if (segment->p_type == PT_LOAD && segment->p_offset + segment->p_filesz > end)
            end = segment->p_offset + segment->p_filesz;
    }
    if (status < 0)
        return status;
    if (end > LARGEST)
        return cca_error_set(err, -EFBIG, "larger than 1 GiB");
    elf->bytes = malloc(end + 1);
    if (!elf->bytes)
        return cca_no_memory(err);
    elf->size = (size_t)end;
    return read_at(fd, elf->bytes, elf->size, 0, err);
}

/* --- Access by address ---------------------------------------------------- */

static const Elf64_Phdr *segment_of(const struct cca_elf_file *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_memsz)
            return segment;
    }
    return NULL;
}

int cca_elf_file_copy(const struct cca_elf_file *elf, uint64_t address, void *to,
                      size_t size)
{
    const Elf64_Phdr *segment = segment_of(elf, address);
    uint64_t offset, stored;

    if (size == 0)
        return 0;
    if (!segment)
        return -EBADMSG;
    offset = address - segment->p_vaddr;
    if (size > segment->p_memsz - offset)
        return -EBADMSG;
    /* memory beyond the bytes in the file is zero (.bss) */
    stored = offset < segment->p_filesz ? segment->p_filesz - offset : 0;
    if (stored > size)
        stored = size;
    if (stored > 0)
        memcpy(to, elf->bytes + segment->p_offset + offset, (size_t)stored);
    memset((char *)to + stored, 0, size - (size_t)stored);
    return 0;
}

const char *cca_elf_file_string(const struct cca_elf_file *elf, uint64_t address,
                                size_t longest)
{
    const Elf64_Phdr *segment = segment_of(elf, address);
    const char *text;
    uint64_t offset, rest;

    if (!segment)
        return NULL;
    offset = address - segment->p_vaddr;
    if (offset >= segment->p_filesz)
        return NULL;
    rest = segment->p_filesz - offset;
    text = (const char *)elf->bytes + segment->p_offset + offset;
    return memchr(text, '\0', rest < longest ? (size_t)rest : longest) ? text : NULL;
}

/* --- Dynamic section: symbols and relocations ----------------------------- */

/* Read entry `index` of the dynamic section. Returns 1; 0 at its end; -ENODATA no dynamic
 * section; -EBADMSG. */
static int dynamic_entry(const struct cca_elf_file *elf, size_t index, Elf64_Dyn *entry)
{
    const Elf64_Phdr *segment = NULL;

    for (size_t i = 0; i < elf->segment_count; i++)
        if (elf->segments[i].p_type == PT_DYNAMIC)
            segment = &elf->segments[i];
    if (!segment)
        return -ENODATA;
    if (index >= MOST_DYNAMIC || index * sizeof *entry >= segment->p_memsz)
        return 0;
    if (cca_elf_file_copy(elf, segment->p_vaddr + index * sizeof *entry, entry,
                          sizeof *entry) < 0)
        return -EBADMSG;
    return entry->d_tag != DT_NULL;
}

int cca_elf_file_dynamic(const struct cca_elf_file *elf, int64_t tag, size_t index,
                         uint64_t *value)
{
    Elf64_Dyn entry;

    for (size_t i = 0; dynamic_entry(elf, i, &entry) > 0; i++)
        if (entry.d_tag == tag && index-- == 0) {
            *value = entry.d_un.d_val;
            return 0;
        }
    return -ENOENT;
}

static int read_dynamic(struct cca_elf_file *elf, struct cca_error *err)
{
    Elf64_Dyn entry;
    int status;

    for (size_t i = 0; (status = dynamic_entry(elf, i, &entry)) > 0; i++) {
        if (entry.d_tag == DT_GNU_HASH)
            elf->gnu_hash = entry.d_un.d_ptr;
        else if (entry.d_tag == TAG_RELRSZ)
            elf->relr_size = entry.d_un.d_val;
        else if (entry.d_tag == TAG_RELR)
            elf->relr = entry.d_un.d_ptr;
        else if (entry.d_tag > 0 && entry.d_tag < DT_NUM)
            elf->dynamic[entry.d_tag] = entry.d_un.d_val;
    }
    if (status == -ENODATA)
        return damaged(err, "it has no dynamic section");
    return status ? damaged(err, "its dynamic section lies outside the file") : 0;
}

static int by_address(const void *a, const void *b)
{
    const Elf64_Rela *left = a, *right = b;

    return left->r_offset < right->r_offset ? -1 : left->r_offset > right->r_offset;
}

static int read_relocations(struct cca_elf_file *elf, struct cca_error *err)
{
    uint64_t size = elf->dynamic[DT_RELASZ];
    size_t kept = 0;

    if (!elf->dynamic[DT_RELA] || !size)
        return 0;
    if (size > elf->size || elf->dynamic[DT_RELAENT] != sizeof(Elf64_Rela))
        return damaged(err, "its relocations make no sense");
    elf->relocations = malloc((size_t)size);
    if (!elf->relocations)
        return cca_no_memory(err);
    if (cca_elf_file_copy(elf, elf->dynamic[DT_RELA], elf->relocations, (size_t)size) < 0)
        return damaged(err, "its relocations lie outside the file");
    for (size_t i = 0; i < size / sizeof(Elf64_Rela); i++) {
        uint64_t type = ELF64_R_TYPE(elf->relocations[i].r_info);

        if (type == RELATIVE || type == ABSOLUTE || type == GLOBAL)
            elf->relocations[kept++] = elf->relocations[i];
    }
    elf->relocation_count = kept;
    if (kept > 1)
        qsort(elf->relocations, kept, sizeof *elf->relocations, by_address);
    return 0;
}

int cca_elf_file_symbol_at(const struct cca_elf_file *elf, uint64_t index,
                           Elf64_Sym *symbol)
{
    if (!elf->dynamic[DT_SYMTAB] || index > UINT32_MAX)
        return -EBADMSG;
    return cca_elf_file_copy(elf, elf->dynamic[DT_SYMTAB] + index * sizeof *symbol,
                             symbol, sizeof *symbol);
}

/* A search through the symbol table. */
struct search {
    const char *name;
    cca_elf_file_accept accept;
    void *context;
};

static int symbol_matches(const struct cca_elf_file *elf, uint64_t index,
                          const struct search *search)
{
    const char *found;
    Elf64_Sym symbol;

    if (cca_elf_file_symbol_at(elf, index, &symbol) < 0 || symbol.st_shndx == SHN_UNDEF ||
        ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_name >= elf->size)
        return 0;
    found = cca_elf_file_string(elf, elf->dynamic[DT_STRTAB] + symbol.st_name,
                                strlen(search->name) + 1);
    return found && strcmp(found, search->name) == 0 &&
           search->accept(search->context, elf, index, &symbol);
}

static uint32_t word_at(const struct cca_elf_file *elf, uint64_t address)
{
    uint32_t word = 0; /* a word outside the file counts as the end of the chain */

    return cca_elf_file_copy(elf, address, &word, sizeof word) < 0 ? 0 : word;
}

static int search_gnu_hash(const struct cca_elf_file *elf, const struct search *search)
{
    uint32_t bucket_count = word_at(elf, elf->gnu_hash);
    uint32_t first = word_at(elf, elf->gnu_hash + 4);
    uint32_t bloom_words = word_at(elf, elf->gnu_hash + 8);
    uint64_t buckets = elf->gnu_hash + 16 + (uint64_t)bloom_words * 8;
    uint64_t chains = buckets + (uint64_t)bucket_count * 4;
    uint32_t hash = 5381, index;

    if (bucket_count == 0)
        return -ENOENT;
    for (const char *c = search->name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    index = word_at(elf, buckets + (uint64_t)(hash % bucket_count) * 4);
    if (index < first || index == 0)
        return -ENOENT;
    for (int steps = 0; steps < LONGEST_CHAIN; steps++, index++) {
        uint32_t link;

        if (cca_elf_file_copy(elf, chains + (uint64_t)(index - first) * 4, &link,
                              sizeof link) < 0)
            break;
        if ((link | 1) == (hash | 1) && symbol_matches(elf, index, search))
            return 0;
        if (link & 1)
            break;
    }
    return -ENOENT;
}

static int search_hash(const struct cca_elf_file *elf, const struct search *search)
{
    uint64_t table = elf->dynamic[DT_HASH], bucket_count = word_at(elf, table);
    uint32_t hash = 0, index;

    if (bucket_count == 0)
        return -ENOENT;
    for (const char *c = search->name; *c; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    index = word_at(elf, table + 8 + (hash % bucket_count) * 4);
    for (int steps = 0; index && steps < LONGEST_CHAIN; steps++) {
        if (symbol_matches(elf, index, search))
            return 0;
        index = word_at(elf, table + 8 + (bucket_count + index) * 4);
    }
    return -ENOENT;
}

int cca_elf_file_find(const struct cca_elf_file *elf, const char *name,
                      cca_elf_file_accept accept, void *context)
{
    const struct search search = {name, accept, context};

    if (elf->gnu_hash)
        return search_gnu_hash(elf, &search);
    return elf->dynamic[DT_HASH] ? search_hash(elf, &search) : -ENOENT;
}

static int accept_data(void *context, const struct cca_elf_file *elf, uint64_t index,
                       const Elf64_Sym *symbol)
{
    (void)elf;
    (void)index;
    *(Elf64_Sym *)context = *symbol;
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

int cca_elf_file_symbol(const struct cca_elf_file *elf, const char *name,
                        uint64_t *address, uint64_t *size)
{
    Elf64_Sym symbol;

    if (cca_elf_file_find(elf, name, accept_data, &symbol) < 0)
        return -ENOENT;
    *address = symbol.st_value;
    *size = symbol.st_size;
    return 0;
}

/* True if a RELR table covers `address`. The table has addresses, each followed by
 * bitmaps for 63 further words. */
static int relr_covers(const struct cca_elf_file *elf, uint64_t address)
{
    uint64_t next = 0;

    if (!elf->relr || elf->relr_size > elf->size)
        return 0;
    for (uint64_t i = 0; i + 8 <= elf->relr_size; i += 8) {
        uint64_t entry;

        if (cca_elf_file_copy(elf, elf->relr + i, &entry, sizeof entry) < 0)
            return 0;
        if ((entry & 1) == 0) {
            if (entry == address)
                return 1;
            next = entry + 8;
        } else {
            uint64_t word = (address - next) / 8;

            if (address >= next && (address - next) % 8 == 0 && word < 63 &&
                (entry >> (word + 1) & 1))
                return 1;
            next += (uint64_t)63 * 8;
        }
    }
    return 0;
}

int cca_elf_file_pointer(const struct cca_elf_file *elf, uint64_t address,
                         uint64_t *target)
{
    Elf64_Rela key = {.r_offset = address};
    const Elf64_Rela *found = NULL;
    Elf64_Sym symbol;
    uint64_t stored;

    if (cca_elf_file_copy(elf, address, &stored, sizeof stored) < 0)
        return -EBADMSG;
    if (elf->relocation_count > 0)
        found = bsearch(&key, elf->relocations, elf->relocation_count, sizeof key,
                        by_address);
    if (!found) {
        if (stored != 0 && !relr_covers(elf, address))
            return -EBADMSG; /* in a position-independent file a pointer without
                                relocation is invalid */
        *target = stored;
        return 0;
    }
    if (ELF64_R_TYPE(found->r_info) == RELATIVE) {
        *target = (uint64_t)found->r_addend;
        return 0;
    }
    if (cca_elf_file_symbol_at(elf, ELF64_R_SYM(found->r_info), &symbol) < 0)
        return -EBADMSG;
    if (symbol.st_shndx == SHN_UNDEF)
        return -ENOENT;
    *target = symbol.st_value +
              (ELF64_R_TYPE(found->r_info) == ABSOLUTE ? (uint64_t)found->r_addend : 0);
    return 0;
}

/* --- Build id ------------------------------------------------------------- */

static void print_hex(char *text, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

/* Find the next note with a name and type in a segment, from `*at` on. */
static int note_in(const struct cca_elf_file *elf, const Elf64_Phdr *segment,
                   const char *name, uint32_t type, uint64_t *at, uint64_t *address,
                   uint64_t *size)
{
    uint64_t align = segment->p_align == 8 ? 8 : 4, length = strlen(name) + 1;
    const unsigned char *notes = elf->bytes + segment->p_offset;
    Elf64_Nhdr note;

    if (segment->p_offset > elf->size ||
        segment->p_filesz > elf->size - segment->p_offset)
        return 0;
    while (*at + sizeof note <= segment->p_filesz) {
        uint64_t own, data;

        memcpy(&note, notes + *at, sizeof note);
        own = *at + sizeof note;
        data = own + ((note.n_namesz + align - 1) & ~(align - 1));
        *at = data + ((note.n_descsz + align - 1) & ~(align - 1));
        if (data > segment->p_filesz || note.n_descsz > segment->p_filesz - data)
            return 0;
        if (note.n_type == type && note.n_namesz == length && note.n_descsz > 0 &&
            memcmp(notes + own, name, length) == 0) {
            *address = segment->p_vaddr + data;
            *size = note.n_descsz;
            return 1;
        }
    }
    return 0;
}

int cca_elf_file_note(const struct cca_elf_file *elf, const char *name, uint32_t type,
                      size_t index, uint64_t *address, uint64_t *size)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        uint64_t at = 0;

        while (elf->segments[i].p_type == PT_NOTE &&
               note_in(elf, &elf->segments[i], name, type, &at, address, size))
            if (index-- == 0)
                return 0;
    }
    return -ENOENT;
}

/* Read the build id from the file's notes. Returns false if the file has none. */
static int read_build_id(struct cca_elf_file *elf)
{
    unsigned char id[32];
    uint64_t address, size;

    if (cca_elf_file_note(elf, "GNU", NT_GNU_BUILD_ID, 0, &address, &size) < 0)
        return 0;
    size = size < sizeof id ? size : sizeof id;
    if (cca_elf_file_copy(elf, address, id, size) < 0)
        return 0;
    print_hex(elf->build_id, id, size);
    return 1;
}

/* Compute FNV-1a over the whole file, for files that were linked without a build id. */
static int hash_file(struct cca_elf_file *elf, int fd, uint64_t file_size,
                     struct cca_error *err)
{
    unsigned char block[16384], digest[8];
    uint64_t hash = CCA_HASH_START;

    for (uint64_t at = 0; at < file_size;) {
        size_t size =
            file_size - at < sizeof block ? (size_t)(file_size - at) : sizeof block;
        int status = read_at(fd, block, size, at, err);

        if (status < 0)
            return status;
        hash = cca_hash_bytes(hash, block, size);
        at += size;
    }
    for (size_t i = 0; i < sizeof digest; i++)
        digest[i] = (unsigned char)(hash >> (56 - 8 * i));
    print_hex(elf->build_id, digest, sizeof digest);
    return 0;
}

static int read_file(struct cca_elf_file *elf, int fd, int program, struct cca_error *err)
{
    Elf64_Ehdr header;
    struct stat file;
    uint64_t size;
    int status;

    memset(elf, 0, sizeof *elf);
    if (fstat(fd, &file) < 0)
        return cca_error_set(err, -errno, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(file.st_mode))
        return cca_error_set(err, -ENOEXEC, "not a regular file");
    size = (uint64_t)file.st_size;
    status = read_header(fd, size, program, &header, err);
    if (status == 0)
        status = read_segments(elf, fd, size, &header, err);
    if (status == 0)
        status = read_dynamic(elf, err);
    if (status == 0)
        status = read_relocations(elf, err);
    if (status == 0 && !read_build_id(elf))
        status = hash_file(elf, fd, size, err);
    return status;
}

int cca_elf_file_read(struct cca_elf_file *elf, int fd, struct cca_error *err)
{
    return read_file(elf, fd, 0, err);
}

int cca_elf_program_read(struct cca_elf_file *elf, int fd, struct cca_error *err)
{
    return read_file(elf, fd, 1, err);
}

void cca_elf_file_done(struct cca_elf_file *elf)
{
    free(elf->bytes);
    free(elf->segments);
    free(elf->relocations);
    memset(elf, 0, sizeof *elf);
}
