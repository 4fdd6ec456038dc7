/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c: what each step cost the ranks, as a file of lines. */
#include "mesh/component/Balancer/report.h"

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
    fputs("step,work_most,work_mean,cpu_most_ns,cpu_mean_ns,cells_moved,move_most_ns,"
          "decide_most_ns\n",
          report->file);
    return 0;
}

static void line_write(const struct report *report, int64_t step, int size)
{
    int64_t most[NUMBERS] = {0}, sum[NUMBERS] = {0};

    for (int k = 0; k < size * NUMBERS; k++) {
        int64_t value = report->shared[k];

        sum[k % NUMBERS] += value;
        if (value > most[k % NUMBERS])
            most[k % NUMBERS] = value;
    }
    fprintf(report->file,
            "%" PRId64 ",%" PRId64 ",%.17g,%" PRId64 ",%.17g,%" PRId64 ",%" PRId64
            ",%" PRId64 "\n",
            step, most[0], (double)sum[0] / size, most[1], (double)sum[1] / size, sum[2],
            most[3], most[4]);
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
        line_write(report, step, size);
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
