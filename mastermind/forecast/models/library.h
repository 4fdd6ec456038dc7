/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h: the models of all classes in the experiments. */
#ifndef MASTERMIND_FORECAST_MODELS_LIBRARY_H
#define MASTERMIND_FORECAST_MODELS_LIBRARY_H

#include "mastermind/cost/cost.h"
#include "mastermind/counts/counts.h"

/* A method called by the invocations of a model set. */
struct mm_callee {
    const char *port_type, *method;
    uint64_t calls;
    int64_t inclusive_ns;
};

/* The models of one method of one class and build, one for each mode. Instances share
 * them; so do assemblies whose costs agree. */
struct mm_model_set {
    const struct mm_method_info *method; /* description from the first experiment: class,
                                            build, port type, method */
    struct mm_points points;
    struct mm_model *models;
    size_t model_count;
    struct mm_callee *callees; /* called methods, ascending by port type and method */
    size_t callee_count;
    char **contexts; /* [context_count] contexts of the set's rows: mm_context_of */
    size_t context_count;
    char *beside;  /* "SparseMatrix": the neighbouring class, if another set of the
                      method is separate because its neighbours differ; else NULL */
    char *apart;   /* reason why the set is separate, as text; NULL: the costs could not
                      be compared, or there is no other set */
    double unlike; /* relative cost difference to other neighbours whose rows were
                      pooled because it is small; 0: none */
    uint64_t calls;
    size_t experiments; /* number of experiments with rows of the set */
    const char *first;  /* name of the first of these experiments */
    const char *given;  /* place where some models were stored, which were not fitted
                           (given.h); else NULL */
    /* cost of the set's timed calls: as measured, and by its models */
    double measured_ns, modelled_ns;
    double host_ns; /* time of the calls attributed to the host */
};

struct mm_library {
    struct mm_model_set *sets; /* model sets, descending by cost */
    size_t count;
    struct mm_profile *const *profiles; /* profiles of the experiments; borrowed */
    size_t profile_count;
    struct mm_runs runs;   /* variation between runs */
    struct mm_notes notes; /* rows that were not pooled, and the reason */
};

/* Pool the rows of all profiles, which must outlive the library, and fit models. The
 * result is new, or NULL with `err`. */
struct mm_library *mm_library_new(struct mm_profile *const *profiles, size_t count,
                                  struct cca_error *err);
/* Like mm_library_new, with options of the search, which may be NULL. */
struct mm_library *mm_library_fit(struct mm_profile *const *profiles, size_t count,
                                  const struct mm_search_options *options,
                                  struct cca_error *err);
void mm_library_free(struct mm_library *library);

/* Add notes on separate sets of one method to the library's notes. Returns 0 or -ENOMEM.
 */
int mm_library_note_apart(struct mm_library *library);
/* Find the model set of a method of a class: the set of build `build_id`, else the first
 * set; NULL: none. */
const struct mm_model_set *mm_library_find(const struct mm_library *library,
                                           const char *class_name, const char *build_id,
                                           const char *port_type, const char *method);
/* Find the set of class `class_name` that replaces `method` of `base`, preferably
 * measured together with the same classes; `*set` is NULL if there is none. Adds a note
 * if only other neighbours or another build were measured. Returns 0 or -ENOMEM. */
int mm_library_match(const struct mm_library *library, const char *class_name,
                     const char *build_id, const struct mm_method_info *method,
                     const struct mm_profile *base, struct mm_notes *notes,
                     const struct mm_model_set **set);
/* Map the in-values of `from` to the order of `to`. Returns 0, or 1 + index of a value of
 * `to` that `from` lacks. */
size_t mm_values_map(const struct mm_method_info *to, const struct mm_method_info *from,
                     const union monitor_value *in, union monitor_value *mapped);
/* Find the model for the mode of `in`, the in-values of `method`; NULL: none. `mapped`
 * gets the values in the order of the model's own method; `*missing` gets the name of a
 * value that `method` lacks. */
const struct mm_model *mm_model_set_find(const struct mm_model_set *set,
                                         const struct mm_method_info *method,
                                         const union monitor_value *in,
                                         union monitor_value *mapped,
                                         const char **missing);

/* Print a mode, "axis x" or "axis x, level 2"; "" without modes. `modes` has the
 * in-values of `method`. */
void mm_mode_print(const struct mm_method_info *method, const union monitor_value *modes,
                   char *text, size_t size);

#endif
