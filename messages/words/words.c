/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: parse a request. */
#include "messages/words/words.h"

#include <string.h>

#include "common/nearest.h"
#include "messages/words/parts.h"

enum {
    WORD_LONGEST = 1000, /* limit of the request's length; longer requests are refused */
    SHOWN = 100          /* most characters of the request that an error message quotes */
};
/* largest period: a double represents this whole number exactly */
#define PERIOD_MOST UINT64_C(1000000000000000)
#define SECONDS_MOST 1e9

static const char all_forms[] =
    "P-X-B (X: threshold from 0 to 1), C-X-B (X: period in messages), T-X-B (X: period "
    "in seconds), on or off; B is OFF, STAT, FREQ or WRITE";

/* A text quoted in a message: at most SHOWN characters, unprintable ones as '?'. */
struct shown {
    char text[SHOWN + 4];
};

static struct shown shown_of(const char *text, size_t length)
{
    struct shown shown = {""};
    size_t n = length > SHOWN ? SHOWN : length;

    for (size_t i = 0; i < n; i++)
        shown.text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    if (length > n)
        memcpy(shown.text + n, "...", 4);
    return shown;
}

/* Refuse `part` of the request. `best` is the most similar valid name, or NULL. */
static int refuse(struct cca_error *err, const char *whole, const char *part,
                  size_t length, const char *expected, const char *best)
{
    struct shown found = shown_of(part, length), all = shown_of(whole, strlen(whole));
    int is_all = part == whole && length == strlen(whole);
    char hint[64];

    return cca_error_set(err, -EINVAL, "messages: found '%s'%s%s%s, expected %s%s",
                         found.text, is_all ? "" : " in '", is_all ? "" : all.text,
                         is_all ? "" : "'", expected,
                         cca_nearest_hint(best, hint, sizeof hint));
}

static int ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Whether names are equal, ignoring the case of ASCII letters in any locale. */
static int is_name(const char *text, size_t length, const char *name)
{
    size_t i = 0;

    while (i < length && name[i] && ascii_lower(text[i]) == ascii_lower(name[i]))
        i++;
    return i == length && !name[i];
}

/* The nearest of `names` (ends with NULL) to a part of the request, or NULL. */
static const char *nearest(const char *part, size_t length, const char *const *names)
{
    char text[CCA_NEAREST_LONGEST + 1];
    struct cca_nearest search;

    if (length >= sizeof text)
        return NULL;
    memcpy(text, part, length);
    text[length] = '\0';
    cca_nearest_init(&search, text);
    for (; *names; names++)
        cca_nearest_offer(&search, *names);
    return search.best;
}

/* --- A-X-B ---------------------------------------------------------------- */

/* Each function reads X or a variance at the start of `text`, and returns a pointer
 * behind it; NULL: `text` starts with none. */
static const char *read_threshold(const char *text, double *x)
{
    double value = 0;
    const char *rest = mm_number_real(text, &value);

    if (!rest || value > 1)
        return NULL;
    *x = value;
    return rest;
}

static const char *read_count(const char *text, double *x)
{
    uint64_t value = 0;
    const char *rest = mm_number_whole(text, PERIOD_MOST, &value);

    *x = (double)value;
    return rest;
}

static const char *read_seconds(const char *text, double *x)
{
    double value = 0;
    const char *rest = mm_number_real(text, &value);

    *x = value;
    return value <= SECONDS_MOST ? rest : NULL;
}

static const struct {
    const char *(*read)(const char *text, double *x);
    int may_be_zero;
    const char *expected;
} strategies[] = {
    [MM_STRATEGY_P] = {read_threshold, 1, "a threshold from 0 to 1 behind 'P-'"},
    [MM_STRATEGY_C] = {read_count, 0,
                       "a whole number of messages, 1 or more, behind 'C-', and with a "
                       "variance a smaller one behind ':'"},
    [MM_STRATEGY_T] = {read_seconds, 0,
                       "seconds, more than 0, behind 'T-', and with a variance fewer "
                       "behind ':'"}};

/* Read X, or X:VARIANCE, at `at`. Returns a pointer behind it; NULL: neither is there. */
static const char *read_period(const char *at, struct mm_message_request *request)
{
    int strategy = request->strategy;

    at = strategies[strategy].read(at, &request->x);
    if (!at || (request->x <= 0 && !strategies[strategy].may_be_zero))
        return NULL;
    if (*at != ':' || strategy == MM_STRATEGY_P)
        return at;
    at = strategies[strategy].read(at + 1, &request->variance);
    return at && request->variance < request->x ? at : NULL;
}

