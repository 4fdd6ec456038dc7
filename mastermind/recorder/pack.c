/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: compress rows into a block, as differences from the previous row. */
#include "mastermind/recorder/pack.h"

#define ALWAYS inline __attribute__((always_inline))

/* Packing makes rows longer only by control bits: 2 bits for each 4 bytes, and at least 2
 * bytes for each row. */
size_t mm_pack_bound(size_t bytes)
{
    return sizeof(struct mm_block_head) + bytes + bytes / 8 + 64;
}

/* Indexed by the number of bits of a value: the number of bytes that it takes, and the
 * code of this length << 8. */
static const uint16_t sizes[33] = {
    0,     0x101, 0x101, 0x101, 0x101, 0x101, 0x101, 0x101, 0x101, 0x202, 0x202,
    0x202, 0x202, 0x202, 0x202, 0x202, 0x202, 0x304, 0x304, 0x304, 0x304, 0x304,
    0x304, 0x304, 0x304, 0x304, 0x304, 0x304, 0x304, 0x304, 0x304, 0x304, 0x304,
};

/* Store `value` in 0, 1, 2 or 4 bytes, and advance `*at` by these, though 4 bytes are
 * always written. Returns the code of the length. */
static ALWAYS unsigned put_code(unsigned char **at, uint32_t value)
{
    unsigned size = sizes[63 - __builtin_clzll((uint64_t)value << 1 | 1)];

    memcpy(*at, &value, 4);
    *at += size & 0xff;
    return size >> 8;
}

static ALWAYS unsigned char *pack_wide(const uint64_t *words, size_t count,
                                       uint32_t change, unsigned char *at)
{
    unsigned char *control = at;

    at += 2;
    control[0] = (unsigned char)put_code(&at, change);
    control[1] = 0;
    memcpy(at, words + 1, 8 * (count - 1));
    return at + 8 * (count - 1);
}

/* Non-zero if any 32-bit half of the row's values, except the first half, differs from
 * the previous row. */
static ALWAYS uint64_t later_halves_change(const uint64_t *words, size_t count,
                                           const uint32_t *before)
{
    uint64_t word, change;

    memcpy(&word, before, 8);
    change = (words[0] ^ word) >> 32;
    for (size_t i = 1; i < count; i++) {
        memcpy(&word, before + 2 * i, 8);
        change |= words[i] ^ word;
    }
    return change;
}

static ALWAYS unsigned char *pack_row(const uint64_t *words, size_t count,
                                      struct mm_pack_state *state, unsigned char *at)
{
    uint32_t f0 = (uint32_t)words[0];
    const uint32_t f[6] = {(uint32_t)words[1], (uint32_t)(words[1] >> 32),
                           (uint32_t)words[2], (uint32_t)(words[2] >> 32),
                           (uint32_t)words[3], (uint32_t)(words[3] >> 32)};
    size_t halves = 2 * (count - 4), i, j;
    unsigned char *control = at;
    struct mm_pack_place *place;
    uint32_t half, number, caller;
    unsigned code;

    if (f0 & MM_ROW_WIDE)
        return pack_wide(words, count, f0 ^ state->last[0], at);
    at += 2;
    code = put_code(&at, f0 ^ state->last[0]);
    number = f[0] - state->last[1] - 1;
    caller = f[1] - state->last[2];
    if (number | caller) {
        code |= put_code(&at, mm_zigzag(number)) << 2;
        code |= put_code(&at, mm_zigzag(caller)) << 4;
    }
    code |= put_code(&at, f[4] ? f[2] : f[2] - f[3]) << 6;
    code |= put_code(&at, f[3]) << 8;
    if (words[3]) {
        code |= put_code(&at, f[4]) << 10;
        code |= put_code(&at, f[5]) << 12;
    }
    state->last[0] = f0;
    state->last[1] = f[0];
    state->last[2] = f[1];
    if (halves) {
        place = mm_pack_place(state, f0 & 0xffff);
        half = (uint32_t)words[4];
        code |= put_code(&at, half ^ place->halves[0]) << 14;
        place->halves[0] = half;
    }
    control[0] = (unsigned char)code;
    control[1] = (unsigned char)(code >> 8);
    if (halves && !later_halves_change(words + 4, count - 4, place->halves)) {
        for (i = 1; i < halves; i += 4)
            *at++ = 0;
        return at;
    }
    for (i = 1; i < halves; i += 4) {
        control = at++;
        code = 0;
        for (j = i; j < halves && j < i + 4; j++) {
            memcpy(&half, (const unsigned char *)(words + 4) + 4 * j, 4);
            code |= put_code(&at, half ^ place->halves[j]) << 2 * (j - i);
            place->halves[j] = half;
        }
        *control = (unsigned char)code;
    }
    return at;
}

/* Pack consecutive rows of leaf calls, the most frequent kind: 5 words, the method and
 * the caller of the previous row, the next invocation number, no callees and no MPI. Only
 * the time since the previous row, the wall time and two 32-bit halves of values can take
 * bytes. Returns the number of rows; `*out` is set to the end of the packed bytes. */
