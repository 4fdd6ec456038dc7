/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: rows in, block out: differences to the row before, in as few bytes as they need. */
#include "mastermind/recorder/pack.h"

/* Most bytes grow by control bits only: 2 for each 4 bytes, and at least 2 bytes a row. */
size_t mm_pack_bound(size_t bytes)
{
    return sizeof(struct mm_block_head) + bytes + bytes / 8 + 64;
}

/* Store `value` in 0, 1, 2 or 4 bytes (4 are written). Returns the code. */
static inline unsigned put(unsigned char **at, uint32_t value)
{
    unsigned large = value > 0xffff, code = (value > 0) + (value > 0xff) + large;

    memcpy(*at, &value, 4);
    *at += code + large;
    return code;
}

static unsigned char *pack_wide(const uint64_t *words, size_t count, uint32_t change,
                                unsigned char *at)
{
    unsigned char *control = at;

    at += 2;
    control[0] = (unsigned char)put(&at, change);
    control[1] = 0;
    memcpy(at, words + 1, 8 * (count - 1));
    return at + 8 * (count - 1);
}

static unsigned char *pack_row(const uint64_t *words, size_t count, struct mm_pack_state *state,
                               unsigned char *at)
{
    uint32_t f0 = (uint32_t)words[0];
    const uint32_t f[6] = { (uint32_t)words[1], (uint32_t)(words[1] >> 32),
                            (uint32_t)words[2], (uint32_t)(words[2] >> 32),
                            (uint32_t)words[3], (uint32_t)(words[3] >> 32) };
    size_t halves = 2 * (count - 4), i, j;
    unsigned char *control = at;
    struct mm_pack_place *place;
    uint32_t half;
    unsigned code;

    if (f0 & MM_ROW_WIDE)
        return pack_wide(words, count, f0 ^ state->last[0], at);
    at += 2;
    if (!words[3] && f0 == state->last[0] && f[0] == state->last[1] + 1 &&
        f[1] == state->last[2]) { /* leaves in a row: most of the fields take nothing */
        code = put(&at, f[2] - f[3]) << 6;
        code |= put(&at, f[3]) << 8;
    } else {
        code = put(&at, f0 ^ state->last[0]);
        code |= put(&at, mm_zigzag(f[0] - state->last[1] - 1)) << 2;
        code |= put(&at, mm_zigzag(f[1] - state->last[2])) << 4;
        code |= put(&at, f[4] ? f[2] : f[2] - f[3]) << 6;
        code |= put(&at, f[3]) << 8;
        code |= put(&at, f[4]) << 10;
        code |= put(&at, f[5]) << 12;
    }
    state->last[0] = f0;
    state->last[1] = f[0];
    state->last[2] = f[1];
    if (halves) {
        place = mm_pack_place(state, f0 & 0xffff);
        half = (uint32_t)words[4];
        code |= put(&at, half ^ place->halves[0]) << 14;
        place->halves[0] = half;
    }
    control[0] = (unsigned char)code;
    control[1] = (unsigned char)(code >> 8);
    if (halves == 2) { /* one word of values */
        half = (uint32_t)(words[4] >> 32);
        control = at++;
        *control = (unsigned char)put(&at, half ^ place->halves[1]);
        place->halves[1] = half;
        return at;
    }
    for (i = 1; i < halves; i += 4) {
        control = at++;
        code = 0;
        for (j = i; j < halves && j < i + 4; j++) {
            memcpy(&half, (const unsigned char *)(words + 4) + 4 * j, 4);
            code |= put(&at, half ^ place->halves[j]) << 2 * (j - i);
            place->halves[j] = half;
        }
        *control = (unsigned char)code;
    }
    return at;
}

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
    struct mm_block_head head = { .magic = MM_BLOCK_MAGIC,
                                  .seq = window->seq,
                                  .first_row = window->first_row,
                                  .base_invocation = window->base_invocation,
                                  .base_end = window->base_end };
    const uint64_t *words = (const uint64_t *)(window + 1), *end = words + row_bytes / 8;
    unsigned char *at = out + sizeof head;
    size_t count;

    mm_pack_begin(state);
    for (; words < end; words += count) {
        count = mm_row_words(*words);
        head.longjmps += ((*words >> MM_ROW_STATUS_SHIFT) & 3) == MM_STATUS_LONGJMP;
        head.rows++;
        at = pack_row(words, count, state, at);
    }
    while ((at - out) % 8)
        *at++ = 0;
    return seal(&head, out, (size_t)(at - out) - sizeof head);
}

size_t mm_pack_trailer(uint64_t seq, uint64_t rows, const struct mm_trailer *trailer,
                       unsigned char *out)
{
    struct mm_block_head head = { .magic = MM_TRAILER_MAGIC, .seq = seq, .first_row = rows };

    memcpy(out + sizeof head, trailer, sizeof *trailer);
    return seal(&head, out, sizeof *trailer);
}
