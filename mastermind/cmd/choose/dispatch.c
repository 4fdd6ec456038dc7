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
    struct mm_library *library;
    const struct mm_choose_asked *asked;
    const struct mm_profile *base;
    char *slot; /* instance of the slot; NULL: not found yet */
    const char *port, *port_type;
    /* true if the classes are one library with several settings,
     * "libblas.so.3:threads=1", measured by `record --try` */
    int is_library;
    int is_threads; /* true if that setting is a number of threads */
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
    free(d->slot);
}

/* --- Slot and classes ------------------------------------------------------ */

/* The setting "threads=1" of the class "libblas.so.3:threads=1"; NULL: the class is no
 * library with a setting. */
static const char *setting_of(const char *class_name)
{
    const char *colon = strrchr(class_name, ':');

    return colon && strchr(colon, '=') ? colon + 1 : NULL;
}

/* The word that names a class in a file of rules. */
static const char *rule_word(const char *class_name)
{
    const char *setting = setting_of(class_name);

    return setting ? setting : class_name;
}

/* The length of the instance's name without the class or setting that a choice has added
 * to it: "sort_RadixSort", "libblas_threads=1". */
static size_t stem_length(const struct mm_method_info *method)
{
    const char *word = rule_word(method->class_name);
    const size_t whole = strlen(method->instance), added = strlen(word) + 1;

    return whole > added && method->instance[whole - added] == '_' &&
                   strcmp(method->instance + whole - added + 1, word) == 0
               ? whole - added
               : whole;
}

/* True for calls of the slot: of its instance, or of a rival that `dispatch` made beside
 * it. */
static int is_of_slot(const struct dispatch *d, const struct mm_method_info *method)
{
    const size_t length = strlen(d->slot);

    return strcmp(method->instance, d->slot) == 0 ||
           (strncmp(method->instance, d->slot, length) == 0 &&
            stem_length(method) == length);
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

    if (d->asked->slot && !(d->slot = strdup(d->asked->slot)))
        return mm_no_memory();
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct mm_method_info *method = rows->methods[i];
        const int is_library = setting_of(method->class_name) != NULL;

        if (!count_rivals(d->library, method) || !*method->port_type ||
            (d->asked->slot && !is_of_slot(d, method)))
            continue;
        if (d->port &&
            (strcmp(d->port_type, method->port_type) != 0 || !is_of_slot(d, method)))
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s and %s have models of several classes: name one by "
                             "--slot",
                             mm_safe(d->slot), mm_safe(method->instance));
        if (!d->port) {
            d->port = method->port;
            d->port_type = method->port_type;
            if (!d->slot) /* of rivals, only settings have no instance beside them */
                d->slot =
                    strndup(method->instance,
                            is_library ? stem_length(method) : strlen(method->instance));
            if (!d->slot)
                return mm_no_memory();
        }
        d->is_library |= is_library;
        d->is_threads |=
            is_library && strncmp(setting_of(method->class_name), "threads=", 8) == 0;
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

/* True if all classes ran side by side in the first run, as `record --try` does it: what
 * differs between runs is then common to them. */
