/* SPDX-License-Identifier: BSD-3-Clause */
/* given_profile.c: make an experiment for an imported profile. */
#include "mesh/convert/parts.h"

#include <ctype.h>
#include <string.h>

struct mm_given *mesh_given_new(const char *output, const char *source, int ranks,
                                struct cca_error *err)
{
    struct mm_given_about about = {
        .origin = "imported", .source = source, .ns_per_tick = 1, .ranks = ranks};

    return mm_given_new(output, &about, err);
}

void mesh_given_name(const char *text, const char *otherwise,
                     char name[MM_MESH_NAME_BYTES])
{
    size_t used = 0;

    for (; *text && used + 1 < MM_MESH_NAME_BYTES; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '.' && used == 0)
            continue; /* a name must not begin with a dot */
        name[used++] = (char)(c < 0x80 && (isalnum(c) || strchr("_.+-", c)) ? c : '_');
    }
    name[used] = '\0';
    if (!used)
        snprintf(name, MM_MESH_NAME_BYTES, "%s", otherwise);
}
