/* SPDX-License-Identifier: BSD-3-Clause */
/* json.h: read the JSON files of an experiment; only for use within this folder. */
#ifndef MASTERMIND_READER_JSON_H
#define MASTERMIND_READER_JSON_H

#include <jansson.h>

#include "mastermind/reader/experiment.h"
#include "mastermind/reader/wiring.h"

/* Load a JSON file of an experiment. Returns a new value, or NULL with the reason in
 * `*code`: -ENOENT without a message: there is no file; -EBADMSG or -EIO with a message
 * in `err`. */
json_t *mm_json_load(const char *path, int *code, struct cca_error *err);

/* Set the members of `e` from `about`, the contents of experiment.json, from which
 * strings are borrowed. `path` is for messages. Returns 0, -EBADMSG or -ENOMEM. */
int mm_about_read(struct mm_experiment *e, const json_t *about, const char *path,
                  struct cca_error *err);
/* Free the arrays that mm_about_read made. */
void mm_about_done(struct mm_experiment *e);

/* Read the parameters of a run; strings are borrowed from `about`. Returns 0, -EBADMSG or
 * -ENOMEM; call mm_run_done in any case. */
int mm_run_read(struct mm_run *run, const json_t *about, const char *path,
                struct cca_error *err);
/* If the classes of the instances are unknown, take them from `wiring`, which may be
 * NULL. Returns 0 or -ENOMEM. */
int mm_run_complete(struct mm_run *run, const struct mm_wiring *wiring,
                    struct cca_error *err);
void mm_run_done(struct mm_run *run);

/* Load the JSON file that a rank has written about itself: rank 0 experiment.json, others
 * rank.json. It is new, and the caller calls json_decref; NULL if there is none, because
 * the rank ended too early. Returns 0 or a negative errno with `err`. */
int mm_experiment_rank_about(const struct mm_experiment *experiment, int rank,
                             json_t **about, struct cca_error *err);

/* Read the contents `root` of wiring.json, from which strings are borrowed; `where` is
 * its name in messages. Returns a new struct, or NULL with `err`: -EBADMSG, -ENOMEM. */
struct mm_wiring *mm_wiring_new(const json_t *root, const char *where,
                                struct cca_error *err);
void mm_wiring_free(struct mm_wiring *wiring);

/* method_costs.c: read the member `overhead` of experiment.json, also in its older form,
 * which does not distinguish kinds of rows. */
void mm_call_costs_read(const json_t *overhead, struct mm_call_costs *costs);
/* Set the experiment's `method_costs` when all methods have been read; NULL if no cost
 * was measured. Returns 0, or -1: out of memory. */
int mm_method_costs_fill(struct mm_experiment *experiment);

#endif
