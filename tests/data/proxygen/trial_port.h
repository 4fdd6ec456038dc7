/* SPDX-License-Identifier: BSD-3-Clause */
/* trial_port.h: a port with every kind of method that proxygen serves. */
#ifndef TRIAL_PORT_H
#define TRIAL_PORT_H

#include <stdbool.h>

#include "ports/cca_port.h"

#define TRIAL_PORT_TYPE "test.TrialPort/1"

struct trial_port;

struct trial_pair {
    int32_t first;
    double second;
};

enum trial_color { TRIAL_RED = 1, TRIAL_BLUE = 2 };

typedef int (*trial_callback)(void *context, int value);
typedef void (*trial_method)(struct trial_port *self, CCA_PARAM int64_t amount);

struct trial_port {
    struct cca_port base;

    /* Appends "call;" to `trace`; *count = nx, *error = dt. */
    int64_t (*work)(struct trial_port *self, CCA_MODE("0: x sweep, 1: \"y\" ?\?/, -3") int axis,
                    CCA_PARAM int nx, CCA_PARAM size_t size, CCA_PARAM double dt, char *trace,
                    CCA_OUT_PARAM int64_t *count, CCA_OUT_PARAM double *error)
        CCA_PERF("Q = nx * size; R = (nx + 1) / axis; S = nx * dt; T = 1 / dt")
        CCA_PERF("U = -*count % 5 - (nx - 2)");
    /* Names that the code around the call would like to have. */
    struct trial_pair (*pair)(struct trial_port *self, struct trial_pair in,
                              trial_callback call, CCA_PARAM int target, int proxy, int method,
                              int out, CCA_PARAM int result, int proxy_begin, void *context)
        CCA_PERF("sum = target + result");
    void (*touch)(struct trial_port *self);
    trial_method feed;
    bool (*mixed)(struct trial_port *self, CCA_PARAM bool on, CCA_PARAM enum trial_color color,
                  CCA_PARAM float single, CCA_PARAM long double wide, const double point[3],
                  CCA_PARAM unsigned char byte, const struct trial_pair *const *pairs, int);
    int (*fail)(struct trial_port *self, int depth);         /* throws depth if it is not 0 */
    int (*block)(struct trial_port *self, int say, int wait); /* writes, then reads a byte */
    int (*optional)(struct trial_port *self);                /* NULL in the trial */
    double (*ratio)(struct trial_port *self) CCA_UNMEASURED;
    const char *(*name)(struct trial_port *self, int index) CCA_UNMEASURED;
    struct trial_pair (*origin)(struct trial_port *self) CCA_UNMEASURED;
    void (*rest)(struct trial_port *self) CCA_UNMEASURED;
    unsigned (*flags)(struct trial_port *self) CCA_UNMEASURED;
};

#endif
