/* SPDX-License-Identifier: BSD-3-Clause */
/* simulated.h: runs whose severities are known, drawn at random. */
#ifndef TESTS_PROPERTIES_SIMULATED_H
#define TESTS_PROPERTIES_SIMULATED_H

#include <math.h>
#include <stdint.h>

#include "properties/confidence/batches.h"

enum { SIM_BATCHES = 64, SIM_UNITS = 32 };

static uint64_t sim_state = 88172645463325252ULL;

static inline double sim_unit(void)
{
    sim_state ^= sim_state << 13;
    sim_state ^= sim_state >> 7;
    sim_state ^= sim_state << 17;
    return ((double)(sim_state >> 11) + .5) / 9007199254740992.0;
}

static inline double sim_normal(void)
{
    return sqrt(-2 * log(sim_unit())) * cos(2 * M_PI * sim_unit());
}

/* Lognormal, with mean 0 and sd 1. */
static inline double sim_heavy(void)
{
    return (exp(sim_normal()) - exp(.5)) / sqrt((M_E - 1) * M_E);
}

struct sim_world {
    int units;
    double noise; /* sd of a batch, of a mean of 1 */
    double lag;   /* autocorrelation of batches, AR(1) */
    double extra; /* the last unit takes longer by this share */
    double drift; /* cost at the end over that at the start, less 1 */
    double (*draw)(void);
};

/* Times in batches, [units][SIM_BATCHES]. */
static inline void sim_run(const struct sim_world *w, double *times)
{
    for (int u = 0; u < w->units; u++) {
        double noise = w->draw();

        for (int b = 0; b < SIM_BATCHES; b++) {
            double mean = 1 + w->drift * ((b + .5) / SIM_BATCHES - .5);

            noise = w->lag * noise + sqrt(1 - w->lag * w->lag) * w->draw();
            mean *= 1 + (u == w->units - 1) * w->extra;
            times[u * SIM_BATCHES + b] = fmax(mean * (1 + w->noise * noise), 0);
        }
    }
}

/* Means of units in a replicate. */
static inline void sim_means(double *means, const double *times, int units,
                             const struct mm_blocks *blocks, size_t replicate)
{
    double weights = 0;

    for (int u = 0; u < units; u++)
        means[u] = 0;
    for (size_t b = 0; b < SIM_BATCHES; b++) {
        double w = mm_blocks_weight(blocks, b, replicate, 0);

        weights += w;
        for (int u = 0; u < units; u++)
            means[u] += w * times[(size_t)u * SIM_BATCHES + b];
    }
    for (int u = 0; u < units; u++)
        means[u] /= weights;
}

/* Severities, of units' times. */
static inline double sim_imbalance(const double *times, int units)
{
    double sum = 0, most = 0;

    for (int u = 0; u < units; u++) {
        sum += times[u];
        most = fmax(most, times[u]);
    }
    return (1 - sum / units / most) / (1 - 1. / units);
}

/* As Inefficiency: of the slowest unit against 1. */
static inline double sim_inefficiency(const double *times, int units)
{
    double most = 0;

    for (int u = 0; u < units; u++)
        most = fmax(most, times[u]);
    return 1 - 1 / most;
}

/* As an overhead: what the last unit has above 1, as a share. */
static inline double sim_share(const double *times, int units)
{
    return (times[units - 1] - 1) / times[units - 1];
}

#endif
