/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h: settings of a library that can be chosen for each call, such as its number
 * of threads; a library's own functions read and change them. */
#ifndef MASTERMIND_PRELOAD_CHOICE_SETTINGS_H
#define MASTERMIND_PRELOAD_CHOICE_SETTINGS_H

#include "ports/cca_error.h"

/* A setting of one library. */
struct mm_setting {
    const char *kind; /* "threads"; borrowed, never freed */
    int (*get)(void);
    void (*set)(int value);
    int is_shared; /* true if the setting is the whole process's, false: the thread's */
};

/* A value of a setting, "threads=2". */
struct mm_setting_value {
    const char *kind;
    int value;
};

/* Parse "threads=2". Returns 0; -EINVAL with `err`. */
int mm_setting_parse(const char *text, struct mm_setting_value *value,
                     struct cca_error *err);

/* Look for the functions for a setting in the library `file` by `find`, as in struct
 * mm_choice_calls. Returns 0; -ENOENT with `err`: it
 * has none. */
int mm_setting_find(const char *kind, const char *file,
                    void *(*find)(const char *file, const char *symbol),
                    struct mm_setting *setting, struct cca_error *err);

#endif
