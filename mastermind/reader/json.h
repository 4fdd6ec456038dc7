/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h: the JSON documents of an experiment; used within this folder. */
#ifndef MASTERMIND_READER_JSON_H
#define MASTERMIND_READER_JSON_H

#include <jansson.h>

#include "mastermind/reader/experiment.h"
#include "mastermind/reader/wiring.h"

/* Load a JSON document of our format. New, or NULL: -ENOENT without a message: no file;
 * -EBADMSG, -EIO with a message. */
json_t *mm_json_load(const char *path, int *code, struct cca_error *err);

/* Set the members of `e` from experiment.json; they borrow from `about`. `path` is for
 * messages. 0, -EBADMSG, -ENOMEM. */
int mm_about_read(struct mm_experiment *e, const json_t *about, const char *path,
                  struct cca_error *err);
/* Free the arrays that mm_about_read made. */
void mm_about_done(struct mm_experiment *e);

/* Read the parameters of a run; strings are borrowed from `about`. 0, -EBADMSG, -ENOMEM;
 * mm_run_done in any case. */
int mm_run_read(struct mm_run *run, const json_t *about, const char *path,
                struct cca_error *err);
/* Take the classes from `wiring` (NULL: none) if they are unknown. Returns 0 or
 * -ENOMEM. */
int mm_run_complete(struct mm_run *run, const struct mm_wiring *wiring,
                    struct cca_error *err);
void mm_run_done(struct mm_run *run);

/* Return the document written by a rank, new: rank 0 in experiment.json, others in
 * rank.json; the caller calls json_decref. NULL if there is none (a rank lost early).
 * Returns 0 or a negative errno with `err`. */
int mm_experiment_rank_about(const struct mm_experiment *experiment, int rank,
                             json_t **about, struct cca_error *err);

/* Read wiring.json; `where` names it in messages. Strings are borrowed from `root`. New,
 * or NULL with `err`: -EBADMSG, -ENOMEM. */
struct mm_wiring *mm_wiring_new(const json_t *root, const char *where,
                                struct cca_error *err);
void mm_wiring_free(struct mm_wiring *wiring);

/* method_costs.c: read the member `overhead` of experiment.json, also in the older form
 * without kinds. */
void mm_call_costs_read(const json_t *overhead, struct mm_call_costs *costs);
/* Set method_costs after all methods are read; NULL if no cost was measured. Returns 0,
 * or -1: out of memory. */
int mm_method_costs_fill(struct mm_experiment *experiment);

#endif
