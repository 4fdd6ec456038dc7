/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.c: find the marks that a recording supports, of all marks tried. A mark makes a
 * number in the arguments of a function a parameter or a mode of its calls. A number's
 * explained share is the share of the variance of log costs that is between its values
 * (the correlation ratio, adjusted for the number of groups). The best number of a method
 * comes first; the others are judged by their share of the variance that remains. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sort.h"
#include "mastermind/cmd/record/record.h"

enum { GROUPS = 24, MOST_CALLS = 20000, NAME = 200, FEW = 8 };

#define ALIKE .02   /* smallest difference of explained shares that counts */
#define EXPLAINS .1 /* least explained share of the variance of log costs for a mark */

/* The recorded calls of a method. */
struct calls {
    const struct mm_method_info *method;
    const struct mm_point **point; /* [count] */
    double *cost;                  /* [count] log ns, later the residuals */
    size_t count;
};

/* Judgement of one value of a method. */
struct verdict {
    size_t values; /* number of different values */
    double low, high;
    /* explained share of the variance, 0 to 1; NaN: the number does not vary */
    double alone;
    /* explained share of the residuals that the best number leaves; for the best number
     * equal to `alone` */
    double explains;
    int first; /* true for the number with the largest explained share */
    /* for the best number: the largest share of its residuals that another number
     * explains */
    double rest;
};

/* --- Calls ---------------------------------------------------------------- */

static int take_calls(struct calls *calls, const struct mm_points *points)
{
    size_t total = 0, step;

    for (size_t i = 0; i < points->count; i++)
        total += mm_sample_count(&points->points[i].sample);
    step = total / MOST_CALLS + 1;
    calls->method = points->method;
    calls->point = calloc(total / step + points->count + 1, sizeof(calls->point[0]));
    calls->cost = calloc(total / step + points->count + 1, sizeof *calls->cost);
    if (!calls->point || !calls->cost)
        return -ENOMEM;
    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *point = &points->points[i];
        uint32_t kept = mm_sample_count(&point->sample);

        for (uint32_t k = 0; k < kept; k += (uint32_t)step)
            if (point->sample.call[k].ns > 0) {
                calls->point[calls->count] = point;
                calls->cost[calls->count++] = log(point->sample.call[k].ns);
            }
    }
    return 0;
}

static void calls_done(struct calls *calls)
{
    free(calls->point);
    free(calls->cost);
}

/* --- Explained variance --------------------------------------------------- */

/* Sort the calls into groups of equal values, or if there are many values, of
 * neighbouring ones. `group` [count] gets the group of each call. Returns the number of
 * groups. */
static size_t group_by(const struct calls *calls, size_t value, size_t *group,
                       struct verdict *verdict)
{
    double *all = malloc((calls->count + 1) * sizeof *all), *bound;
    size_t different = 0, groups;

    if (!all)
        return 0;
    for (size_t i = 0; i < calls->count; i++)
        all[i] = mm_in_value(calls->method, calls->point[i]->in, value);
    qsort(all, calls->count, sizeof *all, cca_order_double);
    verdict->low = all[0];
    verdict->high = all[calls->count - 1];
    for (size_t i = 0; i < calls->count; i++)
        different += i == 0 || all[i] != all[i - 1];
    verdict->values = different;
    groups = different < GROUPS ? different : GROUPS;
    bound = calloc(groups + 1, sizeof *bound);
    for (size_t i = 0, at = 0; bound && i < calls->count; i++) {
        if (different <= GROUPS && (i == 0 || all[i] != all[i - 1]))
            bound[at++] = all[i];
        else if (different > GROUPS && i == at * calls->count / groups && at < groups)
            bound[at++] = all[i];
    }
    for (size_t i = 0; bound && i < calls->count; i++) {
        double x = mm_in_value(calls->method, calls->point[i]->in, value);

        group[i] = 0;
        while (group[i] + 1 < groups && x >= bound[group[i] + 1])
            group[i]++;
    }
    free(all);
    free(bound);
    return bound ? groups : 0;
}

static double variance(const struct calls *calls)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < calls->count; i++)
        mean += calls->cost[i] / (double)calls->count;
    for (size_t i = 0; i < calls->count; i++)
        sum += (calls->cost[i] - mean) * (calls->cost[i] - mean);
    return sum;
}

/* The share of the variance `whole` that is between the groups of a value. With `take`
 * the costs become the residuals: costs minus the means of their groups. */
