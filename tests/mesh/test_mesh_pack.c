/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed blocks: every element within its bound, sums kept, errors as they are told, and
 * no bytes that lead out of bounds. */
#include "tests/mesh/pack_case.h"

/* What came back against what was given; nothing of the packer's own judgement. */
static void check_errors(const struct packed *p, const float *back)
{
    double largest = 0, squares = 0, sum = 0, magnitudes = 0;
    int finite = 1, base = p->bytes[0] & 0x3f;

    for (int64_t i = 0; i < p->cells; i++)
        finite &= isfinite(p->values[i]) != 0;
    if ((!finite || p->wish.eps == 0) &&
        memcmp(back, p->values, (size_t)p->cells * sizeof *back) != 0)
        fail_block(p, "not exact", finite);
    for (int64_t i = 0; i < p->cells && finite; i++) {
        double e = (double)back[i] - (double)p->values[i];

        largest = fmax(largest, fabs(e));
        squares += e * e;
        sum += e;
        magnitudes += fabs((double)p->values[i]);
    }
    if (base != MESH_PACK_RMS && !(largest <= p->wish.eps))
        fail_block(p, "beyond its bound", largest);
    if ((p->wish.method == MESH_PACK_AUTO || base == MESH_PACK_LEAST) &&
        !(fabs(sum) <= 1e-6 * magnitudes))
        fail_block(p, "the sum is off", sum / magnitudes);
    if (p->error.largest != largest ||
        fabs(p->error.rms - sqrt(squares / (double)p->cells)) > 1e-12 * largest ||
        fabs(p->error.sum - sum) > 1e-12 * magnitudes)
        fail_block(p, "another error is told", p->error.largest);
    if (finite &&
        fabs((double)back[p->error.worst] - (double)p->values[p->error.worst]) != largest)
        fail_block(p, "another worst place is told", (double)p->error.worst);
}

/* A box of one cell. */
static int unpack_cell(const unsigned char *bytes, size_t size, const int64_t n[3],
                       const int64_t cell[3], const float *previous, float *value,
                       struct cca_error *err)
{
    const int64_t hi[3] = {cell[0] + 1, cell[1] + 1, cell[2] + 1};

    return mesh_unpack_box(bytes, size, n, cell, hi, previous, value, err);
}

static void check_parts(const struct packed *p)
{
    int64_t lo[3], hi[3], cells = 1, cell[3];
    float before[MOST], part[MOST], one;
    int64_t at = 0;

    for (int d = 0; d < 3; d++) {
        lo[d] = pack_below((int)p->n[d]);
        hi[d] = lo[d] + 1 + pack_below((int)(p->n[d] - lo[d]));
        cells *= hi[d] - lo[d];
    }
    for (int pass = 0; pass < 2; pass++) {
        at = 0;
        for (cell[0] = lo[0]; cell[0] < hi[0]; cell[0]++)
            for (cell[1] = lo[1]; cell[1] < hi[1]; cell[1]++)
                for (cell[2] = lo[2]; cell[2] < hi[2]; cell[2]++, at++) {
                    int64_t place = (cell[0] * p->n[1] + cell[1]) * p->n[2] + cell[2];

                    if (pass == 0)
                        before[at] = p->previous[place];
                    else
                        assert_memory_equal(part + at, p->decoded + place, sizeof *part);
                    if (pass == 0 || pack_below(20))
                        continue;
                    assert_int_equal(unpack_cell(p->bytes, (size_t)p->size, p->n, cell,
                                                 p->chained ? before + at : NULL, &one,
                                                 NULL),
                                     0);
                    assert_memory_equal(&one, p->decoded + place, sizeof one);
                }
        assert_int_equal(at, cells);
        if (pass == 0)
            assert_int_equal(mesh_unpack_box(p->bytes, (size_t)p->size, p->n, lo, hi,
                                             p->chained ? before : NULL, part, NULL),
                             0);
    }
}

TEST(test_no_element_is_beyond_its_bound)
{
    struct packed *p = malloc(sizeof *p);
    float *back = malloc(sizeof p->decoded);

    for (int i = 0; i < test_count("PACK_BLOCKS", 6000, 1000000); i++) {
        pack_seed = (uint64_t)i * 77777;
        make(p);
        memcpy(back, p->previous, sizeof p->previous); /* may be both */
        assert_int_equal(mesh_unpack(p->bytes, (size_t)p->size, p->n,
                                     p->chained ? back : NULL, back, NULL),
                         0);
        assert_memory_equal(back, p->decoded, (size_t)p->cells * sizeof *back);
        check_errors(p, back);
        check_parts(p);
    }
    free(back);
    free(p);
}

