/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h: the command line of mrtd. */
#ifndef EXAMPLES_MRTD_OPTIONS_H
#define EXAMPLES_MRTD_OPTIONS_H

#include <stdint.h>

enum { MRTD_PATH_BYTES = 512, MRTD_CELLS_MOST = 1 << 24 };

/* mrtd_shared.f90 declares the same struct: keep the order. */
struct mrtd_options {
    int32_t n[3]; /* number of cells in each dimension */
    int32_t steps;
    int32_t source[3]; /* cell of the source; source[0] < 0: none */
    int32_t absorb;    /* thickness in cells of the absorbing layer at each wall; 0:
                        * none */
    int32_t mode[3];   /* initial mode: number of half waves, less a quarter, in each
                          dimension; mode[0] < 0: none */
    int32_t watch[3];  /* cell whose E is printed; watch[0] < 0: none */
    int32_t json;      /* true if the report is JSON */
    int32_t energy;    /* true if the energy of the first and the last step is reported */
    int32_t decide;    /* steps between two queries of a policy that uses loads */
    int32_t pace_ms;   /* milliseconds to sleep in each step */
    double threshold; /* wavelets below it are not updated; 0: all wavelets are updated */
    double courant;   /* time step divided by its stability limit */
    double cell_m;    /* side of a cell, metres */
    double width_cells; /* width of the source's pulse: c * tau, in cells */
    /* prices of a repartition and of a moved cell, as for mesh_price_read */
    char price[MRTD_PATH_BYTES], move[MRTD_PATH_BYTES];
    char policy[MRTD_PATH_BYTES];      /* policy of redistributions; "": none */
    char partitioner[MRTD_PATH_BYTES]; /* name of the partitioner for the first partition
                                          and all partitions of the policy */
    char schedule[MRTD_PATH_BYTES];    /* file with a schedule; "": none */
    char dump[MRTD_PATH_BYTES];        /* file for all coefficients; "": none */
    char times[MRTD_PATH_BYTES];       /* file for the times of each step; "": none */
    char moves[MRTD_PATH_BYTES];   /* file for the costs of redistributions; "": none */
    char profile[MRTD_PATH_BYTES]; /* name of the profiled mesh */
};

/* Read the command line; argv[0] is skipped. Returns 0; 1: help was requested (and
 * printed if `speak`); 2: wrong options, with one line on standard error if `speak`. */
int mrtd_options_read(struct mrtd_options *options, int argc, char *const argv[],
                      int speak);

/* Return c dt / (half a cell). The limit of the time step is sqrt(3) c dt = half a cell
 * (Yee on the grid of half cells), so this is courant / sqrt(3). */
double mrtd_options_step(const struct mrtd_options *options);

#endif
