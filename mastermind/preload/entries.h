/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: a program's functions that begin with room for a jump
 * (-fpatchable-function-entry), as `mastermind record` has found them. */
#ifndef MASTERMIND_PRELOAD_ENTRIES_H
#define MASTERMIND_PRELOAD_ENTRIES_H

#include <stdint.h>

/* Let the functions whose names match `patterns` call the recorder, by a jump at their
 * beginning.
 *
 *   tables    in   files of mm_entries_get (mastermind/library/entries.h), with ':'
 *   patterns  in   as those of --functions
 *   told      in   takes a line for what cannot be recorded
 *
 * Number of functions. Before the program's main, in one thread. */
int mm_entries_patch(const char *tables, const char *patterns,
                     void (*told)(const char *line));

/* What a call of a patched function meets, in this order. */
struct mm_entry_way {
    uint64_t copied;   /* bytes of arguments on the stack, of which the function gets a
                          copy; a multiple of 16 */
    const void *after; /* the function, behind the jump */
};

/* A call begins: that of entry `index`, with its six integer registers, whose return
 * address is at `slot`. */
struct mm_entry_way mm_entry_begin(uint32_t index, const uint64_t registers[6],
                                   uintptr_t slot);
/* It returned. */
void mm_entry_end(uintptr_t slot);
/* entry_call.c: where the jumps lead, with the entry's index in r11. */
extern const char mm_entry_call[] __attribute__((visibility("hidden")));

#endif
