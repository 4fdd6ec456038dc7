/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_blocks.h: blocks of values of many kinds, the same for the same seed. */
#ifndef TESTS_MESH_PACK_BLOCKS_H
#define TESTS_MESH_PACK_BLOCKS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t pack_seed = 1;

static inline uint64_t pack_random(void)
{
    uint64_t z = pack_seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 <= x < 1 */
static inline double pack_unit(void)
{
    return (double)(pack_random() >> 11) / 9007199254740992.0;
}

static inline int pack_below(int n)
{
    return (int)(pack_random() % (uint64_t)n);
}

enum {
    PACK_NOISE,
    PACK_COUNTS,
    PACK_SMOOTH,
    PACK_NOISY,
    PACK_WALK,
    PACK_RAMPS,
    PACK_SPIKES,
    PACK_SIGNS,
    PACK_HUGE,
    PACK_FLAT,
    PACK_TINY,
    PACK_KINDS
};

static const char *const pack_kinds[PACK_KINDS] = {"noise", "counts", "smooth", "noisy",
                                                   "walk",  "ramps",  "spikes", "signs",
                                                   "huge",  "flat",   "tiny"};

static inline double pack_value(int kind, int64_t i, double before, double phase)
{
    double wave = 5 + 4 * sin(phase + (double)i * .13);

    switch (kind) {
    case PACK_NOISE:
        return 1 + 8 * pack_unit();
    case PACK_COUNTS:
        return floor(wave + 2 * pack_unit());
    case PACK_SMOOTH:
        return wave;
    case PACK_NOISY:
        return wave * (1 + .02 * (pack_unit() - .5));
    case PACK_WALK:
        return before + pack_unit() - .5;
    case PACK_RAMPS:
        return fmod(phase + (double)i * .31, 9);
    case PACK_SPIKES:
        return pack_below(9) ? 1 : 1e4 * pack_unit();
    case PACK_SIGNS:
        return 200 * (pack_unit() - .5) * (pack_unit() - .5);
    case PACK_HUGE:
        return ldexp(pack_unit() - .5, pack_below(200) - 72);
    case PACK_FLAT:
        return floor(phase);
    default:
        return ldexp(pack_unit(), -140);
    }
}

static inline void pack_fill(int kind, int64_t cells, float *values)
{
    double phase = 100 * pack_unit(), v = 4;

    for (int64_t i = 0; i < cells; i++) {
        v = pack_value(kind, i, v, phase);
        values[i] = (float)v;
    }
}

/* 1 to 3 dimensions in any place, at most `most` cells. Returns the cells. */
static inline int64_t pack_shape(int most, int64_t n[3])
{
    int64_t cells = 1;

    for (int d = 0; d < 3; d++) {
        int room = (int)(most / cells), side = pack_below(4) ? 12 : 100;

        n[d] = pack_below(4) ? 1 + pack_below(room < side ? room : side) : 1;
        cells *= n[d];
    }
    return cells;
}

#endif
