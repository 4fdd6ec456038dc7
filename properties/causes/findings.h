/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h: from all answers of all properties to a short ranked list of findings.
 *
 *   answers (property x configuration x region x unit)
 *     -> adjusted for their number         confidence/many.h
 *     -> units merged: "all", "rank 2"     one finding
 *     -> ranked: confident, then by severity
 *     -> causes of a finding               property -> region -> unit, `--why`
 *
 * No SQL: names and the region tree are arguments. */
#ifndef PROPERTIES_CAUSES_FINDINGS_H
#define PROPERTIES_CAUSES_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

/* One answer with its names; all strings are borrowed until mm_findings_free. */
struct mm_named_answer {
    const char *property;
    const char *const *because; /* names of properties that may be its causes */
    size_t because_count;
    int64_t configuration; /* id of the configuration, which is equal in repeated runs;
                            * this is the answer from one or all of them */
    int64_t region;        /* id of a struct mm_place, 0: none */
    int rank, thread; /* rank and thread of the answer's unit (a processing unit); -1: the
                       * answer is over all units */
    /* rank that has the largest part in an answer over all units; -1: unknown */
    int worst_rank;
    /* further part of the answer: a cache level, or "rank 1 < rank 2" (rank 1 receives
     * from rank 2); or NULL */
    const char *detail;
    /* 1: the property holds; 0: it does not; -1: it was not evaluated */
    int holds;
    double severity; /* severity of the property; NaN: undefined */
    double weight;  /* 1: the severity is a share of the run; less than 1: the severity is
                     * a share of a region's own time, and this is the region's share */
    int of_waiting; /* 1: the property reports waiting, which is an effect: the answer is
                     * ranked last and is no cause */
    double confidence; /* P(severity > threshold); NaN: absent */
    double low, high;  /* 95 % interval of the severity; NaN: absent */
    /* how: evidence of the confidence; reason: why the property was not evaluated, or
     * why the confidence is absent; NULL: none */
    const char *how, *reason;
};

/* A region, and its enclosing region. */
struct mm_place {
    /* ids of the region and its parent; parent 0: none (contexts have a parent, other
     * regions need none) */
    int64_t id, parent;
    /* kind of the region: program, go, method, context, callsite, openmp */
    const char *kind;
    const char *name; /* name of the region; of a context c, "a > b > c" */
    /* share of the run's time, on the unit with the largest share; NaN: unknown */
    double share;
};

struct mm_finding {
    /* one of the finding's answers, from which property, region, detail and evidence are
     * taken */
    const struct mm_named_answer *asked;
    char unit[48];    /* the finding's units as text: "all", "rank 2", "ranks 0, 2",
                       * "rank 1.3" (thread 3), "5 of 8"; or the detail */
    size_t units, of; /* units: number of answers in the finding; of: number
                       * of answers to the question */
    /* means of severity and interval over the finding's units */
    double severity, low, high;
    /* smallest confidence of the finding's units, for a single question; NaN: absent */
    double confidence;
    double adjusted; /* confidence adjusted for the number of questions */
    int confident;   /* 1: severity > threshold, and `adjusted` >= the required
                      * confidence */
};

struct mm_findings {
    struct mm_finding *all; /* findings that hold: confident ones first, then by severity
                             * times weight; findings of waiting last */
    size_t count;
    size_t confident;     /* number of confident findings */
    size_t asked;         /* number of evaluated properties */
    size_t not_held;      /* number of properties that hold nowhere above the threshold */
    size_t not_evaluated; /* number of properties that were evaluated nowhere */
    const char **reasons; /* texts such as "CacheMissOverhead: no PAPI_L2_TCM", one per
                           * property that was not evaluated */
    void *inside;
};

struct mm_findings_options {
    /* threshold that the severity of a finding must exceed, and its weight must reach */
    double threshold;
    double confidence; /* least adjusted confidence of a confident finding */
    unsigned looks;    /* number of times the results are inspected with the option to
                        * stop, at least 1 */
};

/* Make the findings. Returns 0, -ENOMEM. Call mm_findings_free in any case. */
int mm_findings_make(struct mm_findings *findings, const struct mm_named_answer *asked,
                     size_t count, const struct mm_place *places, size_t place_count,
                     const struct mm_findings_options *options);
void mm_findings_free(struct mm_findings *findings);

/* Write "12 of 31 do not hold; 4 not evaluated: CacheMissOverhead: no PAPI_L2_TCM ..."; a
 * text longer than `size` is cut with "..." and always ends in 0. Properties with the
 * same reason are listed together, before it. */
void mm_findings_line(const struct mm_findings *findings, char *text, size_t size);

#endif
