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

/* One method of an instance, with some class in the instance's place. */
struct mm_part {
    size_t vertex;                       /* index in the base's dual */
    const struct mm_method_info *method; /* method of the base */
    const char *class_name;              /* class in its place */
    int modelled;                        /* 0: `predicted_ns` is what was measured */
    uint64_t calls;
    double measured_ns;  /* exclusive time with the class that ran */
    double predicted_ns; /* exclusive time with `class_name` */
    double below_ns;     /* change of the time below, compared with the class that ran */
    double error;        /* out of sample, weighted by cost; NaN: unknown */
    const struct mm_model_set *set; /* the models of the part; NULL: none */
    double width_ns;                /* half of a 95 % interval for errors of the models */
    double variance_ns2; /* variance of the sum of so many calls; unknown where width_ns
                            is NaN */
    double beyond;       /* 1: inside the range seen, else how far outside */
    const char *beyond_name; /* name of the parameter that is outside */
    uint64_t beyond_calls;   /* invocations outside the range */
    uint64_t unknown_calls;  /* invocations without a model; the sum lacks their cost */
};

/* An instance and the class to put there. */
struct mm_substitution {
    const char *instance, *class_name;
};

struct mm_prediction {
    struct mm_part *parts; /* a part per method of the base that was called, by cost, the
                              largest first */
    size_t part_count;
    double total_ns, measured_ns;
    double half_ns;         /* half of a 95 % interval about total_ns, NaN: unknown */
    uint64_t unknown_calls; /* > 0: total_ns is no prediction */
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

/* Half of the 95 % interval of a sum of parts. Errors of one set of models add up, those
 * of different sets are independent. Measured parts count as exact: only repeated runs
 * show how runs differ. NaN where it is unknown, as beyond the sizes seen. */
double mm_parts_half_ns(const struct mm_part *parts, size_t count);

/* Predict one vertex of the base with `class_name` in its place; adds to `notes`. 0 or
 * -ENOMEM. */
int mm_part_predict(struct mm_part *part, const struct mm_profile *base,
                    const struct mm_library *library, size_t vertex,
                    const char *class_name, struct mm_notes *notes);

#endif
