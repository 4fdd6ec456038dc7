/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: a program's functions whose beginning is a jump to the recorder, from the
 * tables that `mastermind record` has made. */
#ifndef MASTERMIND_PRELOAD_ENTRIES_H
#define MASTERMIND_PRELOAD_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/preload/own.h"

enum { MM_PLACE_ABSENT = 255, MM_FIXES_MOST = 8 };

/* Where a value of a call is. */
struct mm_place {
    unsigned char
        in; /* place in the order of integer registers; MM_PLACE_ABSENT: nowhere */
    unsigned char size, is_signed, behind;
};

struct mm_fix {
    unsigned char at, size, end;
    uintptr_t target; /* in the process */
};

/* One function. */
struct mm_entry {
    struct mm_own *own; /* shared by variants that a compiler has made of one function */
    struct mm_place places[MONITOR_MAX_IN];
    uintptr_t
        *word; /* where its trampoline goes: into the recorder, or past it; __atomic */
    uintptr_t armed, moved; /* the two */
    int may_rest;           /* it need not be recorded at any cost */
    int counter; /* of its calls once it rests; -1: it does not, or is not counted */
    uint64_t group;
    unsigned char *site; /* of the jump */
    unsigned char length, bytes_length, fix_count;
    unsigned char *original, *bytes; /* [length], [bytes_length] one after the other */
    struct mm_fix *fixes;
};

/* All of them, from when the program's main begins; unchanged afterwards. */
extern struct mm_entry *mm_entries __attribute__((visibility("hidden")));
extern size_t mm_entry_count __attribute__((visibility("hidden")));

/* Make the functions whose names match `patterns` call the recorder, by a jump at their
 * beginning.
 *
 *   tables    in   files of mm_entries_get (mastermind/library/entries.h), with ':'
 *   patterns  in   of --functions
 *   may_rest  in   functions that a wildcard has matched need not be recorded each time
 *   print_line      in   prints a line about functions that cannot be recorded
 *
 * Number of functions. Before the program's main, in one thread. */
int mm_entries_patch(const char *tables, const char *patterns, int may_rest,
                     void (*print_line)(const char *line));

/* tables.c: add the wanted entries of a table. */
void mm_table_read(const char *path, const char *patterns,
                   void (*print_line)(const char *line));
/* Report how many of the functions that match are refused. */
void mm_tables_report(void (*print)(void *context, const char *line), void *context);

#endif
