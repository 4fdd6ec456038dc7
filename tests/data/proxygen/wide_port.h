/* SPDX-License-Identifier: BSD-3-Clause */
/* wide_port.h: a port of every way in which values are passed: in registers of both kinds, on the
 * stack, split, behind a hidden pointer. */
#ifndef WIDE_PORT_H
#define WIDE_PORT_H

#include <stdbool.h>

#include "ports/cca_port.h"

#define WIDE_PORT_TYPE "test.wide.WidePort/3"

enum wide_small { WIDE_NONE, WIDE_SOME };
enum wide_signed { WIDE_MINUS = -1, WIDE_PLUS = 1 };
enum wide_long { WIDE_FAR = 0x7fffffff };

typedef int (*wide_function)(int, double);

struct wide_one {
    char c;
};
struct wide_floats {
    float x, y, z;
};
struct wide_mixed { /* one register of each kind */
    double d;
    short s;
    signed char c;
};
struct wide_swapped { /* and the other way round */
    int64_t i;
    float f;
};
struct wide_pair {
    int64_t a, b;
};
struct wide_packet { /* 15 bytes in an array */
    unsigned char bytes[15];
};
struct wide_big { /* in memory */
    double m[3][3];
    int32_t tag;
};
struct wide_nested {
    struct wide_one head[3];
    struct {
        float f;
        struct wide_one tail;
    } inner;
};
struct wide_extended {
    long double l;
};
struct wide_complex {
    float _Complex c;
};
struct wide_pointers {
    const char *name;
    wide_function function;
};
struct wide_truth {
    bool on;
    enum wide_signed sign;
};

struct wide_port {
    struct cca_port base;

    /* Integers of every width, more than there are registers for. */
    int8_t (*narrow)(struct wide_port *self, CCA_PARAM int8_t a, CCA_PARAM uint8_t b,
                     CCA_PARAM int16_t c, CCA_PARAM uint16_t d, CCA_PARAM int32_t e,
                     CCA_PARAM uint32_t f, CCA_PARAM int64_t g, CCA_PARAM uint64_t h,
                     CCA_PARAM char i) CCA_PERF("all = a + b - c * d + e / f - g % h");
    uint16_t (*unsigned_short)(struct wide_port *self, CCA_PARAM bool b,
                               CCA_MODE("0: none, 1: some") enum wide_small s,
                               CCA_PARAM enum wide_signed t, CCA_PARAM enum wide_long u)
        CCA_PERF("sum = b + s + t + u");
    bool (*truth)(struct wide_port *self, const bool *in, CCA_OUT_PARAM uint8_t *out)
        CCA_PERF("first = *in");
    enum wide_signed (*sign)(struct wide_port *self);
    uint64_t (*whole)(struct wide_port *self, unsigned long long n) CCA_UNMEASURED;

    /* Floating numbers. */
    float (*single)(struct wide_port *self, CCA_PARAM float a, CCA_PARAM double b, float c,
                    double d, float e, double f, float g, double h, CCA_PARAM float i, float j)
        CCA_PERF("mean = (a + b * i) / 2; scaled = a * 3");
    double (*twice)(struct wide_port *self, CCA_PARAM int n, CCA_PARAM double x,
                    CCA_OUT_PARAM float *error, CCA_OUT_PARAM long double *rest)
        CCA_PERF("nx = -n * (x - 1.5e-3)");
    long double (*extended)(struct wide_port *self, int n, CCA_PARAM long double x,
                            int64_t m) CCA_PERF("q = x / m + n");
    float _Complex (*turn)(struct wide_port *self, float _Complex z, CCA_PARAM int n);
    double _Complex (*turn_twice)(struct wide_port *self, double _Complex z, double f);
    long double _Complex (*turn_far)(struct wide_port *self, long double _Complex z, int n);

    /* Structs. */
    struct wide_one (*one)(struct wide_port *self, struct wide_one s);
    struct wide_floats (*floats)(struct wide_port *self, struct wide_floats s,
                                 struct wide_floats t, CCA_PARAM int n);
    struct wide_mixed (*mixed)(struct wide_port *self, struct wide_mixed s, int n,
                               struct wide_mixed t, CCA_PARAM double x);
    struct wide_swapped (*swapped)(struct wide_port *self, double x, struct wide_swapped s);
    struct wide_pair (*pair)(struct wide_port *self, int a, int b, int c, int d,
                             struct wide_pair s, CCA_PARAM int e);
    struct wide_packet (*packet)(struct wide_port *self, struct wide_packet s,
                                 CCA_PARAM short n);
    struct wide_big (*big)(struct wide_port *self, CCA_PARAM int n, struct wide_big s,
                           struct wide_pair t, struct wide_big u, CCA_PARAM double x)
        CCA_PERF("Q = n * n");
    struct wide_nested (*nested)(struct wide_port *self, struct wide_nested s);
    int (*far)(struct wide_port *self, struct wide_extended s, CCA_PARAM int n);
    struct wide_complex (*turned)(struct wide_port *self, struct wide_complex s,
                                  struct wide_truth t);
    struct wide_pointers (*pointers)(struct wide_port *self, struct wide_pointers s,
                                     wide_function f, CCA_PARAM int n);
    struct wide_truth (*truths)(struct wide_port *self, struct wide_truth s, bool t);

    /* Pointers, and many of everything. */
    void *(*anything)(struct wide_port *self, const void *a, void **b, struct wide_big *c);
    void (*much)(struct wide_port *self, CCA_PARAM int a, double b, struct wide_mixed c,
                 void *d, float e, int64_t f, struct wide_pair g, char h, double i, double j,
                 double k, double l, double m, double n, struct wide_floats o, long double p,
                 CCA_PARAM int64_t q, const int32_t *r, CCA_OUT_PARAM int32_t *s)
        CCA_PERF("far = a * q + *r; ratio = *r / q")
        CCA_PERF("least = -9223372036854775807 - 1 - a");
};

#endif
