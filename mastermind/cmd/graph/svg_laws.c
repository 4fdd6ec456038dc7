/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_laws.c: counts of an edge in all runs of a sweep, and their scaling function. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/counts/counts.h"
#include "common/sort.h"
#include "mastermind/cmd/graph/graph_svg.h"

enum {
    POINTS = 60, /* largest number of points (runs with their counts) that are listed */
    VALUES = 6   /* largest number of values of an axis that are listed */
};

struct mm_svg_laws {
    const struct mm_input *input;
    size_t base;
    struct mm_structure structure;
    size_t *vertex; /* [runs][vertex_count of the base] vertex of the same method in a
                     * run; SIZE_MAX: none */
    double *y;      /* [runs] number of calls */
    const struct mm_run **runs;
    size_t *order; /* [runs] indices, sorted by parameters */
};

/* --- Points ------------------------------------------------------------------ */

static int varies(const struct mm_svg_laws *laws, size_t axis)
{
    return mm_axis_counts(&laws->structure.axes, axis) &&
           laws->structure.axes.items[axis].varies;
}

static int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True if two runs have the same parameters; `words`: compare only parameters that are no
 * numbers. */
static int same_point(const struct mm_svg_laws *laws, size_t a, size_t b, int words)
{
    for (size_t i = 0; i < laws->structure.axes.count; i++) {
        const struct mm_axis *axis = &laws->structure.axes.items[i];

        if (varies(laws, i) && !(words && axis->is_number) &&
            !same_text(axis->text[a], axis->text[b]))
            return 0;
    }
    return 1;
}

/* Write "NX=128 flux=EFMFlux". Returns how many parameters varied. */
static int write_point(FILE *to, const struct mm_svg_laws *laws, size_t run)
{
    int written = 0;

    for (size_t i = 0; i < laws->structure.axes.count; i++) {
        const struct mm_axis *axis = &laws->structure.axes.items[i];

        if (!varies(laws, i))
            continue;
        fprintf(to, "%s%s=%s", written++ ? " " : "", mm_safe(axis->name),
                axis->text[run] ? mm_safe(axis->text[run]) : "(none)");
    }
    return written;
}

void mm_svg_laws_point(const struct mm_svg_laws *laws, FILE *to)
{
    write_point(to, laws, laws->base);
}

/* --- Runs -------------------------------------------------------------------- */

/* Order of two runs by the parameters that varied: as numbers, or else as texts. */
static int compare_runs(const void *left, const void *right, void *context)
{
    const struct mm_svg_laws *laws = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;

    for (size_t i = 0; i < laws->structure.axes.count; i++) {
        const struct mm_axis *axis = &laws->structure.axes.items[i];
        int order = 0;

        if (!varies(laws, i))
            continue;
        if (axis->is_number && axis->number[a] != axis->number[b])
            return axis->number[a] < axis->number[b] ? -1 : 1;
        if (!axis->is_number)
            order = strcmp(axis->text[a] ? axis->text[a] : "",
                           axis->text[b] ? axis->text[b] : "");
        if (order)
            return order;
    }
    return (a > b) - (a < b);
}

static void sort_runs(struct mm_svg_laws *laws)
{
    for (size_t r = 0; r < laws->input->count; r++)
        laws->order[r] = r;
    qsort_r(laws->order, laws->input->count, sizeof *laws->order, compare_runs, laws);
}

/* Find the same method in another run, preferably of the same class. */
static size_t find_vertex(const struct mm_dual *dual, const struct mm_vertex *like)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < dual->vertex_count; i++) {
        const struct mm_vertex *v = &dual->vertices[i];

        if (!v->method != !like->method || strcmp(v->name, like->name) != 0)
            continue;
        if (!v->method || strcmp(v->method->class_name, like->method->class_name) == 0)
            return i;
        if (found == SIZE_MAX)
            found = i;
    }
    return found;
}

static void match_vertices(struct mm_svg_laws *laws)
{
    const struct mm_dual *base = laws->input->profiles[laws->base]->dual;

    for (size_t r = 0; r < laws->input->count; r++)
        for (size_t i = 0; i < base->vertex_count; i++)
            laws->vertex[r * base->vertex_count + i] =
                find_vertex(laws->input->profiles[r]->dual, &base->vertices[i]);
}

struct mm_svg_laws *mm_svg_laws_new(const struct mm_input *input, size_t base,
                                    struct cca_error *err)
{
    struct mm_svg_laws *laws = calloc(1, sizeof *laws);
    size_t vertices = input->profiles[base]->dual->vertex_count;

