/* SPDX-License-Identifier: BSD-3-Clause */
/* model_at.c: print the cost of one call with given parameters. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/model/model_verb.h"

#define MOST_NAMES (2 * MONITOR_MAX_IN)

/* A request "Q=1e6,axis=x", split into names and values. */
struct question {
    char *memory;
    const struct mm_stretch *stretch; /* or NULL */
    const char *names[MOST_NAMES], *texts[MOST_NAMES];
    size_t count;
    const char *whole; /* borrowed */
};

enum answer_kind {
    ANSWER_GIVEN,
    ANSWER_OTHER_METHOD, /* the method has no value of that name */
    ANSWER_OTHER_MODE,
    ANSWER_NEEDS, /* a parameter of the formula is not given */
    ANSWER_BAD,   /* the text is not a number */
    ANSWER_BELOW  /* below 0, where no measured size was */
};

struct answer {
    enum answer_kind kind;
    size_t at; /* index of the in-value that is lacking, or of the name in the request
                  that is wrong */
    double x[MONITOR_MAX_IN];
    struct mm_estimate e;
};

/* --- Requests ----------------------------------------------------------------- */

/* Split a request. `text` may be "": nothing is given. Returns -1 to go on. */
static int read_question(struct question *q, const char *text)
{
    char *rest;

    *q = (struct question){.memory = strdup(text), .whole = text};
    if (!q->memory)
        return mm_no_memory();
    rest = *text ? q->memory : NULL;
    while (rest) {
        char *word = strsep(&rest, ","), *equals = strchr(word, '=');

        if (!equals || equals == word || !equals[1] || q->count == MOST_NAMES)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' for --at, expected NAME=VALUE,NAME=VALUE, such as "
                             "Q=1e6,axis=x",
                             mm_safe(text));
        *equals = '\0';
        q->names[q->count] = word;
        q->texts[q->count++] = equals + 1;
        for (size_t i = 0; i + 1 < q->count; i++)
            if (strcmp(q->names[i], word) == 0)
                return mm_refuse(MM_EXIT_MISUSE, "'%s' for --at gives '%s' twice",
                                 mm_safe(text), mm_safe(word));
    }
    return -1;
}

/* The index of the in-value `name`; in_count if the method has none. */
static size_t find_value(const struct mm_method_info *method, const char *name)
{
    size_t i = 0;

    while (i < method->in_count && strcmp(method->values[i].name, name) != 0)
        i++;
    return i;
}

