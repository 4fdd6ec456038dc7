/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if_changes.c: read the changes on the command line of `mastermind whatif`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/predict/what_if.h"

/* Find the method `name`, or the only method whose last part it is. Returns -1 to go on.
 */
static int find_method(const struct what_method *methods, size_t count, const char *name,
                       const struct what_method **method)
{
    struct cca_nearest nearest;
    size_t found = 0;
    char hint[128];

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(methods[i].info->name, name) == 0) {
            *method = &methods[i];
            return -1;
        }
        if (strcmp(methods[i].info->method, name) == 0 && !found++)
            *method = &methods[i];
        cca_nearest_offer(&nearest, methods[i].info->name);
    }
    if (found == 1)
        return -1;
    if (found)
        return mm_refuse(MM_EXIT_MISUSE, "%zu methods are named '%s', the first one %s",
                         found, mm_safe(name), mm_safe((*method)->info->name));
    return mm_refuse(MM_EXIT_INPUT, "no method '%s' was called%s", mm_safe(name),
                     mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
}

/* Read "-30%", "+30%" or "2.5us". Returns 0 if it is none of them. */
static int read_value(const char *text, struct mm_change *change)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double value = strtod(text, &end);

    change->factor = change->call_ns = NAN;
    if (end == text || !isfinite(value) || strpbrk(text, "xX"))
        return 0;
    while (*end == ' ')
        end++;
    if (strcmp(end, "%") == 0 && strchr("+-", *text) && value >= -100) {
        change->factor = 1 + value / 100;
        return 1;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && value >= 0 && !strchr("+-", *text))
            change->call_ns = value * units[i].ns;
    return isfinite(change->call_ns);
}

static int refuse_value(const struct mm_method_info *method, const char *value)
{
    if ((*value | 32) >= 'a' && (*value | 32) <= 'z')
        return mm_refuse(MM_EXIT_MISUSE,
                         "%s=%s: expected a cost; another class is a question to "
                         "mastermind predict --set %s=%s",
                         mm_safe(method->name), mm_safe(value), mm_safe(method->instance),
                         mm_safe(value));
    return mm_refuse(
        MM_EXIT_MISUSE,
        "%s=%s: expected a change such as -30%% or +50%%, or a time per call "
        "such as 2us",
        mm_safe(method->name), mm_safe(value));
}

/* Read a value of a change: a class, or another cost. */
static int read_change(const struct what_methods *methods,
                       const struct what_method *method, const char *value,
                       struct mm_change *change)
{
    int result;

    if (read_value(value, change))
        return -1;
    result = methods->class_factor(methods->context, method, value, &change->factor);
    if (result >= 0)
        return result;
    return isnan(change->factor) ? refuse_value(method->info, value) : -1;
}

int what_changes_read(struct mm_change *changes, const struct what_method **changed,
                      char *const *words, size_t count,
                      const struct what_methods *methods)
{
    int result;

    for (size_t i = 0; i < count; i++) {
        const char *value = strrchr(words[i], '=') + 1;
        char *name = strndup(words[i], (size_t)(value - 1 - words[i]));

        if (!name)
            return mm_no_memory();
        result = find_method(methods->items, methods->count, name, &changed[i]);
        free(name);
        if (result >= 0)
            return result;
        changes[i] = changed[i]->change;
        result = read_change(methods, changed[i], value, &changes[i]);
        if (result >= 0)
            return result;
        for (size_t k = 0; k < i; k++)
            if (changed[k] == changed[i])
                return mm_refuse(MM_EXIT_MISUSE, "%s is changed twice",
                                 mm_safe(changed[i]->info->name));
    }
    return -1;
}

void what_swaps_free(char **swaps, size_t count)
{
    for (size_t i = 0; i < count && swaps; i++)
        free(swaps[i]);
    free(swaps);
}

int what_swaps_list(char ***swaps, const struct what_method *const *changed,
                    char *const *words, size_t count)
{
    int all = count > 0;

    *swaps = NULL;
    for (size_t i = 0; i < count; i++) {
        struct mm_change change;

        all &= !read_value(strrchr(words[i], '=') + 1, &change);
        for (size_t k = 0; k < i; k++)
            all &= strcmp(changed[k]->info->instance, changed[i]->info->instance) != 0;
    }
    if (!all)
        return 0;
    *swaps = calloc(count, sizeof **swaps);
    for (size_t i = 0; i < count && *swaps; i++)
        if (asprintf(&(*swaps)[i], "%s=%s", changed[i]->info->instance,
                     strrchr(words[i], '=') + 1) < 0) {
            (*swaps)[i] = NULL;
            what_swaps_free(*swaps, count);
            *swaps = NULL;
        }
    return *swaps ? 0 : -ENOMEM;
}
