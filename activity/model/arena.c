/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.c: memory that is freed at once. */
#include "activity/model/arena.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

struct piece {
    struct piece *next;
    size_t used, size;
    max_align_t memory[];
};

struct act_arena {
    struct piece *pieces;
};

struct act_arena *act_arena_new(void)
{
    return calloc(1, sizeof(struct act_arena));
}

void act_arena_free(struct act_arena *arena)
{
    struct piece *piece, *next;

    for (piece = arena ? arena->pieces : NULL; piece; piece = next) {
        next = piece->next;
        free(piece);
    }
    free(arena);
}

void *act_arena_take(struct act_arena *arena, size_t size)
{
    struct piece *piece = arena->pieces;
    size_t room = size > PIECE ? size : PIECE;

    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!piece || piece->size - piece->used < size) {
        piece = calloc(1, sizeof *piece + room + sizeof(max_align_t));
        if (!piece)
            return NULL;
        piece->size = room + sizeof(max_align_t);
        piece->next = arena->pieces;
        arena->pieces = piece;
    }
    piece->used += size;
    return (char *)piece->memory + piece->used - size;
}

char *act_arena_text(struct act_arena *arena, const char *text, size_t length)
{
    char *copy = act_arena_take(arena, length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}
