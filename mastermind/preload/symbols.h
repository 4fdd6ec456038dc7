/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: names of functions in the symbol tables of loaded files. */
#ifndef MASTERMIND_PRELOAD_SYMBOLS_H
#define MASTERMIND_PRELOAD_SYMBOLS_H

#include <stddef.h>

/* Find the function that begins at `address`. Returns 0; -ENOENT: its file has no such
 * symbol. */
int mm_symbol_of(const void *address, char *name, size_t size);
/* "solve" for solve_, for __solver_MOD_solve and for the mangled symbol of solve(int,
 * double const*), which stays as it is if the process has no C++ library. */
void mm_symbol_plain(const char *symbol, char *name, size_t size);
/* 1 if one of the shell patterns, which are separated by commas, matches the function; 2
 * if one without a wildcard does; else 0. */
int mm_symbol_matches(const char *patterns, const char *symbol, const char *name);
/* True unless --only or --except of `mastermind record` leave the function out.
 * `numbered` is its name as a method, "part#2" for the second function `part`. */
int mm_symbol_is_chosen(const char *symbol, const char *name, const char *numbered);

/* --- program.c ---------------------------------------------------------------------- */

/* Call `visit` with each function that the program's file exports to loaded objects,
 * including functions of statically linked libraries. Returns 0; -ENOENT: the symbols
 * were stripped, or the file cannot be read. */
int mm_program_functions(void (*visit)(void *context, const char *name), void *context);

#endif
