/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: a request: which messages are sampled, and what is kept of each, in one text:
 *
 *     A-X-B,seed=N,min=BYTES,site=GLOB,method=GLOB,frames=N,collectives=P,
 *           via=batch|slots|files,budget=PERCENT
 *
 * A-X-B is Table 1 of Vetter's paper (PHOTON): A the strategy, X its threshold or period,
 * B the analysis. The table states that P-X, C-X and T-X do no analysis, the text of
 * section 4.3 that they use FREQ; the table, which defines these names, is followed:
 * without B it is OFF. "on" means P-0.01-FREQ; "off" means no sampling and has no
 * options. */
#ifndef MESSAGES_WORDS_WORDS_H
#define MESSAGES_WORDS_WORDS_H

#include <stdint.h>

#include "ports/cca_error.h"

/* Environment variables in which both programs pass options to the wrappers around MPI:
 * the request, and "on" or "off" for timing each MPI call. */
#define MM_MESSAGES_VARIABLE "MASTERMIND_RECORD_MESSAGES"
#define MM_MPI_TIME_VARIABLE "MASTERMIND_RECORD_MPI_TIME"
/* Id of the process to which the options apply; "1": they apply to its children, too. */
#define MM_RECORDED_VARIABLE "MASTERMIND_RECORD"
#define MM_CHILDREN_VARIABLE "MASTERMIND_RECORD_CHILDREN"

enum {
    MM_REQUEST_TEXT = 256, /* room for a canonical text, with the terminating zero */
    MM_REQUEST_GLOB = 64   /* room for a glob, with the terminating zero */
};

enum mm_message_strategy {
    MM_STRATEGY_NONE, /* "off": no request */
    MM_STRATEGY_P,    /* random: each message is a sample with probability x */
    MM_STRATEGY_C,    /* counter: each x-th send of a process is a sample */
    MM_STRATEGY_T /* timer: the first send at least x seconds after the last sample is the
                   * next sample */
};

enum mm_message_analysis {
    MM_ANALYSIS_OFF,  /* samples are taken, but nothing is kept */
    MM_ANALYSIS_STAT, /* sums, minimum and maximum */
    MM_ANALYSIS_FREQ, /* like STAT, and numbers of messages in buckets of latency */
    MM_ANALYSIS_WRITE /* a record of each sample; "print" in Vetter's Table 1 */
};

/* How the send record and the receive record of a sample are brought together. */
enum mm_message_via {
    MM_VIA_BATCH, /* send records travel to the receiver in batches, by extra messages */
    MM_VIA_SLOTS, /* records are exchanged one by one in shared memory of the node */
    /* both records are written to files; the reader joins them after the run */
    MM_VIA_FILES
};

struct mm_message_request {
    int strategy; /* choice of the samples: enum mm_message_strategy */
    double x; /* rate of sampling. P: 0 to 1; C: a whole number >= 1; T: seconds, > 0 */
    double variance; /* C, T: each period is drawn uniformly from x - variance to x +
                      * variance; 0 <= variance < x; whole for C; 0 for P */
    int analysis;    /* data kept of the samples: enum mm_message_analysis */
    int has_seed;    /* 1: `seed` is given; 0: each run has a new seed, the same on all
                      * processes */
    uint64_t seed;
    /* messages with fewer bytes are not sampled; 0: all messages are */
    int64_t min_bytes;
    char site[MM_REQUEST_GLOB];   /* glob of the sending function, or of the file name of
                                   * its object; empty: all */
    char method[MM_REQUEST_GLOB]; /* glob of the method that runs at the sender; empty:
                                   * all */
    int frames;            /* number of stack frames that identify a callsite, 1 to 8 */
    double collectives;    /* probability that a collective call is sampled */
    int via;               /* way in which records are joined: enum mm_message_via */
    double budget_percent; /* P: senders lower x to keep the cost of sampling below
                            * this part of the run; 0: none */
};

/* Parse a request.
 *
 *   text      in   not NULL; letters of A, B, "on" and "off" in either case
 *   request   out  untouched on failure; caller's memory
 *   err       out  one line, "messages: found '...', expected ..."; may be NULL
 *
 * Defaults: B is OFF, no variance, no seed, no filters, 1 frame, via batch, no budget;
 * for collectives the rate of the messages (P: x, C: 1/x, T, which has no rate: 0.01),
 * but 0 if B is OFF. Numbers are decimal in any locale; the number of min may end in K, M
 * or G (powers of 1024). A glob contains no comma. Returns 0, or -EINVAL; never prints.
 * Any thread. */
int mm_message_request_parse(const char *text, struct mm_message_request *request,
                             struct cca_error *err);

/* Print a request from mm_message_request_parse in its canonical form, "P-0.01-FREQ":
 * defaults are left out, and parsing the text gives the same request, each double to the
 * last bit.
 *
 *   text   out  at least MM_REQUEST_TEXT bytes; always ended
 *
 * Returns the length. Any thread. */
int mm_message_request_text(const struct mm_message_request *request,
                            char text[MM_REQUEST_TEXT]);

/* Parse "on" or "off", the value of --mpi-time. Returns 1, 0 or -EINVAL. */
int mm_mpi_time_parse(const char *text, struct cca_error *err);

/* Options of this process from its environment. They apply to the process in
 * MM_RECORDED_VARIABLE, and with MM_CHILDREN_VARIABLE to all processes that inherit them:
 * by default a child of a sampled program is not sampled.
 *
 * mm_message_request_wanted returns 1: sample, `request` is set; 0: no sampling; -EINVAL:
 * a wrong request, which our programs never set. The other function returns 0 if MPI
 * calls are not to be timed, else 1. Any thread; not while another one changes the
 * environment. */
int mm_message_request_wanted(struct mm_message_request *request, struct cca_error *err);
int mm_mpi_time_wanted(void);

#endif
