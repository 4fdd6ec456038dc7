/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h: settings of a library that can be chosen for each call, such as its number
 * of threads; a library's own functions read and change them. */
#ifndef MASTERMIND_PRELOAD_CHOICE_SETTINGS_H
#define MASTERMIND_PRELOAD_CHOICE_SETTINGS_H

#include <stddef.h>

#include "ports/cca_error.h"

/* A setting of one library: a number that is set before a call and set back behind it,
 * or types that are set for the object of a call and stay until others are. */
struct mm_setting {
    const char *kind; /* "threads" or "types"; borrowed, never freed */
    int (*get)(void);
    void (*set)(int value);
    int is_shared; /* true if the setting is the whole process's, false: the thread's */
    /* Set types such as "ksp=cg,pc=icc", or "": the program's. Returns 0; else the
     * program's are set. NULL: the setting is a number. */
    int (*apply)(const char *text);
    size_t (*draw)(size_t count); /* draws one of so many types; NULL: a number */
};

/* A value of a setting: "threads=2", or "ksp=cg,pc=icc". */
struct mm_setting_value {
    const char *kind;
    int value; /* of a number */
};

/* Parse a value of a setting. Returns 0; -EINVAL with `err`. */
int mm_setting_parse(const char *text, struct mm_setting_value *value,
                     struct cca_error *err);

/* Look for the functions for a setting in the library `file` by `find`, as in struct
 * mm_choice_calls. Returns 0; -ENOENT with `err`: it
 * has none. */
int mm_setting_find(const char *kind, const char *file,
                    void *(*find)(const char *file, const char *symbol),
                    struct mm_setting *setting, struct cca_error *err);

#endif
