/* SPDX-License-Identifier: BSD-3-Clause */
/* axes.c: read and print the axes of a sweep. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

const char *sweep_kind_word(enum sweep_kind kind)
{
    static const char *const words[] = {"variable", "set", "class", "ranks", "env"};

    return words[kind];
}

const char *sweep_kind_option(enum sweep_kind kind)
{
    static const char *const options[] = {"-D", "--vary", "--class", "--ranks", "--env"};

    return options[kind];
}

void sweep_axis_done(struct sweep_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++)
        free(axis->texts[i]);
    free(axis->texts);
    free(axis->numbers);
    free(axis->parameter);
    free(axis->name);
}

static int is_number(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return *text && *text != ' ' && !*end && isfinite(*number);
}

/* If all values of an axis are numbers, set `numbers` and sort by them. Returns 0 or
 * -ENOMEM. */
static int sort_numbers(struct sweep_axis *axis)
{
    double *numbers = calloc(axis->count, sizeof *numbers);

    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < axis->count; i++) {
        size_t k = i;
        char *text = axis->texts[i];
        double number;

        if (axis->kind == SWEEP_CLASS || !is_number(text, &number)) {
            free(numbers);
            return 0;
        }
        for (; k > 0 && numbers[k - 1] > number; k--) {
            numbers[k] = numbers[k - 1];
            axis->texts[k] = axis->texts[k - 1];
        }
        numbers[k] = number;
        axis->texts[k] = text;
    }
    axis->numbers = numbers;
    return 0;
}

int sweep_axis_set_sizes(struct sweep_axis *axis, const double *sizes)
{
    double *numbers = calloc(axis->count, sizeof *numbers);

    if (!numbers || asprintf(&axis->parameter, "%s.bytes", axis->name) < 0) {
        axis->parameter = NULL;
        free(numbers);
        return -ENOMEM;
    }
    for (size_t i = 0; i < axis->count; i++) {
        char *text = axis->texts[i];
        size_t k = i;

        for (; k > 0 && numbers[k - 1] > sizes[i]; k--) {
            numbers[k] = numbers[k - 1];
            axis->texts[k] = axis->texts[k - 1];
        }
        numbers[k] = sizes[i];
        axis->texts[k] = text;
    }
    axis->numbers = numbers;
    return 0;
}

int sweep_axis_measure_files(struct sweep_axis *axis)
{
    double *sizes = calloc(axis->count, sizeof *sizes);
    int are_files = 1, result = 0;

    if (!sizes)
        return -ENOMEM;
    for (size_t i = 0; i < axis->count && are_files; i++) {
        struct stat status;

        are_files = stat(axis->texts[i], &status) == 0 && S_ISREG(status.st_mode);
        sizes[i] = are_files ? (double)status.st_size : 0;
        for (size_t k = 0; k < i && are_files; k++)
            are_files = sizes[k] < sizes[i] || sizes[k] > sizes[i];
    }
    if (are_files)
        result = sweep_axis_set_sizes(axis, sizes);
    free(sizes);
    return result;
}

int sweep_axis_set(struct sweep_axis *axis, char *const *texts, const double *sizes,
                   size_t count)
{
    struct sweep_axis fresh = {.kind = axis->kind, .name = strdup(axis->name)};
    int result = fresh.name ? 0 : -ENOMEM;

    for (size_t i = 0; i < count && !result; i++) {
        char **text = cca_array_add(&fresh.texts, &fresh.count, sizeof *text);

        if (!text || !(*text = strdup(texts[i])))
            result = -ENOMEM;
    }
    if (!result)
        result = sizes ? sweep_axis_set_sizes(&fresh, sizes) : sort_numbers(&fresh);
    if (result) {
        sweep_axis_done(&fresh);
        return mm_no_memory();
    }
    sweep_axis_done(axis);
    *axis = fresh;
    return -1;
}

static int check_ranks(const char *text)
{
    char *end;
    long ranks = strtol(text, &end, 10);

    if (*end || ranks < 1 || ranks > 1000000 || text[0] < '0' || text[0] > '9')
        return mm_refuse(MM_EXIT_MISUSE, "--ranks: found '%s', expected numbers of ranks",
                         mm_safe(text));
    return -1;
}