static int are_beside(const struct dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    size_t found = 0;

    for (size_t c = 0; c < d->class_count; c++)
        for (size_t i = 0; i < rows->method_count; i++)
            if (strcmp(rows->methods[i]->class_name, d->classes[c]) == 0 &&
                strcmp(rows->methods[i]->port_type, d->port_type) == 0) {
                found++;
                break;
            }
    return d->is_library && found == d->class_count;
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

static double value_of(const struct mm_method_info *method, const union monitor_value *in,
                       size_t at)
{
    return monitor_value_absent(in[at], method->values[at].type)
               ? NAN
               : mm_in_value(method, in, at);
}

/* Measured calls of a class with equal modes, and parameters within half an octave of
 * each other, beside the model of these calls. */
struct cell {
    int at[MONITOR_MAX_IN];
    double calls, measured, modelled; /* sums over the calls */
    double squares; /* sum of squared differences between calls and `measured` as the
                     * model has it at their sizes */
};

/* A class that calls may go to. */
struct candidate {
    const struct mm_model_set *set; /* NULL: the class has no model of the method */
    struct cell *cells;
    size_t cell_count;
};

/* The least number of calls of a cell whose mean is taken in place of the model. */
#define ENOUGH 8

static void find_place(const struct mm_method_info *method, const union monitor_value *in,
                       int *at)
{
    memset(at, 0, MONITOR_MAX_IN * sizeof *at);
    for (size_t v = 0; v < method->in_count; v++) {
        const double x = value_of(method, in, v);

        at[v] = isnan(x)                                           ? INT32_MIN
                : method->values[v].kind == MONITOR_MODE || x == 0 ? (int)x
                : x > 0 ? 1000 + (int)floor(2 * log2(x))
                        : -1000 - (int)floor(2 * log2(-x));
    }
}

static struct cell *find_cell(const struct candidate *c, const int *at)
{
    for (size_t i = 0; i < c->cell_count; i++)
        if (memcmp(c->cells[i].at, at, sizeof c->cells[i].at) == 0)
            return &c->cells[i];
    return NULL;
}

/* The model's mean of a call, and its standard error; 0: it has none. */
static int model_cost(const struct candidate *c, const struct mm_method_info *method,
                      const union monitor_value *in, struct mm_estimate *estimate)
{
    union monitor_value mapped[MONITOR_MAX_IN];
    const char *missing;
    const struct mm_model *model =
        c->set ? mm_model_set_find(c->set, method, in, mapped, &missing) : NULL;

    if (!model || !mm_model_knows(model, mapped))
        return 0;
    mm_model_estimate(model, mapped, estimate);
    return isfinite(estimate->mean) && estimate->mean > 0;
}

/* Fill the cells of a class from its measured calls. Twice: first the means, then the
 * differences from these. */
static int fill_cells(struct candidate *c)
{
    const struct mm_points *points = c->set ? &c->set->points : NULL;
    struct mm_estimate estimate;
    int at[MONITOR_MAX_IN];

    for (int pass = 0; points && pass < 2; pass++)
        for (size_t i = 0; i < points->count; i++) {
            const struct mm_point *point = &points->points[i];
            const double calls = (double)point->n, own = mm_point_own_ns(point);
            struct cell *cell;

            if (!point->n || !model_cost(c, points->method, point->in, &estimate))
                continue;
            find_place(points->method, point->in, at);
            cell = find_cell(c, at);
            if (!cell && !(cell = cca_array_add(&c->cells, &c->cell_count, sizeof *cell)))
                return -ENOMEM;
            memcpy(cell->at, at, sizeof at);
            if (pass == 0) {
                cell->calls += calls;
                cell->measured += calls * own;
                cell->modelled += calls * estimate.mean;
            } else {
                const double here = estimate.mean * cell->measured / cell->modelled;

                cell->squares += calls * (own - here) * (own - here) + point->m2_ns2;
            }
        }
    return 0;
}

/* The cost of one call with a class, and its standard error; NaN: unknown. Where the
 * class was measured at such sizes, the model gives the slope alone. */
static void find_cost(const struct candidate *c, const struct mm_method_info *method,
                      const union monitor_value *in, double *cost, double *error)
{
    struct mm_estimate estimate;
    const struct cell *cell;
    int at[MONITOR_MAX_IN];

    *cost = *error = NAN;
    if (!model_cost(c, method, in, &estimate))
        return;
    *cost = estimate.mean;
    *error = isfinite(estimate.mean_half) ? estimate.mean_half / CCA_NORMAL_95
                                          : .5 * estimate.mean;
    find_place(method, in, at);
    cell = mm_same_in_values(method, c->set->method) ? find_cell(c, at) : NULL;
    if (!cell || cell->calls < ENOUGH)
        return;
    *cost *= cell->measured / cell->modelled;
    *error = *cost * sqrt(cell->squares) / cell->measured;
}

/* Make the points of one method from the calls of the first run. */
static int make_points(struct dispatch *d, struct slot_method *m,
                       const struct candidate *candidates)
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
                find_cost(&candidates[c], m->method, points->points[p].in, &cost[c],
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

/* True if several classes have known costs. */
static int has_rivals(const struct dispatch *d, const struct slot_method *m)
{
    size_t known = 0;

    for (size_t c = 0; c < d->class_count; c++)
        known += isfinite(m->regions.nodes[0].cost[c]);
    return known > 1;
}

/* Find the regions of one method. Returns 0, -ENODATA: no class is known for all calls,
 * or -ENOMEM. */
static int add_method(struct dispatch *d, const struct mm_method_info *method)
{
    struct candidate *candidates = calloc(d->class_count, sizeof *candidates);
    struct slot_method *m =
        cca_array_add(&d->methods, &d->method_count, sizeof *d->methods);
    double runs = INFINITY;
    int status = candidates && m ? 0 : -ENOMEM;

    for (size_t c = 0; c < d->class_count && !status; c++) {
        struct mm_notes none = {0};

        status = mm_library_match(d->library, d->classes[c], NULL, method, d->base, &none,
                                  &candidates[c].set);
        mm_notes_done(&none);
        if (candidates[c].set)
            runs = fmin(runs, (double)candidates[c].set->experiments);
        if (!status)
            status = fill_cells(&candidates[c]);
    }
    if (!status) {
        m->method = method;
        /* a class differs between runs as in a forecast; the normal quantile by which
         * errors are multiplied later is taken out */
        if (!are_beside(d))
            m->input.run_error =
                mm_run_sd_half(d->library->runs.all, fmax(1, runs), MM_FORECAST_LEVEL) /
                CCA_NORMAL_90;
        status = make_points(d, m, candidates);
    }
    if (!status)
        status = mm_regions_make(&m->regions, &m->input);
    if (!status && d->is_library && !has_rivals(d, m))
        status = -ENODATA;
    for (size_t c = 0; candidates && c < d->class_count; c++)
        free(candidates[c].cells);
    free(candidates);
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
static int has_laws(const struct dispatch *d)
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
    const char *class_name = rule_word(w->d->classes[node->best]);
    const char *other_name = rule_word(w->d->classes[root->best]);

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
static const char *library_option(const struct dispatch *d, char option[280])
{
    const char *class_name = d->classes[0], *setting = setting_of(class_name);

    *option = '\0';
    if (d->is_threads)
        snprintf(option, 280, "--library %.*s ",
                 setting ? (int)(setting - class_name - 1) : (int)strlen(class_name),
                 class_name);
    return option;
}

/* Return the text of the file, new; NULL: out of memory. */
static char *rules_text(const struct dispatch *d)
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
            printf("  %s for all calls: %s\n", rule_word(d->classes[c]),
                   mm_cost(metric, root->cost[c]));
    printf("  by these rules: %s", mm_cost(metric, regions->cost));
    if (root->split)
        printf(", %.1f %% less than %s (90 %%: %.1f to %.1f %%)",
               100 * regions->gain / all, rule_word(d->classes[root->best]),
               100 * (regions->gain - half) / all,
               100 * fmin(all, regions->gain + half) / all);
    printf("\n");
    if (m->left_out > 0)
        printf("  %.0f calls are not in these sums: no class has a model for them\n",
               m->left_out);
}

/* True if calls of the slot went to several classes in the first run. */
static int has_rival_calls(const struct dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;

    for (size_t i = 0; i < rows->method_count; i++)
        if (is_of_slot(d, rows->methods[i]) &&
            strcmp(rows->methods[i]->port_type, d->port_type) == 0 &&
            strcmp(rows->methods[i]->class_name, d->classes[0]) != 0 &&
            d->base->dual->vertices[i].calls)
            return 1;
    return 0;
}

/* The time of the first run, and with the rules: the calls of the slot have other costs
 * then; all else is as measured. NaN for libraries, whose calls had several settings, and
 * for runs on several ranks, where waiting changes, too. */
static void find_run(const struct dispatch *d, double *measured, double *by_rules)
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
static int any_rule(const struct dispatch *d)
{
    int found = 0;

    for (size_t i = 0; i < d->method_count; i++) {
        const struct mm_region *root = &d->methods[i].regions.nodes[0];

        found |= root->split || setting_of(d->classes[root->best]);
    }
    return found;
}

/* Write the file, if there are rules. Returns -1 to go on. */
static int write_rules(const struct dispatch *d)
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

static void print_text(const struct dispatch *d)
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

static json_t *method_json(const struct dispatch *d, const struct slot_method *m)
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

static int print_json(const struct dispatch *d)
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

/* Write the file and print the regions. Returns an exit code. */
static int answer(const struct dispatch *d)
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

/* Open the runs, and find the slot. Of a library whose threads are chosen, the metric is
 * clock time, if none was given: a call waits for threads that the host has not run, and
 * that is no time of its own. Returns -1 to go on. */
static int open_runs(struct dispatch *d, struct mm_run_input *runs, char *const *paths,
                     int count)
{
    struct mm_run_options from = d->asked->from;
    struct cca_error err = {0};
    int result;

    from.how = MM_INPUT_HINTS;
    result = mm_run_input_open(runs, paths, count, &from, NULL);
    for (int pass = 0; pass < 2 && result < 0; pass++) {
        mm_library_free(d->library);
        d->library = mm_input_library(&runs->models, NULL, &err);
        if (!d->library)
            return mm_complain(&err);
        d->base = runs->models.profiles[0];
        if (pass == 0)
            result = find_slot(d);
        if (!d->is_threads || d->asked->from.metric->given)
            break;
        if (pass == 0 && result < 0)
            result = mm_input_by_clock(&runs->models);
    }
    return result;
}

int mm_choose_dispatch(char *const *paths, int count, const struct mm_choose_asked *asked)
{
    struct mm_run_input runs = {0};
    struct dispatch d = {.runs = &runs, .asked = asked};
    int status, result = open_runs(&d, &runs, paths, count);

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
    mm_library_free(d.library);
    mm_run_input_done(&runs);
    return result;
}
