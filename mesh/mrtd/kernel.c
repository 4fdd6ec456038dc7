/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c: the update of a cell.
 *
 * Along one dimension half cells 2j, 2j+1 with values h0, h1 have the scaling coefficient
 * s = (h0 + h1) / 2 and the wavelet's w = (h0 - h1) / 2. The difference to the half cell
 * before, with s', w' of the cell at the low side:
 *     (h0 - h1', h1 - h0)  ->  s: [(s - s') + (-w + w')] / 2,  w: [(s - s') + (3w + w')]
 * / 2 and to the one behind, with s', w' of the cell at the high side: (h1 - h0, h0' -
 * h1)  ->  s: [(s' - s) + (-w + w')] / 2, w: -[(s' - s) + (3w + w')] / 2 These are one
 * expression with a factor of -1 or 3 and a sign. In the other two dimensions nothing is
 * mixed.
 *
 * mrtd_field.f90 has the same operations in the same order: results are the same bits.
 */
#include "mesh/mrtd/field.h"

#include <math.h>

/* Bits m exchanged with m ^ (1 << d). */
static inline unsigned flip(unsigned bits, int d)
{
    static const unsigned low[3] = {0x55, 0x33, 0x0f};
    int shift = 1 << d;

    return (bits & low[d]) << shift | (bits >> shift & low[d]);
}

static inline unsigned count_bits(unsigned byte)
{
    static const unsigned char bits[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                           1, 2, 2, 3, 2, 3, 3, 4};

    return bits[byte & 15] + bits[byte >> 4];
}

/* One of the two derivatives of a curl: of g along d, with that of the neighbour. */
struct slope {
    const double *own, *beside;
    int d;
};

static inline __attribute__((always_inline)) double slope_at(const struct slope *a,
                                                             unsigned m, double side)
{
    unsigned bit = 1u << a->d, p = m & ~bit, q = m | bit;
    double factor = m & bit ? 3.0 : -1.0, sign = m & bit ? side : 1.0;
    double jump = (a->own[p] - a->beside[p]) * side;

    return sign * (jump + (factor * a->own[q] + a->beside[q]));
}

/* The jump of means is too small to drive wavelets: a smooth slope has wavelets of a
 * quarter of it. */
static inline __attribute__((always_inline)) int is_flat(const struct slope *a,
                                                         double threshold)
{
    return fabs(a->own[0] - a->beside[0]) < 4.0 * threshold;
}

/* The wavelets that a derivative drives: by those that matter, and by the jump of means.
 */
static inline __attribute__((always_inline)) unsigned
driven(const struct slope *a, unsigned bits, double threshold)
{
    bits |= flip(bits, a->d);
    return is_flat(a, threshold) ? bits : bits | 1u << (1u << a->d);
}

static inline unsigned mattered(uint64_t bits, int x)
{
    return (unsigned)(bits >> 8 * x) & 0xff;
}

/* Update the coefficients `active`; `was`: those of the step before, which are 0 from now
 * on where they are not active. Returns the wavelets that matter. */
static unsigned update_component(double *value, unsigned active, unsigned was,
                                 const struct slope *a, const struct slope *b,
                                 double side, const double keep_add[2], double threshold)
{
    unsigned mattered = 0;

    for (unsigned left = active; left; left &= left - 1) {
        unsigned m = (unsigned)__builtin_ctz(left);

        value[m] = keep_add[0] * value[m] +
                   keep_add[1] * (slope_at(a, m, side) - slope_at(b, m, side));
        mattered |= (unsigned)(fabs(value[m]) >= threshold) << m;
    }
    for (unsigned left = was & ~active; left; left &= left - 1)
        value[__builtin_ctz(left)] = 0;
    return mattered & ~1u;
}

/* Most cells: no wavelet is active in a cell, and none matters in those that drive it. */
static int is_quiet(const struct mrtd_half *from, const struct mrtd_half *to, int32_t s,
                    const int32_t beside[3])
{
    uint64_t near = from->bits[s] | from->bits[beside[0]] | from->bits[beside[1]] |
                    from->bits[beside[2]];

    return !((near | to->bits[s]) & MRTD_MATTERED) &&
           !(to->bits[s] & MRTD_ACTIVE & ~MRTD_MEANS);
}

void mrtd_field_update(struct mrtd_field *field, const struct mrtd_parts *parts,
                       int which, int32_t s)
{
    const struct mrtd_half *from = &field->half[1 - which];
    struct mrtd_half *to = &field->half[which];
    const int32_t *beside = parts->beside + 6 * (int64_t)s + (which == MRTD_E ? 0 : 3);
    double side = which == MRTD_E ? 1.0 : -1.0, threshold = field->threshold;
    double keep_add[2] = {field->keep[s], side * field->add[s]};
    int quiet = threshold > 0 && is_quiet(from, to, s, beside);
    uint64_t bits = 0;
    unsigned count = 0;

    for (int x = 0; x < 3; x++) {
        int y = x == 2 ? 0 : x + 1, z = x == 0 ? 2 : x - 1;
        const double *own = from->value + MRTD_COEFFICIENTS * (int64_t)s;
        const double *at_y = from->value + MRTD_COEFFICIENTS * (int64_t)beside[y];
        const double *at_z = from->value + MRTD_COEFFICIENTS * (int64_t)beside[z];
        double *value = to->value + MRTD_COEFFICIENTS * (int64_t)s + 8 * x;
        struct slope a = {own + 8 * z, at_y + 8 * z, y};
        struct slope b = {own + 8 * y, at_z + 8 * y, z};
        unsigned active = 0xff, was = (unsigned)(to->bits[s] >> (24 + 8 * x)) & 0xff;

        if (quiet && is_flat(&a, threshold) && is_flat(&b, threshold)) {
            value[0] = keep_add[0] * value[0] +
                       keep_add[1] * (slope_at(&a, 0, side) - slope_at(&b, 0, side));
            bits |= UINT64_C(1) << (24 + 8 * x);
            count++;
            continue;
        }
        if (threshold > 0)
            active =
                1u | mattered(to->bits[s], x) |
                driven(&a, mattered(from->bits[s] | from->bits[beside[y]], z),
                       threshold) |
                driven(&b, mattered(from->bits[s] | from->bits[beside[z]], y), threshold);
        bits |= (uint64_t)active << (24 + 8 * x) |
                (uint64_t)update_component(value, active, was, &a, &b, side, keep_add,
                                           threshold)
                    << 8 * x;
        count += count_bits(active);
    }
    to->bits[s] = bits;
    field->work[s] = (unsigned char)(which == MRTD_H ? count : field->work[s] + count);
}
