/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c: the update of a cell.
 *
 * Along one dimension half cells 2j, 2j+1 with values h0, h1 have the scaling coefficient
 * s = (h0 + h1) / 2 and the wavelet coefficient w = (h0 - h1) / 2. The half cell before
 * them has h1', in a cell with s', w'. Differences to the low side, (h0 - h1', h1 - h0),
 * have twice
 *
 *     s: (s - s') + (-w + w')        w: (s - s') + (3 w + w')
 *
 * and differences to the high side, (h1 - h0, h0' - h1), with s', w' of the cell there,
 * have twice
 *
 *     s: (s' - s) + (-w + w')        w: -[(s' - s) + (3 w + w')]
 *
 * These are one expression with a factor of -1 or 3 and a sign. In the other two
 * dimensions nothing is mixed.
 *
 * mrtd_field.f90 has the same operations in the same order: results are the same bits. */
#include "examples/mrtd/field.h"

#include <math.h>
#include <string.h>

/* Exchange bits m and m ^ (1 << d), in each of three bytes. */
static inline uint64_t flip(uint64_t bits, int d)
{
    static const uint64_t low[3] = {0x555555, 0x333333, 0x0f0f0f};
    int shift = 1 << d;

    return (bits & low[d]) << shift | (bits >> shift & low[d]);
}

/* Move byte `from` of bits to byte `to`. */
static inline uint64_t byte_to(uint64_t bits, int from, int to)
{
    return (bits >> 8 * from & 0xff) << 8 * to;
}

/* Compute coefficient m of a derivative in dimension d; p and q are m without and with
 * bit d, w is bit d of m. */
static inline double slope_of(const double *own, const double *beside, unsigned p,
                              unsigned q, unsigned w, double side, const double sign[2])
{
    static const double factor[2] = {-1.0, 3.0};
    double jump = (own[p] - beside[p]) * side;

    return sign[w] * (jump + (factor[w] * own[q] + beside[q]));
}

/* The inputs of coefficient m of component x: the derivative of component z along y less
 * the derivative of component y along z. */
struct recipe {
    unsigned char to; /* index of the coefficient: 8 x + m */
    /* first derivative: offsets in a cell of p and q, side of the neighbour, bit w
     * (slope_of) */
    unsigned char a_p, a_q, a_side, a_wavelet;
    unsigned char b_p, b_q, b_side, b_wavelet;
};

#define RECIPE(x, y, z, m)                                                               \
    {                                                                                    \
        8 * (x) + (m), 8 * (z) + ((m) & ~(1 << (y))), 8 * (z) + ((m) | 1 << (y)), y,     \
            (m) >> (y)&1, 8 * (y) + ((m) & ~(1 << (z))), 8 * (y) + ((m) | 1 << (z)), z,  \
            (m) >> (z)&1                                                                 \
    }
#define RECIPES(x, y, z)                                                                 \
    RECIPE(x, y, z, 0), RECIPE(x, y, z, 1), RECIPE(x, y, z, 2), RECIPE(x, y, z, 3),      \
        RECIPE(x, y, z, 4), RECIPE(x, y, z, 5), RECIPE(x, y, z, 6), RECIPE(x, y, z, 7)

static const struct recipe recipes[MRTD_COEFFICIENTS] = {
    RECIPES(0, 1, 2), RECIPES(1, 2, 0), RECIPES(2, 0, 1)};

/* List the set bits among the 24 of `active`; returns their number. The code has no
 * branches on the bits: mispredictions would make cells with few wavelets as slow as
 * cells with many. */
static unsigned list_bits(uint64_t active, unsigned char list[MRTD_COEFFICIENTS + 4])
{
    static const unsigned char places[16][4] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    static const unsigned char bits[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                           1, 2, 2, 3, 2, 3, 3, 4};
    unsigned count = 0;

#pragma GCC unroll 6
    for (unsigned i = 0; i < MRTD_COEFFICIENTS; i += 4) {
        unsigned four = active >> i & 15;
        uint32_t word;

        memcpy(&word, places[four], sizeof word);
        word += i * 0x01010101u;
        memcpy(list + count, &word, sizeof word);
        count += bits[four];
    }
    return count;
}

/* Update the listed coefficients of a cell. Returns the bits of the coefficients that
 * reach the threshold. */
static uint64_t update_listed(double *value, const double *own,
                              const double *const beside[3], const unsigned char *list,
                              unsigned count, double side, const double keep_add[2],
                              double threshold)
{
    const double sign[2] = {1.0, side};
    uint64_t mattered = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct recipe *r = &recipes[list[i]];
        double a =
            slope_of(own, beside[r->a_side], r->a_p, r->a_q, r->a_wavelet, side, sign);
        double b =
            slope_of(own, beside[r->b_side], r->b_p, r->b_q, r->b_wavelet, side, sign);
        double now = keep_add[0] * value[r->to] + keep_add[1] * (a - b);

        value[r->to] = now;
        mattered |= (uint64_t)(fabs(now) >= threshold) << r->to;
    }
    return mattered;
}