/* Check that each name of the request belongs to some method. */
static int check_names(const struct mm_model_view *view, const struct question *q)
{
    for (size_t n = 0; n < q->count; n++) {
        struct cca_nearest nearest;
        char hint[128];
        int found = 0;

        cca_nearest_init(&nearest, q->names[n]);
        for (size_t i = 0; i < view->library->count; i++) {
            const struct mm_model_set *set = &view->library->sets[i];

            if (!mm_model_wanted(view, set))
                continue;
            found |= find_value(set->method, q->names[n]) < set->method->in_count;
            for (size_t k = 0; k < set->method->in_count; k++)
                cca_nearest_offer(&nearest, set->method->values[k].name);
        }
        if (!found)
            return mm_refuse(MM_EXIT_INPUT, "no method has a parameter or mode '%s'%s",
                             mm_safe(q->names[n]),
                             mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
    }
    return -1;
}

/* --- Answers --------------------------------------------------------------------- */

static int read_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* Read the value of a mode, its label or an integer. Returns 0: neither. */
static int read_mode(const struct mm_value_info *info, const char *text, int64_t *value)
{
    char *end;

    for (size_t i = 0; i < info->label_count; i++) {
        if (strcmp(info->labels[i].text, text) == 0) {
            *value = info->labels[i].value;
            return 1;
        }
    }
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && !*end && !errno;
}

/* Copy value number `n` of the request into the answer's tuple. */
static void take_value(const struct question *q, size_t n, const struct mm_model *model,
                       struct answer *a)
{
    size_t k = find_value(model->method, q->names[n]);
    int64_t mode;

    a->at = n;
    if (k == model->method->in_count) {
        a->kind = ANSWER_OTHER_METHOD;
    } else if (model->method->values[k].kind == MONITOR_PARAM) {
        if (!read_number(q->texts[n], &a->x[k]))
            a->kind = ANSWER_BAD;
        else if (a->x[k] < 0 && model->low[k] >= 0)
            a->kind = ANSWER_BELOW;
    } else if (!read_mode(&model->method->values[k], q->texts[n], &mode) ||
               mode != model->modes[k].i) {
        a->kind = ANSWER_OTHER_MODE;
    }
}

static int is_given(const struct question *q, const char *name)
{
    for (size_t n = 0; n < q->count; n++)
        if (strcmp(q->names[n], name) == 0)
            return 1;
    return 0;
}

/* Average position of the given parameters within their measured ranges; the other
 * parameters are assumed at the same position. */
static double place_of_given(const struct question *q, const struct mm_model *model,
                             const struct mm_sizes *sizes, const double *x)
{
    double sum = 0, count = 0;

    for (size_t k = 0; k < model->method->in_count; k++) {
        double place = mm_sizes_place(sizes, k, x[k]);

        if (!is_given(q, model->method->values[k].name) || !isfinite(place))
            continue;
        sum += place;
        count++;
    }
    return count > 0 ? sum / count : .5;
}

/* Fill in parameters that the request does not give. Parameters that are not in the
 * formula need not be given. */
static void fill_answer(const struct question *q, const struct mm_model *model,
                        struct answer *a)
{
    const struct mm_method_info *method = model->method;
    struct mm_sizes sizes = mm_model_sizes(model);
    double others[MONITOR_MAX_IN];

    mm_sizes_at(&sizes, place_of_given(q, model, &sizes, a->x), others);
    for (size_t k = 0; k < method->in_count; k++) {
        if (method->values[k].kind != MONITOR_PARAM) {
            a->x[k] = 0;
            continue;
        }
        if (!is_given(q, method->values[k].name)) {
            a->x[k] = others[k];
            if (mm_form_uses(&model->forms.form[0], k) && a->kind == ANSWER_GIVEN) {
                a->kind = ANSWER_NEEDS;
                a->at = k;
            }
        }
    }
}

/* Turn an estimate of own time into one of wall time. */
static void stretch_estimate(struct mm_estimate *e, const struct mm_stretch *stretch)
{
    double *const points[] = {&e->typ, &e->mean, &e->sd, &e->q50, &e->q90, &e->q99};
    double typ = e->typ;

    mm_stretch_apply(stretch, &typ, &e->low, &e->high);
    typ = e->typ;
    mm_stretch_apply(stretch, &typ, &e->fit_low, &e->fit_high);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        *points[i] *= stretch->mean;
}

/* Answer the request by one model. */
static void answer_by(const struct question *q, const struct mm_model *model,
                      struct answer *a)
{
    *a = (struct answer){.kind = ANSWER_GIVEN};
    for (size_t n = 0; n < q->count && a->kind == ANSWER_GIVEN; n++)
        take_value(q, n, model, a);
    fill_answer(q, model, a);
    if (a->kind == ANSWER_GIVEN)
        mm_model_estimate_tuple(model, a->x, &a->e);
    if (a->kind == ANSWER_GIVEN && q->stretch)
        stretch_estimate(&a->e, q->stretch);
}

/* --- Text ------------------------------------------------------------------------ */

static const char *cost_or_unknown(const struct mm_metric *metric, double ns)
{
    return isfinite(ns) ? mm_cost(metric, ns) : "unknown";
}

/* Print an interval, "31 ms to 55 ms", as a piece of a line. */
static void add_interval(struct mm_line *line, const char *what, double low, double high,
                         const struct mm_metric *metric)
{
    if (isfinite(low) && isfinite(high))
        mm_line_add(line, "%s %s to %s", what, mm_cost(metric, low),
                    mm_cost(metric, high));
    else
        mm_line_add(line, "%s unknown", what);
}

static void add_quantile(struct mm_line *line, const char *name, double value,
                         const struct mm_metric *metric)
{
    if (isfinite(value))
        mm_line_add(line, "%s %s", name, mm_cost(metric, value));
}

static void add_beyond(struct mm_line *line, const struct mm_model *model,
                       const struct mm_estimate *e)
{
    size_t k = e->parameter;

    if (!(e->flags & MM_BEYOND) || k >= model->method->in_count)
        return;
    mm_line_break(line);
    mm_line_add(line, "%s is %s beyond the sizes measured, %s to %s",
                mm_safe(model->method->values[k].name), mm_factor(e->beyond),
                mm_range_number(model->low[k]), mm_range_number(model->high[k]));
}

static void add_cache(struct mm_line *line, const struct mm_model *model,
                      const struct mm_estimate *e)
{
    if (!e->cache)
        return;
    mm_line_break(line);
    mm_line_add(line, "beyond the sizes seen the data may leave the L%d cache (%s)",
                e->cache, mm_bytes(model->cache_bytes[e->cache - 1]));
}

/* True if membership in a population depends on parameter `k`. */
static int is_in_rule(const struct mm_model *model, size_t k)
{
    for (size_t i = 0; i < model->populations.count; i++)
        if (model->populations.item[i].rule.kind == MM_RULE_PARAMETER &&
            model->populations.item[i].rule.value == k)
            return 1;
    return 0;
}

/* Print the assumed values of parameters that the request does not give, if populations
 * depend on them. */
static void add_assumed(struct mm_line *line, const struct question *q,
                        const struct mm_model *model, const struct answer *a)
{
    int first = 1;

    for (size_t k = 0; k < model->method->in_count; k++) {
        const struct mm_value_info *value = &model->method->values[k];

        if (value->kind != MONITOR_PARAM || is_given(q, value->name) ||
            !is_in_rule(model, k))
            continue;
        if (first)
            mm_line_break(line);
        first = 0;
        mm_line_add(line, "%s = %s is assumed", mm_safe(value->name),
                    mm_range_number(round(a->x[k])));
    }
}

static void print_answer(const struct question *q, const struct mm_model *model,
                         const struct answer *a, const struct mm_metric *metric)
{
    const struct mm_estimate *e = &a->e;
    struct mm_line line;
    char mode[256];

    mm_mode_print(model->method, model->modes, mode, sizeof mode);
    mm_line_begin(&line, mm_safe(mode));
    mm_line_add(&line, "typical %s", cost_or_unknown(metric, e->typ));
    mm_line_add(&line, "mean %s", cost_or_unknown(metric, e->mean));
    mm_line_add(&line, "sd %s", cost_or_unknown(metric, e->sd));
    add_quantile(&line, "q50", e->q50, metric);
    add_quantile(&line, "q90", e->q90, metric);
    add_quantile(&line, "q99", e->q99, metric);
    mm_line_break(&line);
    add_interval(&line, "one call (95 %)", e->low, e->high, metric);
    add_interval(&line, "curve (90 %)", e->fit_low, e->fit_high, metric);
    if (model->populations.count && isfinite(e->mean_half))
        add_interval(&line, "mean (95 %)", e->mean_low, e->mean + e->mean_half, metric);
    add_assumed(&line, q, model, a);
    add_beyond(&line, model, e);
    add_cache(&line, model, e);
    mm_line_add_reasons(&line, e->flags & ~(unsigned)MM_CACHE);
    mm_line_add_rival(&line, model, a->x, metric);
    mm_line_end(&line);
}

static void print_set(const struct mm_model_view *view, const struct question *q,
                      const struct mm_model_set *set, int *heads)
{
    int headed = 0;

    for (size_t i = 0; i < set->model_count; i++) {
        struct answer a;

        answer_by(q, &set->models[i], &a);
        if (a.kind != ANSWER_GIVEN)
            continue;
        if (!*heads)
            printf("at %s\n", mm_safe(q->whole));
        if (!headed)
            printf("%s   %s\n", mm_safe(set->method->name),
                   mm_safe(set->method->class_name));
        headed = ++*heads;
        print_answer(q, &set->models[i], &a, view->metric);
    }
}

/* --- Reasons for missing answers ---------------------------------------------------- */

static int refuse_mode(const struct mm_model_set *set, const struct question *q, size_t n)
{
    char modes[600] = "", mode[256];
    size_t used = 0;

    for (size_t i = 0; i < set->model_count && used < sizeof modes - 260; i++) {
        mm_mode_print(set->method, set->models[i].modes, mode, sizeof mode);
        used += (size_t)snprintf(modes + used, sizeof modes - used, "%s%s", i ? "; " : "",
                                 mm_safe(mode));
    }
    return mm_refuse(MM_EXIT_INPUT, "no model of %s for %s '%s'; it has: %s",
                     mm_safe(set->method->name), mm_safe(q->names[n]),
                     mm_safe(q->texts[n]), modes);
}

static int refuse_model(const struct mm_model_set *set, const struct question *q,
                        const struct answer *a)
{
    const struct mm_value_info *value = &set->method->values[a->at];

    switch (a->kind) {
    case ANSWER_BAD:
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for '%s' in --at, expected a number",
                         mm_safe(q->texts[a->at]), mm_safe(q->names[a->at]));
    case ANSWER_BELOW:
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' for '%s' in --at, expected 0 or more, as in all runs",
                         mm_safe(q->texts[a->at]), mm_safe(q->names[a->at]));
    case ANSWER_NEEDS:
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for --at lacks '%s'%s%s of %s",
                         mm_safe(q->whole), mm_safe(value->name),
                         mm_value_is_derived(value) ? " = " : "",
                         mm_value_is_derived(value) ? mm_safe(value->expression) : "",
                         mm_safe(set->method->name));
    default:
        return refuse_mode(set, q, a->at);
    }
}

