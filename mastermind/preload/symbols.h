/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: names of functions in the symbol tables of loaded files. */
#ifndef MASTERMIND_PRELOAD_SYMBOLS_H
#define MASTERMIND_PRELOAD_SYMBOLS_H

#include <stddef.h>

/* Find the function that begins at `address`. Returns 0; -ENOENT: its file has no such
 * symbol. */
int mm_symbol_of(const void *address, char *name, size_t size);
/* Write the plain name of a symbol to `name`: "solve" for the Fortran symbols solve_ and
 * __solver_MOD_solve, and for the mangled symbol of solve(int, double const*). Without a
 * C++ library in the process, a mangled symbol is copied as it is. */
void mm_symbol_plain(const char *symbol, char *name, size_t size);
/* Compare a function's symbol and name with shell patterns, which are separated by
 * commas. Returns 2 if a pattern without a wildcard matches, 1 if only others do, else
 * 0. */
int mm_symbol_matches(const char *patterns, const char *symbol, const char *name);
/* True if --only or --except was given, so that mm_symbol_is_chosen may be false. */
int mm_symbol_has_choice(void);
/* True unless --only or --except of `mastermind record` leave the function out.
 * `numbered` is the function's name as a method, such as "part#2" for the second function
 * with the name `part`. */
int mm_symbol_is_chosen(const char *symbol, const char *name, const char *numbered);

/* --- program.c ---------------------------------------------------------------------- */

/* Call `visit` with each function that the program's file exports to loaded objects,
 * including functions of statically linked libraries. Returns 0; -ENOENT: the symbols
 * were stripped, or the file cannot be read. */
int mm_program_functions(void (*visit)(void *context, const char *name), void *context);

#endif
