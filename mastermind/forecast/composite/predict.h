/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h: the cost of the recorded invocations of a run, with other classes in its
 * slots.
 *
 * T = exclusive time of what stays, as measured, less recording
 *   + sum over each slot's invocations of mean(parameters, mode) of the class put there.
 * The sums run over the distinct parameters and their counts, so a cost that is not
 * affine is composed exactly. The counts are those of the base, or, where calls follow
 * from the class, those of the experiments that ran it (flow.h). */
#ifndef MASTERMIND_FORECAST_COMPOSITE_PREDICT_H
#define MASTERMIND_FORECAST_COMPOSITE_PREDICT_H

#include "mastermind/forecast/composite/flow/donor.h"
#include "mastermind/forecast/composite/library.h"

/* One method of an instance, with some class in the instance's place. */
struct mm_part {
    size_t vertex;                       /* index in the base's dual */
    const struct mm_method_info *method; /* method of the base */
    const char *class_name;              /* class in its place */
    int modelled;                        /* 0: `predicted_ns` is what was measured */
    int follows;         /* its number of calls follows from a class elsewhere */
    uint64_t calls;      /* in the base */
    double calls_now;    /* with the classes */
    double measured_ns;  /* exclusive time with the class that ran */
    double predicted_ns; /* exclusive time with `class_name` */
    double below_ns;     /* cost of further methods that the base does not call */
    double error;        /* out of sample, weighted by cost; NaN: unknown */
    const struct mm_model_set *set; /* the models of the part; NULL: none */
    double width_ns;     /* half of a 95 % interval for errors of models and counts, which
                            are common to all calls; NaN: unknown */
    double variance_ns2; /* variance of the sum, by the spread of single calls */
    double beyond;       /* 1: inside the range seen, else how far outside */
    const char *beyond_name; /* name of the parameter that is outside */
    uint64_t beyond_calls;   /* invocations outside the range */
    uint64_t unknown_calls;  /* invocations without a model; the sum lacks their cost */
    unsigned flags;          /* enum mm_estimate_flag of its calls */
    double rival_ns;         /* the cost by a rival form where MM_RIVALS */
    char doubt[96];          /* "Q = 2112": where most of width_ns comes from; or "" */
};

struct mm_prediction {
    struct mm_part *parts; /* a part per method of the base that was called, by cost, the
                              largest first */
    size_t part_count;
    double total_ns, measured_ns;
    double half_ns;     /* half of a 95 % interval about total_ns, NaN: unknown */
    double own_half_ns; /* of it, what comes from parts that are not as measured */
    int without_runs;   /* how runs differ is unknown, and not in the interval, or only
                           how parts of a run do */
    uint64_t unknown_calls; /* > 0: total_ns is no prediction */
    struct mm_notes notes;
};

/* Compose the run of `base` with `substitutions`, with counts from library->profiles.
 * With `model_all` every method is modelled, also those whose class stays.
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
 * of different sets are independent; `runs` is what all parts differ by from run to run.
 * With `changed` only parts that are not as measured count. NaN where it is unknown. */
double mm_parts_half_ns(const struct mm_part *parts, size_t count,
                        const struct mm_runs *runs, int changed);
/* True for a part that is not taken from the base as it was measured. */
int mm_part_is_changed(const struct mm_part *part);

#endif
