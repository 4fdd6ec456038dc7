/* SPDX-License-Identifier: BSD-3-Clause */
/* move.c: rewrite instructions for another address: relative addresses are recomputed,
 * short jumps become long ones. */
#include "mastermind/library/decode/move.h"

#include <string.h>

#include "mastermind/library/decode/instruction.h"

enum { JUMP = 0xe9, PREFIX = 0x0f, BRANCH = 0x80, ADDRESS_BYTES = 8 };

/* State of a rewrite. An instruction may need an 8-byte address that is stored after the
 * code; `constant` is the offset of the instruction's 4-byte distance to it; 0: none. */
struct move {
    struct mm_code_function *function;
    unsigned char constant;
    uint64_t back; /* the 8-byte address */
};

static void put(struct mm_code_function *f, const void *bytes, size_t count)
{
    memcpy(f->moved + f->moved_length, bytes, count);
    f->moved_length = (unsigned char)(f->moved_length + count);
}

static void put_byte(struct mm_code_function *f, unsigned byte)
{
    f->moved[f->moved_length++] = (unsigned char)byte;
}

static void add_fix(struct mm_code_function *f, size_t at, unsigned char size, size_t end,
                    uint64_t target)
{
    f->fixes[f->fix_count++] =
        (struct mm_code_fix){(unsigned char)at, size, (unsigned char)end, target};
}

/* Append the 4-byte distance to `target` at the end of an instruction. */
static void put_distance(struct mm_code_function *f, uint64_t target)
{
    static const unsigned char nothing[4];
    size_t at = f->moved_length;

    put(f, nothing, sizeof nothing);
    add_fix(f, at, 4, at + 4, target);
}

/* Append the instruction push ADDRESS(%rip), which pushes the call's original return
 * address, as the call itself would. */
static void put_return(struct move *move, uint64_t back)
{
    static const unsigned char nothing[4];

    put_byte(move->function, 0xff);
    put_byte(move->function, 0x35);
    move->constant = move->function->moved_length;
    move->back = back;
    put(move->function, nothing, sizeof nothing);
}

static void put_constant(struct move *move)
{
    struct mm_code_function *f = move->function;
    int32_t distance = f->moved_length - (move->constant + 4);
    const unsigned char nothing[ADDRESS_BYTES] = {0};

    if (!move->constant)
        return;
    memcpy(f->moved + move->constant, &distance, sizeof distance);
    add_fix(f, f->moved_length, ADDRESS_BYTES, 0, move->back);
    put(f, nothing, sizeof nothing);
}

/* Copy an instruction that has no relative address, or one of 4 bytes, which is
 * recomputed. */
static void put_same(struct mm_code_function *f, const unsigned char *bytes,
                     const struct code_instruction *i)
{
    size_t from = f->moved_length;

    put(f, bytes, i->length);
    if (i->relative_at)
        add_fix(f, from + i->relative_at, 4, f->moved_length, i->relative);
}

static void put_instruction(struct move *move, const unsigned char *bytes,
                            const struct code_instruction *i, uint64_t end)
{
    struct mm_code_function *f = move->function;

    switch (i->flow) {
    case CODE_JUMP:
        put_byte(f, JUMP);
        put_distance(f, i->target);
        return;
    case CODE_BRANCH:
        put_byte(f, PREFIX);
        put_byte(f, BRANCH | i->condition);
        put_distance(f, i->target);
        return;
    case CODE_CALL:
        put_return(move, end);
        put_byte(f, JUMP);
        put_distance(f, i->target);
        return;
    case CODE_CALLS: /* a call through a pointer in memory: push the return address, then
                        jump through the pointer */
        put_return(move, end);
        put_same(f, bytes, i);
        f->moved[f->moved_length - 5] = 0x25;
        return;
    default:
        put_same(f, bytes, i);
    }
}

/* Return the reason why the instruction that is `length` bytes after the site cannot be
 * moved, or 0. */
static enum mm_code_refusal refusal_of(const unsigned char *bytes,
                                       const struct code_instruction *i, size_t length)
{
    if (i->flow == CODE_FIXED)
        return MM_CODE_FORM;
    if (i->flow == CODE_CALL || i->flow == CODE_CALLS) {
        if (length + i->length < MM_CODE_JUMP)
            return MM_CODE_CALL;
        /* the code ff 15 is call *ADDRESS(%rip); prefixes may precede it */
        if (i->flow == CODE_CALLS &&
            !(i->relative_at && i->length == 6 && bytes[0] == 0xff && bytes[1] == 0x15))
            return MM_CODE_CALL;
    }
    /* ret N, which takes arguments off the stack */
    if (i->flow == CODE_RETURNS && i->length > 2)
        return MM_CODE_FORM;
    return MM_CODE_MOVABLE;
}

static int goes_on(enum code_flow flow)
{
    return flow != CODE_JUMP && flow != CODE_ELSEWHERE && flow != CODE_RETURNS &&
           flow != CODE_NEVER && flow != CODE_CALL && flow != CODE_CALLS;
}

void code_move(struct mm_code_function *f, const unsigned char *bytes, size_t count)
{
    struct move move = {.function = f};
    struct code_instruction i;
    size_t length = 0;

    f->moved_length = f->fix_count = 0;
    i.flow = CODE_NEXT;
    while (length < MM_CODE_JUMP && f->refusal == MM_CODE_MOVABLE) {
        if (!code_instruction_read(bytes + length, count - length, f->site + length, &i))
            f->refusal = count - length < 15 ? MM_CODE_SHORT : MM_CODE_UNREADABLE;
        else
            f->refusal = refusal_of(bytes + length, &i, length);
        if (f->refusal)
            break;
        put_instruction(&move, bytes + length, &i, f->site + length + i.length);
        length += i.length;
    }
    if (f->refusal)
        return;
    if (goes_on(i.flow)) {
        put_byte(f, JUMP);
        put_distance(f, f->site + length);
    }
    put_constant(&move);
    f->length = (unsigned char)length;
    memcpy(f->original, bytes, length);
}
