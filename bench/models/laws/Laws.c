/* SPDX-License-Identifier: BSD-3-Clause */
/* Spin for a number of units that is a law of n. */
#include <math.h>

#include "framework/cca.h"
#include "laws_port.h"

static int spin(double units)
{
    volatile uint64_t sink;
    uint64_t x = 1;

    for (int64_t i = llround(units); i > 0; i--)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
    (void)sink;
    return 0;
}

static int laws_constant(struct laws_port *self, int n)
{
    (void)self, (void)n;
    return spin(1500);
}

static int laws_logarithm(struct laws_port *self, int n)
{
    (void)self;
    return spin(400 * log2(n));
}

static int laws_root(struct laws_port *self, int n)
{
    (void)self;
    return spin(200 * sqrt(n));
}

static int laws_line(struct laws_port *self, int n)
{
    (void)self;
    return spin(20.0 * n);
}

static int laws_line_log(struct laws_port *self, int n)
{
    (void)self;
    return spin(8 * n * log2(n));
}

static int laws_line_square(struct laws_port *self, int n)
{
    (void)self;
    return spin(100.0 * n + (double)n * n);
}

static int laws_square(struct laws_port *self, int n)
{
    (void)self;
    return spin((double)n * n);
}

static int laws_cube(struct laws_port *self, int n)
{
    (void)self;
    return spin((double)n * n * n / 2);
}

static const struct laws_port port = {.base = {LAWS_PORT_TYPE, sizeof port},
                                      .constant = laws_constant,
                                      .logarithm = laws_logarithm,
                                      .root = laws_root,
                                      .line = laws_line,
                                      .line_log = laws_line_log,
                                      .line_square = laws_line_square,
                                      .square = laws_square,
                                      .cube = laws_cube};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct laws_port),
    .name = "Laws",
    .summary = "spins as laws say",
    CCA_IMPLEMENTS({"laws", 0, &port.base}),
};
