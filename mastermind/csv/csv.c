/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.c: split the lines of a CSV file into fields. */
#include "mastermind/csv/csv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/nearest.h"

/* --- The file ------------------------------------------------------------- */

static int read_file(struct mm_csv *csv, const char *path, struct cca_error *err)
{
    int is_input = strcmp(path, "-") == 0, result;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return cca_error_set(err, errno == ENOENT || errno == ENOTDIR ? -errno : -EIO,
                             "%s: %s", path, strerror(errno));
    result = cca_file_take(fd, SIZE_MAX / 4, &csv->text, &csv->size);
    if (!is_input)
        close(fd);
    if (result == -ENOMEM)
        return cca_no_memory(err);
    return result ? cca_error_set(err, result == -EISDIR ? -EBADMSG : -EIO, "%s: %s",
                                  csv->name, strerror(-result))
                  : 0;
}

/* --- Lines and fields ----------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Find the next line of the file. Returns 0 if there is none. */
static int take_line(struct mm_csv *csv)
{
    const char *start = csv->text + csv->next, *end;

    if (csv->next >= csv->size)
        return 0;
    end = memchr(start, '\n', csv->size - csv->next);
    csv->raw = start;
    csv->raw_length = (end ? (size_t)(end - start) : csv->size - csv->next);
    csv->next += csv->raw_length + (end != NULL);
    csv->line++;
    if (csv->raw_length && csv->raw[csv->raw_length - 1] == '\r')
        csv->raw_length--;
    return 1;
}

static int is_skipped(const struct mm_csv *csv)
{
    size_t i = 0;

    while (i < csv->raw_length && is_blank(csv->raw[i]))
        i++;
    return i == csv->raw_length || csv->raw[i] == '#';
}

/* Copy a quoted field without its outer quotes, with one quote for each doubled quote. */
static void copy_quoted(const char *at, const char *end, struct mm_csv_field *field,
                        char **copy)
{
    field->at = *copy;
    for (; at < end; at++) {
        *(*copy)++ = *at;
        at += *at == '"';
    }
    field->length = (size_t)(*copy - field->at);
}

/* Parse the field at `at`; `*copy` has space for the rest of the line. Returns the end of
 * the field, which is a comma or the end of the line; NULL: other text follows the
 * closing quote. */
static const char *take_field(const char *at, const char *end, struct mm_csv_field *field,
                              char **copy)
{
    const char *close;
    int doubled = 0;

    while (at < end && is_blank(*at))
        at++;
    if (at == end || *at != '"') {
        close = memchr(at, ',', (size_t)(end - at));
        close = close ? close : end;
        field->at = at;
        field->length = (size_t)(close - at);
        while (field->length && is_blank(at[field->length - 1]))
            field->length--;
        return close;
    }
    for (close = ++at; close < end; close++) {
        if (*close != '"')
            continue;
        if (close + 1 == end || close[1] != '"')
            break;
        doubled = 1;
        close++;
    }
    if (close == end)
        return NULL;
    *field = (struct mm_csv_field){at, (size_t)(close - at)};
    if (doubled)
        copy_quoted(at, close, field, copy);
    for (close++; close < end && is_blank(*close);)
        close++;
    return close == end || *close == ',' ? close : NULL;
}

/* Split the current line into at most `most` fields. Returns the number of fields, or
 * most + 1 if there are more; -EBADMSG: a misplaced quote; or -ENOMEM. */
static long long split_line(struct mm_csv *csv, struct mm_csv_field *fields, size_t most,
                            struct cca_error *err)
{
    const char *at = csv->raw, *end = csv->raw + csv->raw_length;
    struct mm_csv_field beyond;
    size_t count = 0;
    char *copy;

    if (csv->quoted_room < csv->raw_length && memchr(at, '"', csv->raw_length)) {
        free(csv->quoted);
        csv->quoted_room = 0;
        csv->quoted = malloc(2 * csv->raw_length);
        if (!csv->quoted)
            return cca_no_memory(err);
        csv->quoted_room = 2 * csv->raw_length;
    }
    copy = csv->quoted;
    for (;;) {
        at = take_field(at, end, count < most ? &fields[count] : &beyond, &copy);
        if (!at)
            return cca_error_set(err, -EBADMSG,
                                 "%s:%zu: found a quote that does not end its field, "
                                 "expected '\"' and a comma or the end of the line",
                                 csv->name, csv->line);
        if (count <= most)
            count++;
        if (at == end)
            return (long long)count;
        at++;
    }
}

int mm_csv_next(struct mm_csv *csv, int skipped, struct cca_error *err)
{
    long long count;

    for (;;) {
        if (!take_line(csv))
            return MM_CSV_END;
        if (!is_skipped(csv))
            break;
        if (skipped)
            return MM_CSV_SKIPPED;
    }
    count = split_line(csv, csv->fields, csv->column_count, err);
    if (count < 0)
        return (int)count;
    if ((size_t)count != csv->column_count)
        return cca_error_set(err, -EBADMSG, "%s:%zu: found %s%lld field%s, expected %zu",
                             csv->name, csv->line,
                             (size_t)count > csv->column_count ? "more than " : "",
                             (size_t)count > csv->column_count ? count - 1 : count,
                             count == 1 ? "" : "s", csv->column_count);
    return MM_CSV_LINE;
}

