/* SPDX-License-Identifier: BSD-3-Clause */
/* move.c: move whole patches with their ghost cells, in the order of their numbers. */
#include "components/UniformMesh/parts.h"

#include <errno.h>
#include <stdlib.h>

enum { MOVE_TAG = 3 };

static size_t patch_bytes(const struct moving *m, const struct mesh_patch *patch)
{
    return (size_t)patch->plane * (size_t)m->components * sizeof(double);
}

/* Allocate the patches that arrive. Returns 0 or -ENOMEM. */
static int room_make(struct moving *m)
{
    m->after = calloc((size_t)m->to->count + 1, sizeof *m->after);
    if (!m->after)
        return -ENOMEM;
    for (int index = 0; index < m->to->count; index++)
        if (m->from->locals[m->to->mine[index]] < 0) {
            m->after[index] = calloc(1, patch_bytes(m, &m->patches[index]));
            if (!m->after[index])
                return -ENOMEM;
        }
    return 0;
}

static int values_move(struct moving *m, int patches, struct exchange_port *ranks)
{
    int code = 0;

    for (int patch = 0; patch < patches && !code; patch++) {
        int before = m->from->locals[patch], after = m->to->locals[patch];

        if (before < 0 && after >= 0)
            code = ranks->receive(ranks, m->from->owners[patch], MOVE_TAG,
                                  m->after[after], patch_bytes(m, &m->patches[after]));
        if (before >= 0 && after < 0)
            code = ranks->send(ranks, m->to->owners[patch], MOVE_TAG, m->before[before],
                               patch_bytes(m, &m->leaving[before]));
    }
    return code ? code : ranks->wait(ranks);
}

int patches_move(struct moving *m, int patches, struct exchange_port *ranks)
{
    int code = room_make(m);

    return !code && m->kept && ranks ? values_move(m, patches, ranks) : code;
}

void patches_take(struct moving *m)
{
    for (int index = 0; index < m->to->count; index++) {
        int before = m->from->locals[m->to->mine[index]];

        if (before >= 0) {
            m->after[index] = m->before[before];
            m->before[before] = NULL;
        }
    }
}

void patches_drop(struct moving *m)
{
    for (int index = 0; m->after && index < m->to->count; index++)
        free(m->after[index]);
    free(m->after);
    m->after = NULL;
}
