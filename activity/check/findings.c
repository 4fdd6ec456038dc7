/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c: the list of findings, sorted by place. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/check/check.h"
#include "common/array.h"

static void add(struct act_findings *f, const struct act_rule *rule,
                struct act_place place, const char *text)
{
    struct act_finding *finding;

    if (!rule || rule->severity == ACT_OFF)
        return;
    for (size_t i = 0; i < f->count; i++)
        if (f->all[i].rule == rule && f->all[i].place.line == place.line &&
            f->all[i].place.column == place.column)
            return;
    finding = cca_array_add(&f->all, &f->count, sizeof *finding);
    if (!finding) {
        f->failed = -ENOMEM;
        return;
    }
    finding->rule = rule;
    finding->place = place;
    snprintf(finding->text, sizeof finding->text, "%s", text);
}

void act_find(struct act_findings *f, const char *id, struct act_place place,
              const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(f, act_rules_find(f->rules, id), place, text);
}

void act_find_error(struct act_findings *f, const char *text, const char *otherwise)
{
    const struct act_rule *rule = act_rules_match(f->rules, text);
    struct act_place place = {0, 0};
    const char *at = strchr(text, ':');
    int used = 0;

    while (at && sscanf(at, ":%d:%d: %n", &place.line, &place.column, &used) != 2) {
        place = (struct act_place){0, 0};
        used = 0;
        at = strchr(at + 1, ':');
    }
    add(f, rule ? rule : act_rules_find(f->rules, otherwise), place,
        at && used ? at + used : text);
}

static int compare(const void *x, const void *y)
{
    const struct act_finding *a = x, *b = y;

    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return a->rule == b->rule ? 0 : a->rule < b->rule ? -1 : 1;
}

void act_findings_sort(struct act_findings *f)
{
    if (f->count)
        qsort(f->all, f->count, sizeof *f->all, compare);
}

void act_findings_done(struct act_findings *f)
{
    free(f->all);
    *f = (struct act_findings){0};
}