/* Report why no model answers: the reason of the first model with the requested modes,
 * else of the first model with the requested names. */
static int refuse_question(const struct mm_model_view *view, const struct question *q)
{
    const struct mm_model_set *first = NULL;
    struct answer first_answer = {0}, a;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        for (size_t k = 0; mm_model_wanted(view, set) && k < set->model_count; k++) {
            answer_by(q, &set->models[k], &a);
            if (a.kind == ANSWER_NEEDS || a.kind == ANSWER_BAD || a.kind == ANSWER_BELOW)
                return refuse_model(set, q, &a);
            if (a.kind == ANSWER_OTHER_METHOD || first)
                continue;
            first = set;
            first_answer = a;
        }
    }
    if (first)
        return refuse_model(first, q, &first_answer);
    return mm_refuse(MM_EXIT_INPUT, "no method has all of '%s'", mm_safe(q->whole));
}

/* --- The document ------------------------------------------------------------------- */

static json_t *point_json(const struct mm_model *model, const struct answer *a)
{
    json_t *point = json_object();

    for (size_t k = 0; k < model->method->in_count; k++)
        if (model->method->values[k].kind == MONITOR_PARAM)
            mm_json_put(point, model->method->values[k].name,
                        mm_json_finite(model->lacks ? NAN : a->x[k]));
    return point;
}

