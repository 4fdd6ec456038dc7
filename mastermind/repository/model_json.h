/* SPDX-License-Identifier: BSD-3-Clause */
/* model_json.h: write a model to a file, and read it (docs/internals/models.md).
 *
 * A file contains either a fitted model, with all data for its predictions and a checksum
 * of the text, or a model written by a person: a formula, a range and an interval. */
#ifndef MASTERMIND_REPOSITORY_MODEL_JSON_H
#define MASTERMIND_REPOSITORY_MODEL_JSON_H

#include "mastermind/cost/cost.h"
#include "mastermind/repository/machine.h"

/* A method that was called by the calls to which a model was fitted. */
struct mm_stored_callee {
    char *port_type, *method;
    uint64_t calls;
    int64_t inclusive_ns;
};

/* A model and its key: class, build, port type and method (in model.method), modes
 * (model.modes), metric, machine and `beside`. All strings and arrays are owned. */
struct mm_stored_model {
    char *file; /* name of the model's file; NULL: not saved yet */
    char *mark; /* remark about the model, a text with static lifetime, or NULL */
    /* copy of the method's class, which remains valid after a library of models has taken
     * over `model` */
    char *class_name;
    char *metric;
    struct mm_machine machine;
    struct mm_model model;
    /* true if a person wrote the model; then `build_id` may be "", and the model is valid
     * for any build */
    int by_hand;
    /* Where the calls were measured, as described in mm_library; `beside` is part of the
     * key. */
    char *beside; /* class that was called beside this one (see mm_library); NULL: none */
    char **contexts;
    size_t context_count;
    /* number of calls of the method whose callees are counted in `callees` */
    uint64_t calls;
    struct mm_stored_callee *callees;
    size_t callee_count;
};

/* Return the contents of the model's file as a new JSON object, without the check sum.
 * NULL: out of memory. */
json_t *mm_stored_json(const struct mm_stored_model *stored);
/* Read a file. Free `stored` with mm_stored_done, unless this fails.
 *
 * Returns 0; -ENOENT: no such file; -EBADMSG: damaged, or another kind of document:
 * "file:line: found ..., expected ..."; -EIO; -ENOMEM. */
int mm_stored_read(struct mm_stored_model *stored, const char *path,
                   struct cca_error *err);
void mm_stored_done(struct mm_stored_model *stored);

/* True if both models have equal keys. Machines are compared by mm_machine_same. */
int mm_stored_same_key(const struct mm_stored_model *a, const struct mm_stored_model *b);

#endif
