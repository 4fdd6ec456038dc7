/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c: combine answers to findings, one for each question. */
#include "properties/causes/findings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/causes/inside.h"
#include "properties/confidence/many.h"

static int order_of_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int order_of_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Whether two answers are answers to the same question. In sorted order, answers to one
 * question on several units are adjacent. */
static int same_question(const struct mm_named_answer *a, const struct mm_named_answer *b)
{
    int order = order_of_texts(a->property, b->property);

    order = order ? order : order_of_numbers(a->configuration, b->configuration);
    order = order ? order : order_of_numbers(a->region, b->region);
    return order ? order : order_of_texts(a->detail, b->detail);
}

static int by_question(const void *a, const void *b)
{
    const struct mm_named_answer *x = ((const struct mm_judged *)a)->asked;
    const struct mm_named_answer *y = ((const struct mm_judged *)b)->asked;
    int order = same_question(x, y);

    order = order ? order : order_of_numbers(x->rank, y->rank);
    return order ? order : order_of_numbers(x->thread, y->thread);
}

/* Whether an answer is part of a finding: its severity is above the threshold, and so is
 * its weight, the share of the run that it concerns, for a smaller share cannot be a loss
 * of that size. If a confidence is required, the answer must have it, too. */
static int is_named(const struct mm_judged *j, const struct mm_findings_options *options,
                    int confident)
{
    return j->asked->holds == 1 && j->asked->severity > options->threshold &&
           j->asked->weight >= options->threshold &&
           (!confident || j->adjusted >= options->confidence);
}

static double add_mean(double mean, double value, size_t n)
{
    return mean + (value - mean) / (double)n;
}

