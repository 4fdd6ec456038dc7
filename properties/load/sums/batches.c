/* SPDX-License-Identifier: BSD-3-Clause */
/* batches.c: sums over consecutive calls. */
#include "properties/load/sums/batches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct mm_load_batches *mm_batches_new(size_t method_count)
{
    struct mm_load_batches *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->methods = calloc(method_count + 1, sizeof *b->methods);
    b->method_count = method_count;
    if (b->methods)
        return b;
    free(b);
    return NULL;
}

void mm_batches_free(struct mm_load_batches *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->method_count; i++)
        free(b->methods[i].batches);
    free(b->methods);
    free(b);
}

static void halve(struct mm_method_batches *m, size_t count)
{
    for (size_t i = 0; i < MM_BATCHES / 2; i++) {
        struct mm_load_batch *to = &m->batches[i];
        const struct mm_load_batch *a = &m->batches[2 * i], *b = a + 1;

        to->own_exec = a->own_exec + b->own_exec;
        for (size_t k = 0; k < count; k++)
            to->sum[k] = a->sum[k] + b->sum[k];
    }
    memset(m->batches + MM_BATCHES / 2, 0, MM_BATCHES / 2 * sizeof *m->batches);
    m->width *= 2;
}

int mm_batches_add(struct mm_load_batches *b, size_t method, int64_t own_exec,
                   const int64_t *delta, size_t count)
{
    struct mm_method_batches *m = &b->methods[method];
    struct mm_load_batch *batch;

    if (!m->batches) {
        m->batches = calloc(MM_BATCHES, sizeof *m->batches);
        if (!m->batches)
            return -ENOMEM;
    }
    if (!m->calls)
        m->width = 1;
    if (m->calls == MM_BATCHES * m->width)
        halve(m, count);
    batch = &m->batches[m->calls++ / m->width];
    batch->own_exec += own_exec;
    for (size_t k = 0; k < count; k++)
        batch->sum[k] += delta[k];
    return 0;
}

void mm_batches_clear(struct mm_load_batches *b)
{
    for (size_t i = 0; i < b->method_count; i++) {
        if (b->methods[i].calls)
            memset(b->methods[i].batches, 0, MM_BATCHES * sizeof *b->methods[i].batches);
        b->methods[i].calls = 0;
    }
}
