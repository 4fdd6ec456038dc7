/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: the engine's memory, mapped: a measured malloc would call the engine
 * again. */
#include "messages/engine/inside.h"

#include <sys/mman.h>

enum { PIECE_BYTES = 256 * 1024 };

void *mm_engine_map(struct mm_engine *e, size_t bytes)
{
    struct mm_piece *piece;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes += sizeof *piece;
    piece = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED)
        return NULL;
    piece->bytes = bytes;
    piece->next = e->pieces;
    e->pieces = piece;
    return piece + 1;
}

void *mm_engine_take(struct mm_engine *e, size_t bytes)
{
    char *taken;

    bytes = (bytes + 63) & ~(size_t)63; /* pieces do not share cache lines */
    if (bytes > PIECE_BYTES / 4)
        return mm_engine_map(e, bytes);
    if (e->free_left < bytes) {
        e->free_bytes = mm_engine_map(e, PIECE_BYTES);
        e->free_left = e->free_bytes ? PIECE_BYTES : 0;
        if (!e->free_bytes)
            return NULL;
    }
    taken = e->free_bytes;
    e->free_bytes += bytes;
    e->free_left -= bytes;
    return taken;
}

void mm_engine_unmap(struct mm_engine *e)
{
    struct mm_piece *piece = e->pieces, *next;

    for (; piece; piece = next) {
        next = piece->next;
        munmap(piece, piece->bytes);
    }
}
