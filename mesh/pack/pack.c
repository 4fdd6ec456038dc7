/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: the choice of a method.
 *
 * AUTO first lets each method count its bytes; a method stops when it needs more bytes
 * than the best so far. The best method's bytes are written, decoded, and checked value
 * by value. If these violate the method's bound (by rounding), the next best method is
 * taken; RAW always succeeds. `decoded` is used as a buffer for differences and reordered
 * values, so nothing is allocated. */
#include "mesh/pack/pack.h"

#include <float.h>
#include <math.h>

#include "mesh/pack/parts.h"

/* Relative rounding error of a difference of floats and of its addition. */
#define ROUNDING (2.0 / (1 << 24))

/* The block being packed and properties of its values. */
struct block {
    struct mesh_job job;
    const int64_t *n;
    double eps;
    double largest; /* maximum of |value| and |previous| */
    int finite, previous_finite;
    float *stored;  /* buffer for job.stored */
    int stored_for; /* flags of the method for which `stored` was filled; -1: it is empty
                     */
};

static int64_t cells_of(const int64_t n[3])
{
    int64_t cells = 1;

    for (int d = 0; d < 3; d++) {
        if (n[d] < 1 || n[d] > MESH_PACK_CELLS / cells)
            return -EINVAL;
        cells *= n[d];
    }
    return cells;
}

size_t mesh_pack_bound(size_t cells)
{
    return 16 + cells * sizeof(float);
}

static void measure_block(struct block *b)
{
    struct mesh_job *job = &b->job;
    double sum = 0, largest = 0;
    int finite = 1, previous_finite = job->previous != NULL;

    for (int64_t i = 0; i < job->shape.cells; i++) {
        double v = fabs((double)job->given[i]);

        finite &= v <= (double)FLT_MAX;
        sum += v;
        largest = v > largest ? v : largest;
    }
    for (int64_t i = 0; i < job->shape.cells && previous_finite; i++) {
        double v = fabs((double)job->previous[i]);

        previous_finite &= v <= (double)FLT_MAX;
        largest = v > largest ? v : largest;
    }
    job->magnitudes = sum;
    b->largest = largest;
    b->finite = finite;
    b->previous_finite = previous_finite;
}

static void find_errors(const float *values, const float *decoded, size_t cells,
                        struct mesh_pack_error *error)
{
    double squares = 0;

    memset(error, 0, sizeof *error);
    for (size_t i = 0; i < cells; i++) {
        double e = (double)decoded[i] - (double)values[i];

        if (!isfinite(values[i]))
            continue;
        squares += e * e;
        error->sum += e;
        if (!(fabs(e) <= error->largest)) {
            error->largest = fabs(e);
            error->worst = i;
        }
    }
    error->rms = sqrt(squares / (double)cells);
}

/* Set job.stored: values or differences, in the method's order. */
static void set_stored(struct block *b)
{
    struct mesh_job *job = &b->job;
    int additions = job->method & (MESH_PACK_TIME | MESH_PACK_SNAKE);
    int time = job->method & MESH_PACK_TIME;
    int64_t row = job->shape.n[2];

    job->eps = time ? b->eps - 2 * ROUNDING * b->largest : b->eps;
    job->eps = job->eps > 0 ? job->eps : 0;
    job->stored = additions ? b->stored : job->given;
    if (!additions || b->stored_for == additions)
        return;
    for (int64_t at = 0; at < job->shape.cells; at += row) {
        int64_t from = mesh_order_place(&job->shape, job->method, at);
        int64_t last = mesh_order_place(&job->shape, job->method, at + row - 1);
        int step = last < from ? -1 : 1;

        for (int64_t i = 0, place = from; i < row; i++, place += step)
            b->stored[at + i] =
                time ? (float)((double)job->given[place] - (double)job->previous[place])
                     : job->given[place];
    }
    b->stored_for = additions;
}

static void put_constant(const struct mesh_job *job, struct mesh_bytes *bytes)
{
    double cells = (double)job->shape.cells, sum = 0;
    float least = job->stored[0], greatest = job->stored[0], constant;

    for (int64_t i = 0; i < job->shape.cells; i++) {
        sum += (double)job->stored[i];
        least = job->stored[i] < least ? job->stored[i] : least;
        greatest = job->stored[i] > greatest ? job->stored[i] : greatest;
        if ((double)greatest - (double)least > 2 * job->eps)
            break;
    }
    constant = least == greatest ? least : (float)(sum / cells);
    if ((double)greatest - (double)constant <= job->eps &&
        (double)constant - (double)least <= job->eps)
        mesh_put_float(bytes, constant);
    else
        bytes->size = bytes->limit + 1;
}