    if (!laws) {
        cca_no_memory(err);
        return NULL;
    }
    laws->input = input;
    laws->base = base;
    laws->vertex = calloc(input->count * vertices + 1, sizeof *laws->vertex);
    laws->y = calloc(input->count + 1, sizeof *laws->y);
    laws->runs = calloc(input->count + 1, sizeof *laws->runs);
    laws->order = calloc(input->count + 1, sizeof *laws->order);
    if (!laws->vertex || !laws->y || !laws->runs || !laws->order) {
        cca_no_memory(err);
        mm_svg_laws_free(laws);
        return NULL;
    }
    for (size_t r = 0; r < input->count; r++)
        laws->runs[r] = &input->experiments[r]->run;
    match_vertices(laws);
    if (mm_structure_init(&laws->structure, laws->runs,
                          (const struct mm_profile *const *)input->profiles, input->count,
                          0, err)) {
        mm_svg_laws_free(laws);
        return NULL;
    }
    sort_runs(laws);
    return laws;
}

void mm_svg_laws_free(struct mm_svg_laws *laws)
{
    if (!laws)
        return;
    mm_structure_done(&laws->structure);
    free(laws->vertex);
    free(laws->y);
    free(laws->runs);
    free(laws->order);
    free(laws);
}

/* --- Counts ------------------------------------------------------------------ */

static void write_points(FILE *to, const struct mm_svg_laws *laws)
{
    size_t points = 0, runs = laws->input->count;

    for (size_t i = 0; i < runs; i++) {
        size_t r = laws->order[i], equal = 0;
        double low = laws->y[r], high = low;

        if ((i && same_point(laws, laws->order[i - 1], r, 0)) || ++points > POINTS)
            continue; /* equal points are adjacent */
        for (size_t k = r; k < runs; k++) {
            if (!same_point(laws, r, k, 0))
                continue;
            equal++;
            low = fmin(low, laws->y[k]);
            high = fmax(high, laws->y[k]);
        }
        fputs("  ", to);
        if (!write_point(to, laws, r))
            fputs("no parameter varied", to);
        fprintf(to, ": %s", mm_thousands((uint64_t)low));
        if (high > low)
            fprintf(to, " to %s", mm_thousands((uint64_t)high));
        fprintf(to, equal > 1 ? " (%zu runs)\n" : "\n", equal);
    }
    if (points > POINTS)
        fprintf(to, "  and %zu more points\n", points - POINTS);
}

/* --- Scaling functions ------------------------------------------------------- */

/* Numbers of one table: the runs that agree in all parameters that are no numbers. */
struct table {
    struct mm_law_axis axis[MM_LAW_AXES];
    size_t axes, runs;
    double *x, *y;
};

static int is_driver_edge(const struct mm_svg_laws *laws, const double *y)
{
    for (size_t d = 0; d < laws->structure.driver_count; d++) {
        size_t r = 0;

        while (r < laws->input->count && laws->structure.drivers[d]->y[r] == y[r])
            r++;
        if (r == laws->input->count)
            return 1;
    }
    return 0;
}

static void name_axes(const struct mm_svg_laws *laws, int drivers, struct table *table)
{
    const struct mm_structure *s = &laws->structure;

    for (size_t i = 0; i < s->axes.count; i++)
        if (varies(laws, i) && s->axes.items[i].is_number &&
            table->axes + MM_DRIVERS < MM_LAW_AXES)
            table->axis[table->axes++].name = s->axes.items[i].name;
    for (size_t d = 0; drivers && d < s->driver_count; d++)
        table->axis[table->axes++] = (struct mm_law_axis){
            s->cells.vertices[s->driver_cell[d][1]].method->method, 1};
}

static void add_run(const struct mm_svg_laws *laws, int drivers, size_t run,
                    struct table *table)
{
    const struct mm_structure *s = &laws->structure;
    double *x = table->x + table->runs * table->axes;
    size_t k = 0;

    for (size_t i = 0; i < s->axes.count; i++)
        if (varies(laws, i) && s->axes.items[i].is_number && k + MM_DRIVERS < MM_LAW_AXES)
            x[k++] = s->axes.items[i].number[run];
    for (size_t d = 0; drivers && d < s->driver_count; d++)
        x[k++] = s->drivers[d]->y[run];
    table->y[table->runs++] = laws->y[run];
}