static int read_analysis(const char *whole, const char *at, size_t length,
                         struct mm_message_request *request, struct cca_error *err)
{
    for (int i = 0; mm_analysis_names[i]; i++)
        if (is_name(at, length, mm_analysis_names[i])) {
            request->analysis = i;
            return 0;
        }
    if (is_name(at, length, "print")) { /* the name of WRITE in Vetter's Table 1 */
        request->analysis = MM_ANALYSIS_WRITE;
        return 0;
    }
    return refuse(err, whole, at, length, "OFF, STAT, FREQ or WRITE",
                  nearest(at, length, mm_analysis_names));
}

/* Read the text up to the first comma, `length` characters. */
static int read_head(const char *whole, size_t length, struct mm_message_request *request,
                     struct cca_error *err)
{
    static const char *const words[] = {"on", "off", NULL};
    const char *at, *end = whole + length;

    if (is_name(whole, length, "on")) {
        *request = (struct mm_message_request){
            .strategy = MM_STRATEGY_P, .x = 0.01, .analysis = MM_ANALYSIS_FREQ};
        return 0;
    }
    if (is_name(whole, length, "off"))
        return 0;
    for (int i = MM_STRATEGY_P; i <= MM_STRATEGY_T; i++)
        if (length && ascii_lower(*whole) == ascii_lower(mm_strategy_letters[i]))
            request->strategy = i;
    if (!request->strategy || whole[1] != '-')
        return refuse(err, whole, whole, length, all_forms,
                      nearest(whole, length, words));
    at = read_period(whole + 2, request);
    if (!at || (at != end && *at != '-')) {
        size_t wrong = strcspn(whole + 2, ",");
        const char *dash = at && at < end ? memchr(at, '-', (size_t)(end - at)) : NULL;

        return refuse(err, whole, whole, dash ? (size_t)(dash - whole) : wrong + 2,
                      strategies[request->strategy].expected, NULL);
    }
    return at == end ? 0
                     : read_analysis(whole, at + 1, (size_t)(end - at - 1), request, err);
}

/* --- Options after commas ------------------------------------------------- */

/* Each function reads the complete value of an option. Returns 1; 0 if the value is
 * wrong. */
static int read_seed(struct mm_message_request *request, const char *value)
{
    const char *rest = mm_number_whole(value, UINT64_MAX, &request->seed);

    request->has_seed = 1;
    return rest && !*rest;
}

static int read_min(struct mm_message_request *request, const char *value)
{
    static const char units[] = "KMG";
    uint64_t number = 0;
    const char *rest = mm_number_whole(value, INT64_MAX, &number);
    const char *unit = rest && *rest ? strchr(units, *rest) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (!rest || rest[unit != NULL] || number > (uint64_t)INT64_MAX >> shift)
        return 0;
    request->min_bytes = (int64_t)(number << shift);
    return 1;
}

/* Read a glob. Unprintable characters are refused, because they would spoil a report or a
 * table. */
static int read_glob(char glob[MM_REQUEST_GLOB], const char *value)
{
    size_t length = strlen(value);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 0x7f)
            return 0;
    if (!length || length >= MM_REQUEST_GLOB)
        return 0;
    memcpy(glob, value, length + 1);
    return 1;
}

static int read_site(struct mm_message_request *request, const char *value)
{
    return read_glob(request->site, value);
}

static int read_method(struct mm_message_request *request, const char *value)
{
    return read_glob(request->method, value);
}

static int read_frames(struct mm_message_request *request, const char *value)
{
    uint64_t frames = 0;
    const char *rest = mm_number_whole(value, 8, &frames);

    request->frames = (int)frames;
    return rest && !*rest && frames;
}

static int read_collectives(struct mm_message_request *request, const char *value)
{
    const char *rest = read_threshold(value, &request->collectives);

    return rest && !*rest;
}

static int read_via(struct mm_message_request *request, const char *value)
{
    for (int i = 0; mm_via_names[i]; i++)
        if (!strcmp(value, mm_via_names[i])) {
            request->via = i;
            return 1;
        }
    return 0;
}

/* Read a budget; only the random strategy has a rate that a sender may lower by
 * itself. */
