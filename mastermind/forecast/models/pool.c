/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c: pool rows by class, build, port type and method where costs agree. */
#include "mastermind/forecast/models/sum.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/cost/cost.h"
#include "common/statistics.h"

/* Costs within a fifth of each other count as equal, because separate sets would halve
 * the sizes of each model. If few methods are in two runs, runs are assumed to vary by at
 * least 5 %. */
#define LIKE .2
#define LEAST_SPREAD .05
/* least difference of two costs that separates contexts, in standard errors */
#define SURE 3.
#define MOST_COMPARED 512 /* largest number of pairs of runs from two contexts */

/* One method in one run, as a member of a group. */
struct member {
    const struct mm_profile *profile;
    size_t at;
    char *context;
    size_t group; /* index of the first member of its group */
};

struct pool {
    struct member *members;
    size_t count;
    struct mm_library *library;
};

/* --- Contexts ----------------------------------------------------------------- */

/* Append sorted names without duplicates, each followed by a newline. */
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

/* Length of the part of a context that has the classes. */
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

/* log(cost of a / cost of b) over their common range of sizes, from a model of each, for
 * points without equal parameters. Returns 0 if there is no common range. */
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

static const struct mm_points *points_of(const struct member *member)
{
    return &member->profile->points[member->at];
}

static const struct mm_method_info *method_of(const struct member *member)
{
    return member->profile->source.methods[member->at];
}

/* Comparison of the costs of two groups. */
struct comparison {
    double logarithm, noise; /* log(cost of a / cost of b), and its variance due to
                                single calls */
    double runs;             /* number of compared runs of the group that has fewer */
    double pair_variance;    /* variance of the logarithm between pairs of runs; NaN
                                with one pair */
};

/* True if a run of group `b` has calls of the same sizes as this member's run. */
static int has_pair(const struct pool *pool, const struct member *member, size_t group,
                    uint64_t least)
{
    double logarithm, noise;

    for (size_t i = 0; i < pool->count; i++)
        if (pool->members[i].group == group &&
            mm_runs_ratio(points_of(member), points_of(&pool->members[i]), least,
                          &logarithm, &noise) > 0)
            return 1;
    return 0;
}

static size_t group_size(const struct pool *pool, size_t group)
{
    size_t size = 0;

    for (size_t i = 0; i < pool->count; i++)
        size += pool->members[i].group == group;
    return size;
}

/* Compare the runs of two groups, pair by pair, by calls of equal sizes of which each run
 * has at least `least`. Returns 0 if there is no such pair. */
static int compare_pairs(const struct pool *pool, size_t a, size_t b, uint64_t least,
                         struct comparison *c)
{
    size_t pairs = group_size(pool, a) * group_size(pool, b), at = 0,
           step = pairs / MOST_COMPARED + 1;
    double weight = 0, squares = 0, compared = 0, runs_a = 0, runs_b = 0;

    *c = (struct comparison){.pair_variance = NAN};
    for (size_t i = 0; i < pool->count; i++)
        for (size_t k = 0; k < pool->count && pool->members[i].group == a; k++) {
            double logarithm, noise, cost;

            if (pool->members[k].group != b || at++ % step)
                continue;
            cost = mm_runs_ratio(points_of(&pool->members[i]),
                                 points_of(&pool->members[k]), least, &logarithm, &noise);
            compared += cost > 0;
            weight += cost;
            squares += cost * logarithm * logarithm;
            c->logarithm += cost * logarithm;
            c->noise += cost * cost * noise;
        }
    if (!(weight > 0))
        return 0;
    c->logarithm /= weight;
    c->noise /= weight * weight;
    if (compared > 1)
        c->pair_variance = fmax(squares / weight - c->logarithm * c->logarithm, 0) *
                           compared / (compared - 1);
    for (size_t i = 0; i < pool->count; i++) {
        const struct member *m = &pool->members[i];

        runs_a += m->group == a && has_pair(pool, m, b, least);
        runs_b += m->group == b && has_pair(pool, m, a, least);
    }
    c->runs = fmin(runs_a, runs_b);
    return 1;
}

/* Like compare_pairs, for groups without equal sizes: compare by a model of each
 * group. */