static ALWAYS size_t pack_leaves(const uint64_t *words, const uint64_t *end,
                                 struct mm_pack_state *state, unsigned char **out)
{
    uint64_t number = (uint64_t)state->last[1] | (uint64_t)state->last[2] << 32, change,
             values;
    struct mm_pack_place *place = mm_pack_place(state, state->last[0] & 0xffff);
    uint32_t f0 = state->last[0], wall;
    unsigned char *at = *out, *control;
    const uint64_t *from = words;
    unsigned code;

    memcpy(&values, place->halves, 8);
    for (; words < end; words += 5) {
        /* Stop before the lower 32 bits of the invocation number wrap around. */
        if ((words[1] ^ (number + 1)) | words[3] | (uint32_t)(words[0] ^ f0))
            break;
        number++;
        wall = (uint32_t)(words[2] >> 32);
        change = words[4] ^ values;
        values = words[4];
        control = at;
        at += 2;
        code = put_code(&at, (uint32_t)words[2] - wall) << 6;
        code |= put_code(&at, wall) << 8;
        code |= put_code(&at, (uint32_t)change) << 14;
        control[0] = (unsigned char)code;
        control[1] = (unsigned char)(code >> 8);
        control = at++;
        *control = (unsigned char)put_code(&at, (uint32_t)(change >> 32));
    }
    memcpy(place->halves, &values, 8);
    state->last[1] = (uint32_t)number;
    state->last[2] = (uint32_t)(number >> 32);
    *out = at;
    return (size_t)(words - from) / 5;
}

/* Pack rows and readings, and count them in `head`, also the rows of calls that longjmp
 * left. Returns the end of the packed bytes. */
static ALWAYS unsigned char *pack_rows(const uint64_t *words, const uint64_t *end,
                                       struct mm_pack_state *state,
                                       struct mm_block_head *head, unsigned char *at)
{
    size_t count, leaves;
    int longjmp, reading;

    while (words < end) {
        count = mm_row_words(*words);
        longjmp = ((*words >> MM_ROW_STATUS_SHIFT) & 3) == MM_STATUS_LONGJMP;
        reading = mm_is_reading(*words);
        head->longjmps += longjmp;
        head->rows += !reading;
        head->limited += (uint64_t)reading;
        at = pack_row(words, count, state, at);
        words += count;
        if (count == 5 && !longjmp && !(words[-5] & MM_ROW_WIDE)) {
            leaves = pack_leaves(words, end, state, &at);
            head->rows += (uint32_t)leaves;
            words += 5 * leaves;
        }
    }
    return at;
}

static unsigned char *pack_rows_anywhere(const uint64_t *words, const uint64_t *end,
                                         struct mm_pack_state *state,
                                         struct mm_block_head *head, unsigned char *at)
{
    return pack_rows(words, end, state, head, at);
}

#if defined(__x86_64__)
/* Like pack_rows, but with the instructions lzcnt and bmi, which processors have had for
 * about ten years. */
static __attribute__((target("lzcnt,bmi,bmi2"))) unsigned char *
pack_rows_lzcnt(const uint64_t *words, const uint64_t *end, struct mm_pack_state *state,
                struct mm_block_head *head, unsigned char *at)
{
    return pack_rows(words, end, state, head, at);
}

/* only bmi2 is checked: all processors with it have lzcnt, too, whose name not all
 * compilers know */
static int has_lzcnt(void)
{
    return __builtin_cpu_supports("bmi2");
}
#else
#define pack_rows_lzcnt pack_rows_anywhere

static int has_lzcnt(void)
{
    return 0;
}
#endif

static size_t seal(struct mm_block_head *head, unsigned char *out, size_t payload)
{
    head->bytes = (uint32_t)payload;
    head->check = mm_block_check(head, offsetof(struct mm_block_head, check), 0);
    head->check = mm_block_check(out + sizeof *head, payload, head->check);
    memcpy(out, head, sizeof *head);
    return sizeof *head + payload;
}

size_t mm_pack_window(const struct mm_window_head *window, size_t row_bytes,
                      struct mm_pack_state *state, unsigned char *out)
{
    struct mm_block_head head = {.magic = MM_BLOCK_MAGIC,
                                 .seq = window->seq,
                                 .first_row = window->first_row,
                                 .base_invocation = window->base_invocation,
                                 .base_end = window->base_end};
    const uint64_t *words = (const uint64_t *)(window + 1), *end = words + row_bytes / 8;
    unsigned char *at = out + sizeof head;

    mm_pack_begin(state);
    at = (has_lzcnt() ? pack_rows_lzcnt : pack_rows_anywhere)(words, end, state, &head,
                                                              at);
    while ((at - out) % 8)
        *at++ = 0;
    return seal(&head, out, (size_t)(at - out) - sizeof head);
}

size_t mm_pack_trailer(uint64_t seq, const struct mm_ring_live *live,
                       uint64_t invocations, unsigned char *out)
{
    struct mm_block_head head = {.magic = MM_TRAILER_MAGIC,
                                 .seq = seq,
                                 .first_row = live->rows,
                                 .limited = mm_count_read(&live->limited)};
    struct mm_trailer trailer = {.dropped = mm_count_read(&live->dropped),
                                 .nested = mm_count_read(&live->nested),
                                 .invocations = invocations,
                                 .folded = live->folded,
                                 .counted = live->counted,
                                 .other = live->other};

    memcpy(out + sizeof head, &trailer, sizeof trailer);
    return seal(&head, out, sizeof trailer);
}
