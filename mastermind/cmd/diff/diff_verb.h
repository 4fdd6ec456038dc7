/* SPDX-License-Identifier: BSD-3-Clause */
/* diff_verb.h: shared by the files of the verb diff. */
#ifndef MASTERMIND_CMD_DIFF_DIFF_VERB_H
#define MASTERMIND_CMD_DIFF_DIFF_VERB_H

#include "mastermind/compare/diff.h"
#include "mastermind/cmd/cmd.h"

struct mm_diff_verb {
    const char *metric; /* NULL before mm_diff_read: the default of the first run */
    struct mm_diff_limits limits;
    int rank; /* rank to compare; -1: all */
    int series, json;
    size_t top; /* methods to print */
    struct mm_input input;
    struct mm_diff_tables tables;
    struct mm_diff diff;
    struct mm_diff_change *changes;
    size_t change_count;
};

/* Facts about the runs of an input, in its order. */
struct mm_diff_facts {
    double *when;
    const char **programs;
    double *whole[MM_DIFF_WHOLES];
};

/* Read the facts of all runs; `rank` -1: all ranks. 0 or a negative errno with `err`;
 * mm_diff_facts_done in either case. */
int mm_diff_facts_read(struct mm_diff_facts *facts, const struct mm_input *input,
                       int rank, struct cca_error *err);
void mm_diff_facts_done(struct mm_diff_facts *facts);

/* Open experiments, side A first, and read the tables of their methods; all
 * members from `input` on are set. Returns -1 to go on, else an exit code after a
 * message; mm_diff_verb_done in either case. */
int mm_diff_read(struct mm_diff_verb *verb, char *const *paths, const size_t runs[2]);
void mm_diff_verb_done(struct mm_diff_verb *verb);

/* Print the table of methods, and a line for each of their changed parts; `has_totals`:
 * with the rest and the program. */
void mm_diff_print_methods(const struct mm_diff_verb *verb, int has_totals);
/* The methods as an array of the document, new. */
json_t *mm_diff_methods_json(const struct mm_diff_verb *verb);
/* The cause of a changed part of a method, "80.0 calls where there were 40.0". */
void mm_diff_part_text(const struct mm_diff_method *method, enum mm_diff_part part,
                       char text[160]);

/* Print the comparison, or the changes of a series. Returns an exit code: 1 if a cost
 * rose significantly, or the series changed. */
int mm_diff_print(const struct mm_diff_verb *verb);
int mm_diff_print_series(const struct mm_diff_verb *verb);

#endif
