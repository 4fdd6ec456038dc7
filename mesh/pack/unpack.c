/* SPDX-License-Identifier: BSD-3-Clause */
/* unpack.c: unpack a box of values. The packed units (a segment, a group of steps) are
 * read in the order of the cells; for a unit without requested cells only its head is
 * read. */
#include <math.h>

#include "mesh/pack/parts.h"

enum { CHUNK = 256 };

struct reader {
    const unsigned char *at, *end;
    struct mesh_shape shape;
    int method;
    size_t begin, cells; /* the current unit: index of its first cell in the method's
                            order, and its number of cells */
    struct mesh_segment segment;
    /* floats of a unit of kind `given`, in the packed bytes */
    const unsigned char *floats;
    float last; /* last value of the unit before the current one */
    struct mesh_steps_group group;
};

/* Destination to which the values of a box are unpacked. */
struct target {
    const int64_t *lo, *hi;
    const float *previous;
    float *values;
};

static float last_of(const struct reader *r)
{
    if (r->cells == 0)
        return 0;
    if (r->segment.kind == MESH_SEGMENT_GIVEN)
        return mesh_get_float(r->floats + (r->cells - 1) * sizeof(float));
    return mesh_segment_value(&r->segment, r->cells - 1);
}

/* Advance behind `count` floats and return the first; NULL: there are not so many bytes.
 */
static const unsigned char *take_floats(struct reader *r, size_t count)
{
    const unsigned char *floats = r->at;

    if ((size_t)(r->end - r->at) / sizeof(float) < count)
        return NULL;
    r->at += count * sizeof(float);
    return floats;
}

static int open_segment(struct reader *r, size_t left)
{
    static const int floats[MESH_SEGMENT_KINDS] = {0, 1, 2, 1, 0};
    struct mesh_segment s = {.a = last_of(r)};
    const unsigned char *ends;
    uint64_t head;

    if (mesh_get_varint(&r->at, r->end, &head) || (head & 7) >= MESH_SEGMENT_KINDS)
        return -EBADMSG;
    s.kind = (enum mesh_segment_kind)(head & 7);
    s.cells = (size_t)(head >> 3);
    if (s.cells < 1 + (s.kind == MESH_SEGMENT_LINE) || s.cells > left)
        return -EBADMSG;
    ends =
        take_floats(r, s.kind == MESH_SEGMENT_GIVEN ? s.cells : (size_t)floats[s.kind]);
    if (!ends)
        return -EBADMSG;
    r->floats = ends;
    if (s.kind == MESH_SEGMENT_LEVEL || s.kind == MESH_SEGMENT_LINE)
        s.a = mesh_get_float(ends);
    if (s.kind == MESH_SEGMENT_LINE || s.kind == MESH_SEGMENT_JOINED)
        s.b = mesh_get_float(ends + (s.kind == MESH_SEGMENT_LINE ? sizeof(float) : 0));
    r->begin += r->cells;
    r->segment = s;
    r->cells = s.cells;
    return 0;
}

/* Open the only unit of a block packed by RAW or CONSTANT. */
static int open_whole(struct reader *r, size_t cells)
{
    int raw = r->method == MESH_PACK_RAW;

    r->floats = take_floats(r, raw ? cells : 1);
    if (!r->floats)
        return -EBADMSG;
    r->segment = (struct mesh_segment){raw ? MESH_SEGMENT_GIVEN : MESH_SEGMENT_LEVEL,
                                       cells, mesh_get_float(r->floats), 0};
    r->cells = cells;
    return 0;
}

static int open_unit(struct reader *r)
{
    size_t left = (size_t)r->shape.cells - r->begin - r->cells;
    int base = mesh_method_base(r->method), rc;

    if (base == MESH_PACK_RAW || base == MESH_PACK_CONSTANT)
        return open_whole(r, left);
    if (base != MESH_PACK_STEPS)
        return open_segment(r, left);
    left = left < MESH_STEPS_GROUP ? left : MESH_STEPS_GROUP;
    rc = mesh_steps_open(&r->group, left, &r->at, r->end);
    r->begin += r->cells;
    r->cells = left;
    return rc;
}

static int reader_begin(struct reader *r)
{
    uint64_t base;

    if (mesh_method_base(r->method) != MESH_PACK_STEPS)
        return 0;
    if (r->end - r->at < MESH_STEPS_HEAD)
        return -EBADMSG;
    r->group.step = (double)mesh_get_float(r->at);
    base = mesh_get_number(r->at + 4, 8);
    memcpy(&r->group.base, &base, sizeof base);
    r->at += MESH_STEPS_HEAD;
    return 0;
}

/* Read the numbers first .. first + count - 1 of the current unit, as they are stored. */
static void read_unit(const struct reader *r, size_t first, size_t count, float *stored)
{
    const struct mesh_segment *s = &r->segment;
    size_t i;

    if (mesh_method_base(r->method) == MESH_PACK_STEPS) {
        mesh_steps_get(&r->group, first, count, stored);
        return;
    }
    if (s->kind == MESH_SEGMENT_GIVEN)
        for (i = 0; i < count; i++)
            stored[i] = mesh_get_float(r->floats + (first + i) * sizeof(float));
    else
        for (i = 0; i < count; i++)
            stored[i] = mesh_segment_value(s, first + i);
}

/* Read `count` values, from index `first` on in the method's order, to the addresses
 * `to`, `to` + `step`, .. */