static int read_budget(struct mm_message_request *request, const char *value)
{
    const char *rest = mm_number_real(value, &request->budget_percent);

    return rest && !*rest && request->budget_percent > 0 &&
           request->budget_percent <= 100 && request->strategy == MM_STRATEGY_P;
}

static const char *const item_names[] = {
    "seed", "min", "site", "method", "frames", "collectives", "via", "budget", NULL};
static const struct {
    int (*read)(struct mm_message_request *request, const char *value);
    const char *expected;
} items[] = {
    {read_seed, "seed=N, a whole number below 2^64"},
    {read_min, "min=BYTES, a whole number with nothing, K, M or G behind it"},
    {read_site, "site=GLOB, 1 to 63 printable characters without commas"},
    {read_method, "method=GLOB, 1 to 63 printable characters without commas"},
    {read_frames, "frames=N, from 1 to 8"},
    {read_collectives, "collectives=P, a probability from 0 to 1"},
    {read_via, "via=batch, via=slots or via=files"},
    {read_budget, "budget=PERCENT, more than 0 and at most 100, with strategy P alone"},
};

/* The index of `name` in items, or -1. */
static int find_item(const char *name, size_t length)
{
    for (int i = 0; item_names[i]; i++)
        if (strlen(item_names[i]) == length && !strncmp(name, item_names[i], length))
            return i;
    return -1;
}

/* Read one NAME=VALUE of `length` characters at `at`. `given` has a bit for each name. */
static int read_item(const char *whole, const char *at, size_t length, unsigned *given,
                     struct mm_message_request *request, struct cca_error *err)
{
    char item[WORD_LONGEST + 1], expected[96];
    char *equals;
    int row;

    memcpy(item, at, length);
    item[length] = '\0';
    equals = strchr(item, '=');
    row = find_item(item, strcspn(item, "="));
    if (row < 0)
        return refuse(err, whole, at, length,
                      "seed=, min=, site=, method=, frames=, collectives=, via= or "
                      "budget=",
                      nearest(item, strcspn(item, "="), item_names));
    if (*given >> row & 1) {
        snprintf(expected, sizeof expected, "'%s=' once", item_names[row]);
        return refuse(err, whole, at, length, expected, NULL);
    }
    *given |= 1u << row;
    if (!equals || !items[row].read(request, equals + 1))
        return refuse(err, whole, at, length, items[row].expected,
                      equals && items[row].read == read_via
                          ? nearest(equals + 1, strlen(equals + 1), mm_via_names)
                          : NULL);
    return 0;
}

/* --- The whole request ---------------------------------------------------- */

double mm_message_collectives_default(const struct mm_message_request *request)
{
    if (request->analysis == MM_ANALYSIS_OFF)
        return 0;
    return request->strategy == MM_STRATEGY_P   ? request->x
           : request->strategy == MM_STRATEGY_C ? 1 / request->x
                                                : 0.01;
}

int mm_message_request_parse(const char *text, struct mm_message_request *request,
                             struct cca_error *err)
{
    struct mm_message_request parsed = {.collectives = -1};
    size_t length = strcspn(text, ",");
    char canonical[2 * MM_REQUEST_TEXT];
    const char *at = text + length;
    unsigned given = 0;

    if (!*text || strlen(text) > WORD_LONGEST)
        return refuse(err, text, text, strlen(text), all_forms, NULL);
    if (read_head(text, length, &parsed, err))
        return -EINVAL;
    if (*at && parsed.strategy == MM_STRATEGY_NONE)
        return refuse(err, text, at, strlen(at), "nothing behind 'off'", NULL);
    parsed.frames = 1;
    parsed.collectives = -1;
    while (*at) {
        const char *item = at + 1;

        at = item + strcspn(item, ",");
        if (read_item(text, item, (size_t)(at - item), &given, &parsed, err))
            return -EINVAL;
    }
    if (parsed.collectives < 0)
        parsed.collectives = mm_message_collectives_default(&parsed);
    if (mm_message_request_print(&parsed, canonical, sizeof canonical) >= MM_REQUEST_TEXT)
        return refuse(err, text, text, strlen(text),
                      "a request of at most 255 characters; shorten the globs", NULL);
    *request = parsed;
    return 0;
}

int mm_mpi_time_parse(const char *text, struct cca_error *err)
{
    struct shown found = shown_of(text, strlen(text));

    if (!strcmp(text, "on") || !strcmp(text, "off"))
        return text[1] == 'n';
    return cca_error_set(err, -EINVAL, "mpi-time: found '%s', expected on or off",
                         found.text);
}