/* Whether the method is applicable to this block. */
static int may_put(const struct block *b, int method)
{
    int base = mesh_method_base(method);

    if (base == MESH_PACK_CHANGES)
        return b->job.previous != NULL;
    if (base == MESH_PACK_ZFP && !(b->eps > 0 && mesh_zfp_here() && b->job.shape.dims))
        return 0;
    return b->finite && (!(method & MESH_PACK_TIME) || b->previous_finite);
}

/* Append the method's byte and data. Afterwards `bytes` is full if the method cannot pack
 * the block, or needs more bytes than allowed. */
static void put_method(struct block *b, int method, struct mesh_bytes *bytes)
{
    b->job.method = method;
    mesh_put_number(bytes, (unsigned char)method, 1);
    if (mesh_method_base(method) != MESH_PACK_CHANGES)
        set_stored(b);
    switch (mesh_method_base(method)) {
    case MESH_PACK_CONSTANT:
        put_constant(&b->job, bytes);
        break;
    case MESH_PACK_STEPS:
        mesh_steps_put(&b->job, bytes);
        break;
    case MESH_PACK_ZFP:
        mesh_zfp_put(&b->job, bytes);
        break;
    default:
        mesh_segments_put(&b->job, bytes);
        break;
    }
}

static size_t put_raw(const struct mesh_job *job, unsigned char *out)
{
    struct mesh_bytes bytes = {out, 0, mesh_pack_bound((size_t)job->shape.cells)};

    mesh_put_number(&bytes, MESH_PACK_RAW, 1);
    for (int64_t i = 0; i < job->shape.cells; i++)
        mesh_put_float(&bytes, job->given[i]);
    return bytes.size;
}

/* Whether decoded values satisfy the method's bound. */
static int keeps_promise(const struct block *b, int method, int sum, const float *decoded,
                         const struct mesh_pack_error *error)
{
    if (b->eps == 0 || !b->finite)
        return memcmp(decoded, b->job.given,
                      (size_t)b->job.shape.cells * sizeof *decoded) == 0;
    if (mesh_method_base(method) == MESH_PACK_RMS)
        return isfinite(error->largest);
    return error->largest <= b->eps &&
           (!sum || fabs(error->sum) <= 1e-6 * b->job.magnitudes);
}

/* Pack by the method, decode and check. Returns the number of bytes, or 0 if the bound is
 * violated. */
static size_t write_checked(struct block *b, int method, int sum, unsigned char *out,
                            struct mesh_pack_error *error)
{
    size_t cells = (size_t)b->job.shape.cells;
    struct mesh_bytes bytes = {out, 0, cells * sizeof(float)};

    put_method(b, method, &bytes);
    if (mesh_bytes_full(&bytes))
        return 0;
    b->stored_for = -1;
    if (mesh_unpack(out, bytes.size, b->n, b->job.previous, b->stored, NULL))
        return 0;
    find_errors(b->job.given, b->stored, cells, error);
    return keeps_promise(b, method, sum, b->stored, error) ? bytes.size : 0;
}

/* Methods that AUTO tries; methods with the same job.stored are adjacent. */
static const int asked[] = {
    MESH_PACK_CHANGES | MESH_PACK_TIME,
    MESH_PACK_CONSTANT | MESH_PACK_TIME,
    MESH_PACK_STEPS | MESH_PACK_TIME,
    MESH_PACK_ZFP | MESH_PACK_TIME,
    MESH_PACK_LEAST | MESH_PACK_TIME,
    MESH_PACK_LEAST | MESH_PACK_TIME | MESH_PACK_SNAKE,
    MESH_PACK_CONSTANT,
    MESH_PACK_STEPS,
    MESH_PACK_ZFP,
    MESH_PACK_LEAST,
    MESH_PACK_LEAST | MESH_PACK_SNAKE,
};
enum { ASKED = sizeof asked / sizeof *asked, SHORT_ENOUGH = 8 };

/* Return the roughness: the sum of |differences| between neighbours in C order, of the
 * values or of their differences to the previous step. */
static double roughness(const struct mesh_job *job, int time)
{
    double sum = 0, before = 0;

    for (int64_t i = 0; i < job->shape.cells; i++) {
        double u = (double)job->given[i] - (time ? (double)job->previous[i] : 0);

        sum += i ? fabs(u - before) : 0;
        before = u;
    }
    return sum;
}

/* Return the part of the roughness between the last cell of a row and the first cell of
 * the next, for cells in C order or boustrophedon. */
