/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.h: the library libmm_answers.so, which has the verbs of `mastermind` that
 * answer questions. The Mastermind component loads it where its port for questions is
 * connected. */
#ifndef MASTERMIND_CMD_ANSWERS_ANSWERS_H
#define MASTERMIND_CMD_ANSWERS_ANSWERS_H

#include "ports/query_port.h"

#define MM_ANSWERS_FILE "libmm_answers.so"
#define MM_ANSWERS "mm_answers" /* name of the only visible symbol */

/* Models fitted to the rows of a run. */
struct mm_answers_models;

/* Functions of the library. Experiments are given by their paths; query_port.h has
 * the errors. Any thread: one call works at a time. */
struct mm_answers {
    size_t size; /* of the struct that the library was compiled with */

    /* query_port.ask about the run at `path`. */
    int (*ask)(const char *path, const char *verb, const char *const *words, size_t count,
               char **answer, struct cca_error *err);
    /* Fit models to the rows at `path`. New, or NULL with `err`. */
    struct mm_answers_models *(*models_new)(const char *path, struct cca_error *err);
    void (*models_free)(struct mm_answers_models *models);
    /* query_port.cost by these models. */
    int (*cost)(const struct mm_answers_models *models, const char *class_name,
                const char *method, const char *at, struct query_cost *cost,
                struct cca_error *err);
};

#endif