/* Write "NX = 64, 128, 256", or "NX = 10 to 100" if there are many values. */
static void write_axis(FILE *to, const struct table *table, size_t axis)
{
    double *values = malloc((table->runs + 1) * sizeof *values);
    size_t count = 0;

    if (!values)
        return;
    for (size_t r = 0; r < table->runs; r++)
        values[r] = table->x[r * table->axes + axis];
    qsort(values, table->runs, sizeof *values, cca_order_double);
    for (size_t r = 0; r < table->runs; r++)
        if (!r || values[r] != values[count - 1])
            values[count++] = values[r];
    fprintf(to, "%s = %.6g", mm_safe(table->axis[axis].name), values[0]);
    if (count > VALUES)
        fprintf(to, " to %.6g", values[count - 1]);
    for (size_t i = 1; i < count && count <= VALUES; i++)
        fprintf(to, ", %.6g", values[i]);
    free(values);
}

static void write_law(FILE *to, const struct mm_law *law, const struct table *table,
                      const struct mm_svg_laws *laws)
{
    char form[MM_LAW_TEXT];

    if (mm_law_kind(law) == MM_LAW_NONE) {
        fprintf(to, "scaling function: none, %s differ in numbers\n",
                mm_counted(mm_law_runs(law), "run"));
        return;
    }
    mm_law_print(law, form, sizeof form);
    fprintf(to, "scaling function: %s%s\n  %s %s",
            mm_law_kind(law) == MM_LAW_EXACT ? "" : "about ", mm_safe(form),
            mm_law_kind(law) == MM_LAW_EXACT ? "exact in" : "a trend of",
            mm_counted(mm_law_runs(law), "different run"));
    for (size_t i = 0; i < table->axes; i++) {
        fputs(i ? "; " : " with ", to);
        write_axis(to, table, i);
    }
    for (size_t i = 0; i < laws->structure.axes.count; i++) {
        const struct mm_axis *axis = &laws->structure.axes.items[i];

        if (varies(laws, i) && !axis->is_number)
            fprintf(to, "; %s = %s", mm_safe(axis->name),
                    axis->text[laws->base] ? mm_safe(axis->text[laws->base]) : "(none)");
    }
    fputc('\n', to);
    for (size_t d = 0; d < laws->structure.driver_count; d++) {
        const size_t *cell = laws->structure.driver_cell[d];
        const char *short_name = laws->structure.cells.vertices[cell[1]].method->method;
        char name[300];

        if (!strstr(form, short_name))
            continue;
        mm_driver_print(&laws->structure, d, name, sizeof name);
        fprintf(to, "  %s: %s\n", mm_safe(short_name), mm_safe(name));
    }
}

static int find_law(struct mm_svg_laws *laws, FILE *to, struct cca_error *err)
{
    int drivers = !is_driver_edge(laws, laws->y);
    struct table table = {.axes = 0};
    struct mm_law *law = NULL;
    struct cca_error none = {0};

    name_axes(laws, drivers, &table);
    table.x = calloc(laws->input->count * (table.axes + 1), sizeof *table.x);
    table.y = calloc(laws->input->count + 1, sizeof *table.y);
    if (!table.x || !table.y)
        cca_no_memory(err);
    for (size_t r = 0; r < laws->input->count && table.x && table.y; r++)
        if (same_point(laws, laws->base, r, 1))
            add_run(laws, drivers, r, &table);
    if (table.x && table.y)
        law = mm_law_find(&(struct mm_law_table){table.axis, table.axes, table.runs,
                                                 table.x, table.y, !drivers},
                          &none);
    if (law)
        write_law(to, law, &table, laws);
    else if (none.code == -ENOMEM)
        *err = none;
    else if (!err->code)
        fprintf(to, "scaling function: none, %s\n", mm_safe(none.text));
    mm_law_free(law);
    free(table.x);
    free(table.y);
    return err->code;
}

void mm_svg_laws_begin(struct mm_svg_laws *laws)
{
    memset(laws->y, 0, laws->input->count * sizeof *laws->y);
}

void mm_svg_laws_add(struct mm_svg_laws *laws, const struct mm_edge *edge)
{
    size_t vertices = laws->input->profiles[laws->base]->dual->vertex_count;

    for (size_t r = 0; r < laws->input->count; r++) {
        const size_t *map = laws->vertex + r * vertices;
        const struct mm_edge *own = NULL;

        if (map[edge->caller] != SIZE_MAX && map[edge->callee] != SIZE_MAX)
            own = mm_dual_edge(laws->input->profiles[r]->dual, map[edge->caller],
                               map[edge->callee]);
        laws->y[r] += own ? (double)own->calls : 0;
    }
}

int mm_svg_laws_write(struct mm_svg_laws *laws, FILE *to, struct cca_error *err)
{
    fprintf(to, "calls in %s:\n", mm_counted(laws->input->count, "run"));
    write_points(to, laws);
    return find_law(laws, to, err);
}
