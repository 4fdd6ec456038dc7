/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: options of activity run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "activity/cmd/run/run_verb.h"

enum {
    CONFIG,
    MACHINE,
    SET,
    MODELS,
    CLASS,
    METRIC,
    SEED,
    INTERPRET,
    ALLOW_C,
    DEADLINE,
    OUTPUT,
    TRACE,
    TIMELINE,
    PROFILE,
    TABLE,
    AGAINST,
    ELEMENTS,
    JSON
};
const struct cca_option run_options[RUN_OPTIONS] = {
    [CONFIG] = {"--config", "N2P8,..",
                "nodes, processes in all (default: N1P1); N2P8T4: threads of each"},
    [MACHINE] = {"--machine", "FILE",
                 "nodes, cores, networks (default: the paper's four cores a node)"},
    [SET] = {"--set", "NAME=VALUE",
             "a global begins with another value; may be repeated"},
    [MODELS] = {"--models", "EXP ..",
                "costs of model(\"..\"): experiments, repositories of models"},
    [CLASS] = {"--class", "INSTANCE=CLASS",
               "class in the place of an instance; may be repeated"},
    [METRIC] = {"--metric", "TIME|CPU_TIME|COMPUTE_TIME",
                "of the costs (default: without waiting in MPI)"},
    [SEED] = {"--seed", "N", "of the machine's noise (default: 0)"},
    [INTERPRET] = {"--interpret", NULL, "use no compiler"},
    [ALLOW_C] = {"--allow-c", NULL,
                 "a model may have C of its own, which could do anything"},
    [DEADLINE] = {"--deadline", "SECONDS", "that a run may take (default: 60)"},
    [OUTPUT] = {"--output", "EXP",
                "the run as an experiment, of one configuration, for mastermind", "-o"},
    [TRACE] = {"--trace", "FILE",
               "the run for Perfetto (Chrome's trace format), of one configuration"},
    [TIMELINE] = {"--timeline", "FILE",
                  "timeline of each process as SVG, of one configuration"},
    [PROFILE] = {"--profile", "FILE", "time of the elements as bars, SVG"},
    [TABLE] = {"--table", "FILE", "time of the elements as a table, SVG"},
    [AGAINST] = {"--against", "FILE",
                 "measured times, CSV with columns config, measured_s, source"},
    [ELEMENTS] = {"--elements", NULL,
                  "sums of each element (default for one configuration)"},
    [JSON] = {"--json", NULL, "all as JSON: docs/schemas/activity-run.json"},
};
_Static_assert((int)JSON + 1 == (int)RUN_OPTIONS, "one row an option");

static int read_seed(const char *text, uint64_t *seed)
{
    char *end;

    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return act_refuse(ACT_EXIT_MISUSE, "found '%.40s' for --seed, expected a number",
                          text);
    return -1;
}

static int read_deadline(const char *text, double *seconds)
{
    char *end;

    *seconds = strtod(text, &end);
    if (end == text || *end || !(*seconds > 0 && *seconds <= 1e6))
        return act_refuse(ACT_EXIT_MISUSE,
                          "found '%.40s' for --deadline, expected seconds above 0", text);
    return -1;
}

static int take_models(struct run_asked *asked, const char *path)
{
    if (asked->model_count == RUN_MODELS)
        return act_refuse(ACT_EXIT_MISUSE, "found more than %d experiments", RUN_MODELS);
    asked->models[asked->model_count++] = (char *)path;
    return -1;
}

/* Read "flux=GodunovFlux", an instance and its class; the text is cut in two at the
 * '='. */
static int take_class(struct run_asked *asked, const char *text)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text || !equals[1] || asked->class_count == RUN_CLASSES)
        return act_refuse(ACT_EXIT_MISUSE,
                          "found '%.60s' for --class, expected INSTANCE=CLASS, at most "
                          "%d of them",
                          text, RUN_CLASSES);
    *equals = '\0';
    asked->classes[asked->class_count++] = (struct act_cost_class){text, equals + 1};
    return -1;
}

