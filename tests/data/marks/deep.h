/* SPDX-License-Identifier: BSD-3-Clause */
/* deep.h: a library whose calls cost what lies behind pointers and handles. */
#ifndef DEEP_H
#define DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum deep_colour { DEEP_RED, DEEP_GREEN = 5, DEEP_BLUE };

struct deep_point {
    double x, y;
};

typedef struct deep_node {
    struct deep_node *next;
    int n;
    short dims[4];
    struct deep_point at;
    unsigned low : 3, high : 11;
    int wide : 5;
    char name[8];
    union {
        int whole;
        float real;
    } as;
    struct {
        long first, second; /* of a struct without a name */
    };
    const char *title;
    volatile int changing;
} deep_node_t;

/* Returns -1 where `list` is NULL, else n of the second node or 0; *seen = n of the first. */
long deep_visit(deep_node_t *list, const char *kind, enum deep_colour colour, bool on,
                const int v[3], size_t count, struct deep_point by, char trans, long *seen);

/* Handles that are pointers, returned and given through pointers. */
struct deep_plan;
typedef struct deep_plan *deep_plan;
deep_plan deep_plan_make(int n0, int n1, double weight); /* NULL where n0 < 0 */
int deep_plan_copy(deep_plan from, deep_plan *to);
void deep_plan_run(deep_plan plan);
void deep_plan_end(deep_plan plan);
int deep_plan_drop(deep_plan *plan); /* sets it to NULL */

/* Handles that are numbers from 0; -1: none. */
int deep_open(const char *name, long size);
int deep_use(int id);
int deep_close(int id);

/* What only the library can tell of its handles. They change nothing. */
typedef struct deep_matrix *deep_matrix;
deep_matrix deep_matrix_make(int m, long n);
int deep_matrix_size(deep_matrix a, int *m, long *n); /* 1 where m is 13 */
double deep_matrix_norm(const struct deep_matrix *a);
long deep_matrix_rows(deep_matrix a, int scale);
int deep_multiply(deep_matrix a, deep_matrix *product); /* 3 where there is none */
int deep_called(void); /* how often deep_matrix_size was */

#endif
