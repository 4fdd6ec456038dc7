/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h: what is said first of all answers, and what is behind it.
 *
 *   answers (property x configuration x region x unit)
 *     -> adjusted for their number         confidence/many.h
 *     -> units together: "all", "rank 2"   one finding
 *     -> ranked: confident, then by severity
 *     -> causes of a finding               property -> region -> unit, `--why`
 *
 * No SQL: names and the region tree are given. */
#ifndef PROPERTIES_CAUSES_FINDINGS_H
#define PROPERTIES_CAUSES_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

/* One answer with its names; all strings are borrowed until mm_findings_free. */
struct mm_asked {
    const char *property;
    const char *const *because; /* properties that may be its causes */
    size_t because_count;
    int64_t configuration; /* runs of which this is one answer */
    int64_t region;        /* id of a struct mm_place, 0: none */
    int rank, thread;      /* -1: of all units */
    int worst_rank;        /* of all units: the one with the largest part, -1: unknown */
    const char *detail;    /* cache level, "rank 1 < rank 2"; NULL */
    int holds;             /* 1, 0, -1: not evaluated */
    double severity;       /* NaN: undefined */
    double weight; /* 1: the severity is a share of the run; less: of a region's own time,
                      and this is the region's share */
    int of_waiting; /* it tells who waits, so it is an effect: last in rank, no cause */
    double confidence;        /* P(severity > threshold); NaN: absent */
    double low, high;         /* 95 %; NaN: absent */
    const char *how, *reason; /* NULL: none. reason: why it was not evaluated, or, where
                                 it was, why the confidence is absent */
};

/* A region, and what it is inside of. */
struct mm_place {
    int64_t id, parent; /* parent 0: contexts have one, others need none */
    const char *kind;   /* program, go, method, context, callsite, openmp */
    const char *name;   /* "a > b > c" of a context c */
    double share; /* of the run's time on the unit where it is largest; NaN: unknown */
};

struct mm_finding {
    const struct mm_asked *asked; /* one of its answers: property, region, detail, how */
    char unit[48];                /* "all", "rank 2", "ranks 0, 2", "rank 1.3" (thread 3),
                                     "5 of 8", or the detail */
    size_t units, of;             /* answers in it, answers there are */
    double severity, low, high;   /* mean of its units */
    double confidence; /* the least of its units, of one question; NaN: absent */
    double adjusted;   /* the same, of all questions asked together */
    int confident;     /* severity > threshold, adjusted >= asked for */
};

struct mm_findings {
    struct mm_finding *all; /* those that hold: confident ones first, then by severity
                               times weight; those of waiting last */
    size_t count;
    size_t confident;     /* of them */
    size_t asked;         /* properties asked */
    size_t not_held;      /* properties that hold nowhere above the threshold */
    size_t not_evaluated; /* properties evaluated nowhere */
    const char **reasons; /* "CacheMissOverhead: no PAPI_L2_TCM", one a property */
    void *inside;
};

struct mm_findings_options {
    double threshold;  /* a finding's severity is above, and its weight */
    double confidence; /* of a confident one */
    unsigned looks;    /* 1, or how often somebody looks and may stop */
};

/* 0, -ENOMEM. Call mm_findings_free in any case. */
int mm_findings_make(struct mm_findings *findings, const struct mm_asked *asked,
                     size_t count, const struct mm_place *places, size_t place_count,
                     const struct mm_findings_options *options);
void mm_findings_free(struct mm_findings *findings);

/* "12 of 31 do not hold; 4 not evaluated: CacheMissOverhead: no PAPI_L2_TCM ..."; the
 * text is cut to `size` with "..." and always ends in 0. Properties with the same reason
 * are together, before it. */
void mm_findings_line(const struct mm_findings *findings, char *text, size_t size);

#endif