static void put_rival(json_t *object, const struct mm_model *model,
                      const struct answer *a, const struct mm_metric *metric)
{
    struct mm_sizes sizes = mm_model_sizes(model);
    struct mm_decision decision;
    char formula[1024];
    json_t *rival;

    if (!mm_forms_decide(&model->forms, &sizes, a->x, 2, &decision))
        return;
    rival = json_object();
    mm_form_print(decision.rival, model->method, model->counts, formula, sizeof formula);
    mm_json_put(rival, "formula", mm_json_escaped(formula));
    mm_json_set_ns(rival, metric, "typical", decision.value);
    mm_json_set(rival, "decide_parameter decide_size",
                model->method->values[decision.parameter].name, decision.size);
    mm_json_put(object, "rival", rival);
}

struct asked {
    const struct question *question;
    const struct mm_metric *metric;
};

static void put_estimate(const void *context, const struct mm_model_set *set,
                         const struct mm_model *model, json_t *object)
{
    const struct asked *asked = context;
    const struct mm_metric *metric = asked->metric;
    const struct mm_estimate *e;
    struct answer a;
    json_t *estimate;

    (void)set;
    answer_by(asked->question, model, &a);
    if (a.kind != ANSWER_GIVEN)
        return;
    e = &a.e;
    estimate = json_object();
    mm_json_put(estimate, "at", point_json(model, &a));
    mm_json_set_ns(estimate, metric,
                   "typical mean mean_low mean_high sd q50 q90 q99 call_low call_high "
                   "curve_low curve_high",
                   e->typ, e->mean, e->mean_low, e->mean + e->mean_half, e->sd, e->q50,
                   e->q90, e->q99, e->low, e->high, e->fit_low, e->fit_high);
    mm_json_put(estimate, "beyond", mm_json_finite(e->beyond));
    if (e->flags & MM_BEYOND)
        mm_json_put(estimate, "beyond_parameter",
                    mm_json_escaped(model->method->values[e->parameter].name));
    if (e->cache)
        mm_json_put(estimate, "may_leave_cache", json_integer(e->cache));
    put_rival(estimate, model, &a, metric);
    mm_json_put(estimate, "reasons", mm_json_reasons(e->flags));
    mm_json_put(object, "estimate", estimate);
}

