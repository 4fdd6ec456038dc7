/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c: jumps to trampolines at the beginning of functions, before the program's
 * main.
 *
 * A trampoline is
 *
 *      0  jmp *WORD(%rip)
 *      6  lea -128(%rsp), %rsp
 *     11  push $NUMBER
 *     16  jmp *ENTER(%rip)
 *     22  lea 136(%rsp), %rsp
 *     30  the moved instructions, and a jump to the function behind them
 *
 * WORD holds the address of offset 6, or of offset 30 if the function is not
 * recorded: any thread switches recording by one store. The words are in pages behind the
 * code, because the code's pages are read-only. */
#include "mastermind/preload/entries.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/preload/calls.h"
#include "mastermind/preload/process/processes.h"
#include "mastermind/preload/trials.h"

#if defined(__x86_64__)

enum { JUMP = 5, HEAD = 30, ARMED = 6, PAGE = 4096, REACH = 1 << 30, STEP = 1 << 20 };

/* --- Memory within reach of a jump ---------------------------------------- */

static unsigned char *map_at(uintptr_t address, size_t size)
{
    void *wanted = (void *)address;
    void *found = mmap(wanted, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (found == wanted)
        return found;
    if (found != MAP_FAILED) /* an old kernel may map memory elsewhere */
        munmap(found, size);
    return NULL;
}

/* Allocate memory so near to `from` that a jump with a 4-byte distance reaches it; NULL:
 * none is free. Addresses lower than `from` are tried first, because the program's heap
 * may grow into the higher ones. */
static unsigned char *map_near(const unsigned char *from, size_t size)
{
    const uintptr_t start = (uintptr_t)from & ~(uintptr_t)(STEP - 1);
    const uintptr_t whole = (size + STEP - 1) & ~(uintptr_t)(STEP - 1);
    unsigned char *found = NULL;

    for (uintptr_t below = whole; !found && below < REACH && below < start; below += STEP)
        found = map_at(start - below, size);
    for (uintptr_t above = REACH - whole; !found && above > (uintptr_t)REACH / 2;
         above -= STEP)
        found = map_at(start + above, size);
    return found;
}

/* --- Trampolines ---------------------------------------------------------- */

/* The trampolines of one object. */
struct area {
    unsigned char *code;
    size_t code_size, size, used;
    uintptr_t *words; /* at [0]: address of the recorder's code that trampolines call */
    size_t word_count;
};

static size_t trampoline_size(const struct mm_entry *entry)
{
    return (HEAD + entry->bytes_length + (entry->bytes_length ? 0 : JUMP) + 7) & ~7u;
}

/* Write the distance between two addresses in 4 bytes. Returns 0; -ERANGE: they do not
 * suffice. */
static int put_distance(unsigned char *at, uintptr_t from, uintptr_t target)
{
    int64_t distance = (int64_t)(target - from);
    int32_t near = (int32_t)distance;

    if (near != distance)
        return -ERANGE;
    memcpy(at, &near, sizeof near);
    return 0;
}

static int put_moved(unsigned char *code, const struct mm_entry *entry)
{
    int status = 0;

    if (!entry->bytes_length) { /* the compiler left room of no-ops for the jump: continue
                                   after them */
        code[0] = 0xe9;
        return put_distance(code + 1, (uintptr_t)code + JUMP,
                            (uintptr_t)entry->site + entry->length);
    }
    memcpy(code, entry->bytes, entry->bytes_length);
    for (unsigned i = 0; i < entry->fix_count && !status; i++) {
        const struct mm_fix *fix = &entry->fixes[i];

        if (fix->at + fix->size > entry->bytes_length)
            return -EINVAL;
        if (fix->size == 8)
            memcpy(code + fix->at, &fix->target, 8);
        else
            status =
                put_distance(code + fix->at, (uintptr_t)code + fix->end, fix->target);
    }
    return status;
}

/* Write the trampoline of mm_entries[number]. Returns 0 or -ERANGE. */
static int write_trampoline(struct area *area, uint32_t number)
{
    static const unsigned char lower[] = {0x48, 0x8d, 0x64, 0x24, 0x80},
                               raise[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0, 0, 0};
    struct mm_entry *entry = &mm_entries[number];
    unsigned char *code = area->code + area->used;
    uintptr_t *word = &area->words[area->word_count];
    int status;

    code[0] = 0xff; /* jmp *WORD(%rip) */
    code[1] = 0x25;
    status = put_distance(code + 2, (uintptr_t)code + ARMED, (uintptr_t)word);
    memcpy(code + ARMED, lower, sizeof lower);
    code[11] = 0x68; /* push $NUMBER */
    memcpy(code + 12, &number, sizeof number);
    code[16] = 0xff; /* jmp *ENTER(%rip) */
    code[17] = 0x25;
    if (!status)
        status = put_distance(code + 18, (uintptr_t)code + HEAD - MM_RAISE_BYTES,
                              (uintptr_t)area->words);
    memcpy(code + HEAD - MM_RAISE_BYTES, raise, sizeof raise);
    if (!status)
        status = put_moved(code + HEAD, entry);
    if (status)
        return status;
    entry->armed = (uintptr_t)code + ARMED;
    entry->moved = (uintptr_t)code + HEAD;
    entry->word = word;
    *word = entry->armed;
    area->used += trampoline_size(entry);
    area->word_count++;
    return 0;
}

static int make_area(struct area *area, const unsigned char *near, size_t first,
                     size_t end)
{
    size_t count = end - first;

    for (size_t i = first; i < end; i++)
        area->code_size += trampoline_size(&mm_entries[i]);
    area->code_size = (area->code_size + PAGE - 1) & ~(size_t)(PAGE - 1);
    area->size = area->code_size + (count + 1) * sizeof *area->words;
    area->code = map_near(near, area->size);
    if (!area->code)
        return -ENOMEM;
    area->words = (uintptr_t *)(void *)(area->code + area->code_size);
    area->words[0] = (uintptr_t)mm_call_enter;
    area->word_count = 1;
    return 0;
}

/* --- Jumps ---------------------------------------------------------------- */

static int order_sites(const void *a, const void *b)
{
    const struct mm_entry *x = a, *y = b;

    return (x->site > y->site) - (x->site < y->site);
}

/* Sort the entries from index `first` to before `end` by their addresses. Tables list
 * most functions in this order. */
static void sort_entries(size_t first, size_t end)
{
    size_t i = first + 1;

    while (i < end && mm_entries[i - 1].site <= mm_entries[i].site)
        i++;
    if (i < end)
        qsort(mm_entries + first, end - first, sizeof *mm_entries, order_sites);
}

static void write_jump(const struct mm_entry *entry)
{
    uintptr_t trampoline = entry->armed - ARMED;

    memset(entry->site + JUMP, 0x90, entry->length - JUMP);
    put_distance(entry->site + 1, (uintptr_t)entry->site + JUMP, trampoline);
    entry->site[0] = 0xe9;
}

static int is_reachable(const struct mm_entry *entry)
{
    int64_t distance = (int64_t)(entry->armed - ARMED - ((uintptr_t)entry->site + JUMP));

    return distance == (int32_t)distance;
}

/* Make the pages from `first` to `last` writable, or executable again. */
static int open_pages(const struct mm_entry *first, const struct mm_entry *last, int open)
{
    uintptr_t from = (uintptr_t)first->site & ~(uintptr_t)(PAGE - 1),
              to = (uintptr_t)last->site + last->length;

    return mprotect((void *)from, to - from,
                    open ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_READ | PROT_EXEC)
               ? -errno
               : 0;
}

/* Write the jumps of the entries from index `first` to before `end`; functions in
 * neighbouring pages are patched together. Returns the number of jumps, or a negative
 * errno. */
static int write_jumps(size_t first, size_t end)
{
    int done = 0;

    while (first < end) {
        size_t last = first;
        int status;

        while (last + 1 < end && mm_entries[last + 1].site - mm_entries[last].site < PAGE)
            last++;
        status = open_pages(&mm_entries[first], &mm_entries[last], 1);
        if (status)
            return done ? done : status;
        for (size_t i = first; i <= last; i++) {
            struct mm_entry *entry = &mm_entries[i];

            /* keep a breakpoint or patch of another tool */
            if (entry->word && is_reachable(entry) &&
                memcmp(entry->site, entry->original, entry->length) == 0) {
                write_jump(entry);
                done++;
            }
        }
        open_pages(&mm_entries[first], &mm_entries[last], 0);
        first = last + 1;
    }
    return done;
}

/* Patch the functions of the entries from index `first` to before `end`, all of one
 * object (program or library). Returns the number of patched functions. */
static int patch(size_t first, size_t end, void (*print_line)(const char *line))
{
    struct area area = {.code = NULL};
    int status;

    if (first == end)
        return 0;
    sort_entries(first, end);
    status = make_area(&area, mm_entries[first].site, first, end);
    /* if its function is too far away, an entry gets no trampoline */
    for (size_t i = first; i < end && !status; i++)
        write_trampoline(&area, (uint32_t)i);
    if (!status && mprotect(area.code, area.code_size, PROT_READ | PROT_EXEC))
        status = -errno;
    if (!status)
        status = write_jumps(first, end);
    if (status < 0) {
        char text[200];

        snprintf(text, sizeof text,
                 "functions are not recorded: no jump can be placed: %s",
                 strerror(-status));
        print_line(text);
    }
    return status > 0 ? status : 0;
}

/* --- Cost of entries ----------------------------------------------------------- */

/* 1 + index of the entry whose calls are timed for calibration; 0: none */
static uint32_t trial;

/* Add an entry for an empty function of the recorder; its calls measure the cost of
 * recording patched functions. */
static void add_trial(void)
{
    static unsigned char returns[] = {0xc3};
    struct mm_own *own = mm_own_new("trial", "function", MM_ENTRY_PATCHED, NULL);
    struct mm_entry *entry =
        own ? cca_array_add(&mm_entries, &mm_entry_count, sizeof *entry) : NULL;
    struct area area = {.code = NULL};

    if (!entry)
        return;
    entry->own = own;
    entry->counter = -1;
    entry->bytes = returns;
    entry->bytes_length = sizeof returns;
    memset(entry->places, MM_PLACE_ABSENT, sizeof entry->places);
    if (mm_own_values(own, 2)) {
        mm_entry_count--;
        return;
    }
    for (unsigned char i = 0; i < 2; i++) {
        static const char names[2][2] = {"a", "b"};

        entry->places[i] = (struct mm_place){i, 0, 1, 0};
        own->values[i] = (struct monitor_value_decl){
            .name = names[i], .type = MONITOR_INT64, .kind = MONITOR_PARAM};
    }
    own->function.in_count = 2;
    if (make_area(&area, (const unsigned char *)mm_call_enter, mm_entry_count - 1,
                  mm_entry_count) ||
        write_trampoline(&area, (uint32_t)mm_entry_count - 1) ||
        mprotect(area.code, area.code_size, PROT_READ | PROT_EXEC))
        mm_entry_count--;
    else
        trial = (uint32_t)mm_entry_count;
}

struct mm_own *mm_patched_trial_own(void)
{
    return trial ? mm_entries[trial - 1].own : NULL;
}

void mm_patched_trial(void *context, struct monitor_port *port,
                      struct monitor_method *method)
{
    struct mm_own *own = context;
    int busy = mm_interpose_busy;
    union {
        uintptr_t address;
        void (*call)(int64_t a, int64_t b);
    } function = {mm_entries[trial - 1].armed};

    if (!method) {
        mm_trial_nothing();
        return;
    }
    own->library.monitor = port;
    own->function.method = method;
    mm_interpose_busy = 0;
    function.call(1, 64);
    mm_interpose_busy = busy;
}

static pid_t process; /* id of the process whose functions are patched */

int mm_entry_restore(const struct mm_entry *entry)
{
    struct stat tasks;
    int status = stat("/proc/self/task", &tasks) ? -errno : 0;

    /* 3 links: ".", ".." and the only thread. A child made by vfork is refused, because
     * it shares the memory of its parent, whose threads may run there. */
    if (!status && (tasks.st_nlink != 3 || getpid() != process))
        status = -EBUSY;
    if (!status)
        status = open_pages(entry, entry, 1);
    if (status)
        return status;
    /* if it is no longer our jump, a debugger has replaced it */
    if (entry->site[0] == 0xe9)
        memcpy(entry->site, entry->original, entry->length);
    open_pages(entry, entry, 0);
    return 0;
}

void mm_entries_disarm(void)
{
    for (size_t i = 0; i < mm_entry_count; i++)
        if (mm_entries[i].word)
            __atomic_store_n(mm_entries[i].word, mm_entries[i].moved, __ATOMIC_RELEASE);
    mm_slots_abandon();
}

/* --- The beginning -------------------------------------------------------- */

/* Return the reason why return addresses cannot be replaced in this process, or NULL. */
static const char *why_not(void)
{
    enum { GET_MDWE = 66, SHADOW_STACK_STATUS = 0x5005 };
    unsigned long features = 0;

    if (prctl(GET_MDWE, 0L, 0L, 0L, 0L) > 0)
        return "memory that was written may not become code here (PR_SET_MDWE)";
    if (syscall(SYS_arch_prctl, SHADOW_STACK_STATUS, &features) == 0 && (features & 1))
        return "shadow stacks are on, and forbid to replace return addresses";
    return NULL;
}

/* Make the methods of the entries from index `first` to before `end`, all of one object
 * (program or library). */
static void prepare_methods(size_t first, size_t end, const struct mm_entry_calls *how)
{
    size_t count = 0;
    struct mm_own **functions = malloc((end - first + 1) * sizeof *functions);

    for (size_t i = first; functions && i < end; i++)
        functions[count++] = mm_entries[i].own;
    if (functions)
        how->prepare(functions, count);
    free(functions);
}

static void note_stubs(void)
{
    const struct mm_run_stubs stubs = {.stubs = (uintptr_t)mm_call_stubs,
                                       .slots = (uintptr_t)mm_slots,
                                       .stub_bytes = MM_STUB_BYTES,
                                       .slot_bytes = sizeof *mm_slots,
                                       .entry_at = offsetof(struct mm_slot, entry),
                                       .site_at = offsetof(struct mm_entry, site),
                                       .count = MM_SLOTS};

    mm_processes_stubs(&stubs);
}

int mm_entries_patch(const char *tables, const char *patterns, int may_rest,
                     const struct mm_entry_calls *how)
{
    char *copy = strdup(tables), *rest = copy, *path;
    const char *why = why_not();
    size_t first, *ends = NULL, count = 0;
    int done = 0;
    char text[300];

    if (why || (copy && mm_slots_prepare(how->admit))) {
        snprintf(text, sizeof text, "functions are not recorded: %s",
                 why ? why : "no thread key is left");
        how->print_line(text);
        free(copy);
        return 0;
    }
    process = getpid();
    note_stubs();
    add_trial();
    first = mm_entry_count;
    /* All tables are read before any entry is called, the trial's among them: a thread
     * counts its calls of as many entries as there are at its first call. */
    while (copy && (path = strsep(&rest, ":")) != NULL) {
        mm_table_read(path, patterns, how->print_line);
        if (mm_entry_count > first && !cca_array_reserve(&ends, count, sizeof *ends))
            ends[count++] = mm_entry_count;
    }
    for (size_t i = 0; i < count; first = ends[i++]) {
        if (ends[i] == first)
            continue;
        prepare_methods(first, ends[i], how);
        done += patch(first, ends[i], how->print_line);
    }
    free(ends);
    for (size_t i = 0; i < mm_entry_count && !may_rest; i++)
        mm_entries[i].may_rest = 0;
    free(copy);
    return done;
}

#else

int mm_entries_patch(const char *tables, const char *patterns, int may_rest,
                     const struct mm_entry_calls *how)
{
    (void)tables;
    (void)patterns;
    (void)may_rest;
    how->print_line("functions are not recorded by their entries: this is no x86-64");
    return 0;
}

void mm_entries_disarm(void)
{
}

void mm_rests_report(void (*print)(void *context, const char *line), void *context)
{
    (void)print;
    (void)context;
}

void mm_rests_counts(void (*take)(const struct mm_own *own, uint64_t calls, int is_least))
{
    (void)take;
}

uint64_t mm_slots_without(void)
{
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
