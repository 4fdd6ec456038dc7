/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: what is asked of activity run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cmd/run/run_verb.h"

static const char help[] =
    "usage: activity run FILE.act [options]\n"
    "\n"
    "  $ activity run activity/examples/sample.act --config N1P4,N8P32\n"
    "\n"
    "  --config N2P8,..  nodes, processes in all (usual: N1P1); N2P8T4: threads of each\n"
    "  --machine FILE    nodes, cores, networks (usual: the paper's four cores a node)\n"
    "  --set NAME=VALUE  a global begins with another value; may be given more than "
    "once\n"
    "  --seed N          of the machine's noise (usual: 0)\n"
    "  --interpret       without a compiler\n"
    "  --allow-c         a model may have C of its own, which could do anything\n"
    "  --deadline S      seconds that a compiled model may take (usual: 60)\n"
    "  -o EXP            the run as an experiment, of one configuration, for mastermind\n"
    "  --elements        sums of each element (usual for one configuration)\n"
    "  --json            all as JSON: docs/schemas/activity-run.json\n"
    "\n"
    "Exit status: 0 done, 2 misuse, 3 bad input, 4 a fault of the model, 5 I/O or "
    "memory.\n";

enum { CONFIG = 256, MACHINE, SET, SEED, INTERPRET, ALLOW_C, DEADLINE, ELEMENTS, JSON };

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

int run_options_read(int argc, char **argv, struct run_asked *asked)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, CONFIG},
        {"machine", required_argument, NULL, MACHINE},
        {"set", required_argument, NULL, SET},
        {"seed", required_argument, NULL, SEED},
        {"interpret", no_argument, NULL, INTERPRET},
        {"allow-c", no_argument, NULL, ALLOW_C},
        {"deadline", required_argument, NULL, DEADLINE},
        {"elements", no_argument, NULL, ELEMENTS},
        {"json", no_argument, NULL, JSON},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int option, rc = -1;

    *asked = (struct run_asked){
        .configs = {{1, 1, 0}}, .config_count = 1, .elements = -1, .deadline_s = 60};
    while (rc < 0 && (option = getopt_long(argc, argv, "ho:", options, NULL)) != -1)
        rc = take(asked, option);
    if (rc < 0 && argc - optind != 1)
        return act_refuse(ACT_EXIT_MISUSE, "expected one model; activity run -h");
    if (rc < 0 && asked->output && asked->config_count != 1)
        return act_refuse(ACT_EXIT_MISUSE, "-o takes one configuration, found %d",
                          asked->config_count);
    asked->path = argv[optind];
    return rc;
}
