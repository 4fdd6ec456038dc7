/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h: print lines for people that break between pieces, and reasons why an estimate
 * is less certain than its interval. */
#ifndef MASTERMIND_CMD_LINE_H
#define MASTERMIND_CMD_LINE_H

#include "mastermind/cost/cost.h"
#include "mastermind/cmd/cmd.h"

/* A line for people, broken between pieces before it is longer than 100 columns. */
struct mm_line {
    int indent; /* number of blanks before all lines but the first */
    int used;
    int begun; /* true if the line has a piece */
    int fresh; /* true if only the head is printed: the next piece needs no line break */
};

/* Begin a line with `head`; print a piece, aligned behind the head; end the line. */
void mm_line_begin(struct mm_line *line, const char *head);
/* Begin a line without a head or indent; lines after it are indented. */
void mm_line_begin_plain(struct mm_line *line);
void mm_line_add(struct mm_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a piece one blank behind the last one. */
void mm_line_join(struct mm_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a formula, padded to `width` columns; a long one breaks between terms. */
void mm_line_add_formula(struct mm_line *line, const char *formula, int width);
void mm_line_end(struct mm_line *line);
/* Print the next pieces on a new line. */
void mm_line_break(struct mm_line *line);
/* Add a line for each of `flags` (estimate.h). */
void mm_line_add_reasons(struct mm_line *line, unsigned flags);
/* Add the competing form that differs most from the model's own at `x`, if by more than a
 * factor of 2, and the size whose measurement would decide between them. */
void mm_line_add_rival(struct mm_line *line, const struct mm_model *model,
                       const double *x, const struct mm_metric *metric);
/* Begin a line with `head` and no alignment; reasons follow on lines of their own. */
void mm_line_begin_note(struct mm_line *line, const char *head);
/* Make a new array of the reasons' JSON names. */
json_t *mm_json_reasons(unsigned flags);

/* Print "wall time on this host: 2.6 x the own time (90 %: 1.4 to 4.1)"; set the same as
 * member "stretch". Both do nothing if `stretch` is NULL. */
void mm_stretch_print(const struct mm_stretch *stretch);
void mm_stretch_put(json_t *object, const struct mm_stretch *stretch);

#endif
