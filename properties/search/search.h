/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h: choose the next run: the experiment decision system of Figure 1 (Fahringer
 * and Seragiotto, SC2001).
 *
 * Input and output are numbers: no files, no processes, no store. A *question* is a
 * property of a region that the runs made so far leave undecided. It has a gain (the
 * severity at stake times its uncertainty) and requirements: metrics that a run must
 * measure, and a number of ranks. The worth of a possible run is the sum of the gains of
 * the questions it serves; the run with the most gain per second is next. */
#ifndef PROPERTIES_SEARCH_SEARCH_H
#define PROPERTIES_SEARCH_SEARCH_H

#include <stddef.h>

/* Measurements of a run beyond times of methods; bits. */
enum mm_search_ask {
    MM_ASK_SPLIT = 1,        /* time in MPI by class: --metrics MPI_SPLIT */
    MM_ASK_OPENMP = 2,       /* --metrics OPENMP */
    MM_ASK_MESSAGES = 4,     /* --messages on */
    MM_ASK_CACHE = 8,        /* counters of cache misses and accesses */
    MM_ASK_INSTRUCTIONS = 16 /* instructions */
};
enum { MM_SEARCH_ASKS = 5 };

struct mm_search_question {
    double gain;   /* severity at stake, 0..1, times its uncertainty, 0..1 */
    int ranks;     /* number of ranks of a run that decides the question */
    unsigned asks; /* measurements that such a run needs: bits of enum mm_search_ask */
    /* 1: the run may measure nothing else, since repeats must have one configuration */
    int exact;
    double runs; /* number of such runs that the question needs, at least 1; each run gets
                  * an equal part of the gain */
};

/* A run already made, or a possible one. */
struct mm_search_run {
    int ranks;
    unsigned asks;
    double seconds; /* wall time of the run; NaN: unknown */
};

struct mm_search_request {
    /* [question_count] questions that are undecided */
    const struct mm_search_question *questions;
    size_t question_count;
    const struct mm_search_run *made; /* [made_count] all runs that have ended */
    size_t made_count;
    const int *ranks; /* [ranks_count] possible numbers of ranks, ascending */
    size_t ranks_count;
    /* measurements that are possible on this machine with this program: bits of
     * mm_search_ask */
    unsigned allowed;
    double left;       /* seconds that remain for runs; INFINITY: no limit */
    double least_gain; /* least gain of a question for each run that it needs; questions
                          with less are ignored */
};

struct mm_search_choice {
    int found; /* 0: no possible run would decide anything */
    /* 1: each run that would decide something would take longer than `left` */
    int too_long;
    struct mm_search_run run;
    double gain;   /* sum of the gains of the questions that the run serves */
    size_t serves; /* number of questions that the run serves */
};

/* Number of counters for which a row has room (MM_RECORDER_COUNTERS). The function
 * returns how many counters the measurements `asks` take. */
enum { MM_SEARCH_PLACES = 8 };
int mm_search_places(unsigned asks);

/* Predict the seconds of a run from the runs made: the median of runs on as many ranks;
 * else the power law a ranks^b through the two nearest numbers of ranks, b from -1 to 1;
 * with a single number of ranks, no change. NaN: no run was made. Each measurement (enum
 * mm_search_ask) adds its usual share, a few percent, so that of runs with equal gains
 * the cheaper one is first. */
double mm_search_seconds(const struct mm_search_run *made, size_t count, int ranks,
                         unsigned asks);

/* Choose a run. Among runs of equal worth, prefer more ranks, then fewer measurements. */
void mm_search_choose(struct mm_search_choice *choice,
                      const struct mm_search_request *request);

#endif
