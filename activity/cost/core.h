/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: what the files of activity/cost share. */
#ifndef ACTIVITY_COST_CORE_H
#define ACTIVITY_COST_CORE_H

#include "activity/cost/cost.h"
#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/dual/metric.h"
#include "mastermind/cost/estimate.h"
#include "mastermind/repository/repository.h"

/* A model("...") and what answers it. */
struct act_bound {
    const struct act_model_call *call;
    const struct mm_model_set *set;
    int at[MONITOR_MAX_IN]; /* of an in-value of the set: index of the call's parameter,
                               -1: not given, and no model needs it */
};

/* A model that was asked. */
struct act_asked {
    const struct mm_model *model;
    const struct mm_model_set *set;
    double beyond;    /* worst so far */
    size_t parameter; /* the one that is */
    double value;     /* of it */
    unsigned flags;   /* of estimate.h, all so far */
    int unsure;       /* its error is not known */
    double way;       /* act_cost_move */
};

/* An answer that is kept. */
struct act_answer {
    int number;                    /* of the call; -1: none is kept */
    double values[ACT_PARAMETERS]; /* as asked */
    double mean_s, half_s;         /* half of the 95 % interval of the mean, or 0 */
    int asked;                     /* index */
};

enum { ACT_ANSWERS = 4096 }; /* a power of two */

struct act_cost {
    struct mm_experiment **experiments;
    struct mm_metric_source *sources;
    struct mm_profile **profiles;
    size_t count;
    struct mm_repository **repositories;
    size_t repository_count;
    const char *metric; /* of the models in repositories */
    struct mm_library *library;
    struct mm_notes notes;
    const struct act_model *model;
    struct act_bound *bound; /* by number of the call */
    struct act_asked *asked;
    size_t asked_count;
    struct act_answer *answers; /* [ACT_ANSWERS], by hash */
    struct act_costs costs;
    char fault[400];
};

/* Why what was asked last is not known. answer.c */
const char *act_cost_fault(void *context);
double act_cost_seconds(void *context, int number, const double *values);

#endif
