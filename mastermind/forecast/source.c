/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c: find the models for the costs of a cell, and its method. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "mastermind/forecast/cost.h"
#include "mastermind/cost/cost.h"
#include "common/statistics.h"
#include "mastermind/forecast/parts.h"

/* Number of instances (class axes) for which a run has the requested class. */
static size_t classes_asked(const struct mm_forecaster *f, const struct mm_asked *asked,
                            size_t run)
{
    const struct mm_axes *axes = &f->structure.axes;
    size_t same = 0;

    for (size_t i = 0; i < axes->count; i++) {
        const char *text = axes->items[i].text[run],
                   *wanted = asked->text[axes->items[i].same_as];

        same += axes->items[i].kind == MM_AXIS_CLASS && text && wanted &&
                strcmp(text, wanted) == 0;
    }
    return same;
}

/* The profile with most of the requested classes that has the vertex, among equal ones
 * the largest: it shows the neighbours that the class would have. */
static const struct mm_profile *base_of(const struct mm_forecaster *f,
                                        const struct mm_asked *asked, size_t vertex,
                                        const struct mm_method_info **method)
{
    const struct mm_method_info *wanted = f->structure.cells.vertices[vertex].method;
    const struct mm_profile *best = NULL;
    size_t best_same = 0;

    for (size_t r = 0; r < f->count; r++) {
        const struct mm_row_source *source = &f->profiles[r]->source;
        size_t same = classes_asked(f, asked, r);

        for (size_t i = 0; i < source->method_count; i++) {
            if (strcmp(source->methods[i]->name, wanted->name) != 0 ||
                !f->profiles[r]->dual->vertices[i].calls ||
                (best && (same < best_same ||
                          (same == best_same &&
                           best->dual->total_ns >= f->profiles[r]->dual->total_ns))))
                continue;
            best = f->profiles[r];
            best_same = same;
            *method = source->methods[i];
        }
    }
    return best;
}

/* The build of a class in the runs, so that models of another build are not used. */
static const char *build_of(const struct mm_forecaster *f, const char *class_name)
{
    for (size_t r = 0; r < f->count; r++)
        for (size_t i = 0; i < f->profiles[r]->source.method_count; i++)
            if (strcmp(f->profiles[r]->source.methods[i]->class_name, class_name) == 0)
                return f->profiles[r]->source.methods[i]->build_id;
    return NULL;
}

/* Like mm_library_match; adds no note for methods whose cost comes from each run's mean.
 */
static int match(const struct mm_forecaster *f, const struct mm_asked *asked,
                 size_t vertex, const char *class_name, struct mm_notes *notes,
                 const struct mm_model_set **set)
{
    const struct mm_method_info *method = NULL;
    const struct mm_profile *base = base_of(f, asked, vertex, &method);
    struct mm_notes none = {0};
    int result = 0;

    if (base)
        result = mm_library_match(f->library, class_name, build_of(f, class_name), method,
                                  base, mm_has_parameter(method) ? notes : &none, set);
    mm_notes_done(&none);
    return result;
}

int mm_cell_source_init(struct mm_cell_source *source,
                        const struct mm_forecaster *forecaster,
                        const struct mm_asked *asked, size_t cell, const char *class_name,
                        struct mm_notes *notes)
{
    const struct mm_cells *cells = &forecaster->structure.cells;
    const struct mm_cell *c = &cells->items[cell];
    union monitor_value mapped[MONITOR_MAX_IN];
    const char *missing;

    *source = (struct mm_cell_source){0};
    if (!class_name)
        return 0;
    if (match(forecaster, asked, c->vertex, class_name, notes, &source->set))
        return -ENOMEM;
    if (!source->set)
        return 0;
    if (c->mode)
        source->model = mm_model_set_find(source->set, mm_cell_method(cells, cell),
                                          c->mode, mapped, &missing);
    source->by_run = !source->model || !mm_has_parameter(source->model->method) ||
                     source->model->poor || source->model->lacks;
    return 0;
}

const struct mm_method_info *mm_cell_method(const struct mm_cells *cells, size_t cell)
{
    return cells->vertices[cells->items[cell].vertex].method;
}

int mm_cell_basis(const struct mm_basis *basis, const struct mm_method_info *from,
                  const struct mm_method_info *to, struct mm_basis *mapped)
{
    *mapped = *basis;
    for (size_t i = 0; i < basis->factors; i++) {
        const char *name = from->values[basis->factor[i].parameter].name;
        size_t k = 0;

        while (k < to->in_count && strcmp(to->values[k].name, name) != 0)
            k++;
        if (k == to->in_count)
            return -ENOENT;
        mapped->factor[i].parameter = k;
    }
    return 0;
}

/* Ratio of Student's t for 90 % to Student's t for 95 %, with which the model's interval
 * was made. The spread of few sizes is uncertain but not arbitrary, so at least
 * MM_INTERVAL_FREEDOM degrees count. */
double mm_90_of_95(const struct mm_model *model)
{
    double freedom = mm_model_freedom(model);

    return cca_student_quantile(.95, fmax(freedom, MM_INTERVAL_FREEDOM)) /
           cca_student_quantile(.975, freedom);
}
