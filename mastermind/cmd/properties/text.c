/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: print findings for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"

enum { WIDE = 100, INDENT = 2, MOST_NAME = 44, LEAST_NAME = 16 };

/* --- Cells -------------------------------------------------------------------------- */

/* Write a share as ".31": two digits, more if it is small. */
static void put_share(char *text, size_t size, double value)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else if (fabs(value) < .0005)
        snprintf(text, size, "0");
    else if (fabs(value) < .0995)
        snprintf(text, size, "%.3f", value);
    else
        snprintf(text, size, "%.2f", value);
}

/* Write "0.31 (0.27 .. 0.35)". */
void properties_put_severity(char *text, size_t size, double severity, double low,
                             double high)
{
    char value[16], from[16], to[16];

    put_share(value, sizeof value, severity);
    put_share(from, sizeof from, low);
    put_share(to, sizeof to, high);
    if (isnan(low))
        snprintf(text, size, "%s", value);
    else
        snprintf(text, size, "%s (%s .. %s)", value, from, to);
}

/* Write a confidence, rounded down: .9996 is not 1. */
void properties_put_confidence(char *text, size_t size, double confidence)
{
    if (isnan(confidence))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.3f", floor(1000 * fmin(confidence, .999)) / 1000);
}

void properties_put_region(char *text, size_t size, const struct properties_asked *a,
                           int64_t id)
{
    const struct mm_world_region *region = mm_world_region(&a->world, id);
    const char *name = region ? mm_safe(region->name) : "all";
    size_t length = strlen(name);

    /* the end of a calling context identifies it best */
    snprintf(text, size, "%s%s", length > MOST_NAME ? "..." : "",
             length > MOST_NAME ? name + length - MOST_NAME + 3 : name);
}

/* --- The table ---------------------------------------------------------------------- */

enum { COLUMNS = 5, CELL = 200 };
static const char *const heads[COLUMNS + 1] = {
    "severity (95 %)", "confidence", "property", "region", "run", "unit"};

/* One line: its cells, and text that needs lines of its own. */
struct line {
    char cells[COLUMNS][CELL], unit[CELL];
};

/* Widths of the columns; 0: the column is left out. */
struct layout {
    int width[COLUMNS];
};

/* Runs of several configurations are distinguished by their names. */
int properties_has_several(const struct properties_asked *a)
{
    for (size_t i = 1; i < a->experiment_count; i++)
        if (mm_world_run(&a->world, a->experiments[i])->same !=
            mm_world_run(&a->world, a->experiments[0])->same)
            return 1;
    return 0;
}

static void fill_line(struct line *line, const struct properties_asked *a,
                      const struct mm_finding *f, int depth)
{
    const struct mm_world_run *run = mm_world_run(&a->world, f->asked->configuration);

    char severity[CELL];
    const char *unit = mm_safe(f->asked->detail ? f->asked->detail : f->unit);

    properties_put_severity(severity, CELL, f->severity, f->low, f->high);
    properties_put_confidence(line->cells[1], CELL, f->adjusted);
    snprintf(line->cells[2], CELL, "%*s%s", depth > 1 ? (depth - 1) * INDENT : 0, "",
             f->asked->property);
    properties_put_region(line->cells[3], CELL, a, f->asked->region);
    snprintf(line->cells[4], CELL, "%s", run ? mm_safe(run->name) : "all");
    if (depth) { /* the severity of a cause has another unit, which is printed with it */
        snprintf(line->cells[0], CELL, "because");
        put_share(severity, CELL, f->severity);
        snprintf(line->unit, CELL, "%.20s: %.160s", severity, unit);
    } else {
        snprintf(line->cells[0], CELL, "%s", severity);
        snprintf(line->unit, CELL, "%s", unit);
    }
}

/* Print a line. Text that does not fit after the padded cells is moved to the left;
 * callsites are long and get a line below. */
static void print_line(const struct layout *layout, const struct line *line)
{
    int used = 0, tight = 0, last = layout->width[4] ? 4 : 3;

    for (int c = 0; c < COLUMNS; c++)
        used += layout->width[c] ? layout->width[c] + 2 : 0;
    tight = used - layout->width[last] + (int)strlen(line->cells[last]);
    for (int c = 0; c <= last; c++)
        printf("%s%*s", c ? "  " : "",
               c < 2                                                ? layout->width[c]
               : c == last && used + (int)strlen(line->unit) > WIDE ? 0
                                                                    : -layout->width[c],
               line->cells[c]);
    if (tight + (int)strlen(line->unit) > WIDE)
        printf("\n%*s%s\n", layout->width[0] + layout->width[1] + 4 + INDENT, "",
               line->unit);
    else
        printf("  %s\n", line->unit);
}

/* Set the line to be printed above a finding: the finding's cause, if that needs a line.
 */
static void add_above(struct line *line, const struct mm_cause *cause)
{
    size_t used = strlen(line->unit);

    if (cause->above)
        snprintf(line->unit + used, CELL - used, ": %.60s above",
                 cause->above->asked->property);
}