static double explained(struct calls *calls, size_t value, double whole,
                        struct verdict *verdict, int take)
{
    size_t *group = calloc(calls->count + 1, sizeof *group), groups, used = 0;
    double sum[GROUPS] = {0}, within = 0, n[GROUPS] = {0}, total = variance(calls), share;

    if (!group)
        return NAN;
    groups = group_by(calls, value, group, verdict);
    for (size_t i = 0; i < calls->count; i++) {
        sum[group[i]] += calls->cost[i];
        n[group[i]]++;
    }
    for (size_t g = 0; g < groups; g++)
        used += n[g] > 0;
    for (size_t i = 0; i < calls->count; i++) {
        double left = calls->cost[i] - sum[group[i]] / n[group[i]];

        within += left * left;
        if (take)
            calls->cost[i] = left;
    }
    free(group);
    if (used < 2 || calls->count <= used + 1 || !(whole > 0))
        return NAN;
    /* groups explain a little by chance: k - 1 of n - 1 parts of the variance */
    within *= ((double)calls->count - 1) / ((double)calls->count - (double)used);
    share = (total - within) / whole;
    return share > 0 ? share : 0;
}

static int is_product(const struct mm_method_info *method, size_t value)
{
    const char *expression = method->values[value].expression;

    return expression && strchr(expression, '*') && !strchr(expression, '>') &&
           strchr(expression, '*') != expression;
}

/* Judge all in-values of a method. */
static void judge(struct calls *calls, struct verdict *verdicts)
{
    double whole = variance(calls), best = 0;
    size_t first = SIZE_MAX;

    for (size_t v = 0; v < calls->method->in_count; v++) {
        verdicts[v].alone = verdicts[v].explains =
            explained(calls, v, whole, &verdicts[v], 0);
        if (calls->method->values[v].kind == MONITOR_PARAM && verdicts[v].alone > best)
            best = verdicts[v].alone;
    }
    /* Of numbers that explain equally much, a product of several numbers comes first:
     * it remains right if its factors change separately. */
    for (size_t v = 0; v < calls->method->in_count; v++)
        if (calls->method->values[v].kind == MONITOR_PARAM &&
            verdicts[v].alone >= best - ALIKE &&
            (first == SIZE_MAX || is_product(calls->method, v)))
            first = v;
    if (first == SIZE_MAX || best < EXPLAINS)
        return;
    verdicts[first].first = 1;
    explained(calls, first, whole, &verdicts[first], 1);
    whole = variance(calls);
    for (size_t v = 0; v < calls->method->in_count; v++)
        if (v != first) {
            verdicts[v].explains = explained(calls, v, whole, &verdicts[v], 0);
            verdicts[first].rest = fmax(verdicts[first].rest, verdicts[v].explains);
        }
}

/* --- Lines ---------------------------------------------------------------- */

/* Find "n" in "    param n = *arg1 # why"; returns 0 if the line marks no in-value. */
static int mark_name(const char *line, char name[NAME], char kind[16])
{
    int length = 0;

    if (sscanf(line, " %15[a-z] %n%199[^ \t\n=#{]", kind, &length, name) < 2)
        return 0;
    return strcmp(kind, "param") == 0 || strcmp(kind, "mode") == 0;
}

static size_t value_index(const struct mm_method_info *method, const char *name)
{
    size_t v = 0;

    while (v < method->in_count && strcmp(method->values[v].name, name) != 0)
        v++;
    return v;
}

