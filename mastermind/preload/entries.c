/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c: write jumps to the recorder at the beginning of a program's functions, by
 * the tables that `mastermind record` has made. */
#include "mastermind/preload/entries.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/preload/own.h"
#include "mastermind/preload/symbols.h"
#include "mastermind/preload/trials.h"

enum { ABSENT = 255 };
enum { JUMP = 5, STUB = 16, LONGEST = 512, REACH = 1 << 30, STEP = 1 << 20 };

/* Position of a value in a call. */
struct place {
    unsigned char in; /* number of the integer register in argument order; ABSENT: none */
    unsigned char size, is_signed, behind;
};

struct entry {
    struct mm_own *own; /* shared by variants that a compiler has made of one function */
    unsigned long group;
    unsigned char *site; /* address of the jump */
    size_t room;         /* bytes of no-op instructions there */
    uint64_t copied;
    struct place places[MONITOR_MAX_IN];
};

static struct entry *entries;
static size_t entry_count;

#if defined(__x86_64__)

/* --- Tables --------------------------------------------------------------- */

/* A loaded object, found by its file. */
struct object {
    const char *path;
    uintptr_t base;
    int found;
};

static int is_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;
    char own[4096];
    ssize_t length = -1;
    char *real;

    (void)size;
    if (!*info->dlpi_name &&
        (length = readlink("/proc/self/exe", own, sizeof own - 1)) > 0)
        own[length] = 0;
    real = *info->dlpi_name ? realpath(info->dlpi_name, NULL)
           : length > 0     ? strdup(own)
                            : NULL;
    object->found = real && strcmp(real, object->path) == 0;
    free(real);
    object->base = info->dlpi_addr;
    return object->found;
}

/* The method of this function, which its variants share. Another function of the same
 * name gets a number: "part", "part#2". */
static struct mm_own *find_own(char name[LONGEST], unsigned long group, size_t first)
{
    size_t length = strlen(name);
    int number = 1, taken = 1;

    for (size_t i = first; i < entry_count; i++)
        if (entries[i].group == group)
            return entries[i].own;
    while (taken) {
        taken = 0;
        for (size_t i = 0; i < entry_count && !taken; i++)
            taken = strcmp(entries[i].own->name, name) == 0;
        if (taken && length < LONGEST - 12)
            snprintf(name + length, 12, "#%d", ++number);
        else
            taken = 0;
    }
    return NULL;
}

/* The next word of a line, or NULL. */
static char *word_of(char **rest)
{
    char *word;

    do
        word = strsep(rest, " ");
    while (word && !*word);
    return word;
}

static long number_of(char **rest)
{
    const char *word = word_of(rest);

    return word ? strtol(word, NULL, 10) : -1;
}

/* Index of the method's value with this name, added if it is new; -1: there are too
 * many. */
static int value_of(struct mm_own *own, const char *name, int is_mode)
{
    size_t count = own->function.in_count;

    for (size_t i = 0; i < count; i++)
        if (strcmp(own->value_names[i], name) == 0)
            return (int)i;
    if (count == MONITOR_MAX_IN || !(own->value_names[count] = strdup(name)))
        return -1;
    own->values[count] =
        (struct monitor_value_decl){.name = own->value_names[count],
                                    .type = MONITOR_INT64,
                                    .kind = is_mode ? MONITOR_MODE : MONITOR_PARAM};
    own->function.in_count++;
    return (int)count;
}

/* Read the values in the rest of a line. */
static void read_values(struct entry *entry, char *rest)
{
    long count = number_of(&rest);

    memset(entry->places, ABSENT, sizeof entry->places);
    for (long i = 0; i < count; i++) {
        const char *name = word_of(&rest), *kind = word_of(&rest);
        long in = number_of(&rest), size = number_of(&rest), is_signed = number_of(&rest),
             behind = number_of(&rest);
        int at;

        if (!kind || in < 0 || in > 5 || behind < 0 ||
            (size != 1 && size != 2 && size != 4 && size != 8))
            return;
        at = value_of(entry->own, name, *kind == 'm');
        if (at >= 0)
            entry->places[at] = (struct place){(unsigned char)in, (unsigned char)size,
                                               is_signed != 0, behind != 0};
    }
}

static const char *reason(const char *word)
{
    static const char *const known[][2] = {
        {"variadic", "it takes a variable number of arguments"},
        {"vectors", "it takes or returns vectors of more than 16 bytes"},
        {"arguments", "its arguments take more than 4 KiB"},
        {"room", "its beginning has no room for a jump; 5 bytes are needed "
                 "(-fpatchable-function-entry=5)"}};

    for (size_t i = 0; word && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], word) == 0)
            return known[i][1];
    return "it is of an unknown kind";
}

