/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: a program's functions whose first instructions are replaced by a jump to the
 * recorder, from the tables that `mastermind record` has made. */
#ifndef MASTERMIND_PRELOAD_ENTRIES_H
#define MASTERMIND_PRELOAD_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/preload/own.h"

enum { MM_PLACE_ABSENT = 255, MM_FIXES_MOST = 8 };

/* Register or memory position of a call's argument that is recorded as a value. */
struct mm_place {
    /* index among the integer argument registers; MM_PLACE_ABSENT: none */
    unsigned char in;
    /* number of a register's upper bits that are not the value's: 64 minus its size */
    unsigned char shift;
    unsigned char is_signed;
    unsigned char behind; /* true if the register has the address of the value */
};

struct mm_fix {
    unsigned char at, size, end;
    uintptr_t target; /* address that the moved instruction refers to */
};

/* A patched function. */
struct mm_entry {
    struct mm_own *own; /* shared by variants that a compiler has made of one function */
    /* addresses in the trampoline: of its jump to the recorder, and of the function's
     * moved instructions */
    uintptr_t armed, moved;
    /* index of the counter that counts calls while recording is suspended; -1: none */
    int counter;
    int may_rest;     /* true if recording may be suspended when it costs too much */
    int is_uncounted; /* true if it is suspended, and its calls are not counted */
    struct mm_place places[MONITOR_MAX_IN];
    /* address of the trampoline's first jump target, which is `armed` or `moved`, or code
     * that counts calls; access by __atomic */
    uintptr_t *word;
    uint64_t group;
    unsigned char *site; /* address of the function's first instruction, now the jump */
    unsigned char length, bytes_length, fix_count;
    /* original: [length] first bytes of the function; bytes: [bytes_length] its moved
     * instructions */
    unsigned char *original, *bytes;
    struct mm_fix *fixes;
};

/* All patched functions. The array does not change once the program's main has begun. */
extern struct mm_entry *mm_entries __attribute__((visibility("hidden")));
extern size_t mm_entry_count __attribute__((visibility("hidden")));

/* Make the functions whose names match `patterns` call the recorder, by a jump at their
 * beginning.
 *
 *   tables    in   files of mm_entries_get (mastermind/library/entries.h), joined by ':'
 *   patterns  in   patterns of the option --functions
 *   may_rest  in   true if functions that only a wildcard matches may be suspended
 *   how       in   prepare: called for the functions of each object, before any of them
 *                  calls the recorder; admit: called at each function's first call, with
 *                  signals blocked, one caller at a time, where a handler may have
 *                  interrupted the allocator; print_line: prints a line about functions
 *                  that cannot be recorded
 *
 * Returns the number of patched functions. Called before the program's main, in one
 * thread. */
struct mm_entry_calls {
    void (*prepare)(struct mm_own *const *functions, size_t count);
    void (*admit)(struct mm_own *own);
    void (*print_line)(const char *line);
};

int mm_entries_patch(const char *tables, const char *patterns, int may_rest,
                     const struct mm_entry_calls *how);

/* Put the function's own first bytes back, for the rest of the run. Returns 0; -EBUSY:
 * another thread may be running them. */
int mm_entry_restore(const struct mm_entry *entry);

/* Let all functions go on without the recorder, for the rest of the run; open calls have
 * no end in the recording, and threads end without giving anything back. Makes no system
 * call. */
void mm_entries_disarm(void);

/* tables.c: add the functions of the table in the file `path` whose names match the
 * patterns to mm_entries. */
void mm_table_read(const char *path, const char *patterns,
                   void (*print_line)(const char *line));
/* Report the number of functions whose names match a pattern but which cannot be
 * recorded. */
void mm_tables_report(void (*print)(void *context, const char *line), void *context);

#endif
