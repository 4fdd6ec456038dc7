/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h: which classes to plug in so that the recorded run takes the least time. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_CHOOSE_H
#define MASTERMIND_FORECAST_COMPOSITE_CHOOSE_H

#include "mastermind/forecast/composite/predict.h"
#include "mastermind/forecast/composite/requirement.h"

#define MM_CHOOSE_MOST 20000000 /* steps of the search, at most */

/* A class that can stand in a slot. */
struct mm_candidate {
    const char *class_name;
    const struct mm_instance
        *instance; /* an instance of the class: ports and qualities; borrowed */
    int current;   /* the class that ran */
    int known;     /* 0: a method or mode that the run needs has no model */
    double error;  /* out of sample, weighted by cost; NaN: unknown */
    double beyond; /* like the same members of struct mm_part */
    const char *beyond_name;
    double total_ns; /* cost of the run with only this slot changed */
    double half_ns;  /* half of a 95 % interval about total_ns, NaN: unknown */
    double
        own_half_ns; /* of it, what the class is the reason of: no other class has it */
    unsigned flags;  /* enum mm_estimate_flag of any call */
    double rival_ns; /* total by a rival form where MM_RIVALS */
    const char *unmarked;     /* a method of the class of which nothing is marked; NULL */
    const char *doubt_method; /* most of own_half_ns comes from this method ... */
    char doubt[96];           /* ... at these parameters; "" */
};

struct mm_slot {
    const char *instance;
    double measured_ns;              /* exclusive time of its methods in the base */
    struct mm_candidate *candidates; /* ascending by cost, those without a model last */
    size_t candidate_count;
};

/* A candidate for every slot. */
struct mm_assembly {
    size_t *at; /* [slot_count] */
    double total_ns;
    double half_ns;     /* half of a 95 % interval about total_ns, NaN: unknown */
    double value;       /* of the quality that a list is about, else NaN */
    double probability; /* that the choice is not dearer than it; NaN: unknown */
};

struct mm_choice {
    struct mm_slot *slots;
    size_t slot_count;
    double measured_ns; /* the base as it ran */
    size_t *chosen;     /* [slot_count] candidates, where `found` */
    int found;          /* a choice meets the requirements */
    double total_ns;    /* predicted cost of the choice */
    double half_ns;     /* half of a 95 % interval about total_ns, NaN: unknown */
    int without_runs;   /* how runs differ is unknown, and not in the intervals */
    /* The next best assembly that meets the requirements, and how sure the choice is. */
    size_t *second; /* [slot_count], where has_second */
    int has_second;
    double probability; /* that the choice is not dearer than it; NaN: unknown */
    /* Of the MM_CHOICE_RIVALS next best ones those that tie with the choice: it is not
     * better with MM_DECIDED. By cost; total_ns is the sum of the slots' differences. */
    struct mm_assembly *ties;
    size_t tie_count;
    /* What mm_choice_list has found. */
    struct mm_assembly *listed;
    size_t listed_count;
    int listed_more;    /* there are more than MM_CHOICE_LISTED */
    int listed_greater; /* a greater value of the quality is better */
    struct mm_notes notes;
};

#define MM_DECIDED .95 /* least probability of a choice that is decided */
#define MM_CHOICE_RIVALS 8
#define MM_CHOICE_LISTED 100

/* True where nothing competes with the choice, or it is better with MM_DECIDED. */
int mm_choice_is_decided(const struct mm_choice *choice);

/* Rank the candidates of every slot of profiles[0], or of the instance `slot` only if it
 * is not NULL, and choose under `requirements`. A requirement composes the quality over
 * all instances of the assembly that state it, by its own rule.
 *
 * New, or NULL with `err`: -ENOENT `slot` is no instance, or a quality that no class
 * states; -EBADMSG instances compose a required quality by different rules; -E2BIG no
 * choice was proven with MM_CHOOSE_MOST steps; -ENODATA no wiring; -ENOMEM. */
struct mm_choice *mm_choice_new(struct mm_profile *const *profiles, size_t profile_count,
                                const struct mm_library *library, const char *slot,
                                const struct mm_requirement *requirements,
                                size_t requirement_count, struct cca_error *err);
void mm_choice_free(struct mm_choice *choice);

/* A list of assemblies. */
struct mm_choice_query {
    const char *front; /* the Pareto front of cost and this quality; NULL: */
    double within;     /* all that cost at most this times the least */
    int greater; /* of the front: 1 a greater value is better, 0 a smaller one, -1 by the
                    quality: greater where it composes by its least value */
};

/* Set `choice->listed` of a choice made of the same arguments: by cost, each predicted as
 * a whole. 0; with `err`: as mm_choice_new; -EINVAL within < 1. */
int mm_choice_list(struct mm_choice *choice, const struct mm_profile *base,
                   const struct mm_library *library,
                   const struct mm_requirement *requirements, size_t requirement_count,
                   const struct mm_choice_query *query, struct cca_error *err);

#endif