static void take_line(char *line, const struct object *object, const char *patterns,
                      size_t first, void (*told)(const char *line))
{
    char *rest = line, *word = word_of(&rest), name[LONGEST], text[LONGEST + 200];
    uintptr_t address = word ? strtoul(word, NULL, 16) : 0;
    long room = number_of(&rest), copied = number_of(&rest);
    const char *symbol = word_of(&rest), *group = word_of(&rest);
    struct entry *entry;
    struct mm_own *own;

    if (!group)
        return;
    mm_symbol_plain(symbol, name, sizeof name);
    if (!mm_symbol_matches(patterns, symbol, name))
        return;
    if (room < JUMP) {
        snprintf(text, sizeof text, "%s is not recorded: %s", name, reason(group));
        told(text);
        return;
    }
    own = find_own(name, strtoul(group, NULL, 16), first);
    if (!own)
        own = mm_own_new(name, "function", MM_ENTRY_PATCHED,
                         (void *)(object->base + address));
    entry = own ? cca_array_add(&entries, &entry_count, sizeof *entry) : NULL;
    if (!entry)
        return;
    *entry = (struct entry){.own = own,
                            .group = strtoul(group, NULL, 16),
                            .site = (unsigned char *)(object->base + address),
                            .room = (size_t)room,
                            .copied = copied > 0 ? ((uint64_t)copied + 15) & ~15ull : 0};
    read_values(entry, rest);
}

/* Append the wanted entries of a table. */
static void read_table(const char *path, const char *patterns,
                       void (*told)(const char *line))
{
    static const char head[] = "mastermind/entries/2 ";
    struct object object = {NULL, 0, 0};
    FILE *file = fopen(path, "re");
    char *line = NULL, *own = NULL;
    size_t room = 0, first = entry_count;

    if (file && getline(&line, &room, file) > 0 &&
        strncmp(line, head, sizeof head - 1) == 0) {
        line[strcspn(line, "\n")] = 0;
        object.path = own = strdup(line + sizeof head - 1);
    }
    if (object.path)
        dl_iterate_phdr(is_object, &object);
    while (object.found && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        take_line(line, &object, patterns, first, told);
    }
    free(own);
    free(line);
    if (file)
        fclose(file);
}

/* --- Cost of an entry ----------------------------------------------------- */

/* 1 + number of the entry for trials; 0: there is none. */
uint32_t mm_entry_trial __attribute__((visibility("hidden")));

/* Call the recorder as the jump of entry mm_entry_trial - 1 does. */
void mm_entry_trial_call(int64_t a, int64_t b) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".p2align 4\n"
        ".globl mm_entry_trial_call\n"
        ".hidden mm_entry_trial_call\n"
        ".type mm_entry_trial_call, @function\n"
        "mm_entry_trial_call:\n"
        "    mov mm_entry_trial(%rip), %r11d\n"
        "    dec %r11d\n"
        "    jmp mm_entry_call\n"
        ".size mm_entry_trial_call, .-mm_entry_trial_call\n");

static unsigned char *nothing_code(void)
{
    union {
        void (*call)(void);
        unsigned char *code;
    } function = {mm_trial_nothing};

    return function.code;
}

struct mm_own *mm_patched_trial_own(void)
{
    return mm_entry_trial ? entries[mm_entry_trial - 1].own : NULL;
}

void mm_patched_trial(void *context, struct monitor_port *port,
                      struct monitor_method *method)
{
    struct mm_own *own = context;
    int busy = mm_interpose_busy;

    if (!method) {
        mm_trial_nothing();
        return;
    }
    own->library.monitor = port;
    own->function.method = method;
    mm_interpose_busy = 0;
    mm_entry_trial_call(1, 64);
    mm_interpose_busy = busy;
}

/* --- Jumps ---------------------------------------------------------------- */

/* Map memory that code near `from` can jump to; NULL: none is free. */
static unsigned char *map_near(const unsigned char *from, size_t size)
{
    uintptr_t start = (uintptr_t)from & ~(uintptr_t)(STEP - 1);

    for (uintptr_t below = STEP; below < REACH && below < start; below += STEP) {
        void *wanted = (void *)(start - below);
        void *found = mmap(wanted, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

        if (found == wanted)
            return found;
        if (found != MAP_FAILED) /* old kernels treat the address as a hint */
            munmap(found, size);
    }
    return NULL;
}

static void put_offset(unsigned char *at, const unsigned char *target)
{
    int32_t offset = (int32_t)(target - (at + 4));

    memcpy(at, &offset, sizeof offset);
}

/* Write mov $INDEX, %r11d; jmp *TARGET. */
static void write_stub(unsigned char *stub, uint32_t index, const unsigned char *target)
{
    stub[0] = 0x41;
    stub[1] = 0xbb;
    memcpy(stub + 2, &index, 4);
    stub[6] = 0xff;
    stub[7] = 0x25;
    put_offset(stub + 8, target);
}

/* True if the instructions at the site are the no-ops of the table. */
static int is_untouched(const struct entry *entry)
{
    for (size_t i = 0; i < entry->room; i++)
        if (entry->site[i] == 0xe9 || entry->site[i] == 0xcc)
            return 0; /* a jump or a breakpoint of another tool */
    return 1;
}

static int write_jump(const struct entry *entry, const unsigned char *stub)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    from = (uintptr_t)entry->site & ~(page - 1),
                    to = (uintptr_t)entry->site + entry->room;

    if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC))
        return -errno;
    memset(entry->site + JUMP, 0x90, entry->room - JUMP);
    put_offset(entry->site + 1, stub);
    entry->site[0] = 0xe9;
    mprotect((void *)from, to - from, PROT_READ | PROT_EXEC);
    return 0;
}