/* Store the options whose value is used as given, and options without a value. */
static void take_plain(struct run_asked *asked, const struct cca_given *given)
{
    asked->machine = cca_given_value(&given[MACHINE]);
    asked->sets = &given[SET];
    asked->metric = cca_given_value(&given[METRIC]);
    asked->interpret = given[INTERPRET].given;
    asked->allow_c = given[ALLOW_C].given;
    asked->output = cca_given_value(&given[OUTPUT]);
    asked->trace = cca_given_value(&given[TRACE]);
    asked->timeline = cca_given_value(&given[TIMELINE]);
    asked->profile = cca_given_value(&given[PROFILE]);
    asked->table = cca_given_value(&given[TABLE]);
    asked->against = cca_given_value(&given[AGAINST]);
    asked->json = given[JSON].given;
    if (given[ELEMENTS].given)
        asked->elements = 1;
}

/* Read the options whose values are checked. Returns -1 if all are valid, else an exit
 * code. */
static int read_checked(struct run_asked *asked, const struct cca_given *given)
{
    struct cca_error err = {0};
    int rc = act_check_sets(&given[SET]);

    for (int i = 0; i < given[MODELS].given && rc < 0; i++)
        rc = take_models(asked, given[MODELS].values[i]);
    for (int i = 0; i < given[CLASS].given && rc < 0; i++)
        rc = take_class(asked, given[CLASS].values[i]);
    if (rc < 0 && given[SEED].given)
        rc = read_seed(cca_given_value(&given[SEED]), &asked->seed);
    if (rc < 0 && given[DEADLINE].given)
        rc = read_deadline(cca_given_value(&given[DEADLINE]), &asked->deadline_s);
    if (rc >= 0 || !given[CONFIG].given)
        return rc;
    asked->config_count = act_configs_read(cca_given_value(&given[CONFIG]),
                                           asked->configs, RUN_CONFIGS, &err);
    return asked->config_count < 0 ? act_refuse(ACT_EXIT_MISUSE, "%s", err.text) : -1;
}

static int is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Take the model's file and, since a shell expands --models to several arguments, further
 * directories and files of the Mastermind's models. */
static int take_paths(struct run_asked *asked, char **paths, int count)
{
    int rc = -1;

    for (int i = 0; i < count && rc < 0; i++) {
        const char *end = strstr(paths[i], ".model.json");

        if (is_directory(paths[i]) || (end && !end[strlen(".model.json")]))
            rc =
                asked->model_count
                    ? take_models(asked, paths[i])
                    : act_refuse(ACT_EXIT_MISUSE,
                                 "found '%.200s', expected --models before it", paths[i]);
        else if (asked->path)
            rc = act_refuse(ACT_EXIT_MISUSE,
                            "found '%.200s' and '%.200s', expected one model",
                            asked->path, paths[i]);
        else
            asked->path = paths[i];
    }
    if (rc < 0 && !asked->path)
        return act_refuse(ACT_EXIT_MISUSE, "expected one model; activity run -h");
    return rc;
}

int run_options_read(const struct cca_args *args, struct run_asked *asked)
{
    struct cca_error err = {0};
    int rc;

    *asked = (struct run_asked){.configs = {{1, 1, 0}}, .elements = -1, .deadline_s = 60};
    take_plain(asked, args->options);
    rc = read_checked(asked, args->options);
    if (rc < 0)
        rc = take_paths(asked, args->words, args->count);
    if (rc < 0 && asked->against && run_against_read(asked, &err))
        return act_complain(&err);
    if (rc < 0 && !asked->config_count)
        asked->config_count = 1;
    if (rc < 0 && asked->config_count != 1 &&
        (asked->output || asked->trace || asked->timeline || asked->profile ||
         asked->table))
        return act_refuse(ACT_EXIT_MISUSE,
                          "-o, --trace and pictures take one configuration, found %d",
                          asked->config_count);
    return rc;
}
