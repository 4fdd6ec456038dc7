/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_check.c: activity check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "activity/check/check.h"
#include "activity/cmd/cmd.h"

static const char help[] =
    "usage: activity check FILE.act... [options]\n"
    "       activity check --list\n"
    "\n"
    "  $ activity check examples/activity/sample.act\n"
    "\n"
    "  --config N1P4,..  runs that are tried (usual: N1P4); none: the text alone\n"
    "  --machine FILE    where they are tried (usual: the paper's four cores a node)\n"
    "  --events N        how long a run may be before it has no end (usual: "
    "20,000,000)\n"
    "  --set NAME=VALUE  a global begins with another value; may be given more than "
    "once\n"
    "  --rules FILE      severities and hints of your own "
    "(docs/reference/activity-language.md)\n"
    "  --strict          warnings count as errors\n"
    "  --list            the rules\n"
    "  --print-rules     the rules as a file for --rules\n"
    "  --json            findings as JSON: docs/schemas/activity-check.json\n"
    "\n"
    "Exit status: 0 no errors, 1 an error was found, 2 misuse, 3 bad input: no model, "
    "5 I/O\n"
    "or memory.\n";

enum { CONFIG = 256, MACHINE, EVENTS, SET, RULES, STRICT, LIST, PRINT_RULES, JSON };
enum { CONFIGS = 64, SETS = 64 };

struct asked {
    struct act_config configs[CONFIGS];
    int config_count;
    struct act_machine machine;
    const char *sets[SETS];
    int set_count;
    int64_t most_events;
    int strict, list, print_rules, json;
    struct act_rules rules;
};

/* --- Printing --------------------------------------------------------------------- */

static int list_rules(const struct act_rules *rules)
{
    for (int i = 0; i < rules->count; i++)
        printf("%-16s %-8s %s\n", rules->all[i].id,
               act_severity_names[rules->all[i].severity], rules->all[i].says);
    return act_finish_output(ACT_EXIT_DONE);
}

static int print_rules(void)
{
    for (int i = 0; act_rules_usual_text[i]; i++)
        fputs(act_rules_usual_text[i], stdout);
    return act_finish_output(ACT_EXIT_DONE);
}

static void print_text(const char *path, const struct act_findings *f)
{
    int counts[ACT_SEVERITIES] = {0};
    const char *comma = "";

    for (size_t i = 0; i < f->count; i++) {
        const struct act_finding *one = &f->all[i];

        counts[one->rule->severity]++;
        if (one->place.line)
            printf("%s:%d:%d: ", path, one->place.line, one->place.column);
        else
            printf("%s: ", path);
        printf("%s: %s [%s]\n    hint: %s\n", act_severity_names[one->rule->severity],
               one->text, one->rule->id, one->rule->hint);
    }
    printf("%s: ", path);
    for (int s = ACT_ERROR; s > ACT_OFF; s--)
        if (counts[s]) {
            printf("%s%d %s%s", comma, counts[s], act_severity_names[s],
                   counts[s] == 1 ? "" : "s");
            comma = ", ";
        }
    puts(*comma ? "" : "nothing found");
}

static json_t *findings_json(const char *path, const struct act_findings *f)
{
    json_t *all = json_array();

    for (size_t i = 0; i < f->count; i++) {
        const struct act_finding *one = &f->all[i];

        json_array_append_new(
            all, json_pack("{s:s, s:s, s:i, s:i, s:s, s:s}", "rule", one->rule->id,
                           "severity", act_severity_names[one->rule->severity], "line",
                           one->place.line, "column", one->place.column, "text",
                           one->text, "hint", one->rule->hint));
    }
    return json_pack("{s:s, s:o}", "file", path, "findings", all);
}

/* --- One model -------------------------------------------------------------------- */

static int exit_code(const struct asked *asked, const struct act_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->all[i].rule->severity == ACT_ERROR ||
            (asked->strict && f->all[i].rule->severity == ACT_WARNING))
            return ACT_EXIT_NO;
    return ACT_EXIT_DONE;
}

