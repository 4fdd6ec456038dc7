/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch_text.c: the rules of `choose --dispatch`, as a file, as a table and as JSON.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/cmd/choose/dispatch.h"

/* --- The file ----------------------------------------------------------------- */

/* Where the rules are written; conditions lead to the current node. */
struct writer {
    const struct mm_dispatch *d;
    const struct mm_dispatch_method *m;
    FILE *out;
    int people; /* true: a line of the table on the screen; false: of the file */
    const struct mm_region *path[MM_REGIONS_DEPTH + 1];
    size_t depth;
};

/* Print the number of a condition: the label of a mode where that is one word. */
static void put_bound(const struct writer *w, const struct mm_region *at)
{
    const struct mm_value_info *value = &w->m->method->values[at->value];

    for (size_t i = 0; i < value->label_count && at->equal; i++)
        if ((double)value->labels[i].value == at->bound && *value->labels[i].text &&
            !strpbrk(value->labels[i].text, " \t#")) {
            fputs(value->labels[i].text, w->out);
            return;
        }
    fprintf(w->out, "%.17g", at->bound);
}

/* True for a condition on the way to a region that the others do not imply: of several
 * bounds of one value the last is the strictest. Where a condition failed, a rule above
 * has taken the calls. */
static int is_needed(const struct writer *w, size_t at)
{
    int again = 0;

    for (size_t k = at + 1; k < w->depth; k++)
        again |= w->path[k]->value == w->path[at]->value && !w->path[k]->equal;
    return !again;
}

/* Print the conditions on the way to a region. */
static void put_conditions(const struct writer *w)
{
    const char *word = "when";

    for (size_t i = 0; i < w->depth; i++) {
        if (!is_needed(w, i))
            continue;
        fprintf(w->out, " %s %s %s ", word, w->m->method->values[w->path[i]->value].name,
                w->path[i]->equal ? "=" : "<=");
        put_bound(w, w->path[i]);
        word = "and";
    }
}

/* True if the file has predicted costs for learning: a proxy measures times alone. */
static int has_laws(const struct mm_dispatch *d)
{
    return d->runs->models.metric.kind <= MM_METRIC_COMPUTE_TIME && !d->is_library;
}

/* Write the predicted cost of a region with each class, for learning. */
static void put_laws(const struct writer *w, const struct mm_region *node)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    for (size_t c = 0; c < w->d->class_count; c++) {
        const struct mm_region_law *law = &node->laws[c];
        double time = law->cost;
        size_t unit = 0;

        if (!isfinite(time))
            continue;
        while (time >= 1000 && unit < 3) {
            time /= 1000;
            unit++;
        }
        fprintf(w->out, "  cost %s %.3g %s +- %.2g %%", w->d->classes[c], time,
                units[unit], fmax(.1, 100 * CCA_NORMAL_90 * law->error));
        if (law->power != 0)
            fprintf(w->out,
                    law->at < 1000 ? " at %s %.4g power %.3g" : " at %s %.0f power %.3g",
                    w->m->method->values[law->value].name, law->at, law->power);
        fputc('\n', w->out);
    }
}

static void put_leaf(const struct writer *w, const struct mm_region *node)
{
    const struct mm_region *root = &w->m->regions.nodes[0];
    const double mine = node->cost[node->best] / node->calls;
    const double other = node->cost[root->best] / node->calls;
    const char *class_name = mm_dispatch_word(w->d->classes[node->best]);
    const char *other_name = mm_dispatch_word(w->d->classes[root->best]);

    if (!w->people)
        fprintf(w->out, "%s: ", w->m->method->method);
    else
        fprintf(w->out, "  %5.1f %%  %5.1f %%  %9s  ", 100 * node->calls / root->calls,
                100 * node->cost[node->best] / w->m->regions.cost,
                mm_cost(&w->d->runs->models.metric, mine));
    fputs(class_name, w->out);
    put_conditions(w);
    if (node->best != root->best && w->people)
        fprintf(w->out, "   (%s: %s)", other_name,
                mm_cost(&w->d->runs->models.metric, other));
    else if (node->best != root->best && !has_laws(w->d))
        fprintf(w->out, "   # %s a call; with %s %s",
                mm_cost(&w->d->runs->models.metric, mine), other_name,
                mm_cost(&w->d->runs->models.metric, other));
    fputc('\n', w->out);
    if (!w->people && has_laws(w->d))
        put_laws(w, node);
}

/* Print the regions below a node, each as one line. */
static void put_regions(struct writer *w, size_t index)
{
    const struct mm_region *node = &w->m->regions.nodes[index];

    if (!node->split) {
        put_leaf(w, node);
        return;
    }
    w->path[w->depth++] = node;
    put_regions(w, node->yes);
    w->depth--;
    put_regions(w, node->no);
}

/* The option "--library libblas.so.3 " for the library of the classes, in the caller's
 * buffer. PETSc's solvers need none. */
