/* SPDX-License-Identifier: BSD-3-Clause */
/* model_verb.h: parts of the verb model: text, the document, answers at a point. */
#ifndef MASTERMIND_CMD_MODEL_MODEL_VERB_H
#define MASTERMIND_CMD_MODEL_MODEL_VERB_H

#include "mastermind/cmd/line.h"

/* What the verb prints of. */
struct mm_model_view {
    const struct mm_library *library;
    const struct mm_metric *metric;
    const struct mm_option *only;     /* --of-class */
    const struct mm_stretch *stretch; /* NULL: none is asked for */
};

/* True where --of-class names the class of the set, or is not given. */
int mm_model_wanted(const struct mm_model_view *view, const struct mm_model_set *set);

/* --- model_text.c --------------------------------------------------------- */

void mm_model_print_text(const struct mm_model_view *view);
/* Print which metric it is, unless it is TIME. */
void mm_model_print_metric(const struct mm_model_view *view);

/* --- model_document.c ----------------------------------------------------- */

/* Fill in the member "estimate" of a model's object; may be NULL. */
typedef void (*mm_model_member)(const void *context, const struct mm_model_set *set,
                                const struct mm_model *model, json_t *object);
/* New document, mastermind/model/1; models for which `member` leaves "estimate" absent
 * are left out. */
json_t *mm_model_document(const struct mm_model_view *view, mm_model_member member,
                          const void *context);
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

/* Flags of a call in the middle of the sizes seen. */
unsigned mm_model_flags_inside(const struct mm_model *model);

#endif
