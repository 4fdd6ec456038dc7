/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_unpack.c: decode packed rows, the inverse of mastermind/recorder/pack.c. */
#include "mastermind/reader/experiment_parts.h"

void mm_unpack_begin(struct mm_unpacker *u, const unsigned char *payload, size_t bytes)
{
    u->at = payload;
    u->end = payload + bytes;
    mm_pack_begin(&u->state);
}

/* Read a number of a packed row; the two low bits of `code` give its length. Returns 0,
 * or -1 if the block ends before. */
static int read_number(struct mm_unpacker *u, unsigned code, uint32_t *value)
{
    static const unsigned char length[4] = {0, 1, 2, 4};
    size_t n = length[code & 3];

    *value = 0;
    if ((size_t)(u->end - u->at) < n)
        return -1;
    memcpy(value, u->at, n);
    u->at += n;
    return 0;
}

static size_t read_wide(struct mm_unpacker *u, uint32_t f0, uint64_t *words)
{
    size_t count = mm_row_words(f0);

    if (count < (mm_is_reading(f0) ? MM_READING_WORDS : 7) || count > MM_ROW_MAX_WORDS ||
        (size_t)(u->end - u->at) < 8 * (count - 1))
        return 0;
    memcpy(words + 1, u->at, 8 * (count - 1));
    u->at += 8 * (count - 1);
    return count;
}

/* Read the words of a row from word 4 on: 32-bit halves, each stored as the difference
 * from the previous row of the same method. */
static int read_halves(struct mm_unpacker *u, uint32_t method, size_t halves,
                       unsigned code, unsigned char *out)
{
    struct mm_pack_place *place = mm_pack_place(&u->state, method);
    uint32_t change;
    size_t i;

    for (i = 0; i < halves; i++) {
        if (i % 4 == 1) {
            if (u->at == u->end)
                return -1;
            code = *u->at++;
        }
        if (read_number(u, code, &change))
            return -1;
        code >>= 2;
        place->halves[i] ^= change;
        memcpy(out + 4 * i, &place->halves[i], 4);
    }
    return 0;
}

size_t mm_unpack_row(struct mm_unpacker *u, uint64_t words[MM_ROW_MAX_WORDS])
{
    uint32_t *last = u->state.last, f0, f[6], g[7];
    unsigned control;
    size_t count, i;

    if (u->end - u->at < 2)
        return 0;
    control = u->at[0] | (unsigned)u->at[1] << 8;
    u->at += 2;
    if (read_number(u, control, &g[0]))
        return 0;
    f0 = last[0] ^ g[0];
    words[0] = f0;
    if (f0 & MM_ROW_WIDE)
        return read_wide(u, f0, words);
    count = mm_row_words(f0);
    if (count < 4 || count > MM_ROW_MAX_WORDS)
        return 0;
    for (i = 1; i < 7; i++)
        if (read_number(u, control >> 2 * i, &g[i]))
            return 0;
    f[0] = last[1] + mm_unzigzag(g[1]) + 1;
    f[1] = last[2] + mm_unzigzag(g[2]);
    f[2] = g[5] ? g[3] : g[3] + g[4];
    f[3] = g[4];
    f[4] = g[5];
    f[5] = g[6];
    memcpy(words + 1, f, sizeof f);
    last[0] = f0;
    last[1] = f[0];
    last[2] = f[1];
    if (count > 4 && read_halves(u, f0 & 0xffff, 2 * (count - 4), control >> 14,
                                 (unsigned char *)(words + 4)))
        return 0;
    return count;
}