/* Patch the entries from `first` on, which are those of one object. Returns the number
 * patched. */
static int patch(size_t first, void (*told)(const char *line))
{
    size_t count = entry_count - first, size = 16 + count * STUB;
    unsigned char *stubs = count ? map_near(entries[first].site, size) : NULL;
    const char *target = mm_entry_call;
    int done = 0, status = stubs ? 0 : -ENOMEM;

    if (stubs)
        memcpy(stubs, &target, sizeof target);
    for (size_t i = 0; stubs && i < count; i++)
        write_stub(stubs + 16 + i * STUB, (uint32_t)(first + i), stubs);
    if (stubs && mprotect(stubs, size, PROT_READ | PROT_EXEC))
        status = -errno;
    for (size_t i = 0; !status && i < count; i++)
        if (is_untouched(&entries[first + i])) {
            status = write_jump(&entries[first + i], stubs + 16 + i * STUB);
            done += !status;
        }
    if (status && count) {
        char text[200];

        snprintf(text, sizeof text,
                 "functions are not recorded: no jump can be placed: %s",
                 strerror(-status));
        told(text);
    }
    return done;
}

/* Add an entry that belongs to no function of the program, to measure the cost of
 * entries. */
static void add_trial(void)
{
    struct mm_own *own = mm_own_new("trial", "function", MM_ENTRY_PATCHED, NULL);
    struct entry *entry = own && value_of(own, "a", 0) >= 0 && value_of(own, "b", 0) >= 0
                              ? cca_array_add(&entries, &entry_count, sizeof *entry)
                              : NULL;

    if (!entry)
        return;
    entry->own = own;
    entry->site = nothing_code();
    memset(entry->places, ABSENT, sizeof entry->places);
    for (unsigned char i = 0; i < 2; i++)
        entry->places[i] = (struct place){i, 8, 1, 0};
    mm_entry_trial = (uint32_t)entry_count;
}

int mm_entries_patch(const char *tables, const char *patterns,
                     void (*told)(const char *line))
{
    char *copy = strdup(tables), *rest = copy, *path;
    int done = 0;

    while (copy && (path = strsep(&rest, ":")) != NULL) {
        size_t first = entry_count;

        read_table(path, patterns, told);
        done += patch(first, told);
    }
    if (done)
        add_trial();
    free(copy);
    return done;
}

/* --- Calls ---------------------------------------------------------------- */

static int64_t value_at(const struct place *place, uint64_t number)
{
    if (place->behind) {
        const void *there = (const void *)(uintptr_t)number;

        if (!there) /* a missing optional argument */
            return MONITOR_ABSENT;
        number = 0;
        memcpy(&number, there, place->size);
    }
    if (place->size == 8)
        return (int64_t)number;
    number <<= 64 - 8 * place->size; /* the upper part of the register is undefined */
    return place->is_signed ? (int64_t)number >> (64 - 8 * place->size)
                            : (int64_t)(number >> (64 - 8 * place->size));
}

/* True if the page can be read: a stack may end below it. */
static int is_readable(uintptr_t page)
{
    static __thread uintptr_t known;
    int number = errno;
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)page, 1};

    if (page != known && process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0 &&
        errno == EFAULT) {
        errno = number;
        return 0;
    }
    known = page;
    errno = number;
    return 1;
}

/* Number of readable bytes among `bytes` from `start` on: the table has the most that
 * arguments may take, and the thread's stack may be shorter. */
static uint64_t there_of(uintptr_t start, uint64_t bytes)
{
    const uintptr_t size = 4096;
    uintptr_t page = (start | (size - 1)) + 1;

    for (; page < start + bytes; page += size)
        if (!is_readable(page))
            return (page - start) & ~15ull;
    return bytes;
}

struct mm_entry_way mm_entry_begin(uint32_t index, const uint64_t registers[6],
                                   uintptr_t slot)
{
    const struct entry *entry = &entries[index];
    union monitor_value in[MONITOR_MAX_IN];

    for (size_t i = 0; i < entry->own->function.in_count; i++)
        in[i].i = entry->places[i].in == ABSENT
                      ? MONITOR_ABSENT
                      : value_at(&entry->places[i], registers[entry->places[i].in]);
    mm_own_begin(entry->own, (const void *)slot, slot, in);
    return (struct mm_entry_way){entry->copied ? there_of(slot + 8, entry->copied) : 0,
                                 entry->site + entry->room};
}

void mm_entry_end(uintptr_t slot)
{
    mm_own_end((const void *)slot);
}

#else

int mm_entries_patch(const char *tables, const char *patterns,
                     void (*told)(const char *line))
{
    (void)tables;
    (void)patterns;
    told("functions are not recorded by their entries: this is no x86-64");
    return 0;
}

struct mm_own *mm_patched_trial_own(void)
{
    return NULL;
}

void mm_patched_trial(void *context, struct monitor_port *port,
                      struct monitor_method *method)
{
    (void)context;
    (void)port;
    (void)method;
}
#endif