/* Give the column of regions the width that the other columns leave. */
static void fit_regions(struct layout *layout)
{
    int rest = WIDE + 2;

    for (int c = 0; c < COLUMNS; c++)
        rest -= c != 3 && layout->width[c] ? layout->width[c] + 2 : 0;
    rest = rest < LEAST_NAME + 2 ? LEAST_NAME : rest - 2;
    if (layout->width[3] > rest)
        layout->width[3] = rest;
}

static void cut_region(struct line *line, const struct layout *layout)
{
    char *name = line->cells[3];
    size_t length = strlen(name), width = (size_t)layout->width[3];

    if (length <= width)
        return;
    memmove(name, name + length - width, width + 1);
    memcpy(name, "...", 3);
}

static void print_table(const struct properties_asked *a, int why)
{
    size_t all = why ? a->causes.count : a->findings.count,
           count = all < a->limit ? all : a->limit;
    int several = properties_has_several(a);
    struct layout layout = {{0}};
    struct line line = {0};

    for (size_t i = 0; i < 2 * (count + 1); i++) {
        size_t at = i % (count + 1);
        int printing = i > count;

        if (at == 0) {
            for (int c = 0; c < COLUMNS; c++)
                snprintf(line.cells[c], CELL, "%s", heads[c]);
            snprintf(line.unit, CELL, "%s", heads[COLUMNS]);
        } else if (why) {
            fill_line(&line, a, a->causes.all[at - 1].finding,
                      a->causes.all[at - 1].depth);
            add_above(&line, &a->causes.all[at - 1]);
        } else {
            fill_line(&line, a, &a->findings.all[at - 1], 0);
        }
        if (printing && at == 0)
            fit_regions(&layout);
        if (printing) {
            cut_region(&line, &layout);
            print_line(&layout, &line);
        }
        for (int c = 0; c < COLUMNS && !printing; c++)
            if ((c != 4 || several) && (int)strlen(line.cells[c]) > layout.width[c])
                layout.width[c] = (int)strlen(line.cells[c]);
    }
}

/* Print a text, broken at blanks into lines of at most 100 columns. */
static void print_wrapped(const char *text)
{
    while (*text) {
        size_t length = strlen(text), cut = length;

        if (length > WIDE) {
            for (cut = WIDE; cut > WIDE / 2 && text[cut] != ' '; cut--)
                ;
            if (text[cut] != ' ')
                cut = WIDE;
        }
        printf("%.*s\n", (int)cut, text);
        text += cut;
        text += strspn(text, " ");
    }
}

/* Print the evidence on which the confidence is based, each kind once. */
static void print_evidence(const struct properties_asked *a)
{
    char line[400] = "", text[500];
    size_t used = 0;
    int in_run = 0;

    for (size_t i = 0; i < a->findings.count; i++) {
        const char *how = a->findings.all[i].asked->how;

        if (!how || strstr(line, how) || used + strlen(how) + 3 > sizeof line)
            continue;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s",
                                 used ? ", " : "", how);
        in_run |= strstr(how, "within") != NULL;
    }
    if (!used)
        return;
    snprintf(text, sizeof text, "confidence: %s%s", line,
             in_run ? " (without differences between runs, for which repeat the run)"
                    : "");
    print_wrapped(text);
}

void properties_print_notes(const struct properties_asked *a)
{
    char line[1000];

    print_evidence(a);
    mm_findings_line(&a->findings, line, sizeof line);
    print_wrapped(line);
    if (a->small) {
        snprintf(line, sizeof line,
                 "%s below %s of the run not evaluated (--all evaluates them)",
                 mm_counted(a->small, "region"), mm_percent(a->threshold));
        print_wrapped(line);
    }
    if (a->sequential_found) {
        snprintf(line, sizeof line,
                 "sequential run: %s, the one on one unit (--seq names another)",
                 mm_safe(mm_world_run(&a->world, a->sequential_id)->name));
        print_wrapped(line);
    }
    for (size_t i = 0; i < a->world.run_count; i++) {
        const struct mm_world_run *run = &a->world.runs[i];

        if (run->units > run->cores) {
            snprintf(
                line, sizeof line,
                "%s: %.0f units on %.0f cores: units that wait for a core look like late "
                "senders and imbalance",
                mm_safe(run->name), run->units, run->cores);
            print_wrapped(line);
        }
        if (strcmp(run->state, "finished") != 0 && strcmp(run->state, "imported") != 0 &&
            strcmp(run->state, "simulated") != 0) {
            snprintf(line, sizeof line, "%s: %s: times of open calls are lower bounds",
                     mm_safe(run->name), run->state);
            print_wrapped(line);
        }
    }
}

void properties_print(const struct properties_asked *a, int why)
{
    size_t all = why ? a->causes.count : a->findings.count;

    if (all)
        print_table(a, why);
    if (all > a->limit)
        printf("%s more: --limit %zu\n", mm_counted(all - a->limit, "line"), all);
    properties_print_notes(a);
}
