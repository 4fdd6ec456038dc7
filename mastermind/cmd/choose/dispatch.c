/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c: rules that choose the class of a slot in each call, from the models of the
 * classes and the calls of the first run.
 *
 *   calls of the first run ─┐
 *   models of each class   ─┴▶ cost of every call with every class ─▶ regions of
 *                              in-values (choice/regions.h) ─▶ file for `dispatch` */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/statistics.h"
#include "mastermind/choice/regions.h"
#include "mastermind/cmd/choose/choose_verb.h"

/* A method of the slot's port, and its calls in the first run. */
struct slot_method {
    const struct mm_method_info *method;
    struct mm_regions_input input;
    struct mm_region_point *points; /* [input.count] */
    double *numbers;                /* the values and costs of all points */
    int *modes, *whole;             /* [in_count] */
    struct mm_regions regions;
    double left_out; /* number of calls that no class has a model for */
};

struct dispatch {
    const struct mm_run_input *runs;
    const struct mm_library *library;
    const struct mm_choose_asked *asked;
    const struct mm_profile *base;
    const char *slot;
    const char *port, *port_type;
    const char *
        *classes; /* classes with models of the port; the slot's own is the first */
    size_t class_count;
    struct slot_method *methods;
    size_t method_count;
};

static void dispatch_done(struct dispatch *d)
{
    for (size_t i = 0; i < d->method_count; i++) {
        free(d->methods[i].points);
        free(d->methods[i].numbers);
        free(d->methods[i].modes);
        mm_regions_done(&d->methods[i].regions);
    }
    free(d->methods);
    free(d->classes);
}

/* --- Slot and classes ------------------------------------------------------ */

/* True for calls of the slot: of its instance, or of a rival that `dispatch` made beside
 * it. */
static int is_of_slot(const struct dispatch *d, const struct mm_method_info *method)
{
    const size_t length = strlen(d->slot);

    return strcmp(method->instance, d->slot) == 0 ||
           (strncmp(method->instance, d->slot, length) == 0 &&
            method->instance[length] == '_' &&
            strcmp(method->instance + length + 1, method->class_name) == 0);
}

/* The classes with models of a method, other than `class_name`. */
static size_t count_rivals(const struct mm_library *library,
                           const struct mm_method_info *method)
{
    size_t count = 0;

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *of = library->sets[i].method;

        count += strcmp(of->port_type, method->port_type) == 0 &&
                 strcmp(of->method, method->method) == 0 &&
                 strcmp(of->class_name, method->class_name) != 0;
    }
    return count;
}

/* Find the slot: the instance of --slot, or the only instance whose port has models of
 * several classes. Returns -1 to go on. */
static int find_slot(struct dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;

    d->slot = d->asked->slot;
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct mm_method_info *method = rows->methods[i];

        if (!count_rivals(d->library, method) || !*method->port_type ||
            (d->slot && !is_of_slot(d, method)))
            continue;
        if (d->port && strcmp(d->port_type, method->port_type) != 0)
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s and %s have models of several classes: name one by "
                             "--slot",
                             mm_safe(d->slot), mm_safe(method->instance));
        if (!d->port) {
            d->port = method->port;
            d->port_type = method->port_type;
            d->slot = d->slot ? d->slot : method->instance;
        }
    }
    if (d->port)
        return -1;
    return d->slot ? mm_refuse(MM_EXIT_NO,
                               "no rules: no other class of the runs has the port of %s",
                               mm_safe(d->slot))
                   : mm_refuse(MM_EXIT_NO,
                               "no rules: no port of the first run has models of several "
                               "classes");
}

static int add_class(struct dispatch *d, const char *name)
{
    for (size_t i = 0; i < d->class_count; i++)
        if (strcmp(d->classes[i], name) == 0)
            return 0;
    if (cca_array_reserve(&d->classes, d->class_count, sizeof *d->classes))
        return -ENOMEM;
    d->classes[d->class_count++] = name;
    return 0;
}

static int add_classes(struct dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    int status = 0;

    for (size_t i = 0; i < rows->method_count && !status; i++)
        if (strcmp(rows->methods[i]->instance, d->slot) == 0 &&
            strcmp(rows->methods[i]->port_type, d->port_type) == 0)
            status = add_class(d, rows->methods[i]->class_name);
    for (size_t i = 0; i < d->library->count && !status; i++)
        if (strcmp(d->library->sets[i].method->port_type, d->port_type) == 0)
            status = add_class(d, d->library->sets[i].method->class_name);
    return status;
}

/* --- Costs ------------------------------------------------------------------ */