static double row_jumps(const struct mesh_job *job, int time, int order)
{
    double sum = 0;

    for (int64_t t = job->shape.n[2]; t < job->shape.cells; t += job->shape.n[2]) {
        int64_t a = mesh_order_place(&job->shape, order, t - 1);
        int64_t b = mesh_order_place(&job->shape, order, t);
        double u = (double)job->given[a] - (time ? (double)job->previous[a] : 0);
        double v = (double)job->given[b] - (time ? (double)job->previous[b] : 0);

        sum += fabs(u - v);
    }
    return sum;
}

/* Exclude hopeless methods: differences in time if the values are far smoother, or vice
 * versa, and the order of cells with larger jumps between rows. */
static void leave_methods_out(const struct block *b, char out[ASKED])
{
    enum { FAR = 4 };
    int times = b->previous_finite ? 2 : 1;
    double rough[2] = {0, 0};

    for (int t = 0; t < times; t++)
        rough[t] = roughness(&b->job, t);
    for (int t = 0; t < 2; t++) {
        int rougher = t < times && times == 2 && rough[t] > FAR * rough[1 - t];
        int snake = t < times && b->job.shape.dims > 1 &&
                    row_jumps(&b->job, t, MESH_PACK_SNAKE) < row_jumps(&b->job, t, 0);

        for (int i = 0; i < ASKED; i++) {
            int base = mesh_method_base(asked[i]);

            if (!(asked[i] & MESH_PACK_TIME) != !t || base == MESH_PACK_CHANGES ||
                base == MESH_PACK_CONSTANT)
                continue;
            if (rougher ||
                (base == MESH_PACK_LEAST && !(asked[i] & MESH_PACK_SNAKE) != !snake))
                out[i] = 1;
        }
    }
}

/* Return the smallest method that is not refused, RAW if there is none; *which: its
 * index. */
static int choose_method(struct block *b, const char refused[ASKED], int *which)
{
    size_t best = (size_t)b->job.shape.cells * sizeof(float) + 1;

    *which = -1;
    for (int i = 0; i < ASKED && best > SHORT_ENOUGH; i++) {
        struct mesh_bytes bytes = {NULL, 0, best - 1};

        if (refused[i] || !may_put(b, asked[i]))
            continue;
        put_method(b, asked[i], &bytes);
        if (mesh_bytes_full(&bytes))
            continue;
        best = bytes.size;
        *which = i;
    }
    return *which < 0 ? MESH_PACK_RAW : asked[*which];
}

static size_t pack_auto(struct block *b, unsigned char *out,
                        struct mesh_pack_error *error)
{
    char refused[ASKED] = {0};
    size_t size = 0;
    int which = 0;

    if (b->finite)
        leave_methods_out(b, refused);
    while (!size && which >= 0) {
        int method = choose_method(b, refused, &which);

        if (which >= 0) {
            size = write_checked(b, method, 1, out, error);
            refused[which] = 1;
        }
    }
    return size;
}

int64_t mesh_pack(const float *values, const int64_t n[3], const float *previous,
                  const struct mesh_pack_wish *wish, unsigned char *out, float *decoded,
                  int *chained, struct mesh_pack_error *error)
{
    int64_t cells = cells_of(n);
    struct mesh_pack_error own = {0};
    struct block b = {.n = n, .stored = decoded, .stored_for = -1};
    size_t size = 0;

    if (cells < 0 || !(wish->eps >= 0) ||
        (wish->method != MESH_PACK_AUTO && !mesh_method_holds(wish->method)))
        return -EINVAL;
    if (!mesh_pack_method_here(wish->method))
        return -ENOTSUP;
    b.eps = wish->eps < (double)FLT_MAX ? wish->eps : (double)FLT_MAX;
    b.job = (struct mesh_job){
        .shape = mesh_shape_of(n, NULL, NULL), .given = values, .previous = previous};
    measure_block(&b);
    if (wish->method == MESH_PACK_AUTO)
        size = pack_auto(&b, out, &own);
    else if (wish->method != MESH_PACK_RAW && may_put(&b, wish->method))
        size =
            write_checked(&b, wish->method,
                          mesh_method_base(wish->method) == MESH_PACK_LEAST, out, &own);
    if (!size) {
        size = put_raw(&b.job, out);
        memcpy(decoded, values, (size_t)cells * sizeof *values);
        memset(&own, 0, sizeof own);
    }
    *chained = (out[0] & MESH_PACK_TIME) != 0;
    if (error)
        *error = own;
    return (int64_t)size;
}
