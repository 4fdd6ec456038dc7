/* SPDX-License-Identifier: BSD-3-Clause */
/* deep_port.h: a port whose sidecar reaches into structs, remembers and gets. */
#ifndef DEEP_PORT_H
#define DEEP_PORT_H

#include <stdbool.h>

#include "ports/cca_port.h"

#define DEEP_PORT_TYPE "test.DeepPort/1"
#define DEEP_MOST 4

enum deep_kind { DEEP_NONE = -1, DEEP_SOME, DEEP_MANY };

struct deep_box {
    int32_t n;
    int16_t dims[4];
    unsigned low : 3, high : 11;
    int wide : 6;
    signed char on;
    char name[8];
    union {
        uint16_t half;
        unsigned char byte;
    };
    struct {
        int64_t first;
        uint32_t second[2];
    } inner;
};

struct deep_port {
    struct cca_port base;

    int64_t (*open)(struct deep_port *self, const struct deep_box *box, int size, double weight);
    int (*use)(struct deep_port *self, int64_t handle, const char *name, enum deep_kind kind,
               unsigned char trans, bool on, const struct deep_box *box, int64_t *count);
    void (*close)(struct deep_port *self, int64_t handle);
    int (*size)(struct deep_port *self, int scale, int32_t *m, double *x);
    long (*length)(struct deep_port *self, const struct deep_box *box);
    bool (*multiply)(struct deep_port *self, const struct deep_box *box, int k);
};

#endif