/* Refuse an empty value, a repeated one, and bytes that are not UTF-8. */
static int check_values(const struct sweep_axis *axis, const char *word)
{
    for (size_t i = 0; i < axis->count; i++) {
        json_t *text = json_string(axis->texts[i]);
        int result = -1;

        if (!text)
            return mm_refuse(MM_EXIT_MISUSE, "%s '%s': found bytes that are not UTF-8",
                             sweep_kind_option(axis->kind), mm_safe(word));
        json_decref(text);
        if (!*axis->texts[i])
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s '%s': found an empty value, expected values with commas "
                             "between",
                             sweep_kind_option(axis->kind), mm_safe(word));
        if (axis->kind == SWEEP_RANKS)
            result = check_ranks(axis->texts[i]);
        for (size_t k = 0; k < i && result < 0; k++)
            if (!strcmp(axis->texts[k], axis->texts[i]) ||
                (axis->numbers && axis->numbers[k] >= axis->numbers[i]))
                result = mm_refuse(MM_EXIT_MISUSE, "%s '%s': found '%s' twice",
                                   sweep_kind_option(axis->kind), mm_safe(word),
                                   mm_safe(axis->texts[i]));
        if (result >= 0)
            return result;
    }
    return -1;
}

static int split_values(struct sweep_axis *axis, const char *values)
{
    for (const char *at = values;; at++) {
        size_t length = strcspn(at, ",");
        char **text = cca_array_add(&axis->texts, &axis->count, sizeof *text);

        if (!text || !(*text = strndup(at, length)))
            return -ENOMEM;
        at += length;
        if (!*at)
            return 0;
    }
}

static int check_name(const struct sweep *sweep, const struct sweep_axis *axis,
                      const char *word)
{
    size_t dots = 0;

    for (const char *c = axis->name; *c; c++)
        dots += *c == '.';
    if (axis->kind == SWEEP_SET && dots != 2)
        return mm_refuse(MM_EXIT_MISUSE,
                         "--vary '%s': expected INSTANCE.PORT.NAME=VALUES",
                         mm_safe(word));
    for (const struct sweep_axis *a = sweep->axes; a < axis; a++)
        if (strcmp(a->name, axis->name) == 0)
            return mm_refuse(MM_EXIT_MISUSE, "%s '%s': '%s' is an axis already",
                             sweep_kind_option(axis->kind), mm_safe(word),
                             mm_safe(axis->name));
    return -1;
}

int sweep_axis_add(struct sweep *sweep, enum sweep_kind kind, const char *word)
{
    const char *equals = strchr(word, '=');
    struct sweep_axis *axis;
    int result;

    if (kind != SWEEP_RANKS && (!equals || equals == word))
        return mm_refuse(MM_EXIT_MISUSE, "%s '%s': expected %s=VALUE,...",
                         sweep_kind_option(kind), mm_safe(word),
                         kind == SWEEP_VARIABLE || kind == SWEEP_ENV ? "NAME"
                         : kind == SWEEP_SET ? "INSTANCE.PORT.NAME"
                                             : "INSTANCE");
    axis = cca_array_add(&sweep->axes, &sweep->axis_count, sizeof *axis);
    if (!axis)
        return mm_no_memory();
    axis->kind = kind;
    axis->name =
        kind == SWEEP_RANKS ? strdup("ranks") : strndup(word, (size_t)(equals - word));
    if (!axis->name || split_values(axis, kind == SWEEP_RANKS ? word : equals + 1) ||
        sort_numbers(axis))
        return mm_no_memory();
    result = check_name(sweep, axis, word);
    return result >= 0 ? result : check_values(axis, word);
}

const char *sweep_point_text(const struct sweep *sweep, const size_t *values, char *text,
                             size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t a = 0; a < sweep->axis_count && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", a ? " " : "",
                                 mm_safe(sweep->axes[a].name),
                                 mm_safe(sweep->axes[a].texts[values[a]]));
    return text;
}

json_t *sweep_point_json(const struct sweep *sweep, const size_t *values)
{
    json_t *object = json_object();

    for (size_t a = 0; a < sweep->axis_count; a++)
        mm_json_put(object, sweep->axes[a].name,
                    json_string(sweep->axes[a].texts[values[a]]));
    return object;
}
