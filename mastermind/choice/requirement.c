/* SPDX-License-Identifier: BSD-3-Clause */
/* requirement.c: read and check a bound on a quality. */
#include "mastermind/choice/requirement.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer operators first, so that "<=" is not parsed as "<". */
static const struct {
    const char *text;
    enum mm_relation relation;
} relations[] = {{"<=", MM_LESS_EQUAL}, {">=", MM_GREATER_EQUAL}, {"==", MM_EQUAL},
                 {"<", MM_LESS},        {">", MM_GREATER},        {"=", MM_EQUAL}};

const char *mm_relation_text(enum mm_relation relation)
{
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (relations[i].relation == relation)
            return relations[i].text;
    }
    return "?";
}

int mm_requirement_parse(struct mm_requirement *requirement, const char *text,
                         struct cca_error *err)
{
    struct mm_requirement r = {0};
    const char *at = text + strspn(text, " \t");
    size_t length = strcspn(at, " \t<>=");
    size_t i = 0;
    char *end;

    if (!length || length >= sizeof r.quality)
        return cca_error_set(err, -EINVAL, "'%s': expected QUALITY <= NUMBER", text);
    memcpy(r.quality, at, length);
    at += length;
    at += strspn(at, " \t");
    while (i < sizeof relations / sizeof *relations &&
           strncmp(at, relations[i].text, strlen(relations[i].text)) != 0)
        i++;
    if (i == sizeof relations / sizeof *relations)
        return cca_error_set(err, -EINVAL,
                             "'%s': expected one of < <= == >= > after '%s'", text,
                             r.quality);
    r.relation = relations[i].relation;
    at += strlen(relations[i].text);
    r.bound = strtod(at, &end);
    if (end == at || end[strspn(end, " \t")] || isnan(r.bound))
        return cca_error_set(err, -EINVAL, "'%s': expected a number after '%s'", text,
                             relations[i].text);
    *requirement = r;
    return 0;
}
