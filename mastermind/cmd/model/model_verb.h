/* SPDX-License-Identifier: BSD-3-Clause */
/* model_verb.h: parts of the verb model: text, the document, answers at a point. */
#ifndef MASTERMIND_CMD_MODEL_MODEL_VERB_H
#define MASTERMIND_CMD_MODEL_MODEL_VERB_H

#include "mastermind/analysis/models/estimate.h"
#include "mastermind/analysis/models/model_print.h"
#include "mastermind/cmd/cmd.h"

/* What the verb prints of. */
struct mm_model_view {
    const struct mm_library *library;
    const struct mm_metric *metric;
    const struct mm_option *only; /* --class */
};

/* True where --class names the class of the set, or is not given. */
int mm_model_wanted(const struct mm_model_view *view, const struct mm_model_set *set);

/* --- model_line.c --------------------------------------------------------- */

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
void mm_line_end(struct mm_line *line);
/* The pieces that follow begin on a new line. */
void mm_line_break(struct mm_line *line);
/* Add a line for each of `flags` (estimate.h). */
void mm_line_add_reasons(struct mm_line *line, unsigned flags,
                         const struct mm_metric *metric);
/* Add the form that differs most from the model's at `x`, by more than a factor of 2, and
 * the size that would decide; nothing where none does. */
void mm_line_add_rival(struct mm_line *line, const struct mm_model *model,
                       const double *x, const struct mm_metric *metric);
/* Begin a line with `head` as it is; the reasons follow in lines of their own. */
void mm_line_begin_note(struct mm_line *line, const char *head);
/* New array of the reasons' words. */
json_t *mm_json_reasons(unsigned flags);
/* The reason as a word for documents, "one_run"; NULL behind the last bit. */
const char *mm_reason_word(unsigned bit);

/* --- model_text.c --------------------------------------------------------- */

void mm_model_print_text(const struct mm_model_view *view);

/* --- model_document.c ----------------------------------------------------- */

/* Fill in the member "estimate" of a model's object; may be NULL. */
typedef void (*mm_model_member)(const void *context, const struct mm_model_set *set,
                                const struct mm_model *model, json_t *object);
/* Print the document; models for which `member` leaves "estimate" absent are left out.
 * Returns an exit code. */
int mm_model_print_document(const struct mm_model_view *view, mm_model_member member,
                            const void *context);

/* --- model_picture.c ------------------------------------------------------ */

/* Draw the models into a file, SVG, a panel a method. Returns -1, or an exit code. */
int mm_model_draw(const struct mm_model_view *view, const char *path);

/* --- model_at.c ----------------------------------------------------------- */

/* Answer each of the points that `at` gives, "Q=1e6,axis=x", for all models wanted.
 * Returns an exit code. */
int mm_model_print_at(const struct mm_model_view *view, const struct mm_option *at,
                      int json);

#endif
