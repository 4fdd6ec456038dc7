/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: names of places in an object's code: function, file and line. */
#ifndef MESSAGES_READ_NAMES_H
#define MESSAGES_READ_NAMES_H

#include <stdint.h>

struct mm_names;

/* Make an empty table of names; NULL: out of memory. */
struct mm_names *mm_names_new(void);
void mm_names_free(struct mm_names *names);

/* Name of the code at `offset` of an object: "smooth relax.c:88" if the object's file
 * still exists with the given build id (none: any) and has debug information; else
 * "relax+0x1234". A file name that was cut begins with '...'. Each place is looked up
 * once. Borrowed until the names are freed. Never NULL. */
const char *mm_names_site(struct mm_names *names, const char *path,
                          const uint8_t *build_id, uint32_t build_id_bytes,
                          uint64_t offset);

#endif