static const char *library_option(const struct mm_dispatch *d, char option[280])
{
    const char *class_name = d->classes[0], *setting = mm_dispatch_setting(class_name);

    *option = '\0';
    if (d->is_threads)
        snprintf(option, 280, "--library %.*s ",
                 setting ? (int)(setting - class_name - 1) : (int)strlen(class_name),
                 class_name);
    return option;
}

/* Return the text of the file, new; NULL: out of memory. */
static char *rules_text(const struct mm_dispatch *d)
{
    char *text = NULL, option[280];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    if (d->is_library)
        fprintf(out,
                "# The setting of %s in each call: mastermind record %s--dispatch FILE "
                "--no-rows -- PROGRAM\n",
                d->slot, library_option(d, option));
    else
        fprintf(out, "# The class of %s in each call; in a script: dispatch %s %s FILE\n",
                d->slot, d->slot, d->port);
    fprintf(out, "dispatch %s\n", d->port_type);
    if (has_laws(d))
        fprintf(out, "# learn 1 %%   without the first #: costs of the run's own calls "
                     "correct these rules\n");
    for (size_t i = 0; i < d->method_count; i++)
        put_regions(&(struct writer){.d = d, .m = &d->methods[i], .out = out}, 0);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- Printing ------------------------------------------------------------------ */

static void print_method(const struct mm_dispatch *d, const struct mm_dispatch_method *m)
{
    const struct mm_metric *metric = &d->runs->models.metric;
    const struct mm_regions *regions = &m->regions;
    const struct mm_region *root = &regions->nodes[0];
    const double all = regions->cost + regions->gain;
    const double half = CCA_NORMAL_90 * regions->gain_error;

    printf("%s.%s.%s, %.0f calls of the first run\n", d->slot, d->port, m->method->method,
           root->calls);
    printf("    calls     time       call  class\n");
    put_regions(&(struct writer){.d = d, .m = m, .out = stdout, .people = 1}, 0);
    for (size_t c = 0; c < d->class_count; c++)
        if (isfinite(root->cost[c]))
            printf("  %s for all calls: %s\n", mm_dispatch_word(d->classes[c]),
                   mm_cost(metric, root->cost[c]));
    printf("  by these rules: %s", mm_cost(metric, regions->cost));
    if (root->split)
        printf(", %.1f %% less than %s (90 %%: %.1f to %.1f %%)",
               100 * regions->gain / all, mm_dispatch_word(d->classes[root->best]),
               100 * (regions->gain - half) / all,
               100 * fmin(all, regions->gain + half) / all);
    printf("\n");
    if (m->left_out > 0)
        printf("  %.0f calls are not in these sums: no class has a model for them\n",
               m->left_out);
}

/* True if calls of the slot went to several classes in the first run. */
static int has_rival_calls(const struct mm_dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;

    for (size_t i = 0; i < rows->method_count; i++)
        if (mm_dispatch_has(d, rows->methods[i]) &&
            strcmp(rows->methods[i]->port_type, d->port_type) == 0 &&
            strcmp(rows->methods[i]->class_name, d->classes[0]) != 0 &&
            d->base->dual->vertices[i].calls)
            return 1;
    return 0;
}

/* The time of the first run, and with the rules: the calls of the slot have other costs
 * then; all else is as measured. NaN for libraries, whose calls had several settings, and
 * for runs on several ranks, where waiting changes, too. */
static void find_run(const struct mm_dispatch *d, double *measured, double *by_rules)
{
    *measured = *by_rules = NAN;
    /* profiles of a library's runs may have been read anew; a run that did not end is not
     * among the runs; calls that had rules do not cost as much as calls of the slot's
     * class
     */
    if (d->is_library || d->runs->runs[0].profile != d->base || has_rival_calls(d))
        return;
    *measured = *by_rules = mm_forecast_run_total(&d->runs->runs[0]);
    for (size_t i = 0; i < d->method_count; i++) {
        const struct mm_regions *regions = &d->methods[i].regions;

        *by_rules += regions->cost - regions->nodes[0].cost[0];
    }
    if (d->runs->by_rank || !isfinite(*by_rules) || *by_rules <= 0)
        *measured = *by_rules = NAN;
}

/* True if there are rules to write: some region has another class than the others, or
 * the program itself does not have the best setting. */
static int any_rule(const struct mm_dispatch *d)
{
    int found = 0;

    for (size_t i = 0; i < d->method_count; i++) {
        const struct mm_region *root = &d->methods[i].regions.nodes[0];

        found |= root->split || mm_dispatch_setting(d->classes[root->best]);
    }
    return found;
}

/* Write the file, if there are rules. Returns -1 to go on. */
static int write_rules(const struct mm_dispatch *d)
{
    char *text;
    int result;

    if (!any_rule(d))
        return -1;
    text = rules_text(d);
    result = text ? mm_script_write(d->asked->dispatch, text, d->asked->force)
                  : mm_no_memory();
    free(text);
    return result;
}

static void print_text(const struct mm_dispatch *d)
{
    double measured, by_rules;
    char option[280];

    for (size_t i = 0; i < d->method_count; i++)
        print_method(d, &d->methods[i]);
    if (!any_rule(d))
        return;
    find_run(d, &measured, &by_rules);
    if (isfinite(by_rules)) {
        printf("the first run: %s measured", mm_cost(&d->runs->models.metric, measured));
        printf(", %s by these rules\n", mm_cost(&d->runs->models.metric, by_rules));
    }
    if (d->is_library)
        printf("rules in %s: mastermind record %s--dispatch %s --no-rows -- PROGRAM\n",
               mm_safe(d->asked->dispatch), library_option(d, option),
               mm_safe(d->asked->dispatch));
    else
        printf("rules in %s; in a script, before `go`: dispatch %s %s %s\n",
               mm_safe(d->asked->dispatch), d->slot, d->port,
               mm_safe(d->asked->dispatch));
}

/* --- JSON ---------------------------------------------------------------------- */

/* The conditions on the way to a region, as put_conditions prints them. */
static json_t *conditions_json(const struct writer *w)
{
    json_t *conditions = json_array();

    for (size_t i = 0; i < w->depth; i++)
        if (is_needed(w, i))
            json_array_append_new(
                conditions,
                mm_json_object("value relation bound",
                               w->m->method->values[w->path[i]->value].name,
                               w->path[i]->equal ? "=" : "<=", w->path[i]->bound));
    return conditions;
}

static void add_regions(struct writer *w, size_t index, json_t *regions)
{
    const struct mm_region *node = &w->m->regions.nodes[index];
    json_t *object;

    if (node->split) {
        w->path[w->depth++] = node;
        add_regions(w, node->yes, regions);
        w->depth--;
        add_regions(w, node->no, regions);
        return;
    }
    object = mm_json_object("class calls", w->d->classes[node->best], node->calls);
    mm_json_set_seconds(object, &w->d->runs->models.metric, "total",
                        node->cost[node->best]);
    mm_json_put(object, "conditions", conditions_json(w));
    json_array_append_new(regions, object);
}

static json_t *method_json(const struct mm_dispatch *d,
                           const struct mm_dispatch_method *m)
{
    const struct mm_metric *metric = &d->runs->models.metric;
    const struct mm_region *root = &m->regions.nodes[0];
    const double half = CCA_NORMAL_90 * m->regions.gain_error;
    json_t *object = mm_json_object("method calls", m->method->method, root->calls);
    json_t *regions = json_array(), *classes = json_array();
    json_t *gain = mm_json_object("class", d->classes[root->best]);

    mm_json_set_seconds(object, metric, "total", m->regions.cost);
    add_regions(&(struct writer){.d = d, .m = m}, 0, regions);
    for (size_t c = 0; c < d->class_count; c++) {
        json_t *class_object = mm_json_object("class", d->classes[c]);

        if (isfinite(root->cost[c]))
            mm_json_set_seconds(class_object, metric, "total", root->cost[c]);
        json_array_append_new(classes, class_object);
    }
    mm_json_set_seconds(gain, metric, "total low high", m->regions.gain,
                        m->regions.gain - half, m->regions.gain + half);
    mm_json_set(object, "regions classes gain left_out", regions, classes, gain,
                m->left_out);
    return object;
}

static int print_json(const struct mm_dispatch *d)
{
    const struct mm_metric *metric = &d->runs->models.metric;
    json_t *document = mm_json_metric_document("choose-dispatch", metric);
    json_t *methods = json_array();
    double measured, by_rules;

    mm_json_set(document, "slot port port_type level", d->slot, d->port, d->port_type,
                MM_FORECAST_LEVEL);
    if (any_rule(d))
        mm_json_put(document, "file", mm_json_escaped(d->asked->dispatch));
    find_run(d, &measured, &by_rules);
    if (isfinite(by_rules))
        mm_json_set_seconds(document, metric, "run run_by_rules", measured, by_rules);
    for (size_t i = 0; i < d->method_count; i++)
        json_array_append_new(methods, method_json(d, &d->methods[i]));
    mm_json_set(document, "methods notes", methods,
                mm_json_notes(&d->library->notes, NULL));
    return mm_json_print(document);
}

int mm_dispatch_answer(const struct mm_dispatch *d)
{
    int result = write_rules(d);

    if (result >= 0)
        return result;
    if (d->asked->json)
        result = print_json(d);
    else
        print_text(d);
    if (result > 0)
        return result;
    return any_rule(d) ? MM_EXIT_DONE
                       : mm_refuse(MM_EXIT_NO,
                                   "no rules: no condition saves more than its error");
}
