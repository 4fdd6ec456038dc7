/* SPDX-License-Identifier: BSD-3-Clause */
/* model_json.h: a model in a file of its own (docs/internals/models.md).
 *
 * A file is either a model that was fitted, with all that its answers need, checked by a
 * sum over its text; or one that a person wrote: a formula, a range and an interval. */
#ifndef MASTERMIND_REPOSITORY_MODEL_JSON_H
#define MASTERMIND_REPOSITORY_MODEL_JSON_H

#include "mastermind/cost/model.h"
#include "mastermind/repository/machine.h"

/* A method that the calls behind a model called. */
struct mm_stored_callee {
    char *port_type, *method;
    uint64_t calls;
    int64_t inclusive_ns;
};

/* The key of a model: class, build, port type and method are those of model.method, the
 * modes are model.modes; then metric, machine and `beside`. All is owned. */
struct mm_stored_model {
    char *file;       /* NULL: none yet */
    char *mark;       /* NULL, or a text that lives as long */
    char *class_name; /* that of the method; stays when a library takes the model */
    char *metric;
    struct mm_machine machine;
    struct mm_model model;
    int by_hand; /* a person wrote it; build_id is "" where it holds for any */
    /* Where calls were measured: the words of the library; `beside` is part of the key.
     */
    char *beside; /* or NULL */
    char **contexts;
    size_t context_count;
    uint64_t calls; /* of the method, behind the callees */
    struct mm_stored_callee *callees;
    size_t callee_count;
};

/* The text of the file, a JSON object without the check: new. NULL: out of memory. */
json_t *mm_stored_json(const struct mm_stored_model *stored);
/* Read a file. `stored` needs mm_stored_done unless it is refused.
 *
 * Returns 0; -ENOENT there is no such file; -EBADMSG damaged, or no such document:
 * "file:line: found ..., expected ..."; -EIO; -ENOMEM. */
int mm_stored_read(struct mm_stored_model *stored, const char *path,
                   struct cca_error *err);
void mm_stored_done(struct mm_stored_model *stored);

/* True where both have one key; machines may differ as mm_machine_same allows. */
int mm_stored_same_key(const struct mm_stored_model *a, const struct mm_stored_model *b);

#endif
