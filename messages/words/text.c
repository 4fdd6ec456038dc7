/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: print a request in its canonical form. */
#include <inttypes.h>
#include <stdio.h>

#include "messages/words/parts.h"

enum { NUMBER = 32 }; /* room for a double */

const char *const mm_analysis_names[] = {"OFF", "STAT", "FREQ", "WRITE", NULL};
const char *const mm_via_names[] = {"batch", "slots", "files", NULL};

/* A text in a buffer of fixed size. */
struct out {
    char *text;
    size_t size, used; /* size of the buffer, and length of the text; used > size: the
                          text was cut */
};

#define ADD(out, ...)                                                                    \
    ((out)->used += (size_t)snprintf(                                                    \
         (out)->text + ((out)->used < (out)->size ? (out)->used : (out)->size - 1),      \
         (out)->used < (out)->size ? (out)->size - (out)->used : 1, __VA_ARGS__))

static void add_number(struct out *out, const char *before, double value)
{
    char number[NUMBER];

    ADD(out, "%s%s", before, mm_number_text(value, number, sizeof number));
}

/* Print a period. The period of a counter is a whole number: digits only, no exponent. */
static void add_period(struct out *out, const char *before, int strategy, double value)
{
    if (strategy == MM_STRATEGY_C)
        ADD(out, "%s%.0f", before, value);
    else
        add_number(out, before, value);
}

int mm_message_request_print(const struct mm_message_request *request, char *text,
                             size_t size)
{
    struct out out = {text, size, 0};

    *text = '\0';
    if (request->strategy == MM_STRATEGY_NONE)
        return snprintf(text, size, "off");
    ADD(&out, "%c", mm_strategy_letters[request->strategy]);
    add_period(&out, "-", request->strategy, request->x);
    if (request->variance > 0)
        add_period(&out, ":", request->strategy, request->variance);
    ADD(&out, "-%s", mm_analysis_names[request->analysis]);
    if (request->has_seed)
        ADD(&out, ",seed=%" PRIu64, request->seed);
    if (request->min_bytes)
        ADD(&out, ",min=%" PRId64, request->min_bytes);
    if (*request->site)
        ADD(&out, ",site=%s", request->site);
    if (*request->method)
        ADD(&out, ",method=%s", request->method);
    if (request->frames != 1)
        ADD(&out, ",frames=%d", request->frames);
    if (request->collectives != mm_message_collectives_default(request))
        add_number(&out, ",collectives=", request->collectives);
    if (request->via != MM_VIA_BATCH)
        ADD(&out, ",via=%s", mm_via_names[request->via]);
    if (request->budget_percent > 0)
        add_number(&out, ",budget=", request->budget_percent);
    return (int)out.used;
}

int mm_message_request_text(const struct mm_message_request *request,
                            char text[MM_REQUEST_TEXT])
{
    return mm_message_request_print(request, text, MM_REQUEST_TEXT);
}
