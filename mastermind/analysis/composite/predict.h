/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h: the cost of the recorded invocations of a run, with other classes in its
 * slots.
 *
 * T = exclusive time of what stays, as measured, less recording
 *   + sum over each slot's invocations of model(parameters, mode) of the class put there.
 * The sums run over the distinct parameters and their counts, so a cost that is not
 * affine is composed exactly. */
#ifndef MASTERMIND_ANALYSIS_COMPOSITE_PREDICT_H
#define MASTERMIND_ANALYSIS_COMPOSITE_PREDICT_H

#include "mastermind/analysis/composite/library.h"

/* One method of an instance with some class in its place. */
struct mm_part {
    size_t vertex;                       /* in the base's dual */
    const struct mm_method_info *method; /* of the base */
    const char *class_name;              /* put there */
    int modelled;                        /* else `predicted_ns` is what was measured */
    uint64_t calls;
    double measured_ns;  /* exclusive, with the class that ran */
    double predicted_ns; /* of the class put there, callees apart */
    double below_ns;     /* what it adds to its callees against the class that ran */
    double error;        /* out of sample, weighted by cost; NaN: not known */
    const struct mm_model_set *set; /* whose models these are; NULL: none */
    double width_ns;     /* half of a 95 % interval for what its models may be wrong by */
    double variance_ns2; /* of the sum of so many calls; NaN with it: not known */
    double beyond;       /* 1: inside the range seen, else how far outside */
    const char *beyond_name; /* parameter */
    uint64_t beyond_calls;   /* invocations outside */
    uint64_t
        unknown_calls; /* invocations without a model; their cost is not in the sum */
};

/* An instance and the class to put there. */
struct mm_substitution {
    const char *instance, *class_name;
};

struct mm_prediction {
    struct mm_part
        *parts; /* a part per method of the base that was called, dearest first */
    size_t part_count;
    double total_ns, measured_ns;
    double half_ns; /* of a 95 % interval about total_ns, NaN where it is not known */
    uint64_t unknown_calls; /* > 0: the total is not a prediction */
    struct mm_notes notes;
};

/* Compose the run of `base` with `substitutions`. With `model_all` every method is
 * modelled, also those whose class stays.
 *
 * New, or NULL with `err`: -ENOENT an instance that base has no rows of; -ENOMEM. A mode
 * or method without a model is not an error: see unknown_calls and the notes. */
struct mm_prediction *mm_prediction_new(const struct mm_profile *base,
                                        const struct mm_library *library,
                                        const struct mm_substitution *substitutions,
                                        size_t count, int model_all,
                                        struct cca_error *err);
void mm_prediction_free(struct mm_prediction *prediction);

/* Half of the 95 % interval of a sum of parts: parts of one set of models are wrong
 * together, others independently. What was measured counts as exact: it takes repeated
 * runs to know how runs differ. NaN where it is not known, as beyond the sizes that were
 * seen. */
double mm_parts_half_ns(const struct mm_part *parts, size_t count);

/* One vertex of the base with `class_name` in its place; words go to `notes`. 0 or
 * -ENOMEM. */
int mm_part_predict(struct mm_part *part, const struct mm_profile *base,
                    const struct mm_library *library, size_t vertex,
                    const char *class_name, struct mm_notes *notes);

#endif
