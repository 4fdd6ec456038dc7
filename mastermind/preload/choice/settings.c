/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c: the settings of libraries that this program knows. */
#include "mastermind/preload/choice/settings.h"

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

int mm_setting_parse(const char *text, struct mm_setting_value *value,
                     struct cca_error *err)
{
    const char *sign = strchr(text, '=');
    char *end;
    long number;

    for (size_t i = 0; sign && i < sizeof setters / sizeof *setters; i++) {
        const char *kind = setters[i].kind;

        if (strncmp(kind, text, (size_t)(sign - text)) != 0 || kind[sign - text])
            continue;
        number = strtol(sign + 1, &end, 10);
        if (end == sign + 1 || *end || number < 1 || number > INT_MAX)
            break;
        *value = (struct mm_setting_value){kind, (int)number};
        return 0;
    }
    return cca_error_set(err, -EINVAL, "found '%s', expected a setting, as threads=2",
                         text);
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

    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
        if (strcmp(setters[i].kind, kind) != 0)
            continue;
        get.address = find(file, setters[i].get);
        set.address = find(file, setters[i].set);
        if (!get.address || !set.address)
            continue;
        *setting =
            (struct mm_setting){setters[i].kind, get.get, set.set, setters[i].is_shared};
        return 0;
    }
    return cca_error_set(err, -ENOENT,
                         "it has no call that sets %s: neither openblas_set_num_threads "
                         "nor omp_set_num_threads",
                         kind);
}
