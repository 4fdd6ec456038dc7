/* SPDX-License-Identifier: BSD-3-Clause */
/* storage.c: parse and print storage modes. */
#include "mastermind/format/storage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum mm_storage_mode mode;
    /* range of the number after the colon; 0: the mode has no number */
    uint64_t least, most;
} modes[] = {{"rows", MM_STORE_ROWS, 0, 0},
             {"auto", MM_STORE_AUTO, 1, UINT64_C(1) << 40},
             {"sample", MM_STORE_SAMPLE, 1, UINT32_MAX},
             {"reservoir", MM_STORE_RESERVOIR, 1, MM_STORAGE_RESERVOIR_MAX},
             {"aggregates", MM_STORE_AGGREGATES, 0, 0}};

/* Parse decimal digits, independent of the locale. Returns the rest of the text; NULL: it
 * does not begin with a number. */
static const char *number(const char *text, uint64_t *value)
{
    const char *at = text;

    for (*value = 0; *at >= '0' && *at <= '9'; at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return NULL;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return at == text ? NULL : at;
}

int mm_storage_parse(const char *text, struct mm_storage *storage, struct cca_error *err)
{
    const char *colon = strchr(text, ':'), *rest;
    size_t length = colon ? (size_t)(colon - text) : strlen(text), i;
    uint64_t count = MM_STORAGE_BUDGET;

    for (i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strlen(modes[i].name) == length && !strncmp(modes[i].name, text, length))
            break;
    if (i == sizeof modes / sizeof *modes || (colon && !modes[i].most) ||
        (!colon && modes[i].most && modes[i].mode != MM_STORE_AUTO))
        return cca_error_set(
            err, -EINVAL,
            "storage: found '%s', expected rows, auto, auto:ROWS, sample:N, "
            "reservoir:K or aggregates",
            text);
    if (colon) {
        rest = number(colon + 1, &count);
        if (!rest || *rest || count < modes[i].least || count > modes[i].most)
            return cca_error_set(err, -EINVAL,
                                 "storage: found '%s', expected a number from %" PRIu64
                                 " to %" PRIu64 " behind '%s:'",
                                 text, modes[i].least, modes[i].most, modes[i].name);
    }
    storage->mode = modes[i].mode;
    storage->count = modes[i].most ? count : 0;
    return 0;
}

void mm_storage_text(const struct mm_storage *storage, char *text, size_t size)
{
    size_t i;

    for (i = 0; modes[i].mode != storage->mode;)
        i++;
    if (modes[i].most)
        snprintf(text, size, "%s:%" PRIu64, modes[i].name, storage->count);
    else
        snprintf(text, size, "%s", modes[i].name);
}

int mm_storage_parse_limit(const char *text, struct mm_storage *storage,
                           struct cca_error *err)
{
    static const char units[] = "KMG";
    const char *rest, *unit;
    uint64_t value = 0;
    int shift = 0;

    storage->size_limit = 0;
    if (!*text)
        return 0;
    rest = number(text, &value);
    unit = rest && *rest ? strchr(units, *rest) : NULL;
    if (unit) {
        shift = 10 * (int)(unit - units + 1);
        rest++;
    }
    if (!rest || *rest || value << shift > INT64_MAX ||
        (value << shift) >> shift != value ||
        (value && value << shift < MM_STORAGE_LEAST_LIMIT))
        return cca_error_set(
            err, -EINVAL,
            "size limit: found '%s', expected bytes as a number with nothing, "
            "K, M or G behind it, at least 1M, or 0",
            text);
    storage->size_limit = value << shift;
    return 0;
}
