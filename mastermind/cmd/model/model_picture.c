/* SPDX-License-Identifier: BSD-3-Clause */
/* model_picture.c: draw the models of the verb model as a figure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/model/model_verb.h"
#include "mastermind/export/model_svg.h"

static int init_panel(struct mm_figure_panel *panel, const struct mm_model_set *set,
                      const struct mm_model_view *view)
{
    char(*labels)[256] = calloc(set->model_count, sizeof *labels);
    int result;

    if (!labels)
        return -ENOMEM;
    for (size_t i = 0; i < set->model_count; i++)
        mm_mode_print(set->method, set->models[i].modes, labels[i], sizeof *labels);
    result =
        mm_figure_init(panel, set->models, (const char(*)[256])labels, set->model_count,
                       set->points.count ? &set->points : NULL, view->source);
    free(labels);
    if (!result && view->title) {
        snprintf(panel->title, sizeof panel->title, "%s", view->title);
        snprintf(panel->subtitle, sizeof panel->subtitle, "CPU time of %s",
                 mm_counted((size_t)panel->series[0].calls, "run"));
    }
    return result;
}

static int write_file(const char *path, const struct mm_figure_panel *panels,
                      size_t count, const struct mm_metric *metric)
{
    FILE *to = fopen(path, "we");
    int failed, result;

    if (!to)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                         strerror(errno));
    result = mm_model_svg(to, panels, count,
                          metric->kind < MM_METRIC_COUNTER ? "" : metric->name);
    failed = ferror(to);
    if (fclose(to) || failed)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                         strerror(errno));
    return result ? mm_no_memory() : -1;
}

int mm_model_draw(const struct mm_model_view *view, const char *path)
{
    struct mm_figure_panel *panels = calloc(view->library->count + 1, sizeof *panels);
    size_t count = 0;
    int result = -1;

    if (!panels)
        return mm_no_memory();
    for (size_t i = 0; i < view->library->count && result < 0; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        if (!mm_model_wanted(view, set) || !set->model_count)
            continue;
        if (init_panel(&panels[count], set, view))
            result = mm_no_memory();
        else
            count++;
    }
    if (result < 0 && !count)
        result = mm_refuse(MM_EXIT_NO, "no models to draw");
    if (result < 0)
        result = write_file(path, panels, count, view->metric);
    while (count)
        mm_figure_done(&panels[--count]);
    free(panels);
    return result;
}
