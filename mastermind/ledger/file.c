/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: read a ledger file, and append lines to it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/ledger/ledger.h"

static int refuse_file(struct cca_error *err, const char *what, const char *path)
{
    int code = errno ? errno : EIO;

    return cca_error_set(err, -code, "cannot %s '%s': %s", what, path, strerror(code));
}

/* Open and lock a file. Returns the descriptor, or a negative errno with `err`; -ENOENT
 * without a message if the file does not exist and `flags` do not create it. */
static int open_locked(const char *path, int flags, struct cca_error *err)
{
    /* O_NONBLOCK: do not wait for a writer if the file is a pipe, which is refused */
    int file = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    int result;

    if (file < 0 && errno == ENOENT && !(flags & O_CREAT))
        return -ENOENT;
    if (file < 0)
        return refuse_file(err, "open", path);
    do
        result = flock(file, flags & O_CREAT ? LOCK_EX : LOCK_SH);
    while (result && errno == EINTR);
    if (!result)
        return file;
    result = refuse_file(err, "lock", path);
    close(file);
    return result;
}

/* Return the whole text of the ledger, new and NUL-terminated; NULL with `err`. */
static char *read_text(int file, const char *path, size_t *size, struct cca_error *err)
{
    struct stat info;
    char *text = NULL;
    size_t used = 0;

    if (fstat(file, &info) || !S_ISREG(info.st_mode)) {
        cca_error_set(err, -EBADMSG, "%s: found no regular file, expected a ledger",
                      path);
        return NULL;
    }
    text = malloc((size_t)info.st_size + 1);
    if (!text) {
        cca_no_memory(err);
        return NULL;
    }
    while (used < (size_t)info.st_size) {
        ssize_t got = pread(file, text + used, (size_t)info.st_size - used, (off_t)used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            refuse_file(err, "read", path);
            free(text);
            return NULL;
        }
        if (!got)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
    *size = used;
    return text;
}

/* True for an incomplete line. A killed writer leaves one at the end of the file, and the
 * next writer adds a newline to it. */
static int is_cut(const char *line, size_t length, const json_error_t *error)
{
    return *line == '{' && (line[length - 1] != '}' ||
                            json_error_code(error) == json_error_premature_end_of_input);
}

static int read_line(struct mm_ledger *ledger, const char *path, const char *line,
                     size_t length, size_t number, struct cca_error *err)
{
    struct mm_ledger_entry *entry;
    struct cca_error own = {0};
    json_error_t error;
    json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);

    if (!json && json_error_code(&error) == json_error_out_of_memory)
        return cca_no_memory(err);
    if (!json && is_cut(line, length, &error)) {
        ledger->cut++;
        if (!ledger->cut_line)
            ledger->cut_line = number;
        return 0;
    }
    if (!json)
        return cca_error_set(err, -EBADMSG,
                             "%s:%zu: found no JSON object (%.80s), expected a line of "
                             "a ledger",
                             path, number, error.text);
    entry = cca_array_add(&ledger->entries, &ledger->count, sizeof *entry);
    if (!entry) {
        json_decref(json);
        return cca_no_memory(err);
    }
    if (!mm_ledger_entry_read(entry, json, &own))
        return 0;
    return own.code == -ENOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, own.code, "%s:%zu: %s", path, number, own.text);
}

static int read_lines(struct mm_ledger *ledger, const char *path, const char *text,
                      size_t size, struct cca_error *err)
{
    size_t number = 0;

    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;

        number++;
        if (length && read_line(ledger, path, text + at, length, number, err))
            return err->code;
        at += length + 1;
    }
    return 0;
}

static int read_open(struct mm_ledger *ledger, const char *path, int file,
                     struct cca_error *err)
{
    size_t size = 0;
    char *text = read_text(file, path, &size, err);
    int result = text ? read_lines(ledger, path, text, size, err) : err->code;

    free(text);
    return result;
}

int mm_ledger_read(struct mm_ledger *ledger, const char *path, struct cca_error *err)
{
    struct cca_error own = {0};
    int file, result;

    *ledger = (struct mm_ledger){0};
    file = open_locked(path, O_RDONLY, &own);
    if (file == -ENOENT)
        return 0;
    result = file < 0 ? file : read_open(ledger, path, file, &own);
    if (file >= 0)
        close(file);
    return result ? cca_error_set(err, result, "%s", own.text) : 0;
}

void mm_ledger_done(struct mm_ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++)
        mm_ledger_entry_done(&ledger->entries[i]);
    free(ledger->entries);
    *ledger = (struct mm_ledger){0};
}

/* --- Appending --------------------------------------------------------------------- */

static int has_outcome(const struct mm_ledger_entry *entries, size_t count,
                       const struct mm_ledger_entry *outcome)
{
    for (size_t i = 0; i < count; i++) {
        const struct mm_ledger_entry *e = &entries[i];

        if (e->kind == MM_LEDGER_OUTCOME &&
            strcmp(e->runs[0].id, outcome->runs[0].id) == 0 &&
            strcmp(e->metric, outcome->metric) == 0 &&
            strcmp(e->total, outcome->total) == 0)
            return 1;
    }
    return 0;
}

/* Write a line to the ledger with a single write call. If the line before it is
 * incomplete, a newline is written first. */
static int write_line(int file, const char *path, const struct mm_ledger_entry *entry,
                      struct cca_error *err)
{
    char *text = mm_ledger_line(entry), *line = NULL, last = '\n';
    struct stat info;
    int length, result = 0;

    if (!text)
        return cca_no_memory(err);
    if (fstat(file, &info) ||
        (info.st_size > 0 && pread(file, &last, 1, info.st_size - 1) != 1)) {
        free(text);
        return refuse_file(err, "read", path);
    }
    length = asprintf(&line, "%s%s\n", last == '\n' ? "" : "\n", text);
    free(text);
    if (length < 0)
        return cca_no_memory(err);
    errno = 0;
    if (write(file, line, (size_t)length) != length) {
        result = refuse_file(err, "write", path);
        if (ftruncate(file, info.st_size))
            cca_error_set(err, result, "%s is cut", path);
    }
    free(line);
    return result;
}

int mm_ledger_append(const char *path, const struct mm_ledger_entry *entries,
                     size_t count, size_t *added, struct cca_error *err)
{
    struct cca_error own = {0};
    struct mm_ledger ledger = {0};
    int file = open_locked(path, O_RDWR | O_CREAT | O_APPEND, &own), outcomes = 0;
    int result = file < 0 ? file : 0;
    size_t written = 0;

    for (size_t i = 0; i < count; i++)
        outcomes |= entries[i].kind == MM_LEDGER_OUTCOME;
    if (!result && outcomes)
        result = read_open(&ledger, path, file, &own);
    for (size_t i = 0; i < count && !result; i++) {
        if (entries[i].kind == MM_LEDGER_OUTCOME &&
            (has_outcome(ledger.entries, ledger.count, &entries[i]) ||
             has_outcome(entries, i, &entries[i])))
            continue;
        result = write_line(file, path, &entries[i], &own);
        written += !result;
    }
    mm_ledger_done(&ledger);
    if (file >= 0)
        close(file);
    if (added)
        *added = written;
    return result ? cca_error_set(err, result, "%s", own.text) : 0;
}
