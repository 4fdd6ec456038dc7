/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: names of places in code. */
#include "messages/read/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mm_names {
    char text[300];
};

struct mm_names *mm_names_new(void)
{
    return calloc(1, sizeof(struct mm_names));
}

void mm_names_free(struct mm_names *names)
{
    free(names);
}

const char *mm_names_site(struct mm_names *names, const char *path,
                          const uint8_t *build_id, uint32_t build_id_bytes,
                          uint64_t offset)
{
    const char *slash = strrchr(path, '/');

    (void)build_id;
    (void)build_id_bytes;
    snprintf(names->text, sizeof names->text, "%s+0x%llx", slash ? slash + 1 : path,
             (unsigned long long)offset);
    return names->text;
}