/* Check one file and add its findings. Returns an exit code. */
static int check_file(const struct asked *asked, const char *path, struct act_findings *f)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_load(path, &err);
    int rc;

    if (!model && err.code == -EINVAL) {
        act_find_error(f, err.text, "syntax");
        return ACT_EXIT_INPUT;
    }
    rc = model ? act_set_globals(model, asked->sets, asked->set_count, &err) : err.code;
    if (rc) {
        act_model_free(model);
        return act_complain(&err);
    }
    act_check_text(f, model);
    act_check_runs(f, model, &asked->machine, asked->configs, asked->config_count,
                   asked->most_events);
    act_findings_sort(f);
    act_model_free(model);
    if (f->failed)
        return act_refuse(ACT_EXIT_SYSTEM, "%s", strerror(ENOMEM));
    return exit_code(asked, f);
}

/* --- Options ---------------------------------------------------------------------- */

static int take(struct asked *asked, int option)
{
    struct cca_error err = {0};
    char *end;

    switch (option) {
    case CONFIG:
        asked->config_count =
            strcmp(optarg, "none") == 0
                ? 0
                : act_configs_read(optarg, asked->configs, CONFIGS, &err);
        return asked->config_count < 0 ? act_refuse(ACT_EXIT_MISUSE, "%s", err.text) : -1;
    case MACHINE:
        return act_machine_load(&asked->machine, optarg, &err) ? act_complain(&err) : -1;
    case EVENTS:
        asked->most_events = strtoll(optarg, &end, 10);
        return asked->most_events > 0 && !*end
                   ? -1
                   : act_refuse(ACT_EXIT_MISUSE,
                                "found '%.40s' for --events, expected a number above 0",
                                optarg);
    case SET:
        if (asked->set_count == SETS || !strchr(optarg, '='))
            return act_refuse(ACT_EXIT_MISUSE,
                              "found '%.60s' for --set, expected NAME=VALUE, at most %d "
                              "of them",
                              optarg, SETS);
        asked->sets[asked->set_count++] = optarg;
        return -1;
    case RULES:
        return act_rules_load(&asked->rules, optarg, &err) ? act_complain(&err) : -1;
    case STRICT:
        asked->strict = 1;
        return -1;
    case LIST:
        asked->list = 1;
        return -1;
    case PRINT_RULES:
        asked->print_rules = 1;
        return -1;
    case JSON:
        asked->json = 1;
        return -1;
    default:
        return act_usage(option, "check", help);
    }
}

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const struct option options[] = {
        {"config", required_argument, NULL, CONFIG},
        {"machine", required_argument, NULL, MACHINE},
        {"events", required_argument, NULL, EVENTS},
        {"set", required_argument, NULL, SET},
        {"rules", required_argument, NULL, RULES},
        {"strict", no_argument, NULL, STRICT},
        {"list", no_argument, NULL, LIST},
        {"print-rules", no_argument, NULL, PRINT_RULES},
        {"json", no_argument, NULL, JSON},
        {"help", no_argument, NULL, 'h'},
        {0}};
    int option, rc = -1;

    while (rc < 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
        rc = take(asked, option);
    if (rc < 0 && !asked->list && !asked->print_rules && optind == argc)
        return act_refuse(ACT_EXIT_MISUSE, "expected a model; activity check -h");
    return rc;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int check_all(const struct asked *asked, char **paths, int count)
{
    json_t *files = json_array(), *document;
    int code = ACT_EXIT_DONE;

    for (int i = 0; i < count; i++) {
        struct act_findings f = {.rules = &asked->rules};
        int one = check_file(asked, paths[i], &f);

        if (asked->json)
            json_array_append_new(files, findings_json(paths[i], &f));
        else if (one <= ACT_EXIT_NO || f.count)
            print_text(paths[i], &f);
        act_findings_done(&f);
        code = worse(code, one);
    }
    document = json_pack("{s:s, s:o}", "schema", "activity/check/1", "files", files);
    if (asked->json) {
        if (!document || json_dumpf(document, stdout, JSON_INDENT(1)))
            code = act_refuse(ACT_EXIT_SYSTEM, "%s", strerror(ENOMEM));
        puts("");
    }
    json_decref(document);
    return act_finish_output(code);
}

int act_cmd_check(int argc, char **argv)
{
    struct asked asked = {
        .configs = {{1, 4, 0}}, .config_count = 1, .most_events = 20000000};
    int rc;

    act_machine_usual(&asked.machine);
    act_rules_usual(&asked.rules);
    rc = read_options(argc, argv, &asked);
    if (rc >= 0)
        return rc;
    if (asked.list)
        return list_rules(&asked.rules);
    if (asked.print_rules)
        return print_rules();
    return check_all(&asked, argv + optind, argc - optind);
}
