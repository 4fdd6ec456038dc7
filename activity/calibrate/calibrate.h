/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate.h: this machine as a machine file: its cores, its memory, its network within
 * a node. */
#ifndef ACTIVITY_CALIBRATE_CALIBRATE_H
#define ACTIVITY_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include "activity/machine/machine.h"

/* A measure: the median and the quartiles of its repeats. */
struct act_measure {
    double value, low, high;
    int known;
};

struct act_calibration {
    struct act_machine machine; /* usual where something is not known */
    char cpu[128];              /* its name, or "" */
    struct act_measure memory, send, receive, half, gap, eager, byte;
    char flavour[32];  /* of MPI */
    char missing[200]; /* why there is no network; "" */
};

/* Bytes a second by a triad on all cores (J. McCalpin's STREAM: a = b + s c, three times
 * 8 bytes a turn). 0; -ENOMEM. Takes about a second. */
int act_measure_memory(struct act_calibration *calibration, struct cca_error *err);
/* LogGP by the program activity-ping_FLAVOUR of this installation, on two ranks;
 * `flavour` is openmpi or mpich, NULL: the first that is there. What is not there is in
 * `missing`. */
void act_measure_network(struct act_calibration *calibration, const char *flavour);
/* All of it. 0 or -ENOMEM. */
int act_calibrate(struct act_calibration *calibration, const char *flavour,
                  struct cca_error *err);
/* The machine file, with what was measured as comments. 0 or a negative errno. */
int act_calibration_print(const struct act_calibration *calibration, FILE *out);

#endif
