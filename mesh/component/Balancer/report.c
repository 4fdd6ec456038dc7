/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c: a file with the times of each step on each rank. */
#include "mesh/component/Balancer/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = sizeof(struct report_step) / sizeof(int64_t) };

int report_begin(struct report *report, const char *path, int rank, int ranks,
                 struct cca_error *err)
{
    report_end(report);
    if (!*path)
        return 0;
    report->shared = calloc((size_t)ranks * NUMBERS, sizeof *report->shared);
    if (!report->shared)
        return cca_error_set(err, -ENOMEM, "out of memory");
    report->on = 1;
    if (rank)
        return 0;
    report->file = fopen(path, "we");
    if (!report->file)
        return cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    setvbuf(report->file, NULL, _IOLBF, 0);
    fputs("step,rank,work,cpu_ns,cells_moved,move_ns,decide_ns\n", report->file);
    return 0;
}

static void lines_write(const struct report *report, int64_t step, int size)
{
    for (int rank = 0; rank < size; rank++) {
        fprintf(report->file, "%" PRId64 ",%d", step, rank);
        for (int k = 0; k < NUMBERS; k++)
            fprintf(report->file, ",%" PRId64, report->shared[rank * NUMBERS + k]);
        fputc('\n', report->file);
    }
}

int report_add(struct report *report, struct exchange_port *ranks, int64_t step,
               const struct report_step *mine, struct cca_error *err)
{
    int rank = ranks ? ranks->rank(ranks) : 0, size = ranks ? ranks->size(ranks) : 1;
    int64_t *place = report->shared + (ptrdiff_t)rank * NUMBERS;
    int code;

    if (!report->on)
        return 0;
    memset(report->shared, 0, (size_t)size * NUMBERS * sizeof *report->shared);
    memcpy(place, mine, sizeof *mine);
    code = ranks ? ranks->sum(ranks, report->shared, size * NUMBERS) : 0;
    if (code)
        return code;
    if (report->file)
        lines_write(report, step, size);
    return report->file && ferror(report->file)
               ? cca_error_set(err, -EIO, "the report cannot be written")
               : 0;
}

void report_end(struct report *report)
{
    if (report->file)
        fclose(report->file);
    free(report->shared);
    memset(report, 0, sizeof *report);
}
