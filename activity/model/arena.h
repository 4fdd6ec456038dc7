/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h: memory that is freed at once. One thread. */
#ifndef ACTIVITY_MODEL_ARENA_H
#define ACTIVITY_MODEL_ARENA_H

#include <stddef.h>

struct act_arena;

/* NULL: out of memory. */
struct act_arena *act_arena_new(void);
void act_arena_free(struct act_arena *arena);
/* Zeroed, aligned for any object; NULL: out of memory. */
void *act_arena_take(struct act_arena *arena, size_t size);
/* A copy of `length` bytes with a zero behind. */
char *act_arena_text(struct act_arena *arena, const char *text, size_t length);

#endif
