/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate.h: measure this machine's cores, memory and network within the node, as a
 * machine file. */
#ifndef ACTIVITY_CALIBRATE_CALIBRATE_H
#define ACTIVITY_CALIBRATE_CALIBRATE_H

#include <stdio.h>

#include "activity/machine/machine.h"

/* A measurement: median and quartiles of its repetitions. */
struct act_measure {
    double value, low, high;
    int known;
};

struct act_calibration {
    /* the measured machine, with defaults where nothing was measured */
    struct act_machine machine;
    char cpu[128]; /* the CPU's name; "": unknown */
    struct act_measure memory, send, receive, half, gap, eager, byte;
    char flavour[32];  /* flavour of the MPI library in use: "openmpi" or "mpich" */
    char missing[200]; /* reason why the network was not measured; "": it was */
};

/* Measure bytes per second of a triad on all cores (J. McCalpin's STREAM: a = b + s c, 24
 * bytes per iteration). Returns 0 or -ENOMEM. Takes about a second. */
int act_measure_memory(struct act_calibration *calibration, struct cca_error *err);
/* Measure LogGP parameters with the program activity-ping_FLAVOUR of this installation on
 * two ranks; `flavour` is openmpi or mpich, NULL: the first that is installed. If
 * something is not installed, `missing` names it. */
void act_measure_network(struct act_calibration *calibration, const char *flavour);
/* Run all measurements. Returns 0 or -ENOMEM. */
int act_calibrate(struct act_calibration *calibration, const char *flavour,
                  struct cca_error *err);
/* Print the machine file, with the measurements as comments. Returns 0 or a negative
 * errno. */
int act_calibration_print(const struct act_calibration *calibration, FILE *out);

#endif
