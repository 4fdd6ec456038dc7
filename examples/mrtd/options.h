/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h: the command line of mrtd. */
#ifndef EXAMPLES_MRTD_OPTIONS_H
#define EXAMPLES_MRTD_OPTIONS_H

#include <stdint.h>

enum { MRTD_PATH_BYTES = 512, MRTD_CELLS_MOST = 1 << 24 };

/* mrtd_shared.f90 has the same struct: keep the order. */
struct mrtd_options {
    int32_t n[3]; /* cells in each dimension */
    int32_t steps;
    int32_t source[3]; /* the cell that radiates; source[0] < 0: none */
    int32_t absorb;    /* cells of the layer at each wall that absorbs; 0: none */
    int32_t mode[3];  /* half waves less a quarter in each dimension; mode[0] < 0: none */
    int32_t watch[3]; /* the cell whose E is printed; watch[0] < 0: none */
    int32_t json;     /* 1: the report is JSON */
    int32_t energy;   /* 1: energy of the first and the last step is reported */
    int32_t decide;   /* steps between two questions to a policy that looks at loads */
    int32_t pace_ms;  /* waited in each step */
    double threshold; /* wavelets below it are left out; 0: none is */
    double courant;   /* time step over its limit */
    double cell_m;    /* side of a cell, metres */
    double width_cells; /* of the source's pulse: c * tau */
    char price[MRTD_PATH_BYTES], move[MRTD_PATH_BYTES]; /* as mesh_price_read */
    char policy[MRTD_PATH_BYTES];                       /* "": none */
    char partitioner[MRTD_PATH_BYTES]; /* of the first and of the policy's partitions */
    char schedule[MRTD_PATH_BYTES];    /* "": none */
    char dump[MRTD_PATH_BYTES];        /* "": none */
    char times[MRTD_PATH_BYTES];       /* "": none */
    char moves[MRTD_PATH_BYTES];       /* "": none */
    char profile[MRTD_PATH_BYTES];     /* of the mesh that is profiled */
};

/* Read the command line; argv[0] is skipped. 0; 1: help was asked for and printed where
 * `speak`; 2: wrong, with one line on standard error where `speak`. */
int mrtd_options_read(struct mrtd_options *options, int argc, char *const argv[],
                      int speak);

/* The limit of the time step: sqrt(3) c dt = half a cell (Yee on the grid of half cells);
 * returns courant / sqrt(3) = c dt / (half a cell). */
double mrtd_options_step(const struct mrtd_options *options);

#endif
