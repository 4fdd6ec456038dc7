/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: find the address of a function in a shared object by its symbol tables. */
#ifndef PROPERTIES_LOAD_MEASURE_SYMBOLS_H
#define PROPERTIES_LOAD_MEASURE_SYMBOLS_H

#include <stdint.h>

/* Find the function `name` in the ELF file at `path`, in its static symbols if it has
 * them: the symbol of that name, else the only one whose name ends in `_name`. Returns 1
 * with *offset, in the file's own addresses; 0: none, several, no such file, or not
 * readable. Nothing in the file is trusted. */
int mm_symbol_find(const char *path, const char *name, uint64_t *offset);

#endif
