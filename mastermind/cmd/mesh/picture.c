/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c: draw with letters: shades of a mesh, bars of a series. */
#include <math.h>
#include <stdlib.h>

#include "mastermind/cmd/mesh/ask.h"
#include "mesh/convert/columns.h"

enum { COLUMNS = 60, ROWS = 20 };

void mesh_spark(const double *values, size_t count, int width)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t shown = count < (size_t)width ? count : (size_t)width;
    double least = HUGE_VAL, greatest = -HUGE_VAL;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    fputs("  ", stdout);
    for (size_t b = 0; b < shown; b++) {
        size_t from = b * count / shown, to = (b + 1) * count / shown;
        double sum = 0;
        int height;

        for (size_t i = from; i < to; i++)
            sum += values[i];
        sum /= (double)(to - from);
        height = greatest > least ? (int)(8 * (sum - least) / (greatest - least)) : 0;
        fputs(bars[height > 7 ? 7 : height], stdout);
    }
    printf("\n  least %s", mm_range_number(least));
    printf(", greatest %s\n", mm_range_number(greatest));
}

/* Average over dimension 2, and over the size[0] x size[1] cells of one letter. */
static void fold(const int64_t n[3], const double *values, const int64_t size[2],
                 const int64_t shown[2], double *means)
{
    for (int64_t r = 0; r < shown[0]; r++) {
        for (int64_t c = 0; c < shown[1]; c++) {
            double sum = 0;
            int64_t count = 0;

            for (int64_t i = r * size[0]; i < n[0] && i < (r + 1) * size[0]; i++)
                for (int64_t j = c * size[1]; j < n[1] && j < (c + 1) * size[1]; j++)
                    for (int64_t k = 0; k < n[2]; k++) {
                        double value = values[(i * n[1] + j) * n[2] + k];

                        sum += isfinite(value) ? value : 0;
                        count += isfinite(value) != 0;
                    }
            means[r * shown[1] + c] = count ? sum / (double)count : (double)NAN;
        }
    }
}

static void print_shades(const int64_t shown[2], const double *means)
{
    static const char shades[] = " .:-=+*#%@";
    double least = HUGE_VAL, greatest = -HUGE_VAL;

    for (int64_t i = 0; i < shown[0] * shown[1]; i++) {
        if (isfinite(means[i])) {
            least = fmin(least, means[i]);
            greatest = fmax(greatest, means[i]);
        }
    }
    for (int64_t r = 0; r < shown[0]; r++) {
        fputs("  |", stdout);
        for (int64_t c = 0; c < shown[1]; c++) {
            double mean = means[r * shown[1] + c];
            int shade =
                greatest > least ? (int)(10 * (mean - least) / (greatest - least)) : 0;

            putchar(isfinite(mean) ? shades[shade > 9 ? 9 : shade] : '?');
        }
        puts("|");
    }
    if (greatest >= least) {
        printf("  ' ' %s", mm_range_number(least));
        printf(", @ %s\n", mm_range_number(greatest));
    }
}

/* Read the values of level 0, with the values of finer levels added. */
static int read_step(struct mesh_ask *ask, size_t i, int probe, size_t cells,
                     double *values)
{
    float *own = calloc(cells, sizeof *own);
    int64_t missing =
        own ? mesh_columns_values(ask->profile, i, probe, own, NULL, &ask->err)
            : cca_no_memory(&ask->err);

    for (size_t c = 0; missing >= 0 && c < cells; c++)
        values[c] = (double)own[c];
    free(own);
    return missing < 0 ? mm_complain(&ask->err) : -1;
}

int mesh_picture(struct mesh_ask *ask, size_t i, int probe)
{
    const int64_t *n = ask->about->n;
    size_t cells = (size_t)(n[0] * n[1] * n[2]);
    int64_t size[2], shown[2];
    double *values, *means;
    int result;

    size[0] = (n[0] + ROWS - 1) / ROWS;
    size[1] = (n[1] + COLUMNS - 1) / COLUMNS;
    for (int d = 0; d < 2; d++)
        shown[d] = (n[d] + size[d] - 1) / size[d];
    values = calloc(cells, sizeof *values);
    means = calloc((size_t)(shown[0] * shown[1]), sizeof *means);
    result = values && means ? read_step(ask, i, probe, cells, values) : mm_no_memory();
    if (result < 0) {
        fold(n, values, size, shown, means);
        print_shades(shown, means);
    }
    free(values);
    free(means);
    return result;
}
