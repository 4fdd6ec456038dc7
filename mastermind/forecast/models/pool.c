/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c: pool rows by class, build, port type and method where costs agree. */
#include "mastermind/forecast/models/pool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/forecast/models/callees.h"
#include "mastermind/cost/estimate.h"
#include "common/statistics.h"

/* Costs within 35 % of each other are one: so much differ runs of one assembly on a
 * shared host, and a set of its own costs a model half of its sizes. Where few methods
 * are in two runs, runs are taken to differ by at least 5 %. */
#define LIKE .3
#define LEAST_SPREAD .05
#define SURE 3. /* standard errors between costs that differ */

/* --- Contexts ----------------------------------------------------------------- */

/* Append sorted names, each once and ended by a newline. */
static void append_names(FILE *out, const char **names, size_t count)
{
    if (count)
        qsort(names, count, sizeof *names, cca_order_text);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(names[i], names[i - 1]) != 0)
            fprintf(out, "%s\n", names[i]);
}

char *mm_context_of(const struct mm_profile *profile, size_t at)
{
    const struct mm_dual *dual = profile->dual;
    const char *instance = profile->source.methods[at]->instance;
    const char **names = calloc(dual->vertex_count + dual->edge_count + 1, sizeof *names);
    char *text = NULL;
    size_t size, count = 0;
    FILE *out = names ? open_memstream(&text, &size) : NULL;

    if (!out) {
        free(names);
        return NULL;
    }
    for (size_t i = 0; i < profile->source.method_count; i++)
        if (dual->vertices[i].calls &&
            strcmp(profile->source.methods[i]->instance, instance) != 0)
            names[count++] = profile->source.methods[i]->class_name;
    append_names(out, names, count);
    fprintf(out, "|\n");
    count = 0;
    for (size_t i = 0; i < dual->edge_count; i++)
        if (dual->edges[i].caller == at && dual->vertices[dual->edges[i].callee].method)
            names[count++] = dual->vertices[dual->edges[i].callee].method->method;
    append_names(out, names, count);
    free(names);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Length of the part with the classes. */
static size_t classes_length(const char *context)
{
    return (size_t)(strchr(context, '|') - context);
}

int mm_context_same_classes(const char *a, const char *b)
{
    size_t length = classes_length(a);

    return length == classes_length(b) && strncmp(a, b, length) == 0;
}

static int has_line(const char *context, const char *line, size_t length)
{
    for (const char *at = context; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == length && strncmp(at, line, length) == 0)
            return 1;
    return 0;
}

void mm_context_difference(const char *a, const char *b, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (const char *at = a; *at && *at != '|'; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n");

        if (has_line(b, at, length) || used + length + 3 > size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
                                 (int)length, at);
    }
}

static int has_context(const struct mm_model_set *set, const char *context)
{
    for (size_t i = 0; i < set->context_count; i++)
        if (strcmp(set->contexts[i], context) == 0)
            return 1;
    return 0;
}

/* --- Agreement ----------------------------------------------------------------- */

static int same_class(const struct mm_method_info *a, const struct mm_method_info *b)
{
    return strcmp(a->class_name, b->class_name) == 0 &&
           strcmp(a->build_id, b->build_id) == 0 &&
           strcmp(a->port_type, b->port_type) == 0 && strcmp(a->method, b->method) == 0 &&
           mm_same_in_values(a, b);
}

/* log(cost of a / cost of b) where their sizes overlap, by a model of each, for points
 * without equal parameters. Returns 0: they do not overlap. */
static int overlap_ratio(const struct mm_points *a, const struct mm_points *b,
                         double *logarithm, double *noise)
{
    double cost_a = 0, cost_b = 0, half_a = 0, half_b = 0;
    size_t parameter;

    for (size_t i = 0; i < a->count + b->count; i++) {
        const struct mm_point *p =
            i < a->count ? &a->points[i] : &b->points[i - a->count];
        struct mm_model of_a, of_b;
        struct mm_estimate e, f;
        int seen = 0;

        for (size_t k = 0; k < i && !seen; k++) {
            const struct mm_point *q =
                k < a->count ? &a->points[k] : &b->points[k - a->count];

            seen = mm_same_modes(a->method, p->in, q->in);
        }
        if (seen || mm_model_fit(&of_a, a, p->in, NULL, NULL) < 0)
            continue;
        if (mm_model_fit(&of_b, b, p->in, NULL, NULL) < 0) {
            mm_model_done(&of_a);
            continue;
        }
        for (size_t k = 0; k < a->count + b->count; k++) {
            const struct mm_point *q =
                k < a->count ? &a->points[k] : &b->points[k - a->count];

            if (!mm_same_modes(a->method, p->in, q->in) ||
                mm_model_beyond(&of_a, q->in, &parameter) > 1 ||
                mm_model_beyond(&of_b, q->in, &parameter) > 1)
                continue;
            mm_model_estimate(&of_a, q->in, &e);
            mm_model_estimate(&of_b, q->in, &f);
            cost_a += e.mean;
            cost_b += f.mean;
            half_a += e.mean_half;
            half_b += f.mean_half;
        }
        mm_model_done(&of_a);
        mm_model_done(&of_b);
    }
    if (!(cost_a > 0) || !(cost_b > 0))
        return 0;
    *logarithm = log(cost_a / cost_b);
    *noise = (pow(half_a / cost_a, 2) + pow(half_b / cost_b, 2)) /
             (CCA_NORMAL_95 * CCA_NORMAL_95);
    return isfinite(*noise);
}

/* True where the data say that two groups of rows cost the same, or nearly; `*ratio` is
 * that of their costs, NaN: they cannot be compared. `*unlike` is the share by which they
 * differ by more than calls scatter and runs are known to, else 0. */
static int costs_agree(const struct mm_library *library, const struct mm_points *a,
                       const struct mm_points *b, double *ratio, double *unlike)
{
    double logarithm, noise, spread;

    *ratio = NAN;
    *unlike = 0;
    if (!mm_has_parameter(a->method)) {
        /* Often called once in a run, so single calls have to do. */
        if (!(mm_runs_ratio(a, b, 1, &logarithm, &noise) > 0))
            return 1;
    } else if (!(mm_runs_ratio(a, b, MM_FEW_TO_COMPARE, &logarithm, &noise) > 0)) {
        if (mm_runs_ratio(a, b, 1, &logarithm, &noise) > 0)
            return 1; /* equal sizes, too few calls to part them */
        if (!overlap_ratio(a, b, &logarithm, &noise))
            return 0;
    }
    *ratio = exp(logarithm);
    spread = mm_runs_typical(library->profiles, library->profile_count, a->method);
    if (fabs(logarithm) > LEAST_SPREAD &&
        fabs(logarithm) > SURE * sqrt(noise + (spread > 0 ? 2 * spread * spread : 0)))
        *unlike = exp(fabs(logarithm)) - 1;
    spread = isnan(spread) ? LEAST_SPREAD : fmax(spread, LEAST_SPREAD);
    return fabs(logarithm) <= LIKE ||
           fabs(logarithm) <= SURE * sqrt(noise + 2 * spread * spread);
}

/* --- Sets ------------------------------------------------------------------------ */

/* Add a set, which takes over `context`. */
static struct mm_model_set *set_add(struct mm_library *library,
                                    const struct mm_profile *profile,
                                    const struct mm_method_info *method)
{
    struct mm_model_set *set;

    if (cca_array_reserve(&library->sets, library->count, sizeof *set))
        return NULL;
    set = &library->sets[library->count++];
    *set = (struct mm_model_set){.method = method, .first = profile->source.name};
    mm_points_init(&set->points, method);
    set->points.floor_ns = profile->source.floor_ns;
    memcpy(set->points.cache_bytes, profile->source.cache_bytes,
           sizeof set->points.cache_bytes);
    set->points.counts = profile->source.counts;
    set->points.host_free = profile->points[method->index].host_free;
    return set;
}

/* Remember a context, which the set takes over. */
static int set_context(struct mm_model_set *set, char *context)
{
    if (has_context(set, context)) {
        free(context);
        return 0;
    }
    if (cca_array_reserve(&set->contexts, set->context_count, sizeof *set->contexts)) {
        free(context);
        return -ENOMEM;
    }
    set->contexts[set->context_count++] = context;
    return 0;
}

static int name_beside(struct mm_model_set *set, const char *other)
{
    char text[160];

    if (set->beside)
        return 0;
    mm_context_difference(set->contexts[0], other, text, sizeof text);
    set->beside = strdup(text);
    return set->beside ? 0 : -ENOMEM;
}

/* Say why rows of `profile` are not pooled with those of `set`. */
static int say_apart(struct mm_model_set *set, struct mm_model_set *added,
                     const struct mm_profile *profile, double ratio)
{
    const char *a = set->contexts[0], *b = added->contexts[0];
    const struct mm_method_info *m = set->method;
    char of_a[120], of_b[120], text[700];

    if (isnan(ratio))
        return 0; /* mm_library_match notes it where the set is used */
    mm_context_difference(a, b, of_a, sizeof of_a);
    mm_context_difference(b, a, of_b, sizeof of_b);
    if (mm_context_same_classes(a, b))
        snprintf(text, sizeof text,
                 "%.100s %.60s: %.2g x the cost with the other callees of %.100s; kept "
                 "apart",
                 m->class_name, m->method, 1 / ratio, profile->source.name);
    else
        snprintf(text, sizeof text,
                 "%.100s %.60s: %.2g x the cost beside %s as beside %s; kept apart",
                 m->class_name, m->method, 1 / ratio, *of_b ? of_b : "fewer classes",
                 *of_a ? of_a : "fewer classes");
    if (!set->apart)
        set->apart = strdup(text);
    if (!added->apart)
        added->apart = strdup(text);
    return set->apart && added->apart ? 0 : -ENOMEM;
}

/* The set that rows of `points` join, or NULL; `*apart` gets a set that they do not join,
 * `*ratio` how its costs compare. */
static struct mm_model_set *set_to_join(struct mm_library *library,
                                        const struct mm_points *points,
                                        const char *context, size_t *apart, double *ratio)
{
    struct mm_model_set *found = NULL;
    double unlike = 0;

    *apart = SIZE_MAX;
    for (size_t i = 0; i < library->count; i++)
        if (same_class(library->sets[i].method, points->method) &&
            has_context(&library->sets[i], context))
            return &library->sets[i];
    for (size_t i = 0; i < library->count && !found; i++) {
        struct mm_model_set *set = &library->sets[i];
        double cost;

        if (!same_class(set->method, points->method))
            continue;
        if (costs_agree(library, &set->points, points, &cost, &unlike)) {
            found = set;
            found->unlike = fmax(found->unlike, unlike);
        } else if (*apart == SIZE_MAX) {
            *apart = i;
            *ratio = cost;
        }
    }
    return found;
}

static int pool_method(struct mm_library *library, const struct mm_profile *profile,
                       size_t at)
{
    const struct mm_points *points = &profile->points[at];
    struct mm_model_set *set;
    size_t apart = SIZE_MAX;
    char *context;
    double ratio = NAN;
    int result;

    if (!profile->dual->vertices[at].calls)
        return 0;
    context = mm_context_of(profile, at);
    if (!context)
        return -ENOMEM;
    set = set_to_join(library, points, context, &apart, &ratio);
    if (!set) {
        set = set_add(library, profile, profile->source.methods[at]);
        if (!set) {
            free(context);
            return -ENOMEM;
        }
    } else {
        apart = SIZE_MAX;
    }
    result = set_context(set, context);
    if (!result && apart != SIZE_MAX) {
        struct mm_model_set *other = &library->sets[apart];

        result = name_beside(set, other->contexts[0]);
        if (!result)
            result = name_beside(other, set->contexts[0]);
        if (!result)
            result = say_apart(other, set, profile, ratio);
    }
    if (result)
        return result;
    if (set->points.floor_ns < profile->source.floor_ns)
        set->points.floor_ns = profile->source.floor_ns;
    set->calls += profile->dual->vertices[at].calls;
    set->experiments++;
    if (mm_callees_add(set, profile, at) < 0)
        return -ENOMEM;
    return mm_points_merge(&set->points, points);
}

int mm_pool_profiles(struct mm_library *library)
{
    int result = 0;

    for (size_t i = 0; i < library->profile_count && !result; i++)
        for (size_t k = 0; k < library->profiles[i]->source.method_count && !result; k++)
            result = pool_method(library, library->profiles[i], k);
    return result;
}
