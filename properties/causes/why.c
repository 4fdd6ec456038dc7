/* SPDX-License-Identifier: BSD-3-Clause */
/* why.c: find causes of findings. */
#include "properties/causes/why.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "properties/causes/inside.h"

#define NEARLY_ALL .8
/* minimum weight of a cause in another region, relative to the explained finding */
#define ENOUGH .25

struct why {
    const struct mm_findings *findings;
    const struct mm_inside *inside;
    char *has_line; /* [findings] 1: the finding has a line already */
    char *inner;    /* [findings] 1: a finding of an inner region has nearly all of this
                     * finding's severity */
    struct mm_causes *causes;
};

static double weight_of(const struct mm_finding *f)
{
    return f->severity * f->asked->weight;
}

static int is_context(const struct why *w, const struct mm_finding *f)
{
    const struct mm_place *place = mm_inside_place(w->inside, f->asked->region);

    return place && !strcmp(place->kind, "context");
}

/* Whether the region of `a` is inside the region of `b` and different from it. A method
 * and its only context count as equal; then the finding of the method gets the line. */
static int is_strictly_inside(const struct why *w, const struct mm_finding *a,
                              const struct mm_finding *b)
{
    int64_t x = a->asked->region, y = b->asked->region;

    if (x == y || !mm_is_inside(w->inside, x, y))
        return 0;
    return !mm_is_inside(w->inside, y, x) || (is_context(w, b) && !is_context(w, a));
}

static int same_property(const struct mm_finding *a, const struct mm_finding *b)
{
    const char *x = a->asked->detail, *y = b->asked->detail;

    return !strcmp(a->asked->property, b->asked->property) &&
           a->asked->configuration == b->asked->configuration &&
           !strcmp(x ? x : "", y ? y : "");
}

/* Whether a finding of an inner region has nearly all of the severity of finding `f` and
 * is as confident. */
static int is_of_inner(const struct why *w, const struct mm_finding *f)
{
    for (size_t i = 0; i < w->findings->count; i++) {
        const struct mm_finding *g = &w->findings->all[i];

        if (g != f && same_property(f, g) && g->confident >= f->confident &&
            weight_of(g) >= NEARLY_ALL * weight_of(f) && is_strictly_inside(w, g, f))
            return 1;
    }
    return 0;
}

static int names_as_cause(const struct mm_finding *f, const struct mm_finding *cause)
{
    if (f->asked->configuration != cause->asked->configuration || f == cause ||
        cause->asked->of_waiting)
        return 0;
    for (size_t i = 0; i < f->asked->because_count; i++)
        if (!strcmp(f->asked->because[i], cause->asked->property))
            return 1;
    return 0;
}

/* Rank of a cause `c` of `f`: causes in regions inside the region of `f` come first, then
 * the order is by length of the common path, then by weight. */
struct merit {
    int inside;
    size_t common;
    double weight;
};

/* Rate finding `c` as a cause of `f`. Returns 0 if it is no cause: it is in another
 * region and too small, or it is less confident. */
static int merit_of(struct merit *m, const struct why *w, const struct mm_finding *f,
                    const struct mm_finding *c)
{
    *m = (struct merit){.weight = weight_of(c)};
    if (f->confident && !c->confident && !isnan(c->adjusted))
        return 0;
    m->inside = mm_is_inside(w->inside, c->asked->region, f->asked->region);
    if (m->inside)
        return 1;
    m->common = mm_inside_common(w->inside, c->asked->region, f->asked->region);
    return m->weight >= ENOUGH * weight_of(f);
}

static int is_better(struct merit a, struct merit b)
{
    if (a.inside != b.inside)
        return a.inside > b.inside;
    if (a.common != b.common)
        return a.common > b.common;
    return a.weight > b.weight;
}

/* The best cause of `f` that is neither `f` nor a finding that `f` causes. */
static const struct mm_finding *first_cause(const struct why *w,
                                            const struct mm_finding *f, size_t chain)
{
    const struct mm_cause *lines = w->causes->all + w->causes->count - chain;
    const struct mm_finding *best = NULL;
    struct merit merit = {0};

    for (size_t i = 0; i < w->findings->count; i++) {
        const struct mm_finding *c = &w->findings->all[i];
        struct merit m;
        int in_chain = 0;

        for (size_t k = 0; k < chain; k++)
            in_chain |= lines[k].finding == c;
        if (in_chain || w->inner[i] || !names_as_cause(f, c) || !merit_of(&m, w, f, c))
            continue;
        if (!best || is_better(m, merit)) {
            best = c;
            merit = m;
        }
    }
    return best;
}

/* Add a line for `f`, and below it the lines of its causes. */
static void add_chain(struct why *w, const struct mm_finding *f)
{
    for (int depth = 0; f; depth++) {
        struct mm_cause *line = &w->causes->all[w->causes->count++];
        const struct mm_finding *cause;

        w->has_line[f - w->findings->all] = 1;
        *line = (struct mm_cause){.finding = f, .depth = depth};
        cause = first_cause(w, f, (size_t)depth + 1);
        if (cause && w->has_line[cause - w->findings->all]) {
            line->above = cause;
            cause = NULL;
        }
        f = cause;
    }
}

int mm_causes_make(struct mm_causes *causes, const struct mm_findings *findings)
{
    size_t n = findings->count;
    struct why w = {.findings = findings, .inside = findings->inside, .causes = causes};
    int r = -ENOMEM;

    *causes = (struct mm_causes){.all = calloc(n + 1, sizeof *causes->all)};
    w.has_line = calloc(n + 1, 1);
    w.inner = calloc(n + 1, 1);
    if (causes->all && w.has_line && w.inner) {
        for (size_t i = 0; i < n; i++)
            w.inner[i] = (char)is_of_inner(&w, &findings->all[i]);
        for (size_t i = 0; i < n; i++)
            if (!w.inner[i] && !w.has_line[i])
                add_chain(&w, &findings->all[i]);
        r = 0;
    }
    free(w.has_line);
    free(w.inner);
    return r;
}

void mm_causes_free(struct mm_causes *causes)
{
    free(causes->all);
    *causes = (struct mm_causes){0};
}
