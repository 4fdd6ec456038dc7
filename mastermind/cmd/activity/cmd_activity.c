/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_activity.c: print a measured run as an activity model, in text form. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/trip.h"
#include "mastermind/cmd/cmd.h"

enum { OUTPUT, MEANS, NAME };

static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "FILE", "write FILE, not standard output", "-o"},
    [MEANS] = {"--means", NULL,
               "costs are numbers: means of method, mode and size; else they ask models: "
               "activity run --models EXPERIMENT..."},
    [NAME] = {"--name", "NAME",
              "name of the model (default: that of FILE or of the experiment)"},
};

/* Make a name of the activity language (letters, digits, _) from the last part of a path
 * without its extension. */
static void name_of_path(const char *path, char *name, size_t size)
{
    const char *from = path, *end = path + strlen(path);
    size_t length = 0;

    while (end > path && end[-1] == '/')
        end--;
    for (const char *at = path; at < end; at++)
        if (*at == '/')
            from = at + 1;
    for (const char *at = end; at > from + 1; at--) {
        if (at[-1] == '.') {
            end = at - 1;
            break;
        }
    }
    if (from < end && isdigit((unsigned char)*from))
        name[length++] = 'm';
    for (; from < end && length + 1 < size; from++)
        name[length++] = *from == '_' || isalnum((unsigned char)*from) ? *from : '_';
    if (!length)
        name[length++] = 'm';
    name[length] = '\0';
}

static int is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return 0;
    while (*text == '_' || isalnum((unsigned char)*text))
        text++;
    return !*text;
}

static int write_text(const char *path, const char *text)
{
    FILE *out;
    int failed;

    if (!path) {
        fputs(text, stdout);
        return mm_finish_output(MM_EXIT_DONE);
    }
    out = fopen(path, "w");
    if (!out)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                         strerror(errno));
    failed = fputs(text, out) == EOF;
    failed |= fclose(out) != 0;
    return failed ? mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                              strerror(errno))
                  : MM_EXIT_DONE;
}

static int write_model(const struct mm_paths *paths,
                       const struct act_trip_options *options, const char *output)
{
    struct mm_experiment **experiments = calloc(paths->count + 1, sizeof *experiments);
    struct cca_error err = {0};
    char *text = NULL;
    int result = experiments ? 0 : cca_no_memory(&err);

    for (size_t i = 0; i < paths->count && !result; i++) {
        experiments[i] = mm_experiment_open(paths->items[i], &err);
        result = experiments[i] ? 0 : err.code;
    }
    if (!result)
        text = act_trip_text(experiments, paths->count, options, &err);
    result = text ? write_text(output, text) : mm_complain(&err);
    free(text);
    for (size_t i = 0; experiments && i < paths->count; i++)
        mm_experiment_free(experiments[i]);
    free(experiments);
    return result;
}

static int activity_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct act_trip_options trip = {0};
    struct mm_paths paths;
    const char *output;
    char name[100];
    int result;

    if (args->count < 1)
        return mm_refuse(MM_EXIT_MISUSE, "activity takes experiments");
    output = cca_given_value(&options[OUTPUT]);
    name_of_path(output ? output : args->words[0], name, sizeof name);
    trip.name = options[NAME].given ? cca_given_value(&options[NAME]) : name;
    trip.costs = options[MEANS].given ? ACT_TRIP_MEANS : ACT_TRIP_MODELS;
    if (!is_name(trip.name))
        return mm_refuse(MM_EXIT_MISUSE,
                         "found '%s' for --name, expected letters, digits and _",
                         mm_safe(trip.name));
    result = mm_paths_expand(&paths, args->words, args->count);
    if (result < 0)
        result = write_model(&paths, &trip, output);
    mm_paths_done(&paths);
    return result;
}

const struct cca_verb mm_verb_activity = {
    .name = "activity",
    .summary = "a run as an activity model, to edit and simulate",
    .examples =
        "mastermind activity shock-1.mm -o shock.act\n"
        "mastermind activity shock-1.mm --means -o shock.act && activity run shock.act\n"
        "mastermind activity sweep -o shock.act && activity run shock.act --set NX=256 "
        "--models sweep/*.mm\n",
    .about =
        "Write what a run did, in order, as an activity model: loops, branches, costs. "
        "Of one experiment, or several with equal parameters, counts are exact: numbers, "
        "or tables. Where parameters differ, counts are scaling functions of them, and "
        "the first experiment gives the values that they begin with.\n",
    CCA_OPTIONS(option_table),
    .run = activity_verb,
};
