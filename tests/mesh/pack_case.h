/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_case.h: random blocks, packed by a random wish. */
#ifndef TESTS_MESH_PACK_CASE_H
#define TESTS_MESH_PACK_CASE_H

#include "mesh/pack/pack.h"
#include "tests/lib/test.h"
#include "tests/mesh/pack_blocks.h"

enum { MOST = 700 };

static const int asked[] = {
    MESH_PACK_AUTO,
    MESH_PACK_AUTO,
    MESH_PACK_AUTO,
    MESH_PACK_AUTO,
    MESH_PACK_RAW,
    MESH_PACK_CONSTANT,
    MESH_PACK_LEAST,
    MESH_PACK_LEAST | MESH_PACK_TIME,
    MESH_PACK_LEAST | MESH_PACK_SNAKE,
    MESH_PACK_LEAST | MESH_PACK_TIME | MESH_PACK_SNAKE,
    MESH_PACK_RMS | MESH_PACK_SNAKE,
    MESH_PACK_SWING,
    MESH_PACK_SWING | MESH_PACK_TIME | MESH_PACK_SNAKE,
    MESH_PACK_SLIDE,
    MESH_PACK_SLIDE | MESH_PACK_TIME | MESH_PACK_SNAKE,
    MESH_PACK_STEPS,
    MESH_PACK_STEPS | MESH_PACK_TIME,
    MESH_PACK_CHANGES | MESH_PACK_TIME,
    MESH_PACK_ZFP,
    MESH_PACK_ZFP | MESH_PACK_TIME,
};
enum { ASKED = sizeof asked / sizeof *asked };

/* A block, what it was packed into, and what that decodes to. */
struct packed {
    int64_t n[3], cells, size;
    float values[MOST], previous[MOST], decoded[MOST];
    int has_previous, chained;
    struct mesh_pack_wish wish;
    struct mesh_pack_error error;
    unsigned char bytes[16 + 4 * MOST];
};

static inline const float *previous_of(const struct packed *p)
{
    return p->has_previous ? p->previous : NULL;
}

static inline void make(struct packed *p)
{
    int kind = pack_below(PACK_KINDS), near = pack_below(3);

    p->cells = pack_shape(MOST, p->n);
    pack_fill(kind, p->cells, p->values);
    p->has_previous = pack_below(2);
    pack_fill(pack_below(PACK_KINDS), p->cells, p->previous);
    for (int64_t i = 0; i < p->cells && near; i++)
        p->previous[i] =
            p->values[i] + (pack_below(4) ? 0 : (float)(near == 1 ? pack_unit() : 1));
    p->wish.eps = pack_below(4) ? ldexp(pack_unit(), pack_below(20) - 12) : 0;
    if (pack_below(50) == 0)
        p->values[pack_below((int)p->cells)] = pack_below(2) ? NAN : -INFINITY;
    do
        p->wish.method = asked[pack_below(ASKED)];
    while (!mesh_pack_method_here(p->wish.method));
    p->size = mesh_pack(p->values, p->n, previous_of(p), &p->wish, p->bytes, p->decoded,
                        &p->chained, &p->error);
    assert_true(p->size > 0 && p->size <= (int64_t)mesh_pack_bound((size_t)p->cells));
}

static inline void fail_block(const struct packed *p, const char *what, double found)
{
    fail_msg("%s: found %g; %lld x %lld x %lld, method %s %d as %s %d, eps %g", what,
             found, (long long)p->n[0], (long long)p->n[1], (long long)p->n[2],
             mesh_pack_method_name(p->wish.method), p->wish.method,
             mesh_pack_method_name(p->bytes[0]), p->bytes[0], p->wish.eps);
}

#endif
