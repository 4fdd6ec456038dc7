/* SPDX-License-Identifier: BSD-3-Clause */
/* line.c: print lines for people that break between pieces. */
#include <stdarg.h>
#include <string.h>

#include "mastermind/cmd/line.h"

#define COLUMNS 100
#define LONG_HEAD 34 /* columns of the longest head beside which pieces are printed */
#define GAP 3        /* columns between two pieces */

/* The number of columns of an UTF-8 text. */
static int columns_of(const char *text)
{
    int columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

void mm_line_begin(struct mm_line *line, const char *head)
{
    *line = (struct mm_line){.indent = columns_of(head)};
    line->indent += *head ? 2 + GAP : 2;
    printf("  %s", head);
    line->used = line->indent - (*head ? GAP : 0);
    if (line->indent <= LONG_HEAD)
        return;
    line->indent = 4;
    if (*head)
        mm_line_break(line);
}

void mm_line_begin_plain(struct mm_line *line)
{
    *line = (struct mm_line){.indent = 2, .used = 2};
}

void mm_line_begin_note(struct mm_line *line, const char *head)
{
    *line = (struct mm_line){.indent = 5};
    line->used = printf("%s", head);
}

void mm_line_break(struct mm_line *line)
{
    if (line->fresh) {
        line->fresh = 0;
        return;
    }
    printf("\n%*s", line->indent, "");
    line->used = line->indent;
    line->begun = 0;
}

/* Print a piece after `blanks` blanks. */
static void add_piece(struct mm_line *line, int blanks, const char *text)
{
    int columns = columns_of(text);
    int gap = line->used < line->indent ? line->indent - line->used
              : line->begun             ? blanks
                                        : 0;

    if (line->begun && line->used + gap + columns > COLUMNS) {
        mm_line_break(line);
        gap = 0;
    }
    line->used += gap + columns;
    line->begun = 1;
    printf("%*s%s", gap, "", text);
}

void mm_line_add(struct mm_line *line, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_piece(line, GAP, text);
}

void mm_line_join(struct mm_line *line, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_piece(line, 1, text);
}

/* Length of the first term of a formula, with the sign before it. */
static size_t term_length(const char *formula)
{
    int depth = 0;
    size_t i = 0;

    for (; formula[i]; i++) {
        depth += (formula[i] == '(') - (formula[i] == ')');
        if (i > 1 && !depth && formula[i] == ' ' && strchr("+-", formula[i + 1]) &&
            formula[i + 2] == ' ')
            break;
    }
    return i;
}

void mm_line_add_formula(struct mm_line *line, const char *formula, int width)
{
    char padded[1200];
    int room = COLUMNS - (line->used > line->indent ? line->used : line->indent);

    snprintf(padded, sizeof padded, "%-*s", width, formula);
    if (columns_of(formula) <= room) {
        add_piece(line, GAP, padded);
        return;
    }
    for (int blanks = GAP; *formula; blanks = 1) {
        size_t length = term_length(formula);

        snprintf(padded, sizeof padded, "%.*s", (int)length, formula);
        add_piece(line, blanks, padded);
        formula += length + (formula[length] == ' ');
    }
}

void mm_line_end(struct mm_line *line)
{
    putchar('\n');
    line->begun = 0;
}

static const struct {
    unsigned bit;
    const char *word, *text;
} reasons[] = {
    {MM_BEYOND, "beyond", NULL}, /* another line prints this reason, with numbers */
    {MM_RIVALS, "rivals", NULL},
    {MM_CACHE, "may_leave_cache", NULL}, /* another line prints this reason, with
                                          * numbers */
    {MM_ONE_CALL, "one_call_a_size",
     "one call for each size: the spread includes differences between sizes"},
    {MM_ONE_RUN, "one_run",
     "one run: the intervals do not include differences between runs"},
    {MM_NARROW, "sizes_too_near", "sizes too near each other to predict others"},
    {MM_SINGLE, "one_call", "one call: the spread of calls is unknown"},
    {MM_NO_PARAMETER, "no_parameter", "no parameter is marked: one cost for all calls"},
    {MM_POOR, "parameters_explain_little",
     "its parameters explain little of the cost of a call"},
    {MM_NOISY, "noisy_host", "the host took part of the calls' time, which is left out"},
    {MM_LACKING, "lacks_parameter", "the mean of the calls that lack a parameter"},
    {MM_NO_EVIDENCE, "no_evidence_of_host",
     "no evidence of the host was kept: its pauses count as time of the method"},
    {MM_FEW_SIZES, "few_sizes", "too few sizes to find how the cost grows"},
    {MM_OTHER_STEP, "other_step",
     "all sizes are multiples of 8 or more, or powers of 2: others may cost something "
     "else"},
    {MM_ODD_END, "odd_end",
     "the cost of one size at the end differs from the trend: beyond it the trend is "
     "unknown"},
    {MM_COARSE, "coarse_clock",
     "the clock is coarse for these costs: means replace single calls"},
    {MM_CATEGORY, "no_order",
     "the effect of a parameter has no order, as of a category: make it a mode"},
    {MM_DRIFT, "drift",
     "equal calls changed their cost in the course of the run: the host's pace, or a "
     "state"},
    {MM_IN_TURN, "sizes_in_turn",
     "one size after the other: a drift of the host would look like growth with the "
     "size"},
};

json_t *mm_json_reasons(unsigned flags)
{
    json_t *array = json_array();

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (flags & reasons[i].bit)
            json_array_append_new(array, json_string(reasons[i].word));
    return array;
}

void mm_line_add_reasons(struct mm_line *line, unsigned flags)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (!(flags & reasons[i].bit))
            continue;
        if (reasons[i].text) {
            mm_line_break(line);
            mm_line_add(line, "%s", reasons[i].text);
        }
    }
}

void mm_line_add_rival(struct mm_line *line, const struct mm_model *model,
                       const double *x, const struct mm_metric *metric)
{
    struct mm_sizes sizes = mm_model_sizes(model);
    struct mm_decision decision;
    const struct mm_value_info *value;
    char formula[1024];

    if (!mm_forms_decide(&model->forms, &sizes, x, 2, &decision))
        return;
    value = &model->method->values[decision.parameter];
    memcpy(formula, "or ", 4);
    mm_form_print(decision.rival, model->method, model->counts, formula + 3,
                  sizeof formula - 4);
    strcat(formula, ":");
    mm_line_break(line);
    mm_line_add_formula(line, mm_safe(formula), 0);
    mm_line_join(line, "%s, %s at %s = %s;", mm_cost(metric, decision.value),
                 mm_factor(decision.ratio), mm_safe(value->name),
                 mm_range_number(x[decision.parameter]));
    mm_line_join(line, "measure %s = %s to decide", mm_safe(value->name),
                 mm_range_number(decision.size));
}

void mm_stretch_print(const struct mm_stretch *stretch)
{
    if (!stretch)
        return;
    printf("wall time on this host: %s the own time (90 %%: %.2g to %.2g)\n",
           mm_factor(stretch->mean), stretch->low, stretch->high);
}

void mm_stretch_put(json_t *object, const struct mm_stretch *stretch)
{
    json_t *member;

    if (!stretch)
        return;
    member = json_object();
    mm_json_set(member, "mean low high runs", stretch->mean, stretch->low, stretch->high,
                (json_int_t)stretch->runs);
    mm_json_put(object, "stretch", member);
}