/* Print an existing mark and the evidence from the recording. */
static void print_mark(FILE *out, const char *line, const struct calls *calls,
                       const struct verdict *verdict, int is_mode)
{
    int length = (int)strcspn(line, "#\n");
    int keep = 1;
    char words[200];

    while (length && isspace((unsigned char)line[length - 1]))
        length--;
    if (!calls->count) {
        snprintf(words, sizeof words, "no call was recorded");
    } else if (verdict->values < 2) {
        snprintf(words, sizeof words, "was always %g", verdict->low);
        /* another mode may have another cost; a single size shows no dependence */
        keep = is_mode;
    } else if (isnan(verdict->explains)) {
        snprintf(words, sizeof words, "%zu values, too few calls to judge",
                 verdict->values);
    } else if (verdict->first) {
        snprintf(words, sizeof words,
                 "explains %.0f %% of how costs differ: %zu values, %g to %g",
                 100 * fmin(verdict->explains, 1), verdict->values, verdict->low,
                 verdict->high);
    } else {
        keep = verdict->explains >= EXPLAINS;
        if (keep)
            snprintf(words, sizeof words, "explains %.0f %% of the rest: %zu values",
                     100 * fmin(verdict->explains, 1), verdict->values);
        else if (verdict->alone >= EXPLAINS)
            snprintf(words, sizeof words,
                     "left out: %zu values, which go with the first one's",
                     verdict->values);
        else
            snprintf(words, sizeof words,
                     "left out: %zu values, and costs do not follow it", verdict->values);
    }
    if (keep && !is_mode && !strchr(line, '#') && verdict->values > 1 &&
        verdict->values <= FEW && verdict->high < 64 &&
        (!verdict->first || verdict->rest > .5) && strncmp(line, "    param ", 10) == 0)
        length = fprintf(out, "    mode  %.*s", length - 10, line + 10);
    else if (keep)
        fprintf(out, "%.*s", length, line);
    else
        fprintf(out, "    #%.*s", length > 4 ? length - 3 : length,
                line + (length > 4 ? 3 : 0));
    fprintf(out, "%*s # %s\n", length < 38 ? 38 - length : 0, "", words);
}

static const struct mm_points *points_of(const struct mm_input *input,
                                         const char *function)
{
    const struct mm_profile *profile = input->profiles[0];

    for (size_t m = 0; m < profile->source.method_count; m++)
        if (strcmp(profile->source.methods[m]->method, function) == 0 &&
            strcmp(profile->source.methods[m]->port, "c") == 0)
            return &profile->points[m];
    return NULL;
}

/* Print one text of marks, line by line, with judgements. Returns 0 or -ENOMEM. */
static int print_text(FILE *out, const struct mm_input *input, const char *text)
{
    struct calls calls = {.count = 0};
    struct verdict verdicts[MONITOR_MAX_IN];
    int status = 0;

    while (*text && !status) {
        char line[1000], name[NAME], kind[16];
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
        if (strncmp(line, "# proposed", 10) == 0 || strstr(line, "# not marked,") ||
            strstr(line, "# nothing is marked"))
            continue;
        if (sscanf(line, "function %199s", name) == 1) {
            const struct mm_points *points = points_of(input, name);

            calls_done(&calls);
            calls = (struct calls){.count = 0};
            memset(verdicts, 0, sizeof verdicts);
            if (points && points->count && (status = take_calls(&calls, points)) == 0 &&
                calls.count)
                judge(&calls, verdicts);
            if (points && points->count)
                fprintf(out, "%s%*s # %s\n", line,
                        strlen(line) < 38 ? (int)(38 - strlen(line)) : 0, "",
                        mm_counted(calls.count, "call"));
            else
                fprintf(out, "# %s: was not called\n", line);
            continue;
        }
        if (mark_name(line, name, kind) && calls.method) {
            size_t v = value_index(calls.method, name);

            if (v < calls.method->in_count)
                print_mark(out, line, &calls, &verdicts[v], strcmp(kind, "mode") == 0);
            else
                fprintf(out, "%s\n", line);
        } else if (calls.method || strncmp(line, "header", 6) == 0 || line[0] != ' ') {
            fprintf(out, "%s\n", line);
        }
    }
    calls_done(&calls);
    return status;
}

int mm_record_suggest(const char *experiment, const struct mm_record_proxies *proxies,
                      const char *output)
{
    char *copy = strdup(experiment), *paths[] = {copy, NULL};
    FILE *out = NULL;
    struct mm_input input;
    int status = copy ? mm_input_open(&input, paths, 1, NULL) : mm_no_memory();

    if (status >= 0) {
        free(copy);
        return status;
    }
    for (size_t i = 0; i < proxies->count && status < 0; i++) {
        char *path = NULL;

        if (!proxies->marks[i])
            continue;
        if (!output || asprintf(&path, i ? "%s.%zu" : "%s", output, i) < 0)
            path = NULL;
        out = path ? fopen(path, "we") : stderr;
        if (!out) {
            status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
        } else {
            if (!path)
                fputs("\nmarks that this run supports, for --sidecar:\n", stderr);
            if (print_text(out, &input, proxies->marks[i]))
                status = mm_no_memory();
            if (out != stderr && fclose(out))
                status =
                    mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
            if (path && status < 0)
                fprintf(stderr, "mastermind: marks that this run supports: %s\n",
                        mm_safe(path));
        }
        free(path);
    }
    mm_input_done(&input);
    free(copy);
    return status < 0 ? 0 : status;
}
