/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: the name of a function, by its address, from the symbol table of its file.
 */
#ifndef MASTERMIND_PRELOAD_SYMBOLS_H
#define MASTERMIND_PRELOAD_SYMBOLS_H

#include <stddef.h>

/* Find the function that begins at `address`. 0; -ENOENT: its file has no such symbol. */
int mm_symbol_of(const void *address, char *name, size_t size);
/* "solve" of solve_, of __solver_MOD_solve and of solve(int, double const*), whose symbol
 * C++ has mangled; where the process has no library of C++, that stays as it is. */
void mm_symbol_plain(const char *symbol, char *name, size_t size);
/* True where one of the shell patterns, which commas part, names the function. */
int mm_symbol_matches(const char *patterns, const char *symbol, const char *name);

#endif
