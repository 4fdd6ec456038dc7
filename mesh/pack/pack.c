/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c: the choice of a method, and the methods that need no search. */
#include "mesh/pack/pack.h"

#include <math.h>
#include <string.h>

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

static void judge(const float *values, const float *decoded, size_t cells,
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
        if (fabs(e) > error->largest) {
            error->largest = fabs(e);
            error->worst = i;
        }
    }
    error->rms = sqrt(squares / (double)cells);
}

/* The one float that keeps the bound of all, and the sum where that is possible. */
static int constant_of(const float *values, size_t cells, double eps, float *constant)
{
    float least = values[0], greatest = values[0];
    double sum = 0;

    for (size_t i = 0; i < cells; i++) {
        if (!isfinite(values[i]))
            return 0;
        least = fminf(least, values[i]);
        greatest = fmaxf(greatest, values[i]);
        sum += (double)values[i];
    }
    *constant = least == greatest ? least : (float)(sum / (double)cells);
    return (double)greatest - (double)*constant <= eps &&
           (double)*constant - (double)least <= eps;
}

int64_t mesh_pack(const float *values, const int64_t n[3], const float *previous,
                  const struct mesh_pack_wish *wish, unsigned char *out, float *decoded,
                  int *chained, struct mesh_pack_error *error)
{
    int64_t cells = cells_of(n);
    float constant = 0;
    int is_constant;

    (void)previous;
    if (cells < 0 || !(wish->eps >= 0))
        return -EINVAL;
    *chained = 0;
    is_constant = wish->method != MESH_PACK_RAW &&
                  constant_of(values, (size_t)cells, wish->eps, &constant);
    if (is_constant) {
        out[0] = MESH_PACK_CONSTANT;
        memcpy(out + 1, &constant, sizeof constant);
        for (int64_t i = 0; i < cells; i++)
            decoded[i] = constant;
    } else {
        out[0] = MESH_PACK_RAW;
        memcpy(out + 1, values, (size_t)cells * sizeof *values);
        memcpy(decoded, values, (size_t)cells * sizeof *values);
    }
    if (error)
        judge(values, decoded, (size_t)cells, error);
    return 1 + (is_constant ? (int64_t)sizeof constant : cells * (int64_t)sizeof *values);
}

int mesh_unpack(const unsigned char *bytes, size_t size, const int64_t n[3],
                const float *previous, float *values, struct cca_error *err)
{
    int64_t cells = cells_of(n);
    float constant;

    (void)previous;
    if (cells < 0 || size < 1)
        return cca_error_set(err, -EBADMSG, "found no packed block");
    if (bytes[0] == MESH_PACK_RAW && size == 1 + (size_t)cells * sizeof *values) {
        memcpy(values, bytes + 1, size - 1);
        return 0;
    }
    if (bytes[0] != MESH_PACK_CONSTANT || size != 1 + sizeof constant)
        return cca_error_set(err, -EBADMSG,
                             "found a block of method %u in %zu bytes, expected one of "
                             "%lld values",
                             bytes[0], size, (long long)cells);
    memcpy(&constant, bytes + 1, sizeof constant);
    for (int64_t i = 0; i < cells; i++)
        values[i] = constant;
    return 0;
}
