/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: types and functions shared by the files of activity/cost. */
#ifndef ACTIVITY_COST_CORE_H
#define ACTIVITY_COST_CORE_H

#include "activity/cost/cost.h"
#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/counts.h"
#include "mastermind/cost/cost.h"
#include "mastermind/repository/repository.h"

/* A model("...") and the performance models bound to it. */
struct act_bound {
    const struct act_model_call *call;
    const struct mm_model_set *set;
    int at[MONITOR_MAX_IN]; /* by in-value of the method: index of the call's parameter of
                             * this name; -1: the call lacks it, and no model needs it */
};

/* A performance model that was used for some cost. */
struct act_asked {
    const struct mm_model *model;
    const struct mm_model_set *set;
    double beyond;    /* largest extrapolation beyond the measured sizes so far */
    size_t parameter; /* parameter that was extrapolated */
    double value;     /* value of the extrapolated parameter */
    unsigned flags;   /* flags of mastermind/cost/estimate.h, collected over all costs
                       * computed so far */
    int unsure;       /* 1: the error of the model is unknown */
    /* shift of the mean by act_cost_move, in units of half the 95 % interval */
    double way;
};

/* A cached answer. */
struct act_answer {
    int number; /* number of the model("...") in the text; -1: this entry is empty */
    double values[ACT_PARAMETERS]; /* parameters of the call */
    double mean_s, half_s;         /* half_s: half of the 95 % interval of the mean, or
                                    * 0 */
    int asked;                     /* index of the performance model used */
};

enum { ACT_ANSWERS = 4096 }; /* number of cached answers, a power of two */

struct act_cost {
    struct mm_experiment **experiments;
    struct mm_metric_source *sources;
    struct mm_profile **profiles;
    size_t count;
    struct mm_repository **repositories;
    size_t repository_count;
    const char *metric; /* metric of the models in repositories */
    struct mm_library *library;
    struct mm_notes notes;
    const struct act_model *model;
    /* models bound to each model("..."), by its number in the text */
    struct act_bound *bound;
    struct act_asked *asked;
    size_t asked_count;
    struct act_answer *answers; /* [ACT_ANSWERS] cached answers, by hash of the call */
    struct act_costs costs;
    char fault[400];
};

/* Why the latest cost is unknown. answer.c */
const char *act_cost_fault(void *context);
double act_cost_seconds(void *context, int number, const double *values);

#endif
