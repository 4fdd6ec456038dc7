/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.h: the slot whose class is chosen in each call, and the regions of its calls.
 */
#ifndef MASTERMIND_CMD_CHOOSE_DISPATCH_H
#define MASTERMIND_CMD_CHOOSE_DISPATCH_H

#include "mastermind/choice/regions.h"
#include "mastermind/cmd/choose/choose_verb.h"

/* A method of the slot's port, and its calls in the first run. */
struct mm_dispatch_method {
    const struct mm_method_info *method;
    struct mm_regions_input input;
    struct mm_region_point *points; /* [input.count] */
    double *numbers;                /* the values and costs of all points */
    int *modes, *whole;             /* [in_count] */
    struct mm_regions regions;
    double left_out; /* number of calls that no class has a model for */
};

struct mm_dispatch {
    const struct mm_run_input *runs;
    struct mm_library *library;
    const struct mm_choose_asked *asked;
    const struct mm_profile *base;
    char *slot; /* instance of the slot; NULL: not found yet */
    const char *port, *port_type;
    /* true if the classes are one library with several settings,
     * "libblas.so.3:threads=1", measured by `record --try` */
    int is_library;
    int is_threads; /* true if that setting is a number of threads */
    const char *
        *classes; /* classes with models of the port; the slot's own is the first */
    size_t class_count;
    struct mm_dispatch_method *methods;
    size_t method_count;
};

/* The setting "threads=1" of the class "libblas.so.3:threads=1"; NULL: the class is no
 * library with a setting. */
const char *mm_dispatch_setting(const char *class_name);
/* The word that names a class in a file of rules. */
const char *mm_dispatch_word(const char *class_name);
/* True for calls of the slot: of its instance, or of a rival that `dispatch` made beside
 * it. */
int mm_dispatch_has(const struct mm_dispatch *d, const struct mm_method_info *method);

/* Write the file, where some region has another class, and print the regions. Returns an
 * exit code. */
int mm_dispatch_answer(const struct mm_dispatch *d);

#endif