static double least(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

/* Add answer `j` to a finding; all its answers have the same weight. */
static void add_unit(struct mm_finding *f, const struct mm_judged *j)
{
    size_t n = ++f->units;

    f->severity = add_mean(f->severity, j->asked->severity, n);
    f->low = add_mean(f->low, j->asked->low, n);
    f->high = add_mean(f->high, j->asked->high, n);
    f->confidence =
        n == 1 ? j->asked->confidence : least(f->confidence, j->asked->confidence);
    f->adjusted = n == 1 ? j->adjusted : least(f->adjusted, j->adjusted);
    if (n == 1 || j->asked->severity > f->asked->severity)
        f->asked = j->asked;
}

static int unit_text(char *text, size_t size, const struct mm_named_answer *a,
                     int with_threads)
{
    if (with_threads && a->thread >= 0)
        return snprintf(text, size, "%d.%d", a->rank, a->thread);
    return snprintf(text, size, "%d", a->rank);
}

/* Set the units' text: "rank 2", "ranks 0, 2"; "5 of 8" if the list is too long. */
static void name_units(struct mm_finding *f, const struct mm_judged *j, size_t count,
                       const struct mm_findings_options *options)
{
    char text[sizeof f->unit];
    size_t used, named = 0;
    int threads = 0;

    for (size_t i = 0; i < count; i++)
        threads |= j[i].asked->thread > 0;
    used = (size_t)snprintf(text, sizeof text, f->units == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < count; i++) {
        char one[24];
        size_t length;

        if (!is_named(&j[i], options, f->confident))
            continue;
        unit_text(one, sizeof one, j[i].asked, threads);
        length = (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                  named++ ? ", " : "", one);
        if (length >= sizeof text - used) {
            snprintf(f->unit, sizeof f->unit, "%zu of %zu", f->units, f->of);
            return;
        }
        used += length;
    }
    memcpy(f->unit, text, sizeof text);
}

/* Make one finding of the `count` answers to a question. Returns 0 if none of them
 * holds. */
static int make_finding(struct mm_finding *f, const struct mm_judged *j, size_t count,
                        const struct mm_findings_options *options)
{
    int alone = count == 1 && j->asked->rank < 0;

    *f = (struct mm_finding){0};
    for (size_t i = 0; i < count; i++) {
        f->confident |= is_named(&j[i], options, 1);
        f->of += j[i].asked->holds >= 0;
    }
    for (size_t i = 0; i < count; i++)
        if (is_named(&j[i], options, f->confident))
            add_unit(f, &j[i]);
    if (!f->units)
        return 0;
    if (alone && j->asked->detail)
        snprintf(f->unit, sizeof f->unit, "%s", j->asked->detail);
    else if (alone && j->asked->worst_rank >= 0)
        snprintf(f->unit, sizeof f->unit, "rank %d", j->asked->worst_rank);
    else if (alone || (f->units == f->of && f->of > 1))
        snprintf(f->unit, sizeof f->unit, "all");
    else
        name_units(f, j, count, options);
    return 1;
}

static double weighted(const struct mm_finding *f)
{
    return f->asked->of_waiting ? 0 : f->severity * f->asked->weight;
}

/* Order of findings: confident ones first, then by severity; ties in an order that does
 * not depend on the order of the answers. */
static int by_rank(const void *a, const void *b)
{
    const struct mm_finding *x = a, *y = b;

    if (x->confident != y->confident)
        return y->confident - x->confident;
    if (weighted(x) != weighted(y))
        return weighted(x) < weighted(y) ? 1 : -1;
    return same_question(x->asked, y->asked);
}

/* Count a property: does it hold anywhere, does it hold nowhere, or was it evaluated
 * nowhere? */
static void count_property(struct mm_findings *findings, const struct mm_judged *j,
                           size_t count, const struct mm_findings_options *options)
{
    const char *reason = NULL;
    int held = 0, evaluated = 0;

    for (size_t i = 0; i < count; i++) {
        held |= is_named(&j[i], options, 0);
        evaluated |= j[i].asked->holds >= 0;
        if (j[i].asked->holds < 0 && !reason)
            reason = j[i].asked->reason;
    }
    findings->asked++;
    findings->not_held += evaluated && !held;
    if (!evaluated)
        findings->reasons[findings->not_evaluated++] =
            mm_inside_reason(findings->inside, j->asked->property, reason);
}

static void make_all(struct mm_findings *findings, const struct mm_judged *j,
                     size_t count, const struct mm_findings_options *options)
{
    for (size_t i = 0, k; i < count; i = k) {
        for (k = i + 1; k < count && !same_question(j[i].asked, j[k].asked); k++)
            ;
        if (make_finding(&findings->all[findings->count], &j[i], k - i, options))
            findings->confident += (size_t)findings->all[findings->count++].confident;
    }
    for (size_t i = 0, k; i < count; i = k) {
        for (k = i + 1; k < count && !strcmp(j[i].asked->property, j[k].asked->property);
             k++)
            ;
        count_property(findings, &j[i], k - i, options);
    }
    if (findings->count)
        qsort(findings->all, findings->count, sizeof *findings->all, by_rank);
}

/* Adjust the confidences of all questions for the number of questions. */
static int adjust(struct mm_judged *judged, size_t count, unsigned looks)
{
    double *confidence = malloc((count ? count : 1) * sizeof *confidence);
    int r;

    if (!confidence)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        confidence[i] = judged[i].asked->holds < 0 ? NAN : judged[i].asked->confidence;
    r = mm_many_adjust(confidence, confidence, count, looks);
    for (size_t i = 0; i < count; i++)
        judged[i].adjusted = confidence[i];
    free(confidence);
    return r;
}

int mm_findings_make(struct mm_findings *findings, const struct mm_named_answer *asked,
                     size_t count, const struct mm_place *places, size_t place_count,
                     const struct mm_findings_options *options)
{
    struct mm_judged *judged;
    int r;

    *findings = (struct mm_findings){0};
    findings->inside = mm_inside_new(places, place_count);
    judged = calloc(count ? count : 1, sizeof *judged);
    findings->all = calloc(count ? count : 1, sizeof *findings->all);
    findings->reasons = calloc(count ? count : 1, sizeof *findings->reasons);
    r = judged && findings->all && findings->reasons && findings->inside ? 0 : -ENOMEM;
    for (size_t i = 0; !r && i < count; i++)
        judged[i].asked = &asked[i];
    if (!r)
        r = adjust(judged, count, options->looks);
    if (!r && count) {
        qsort(judged, count, sizeof *judged, by_question);
        make_all(findings, judged, count, options);
    }
    free(judged);
    if (!r && mm_inside_failed(findings->inside))
        r = -ENOMEM;
    return r;
}

void mm_findings_free(struct mm_findings *findings)
{
    free(findings->all);
    free(findings->reasons);
    mm_inside_free(findings->inside);
    *findings = (struct mm_findings){0};
}

/* The part "reason" of a text "property: reason". */
static const char *reason_of(const char *text)
{
    const char *colon = strstr(text, ": ");

    return colon ? colon + 2 : text;
}

/* A text that is cut at the end of its buffer. */
struct place {
    char *text;
    size_t size, used; /* size of the buffer; length of the uncut text */
};

__attribute__((format(printf, 2, 3))) static void put_text(struct place *place,
                                                           const char *format, ...)
{
    size_t left = place->used < place->size ? place->size - place->used : 0;
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(left ? place->text + place->used : NULL, left, format, list);
    va_end(list);
    place->used += n > 0 ? (size_t)n : 0;
}

/* Append "A, B: reason" for all properties with reason number `at`, unless an earlier
 * property has the same reason. */
static void put_reason(struct place *place, const struct mm_findings *f, size_t at)
{
    const char *reason = reason_of(f->reasons[at]);

    put_text(place, at ? "; " : ": ");
    for (size_t i = at; i < f->not_evaluated; i++)
        if (!strcmp(reason_of(f->reasons[i]), reason))
            put_text(place, "%s%.*s", i > at ? ", " : "",
                     (int)(reason_of(f->reasons[i]) - f->reasons[i]) - 2, f->reasons[i]);
    put_text(place, ": %s", reason);
}

static int has_reason_before(const struct mm_findings *f, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(reason_of(f->reasons[i]), reason_of(f->reasons[at])))
            return 1;
    return 0;
}

void mm_findings_line(const struct mm_findings *findings, char *text, size_t size)
{
    struct place place = {text, size, 0};

    put_text(&place, "%zu of %zu do not hold", findings->not_held, findings->asked);
    if (findings->not_evaluated)
        put_text(&place, "; %zu not evaluated", findings->not_evaluated);
    for (size_t i = 0; i < findings->not_evaluated; i++)
        if (!has_reason_before(findings, i))
            put_reason(&place, findings, i);
    if (place.used >= size && size > 4)
        memcpy(text + size - 5, " ...", 5);
}
