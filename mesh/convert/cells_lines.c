/* SPDX-License-Identifier: BSD-3-Clause */
/* cells_lines.c: read and check lines of a CSV file. */
#include "mesh/convert/cells_lines.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct mesh_cells_probe only_value = {"value", ""};

static int find_column(struct mesh_lines *lines, const char *name, size_t *column,
                       struct cca_error *err)
{
    int at = mm_csv_column(&lines->csv, name);

    if (at < 0)
        return mm_csv_no_column(&lines->csv, name, err);
    *column = (size_t)at;
    return 0;
}

int mesh_lines_open(struct mesh_lines *lines, const struct mesh_cells *asked,
                    struct cca_error *err)
{
    static const char *const letters[] = {"i", "j", "k"};
    int result;

    memset(lines, 0, sizeof *lines);
    lines->asked = asked;
    lines->probes = asked->probe_count ? asked->probes : &only_value;
    lines->probe_count = asked->probe_count ? asked->probe_count : 1;
    result = mm_csv_open(&lines->csv, asked->file, err);
    if (!result)
        result = find_column(lines, "step", &lines->step, err);
    for (int d = 0; !result && d < asked->dims; d++)
        result = find_column(lines, letters[d], &lines->index[d], err);
    for (size_t p = 0; !result && p < lines->probe_count; p++)
        result = find_column(lines, lines->probes[p].column, &lines->values[p], err);
    if (!result && asked->rank)
        result = find_column(lines, asked->rank, &lines->rank, err);
    return result;
}

void mesh_lines_done(struct mesh_lines *lines)
{
    mm_csv_done(&lines->csv);
}

const char *mesh_lines_cell(const struct mesh_lines *lines, int64_t cell, char text[64])
{
    const int64_t *n = lines->asked->shape;
    int64_t at[3] = {cell / (n[1] * n[2]), cell / n[2] % n[1], cell % n[2]};
    size_t used = 0;

    for (int d = 0; d < lines->asked->dims; d++)
        used +=
            (size_t)snprintf(text + used, 64 - used, "%s%" PRId64, d ? "," : "", at[d]);
    return text;
}

/* Read a whole number from 0 to `most`. */
static int read_count(struct mesh_lines *lines, size_t column, int64_t most,
                      int64_t *value, struct cca_error *err)
{
    char expected[80];

    if (mm_csv_integer(&lines->csv.fields[column], value) && *value >= 0 &&
        *value <= most)
        return 0;
    if (most == INT64_MAX)
        snprintf(expected, sizeof expected, "a whole number from 0");
    else
        snprintf(expected, sizeof expected, "a whole number from 0 to %" PRId64, most);
    return mm_csv_refuse(&lines->csv, column, expected, err);
}

int mesh_lines_peek(struct mesh_lines *lines, struct mesh_line *line,
                    struct cca_error *err)
{
    int found = mm_csv_next(&lines->csv, 0, err);
    int64_t rank = 0;

    if (found != MM_CSV_LINE)
        return found;
    line->line = lines->csv.line;
    found = read_count(lines, lines->step, INT64_MAX, &line->step, err);
    if (!found && lines->asked->rank)
        found = read_count(lines, lines->rank, MM_GIVEN_RANKS - 1, &rank, err);
    line->rank = (int)rank;
    return found ? found : 1;
}

/* Read a cost: finite, not negative, and within the range of a float. */
static int read_value(struct mesh_lines *lines, const struct mesh_line *line,
                      size_t column, float *value, struct cca_error *err)
{
    const struct mm_csv_field *field = &lines->csv.fields[column];
    char shown[200], name[200], cell[64];
    double d;

    if (mm_csv_number(field, &d) && d >= 0 && d <= (double)FLT_MAX) {
        *value = (float)d;
        return 0;
    }
    mm_csv_shown(&lines->csv.header[column], name, sizeof name);
    return cca_error_set(
        err, -EBADMSG,
        "%s:%zu: step %" PRId64 ", cell %s: found '%s' in column '%s', expected a number "
        "from 0 to 3.4e38",
        lines->csv.name, line->line, line->step, mesh_lines_cell(lines, line->cell, cell),
        mm_csv_shown(field, shown, sizeof shown), name);
}

int mesh_lines_next(struct mesh_lines *lines, struct mesh_line *line,
                    struct cca_error *err)
{
    int found = mesh_lines_peek(lines, line, err), result = 0;

    if (found <= 0)
        return found;
    line->cell = 0;
    for (int d = 0; !result && d < lines->asked->dims; d++) {
        int64_t at = 0;

        result = read_count(lines, lines->index[d], lines->asked->shape[d] - 1, &at, err);
        line->cell = line->cell * lines->asked->shape[d] + at;
    }
    for (size_t p = 0; !result && p < lines->probe_count; p++)
        result = read_value(lines, line, lines->values[p], &line->values[p], err);
    return result ? result : 1;
}
