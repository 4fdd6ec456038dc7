/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h: lines for people that break between pieces, and reasons why an estimate is
 * weaker than it looks. */
#ifndef MASTERMIND_CMD_LINE_H
#define MASTERMIND_CMD_LINE_H

#include "mastermind/cost/estimate.h"
#include "mastermind/cost/model_print.h"
#include "mastermind/cmd/cmd.h"

/* A line for people, broken between pieces before it is longer than 100 columns. */
struct mm_line {
    int indent; /* of the lines after the first */
    int used;
    int begun; /* the line has a piece */
    int fresh; /* the head alone stands: the next break is none */
};

/* Begin a line with `head`, behind which pieces are aligned; print a piece; end it. */
void mm_line_begin(struct mm_line *line, const char *head);
/* Begin a line without a head or indent; lines after it are indented. */
void mm_line_begin_plain(struct mm_line *line);
void mm_line_add(struct mm_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a piece one blank behind the one before. */
void mm_line_join(struct mm_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Print a formula; a long one breaks between terms. At least `width` columns. */
void mm_line_add_formula(struct mm_line *line, const char *formula, int width);
void mm_line_end(struct mm_line *line);
/* The pieces that follow begin on a new line. */
void mm_line_break(struct mm_line *line);
/* Add a line for each of `flags` (estimate.h). */
void mm_line_add_reasons(struct mm_line *line, unsigned flags);
/* Add the form that differs most from the model's at `x`, by more than a factor of 2, and
 * the size that would decide; nothing where none does. */
void mm_line_add_rival(struct mm_line *line, const struct mm_model *model,
                       const double *x, const struct mm_metric *metric);
/* Begin a line with `head` as it is; the reasons follow in lines of their own. */
void mm_line_begin_note(struct mm_line *line, const char *head);
/* New array of the reasons' words. */
json_t *mm_json_reasons(unsigned flags);

/* Print "wall time on this host: 2.6 x the own time (90 %: 1.4 to 4.1)", and set the same
 * as member "stretch"; nothing where `stretch` is NULL. */
void mm_stretch_print(const struct mm_stretch *stretch);
void mm_stretch_put(json_t *object, const struct mm_stretch *stretch);

#endif