static int compare_models(const struct pool *pool, size_t a, size_t b,
                          struct comparison *c)
{
    struct mm_points of[2];
    size_t groups[2] = {a, b};
    int result = 0;

    for (int g = 0; g < 2; g++) {
        mm_points_init(&of[g], method_of(&pool->members[groups[g]]));
        for (size_t i = 0; i < pool->count && !result; i++)
            if (pool->members[i].group == groups[g])
                result = mm_points_merge(&of[g], points_of(&pool->members[i]));
    }
    *c = (struct comparison){
        .runs = 1,
        .pair_variance = NAN,
    };
    if (!result)
        result = overlap_ratio(&of[0], &of[1], &c->logarithm, &c->noise);
    mm_points_done(&of[0]);
    mm_points_done(&of[1]);
    return result;
}

/* The variance of the logarithm of one pair of runs, from several pairs and the prior. A
 * single pair has no variance, so other methods of the runs are used. */
static double pair_variance(const struct pool *pool, const struct mm_method_info *method,
                            const struct comparison *c)
{
    const struct mm_library *library = pool->library;
    struct mm_run_sd prior = library->runs.prior;
    double typical;

    if (c->runs > 1) {
        prior.sd *= M_SQRT2;
        prior = mm_run_sd_combine(prior, sqrt(c->pair_variance), c->runs - 1);
        return prior.sd * prior.sd;
    }
    typical = mm_runs_typical(library->profiles, library->profile_count, method);
    typical = isnan(typical) ? LEAST_SPREAD : fmax(typical, LEAST_SPREAD);
    return 2 * typical * typical;
}

/* Test whether the costs of two groups are equal or nearly equal. Returns 1, 0 or
 * -ENOMEM.
 * `*ratio` gets the ratio of their costs, NaN: not comparable. `*unlike` gets the
 * relative difference if it exceeds the scatter of calls and runs, else 0. */
static int costs_agree(const struct pool *pool, size_t a, size_t b, double *ratio,
                       double *unlike)
{
    const struct mm_method_info *method = method_of(&pool->members[a]);
    struct comparison c;
    double apart, error;
    int result;

    *ratio = NAN;
    *unlike = 0;
    if (!mm_has_parameter(method)) {
        /* compare single calls of methods called once in a run */
        if (!compare_pairs(pool, a, b, 1, &c))
            return 1;
        c.runs = 1; /* runs of other sizes are not pairs of equal work */
    } else if (!compare_pairs(pool, a, b, MM_FEW_TO_COMPARE, &c)) {
        if (compare_pairs(pool, a, b, 1, &c))
            return 1; /* the sizes are equal, but so few calls can show no difference */
        result = compare_models(pool, a, b, &c);
        if (result <= 0)
            return result;
    }
    *ratio = exp(c.logarithm);
    error = sqrt(c.noise + pair_variance(pool, method, &c) / c.runs);
    apart = fabs(c.logarithm);
    if (apart > SURE * error)
        *unlike = exp(apart) - 1;
    return apart <= fmax(LIKE, SURE * error);
}

/* --- Sets ------------------------------------------------------------------------ */

/* Add a model set to the library; the set takes `context` over. */
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

/* Add a context to a model set, which takes it over. */
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

