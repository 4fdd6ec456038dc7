/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h: memory that is freed at once. An arena is used by one thread at a time. */
#ifndef ACTIVITY_MODEL_ARENA_H
#define ACTIVITY_MODEL_ARENA_H

#include <stddef.h>

struct act_arena;

/* Make an arena; NULL: out of memory. */
struct act_arena *act_arena_new(void);
void act_arena_free(struct act_arena *arena);
/* Allocate zeroed memory, aligned for any object; NULL: out of memory. */
void *act_arena_take(struct act_arena *arena, size_t size);
/* Copy `length` bytes and append a zero byte. */
char *act_arena_text(struct act_arena *arena, const char *text, size_t length);

#endif
