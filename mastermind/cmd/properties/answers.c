/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.c: print every answer, for people or as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"

enum { WIDE = 100, INDENT = 2, CELL = 200, SEVERITY = 24, CONFIDENCE = 10 };

static void put_unit(char *text, size_t size, const struct mm_named_answer *answer)
{
    if (answer->detail)
        snprintf(text, size, "%s", mm_safe(answer->detail));
    else if (answer->rank < 0)
        snprintf(text, size, "all");
    else if (answer->thread > 0)
        snprintf(text, size, "rank %d.%d", answer->rank, answer->thread);
    else
        snprintf(text, size, "rank %d", answer->rank);
}

/* Print a text after `used` printed columns, broken at blanks; later lines begin with
 * `indent` blanks. */
static void print_words(const char *text, int used, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " ");

        if (used > indent && used + 1 + length > WIDE) {
            printf("\n%*s", indent, "");
            used = indent;
        } else {
            used += printf(" ");
        }
        used += printf("%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* Width of the column of regions. */
static int region_width(const struct properties_asked *a)
{
    char region[CELL];
    int wide = 0;

    for (size_t i = 0; i < a->answer_count; i++) {
        properties_put_region(region, sizeof region, a, a->answers[i].region);
        if ((int)strlen(region) > wide)
            wide = (int)strlen(region);
    }
    return wide;
}

static void print_answer(const struct properties_asked *a,
                         const struct mm_named_answer *answer, int wide, int several)
{
    const struct mm_world_run *run = mm_world_run(&a->world, answer->configuration);
    char severity[CELL], confidence[CELL], region[CELL], unit[CELL], words[3 * CELL];
    int used;

    properties_put_severity(severity, sizeof severity, answer->severity, answer->low,
                            answer->high);
    properties_put_confidence(confidence, sizeof confidence, answer->confidence);
    properties_put_region(region, sizeof region, a, answer->region);
    put_unit(unit, sizeof unit, answer);
    snprintf(words, sizeof words, "%s%s%.190s%s%.190s", unit, several && run ? ", " : "",
             several && run ? mm_safe(run->name) : "",
             answer->holds < 0 ? "; not evaluated: " : "",
             answer->holds < 0 && answer->reason ? answer->reason : "");
    used = printf("%*s  %*s  %-*s ", SEVERITY, severity, CONFIDENCE, confidence, wide,
                  region);
    print_words(words, used, SEVERITY + CONFIDENCE + 2 * INDENT + INDENT);
}

void properties_print_all(const struct properties_asked *a)
{
    int wide = region_width(a), several = properties_has_several(a);
    const char *before = NULL;

    if (a->answer_count)
        printf("%*s  %*s  %-*s  unit\n", SEVERITY, "severity (95 %)", CONFIDENCE,
               "confidence", wide, "region");
    for (size_t i = 0; i < a->answer_count; i++) {
        const char *property = a->answers[i].property;

        if (!before || strcmp(before, property) != 0)
            puts(property);
        before = property;
        print_answer(a, &a->answers[i], wide, several);
    }
    properties_print_notes(a);
}

static void print_field(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_number(double value)
{
    if (isfinite(value))
        printf(",%.17g", value);
    else
        putchar(',');
}

void properties_print_csv(const struct properties_asked *a)
{
    puts("property,run,region,kind,rank,thread,detail,holds,severity,low,high,confidence,"
         "how,"
         "reason");
    for (size_t i = 0; i < a->answer_count; i++) {
        const struct mm_named_answer *answer = &a->answers[i];
        const struct mm_world_region *region = mm_world_region(&a->world, answer->region);
        const struct mm_world_run *run = mm_world_run(&a->world, answer->configuration);

        print_field(answer->property);
        putchar(',');
        print_field(run ? run->path : NULL);
        putchar(',');
        print_field(region ? region->name : NULL);
        printf(",%s,", region ? region->kind : "");
        if (answer->rank >= 0)
            printf("%d", answer->rank);
        putchar(',');
        if (answer->thread >= 0)
            printf("%d", answer->thread);
        putchar(',');
        print_field(answer->detail);
        printf(",%s", answer->holds < 0 ? "" : answer->holds ? "1" : "0");
        print_number(answer->severity);
        print_number(answer->low);
        print_number(answer->high);
        print_number(answer->confidence);
        putchar(',');
        print_field(answer->how);
        putchar(',');
        print_field(answer->reason);
        putchar('\n');
    }
}