static int read_run(struct reader *r, size_t first, size_t count, const struct target *t,
                    int64_t to, int step)
{
    float stored[CHUNK];
    int rc = 0;

    while (count > 0 && !rc) {
        size_t part, i;
        int adds = r->method & MESH_PACK_TIME;

        if (first >= r->begin + r->cells) {
            rc = open_unit(r);
            continue;
        }
        part = r->begin + r->cells - first;
        part = part < count ? part : count;
        part = part < CHUNK ? part : CHUNK;
        read_unit(r, first - r->begin, part, stored);
        if (mesh_method_base(r->method) != MESH_PACK_STEPS &&
            r->segment.kind == MESH_SEGMENT_GIVEN)
            adds = 0;
        for (i = 0; i < part && !adds; i++, to += step)
            t->values[to] = stored[i];
        for (; i < part; i++, to += step)
            t->values[to] = stored[i] == 0
                                ? t->previous[to]
                                : (float)((double)t->previous[to] + (double)stored[i]);
        first += part;
        count -= part;
    }
    return rc;
}

/* Read the rows of the box in the order of the cells. */
static int read_rows(struct reader *r, const struct target *t)
{
    const int64_t *n = r->shape.n, *lo = t->lo, *hi = t->hi;
    int64_t row = hi[2] - lo[2], rows = hi[1] - lo[1];
    int snake = r->method & MESH_PACK_SNAKE, rc = 0;

    for (int64_t i = lo[0]; i < hi[0] && !rc; i++)
        for (int64_t v = 0; v < rows && !rc; v++) {
            int turned = snake && (i & 1);
            int64_t j = turned ? hi[1] - 1 - v : lo[1] + v;
            int64_t number = i * n[1] + (turned ? n[1] - 1 - j : j);
            int back = snake && (number & 1);
            int64_t first = number * n[2] + (back ? n[2] - hi[2] : lo[2]);
            int64_t to = ((i - lo[0]) * rows + j - lo[1]) * row + (back ? row - 1 : 0);

            rc = read_run(r, (size_t)first, (size_t)row, t, to, back ? -1 : 1);
        }
    return rc;
}

/* Check the bounds of a box. Returns 0 or -EINVAL. */
static int check_box(const int64_t n[3], const int64_t lo[3], const int64_t hi[3])
{
    int64_t cells = 1;

    for (int d = 0; d < 3; d++) {
        if (n[d] < 1 || n[d] > MESH_PACK_CELLS / cells || lo[d] < 0 || hi[d] <= lo[d] ||
            hi[d] > n[d])
            return -EINVAL;
        cells *= n[d];
    }
    return 0;
}

static int set_damaged(int rc, const unsigned char *bytes, size_t size,
                       const struct mesh_shape *shape, struct cca_error *err)
{
    const char *name = mesh_pack_method_name(bytes[0]);

    if (rc == -ENOTSUP)
        return cca_error_set(err, rc,
                             "found values packed by %s, which this build lacks: install "
                             "lib%s-dev and build again",
                             name, name);
    if (rc == -ENOMEM)
        return cca_no_memory(err);
    return cca_error_set(err, rc, "found %zu bytes of method %u that are not %lld values",
                         size, bytes[0], (long long)shape->cells);
}

/* Unpack a box. `whole`: true if the box is the whole block, so that no bytes may remain.
 */
static int unpack_target(const unsigned char *bytes, size_t size, const int64_t n[3],
                         const struct target *given, int whole, struct cca_error *err)
{
    int64_t lo[3], hi[3];
    struct target t = {lo, hi, given->previous, given->values};
    struct reader r = {.at = bytes + 1, .end = bytes + size};
    int rc = -EBADMSG;

    memcpy(lo, given->lo, sizeof lo);
    memcpy(hi, given->hi, sizeof hi);
    if (check_box(n, lo, hi))
        return cca_error_set(err, -EINVAL, "found cells outside the block");
    if (size < 1)
        return cca_error_set(err, -EBADMSG, "found no packed bytes");
    r.shape = mesh_shape_of(n, lo, hi);
    r.method = bytes[0];
    if (r.method & MESH_PACK_TIME && !t.previous)
        return cca_error_set(err, -EBADMSG,
                             "found differences to a block before that is not there");
    if (!mesh_method_holds(r.method))
        return set_damaged(rc, bytes, size, &r.shape, err);
    if (mesh_method_base(r.method) == MESH_PACK_ZFP)
        rc = mesh_zfp_get(&r.at, r.end, &r.shape, lo, hi,
                          r.method & MESH_PACK_TIME ? t.previous : NULL, t.values);
    else if (reader_begin(&r) == 0)
        rc = read_rows(&r, &t);
    if (rc == 0 && whole && r.at != r.end)
        rc = -EBADMSG;
    return rc ? set_damaged(rc, bytes, size, &r.shape, err) : 0;
}

int mesh_unpack_box(const unsigned char *bytes, size_t size, const int64_t n[3],
                    const int64_t lo[3], const int64_t hi[3], const float *previous,
                    float *values, struct cca_error *err)
{
    struct target t = {lo, hi, previous, values};

    return unpack_target(bytes, size, n, &t, 0, err);
}

int mesh_unpack(const unsigned char *bytes, size_t size, const int64_t n[3],
                const float *previous, float *values, struct cca_error *err)
{
    const int64_t lo[3] = {0, 0, 0};
    struct target t = {lo, n, previous, values};

    return unpack_target(bytes, size, n, &t, 1, err);
}
