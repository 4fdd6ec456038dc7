/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: values as multiples of a step.
 *
 * Counts are multiples of a power of 2, so nothing is lost. For other values the step is
 * just below 2 eps; the small rest of the bound is used to move the mean error into
 * `base`, so that the sum is preserved. */
#include "mesh/pack/parts.h"

#include <limits.h>
#include <math.h>

struct steps {
    float step;
    double base;
};

static double round_whole(double x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: rounds to an integer without a
                                              * function call */

    return x + magic - magic;
}

/* Return the largest power of 2 that divides all values; 0: all are 0. *largest: maximum
 * of the magnitudes. */
static float exact_step(const float *y, size_t cells, float *largest)
{
    int lowest = INT_MAX;

    *largest = 0;
    for (size_t i = 0; i < cells; i++) {
        uint32_t word, mantissa;
        int exponent;

        memcpy(&word, y + i, sizeof word);
        exponent = (int)(word >> 23 & 0xff);
        mantissa = (word & 0x7fffff) | (exponent ? 0x800000u : 0);
        if (!mantissa)
            continue;
        exponent = (exponent ? exponent : 1) + __builtin_ctz(mantissa);
        lowest = exponent < lowest ? exponent : lowest;
        *largest = fabsf(y[i]) > *largest ? fabsf(y[i]) : *largest;
    }
    return lowest == INT_MAX ? 0 : ldexpf(1, lowest - 150);
}

/* Whether all errors are within `eps` after their mean was added to the base. */
static int steps_hold(const float *y, size_t cells, double eps, struct steps *s)
{
    double step = (double)s->step, inverse = 1 / step, sum = 0, lo = 0, hi = 0;

    for (size_t i = 0; i < cells; i++) {
        double error = (double)y[i] - step * round_whole((double)y[i] * inverse);

        sum += error;
        lo = error < lo ? error : lo;
        hi = error > hi ? error : hi;
    }
    s->base = sum / (double)cells;
    return hi - s->base <= eps && s->base - lo <= eps;
}

/* Choose the step of which all values are multiples. The mean of n errors that are
 * uniform in -eps .. eps has the standard deviation eps / sqrt(3 n); at first four
 * standard deviations are reserved for the mean.
 */
static int choose_steps(const float *y, size_t cells, double eps, struct steps *s)
{
    const float most = (float)(1 << (MESH_STEPS_WIDTH - 2));
    double slack = 4 / sqrt(3 * (double)cells);
    float largest, exact = exact_step(y, cells, &largest);

    *s = (struct steps){exact, 0};
    if (exact == 0 || 2 * eps <= (double)exact)
        return exact == 0 || largest / exact < most;
    for (slack = slack < .4 ? slack : .4; slack < .9; slack *= 2) {
        s->step = nextafterf((float)(2 * eps * (1 - slack)), 0);
        if ((double)s->step < (double)exact && largest / exact < most) {
            *s = (struct steps){exact, 0};
            return 1;
        }
        if (!(s->step > 0) || !isfinite(1 / s->step) || !(largest / s->step < most))
            return 0;
        if (steps_hold(y, cells, eps, s))
            return 1;
    }
    return 0;
}

static void put_group(const float *y, size_t cells, double inverse,
                      struct mesh_bytes *bytes)
{
    int64_t q[MESH_STEPS_GROUP], least = INT64_MAX, greatest = INT64_MIN;
    uint64_t held = 0;
    int width = 0, bits = 0;

    for (size_t i = 0; i < cells; i++) {
        q[i] = (int64_t)round_whole((double)y[i] * inverse);
        least = q[i] < least ? q[i] : least;
        greatest = q[i] > greatest ? q[i] : greatest;
    }
    while ((greatest - least) >> width)
        width++;
    mesh_put_number(bytes, (uint64_t)width, 1);
    mesh_put_varint(bytes, (uint64_t)least << 1 ^ (uint64_t)(least >> 63));
    if (!bytes->to) {
        bytes->size += (cells * (size_t)width + 7) / 8;
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        held |= (uint64_t)(q[i] - least) << bits;
        for (bits += width; bits >= 8; bits -= 8, held >>= 8)
            mesh_put_number(bytes, held & 0xff, 1);
    }
    if (bits)
        mesh_put_number(bytes, held, 1);
}

void mesh_steps_put(const struct mesh_job *job, struct mesh_bytes *bytes)
{
    size_t cells = (size_t)job->shape.cells;
    struct steps s;
    double inverse;
    uint64_t base;

    if (!choose_steps(job->stored, cells, job->eps, &s)) {
        bytes->size = bytes->limit + 1;
        return;
    }
    memcpy(&base, &s.base, sizeof base);
    mesh_put_float(bytes, s.step);
    mesh_put_number(bytes, base, 8);
    inverse = s.step > 0 ? 1 / (double)s.step : 0;
    for (size_t at = 0; at < cells && !mesh_bytes_full(bytes); at += MESH_STEPS_GROUP)
        put_group(job->stored + at,
                  cells - at < MESH_STEPS_GROUP ? cells - at : MESH_STEPS_GROUP, inverse,
                  bytes);
}

int mesh_steps_open(struct mesh_steps_group *group, size_t cells,
                    const unsigned char **at, const unsigned char *end)
{
    uint64_t least;
    size_t size;

    if (*at == end)
        return -EBADMSG;
    group->width = *(*at)++;
    if (group->width > MESH_STEPS_WIDTH || mesh_get_varint(at, end, &least))
        return -EBADMSG;
    if (least >> (MESH_STEPS_WIDTH + 1))
        return -EBADMSG;
    group->least = (int64_t)(least >> 1) ^ -(int64_t)(least & 1);
    size = (cells * (size_t)group->width + 7) / 8;
    if (size > (size_t)(end - *at))
        return -EBADMSG;
    group->cells = cells;
    group->bits = *at;
    *at += size;
    return 0;
}

void mesh_steps_get(const struct mesh_steps_group *group, size_t first, size_t count,
                    float *values)
{
    size_t size = (group->cells * (size_t)group->width + 7) / 8;
    uint64_t mask = ((uint64_t)1 << group->width) - 1;

    for (size_t i = first; i < first + count; i++) {
        size_t bit = i * (size_t)group->width, at = bit / 8;
        size_t part = size - at < 8 ? size - at : 8;
        uint64_t word = mesh_get_number(group->bits + at, (int)part);
        int64_t q = group->least + (int64_t)(word >> bit % 8 & mask);

        values[i - first] = (float)(group->base + group->step * (double)q);
    }
}
