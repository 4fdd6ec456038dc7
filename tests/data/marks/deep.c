/* SPDX-License-Identifier: BSD-3-Clause */
/* deep.c: the library of deep.h. */
#include "deep.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct deep_plan {
    int n0, n1;
};

struct deep_matrix {
    int m;
    long n;
};

/* Plans are used again as soon as they have ended, as memory often is. */
static struct deep_plan plans[4096];
static unsigned char in_use[4096];
static int opened, called;

long deep_visit(deep_node_t *list, const char *kind, enum deep_colour colour, bool on,
                const int v[3], size_t count, struct deep_point by, char trans, long *seen)
{
    (void)kind, (void)colour, (void)on, (void)v, (void)count, (void)by, (void)trans;
    if (!list)
        return -1;
    if (seen)
        *seen = list->n;
    return list->next ? list->next->n : 0;
}

deep_plan deep_plan_make(int n0, int n1, double weight)
{
    (void)weight;
    for (int i = 0; n0 >= 0 && i < 4096; i++)
        if (!__atomic_exchange_n(&in_use[i], 1, __ATOMIC_ACQ_REL)) {
            plans[i] = (struct deep_plan){n0, n1};
            return &plans[i];
        }
    return NULL;
}

int deep_plan_copy(deep_plan from, deep_plan *to)
{
    *to = from ? deep_plan_make(from->n0, from->n1, 0) : NULL;
    return *to ? 0 : -1;
}

void deep_plan_run(deep_plan plan)
{
    (void)plan;
}

void deep_plan_end(deep_plan plan)
{
    if (plan)
        __atomic_store_n(&in_use[plan - plans], 0, __ATOMIC_RELEASE);
}

int deep_plan_drop(deep_plan *plan)
{
    deep_plan_end(*plan);
    *plan = NULL;
    return 0;
}

int deep_open(const char *name, long size)
{
    (void)size;
    return name ? opened++ : -1;
}

int deep_use(int id)
{
    return id;
}

int deep_close(int id)
{
    return id < opened ? 0 : -1;
}

deep_matrix deep_matrix_make(int m, long n)
{
    deep_matrix made = malloc(sizeof *made);

    if (made)
        *made = (struct deep_matrix){m, n};
    return made;
}

int deep_matrix_size(deep_matrix a, int *m, long *n)
{
    called++;
    errno = 99;
    if (m)
        *m = a->m;
    if (n)
        *n = a->n;
    return a->m == 13;
}

double deep_matrix_norm(const struct deep_matrix *a)
{
    const struct timespec while_ = {0, 50000000};

    nanosleep(&while_, NULL); /* slow, so that it shows where it is timed */
    return a->m + (double)a->n / 4;
}

long deep_matrix_rows(deep_matrix a, int scale)
{
    return (long)a->m * scale;
}

int deep_multiply(deep_matrix a, deep_matrix *product)
{
    int m;
    long n;

    deep_matrix_size(a, &m, &n);
    *product = a->n > 0 ? deep_matrix_make((int)a->n, a->m) : NULL;
    return *product ? 0 : 3;
}

int deep_called(void)
{
    return called;
}
