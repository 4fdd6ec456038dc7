/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.h: evaluate properties over a store: which hold, where, and how severe.
 *
 * A property's expressions are SQL scalars. Before they run, names, types and the query
 * plan are checked (a full scan in an inner loop is refused). They run on a read-only
 * connection with a time limit. */
#ifndef PROPERTIES_EVALUATE_EVALUATE_H
#define PROPERTIES_EVALUATE_EVALUATE_H

#include <stdint.h>

#include "properties/words/property.h"

struct mm_store; /* defined in properties/store/store.h */

/* A question without its property: the runs, regions and basis for which a property is
 * evaluated. Borrowed. */
struct mm_property_question {
    int64_t basis;              /* id of the region to which severities are relative;
                                 * 0: each experiment's root */
    const int64_t *experiments; /* parallel experiments, in the caller's order */
    size_t experiment_count;
    int64_t sequential;      /* id of the sequential experiment of --seq; 0: none */
    const char *region_glob; /* glob of region names, NULL: all */
    double seconds;          /* time limit, 0: 10 */
    /* All properties, in which members of `for: properties` are found by name. */
    const struct mm_property *const *library;
    size_t library_count;
};

/* One answer. Ids are ids of the store, 0: none. */
struct mm_property_answer {
    int64_t experiment, region, unit;
    const char *detail; /* further part of the answer: cache level, pair of callsites;
                         * NULL: none. Owned by the answers */
    int holds;       /* 1: the property holds; 0: it does not; -1: it was not evaluated */
    double severity; /* severity of the property; NaN: undefined, because it is a
                      * SimpleProperty that does not hold */
    double confidence;  /* P(severity > threshold); NaN: absent */
    double low, high;   /* 95 % interval of the severity; NaN: absent */
    const char *how;    /* evidence of the confidence: "within this run", "3 runs";
                         * NULL: none */
    const char *reason; /* reason why the property was not evaluated; NULL: it was; equal
                         * reasons share one string */
};

struct mm_property_answers {
    struct mm_property_answer *all;
    size_t count;
    uint64_t evaluated, held, undecided; /* numbers of answers: evaluated, holding, not
                                          * evaluated */
    void *inside;                        /* strings that the answers share */
};

/* Evaluate `property`. Returns 0; -EBADMSG with "file:line: found, expected" for an error
 * in the property; -ETIME with `err`: time limit; -EIO, -ENOMEM. Severities are the
 * values of the expression; confidence stays absent unless the property states one. Call
 * mm_property_answers_done in any case. Each thread needs its own store. */
int mm_property_evaluate(struct mm_property_answers *answers, struct mm_store *store,
                         const struct mm_property *property,
                         const struct mm_property_question *question,
                         struct cca_error *err);
void mm_property_answers_done(struct mm_property_answers *answers);

/* Check a property against the tables without data: names, types, query plan, and its
 * members in `library`. Returns 0 or -EBADMSG with `err`. */
int mm_property_lint(struct mm_store *store, const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err);

#endif
