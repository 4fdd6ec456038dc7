/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed bytes are as pack.h describes them: a second reader, made from that text, finds
 * the same values. */
#include "tests/mesh/pack_case.h"

static float text_float(const unsigned char **at)
{
    uint32_t word = 0;
    float value;

    for (int i = 0; i < 4; i++)
        word |= (uint32_t) * (*at)++ << 8 * i;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t text_varint(const unsigned char **at)
{
    uint64_t number = *(*at)++;

    return number < 128 ? number : number - 128 + 128 * text_varint(at);
}

static size_t text_segment(const unsigned char **at, float last, float *told, char *given)
{
    uint64_t head = text_varint(at);
    size_t cells = (size_t)(head / 8), kind = (size_t)(head % 8);
    double a = kind == 1 || kind == 2 ? (double)text_float(at) : (double)last;
    double b = kind == 2 || kind == 3 ? (double)text_float(at) : 0;

    for (size_t i = 0; i < cells; i++) {
        double line = kind == 2 ? a + (b - a) / (double)(cells - 1) * (double)i
                                : a + (b - a) / (double)cells * (double)(i + 1);

        given[i] = kind == 4;
        told[i] = kind == 0   ? 0
                  : kind == 4 ? text_float(at)
                  : kind == 1 ? (float)a
                              : (float)line;
    }
    return cells;
}

static size_t text_steps(const unsigned char **at, double step, double base, size_t left,
                         float *told)
{
    int width = *(*at)++;
    uint64_t zigzag = text_varint(at);
    double least = zigzag % 2 ? -1 - (double)(zigzag / 2) : (double)(zigzag / 2);
    size_t cells = left < 64 ? left : 64;

    for (size_t i = 0; i < cells; i++) {
        double q = least;

        for (int b = 0; b < width; b++) {
            size_t bit = i * (size_t)width + (size_t)b;

            q += (*at)[bit / 8] >> bit % 8 & 1 ? ldexp(1, b) : 0;
        }
        told[i] = (float)(base + step * q);
    }
    *at += (cells * (size_t)width + 7) / 8;
    return cells;
}

static size_t text_told(const struct packed *p, float *told, char *given)
{
    const unsigned char *at = p->bytes + 1;
    int base = p->bytes[0] & 0x3f;
    size_t cells = (size_t)p->cells, done = 0;
    double step = 0, shift = 0;

    memset(given, 0, cells);
    if (base == MESH_PACK_STEPS) {
        step = (double)text_float(&at);
        memcpy(&shift, at, 8);
        at += 8;
    }
    for (float whole = base == MESH_PACK_CONSTANT ? text_float(&at) : 0; done < cells;) {
        if (base == MESH_PACK_RAW)
            told[done++] = text_float(&at);
        else if (base == MESH_PACK_CONSTANT)
            told[done++] = whole;
        else if (base == MESH_PACK_STEPS)
            done += text_steps(&at, step, shift, cells - done, told + done);
        else
            done +=
                text_segment(&at, done ? told[done - 1] : 0, told + done, given + done);
    }
    return (size_t)(at - p->bytes);
}

/* x coordinates of rows and planes turn round, one after the other. */
static int64_t text_place(const struct packed *p, int64_t t)
{
    int64_t n[3], d = 3;

    for (int i = 0; i < 3; i++)
        n[i] = 1;
    for (int i = 2; i >= 0; i--)
        if (p->n[i] > 1)
            n[--d] = p->n[i];
    if (p->bytes[0] & MESH_PACK_SNAKE) {
        int64_t k = t % n[2], row = t / n[2], j = row % n[1], i = row / n[1];

        k = row % 2 ? n[2] - 1 - k : k;
        j = i % 2 ? n[1] - 1 - j : j;
        return (i * n[1] + j) * n[2] + k;
    }
    return t;
}

TEST(test_bytes_are_as_described)
{
    struct packed *p = malloc(sizeof *p);
    static float told[MOST];
    static char given[MOST];
    int seen[256] = {0};

    for (int i = 0; i < test_count("PACK_BLOCKS", 6000, 1000000) / 3; i++) {
        pack_seed = (uint64_t)i * 33333 + 5;
        make(p);
        if ((p->bytes[0] & 0x3f) == MESH_PACK_ZFP)
            continue;
        assert_int_equal(text_told(p, told, given), p->size);
        for (int64_t t = 0; t < p->cells; t++) {
            int64_t place = text_place(p, t);
            float v = told[t];

            if (p->chained && !given[t])
                v = v == 0 ? p->previous[place]
                           : (float)((double)p->previous[place] + (double)v);
            if (memcmp(&v, p->decoded + place, sizeof v) != 0)
                fail_block(p, "decoded differently", (double)(v - p->decoded[place]));
        }
        seen[p->bytes[0]]++;
    }
    for (int m = MESH_PACK_RAW; m < MESH_PACK_ZFP; m++)
        assert_true(seen[m] || seen[m | MESH_PACK_SNAKE] || seen[m | MESH_PACK_TIME]);
    free(p);
}

TESTS(NULL, NULL)
