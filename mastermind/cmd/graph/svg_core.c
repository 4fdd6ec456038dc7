/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_core.c: choose the methods that are drawn. */
#include <math.h>
#include <stdlib.h>

#include "common/sort.h"
#include "mastermind/cmd/graph/graph_svg.h"

enum { READABLE = 40 }; /* largest number of methods in a picture without --prune */

/* The smallest percentage, to three digits, that leaves at most READABLE methods, or 100;
 * negative: out of memory. */
static double default_prune(const struct mm_dual *dual)
{
    int64_t *times = malloc((dual->vertex_count + 1) * sizeof *times), next;
    size_t count = 0;
    double percent = 0, scale;

    if (!times)
        return -1;
    for (size_t i = 0; i < dual->thread_vertex; i++)
        if (dual->vertices[i].calls)
            times[count++] = dual->vertices[i].inclusive_ns;
    qsort(times, count, sizeof *times, cca_order_int64);
    next = count > READABLE ? times[count - 1 - READABLE] : 0;
    if (next > 0 && dual->total_ns > 0) {
        percent = 100 * (double)next / (double)dual->total_ns;
        scale = pow(10, 2 - floor(log10(percent)));
        percent = fmin((floor(percent * scale) + 1) / scale, 100);
    }
    free(times);
    return percent;
}

/* Keep each method with a context that the rules of --prune keep. */
static int keep_by_contexts(struct mm_svg_core *core,
                            const struct mm_svg_options *options,
                            struct mm_experiment *experiment, const struct mm_dual *dual,
                            struct cca_error *err)
{
    struct mm_row_source source = mm_row_source_of(experiment);
    struct mm_contexts_options whole = {.fold = 0};
    struct mm_contexts *contexts = NULL;
    struct mm_dual *again = NULL;
    struct mm_core found = {0};
    int result = mm_contexts_walk(&source, &whole, &again, &contexts, err);

    if (!result && mm_core_find(&found, contexts, &options->prune))
        result = cca_no_memory(err);
    for (size_t i = 0; !result && i < contexts->count; i++) {
        const struct mm_calling_context *c = &contexts->items[i];

        if (c->method && !found.rules[i])
            core->keep[c->method->index] = 1;
    }
    core->keep[dual->thread_vertex] = dual->vertices[dual->thread_vertex].subrs > 0;
    core->keep[dual->lost_vertex] = dual->vertices[dual->lost_vertex].subrs > 0;
    core->limit_ns = found.limit_ns;
    snprintf(core->rule, sizeof core->rule, "--prune %.6g,%.6g",
             100 * options->prune.parent, 100 * options->prune.sibling);
    mm_core_done(&found);
    mm_contexts_free(contexts);
    mm_dual_free(again);
    return result;
}

static void sum_cut(struct mm_svg_core *core, const struct mm_dual *dual)
{
    for (size_t i = 0; i < dual->thread_vertex; i++) {
        const struct mm_vertex *v = &dual->vertices[i];

        if (!v->calls)
            continue;
        core->methods++;
        if (core->keep[i])
            continue;
        core->cut++;
        core->calls += v->calls;
        core->cut_ns += (double)v->exclusive_ns;
    }
}

int mm_svg_core_find(struct mm_svg_core *core, const struct mm_svg_options *options,
                     struct mm_experiment *experiment, const struct mm_dual *dual,
                     struct cca_error *err)
{
    double percent = 100 * options->prune.parent;
    int result = 0;

    *core = (struct mm_svg_core){.keep = calloc(dual->vertex_count + 1, 1)};
    if (!core->keep)
        return cca_no_memory(err);
    if (options->has_sibling) {
        result = keep_by_contexts(core, options, experiment, dual, err);
    } else {
        if (!options->has_prune && (percent = default_prune(dual)) < 0)
            return cca_no_memory(err);
        mm_dual_core(dual, percent, core->keep);
        snprintf(core->rule, sizeof core->rule, "--prune %.6g%s", percent,
                 options->has_prune ? "" : " (chosen for a readable picture)");
    }
    sum_cut(core, dual);
    if (!options->has_sibling) /* each cut method has less than `percent` of the inclusive
                                * time */
        core->limit_ns =
            fmin((double)core->cut * percent / 100, 1) * (double)dual->total_ns;
    return result;
}

void mm_svg_core_done(struct mm_svg_core *core)
{
    free(core->keep);
    *core = (struct mm_svg_core){0};
}

void mm_svg_core_print(const struct mm_svg_core *core, const struct mm_dual *dual,
                       char *text, size_t size)
{
    double total = dual->total_ns > 0 ? (double)dual->total_ns : 1;

    if (core->cut)
        snprintf(text, size,
                 "%s cut %s of %s: %s, %s of the exclusive time; the rule allows %s",
                 core->rule, mm_thousands(core->cut), mm_counted(core->methods, "method"),
                 mm_counted(core->calls, "call"), mm_percent(core->cut_ns / total),
                 mm_percent(core->limit_ns / total));
    else
        snprintf(text, size, "all of %s", mm_counted(core->methods, "method"));
}