/* The cost of one call at a point with a class, and its standard error; NaN: unknown. */
static void find_cost(const struct mm_model_set *set, const struct mm_method_info *method,
                      const union monitor_value *in, double *cost, double *error)
{
    union monitor_value mapped[MONITOR_MAX_IN];
    struct mm_estimate estimate;
    const char *missing;
    const struct mm_model *model =
        set ? mm_model_set_find(set, method, in, mapped, &missing) : NULL;

    *cost = *error = NAN;
    if (!model || !mm_model_knows(model, mapped))
        return;
    mm_model_estimate(model, mapped, &estimate);
    *cost = estimate.mean;
    *error = isfinite(estimate.mean_half) ? estimate.mean_half / CCA_NORMAL_95
                                          : .5 * estimate.mean;
}

static double value_of(const struct mm_method_info *method, const union monitor_value *in,
                       size_t at)
{
    return monitor_value_absent(in[at], method->values[at].type)
               ? NAN
               : mm_in_value(method, in, at);
}

/* Make the points of one method from the calls of the first run. */
static int make_points(struct dispatch *d, struct slot_method *m,
                       const struct mm_model_set *const *sets)
{
    const struct mm_row_source *rows = &d->base->source;
    const size_t values = m->method->in_count, classes = d->class_count;
    const size_t width = values + 2 * classes;
    size_t room = 0;

    for (size_t i = 0; i < rows->method_count; i++)
        room += d->base->points[i].count;
    m->points = calloc(room + 1, sizeof *m->points);
    m->numbers = calloc(room * width + 1, sizeof *m->numbers);
    m->modes = calloc(2 * values + 1, sizeof *m->modes);
    if (!m->points || !m->numbers || !m->modes)
        return -ENOMEM;
    m->whole = m->modes + values;
    for (size_t v = 0; v < values; v++) {
        m->modes[v] = m->method->values[v].kind == MONITOR_MODE;
        m->whole[v] = m->method->values[v].type == MONITOR_INT64;
    }
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct mm_method_info *method = rows->methods[i];
        const struct mm_points *points = &d->base->points[i];

        if (strcmp(method->method, m->method->method) != 0 || !is_of_slot(d, method) ||
            strcmp(method->port_type, d->port_type) != 0 ||
            !mm_same_in_values(method, m->method))
            continue;
        for (size_t p = 0; p < points->count; p++) {
            double *x = m->numbers + m->input.count * width, *cost = x + values;
            int known = 0;

            for (size_t v = 0; v < values; v++)
                x[v] = value_of(method, points->points[p].in, v);
            for (size_t c = 0; c < classes; c++) {
                find_cost(sets[c], m->method, points->points[p].in, &cost[c],
                          &cost[classes + c]);
                known |= isfinite(cost[c]);
            }
            if (known)
                m->points[m->input.count++] = (struct mm_region_point){
                    x, (double)points->points[p].calls, cost, cost + classes};
            else
                m->left_out += (double)points->points[p].calls;
        }
    }
    m->input.points = m->points;
    m->input.value_count = values;
    m->input.class_count = classes;
    m->input.modes = m->modes;
    m->input.whole = m->whole;
    return 0;
}

/* Find the regions of one method. Returns 0, -ENODATA: no class is known for all calls,
 * or -ENOMEM. */
static int add_method(struct dispatch *d, const struct mm_method_info *method)
{
    const struct mm_model_set **sets = calloc(d->class_count, sizeof(void *));
    struct slot_method *m =
        cca_array_add(&d->methods, &d->method_count, sizeof *d->methods);
    int status = sets && m ? 0 : -ENOMEM;

    for (size_t c = 0; c < d->class_count && !status; c++) {
        struct mm_notes none = {0};

        status = mm_library_match(d->library, d->classes[c], NULL, method, d->base, &none,
                                  &sets[c]);
        mm_notes_done(&none);
    }
    if (!status) {
        m->method = method;
        m->input.run_error = d->library->runs.all.sd;
        status = make_points(d, m, sets);
    }
    if (!status)
        status = mm_regions_make(&m->regions, &m->input);
    free(sets);
    return status;
}

static int add_methods(struct dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    int status = 0;

    for (size_t i = 0; i < rows->method_count && !status; i++) {
        const struct mm_method_info *method = rows->methods[i];
        size_t before = 0;

        while (before < d->method_count &&
               strcmp(d->methods[before].method->method, method->method) != 0)
            before++;
        if (is_of_slot(d, method) && strcmp(method->port_type, d->port_type) == 0 &&
            before == d->method_count)
            status = add_method(d, method);
        if (status == -ENODATA) { /* no rules for this method */
            mm_regions_done(&d->methods[--d->method_count].regions);
            free(d->methods[d->method_count].points);
            free(d->methods[d->method_count].numbers);
            free(d->methods[d->method_count].modes);
            status = 0;
        }
    }
    return status;
}

/* --- The rules ---------------------------------------------------------------- */

