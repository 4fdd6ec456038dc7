/* SPDX-License-Identifier: BSD-3-Clause */
/* number_file.h: counters whose numbers are in files, such as the energy counters of
 * powercap: "NAME=FILE" or "NAME=FILE:UNIT" in a list of metrics. */
#ifndef COMMON_NUMBER_FILE_H
#define COMMON_NUMBER_FILE_H

#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct cca_number_file {
    char name[64], path[400], unit[24];
    int64_t range; /* number at which the counter begins anew; 0: it does not */
};

/* Value of a number that cannot be read. */
#define CCA_NUMBER_UNKNOWN INT64_MIN

/* Read the whole number at the start of a file. It is opened by bare system calls, which
 * are no cancellation points. Preserves no errno. */
static inline int64_t cca_number_read(const char *path)
{
    char text[64], *end;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    long size;
    int64_t number;

    if (file < 0)
        return CCA_NUMBER_UNKNOWN;
    size = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[size > 0 ? size : 0] = '\0';
    number = strtoll(text, &end, 10);
    return end > text ? number : CCA_NUMBER_UNKNOWN;
}

/* Parse a metric of `length` characters. The unit follows the last colon, unless a slash
 * follows it: names of files of powercap have colons. Returns 0; 1: the word is no such
 * metric; -1: it is too long, or has no name or file. */
static inline int cca_number_file_parse(const char *word, size_t length,
                                        struct cca_number_file *to)
{
    char text[sizeof to->name + sizeof to->path + sizeof to->unit], *path, *unit;
    char range[sizeof to->path + 32];

    *to = (struct cca_number_file){.range = 0};
    if (!memchr(word, '=', length))
        return 1;
    if (length >= sizeof text)
        return -1;
    memcpy(text, word, length);
    text[length] = '\0';
    path = strchr(text, '=');
    *path++ = '\0';
    unit = strrchr(path, ':');
    if (unit && !strchr(unit, '/'))
        *unit++ = '\0';
    else
        unit = NULL;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return -1;
    if (!*text || !*path || strlen(text) >= sizeof to->name ||
        strlen(path) >= sizeof to->path || (unit && strlen(unit) >= sizeof to->unit))
        return -1;
    snprintf(to->name, sizeof to->name, "%s", text);
    snprintf(to->path, sizeof to->path, "%s", path);
    snprintf(to->unit, sizeof to->unit, "%s", unit && *unit ? unit : "count");
    unit = strrchr(to->path, '/');
    snprintf(range, sizeof range, "%.*smax_energy_range_uj",
             unit ? (int)(unit + 1 - to->path) : 0, to->path);
    to->range = cca_number_read(range);
    if (to->range < 0)
        to->range = 0;
    return 0;
}

/* The difference of two readings of a counter, which may have begun anew once. */
static inline int64_t cca_number_difference(const struct cca_number_file *file,
                                            int64_t before, int64_t after)
{
    if (before == CCA_NUMBER_UNKNOWN || after == CCA_NUMBER_UNKNOWN)
        return CCA_NUMBER_UNKNOWN;
    return after - before + (after < before ? file->range : 0);
}

#endif
