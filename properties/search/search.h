/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h: which run to make next: the experiment decision system of Figure 1
 * (Fahringer and Seragiotto, SC2001).
 *
 * Questions, runs and times as numbers: no files, no processes, no store. A *question* is
 * a property of a region that the runs made so far do not decide. It has a gain, the
 * severity at stake times how unsure that is, and says what a run must measure, and on
 * how many ranks, to be of use to it. Every run that could be made is worth the gains of
 * the questions it serves; the one with the most gain a second is next. */
#ifndef PROPERTIES_SEARCH_SEARCH_H
#define PROPERTIES_SEARCH_SEARCH_H

#include <stddef.h>

/* What a run measures beyond times of methods; bits. */
enum mm_search_ask {
    MM_ASK_SPLIT = 1,        /* --metrics MPI_SPLIT */
    MM_ASK_OPENMP = 2,       /* --metrics OPENMP */
    MM_ASK_MESSAGES = 4,     /* --messages on */
    MM_ASK_CACHE = 8,        /* cache misses and accesses */
    MM_ASK_INSTRUCTIONS = 16 /* instructions */
};
enum { MM_SEARCH_ASKS = 5 };

struct mm_search_question {
    double gain;   /* severity at stake, 0..1, times how unsure it is, 0..1 */
    int ranks;     /* a run on so many ranks is of use */
    unsigned asks; /* if it measures at least this */
    int exact;     /* and nothing else: repeats are of one configuration */
    double runs; /* such runs that will be needed, at least 1: each is worth its share */
};

/* A run made, or one to make. */
struct mm_search_run {
    int ranks;
    unsigned asks;
    double seconds; /* wall time; NaN: not known */
};

struct mm_search_request {
    const struct mm_search_question *questions; /* [question_count] */
    size_t question_count;
    const struct mm_search_run *made; /* [made_count], all that ended */
    size_t made_count;
    const int *ranks; /* [ranks_count] that runs may have, ascending */
    size_t ranks_count;
    unsigned allowed;  /* asks that this machine and program can answer */
    double left;       /* seconds; INFINITY: no limit */
    double least_gain; /* of a question, for each run that it needs: below, it is not
                          asked */
};

struct mm_search_choice {
    int found;    /* 0: nothing is left that a run could decide */
    int too_long; /* not found, and only because it would take longer than `left` */
    struct mm_search_run run;
    double gain;   /* of the questions it serves */
    size_t serves; /* questions */
};

/* Places for counters that a row has (MM_RECORDER_COUNTERS), and how many an ask takes.
 */
enum { MM_SEARCH_PLACES = 8 };
int mm_search_places(unsigned asks);

/* Seconds that a run would take, from those made: of equal ranks their median; else the
 * power law a ranks^b of the nearest two numbers of ranks, b from -1 to 1; of one number
 * alone, no change with ranks. NaN: no run was made. What is asked adds its usual share
 * (a few percent each), so that of equal gains the cheaper run is first. */
double mm_search_seconds(const struct mm_search_run *made, size_t count, int ranks,
                         unsigned asks);

/* Choose. Of runs of equal worth the one with more ranks, then with less asked. */
void mm_search_choose(struct mm_search_choice *choice,
                      const struct mm_search_request *request);

#endif
