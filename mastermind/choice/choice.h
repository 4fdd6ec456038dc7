/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h: choose the classes to plug in, for a measured or unmeasured run.
 *
 *    forecaster ─▶ forecasts of single classes, of pairs, of all combinations in slots
 *                  that interact ─▶ problem (choice/exact/problem.h) ─▶ best assemblies
 *                  ─▶ forecast of each as a whole ─▶ their order, and ties
 *
 * A slot is an instance that had several classes in the runs and has none in the request.
 * The cost of a class in its slot is the difference between the forecast with this class
 * and the forecast of a base assembly. Two slots are coupled if the effects of their
 * classes do not add up: a preconditioner, for example, determines how often a matrix is
 * applied. */
#ifndef MASTERMIND_CHOICE_CHOICE_H
#define MASTERMIND_CHOICE_CHOICE_H

#include "mastermind/choice/requirement.h"
#include "mastermind/forecast/forecast.h"

#define MM_CHOOSE_MOST 20000000 /* largest number of steps of the search */
#define MM_CHOICE_LISTED 100
#define MM_TIE_MOST 2.  /* assemblies that differ by a larger factor are not a tie */
#define MM_OPEN_BEST 16 /* most assemblies of which the whole run is forecast */
/* Largest number of combinations of classes in interacting slots; each is forecast. */
#define MM_OPEN_JOINT 1000

struct mm_open_class {
    const char *name;                   /* name of the class, borrowed from the axes */
    const struct mm_instance *instance; /* instance with the class in a run that had it */
    size_t run, runs; /* index of the first run that had the class in this slot, and
                         number of such runs */
    int known;
    char why[400]; /* reason why the cost is unknown, or "" */
    /* Cost of the choice with this class in the slot; NaN: unknown, or no choice, or no
     * interval. */
    double total_ns, low_ns, high_ns;
};

struct mm_open_slot {
    const char *instance; /* name of the instance; of several instances with equal classes
                             in each run, the first; NULL: the slot is the whole run */
    size_t axis;          /* axis of the forecaster with its class */
    struct mm_open_class *classes; /* candidate classes for the slot; classes of the
                                      runs come first */
    size_t class_count;
};

/* A class for every slot, forecast as a whole. */
struct mm_open_assembly {
    size_t *at; /* [slot_count] index of the class in each slot */
    struct mm_forecast *forecast;
    double value;    /* value of the quality of a front, else NaN */
    double apart_ns; /* cost of this assembly less the cost of the choice */
    /* 90 % interval, from the errors that the two assemblies do not share, of the
     * logarithm of their costs' ratio; NaN: unknown */
    double apart_low_ns, apart_high_ns;
    double apart_sd; /* standard deviation of this logarithm; NaN: unknown */
    double best;     /* probability that no other item costs less, from
                      * mm_open_choice_best; NaN: unknown */
    int is_tie; /* true if the interval contains 0, and the two costs differ by at most a
                   factor of MM_TIE_MOST */
};

/* The kind of the least certain part of a difference. */
enum mm_doubt_kind {
    MM_DOUBT_COST,   /* cost of a method with a class */
    MM_DOUBT_COUNTS, /* scaling functions of sums of sizes and of numbers of calls */
    MM_DOUBT_DRIVER, /* an exogenous count: a number that the solution
                        determines */
    MM_DOUBT_MPI,    /* times of MPI transfer and waiting */
    MM_DOUBT_RUNS    /* the cost of a class is uncertain, because few runs had it */
};

struct mm_decider {
    enum mm_doubt_kind kind;
    double share;  /* share of the squared interval of the difference */
    size_t vertex; /* for MM_DOUBT_COST: index of the method in the structure's cells */
    const char *class_name; /* for MM_DOUBT_COST and MM_DOUBT_RUNS: name of the class */
    size_t driver;          /* for MM_DOUBT_DRIVER: index of the exogenous count */
    size_t item; /* index of the assembly of the two in which this error is larger */
};

struct mm_open_choice {
    struct mm_open_slot *slots;
    size_t slot_count;
    struct mm_open_assembly *items;  /* assemblies, ascending by forecast: the choice
                                        is the first */
    size_t count;                    /* number of assemblies; 0: no assembly meets the
                                        requirements */
    struct mm_open_assembly *listed; /* assemblies that a query lists, ascending by
                                        cost */
    size_t listed_count;
    int listed_more, listed_greater;
    struct mm_decider decider; /* least certain part of the difference between the choice
                                  and the first tie, if there is a tie */
    size_t ties;
    size_t forecasts; /* number of assemblies that were forecast */
    size_t joint;     /* largest number of interacting slots */
    double residual;  /* largest relative difference between the forecast of a whole
                         assembly and the sum of effects; 0 unless a group has more
                         than MM_OPEN_JOINT combinations */
    struct mm_notes notes;
};

/* A request for a list of assemblies. */
struct mm_choice_query {
    const char *front; /* the Pareto front of cost and this quality; NULL: `within`
                          counts */
    double within;     /* all assemblies that cost at most this factor times the least */
    int greater; /* for a front: 1: a greater value is better; 0: a smaller value is; -1:
                    as is usual for the quality: a greater value if it composes by its
                    least value */
};

struct mm_open_asked {
    struct mm_forecaster *forecaster;
    const struct mm_forecast_run *runs;     /* [run_count] measured runs of the
                                               forecaster */
    const struct mm_wiring *const *wirings; /* [run_count] connections of the instances
                                               in each run; NULL: unknown */
    size_t run_count;
    const char *const *text; /* [axes] parameters of the run as for mm_forecast_new,
                                NULL for open slots */
    const struct mm_requirement *requirements;
    size_t requirement_count;
    const struct mm_choice_query *query; /* request for a list of assemblies, or
                                            NULL */
    size_t joint_most; /* largest number of combinations of classes in interacting slots,
                          at most MM_OPEN_JOINT; 0: MM_OPEN_JOINT */
};

/* Choose assemblies. The result is new, or NULL with `err`: -ENODATA: the runs do not
 * cover the request, or a part of the run that no class changes has no cost; -ENOENT: no
 * class states a required quality; -EBADMSG: instances compose a required quality by
 * different rules; -E2BIG: no choice was proven with MM_CHOOSE_MOST steps; -ENOMEM. A
 * class without a cost is not an error: it is unknown and in no item. The texts must
 * outlive the choice. */
struct mm_open_choice *mm_open_choice_new(const struct mm_open_asked *asked,
                                          struct cca_error *err);
/* Order the items of a choice by cost, with the surest of the best ones first, and
 * compare each with the first. Items have `at` and `forecast`; slots have the number of
 * runs of each class. Returns 0 or -ENOMEM. */
int mm_open_choice_rank(struct mm_open_choice *choice);
/* Set `best` of all items, from the errors that each two of them do not share. Returns 0
 * or -ENOMEM. See best.c. */
int mm_open_choice_best(struct mm_open_choice *choice);
/* Convert a choice by own time to one by wall time, for a host with this stretch (ratio
 * of wall time to own time). The best assembly and its relative lead do not change. */
void mm_open_choice_stretch(struct mm_open_choice *choice,
                            const struct mm_stretch *stretch);
void mm_open_choice_free(struct mm_open_choice *choice);

#endif