/* Differences are to what a reader has, so 300 steps are no farther off than one. */
TEST(test_errors_do_not_add_up_along_time)
{
    enum { CELLS = 16 * 16 * 4, STEPS = 300 };
    const int64_t n[3] = {16, 16, 4};
    static float values[CELLS], decoded[2][CELLS];
    static unsigned char out[16 + 4 * CELLS];
    int methods[] = {MESH_PACK_LEAST | MESH_PACK_TIME, MESH_PACK_SLIDE | MESH_PACK_TIME,
                     MESH_PACK_STEPS | MESH_PACK_TIME, MESH_PACK_AUTO};

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct mesh_pack_wish wish = {methods[m], .05};
        int chained, chains = 0;

        for (int s = 0; s < STEPS; s++) {
            for (int i = 0; i < CELLS; i++)
                values[i] =
                    3 + .01f * (float)s + .002f * (float)(i % 7) * (float)(s % 11);
            assert_true(mesh_pack(values, n, s ? decoded[(s + 1) & 1] : NULL, &wish, out,
                                  decoded[s & 1], &chained, NULL) > 0);
            chains += chained;
            for (int i = 0; i < CELLS; i++)
                assert_true(fabs((double)decoded[s & 1][i] - (double)values[i]) <= .05);
        }
        assert_true(chains > STEPS / 2);
    }
}

/* 12 bits a cell would hold these counts; a repeated step costs next to nothing. */
TEST(test_counts_are_exact_and_short)
{
    const int64_t n[3] = {16, 16, 16};
    static float values[4096], decoded[4096], again[4096];
    static unsigned char out[16 + 4 * 4096];
    struct mesh_pack_wish wish = {MESH_PACK_AUTO, 0};
    int chained;

    for (int i = 0; i < 4096; i++)
        values[i] = (float)(pack_below(2000) + 500);
    assert_in_range(mesh_pack(values, n, NULL, &wish, out, decoded, &chained, NULL), 1,
                    4096 * 12 / 8);
    assert_memory_equal(values, decoded, sizeof values);
    assert_in_range(mesh_pack(values, n, decoded, &wish, out, again, &chained, NULL), 1,
                    16);
    assert_memory_equal(values, again, sizeof values);
}

/* The value lies in memory of exactly its size: asan sees a step beyond. */
static void fuzz_one(const struct packed *p, const unsigned char *bytes, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    float *previous = malloc((size_t)p->cells * sizeof *previous);
    float *values = malloc((size_t)p->cells * sizeof *values), one;
    int64_t cell[3] = {p->n[0] - 1, p->n[1] / 2, p->n[2] - 1};
    struct cca_error err = {0};
    int rc;

    memcpy(exact, bytes, size);
    memcpy(previous, p->previous, (size_t)p->cells * sizeof *previous);
    rc = mesh_unpack(exact, size, p->n, pack_below(2) ? previous : NULL, values, &err);
    assert_true(rc == 0 || ((rc == -EBADMSG || rc == -ENOTSUP) && err.text[0]));
    rc = unpack_cell(exact, size, p->n, cell, previous, &one, NULL);
    assert_true(rc == 0 || rc == -EBADMSG || rc == -ENOTSUP);
    free(exact);
    free(previous);
    free(values);
}

TEST(test_damaged_bytes_are_read_or_refused)
{
    struct packed *p = malloc(sizeof *p);
    int refused = 0;

    for (int i = 0; i < test_count("PACK_FUZZ", 4000, 400000); i++) {
        size_t size;

        pack_seed = (uint64_t)i * 5 + 3;
        make(p);
        size = (size_t)p->size;
        for (int f = pack_below(6); f >= 0; f--)
            p->bytes[pack_below(2) ? pack_below((int)size)
                                   : pack_below(size < 20 ? (int)size : 20)] =
                (unsigned char)pack_random();
        if (i % 3 == 0)
            size = (size_t)pack_below((int)size + 1);
        if (i % 5 == 0)
            for (size_t b = 1; b < size; b++)
                p->bytes[b] = (unsigned char)pack_random();
        fuzz_one(p, p->bytes, size);
        refused += mesh_unpack(p->bytes, size, p->n, p->previous, p->decoded, NULL) != 0;
    }
    assert_true(refused > 100);
    free(p);
}

TEST(test_wrong_wishes_are_refused)
{
    const int64_t n[3] = {2, 2, 1}, big[3] = {1 << 11, 1 << 11, 1}, none[3] = {4, 0, 1};
    const int64_t outside[3] = {2, 0, 0};
    float v[4] = {1, 2, 3, 4}, d[4];
    unsigned char out[32];
    int chained;
    struct mesh_pack_wish wish = {MESH_PACK_AUTO, 0}, nan = {MESH_PACK_AUTO, NAN},
                          negative = {MESH_PACK_AUTO, -1}, odd = {77, 0},
                          raw_time = {MESH_PACK_RAW | MESH_PACK_TIME, 0};
    struct cca_error err = {0};
    int64_t size = mesh_pack(v, n, NULL, &wish, out, d, &chained, NULL);

    assert_true(size > 0);
    assert_int_equal(mesh_pack(v, big, NULL, &wish, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(mesh_pack(v, none, NULL, &wish, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(mesh_pack(v, n, NULL, &nan, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(mesh_pack(v, n, NULL, &negative, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(mesh_pack(v, n, NULL, &odd, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(mesh_pack(v, n, NULL, &raw_time, out, d, &chained, NULL), -EINVAL);
    assert_int_equal(unpack_cell(out, (size_t)size, n, outside, NULL, d, NULL), -EINVAL);
    out[0] = MESH_PACK_LEAST | MESH_PACK_TIME;
    assert_int_equal(mesh_unpack(out, (size_t)size, n, NULL, d, &err), -EBADMSG);
    assert_string_equal(err.text,
                        "found differences to a block before that is not there");
}

TESTS(NULL, NULL)
