/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h: where a function lies in a shared object, by its symbols. */
#ifndef PROPERTIES_LOAD_MEASURE_SYMBOLS_H
#define PROPERTIES_LOAD_MEASURE_SYMBOLS_H

#include <stdint.h>

/* Find the function `name` in the ELF file at `path`, whose static symbols are asked
 * where it has them: the one of that name, else the only one whose name ends in `_name`.
 * 1 and
 * `*offset`, as the file counts; 0: none, several, no such file, or not readable. Nothing
 * of the file is trusted. */
int mm_symbol_find(const char *path, const char *name, uint64_t *offset);

#endif
