/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c: numbers for the absorbing layer, the source and the initial mode. */
#include "examples/mrtd/start.h"

#include <math.h>

static void cell_place(const struct mrtd_options *o, int32_t cell, int32_t place[3])
{
    place[0] = cell / o->n[2] / o->n[1];
    place[1] = cell / o->n[2] % o->n[1];
    place[2] = cell % o->n[2];
}

/* Return the loss of a cell in one step: sigma dt / (2 epsilon), the same for H; 0
 * outside the absorbing layer. Electric and magnetic losses are matched and grow with the
 * third power of the cell's depth in the layer, which reflects a plane wave with a factor
 * of exp(-16) = 1.1e-7. */
static double cell_loss(const struct mrtd_options *o, int32_t cell)
{
    double most = 4.0 * 16.0 / (2.0 * o->absorb), sum = 0;
    int32_t place[3];

    if (!o->absorb)
        return 0;
    cell_place(o, cell, place);
    for (int d = 0; d < 3; d++) {
        int32_t behind = o->n[d] - 1 - place[d];
        double wall = (place[d] < behind ? place[d] : behind) + .5;
        double depth = (o->absorb - wall) / o->absorb;

        if (depth > 0)
            sum += most * depth * depth * depth;
    }
    return sum * (.25 * mrtd_options_step(o)); /* c dt / 2, in cells */
}

void mrtd_start_factors(const struct mrtd_options *o, int32_t cell, double *keep,
                        double *add)
{
    double loss = cell_loss(o, cell);

    *keep = (1.0 - loss) / (1.0 + loss);
    *add = .5 * mrtd_options_step(o) / (1.0 + loss);
}

double mrtd_start_source(const struct mrtd_options *o, int32_t step)
{
    double now = (step + .5) * .5 * mrtd_options_step(o) / o->width_cells;
    double u = now - 3.0;

    return -sqrt(2) * exp(.5) * u * exp(-u * u);
}

int32_t mrtd_start_source_cell(const struct mrtd_options *o)
{
    return o->source[0] < 0
               ? -1
               : (o->source[0] * o->n[1] + o->source[1]) * o->n[2] + o->source[2];
}

/* At the low wall H is 0, half a half cell before the first half cell; at the high wall E
 * is 0, after the last half cell; the length is 2n + 1/2 half cells. A tangential
 * component of E is a cosine from the low wall, a normal component a sine. A0 and A1 are
 * chosen so that the discrete divergence is 0; then the mode is an exact solution of the
 * scheme. */
void mrtd_start_mode(const struct mrtd_options *o, int32_t cell, double *value)
{
    double k[3];
    int32_t place[3];

    cell_place(o, cell, place);
    for (int d = 0; d < 3; d++)
        k[d] = (o->mode[d] + .5) * acos(-1) / (2.0 * o->n[d] + .5);
    for (int m = 0; m < 24; m++)
        value[m] = 0;
    for (int half = 0; half < 8; half++) { /* half cells */
        double along[3], across[3];

        for (int d = 0; d < 3; d++) {
            double at = 2.0 * place[d] + (half >> d & 1);

            along[d] = sin(k[d] * (at + 1.0));
            across[d] = cos(k[d] * (at + .5));
        }
        for (int m = 0; m < 8; m++) {
            double sign = __builtin_popcount((unsigned)(m & half)) % 2 ? -1.0 : 1.0;

            value[m] += .125 * sign * sin(.5 * k[1]) * along[0] * across[1] * across[2];
            value[8 + m] -=
                .125 * sign * sin(.5 * k[0]) * across[0] * along[1] * across[2];
        }
    }
}