/* Whether no wavelet is active in a cell, and no wavelet reaches the threshold in the
 * neighbours on which it depends; true for most cells. */
static int is_quiet(const struct mrtd_half *from, const struct mrtd_half *to, int32_t s,
                    const int32_t beside[3])
{
    uint64_t near = from->bits[s] | from->bits[beside[0]] | from->bits[beside[1]] |
                    from->bits[beside[2]];

    return !((near | to->bits[s]) & MRTD_MATTERED) &&
           !(to->bits[s] & MRTD_ACTIVE & ~MRTD_MEANS);
}

/* Find the coefficients to update in this step: means, wavelets that reach the threshold,
 * and wavelets driven by such wavelets or by jumps of means between cells. (A smooth
 * slope has wavelets of a quarter of the jump.) */
static uint64_t find_active(const struct mrtd_half *from, uint64_t was, int32_t s,
                            const int32_t slots[3], const double *own,
                            const double *const beside[3], double threshold)
{
    uint64_t active = MRTD_MEANS >> 24 | (was & MRTD_MATTERED), driving[3];

#pragma GCC unroll 3
    for (int d = 0; d < 3; d++) {
        uint64_t bits = (from->bits[s] | from->bits[slots[d]]) & MRTD_MATTERED;

        driving[d] = bits | flip(bits, d);
    }
#pragma GCC unroll 3
    for (int x = 0; x < 3; x++) {
        int y = x == 2 ? 0 : x + 1, z = x == 0 ? 2 : x - 1;
        uint64_t a = fabs(own[8 * z] - beside[y][8 * z]) >= 4.0 * threshold;
        uint64_t b = fabs(own[8 * y] - beside[z][8 * y]) >= 4.0 * threshold;

        active |= byte_to(driving[y], z, x) | byte_to(driving[z], y, x) |
                  a << (8 * x + (1 << y)) | b << (8 * x + (1 << z));
    }
    return active;
}

/* Update the means alone if all six jumps of means to neighbours are small. Returns 0 if
 * a jump is not small. */
static inline int update_flat(double *value, const double *own,
                              const double *const beside[3], double side,
                              const double keep_add[2], double threshold)
{
    const double sign[2] = {1.0, side};
    int flat = 1;

#pragma GCC unroll 3
    for (int y = 0; y < 3; y++)
#pragma GCC unroll 3
        for (int z = 0; z < 3; z++)
            if (z != y)
                flat &= fabs(own[8 * z] - beside[y][8 * z]) < 4.0 * threshold;
    if (!flat)
        return 0;
#pragma GCC unroll 3
    for (unsigned x = 0; x < 3; x++) {
        unsigned y = x == 2 ? 0 : x + 1, z = x == 0 ? 2 : x - 1;
        double a = slope_of(own, beside[y], 8 * z, 8 * z + (1u << y), 0, side, sign);
        double b = slope_of(own, beside[z], 8 * y, 8 * y + (1u << z), 0, side, sign);

        value[8 * x] = keep_add[0] * value[8 * x] + keep_add[1] * (a - b);
    }
    return 1;
}

void mrtd_field_update(struct mrtd_field *field, const struct mrtd_parts *parts,
                       int which, int32_t s)
{
    const struct mrtd_half *from = &field->half[1 - which];
    struct mrtd_half *to = &field->half[which];
    const int32_t *slots = parts->beside + 6 * (int64_t)s + (which == MRTD_E ? 0 : 3);
    const double *own = from->value + MRTD_COEFFICIENTS * (int64_t)s;
    const double *const beside[3] = {from->value + MRTD_COEFFICIENTS * (int64_t)slots[0],
                                     from->value + MRTD_COEFFICIENTS * (int64_t)slots[1],
                                     from->value + MRTD_COEFFICIENTS * (int64_t)slots[2]};
    double *value = to->value + MRTD_COEFFICIENTS * (int64_t)s;
    double side = which == MRTD_E ? 1.0 : -1.0, threshold = field->threshold;
    double keep_add[2] = {field->keep[s], side * field->add[s]};
    uint64_t active = MRTD_MATTERED, big;
    unsigned char list[MRTD_COEFFICIENTS + 4];
    unsigned count = 3;

    if (threshold > 0 && is_quiet(from, to, s, slots) &&
        update_flat(value, own, beside, side, keep_add, threshold)) {
        to->bits[s] = MRTD_MEANS;
    } else {
        if (threshold > 0)
            active = find_active(from, to->bits[s], s, slots, own, beside, threshold);
        count = list_bits(active, list);
        big = update_listed(value, own, beside, list, count, side, keep_add, threshold);
        for (uint64_t left = to->bits[s] >> 24 & ~active; left; left &= left - 1)
            value[__builtin_ctzll(left)] = 0;
        to->bits[s] = active << 24 | (big & ~(MRTD_MEANS >> 24));
    }
    field->work[s] = (unsigned char)(which == MRTD_H ? count : field->work[s] + count);
}