/* Note the reason why the rows of `profile` are not pooled with the rows of the set. */
static int say_apart(struct mm_model_set *set, struct mm_model_set *added,
                     const struct mm_profile *profile, double ratio)
{
    const char *a = set->contexts[0], *b = added->contexts[0];
    const struct mm_method_info *m = set->method;
    char of_a[120], of_b[120], text[700];

    if (isnan(ratio))
        return 0; /* mm_library_match adds the note where the set is used */
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

/* --- Groups ------------------------------------------------------------------------ */

/* List the methods that a run called; members with equal contexts form a group. */
static int list_members(struct pool *pool, const struct mm_profile *profile)
{
    for (size_t at = 0; at < profile->source.method_count; at++) {
        struct member *m;
        size_t i = 0;

        if (!profile->dual->vertices[at].calls)
            continue;
        m = cca_array_add(&pool->members, &pool->count, sizeof *m);
        if (!m)
            return -ENOMEM;
        *m = (struct member){profile, at, mm_context_of(profile, at), 0};
        if (!m->context)
            return -ENOMEM;
        while (&pool->members[i] != m &&
               (!same_class(method_of(&pool->members[i]), method_of(m)) ||
                strcmp(pool->members[i].context, m->context) != 0))
            i++;
        m->group = i;
    }
    return 0;
}

/* Find an earlier group with the same cost as `b`. Returns its index, SIZE_MAX: none, or
 * -ENOMEM in `*result`; `*apart` gets the first group with another cost, `*ratio` the
 * ratio of their costs. */
static size_t group_to_join(const struct pool *pool, size_t b, double *unlike,
                            size_t *apart, double *ratio, int *result)
{
    *apart = SIZE_MAX;
    *result = 0;
    for (size_t a = 0; a < b; a++) {
        double cost;

        if (pool->members[a].group != a ||
            !same_class(method_of(&pool->members[a]), method_of(&pool->members[b])))
            continue;
        *result = costs_agree(pool, a, b, &cost, unlike);
        if (*result)
            return *result == 1 ? a : SIZE_MAX;
        if (*apart == SIZE_MAX) {
            *apart = a;
            *ratio = cost;
        }
    }
    return SIZE_MAX;
}

/* Add the rows of a member (method in a run) to a model set. */
static int add_member(struct mm_model_set *set, struct member *m)
{
    char *context = m->context;
    int result;

    m->context = NULL;
    result = set_context(set, context);
    if (set->points.floor_ns < m->profile->source.floor_ns)
        set->points.floor_ns = m->profile->source.floor_ns;
    set->calls += m->profile->dual->vertices[m->at].calls;
    set->experiments++;
    if (!result)
        result = mm_callees_add(set, m->profile, m->at);
    return result < 0 ? result : mm_points_merge(&set->points, points_of(m));
}

/* Make a set of group `b`, or add it to the set of a group with the same cost. `sets` has
 * the index of each group's set. */
static int pool_group(struct pool *pool, size_t b, size_t *sets)
{
    struct mm_library *library = pool->library;
    const struct member *first = &pool->members[b];
    struct mm_model_set *set, *other;
    double unlike = 0, ratio = NAN;
    size_t apart, joined;
    int result;

    joined = group_to_join(pool, b, &unlike, &apart, &ratio, &result);
    if (result < 0)
        return result;
    sets[b] = joined == SIZE_MAX ? library->count : sets[joined];
    if (joined == SIZE_MAX && !set_add(library, first->profile, method_of(first)))
        return -ENOMEM;
    set = &library->sets[sets[b]];
    if (joined != SIZE_MAX)
        set->unlike = fmax(set->unlike, unlike);
    for (size_t i = b; i < pool->count; i++) {
        struct member *m = &pool->members[i];

        if (m->group != b)
            continue;
        result = add_member(set, m);
        if (result)
            return result;
    }
    for (size_t i = b; i < pool->count && joined != SIZE_MAX; i++)
        if (pool->members[i].group == b)
            pool->members[i].group = joined;
    if (joined != SIZE_MAX || apart == SIZE_MAX)
        return 0;
    other = &library->sets[sets[apart]];
    result = name_beside(set, other->contexts[0]);
    if (!result)
        result = name_beside(other, set->contexts[0]);
    return result ? result : say_apart(other, set, first->profile, ratio);
}

int mm_pool_profiles(struct mm_library *library)
{
    struct pool pool = {.library = library};
    size_t *sets = NULL;
    int result = 0;

    for (size_t i = 0; i < library->profile_count && !result; i++)
        result = list_members(&pool, library->profiles[i]);
    if (!result && pool.count) {
        sets = calloc(pool.count, sizeof *sets);
        result = sets ? 0 : -ENOMEM;
    }
    for (size_t b = 0; b < pool.count && !result; b++)
        if (pool.members[b].group == b)
            result = pool_group(&pool, b, sets);
    for (size_t i = 0; i < pool.count; i++)
        free(pool.members[i].context);
    free(pool.members);
    free(sets);
    return result;
}
