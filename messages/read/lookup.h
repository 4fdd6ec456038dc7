/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.h: look up places in code with addr2line, which runs as a child. */
#ifndef MESSAGES_READ_LOOKUP_H
#define MESSAGES_READ_LOOKUP_H

#include <stdint.h>

struct mm_lookup;

/* Whether the file at an absolute `path` is an ELF file with that build id, or, with 0
 * bytes, an ELF file without one. */
int mm_lookup_is_object(const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes);

/* Start a child for the object at an absolute path. NULL: addr2line is missing, or no
 * process could be made. */
struct mm_lookup *mm_lookup_new(const char *path);
/* Free a lookup and end its child. */
void mm_lookup_free(struct mm_lookup *lookup);

/* Find function and "file:line" (without folders) of an address in the file's numbering;
 * unknown parts stay unchanged. A child that fails or takes more than 10 s is not used
 * again. */
void mm_lookup_place(struct mm_lookup *lookup, uint64_t offset, char function[256],
                     char line[256]);

#endif
