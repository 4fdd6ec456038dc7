/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: the name of a function, by its address, from the symbol table of its file.
 */
#ifndef MASTERMIND_PRELOAD_SYMBOLS_H
#define MASTERMIND_PRELOAD_SYMBOLS_H

#include <stddef.h>

/* Find the function that begins at `address`. 0; -ENOENT: its file has no such symbol. */
int mm_symbol_of(const void *address, char *name, size_t size);
/* Copy the name as C++ writes it, where it is one of C++ and the process has its library.
 */
void mm_symbol_demangle(const char *symbol, char *name, size_t size);

#endif
