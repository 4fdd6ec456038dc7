/* SPDX-License-Identifier: BSD-3-Clause */
/* model_verb.h: shared by the files of the verb model. */
#ifndef MASTERMIND_CMD_MODEL_MODEL_VERB_H
#define MASTERMIND_CMD_MODEL_MODEL_VERB_H

#include "mastermind/cmd/line.h"
#include "mastermind/export/model_svg.h"

/* The models to print. */
struct mm_model_view {
    const struct mm_library *library;
    const struct mm_metric *metric;
    const struct cca_given *only;     /* --of-class; NULL: all */
    const char *method;               /* only methods of this name; NULL: all */
    const struct mm_stretch *stretch; /* factor from own time to wall time; NULL: own
                                       * time is printed as it is */
    int inclusive; /* true if models are inclusive: the cost of a call includes that of
                      its callees */
    /* --- members of a figure --- */
    const char *title; /* title of a figure of whole runs; NULL: names of the methods */
    const struct mm_figure_source *source; /* NULL: costs by the models */
};

/* True if --of-class names the class of the set, or is not given, and the method is
 * wanted. */
int mm_model_wanted(const struct mm_model_view *view, const struct mm_model_set *set);

/* --- model_text.c --------------------------------------------------------- */

void mm_model_print_text(const struct mm_model_view *view);
/* Print the name of the metric unless it is TIME. */
void mm_model_print_metric(const struct mm_model_view *view);

/* --- model_document.c ----------------------------------------------------- */

/* Callback that may set the member "estimate" of a model's object; may be NULL. */
typedef void (*mm_model_member)(const void *context, const struct mm_model_set *set,
                                const struct mm_model *model, json_t *object);
/* Make a new document, mastermind/model/1. Models for which `member` sets no "estimate"
 * are omitted. */
json_t *mm_model_document(const struct mm_model_view *view, mm_model_member member,
                          const void *context);
/* Print the document of mm_model_document. Returns an exit code. */
int mm_model_print_document(const struct mm_model_view *view, mm_model_member member,
                            const void *context);

/* --- model_picture.c ------------------------------------------------------ */

/* Draw the models into an SVG file, one panel for each method. Returns -1, or an exit
 * code. */
int mm_model_draw(const struct mm_model_view *view, const char *path);

/* --- model_at.c ----------------------------------------------------------- */

/* Print the cost of a call at each point of option `at`, "Q=1e6,axis=x", by all selected
 * models. Returns an exit code. */
int mm_model_print_at(const struct mm_model_view *view, const struct cca_given *at,
                      int json);

/* Flags (estimate.h) of an estimate in the middle of the measured sizes. */
unsigned mm_model_flags_inside(const struct mm_model *model);

#endif
