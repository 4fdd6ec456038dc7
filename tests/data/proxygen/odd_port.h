/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_port.h: a port of types that have no name, or an unusual one. */
#ifndef ODD_PORT_H
#define ODD_PORT_H

#include <stddef.h>

#include "ports/cca_port.h"

#define ODD_PORT_TYPE "test.OddPort/1"

typedef __int128 odd_wide;
typedef int odd_function(int);
typedef odd_function *odd_chain;
typedef const odd_chain odd_chain_end;
union odd_union {
    double d;
    int i[4];
};
struct odd_bits {
    unsigned a : 3, b : 29;
    signed c : 12;
    struct {
        int unnamed;
        union {
            float f;
            char bytes[4];
        };
    };
};
typedef struct {
    int n;
} odd_nameless;

struct odd_port {
    struct cca_port base;

    /* Functions and arrays without a typedef. */
    int (*call)(struct odd_port *self, int (*function)(int), CCA_PARAM int n);
    int (*(*give)(struct odd_port *self))(int);
    double (*sum)(struct odd_port *self, CCA_PARAM int n, double (*rows)[3], double flat[2][3]);
    void (*sort)(struct odd_port *self, void *base, size_t n, size_t size,
                 int (*compare)(const void *a, const void *b));
    int (*table)(struct odd_port *self, int (*functions[2])(int), odd_function function,
                 odd_chain_end chain, CCA_PARAM int n);

    /* 128 bits. */
    __int128 (*wide)(struct odd_port *self, unsigned __int128 a, odd_wide b);

    /* Records by value, and names that C++ has taken. */
    union odd_union (*join)(struct odd_port *self, union odd_union u, CCA_PARAM int class);
    struct odd_bits (*bits)(struct odd_port *self, struct odd_bits b, int this_, int result);
    odd_nameless (*nameless)(struct odd_port *self, odd_nameless n, CCA_PARAM int template);

    /* Qualifiers and attributes. */
    int *(*qualified)(struct odd_port *const self, const volatile int *restrict a,
                      int *const volatile b, CCA_PARAM const int n)
        __attribute__((nonnull(2), warn_unused_result));
};

#endif
