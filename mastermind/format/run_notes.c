/* SPDX-License-Identifier: BSD-3-Clause */
/* run_notes.c: notes that the processes of a recorded run leave in shared memory. */
#include "mastermind/format/run_notes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "mmrun/1"

enum { NAMED = 5, ROOM = 600 };

static struct mm_run_notes *map(int fd)
{
    void *memory = mmap(NULL, sizeof(struct mm_run_notes), PROT_READ | PROT_WRITE,
                        MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

struct mm_run_notes *mm_run_notes_make(char path[40])
{
    int fd = memfd_create("mastermind", MFD_CLOEXEC);
    struct mm_run_notes *notes = NULL;

    if (fd >= 0 && !ftruncate(fd, sizeof *notes))
        notes = map(fd);
    if (notes)
        memcpy(notes->magic, MAGIC, sizeof notes->magic);
    else if (fd >= 0)
        close(fd);
    snprintf(path, 40, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return notes;
}

static struct mm_run_notes *map_path(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct mm_run_notes *notes = NULL;
    struct stat about;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size == sizeof *notes)
        notes = map(fd);
    close(fd);
    if (notes && memcmp(notes->magic, MAGIC, sizeof notes->magic) != 0) {
        munmap(notes, sizeof *notes);
        notes = NULL;
    }
    return notes;
}

struct mm_run_notes *mm_run_notes_map(const char *path)
{
    struct mm_run_notes *notes = path ? map_path(path) : NULL;

    return notes ? notes : map(-1);
}

struct mm_run_process *mm_run_notes_process(struct mm_run_notes *notes, pid_t id)
{
    uint32_t count = __atomic_load_n(&notes->count, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < count && i < MM_RUN_PROCESSES; i++)
        if (__atomic_load_n(&notes->processes[i].id, __ATOMIC_RELAXED) == id)
            return &notes->processes[i];
    count = __atomic_fetch_add(&notes->count, 1, __ATOMIC_RELAXED);
    if (count >= MM_RUN_PROCESSES)
        return NULL;
    __atomic_store_n(&notes->processes[count].id, id, __ATOMIC_RELAXED);
    return &notes->processes[count];
}

/* --- Lines ---------------------------------------------------------------- */

/* Return the name of a process, or its experiment, if it is of the kind `kind`; else
 * NULL. */
static const char *name_of(const struct mm_run_process *process, enum mm_run_kind kind,
                           int has_experiment)
{
    if (process->kind != (uint32_t)kind ||
        (kind == MM_RUN_RECORDED && (*process->experiment != 0) != has_experiment))
        return NULL;
    return kind == MM_RUN_RECORDED && has_experiment ? process->experiment
                                                     : process->name;
}

/* Write the names of the processes of a kind, each name once: "sh (2), cc1 and 3 more".
 * Returns the number of processes of that kind. */
static unsigned name_kind(const struct mm_run_notes *notes, enum mm_run_kind kind,
                          int has_experiment, char text[ROOM])
{
    unsigned count = 0, named = 0, told = 0;
    int used = 0;

    *text = 0;
    for (uint32_t i = 0; i < notes->count && i < MM_RUN_PROCESSES; i++) {
        const char *name = name_of(&notes->processes[i], kind, has_experiment), *other;
        unsigned same = 0, is_first = 1;

        if (!name)
            continue;
        count++;
        for (uint32_t k = 0; k < notes->count && k < MM_RUN_PROCESSES; k++) {
            other = name_of(&notes->processes[k], kind, has_experiment);
            if (other && !strcmp(name, other)) {
                same++;
                is_first &= k >= i;
            }
        }
        if (!is_first || named == NAMED)
            continue;
        used += snprintf(text + used, ROOM - (size_t)used,
                         same > 1 ? "%s%.95s (%u)" : "%s%.95s", named ? ", " : "", name,
                         same);
        named++;
        told += same;
    }
    if (told < count)
        snprintf(text + used, ROOM - (size_t)used, " and %u more", count - told);
    return count;
}

static const char *processes(unsigned count)
{
    return count == 1 ? "process" : "processes";
}

void mm_run_notes_report(struct mm_run_notes *notes, int64_t children_ns,
                         void (*print)(void *context, const char *line), void *context)
{
    char names[ROOM], line[ROOM + 200];
    unsigned count;

    notes->is_reported = 1;
    count = name_kind(notes, MM_RUN_RECORDED, 0, names);
    if (count) {
        snprintf(line, sizeof line,
                 "%u %s that it started called no recorded function: %s", count,
                 processes(count), names);
        print(context, line);
    }
    count = name_kind(notes, MM_RUN_RECORDED, 1, names);
    if (count) {
        snprintf(line, sizeof line, "%u %s that it started %s recorded: %s", count,
                 processes(count), count == 1 ? "is" : "are", names);
        print(context, line);
    }
    count = name_kind(notes, MM_RUN_PROGRAM, 0, names);
    if (count) {
        snprintf(line, sizeof line,
                 "%u %s that it started %s not recorded: %s; --children records %s",
                 count, processes(count), count == 1 ? "is" : "are", names,
                 count == 1 ? "it" : "them");
        print(context, line);
    }
    count = name_kind(notes, MM_RUN_FORKED, 0, names);
    if (count) {
        snprintf(line, sizeof line,
                 "%u forked %s without exec %s not recorded: calls there have no row",
                 count, processes(count), count == 1 ? "is" : "are");
        print(context, line);
    }
    if (notes->count > MM_RUN_PROCESSES) {
        snprintf(line, sizeof line, "%u more processes that it started are not named",
                 notes->count - MM_RUN_PROCESSES);
        print(context, line);
    }
    if (!notes->count && children_ns > 0) {
        snprintf(line, sizeof line,
                 "processes that cannot be followed (clone, static programs) used %.3g "
                 "ms of CPU time: their calls are not recorded",
                 (double)children_ns / 1e6);
        print(context, line);
    }
}