/* --- The verb ----------------------------------------------------------------------- */

/* True if some model answers. */
static int has_answer(const struct mm_model_view *view, const struct question *q)
{
    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        for (size_t k = 0; mm_model_wanted(view, set) && k < set->model_count; k++) {
            struct answer a;

            answer_by(q, &set->models[k], &a);
            if (a.kind == ANSWER_GIVEN)
                return 1;
        }
    }
    return 0;
}

static int print_question(const struct mm_model_view *view, const struct question *q,
                          int json)
{
    struct asked asked = {q, view->metric};
    int result = check_names(view, q), heads = 0;

    if (result >= 0)
        return result;
    if (!has_answer(view, q))
        return refuse_question(view, q);
    if (json)
        return mm_model_print_document(view, put_estimate, &asked);
    mm_model_print_metric(view);
    for (size_t i = 0; i < view->library->count; i++)
        if (mm_model_wanted(view, &view->library->sets[i]))
            print_set(view, q, &view->library->sets[i], &heads);
    return -1;
}

int mm_model_print_at(const struct mm_model_view *view, const struct cca_given *at,
                      int json)
{
    int result = -1;

    if (json && at->given > 1)
        return mm_refuse(MM_EXIT_MISUSE, "one --at for a document, found %d", at->given);
    for (int i = 0; i < at->given && result < 0; i++) {
        struct question q;

        if (!*at->values[i])
            return mm_refuse(MM_EXIT_MISUSE, "'' for --at, expected NAME=VALUE");
        result = read_question(&q, at->values[i]);
        q.stretch = view->stretch;
        if (result < 0)
            result = print_question(view, &q, json);
        free(q.memory);
    }
    if (json || result >= 0)
        return result;
    mm_print_notes(&view->library->notes);
    return mm_finish_output(MM_EXIT_DONE);
}

/* --- The cost as a number ----------------------------------------------------------- */

/* Find the only answer of all models. Returns -1, or an exit code after a message. */
static int find_answer(const struct mm_model_view *view, const struct question *q,
                       struct mm_estimate *estimate)
{
    size_t found = 0;

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];

        for (size_t k = 0; mm_model_wanted(view, set) && k < set->model_count; k++) {
            struct answer a;

            answer_by(q, &set->models[k], &a);
            if (a.kind != ANSWER_GIVEN)
                continue;
            *estimate = a.e;
            found++;
        }
    }
    if (!found)
        return refuse_question(view, q);
    return found == 1
               ? -1
               : mm_refuse(MM_EXIT_MISUSE,
                           "%zu models answer '%s': give all modes, and the method",
                           found, mm_safe(q->whole));
}

int mm_model_cost_at(const struct mm_library *library, const char *class_name,
                     const char *method, const char *at, struct mm_estimate *estimate)
{
    const struct cca_given only = {.given = 1, .values = &class_name};
    struct mm_model_view view = {.library = library, .only = &only, .method = method};
    struct question q;
    size_t wanted = 0;
    int result = read_question(&q, at);

    for (size_t i = 0; i < library->count; i++)
        wanted += (size_t)mm_model_wanted(&view, &library->sets[i]);
    if (result < 0 && !wanted)
        result = mm_refuse(MM_EXIT_INPUT, "no model of %s%s%s", mm_safe(class_name),
                           method ? " " : "", method ? mm_safe(method) : "");
    if (result < 0)
        result = check_names(&view, &q);
    if (result < 0)
        result = find_answer(&view, &q, estimate);
    free(q.memory);
    return result;
}
