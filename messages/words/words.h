/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: which messages are sampled and what is kept of them, as one word:
 *
 *     A-X-B,seed=N,min=BYTES,site=GLOB,method=GLOB,frames=N,collectives=P,
 *           via=batch|slots|files,budget=PERCENT
 *
 * A-X-B is Table 1 of Vetter's paper (PHOTON): A the strategy, X its threshold or period,
 * B the analysis. The table states that P-X, C-X and T-X do no analysis, the text of
 * section 4.3 that they use FREQ; the table, which defines these names, is followed:
 * without B it is OFF. "on" is P-0.01-FREQ; "off" asks for nothing and stands alone. */
#ifndef MESSAGES_WORDS_WORDS_H
#define MESSAGES_WORDS_WORDS_H

#include <stdint.h>

#include "ports/cca_error.h"

/* Both programs hand the wishes to the wrappers around MPI in the environment: the word,
 * and "on" or "off" for the time of each call of MPI. */
#define MM_MESSAGES_VARIABLE "MASTERMIND_RECORD_MESSAGES"
#define MM_MPI_TIME_VARIABLE "MASTERMIND_RECORD_MPI_TIME"
/* The process that is recorded, by its id; "1": so are its children. */
#define MM_RECORDED_VARIABLE "MASTERMIND_RECORD"
#define MM_CHILDREN_VARIABLE "MASTERMIND_RECORD_CHILDREN"

enum {
    MM_REQUEST_TEXT = 256, /* room for a canonical text, with its end */
    MM_REQUEST_GLOB = 64   /* room for a glob, with its end */
};

enum mm_message_strategy {
    MM_STRATEGY_NONE, /* "off": no request */
    MM_STRATEGY_P,    /* random: each message with probability x */
    MM_STRATEGY_C,    /* counter: each x-th send of a process */
    MM_STRATEGY_T     /* timer: the first send x seconds after the last sample */
};

enum mm_message_analysis {
    MM_ANALYSIS_OFF,  /* samples are taken, and nothing is kept of them */
    MM_ANALYSIS_STAT, /* sums, least and most */
    MM_ANALYSIS_FREQ, /* and counts in buckets of latency */
    MM_ANALYSIS_WRITE /* each sample as a record; "print" in the paper's table */
};

/* How the two halves of a sample come together. */
enum mm_message_via {
    MM_VIA_BATCH, /* many at once, by messages of our own */
    MM_VIA_SLOTS, /* one by one, in memory that the processes of a node share */
    MM_VIA_FILES  /* the reader joins them after the run */
};

struct mm_message_request {
    int strategy;    /* enum mm_message_strategy */
    double x;        /* P: 0 to 1; C: a whole number from 1 on; T: seconds, > 0 */
    double variance; /* C, T: the next period is drawn evenly from x - variance to
                        x + variance; 0 <= variance < x; whole for C; 0 for P */
    int analysis;    /* enum mm_message_analysis */
    int has_seed;    /* 0: another seed each run, the same on all processes */
    uint64_t seed;
    int64_t min_bytes;            /* smaller messages are not sampled; 0: all are */
    char site[MM_REQUEST_GLOB];   /* function that sends, or name of its object's file;
                                     empty: all */
    char method[MM_REQUEST_GLOB]; /* method open at the sender; empty: all */
    int frames;                   /* of a callsite, 1 to 8 */
    double collectives;           /* probability that a collective call is sampled */
    int via;                      /* enum mm_message_via */
    double budget_percent;        /* P: senders lower x to keep the cost of sampling
                                     below this share of the run; 0: none */
};

/* Parse a word.
 *
 *   text      in   the word, not NULL; letters of A, B, "on" and "off" in either case
 *   request   out  untouched on failure; caller's memory
 *   err       out  one line, "messages: found '...', expected ..."; may be NULL
 *
 * What the word leaves out: B is OFF, no variance, no seed, no filters, 1 frame, via
 * batch, no budget, and for collectives the rate of the messages where they are analysed
 * (P: x, C: 1/x, T, which has no rate: 0.01), 0 where B is OFF.
 * Numbers are decimal, whatever the locale; min takes K, M or G (powers of 1024) behind
 * the number. A glob holds no comma.
 * Returns 0, or -EINVAL; never prints. Any thread. */
int mm_message_request_parse(const char *text, struct mm_message_request *request,
                             struct cca_error *err);

/* Print a request that mm_message_request_parse has made as its canonical word,
 * "P-0.01-FREQ": what has its default is left out, and parsing the word gives back the
 * same request, each double to the last bit.
 *
 *   text   out  at least MM_REQUEST_TEXT bytes; always ended
 *
 * Returns the length. Any thread. */
int mm_message_request_text(const struct mm_message_request *request,
                            char text[MM_REQUEST_TEXT]);

/* Parse "on" or "off", the value of --mpi-time. Returns 1, 0 or -EINVAL. */
int mm_mpi_time_parse(const char *text, struct cca_error *err);

/* The wishes of this process, from its environment. They count in the process that
 * MM_RECORDED_VARIABLE names, and with MM_CHILDREN_VARIABLE in all that inherit them: a
 * child of a sampled program is not sampled unasked.
 *
 * The first returns 1: sample, `request` is set; 0: nothing is asked for; -EINVAL: the
 * word is wrong, as no program of ours hands on. The second returns 0 where calls of MPI
 * are not to be timed, else 1. Any thread; not while another sets the environment. */
int mm_message_request_wanted(struct mm_message_request *request, struct cca_error *err);
int mm_mpi_time_wanted(void);

#endif
