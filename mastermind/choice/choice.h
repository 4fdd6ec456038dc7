/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h: the classes to plug in, for a run that happened or not.
 *
 *    forecaster ─▶ forecasts of single classes, of pairs, of all combinations in slots
 *                  that interact ─▶ problem (choice/exact/problem.h) ─▶ best assemblies
 *                  ─▶ forecast of each as a whole ─▶ their order, and ties
 *
 * A slot is an instance that had several classes in the runs and has none in the request.
 * The cost of a class in its slot is the forecast with it less the forecast of a first
 * assembly. Two slots are coupled where the effects of their classes do not add up, such
 * as those of a preconditioner that decides how often a matrix is applied. */
#ifndef MASTERMIND_CHOICE_CHOICE_H
#define MASTERMIND_CHOICE_CHOICE_H

#include "mastermind/choice/requirement.h"
#include "mastermind/forecast/forecast.h"

#define MM_CHOOSE_MOST 20000000 /* steps of the search, at most */
#define MM_CHOICE_LISTED 100
#define MM_TIE_MOST 2.  /* factor above which assemblies are no tie */
#define MM_OPEN_BEST 16 /* most assemblies forecast as a whole */
#define MM_OPEN_JOINT                                                                    \
    1000 /* ways to fill slots that act on each other, each forecast                     \
          */

struct mm_open_class {
    const char *name;                   /* borrowed from the axes */
    const struct mm_instance *instance; /* in a run that had it */
    size_t run, runs;                   /* the first such run; how many there are */
    int known;
    char why[400]; /* not known: why */
    /* Cost of the choice with this class in the slot; NaN: not known, or no choice, or no
     * interval. */
    double total_ns, low_ns, high_ns;
};

struct mm_open_slot {
    const char *instance;          /* the first instance of several that have the class */
    size_t axis;                   /* run of the forecaster that has its class */
    struct mm_open_class *classes; /* as runs had them first */
    size_t class_count;
};

/* A class for every slot, forecast as a whole. */
struct mm_open_assembly {
    size_t *at; /* [slot_count] */
    struct mm_forecast *forecast;
    double value;                       /* of the quality of a front, else NaN */
    double apart_ns;                    /* extra cost over the choice */
    double apart_low_ns, apart_high_ns; /* 90 % interval from the errors that the two do
                                           not share, of the ratio's logarithm; NaN: not
                                           known */
    int is_tie; /* the interval contains 0, and they differ by MM_TIE_MOST at most */
};

/* The least certain part of a difference. */
enum mm_doubt_kind {
    MM_DOUBT_COST,   /* cost of a method with a class */
    MM_DOUBT_COUNTS, /* sums of sizes and calls */
    MM_DOUBT_DRIVER, /* a number that the solution determines */
    MM_DOUBT_MPI,    /* transfer and waiting */
    MM_DOUBT_RUNS    /* how few runs had a class */
};

struct mm_decider {
    enum mm_doubt_kind kind;
    double share;           /* of the squared interval */
    size_t vertex;          /* COST: of the structure's cells */
    const char *class_name; /* COST, RUNS */
    size_t driver;          /* DRIVER */
    size_t item;            /* the assembly in which it counts more */
};

struct mm_open_choice {
    struct mm_open_slot *slots;
    size_t slot_count;
    struct mm_open_assembly *items;  /* ascending by forecast: the choice first */
    size_t count;                    /* 0: none is within the requirements */
    struct mm_open_assembly *listed; /* of a query, ascending */
    size_t listed_count;
    int listed_more, listed_greater;
    struct mm_decider decider; /* for the choice and the first tie, if there is one */
    size_t ties;
    size_t forecasts; /* that were made */
    size_t joint;     /* most slots that interact */
    double residual;  /* largest relative difference of a whole forecast and the sum of
                         effects; 0 unless a group has more than MM_OPEN_JOINT
                         combinations */
    struct mm_notes notes;
};

/* A list of assemblies. */
struct mm_choice_query {
    const char *front; /* the Pareto front of cost and this quality; NULL: */
    double within;     /* all assemblies that cost at most this times the least */
    int greater; /* of the front: 1 a greater value is better, 0 a smaller one, -1 default
                    of the quality: greater if it composes by its least value */
};

struct mm_open_asked {
    struct mm_forecaster *forecaster;
    const struct mm_forecast_run *runs;     /* [run_count] of the forecaster */
    const struct mm_wiring *const *wirings; /* [run_count]; NULL: not known */
    size_t run_count;
    const char *const *text; /* [axes] as mm_forecast_new has it, NULL for open slots */
    const struct mm_requirement *requirements;
    size_t requirement_count;
    const struct mm_choice_query *query; /* or NULL */
    size_t joint_most; /* in the place of MM_OPEN_JOINT, at most that; 0: MM_OPEN_JOINT */
};

/* Choose. New, or NULL with `err`: -ENODATA the runs do not cover the request, or a part
 * of the run that no class changes has no cost; -ENOENT no class states a required
 * quality; -EBADMSG instances compose a required quality by different rules; -E2BIG no
 * choice was proven with MM_CHOOSE_MOST steps; -ENOMEM. A class without a cost is no
 * error: it is not known, and in no item. The texts must outlive the choice. */
struct mm_open_choice *mm_open_choice_new(const struct mm_open_asked *asked,
                                          struct cca_error *err);
/* Convert a choice by own time to one by wall time, for a host with this stretch. The
 * best assembly and its lead as a factor do not change. */
void mm_open_choice_stretch(struct mm_open_choice *choice,
                            const struct mm_stretch *stretch);
void mm_open_choice_free(struct mm_open_choice *choice);

#endif