void mm_csv_rewind(struct mm_csv *csv)
{
    csv->next = csv->line = 0;
    if (csv->size >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->next = 3;
    while (take_line(csv) && is_skipped(csv))
        continue;
}

/* Check that column names are present and distinct. */
static int check_header(const struct mm_csv *csv, struct cca_error *err)
{
    char shown[200];

    for (size_t i = 0; i < csv->column_count; i++) {
        const struct mm_csv_field *a = &csv->header[i];

        if (!a->length || memchr(a->at, '\0', a->length))
            return cca_error_set(
                err, -EBADMSG, "%s:%zu: found '%s' as column %zu, expected a name",
                csv->name, csv->line, mm_csv_shown(a, shown, sizeof shown), i + 1);
        for (size_t k = 0; k < i; k++)
            if (csv->header[k].length == a->length &&
                memcmp(csv->header[k].at, a->at, a->length) == 0)
                return cca_error_set(err, -EBADMSG,
                                     "%s:%zu: found column '%s' twice, expected names "
                                     "that differ",
                                     csv->name, csv->line,
                                     mm_csv_shown(a, shown, sizeof shown));
    }
    return 0;
}

static int read_header(struct mm_csv *csv, struct cca_error *err)
{
    long long count;

    csv->header = calloc(MM_CSV_FIELDS, sizeof *csv->header);
    if (!csv->header)
        return cca_no_memory(err);
    mm_csv_rewind(csv);
    if (!csv->line || is_skipped(csv))
        return cca_error_set(err, -EBADMSG,
                             "%s:%zu: found the end of the file, expected a header line",
                             csv->name, csv->line + 1);
    csv->header_line = csv->line;
    count = split_line(csv, csv->header, MM_CSV_FIELDS, err);
    if (count < 0)
        return (int)count;
    if (count > MM_CSV_FIELDS)
        return cca_error_set(err, -EBADMSG,
                             "%s:%zu: found more than %d columns, expected fewer",
                             csv->name, csv->line, MM_CSV_FIELDS);
    csv->column_count = (size_t)count;
    csv->header_text = csv->quoted;
    csv->quoted = NULL;
    csv->quoted_room = 0;
    csv->fields = calloc(csv->column_count, sizeof *csv->fields);
    return csv->fields ? check_header(csv, err) : cca_no_memory(err);
}

int mm_csv_open(struct mm_csv *csv, const char *path, struct cca_error *err)
{
    int result;

    memset(csv, 0, sizeof *csv);
    csv->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    if (!csv->name)
        return cca_no_memory(err);
    result = read_file(csv, path, err);
    return result ? result : read_header(csv, err);
}

void mm_csv_done(struct mm_csv *csv)
{
    free(csv->name);
    free(csv->text);
    free(csv->header);
    free(csv->fields);
    free(csv->header_text);
    free(csv->quoted);
    memset(csv, 0, sizeof *csv);
}

/* --- Names ---------------------------------------------------------------- */

int mm_csv_column(const struct mm_csv *csv, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < csv->column_count; i++)
        if (csv->header[i].length == length &&
            memcmp(csv->header[i].at, name, length) == 0)
            return (int)i;
    return -1;
}

int mm_csv_no_column(const struct mm_csv *csv, const char *name, struct cca_error *err)
{
    const struct mm_csv_field field = {name, strlen(name)};
    char shown[200], near[CCA_NEAREST_LONGEST + 1], best[CCA_NEAREST_LONGEST + 1] = "";
    char hint[128];
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < csv->column_count; i++) {
        if (csv->header[i].length >= sizeof near)
            continue;
        memcpy(near, csv->header[i].at, csv->header[i].length);
        near[csv->header[i].length] = '\0';
        cca_nearest_offer(&nearest, near);
        if (nearest.best == near) {
            memcpy(best, near, sizeof best);
            nearest.best = best;
        }
    }
    return cca_error_set(err, -EBADMSG, "%s:%zu: found no column '%s'%s", csv->name,
                         csv->header_line, mm_csv_shown(&field, shown, sizeof shown),
                         cca_nearest_hint(nearest.best, hint, sizeof hint));
}

const char *mm_csv_shown(const struct mm_csv_field *field, char *text, size_t size)
{
    size_t used = 0, i;

    for (i = 0; i < field->length && i < 40 && used + 8 < size; i++) {
        unsigned char c = (unsigned char)field->at[i];

        if (c < 0x20 || c == 0x7f)
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", c);
        else
            text[used++] = (char)c;
    }
    snprintf(text + used, size - used, "%s", i < field->length ? "..." : "");
    return text;
}

int mm_csv_refuse(const struct mm_csv *csv, size_t column, const char *expected,
                  struct cca_error *err)
{
    char found[200], name[200];

    return cca_error_set(err, -EBADMSG, "%s:%zu: found '%s' in column '%s', expected %s",
                         csv->name, csv->line,
                         mm_csv_shown(&csv->fields[column], found, sizeof found),
                         mm_csv_shown(&csv->header[column], name, sizeof name), expected);
}
