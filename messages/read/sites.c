/* SPDX-License-Identifier: BSD-3-Clause */
/* sites.c: names of callsites, each computed once. */
#include "messages/read/sites.h"

#include <stdio.h>
#include <stdlib.h>

#include "messages/read/names.h"
#include "messages/read/parts.h"

struct mm_site_names {
    const struct mm_messages *messages;
    struct mm_names *names;
    struct mm_word_table table; /* table of names (char *) by key of the callsite */
};

struct mm_site_names *mm_site_names_new(const struct mm_messages *messages)
{
    struct mm_site_names *names = calloc(1, sizeof *names);

    if (!names || !(names->names = mm_names_new())) {
        free(names);
        return NULL;
    }
    names->messages = messages;
    mm_word_table_init(&names->table, 1, sizeof(char *));
    return names;
}

void mm_site_names_free(struct mm_site_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->table.count; i++)
        free(*(char **)mm_word_table_value(&names->table, i));
    mm_word_table_done(&names->table);
    mm_names_free(names->names);
    free(names);
}

static char *make_name(struct mm_site_names *names, uint64_t key)
{
    const struct mm_messages *m = names->messages;
    const struct mm_messages_known_site *site = mm_messages_site(m, key);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    if (!site)
        fputs(key == 0 || key == UINT64_MAX ? "(unknown)" : "", to);
    if (!site && key != 0 && key != UINT64_MAX)
        fprintf(to, "callsite %016llx", (unsigned long long)key);
    for (uint32_t i = 0; site && i < site->frames; i++) {
        uint32_t object = site->frame[i].object;

        fputs(i ? " < " : "", to);
        if (object < m->object_count)
            fputs(mm_names_site(names->names, m->objects[object].path,
                                m->objects[object].build_id,
                                m->objects[object].build_id_bytes, site->frame[i].offset),
                  to);
        else
            fprintf(to, "(unknown)+0x%llx", (unsigned long long)site->frame[i].offset);
    }
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

const char *mm_site_name(struct mm_site_names *names, uint64_t key)
{
    char **name = mm_word_table_add(&names->table, &key);

    if (name && !*name)
        *name = make_name(names, key);
    return name && *name ? *name : "(out of memory)";
}
