/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c: the recorder's own share of the process's resident memory: libraries that the
 * program would not have loaded, the growth while the recorder prepares the run, and its
 * mapped files. */
#include "tau_port/memory/memory.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOREIGN_MOST = 16 };

static struct {
    /* libraries that only the recorder's libraries need */
    const char *foreign[FOREIGN_MOST];
    int foreign_count;
    char program[400];                  /* path of the program's file */
    int64_t libraries, in_program, all; /* bytes at the begin of preparations */
    int64_t prepared;                   /* growth by preparations */
    int64_t at_end;                     /* libraries and files at their end */
} own;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), of = strlen(ending);

    return length >= of && strcmp(name + length - of, ending) == 0;
}

static int is_recorder(const char *path)
{
    const char *name = name_of(path);

    return strncmp(name, "libmm_preload.so", strlen("libmm_preload.so")) == 0 ||
           strncmp(name, "libmeas_", strlen("libmeas_")) == 0 ||
           ends_with(name, "_interpose.so");
}

/* True if an object needs the library of this name. */
static int needs(const struct link_map *object, const char *library)
{
    const char *strings = NULL;

    for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = object->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strcmp(strings + d->d_un.d_val, library) == 0)
            return 1;
    return 0;
}

/* Find the libraries that the recorder's libraries need, and no other object. */
static void find_foreign(void)
{
    for (const struct link_map *l = _r_debug.r_map; l; l = l->l_next) {
        const char *name = name_of(l->l_name);
        int by_recorder = 0, by_others = 0;

        for (const struct link_map *o = _r_debug.r_map; o && *name; o = o->l_next) {
            if (!strncmp(o->l_name, "linux-vdso", strlen("linux-vdso")) || !o->l_ld)
                continue;
            *(is_recorder(o->l_name) ? &by_recorder : &by_others) |= needs(o, name);
        }
        if (by_recorder && !by_others && own.foreign_count < FOREIGN_MOST)
            own.foreign[own.foreign_count++] = name;
    }
}

static int is_library(const char *path)
{
    if (is_recorder(path))
        return 1;
    for (int i = 0; i < own.foreign_count; i++)
        if (strcmp(name_of(path), own.foreign[i]) == 0)
            return 1;
    return 0;
}

static int is_later(const char *path)
{
    const char *name = name_of(path);

    return ends_with(name, ".ring") || ends_with(name, "methods.called") ||
           is_library(path);
}

static int is_program(const char *path)
{
    return strcmp(path, own.program) == 0;
}

/* Return the resident bytes of all mappings of files that `is_wanted` selects. */
static int64_t resident(int (*is_wanted)(const char *path))
{
    FILE *file = fopen("/proc/self/smaps", "re");
    char line[4400];
    int wanted = 0;
    int64_t sum = 0;
    long kib;

    while (file && fgets(line, sizeof line, file)) {
        const char *path = strchr(line, '/');

        line[strcspn(line, "\n")] = '\0';
        if (line[0] >= 'A' && line[0] <= 'Z') {
            if (wanted && sscanf(line, "Rss: %ld", &kib) == 1)
                sum += 1024 * (int64_t)kib;
        } else {
            wanted = path && is_wanted(path);
        }
    }
    if (file)
        fclose(file);
    return sum;
}

/* Return the resident bytes of the process; 0: unknown. */
static int64_t resident_now(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[200];
    long kib = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return 1024 * (int64_t)kib;
}

void mem_own_begin(void)
{
    ssize_t length = readlink("/proc/self/exe", own.program, sizeof own.program - 1);

    own.program[length > 0 ? length : 0] = '\0';
    find_foreign();
    own.libraries = resident(is_library);
    own.in_program = resident(is_program);
    own.all = resident_now();
}

/* The recorder has written into the program's code: that is counted as the program's, as
 * it may have used these pages itself. */
void mem_own_end(void)
{
    int64_t grown = resident_now() - own.all - (resident(is_program) - own.in_program);

    own.prepared = own.all && grown > 0 ? grown : 0;
    own.at_end = resident(is_later);
    mem_peak_forget(); /* memory that the preparations gave back is no peak */
}

int64_t mem_own_prepared(void)
{
    return own.libraries + own.prepared;
}

int64_t mem_own_later(void)
{
    return resident(is_later) - own.at_end;
}
