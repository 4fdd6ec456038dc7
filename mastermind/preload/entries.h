/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: functions of a program that begin with room for a jump
 * (-fpatchable-function-entry), as found by `mastermind record`. */
#ifndef MASTERMIND_PRELOAD_ENTRIES_H
#define MASTERMIND_PRELOAD_ENTRIES_H

#include <stdint.h>

/* Make the functions whose names match `patterns` call the recorder, by a jump at their
 * beginning.
 *
 *   tables    in   paths of tables from mm_entries_get (mastermind/library/entries.h),
 *                  separated by ':'
 *   patterns  in   patterns as in --functions
 *   told      in   callback with a line for each function that cannot be recorded
 *
 * Returns the number of functions. Call it before the program's main, in one thread. */
int mm_entries_patch(const char *tables, const char *patterns,
                     void (*told)(const char *line));

/* Data for entry_call.c about a call of a patched function, in this order. */
struct mm_entry_way {
    uint64_t copied;   /* bytes of stack arguments that the function gets as a copy; a
                        * multiple of 16 */
    const void *after; /* address in the function after the jump */
};

/* Begin a call of entry `index`, with its six integer registers; its return address is at
 * `slot`. */
struct mm_entry_way mm_entry_begin(uint32_t index, const uint64_t registers[6],
                                   uintptr_t slot);
/* End the call whose return address was at `slot`. */
void mm_entry_end(uintptr_t slot);
/* entry_call.c: target of the jumps, with the entry's index in r11. */
extern const char mm_entry_call[] __attribute__((visibility("hidden")));

#endif
