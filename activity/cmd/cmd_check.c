/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_check.c: activity check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "activity/check/check.h"
#include "activity/cmd/cmd.h"

enum { CONFIG, MACHINE, EVENTS, SET, RULES, STRICT, LIST, PRINT_RULES, JSON };
static const struct cca_option option_table[] = {
    [CONFIG] = {"--config", "N1P4,..",
                "runs that are tried (default: N1P4); none: the text alone"},
    [MACHINE] = {"--machine", "FILE",
                 "where they are tried (default: the paper's four cores a node)"},
    [EVENTS] = {"--events", "N",
                "a run with more events has no end (default: 20,000,000)"},
    [SET] = {"--set", "NAME=VALUE",
             "a global begins with another value; may be repeated"},
    [RULES] = {"--rules", "FILE",
               "severities and hints of your own (docs/reference/activity-language.md)"},
    [STRICT] = {"--strict", NULL, "warnings count as errors"},
    [LIST] = {"--list", NULL, "print the rules"},
    [PRINT_RULES] = {"--print-rules", NULL, "print the rules as a file for --rules"},
    [JSON] = {"--json", NULL, "findings as JSON: docs/schemas/activity-check.json"},
};
enum { CONFIGS = 64 };

struct asked {
    struct act_config configs[CONFIGS];
    int config_count;
    struct act_machine machine;
    const struct cca_given *sets;
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
    rc = model ? act_set_globals(model, asked->sets, &err) : err.code;
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

static int read_configs(struct asked *asked, const char *text)
{
    struct cca_error err = {0};

    asked->config_count = strcmp(text, "none") == 0
                              ? 0
                              : act_configs_read(text, asked->configs, CONFIGS, &err);
    return asked->config_count < 0 ? act_refuse(ACT_EXIT_MISUSE, "%s", err.text) : -1;
}

static int read_events(struct asked *asked, const char *text)
{
    char *end;

    asked->most_events = strtoll(text, &end, 10);
    return asked->most_events > 0 && !*end
               ? -1
               : act_refuse(ACT_EXIT_MISUSE,
                            "found '%.40s' for --events, expected a number above 0",
                            text);
}

/* Read the options. Returns -1 if they are valid, else an exit code. */
static int read_options(const struct cca_args *args, struct asked *asked)
{
    const struct cca_given *given = args->options;
    struct cca_error err = {0};
    int rc = act_check_sets(&given[SET]);

    asked->sets = &given[SET];
    asked->strict = given[STRICT].given;
    asked->list = given[LIST].given;
    asked->print_rules = given[PRINT_RULES].given;
    asked->json = given[JSON].given;
    if (rc < 0 && given[CONFIG].given)
        rc = read_configs(asked, cca_given_value(&given[CONFIG]));
    if (rc < 0 && given[EVENTS].given)
        rc = read_events(asked, cca_given_value(&given[EVENTS]));
    if (rc < 0 && given[MACHINE].given &&
        act_machine_load(&asked->machine, cca_given_value(&given[MACHINE]), &err))
        rc = act_complain(&err);
    for (int i = 0; i < given[RULES].given && rc < 0; i++)
        if (act_rules_load(&asked->rules, given[RULES].values[i], &err))
            rc = act_complain(&err);
    if (rc < 0 && !asked->list && !asked->print_rules && !args->count)
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

static int check_verb(const struct cca_args *args)
{
    struct asked asked = {
        .configs = {{1, 4, 0}}, .config_count = 1, .most_events = 20000000};
    int rc;

    act_machine_usual(&asked.machine);
    act_rules_usual(&asked.rules);
    rc = read_options(args, &asked);
    if (rc >= 0)
        return rc;
    if (asked.list)
        return list_rules(&asked.rules);
    if (asked.print_rules)
        return print_rules();
    return check_all(&asked, args->words, args->count);
}

const struct cca_verb act_verb_check = {
    .name = "check",
    .summary = "which rules a model breaks",
    .usage = "activity check FILE.act... [options]\nactivity check --list\n",
    .examples = "activity check examples/activity/sample.act\n",
    CCA_OPTIONS(option_table),
    .notes = "Exit status: 0 no errors, 1 an error was found, 2 misuse, 3 bad input: no "
             "model, 5 I/O or memory.\n",
    .run = check_verb,
};