/* Where the rules are written; conditions lead to the current node. */
struct writer {
    const struct dispatch *d;
    const struct slot_method *m;
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

/* Print the conditions on the way to a region. Of several bounds of one value the last
 * is the strictest. Where a condition failed, a rule above has taken the calls. */
static void put_conditions(const struct writer *w)
{
    const char *word = "when";

    for (size_t i = 0; i < w->depth; i++) {
        int again = 0;

        for (size_t k = i + 1; k < w->depth; k++)
            again |= w->path[k]->value == w->path[i]->value && !w->path[k]->equal;
        if (again)
            continue;
        fprintf(w->out, " %s %s %s ", word, w->m->method->values[w->path[i]->value].name,
                w->path[i]->equal ? "=" : "<=");
        put_bound(w, w->path[i]);
        word = "and";
    }
}

static void put_leaf(const struct writer *w, const struct mm_region *node)
{
    const struct mm_region *root = &w->m->regions.nodes[0];
    const double mine = node->cost[node->best] / node->calls;
    const double other = node->cost[root->best] / node->calls;
    const char *class_name = w->d->classes[node->best];

    if (!w->people)
        fprintf(w->out, "%s: ", w->m->method->method);
    else
        fprintf(w->out, "  %5.1f %%  %5.1f %%  %9s  ", 100 * node->calls / root->calls,
                100 * node->cost[node->best] / w->m->regions.cost,
                mm_cost(&w->d->runs->models.metric, mine));
    fputs(class_name, w->out);
    put_conditions(w);
    if (node->best != root->best && w->people)
        fprintf(w->out, "   (%s: %s)", w->d->classes[root->best],
                mm_cost(&w->d->runs->models.metric, other));
    else if (node->best != root->best)
        fprintf(w->out, "   # %s a call; with %s %s",
                mm_cost(&w->d->runs->models.metric, mine), w->d->classes[root->best],
                mm_cost(&w->d->runs->models.metric, other));
    fputc('\n', w->out);
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

/* Return the text of the file, new; NULL: out of memory. */
static char *rules_text(const struct dispatch *d)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "# The class of %s in each call; in a script: dispatch %s %s FILE\n",
            d->slot, d->slot, d->port);
    fprintf(out, "dispatch %s\n", d->port_type);
    for (size_t i = 0; i < d->method_count; i++)
        put_regions(&(struct writer){.d = d, .m = &d->methods[i], .out = out}, 0);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- Printing ------------------------------------------------------------------ */

static void print_method(const struct dispatch *d, const struct slot_method *m)
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
            printf("  %s for all calls: %s\n", d->classes[c],
                   mm_cost(metric, root->cost[c]));
    printf("  by these rules: %s", mm_cost(metric, regions->cost));
    if (root->split)
        printf(", %.1f %% less than %s (90 %%: %.1f to %.1f %%)",
               100 * regions->gain / all, d->classes[root->best],
               100 * (regions->gain - half) / all,
               100 * fmin(all, regions->gain + half) / all);
    printf("\n");
    if (m->left_out > 0)
        printf("  %.0f calls are not in these sums: no class has a model for them\n",
               m->left_out);
}

/* Print the regions, and write the file if a region has another class than the others.
 * Returns an exit code. */
static int answer(const struct dispatch *d)
{
    int result = -1, split = 0;
    char *text;

    for (size_t i = 0; i < d->method_count; i++) {
        print_method(d, &d->methods[i]);
        split |= d->methods[i].regions.nodes[0].split;
    }
    if (!split)
        return mm_refuse(MM_EXIT_NO,
                         "no rules: at no size can another class be told to cost less");
    text = rules_text(d);
    result = text ? mm_script_write(d->asked->dispatch, text, d->asked->force)
                  : mm_no_memory();
    free(text);
    if (result >= 0)
        return result;
    printf("rules in %s; in a script, before `go`: dispatch %s %s %s\n",
           mm_safe(d->asked->dispatch), d->slot, d->port, mm_safe(d->asked->dispatch));
    return MM_EXIT_DONE;
}

int mm_choose_dispatch(char *const *paths, int count, const struct mm_choose_asked *asked)
{
    struct mm_run_input runs = {0};
    struct dispatch d = {.runs = &runs, .asked = asked};
    struct cca_error err = {0};
    struct mm_library *library = NULL;
    int status, result = mm_run_input_open(&runs, paths, count, asked->metric,
                                           asked->any_machine, NULL);

    if (result < 0) {
        library = mm_input_library(&runs.models, NULL, &err);
        result = library ? -1 : mm_complain(&err);
    }
    if (result < 0) {
        d.library = library;
        d.base = runs.runs[0].profile;
        result = find_slot(&d);
    }
    if (result < 0) {
        status = add_classes(&d);
        if (!status)
            status = add_methods(&d);
        result = status ? mm_no_memory() : -1;
    }
    if (result < 0)
        result = d.method_count ? answer(&d)
                                : mm_refuse(MM_EXIT_NO,
                                            "no rules: no class has models of all calls "
                                            "of %s",
                                            mm_safe(d.slot));
    dispatch_done(&d);
    mm_library_free(library);
    mm_run_input_done(&runs);
    return result;
}
