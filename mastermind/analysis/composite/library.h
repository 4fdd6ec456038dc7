/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h: the models of all classes seen in some experiments. */
#ifndef MASTERMIND_ANALYSIS_COMPOSITE_LIBRARY_H
#define MASTERMIND_ANALYSIS_COMPOSITE_LIBRARY_H

#include "mastermind/analysis/models/model.h"
#include "mastermind/analysis/notes.h"
#include "mastermind/analysis/composite/profile.h"

/* What the invocations of a model set called. */
struct mm_callee {
    const char *port_type, *method;
    uint64_t calls;
    int64_t inclusive_ns;
};

/* The models of one method of one class and build, one a mode. Instances pool. */
struct mm_model_set {
    const struct mm_method_info
        *method; /* the first seen; says class, build, port type, method */
    struct mm_points points;
    struct mm_model *models;
    size_t model_count;
    struct mm_callee *callees; /* ascending by port type, method */
    size_t callee_count;
    uint64_t calls;
    size_t experiments; /* that gave rows */
    const char *first;  /* name of the first of them */
};

struct mm_library {
    struct mm_model_set *sets; /* the dearest first */
    size_t count;
    struct mm_notes notes; /* what was not combined and why */
};

/* Pool the rows of all profiles, which must outlive the library, and fit. New, or NULL
 * with `err`. */
struct mm_library *mm_library_new(struct mm_profile *const *profiles, size_t count,
                                  struct cca_error *err);
void mm_library_free(struct mm_library *library);

/* The set of a method of a class, of `build_id` if there is one, else the first; or NULL.
 */
const struct mm_model_set *mm_library_find(const struct mm_library *library,
                                           const char *class_name, const char *build_id,
                                           const char *port_type, const char *method);
/* The model of the mode that `in`, as `method` has it, is in; or NULL. `mapped` gets the
 * values as the model's own method has them; `*missing` the name of a value that it has
 * and `method` not. */
const struct mm_model *mm_model_set_find(const struct mm_model_set *set,
                                         const struct mm_method_info *method,
                                         const union monitor_value *in,
                                         union monitor_value *mapped,
                                         const char **missing);

/* "axis x" or "axis x, level 2" of a mode; "" where there are no modes. `modes` is as
 * `method` has its in-values. */
void mm_mode_print(const struct mm_method_info *method, const union monitor_value *modes,
                   char *text, size_t size);

#endif
