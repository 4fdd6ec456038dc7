/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c: read model checking files. */
#include "activity/check/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

const char *const act_severity_names[ACT_SEVERITIES] = {"off", "note", "warning",
                                                        "error"};

/* State of reading a model checking file. */
struct reading {
    struct act_rules *rules;
    struct act_rule *rule; /* rule of the current section; NULL: none yet */
    /* path of the file; NULL: the built-in rules, which may define new rules */
    const char *path;
    int line;
    int matched; /* 1: the current section already had a line `match = ..` */
    struct cca_error *err;
};

static int refuse(const struct reading *r, const char *found, const char *expected)
{
    return cca_error_set(r->err, -EINVAL, "%s:%d: found '%.60s', expected %s",
                         r->path ? r->path : "usual rules", r->line, found, expected);
}

const struct act_rule *act_rules_find(const struct act_rules *rules, const char *id)
{
    for (int i = 0; i < rules->count; i++)
        if (strcmp(rules->all[i].id, id) == 0)
            return &rules->all[i];
    return NULL;
}

const struct act_rule *act_rules_match(const struct act_rules *rules, const char *text)
{
    for (int i = 0; i < rules->count; i++)
        for (int k = 0; k < rules->all[i].matches; k++)
            if (strstr(text, rules->all[i].match[k]))
                return &rules->all[i];
    return NULL;
}

static int begin_section(struct reading *r, char *text)
{
    char *end = strchr(text, ']'), hint[160], expected[240];
    struct cca_nearest nearest;

    if (!end || end[1] || end == text + 1)
        return refuse(r, text, "[RULE]");
    *end = '\0';
    text++;
    r->rule = (struct act_rule *)act_rules_find(r->rules, text);
    r->matched = 0;
    if (r->rule)
        return 0;
    if (r->path) {
        cca_nearest_init(&nearest, text);
        for (int i = 0; i < r->rules->count; i++)
            cca_nearest_offer(&nearest, r->rules->all[i].id);
        snprintf(expected, sizeof expected, "a rule of activity check --list%s",
                 cca_nearest_hint(nearest.best, hint, sizeof hint));
        return refuse(r, text, expected);
    }
    r->rule = &r->rules->all[r->rules->count++];
    snprintf(r->rule->id, sizeof r->rule->id, "%.31s", text);
    return 0;
}

static int take_severity(struct reading *r, const char *value)
{
    for (int s = 0; s < ACT_SEVERITIES; s++)
        if (strcmp(value, act_severity_names[s]) == 0) {
            r->rule->severity = (enum act_severity)s;
            return 0;
        }
    return refuse(r, value, "error, warning, note or off");
}

static int take_match(struct reading *r, const char *value)
{
    if (!r->matched)
        r->rule->matches = 0;
    r->matched = 1;
    if (r->rule->matches == ACT_RULE_MATCHES)
        return refuse(r, value, "at most 8 of match");
    snprintf(r->rule->match[r->rule->matches++], ACT_RULE_TEXT, "%.199s", value);
    return 0;
}

static int take(struct reading *r, const char *key, const char *value)
{
    if (!r->rule)
        return refuse(r, key, "[RULE] before it");
    if (strlen(value) >= ACT_RULE_TEXT)
        return refuse(r, value, "at most 199 letters");
    if (strcmp(key, "severity") == 0)
        return take_severity(r, value);
    if (strcmp(key, "says") == 0)
        snprintf(r->rule->says, sizeof r->rule->says, "%s", value);
    else if (strcmp(key, "hint") == 0)
        snprintf(r->rule->hint, sizeof r->rule->hint, "%s", value);
    else if (strcmp(key, "match") == 0)
        return take_match(r, value);
    else
        return refuse(r, key, "severity, says, hint or match");
    return 0;
}

static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t\r");
    length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static int read_line(struct reading *r, char *line)
{
    char *text = trim(line), *equals;

    if (!*text || *text == '#')
        return 0;
    if (*text == '[')
        return begin_section(r, text);
    equals = strchr(text, '=');
    if (!equals)
        return refuse(r, text, "KEY = VALUE");
    *equals = '\0';
    return take(r, trim(text), trim(equals + 1));
}

/* Read rules from `text`, which is modified. */
static int read_text(struct reading *r, char *text)
{
    char *line;
    int rc = 0;

    while (!rc && (line = strsep(&text, "\n"))) {
        r->line++;
        rc = read_line(r, line);
    }
    return rc;
}

void act_rules_usual(struct act_rules *rules)
{
    struct cca_error err = {0};
    struct reading r = {.rules = rules, .err = &err};

    *rules = (struct act_rules){.count = 0};
    for (int i = 0; act_rules_usual_text[i]; i++) {
        char *text = strdup(act_rules_usual_text[i]);

        if (!text || read_text(&r, text))
            fprintf(stderr, "activity: %s\n", text ? err.text : strerror(ENOMEM));
        free(text);
    }
}

int act_rules_load(struct act_rules *rules, const char *path, struct cca_error *err)
{
    struct reading r = {.rules = rules, .path = path, .err = err};
    FILE *in = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int rc = 0;

    if (!in)
        return cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    while (!rc && (length = getline(&line, &room, in)) >= 0) {
        r.line++;
        if (length && line[length - 1] == '\n')
            line[length - 1] = '\0';
        rc = read_line(&r, line);
    }
    if (!rc && ferror(in))
        rc = cca_error_set(err, -EIO, "%s: %s", path, strerror(EIO));
    free(line);
    fclose(in);
    return rc;
}
