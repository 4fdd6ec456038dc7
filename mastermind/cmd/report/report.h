/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h: shared by the files of the verb report. */
#ifndef MASTERMIND_CMD_REPORT_H
#define MASTERMIND_CMD_REPORT_H

#include "mastermind/counts/counts.h"
#include "mastermind/cmd/fields.h"
#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/report/report_messages.h"

struct report {
    const struct mm_experiment *experiment;
    const struct mm_dual *dual;
    const struct mm_vertex **lines;
    size_t count, silent; /* number of methods with calls; of methods without calls */
    size_t limit;
    const struct mm_metric *metric;
    uint64_t missing; /* number of calls without a value of the metric */
    struct mm_kept kept;
    const struct mm_ranks *ranks;
    const struct mm_mpi_profile *mpi;
    const struct mm_shares *shares;
    const struct mm_report_messages *messages; /* waiting for sampled messages; NULL:
                                                * the run has no sampled messages */
    int rank;                                  /* the only rank of the report; -1: all
                                                * ranks */
    int bars;                                  /* true to draw bars before the names */
    int by_subrs; /* true if --sort subrs, which adds a column,
                   * is given */
    int by_rank;  /* true if --by-rank is given: list each rank */
};

/* Counts of unusual calls in the table. */
struct oddities {
    uint64_t broken, clock_back, negative;
};

/* The numbers of a method, or of the sum line, as records of mm_report_fields, the table
 * of columns, JSON members and sort keys. See report_fields.c. */
struct report_line {
    struct mm_vertex vertex;
    double share, per_call, host_share, sd;
    int64_t wall_ns;
    uint64_t all_calls; /* calls, and calls that were counted alone */
    uint64_t is_least;  /* 1: there were more */
};
extern const struct mm_field mm_report_fields[];
/* Fill a line for one method; for all of them. Each returns the state bits of the
 * line. */
unsigned mm_report_line(const struct report *report, const struct mm_vertex *v,
                        struct report_line *line);
unsigned mm_report_sum(const struct report *report, struct report_line *line);

/* True if the metric is TIME (own time); mm_report_is_time: if it is any time. */
int mm_report_is_own(const struct report *report);
/* Mean cost of recording a call in ns; 0: unknown. */
double mm_report_call_ns(const struct mm_dual *dual);
int mm_report_is_time(const struct report *report);
struct oddities mm_report_oddities(const struct report *report);

/* Print " ... 11 methods left out  3.2 ms  4,857 calls", the last line of a shortened
 * table, so that its lines add up to the sum. */
void mm_report_print_left(const char *noun, size_t count, const char *cost,
                          uint64_t calls);
void mm_report_print_ranks(const struct report *report);
void mm_report_print_mpi(const struct report *report);
/* Print a line for each swap of a class, also if it failed; and as JSON
 * members. */
void mm_report_print_swaps(const struct report *report);
void mm_report_put_swaps(const struct report *report, json_t *document);
void mm_report_print_ends(const struct report *report);
/* Own time, wall time, the host's share and waiting, as a line and as JSON members;
 * nothing for another metric, or if the run did not record them. See report_host.c. */
void mm_report_print_host(const struct report *report);
void mm_report_put_host(const struct report *report, json_t *document);
/* The host's share of a method's wall time, if large enough to be printed in its line;
 * else 0. */
double mm_report_host_share(const struct mm_off_core *off, int64_t own_ns);
int mm_report_knows_host(const struct report *report);
int mm_report_shows_host(const struct report *report);
/* Print how the time of the whole program is divided; nothing if unknown. */
void mm_report_print_shares(const struct report *report);
void mm_report_put_shares(const struct report *report, json_t *document);
/* Print a line for each mesh profile: complete and lost steps. Returns 0, or an exit code
 * after a message. */
int mm_report_print_mesh(const struct report *report);
/* Set the members about ranks: for one method, and for the run. */
void mm_report_put_ranks(const struct report *report, json_t *line,
                         const struct mm_vertex *v);
void mm_report_put_document(const struct report *report, json_t *document);

/* Print the report as text. Returns 0, or an exit code after a message. */
int mm_report_print_text(const struct report *report);
/* Make a new document, mastermind/report/1. */
json_t *mm_report_document(const struct report *report);
/* Print the report as JSON. Returns an exit code. */
int mm_report_print_json(const struct report *report);

#endif
