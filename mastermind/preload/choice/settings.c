/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c: the settings of libraries that this program knows. */
#include "mastermind/preload/choice/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Functions that read and change a setting: int get(void), void set(int). */
static const struct setter {
    const char *kind, *get, *set;
    int is_shared;
} setters[] = {
    {"threads", "openblas_get_num_threads", "openblas_set_num_threads", 1},
    {"threads", "omp_get_max_threads", "omp_set_num_threads", 0},
};

static const char types[] = "types";

/* True for words "ksp=WORD" and "pc=WORD" with commas between. */
static int is_types(const char *text)
{
    const char *at = text;

    while (1) {
        const size_t key = strcspn(at, "="),
                     value = at[key] ? strspn(at + key + 1,
                                              "abcdefghijklmnopqrstuvwxyz0123456789_")
                                     : 0;

        if (!value || !((key == 3 && strncmp(at, "ksp", 3) == 0) ||
                        (key == 2 && strncmp(at, "pc", 2) == 0)))
            return 0;
        at += key + 1 + value;
        if (!*at)
            return 1;
        if (*at++ != ',')
            return 0;
    }
}

int mm_setting_parse(const char *text, struct mm_setting_value *value,
                     struct cca_error *err)
{
    static const char threads[] = "threads=";
    const size_t length = sizeof threads - 1;
    char *end;
    long number;

    if (is_types(text)) {
        *value = (struct mm_setting_value){types, 0};
        return 0;
    }
    if (strncmp(text, threads, length) == 0) {
        number = strtol(text + length, &end, 10);
        if (end != text + length && !*end && number >= 1 && number <= INT_MAX) {
            *value = (struct mm_setting_value){setters[0].kind, (int)number};
            return 0;
        }
    }
    return cca_error_set(err, -EINVAL,
                         "found '%s', expected a setting, as threads=2 or ksp=cg,pc=icc",
                         text);
}

/* Find the functions of libmm_petsc.so. */
static int find_types(struct mm_setting *setting, struct cca_error *err)
{
    union {
        void *address;
        int (*apply)(const char *text);
        size_t (*draw)(size_t count);
    } apply = {dlsym(RTLD_DEFAULT, "mm_petsc_apply")},
      draw = {dlsym(RTLD_DEFAULT, "mm_petsc_draw")};

    if (!apply.address || !draw.address)
        return cca_error_set(err, -ENOENT, "it is not PETSc: it has no types to set");
    *setting =
        (struct mm_setting){.kind = types, .apply = apply.apply, .draw = draw.draw};
    return 0;
}

int mm_setting_find(const char *kind, const char *file,
                    void *(*find)(const char *file, const char *symbol),
                    struct mm_setting *setting, struct cca_error *err)
{
    union {
        void *address;
        int (*get)(void);
        void (*set)(int value);
    } get, set;

    if (strcmp(kind, types) == 0)
        return find_types(setting, err);
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
        get.address = find(file, setters[i].get);
        set.address = find(file, setters[i].set);
        if (!get.address || !set.address)
            continue;
        *setting = (struct mm_setting){.kind = setters[i].kind,
                                       .get = get.get,
                                       .set = set.set,
                                       .is_shared = setters[i].is_shared};
        return 0;
    }
    return cca_error_set(err, -ENOENT,
                         "it has no call that sets %s: neither openblas_set_num_threads "
                         "nor omp_set_num_threads",
                         kind);
}
