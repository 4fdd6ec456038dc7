/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.h: addr2line as a child that is asked place by place. */
#ifndef MESSAGES_READ_LOOKUP_H
#define MESSAGES_READ_LOOKUP_H

#include <stdint.h>

struct mm_lookup;

/* True if the file at an absolute `path` is an ELF file with that build id; without one
 * (0 bytes) if it is an ELF file without one. */
int mm_lookup_is_object(const char *path, const uint8_t *build_id,
                        uint32_t build_id_bytes);

/* Start a child for the object at an absolute path. NULL: there is no addr2line, or no
 * room for a process. */
struct mm_lookup *mm_lookup_new(const char *path);
/* End it, too. */
void mm_lookup_free(struct mm_lookup *lookup);

/* Find function and "file:line", without folders, of an address as the file counts them;
 * what is not known stays as it was. A child that fails or takes more than 10 s is not
 * asked again. */
void mm_lookup_place(struct mm_lookup *lookup, uint64_t offset, char function[256],
                     char line[256]);

#endif
