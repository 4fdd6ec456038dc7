/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: options of activity run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "activity/cmd/run/run_verb.h"

static const char help[] =
    "usage: activity run FILE.act [options]\n"
    "\n"
    "  $ activity run examples/activity/sample.act --config N1P4,N8P32\n"
    "\n"
    "  --config N2P8,..  nodes, processes in all (usual: N1P1); N2P8T4: threads of each\n"
    "  --machine FILE    nodes, cores, networks (usual: the paper's four cores a node)\n"
    "  --set NAME=VALUE  a global begins with another value; may be given more than "
    "once\n"
    "  --models EXP ..   costs of model(\"..\"): experiments, repositories of models\n"
    "  --class I=CLASS   class in the place of instance I; may be given more than once\n"
    "  --metric NAME     TIME, CPU_TIME or COMPUTE_TIME (usual: without waiting in MPI)\n"
    "  --seed N          of the machine's noise (usual: 0)\n"
    "  --interpret       without a compiler\n"
    "  --allow-c         a model may have C of its own, which could do anything\n"
    "  --deadline S      seconds that a run may take (usual: 60)\n"
    "  -o EXP            the run as an experiment, of one configuration, for mastermind\n"
    "  --trace FILE      the run for Perfetto (Chrome's trace format), of one "
    "configuration\n"
    "  --timeline FILE   what each process does when, SVG, of one configuration\n"
    "  --profile FILE    time of the elements as bars, --table FILE as a table, both "
    "SVG\n"
    "  --against FILE    measured times, CSV with columns config, measured_s, source\n"
    "  --elements        sums of each element (usual for one configuration)\n"
    "  --json            all as JSON: docs/schemas/activity-run.json\n"
    "\n"
    "Exit status: 0 done, 2 misuse, 3 bad input, 4 a fault of the model, 5 I/O or "
    "memory.\n";

enum {
    CONFIG = 256,
    MACHINE,
    SET,
    MODELS,
    CLASS,
    METRIC,
    SEED,
    INTERPRET,
    ALLOW_C,
    DEADLINE,
    TRACE,
    TIMELINE,
    PROFILE,
    TABLE,
    AGAINST,
    ELEMENTS,
    JSON
};

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

static int take_models(struct run_asked *asked, char *path)
{
    if (asked->model_count == RUN_MODELS)
        return act_refuse(ACT_EXIT_MISUSE, "found more than %d experiments", RUN_MODELS);
    asked->models[asked->model_count++] = path;
    return -1;
}

/* Read "flux=GodunovFlux"; the text is cut in two. */
static int take_class(struct run_asked *asked, char *text)
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

static int take(struct run_asked *asked, int option)
{
    struct cca_error err = {0};

    switch (option) {
    case CONFIG:
        asked->config_count = act_configs_read(optarg, asked->configs, RUN_CONFIGS, &err);
        return asked->config_count < 0 ? act_refuse(ACT_EXIT_MISUSE, "%s", err.text) : -1;
    case MACHINE:
        asked->machine = optarg;
        return -1;
    case SET:
        if (asked->set_count == RUN_SETS || !strchr(optarg, '='))
            return act_refuse(
                ACT_EXIT_MISUSE,
                "found '%.60s' for --set, expected NAME=VALUE, at most %d of "
                "them",
                optarg, RUN_SETS);
        asked->sets[asked->set_count++] = optarg;
        return -1;
    case MODELS:
        return take_models(asked, optarg);
    case CLASS:
        return take_class(asked, optarg);
    case METRIC:
        asked->metric = optarg;
        return -1;
    case SEED:
        return read_seed(optarg, &asked->seed);
    case INTERPRET:
        asked->interpret = 1;
        return -1;
    case ALLOW_C:
        asked->allow_c = 1;
        return -1;
    case DEADLINE:
        return read_deadline(optarg, &asked->deadline_s);
    case 'o':
        asked->output = optarg;
        return -1;
    case TRACE:
        asked->trace = optarg;
        return -1;
    case TIMELINE:
        asked->timeline = optarg;
        return -1;
    case PROFILE:
        asked->profile = optarg;
        return -1;
    case TABLE:
        asked->table = optarg;
        return -1;
    case AGAINST:
        asked->against = optarg;
        return -1;
    case ELEMENTS:
        asked->elements = 1;
        return -1;
    case JSON:
        asked->json = 1;
        return -1;
    default:
        return act_usage(option, "run", help);
    }
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

int run_options_read(int argc, char **argv, struct run_asked *asked)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, CONFIG},
        {"machine", required_argument, NULL, MACHINE},
        {"set", required_argument, NULL, SET},
        {"models", required_argument, NULL, MODELS},
        {"class", required_argument, NULL, CLASS},
        {"metric", required_argument, NULL, METRIC},
        {"seed", required_argument, NULL, SEED},
        {"interpret", no_argument, NULL, INTERPRET},
        {"allow-c", no_argument, NULL, ALLOW_C},
        {"deadline", required_argument, NULL, DEADLINE},
        {"trace", required_argument, NULL, TRACE},
        {"timeline", required_argument, NULL, TIMELINE},
        {"profile", required_argument, NULL, PROFILE},
        {"table", required_argument, NULL, TABLE},
        {"against", required_argument, NULL, AGAINST},
        {"elements", no_argument, NULL, ELEMENTS},
        {"json", no_argument, NULL, JSON},
        {"help", no_argument, NULL, 'h'},
        {0}};
    struct cca_error err = {0};
    int option, rc = -1;

    *asked = (struct run_asked){.configs = {{1, 1, 0}}, .elements = -1, .deadline_s = 60};
    while (rc < 0 && (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1)
        rc = take(asked, option);
    if (rc < 0)
        rc = take_paths(asked, argv + optind, argc - optind);
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
