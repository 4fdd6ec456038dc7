/* SPDX-License-Identifier: BSD-3-Clause */
/* any_target.h: a component that provides any described port: each method writes down what it was
 * given and answers with what comes. Values are random, the same for the same seed. */
#ifndef ANY_TARGET_H
#define ANY_TARGET_H

#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "proxies/ffi/types.h"
#include "tools/proxygen/perf/model.h"

enum { ANY_CELLS = 16, ANY_CELL_BYTES = 64, ANY_PORT_BYTES = 4096 };

/* What a call must leave alone: errno, the floating-point flags and how numbers are rounded. */
struct any_state {
    int number, flags, rounding;
};

struct any_target {
    _Alignas(16) unsigned char port[ANY_PORT_BYTES]; /* what it provides */
    _Alignas(16) unsigned char cells[ANY_CELLS][ANY_CELL_BYTES]; /* what pointers point to */
    struct pg_port *described;
    FILE *log;
    uint64_t seed;
    const char *called; /* the method that the caller calls; others are called to get numbers */
    struct any_state given, left; /* with which it called, and which that method left */
};

static inline uint64_t any_random(struct any_target *any)
{
    any->seed ^= any->seed << 13;
    any->seed ^= any->seed >> 7;
    any->seed ^= any->seed << 17;
    return any->seed;
}

static inline struct any_state any_state_now(void)
{
    return (struct any_state){errno, fetestexcept(FE_ALL_EXCEPT), fegetround()};
}

static inline int any_state_is(const struct any_state *want)
{
    const struct any_state now = any_state_now();

    return now.number == want->number && now.flags == want->flags &&
           now.rounding == want->rounding;
}

/* Another, in which flags are up or not; the last thing that is done. */
static inline struct any_state any_state_new(struct any_target *any)
{
    static const int roundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    static const int flags[] = {0, FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    int rounding = roundings[any_random(any) % 4], flag = flags[any_random(any) % 6];
    int number = (int)(any_random(any) % 100);

    fesetround(rounding);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(flag);
    errno = number;
    return any_state_now();
}

/* A number by its scalar as a layout. */
static inline struct pg_layout any_layout(const struct pg_scalar *value,
                                          const struct pg_layout *layout)
{
    size_t size = (size_t)(value->bits + 7) / 8;

    if (value->cls == PG_FLOATING)
        return (struct pg_layout){.kind = PG_LAYOUT_FLOAT, .size = size};
    if (value->cls == PG_INTEGER)
        return (struct pg_layout){.kind = value->is_signed ? PG_LAYOUT_INT : PG_LAYOUT_UINT,
                                  .size = size,
                                  .count = value->bits == 1}; /* only 0 and 1 */
    return *layout;
}

/* Finite, of many sizes. */
static inline void any_fill_real(struct any_target *any, size_t size, void *at)
{
    double real = (double)(int64_t)any_random(any) / (double)(1 + any_random(any) % 4096);
    float single = (float)real;
    long double extended = (long double)real / 3;

    memcpy(at, size == sizeof single ? (void *)&single : size == sizeof real ? (void *)&real
                                                                             : &extended,
           size == sizeof extended ? 10 : size);
}

/* Small ones as often as any. */
static inline void any_fill_integer(struct any_target *any, const struct pg_layout *layout,
                                    void *at)
{
    uint64_t kind = any_random(any), number = any_random(any);

    if (layout->count)
        number &= 1;
    else if (kind % 2)
        number = (uint64_t)((int64_t)(number % 21) - 10);
    else if (kind % 16 == 2)
        number = UINT64_C(1) << (8 * layout->size - 1);
    memcpy(at, &number, layout->size);
}

static inline void any_fill(struct any_target *any, const struct pg_layout *layout, void *to)
{
    unsigned char *at = to;
    void *cell = any->cells[any_random(any) % ANY_CELLS];

    switch (layout->kind) {
    case PG_LAYOUT_INT:
    case PG_LAYOUT_UINT:
        any_fill_integer(any, layout, at);
        break;
    case PG_LAYOUT_FLOAT:
        any_fill_real(any, layout->size, at);
        break;
    case PG_LAYOUT_COMPLEX:
        any_fill_real(any, layout->size / 2, at);
        any_fill_real(any, layout->size / 2, at + layout->size / 2);
        break;
    case PG_LAYOUT_POINTER:
        if (any_random(any) % 4 == 0)
            cell = NULL;
        memcpy(at, &cell, sizeof cell);
        break;
    case PG_LAYOUT_ARRAY:
        for (size_t i = 0; i < layout->count; i++)
            any_fill(any, &layout->parts[0], at + i * layout->parts[0].size);
        break;
    default:
        for (size_t i = 0; i < layout->part_count; i++)
            any_fill(any, &layout->parts[i], at + layout->parts[i].offset);
    }
}

/* Write down a value, without what lies between its parts. */
static inline void any_note(struct any_target *any, const struct pg_layout *layout,
                            const void *from)
{
    const unsigned char *at = from;
    size_t bytes = layout->size;
    uintptr_t address;

    switch (layout->kind) {
    case PG_LAYOUT_POINTER:
        memcpy(&address, at, sizeof address);
        if (address)
            address = address - (uintptr_t)any->cells + 1;
        fprintf(any->log, " &%zx", (size_t)address);
        break;
    case PG_LAYOUT_COMPLEX: {
        struct pg_layout half = {.kind = PG_LAYOUT_FLOAT, .size = layout->size / 2};

        any_note(any, &half, at);
        any_note(any, &half, at + half.size);
        break;
    }
    case PG_LAYOUT_ARRAY:
        for (size_t i = 0; i < layout->count; i++)
            any_note(any, &layout->parts[0], at + i * layout->parts[0].size);
        break;
    case PG_LAYOUT_STRUCT:
        for (size_t i = 0; i < layout->part_count; i++)
            any_note(any, &layout->parts[i], at + layout->parts[i].offset);
        break;
    default:
        if (layout->kind == PG_LAYOUT_FLOAT && bytes > sizeof(double))
            bytes = 10; /* of the 16 that it takes */
        fputc(' ', any->log);
        for (size_t i = 0; i < bytes; i++)
            fprintf(any->log, "%02x", at[i]);
    }
}

#endif
