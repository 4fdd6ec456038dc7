/* SPDX-License-Identifier: BSD-3-Clause */
/* model_json.h: a model in a file of its own (docs/internals/models.md).
 *
 * A file contains either a fitted model, with all data for its predictions and a checksum
 * of the text, or a model written by a person: a formula, a range and an interval. */
#ifndef MASTERMIND_REPOSITORY_MODEL_JSON_H
#define MASTERMIND_REPOSITORY_MODEL_JSON_H

#include "mastermind/cost/cost.h"
#include "mastermind/repository/machine.h"

/* A method called by the calls from which a model was fitted. */
struct mm_stored_callee {
    char *port_type, *method;
    uint64_t calls;
    int64_t inclusive_ns;
};

/* A model and its key. Class, build, port type and method of the key are in model.method,
 * the modes are model.modes; then follow metric, machine and `beside`. All is owned. */
struct mm_stored_model {
    char *file;       /* name of the model's file; NULL: not saved yet */
    char *mark;       /* remark on the model, NULL or a text with static lifetime */
    char *class_name; /* copy of the method's class, valid also after a library has taken
                         `model` over */
    char *metric;
    struct mm_machine machine;
    struct mm_model model;
    int by_hand; /* true if a person wrote the model; build_id is "" if it holds for any
                    build */
    /* Where the calls were measured, as described in mm_library; `beside` is part of the
     * key. */
    char *beside; /* neighbouring class; NULL: none */
    char **contexts;
    size_t context_count;
    uint64_t calls; /* number of calls of the method, to which the callees refer */
    struct mm_stored_callee *callees;
    size_t callee_count;
};

/* Return the contents of the model's file as a JSON object without the check: new. NULL:
 * out of memory. */
json_t *mm_stored_json(const struct mm_stored_model *stored);
/* Read a file. Free `stored` with mm_stored_done, unless this fails.
 *
 * Returns 0; -ENOENT: no such file; -EBADMSG: damaged, or another kind of document:
 * "file:line: found ..., expected ..."; -EIO; -ENOMEM. */
int mm_stored_read(struct mm_stored_model *stored, const char *path,
                   struct cca_error *err);
void mm_stored_done(struct mm_stored_model *stored);

/* True if both models have equal keys; machines may differ as mm_machine_same allows. */
int mm_stored_same_key(const struct mm_stored_model *a, const struct mm_stored_model *b);

#endif
