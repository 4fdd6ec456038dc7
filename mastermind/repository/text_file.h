/* SPDX-License-Identifier: BSD-3-Clause */
/* text_file.h: read a JSON document, with line numbers for error messages. */
#ifndef MASTERMIND_REPOSITORY_TEXT_FILE_H
#define MASTERMIND_REPOSITORY_TEXT_FILE_H

#include <stddef.h>

#include <jansson.h>

#include "ports/cca_error.h"

struct mm_text_file {
    const char *path; /* name of the file; borrowed */
    char *text;
    size_t size;
    json_t *json; /* contents of the file as a JSON object */
    int checked;  /* true if the file began with a correct check sum (json_check.h) */
};

/* Read a file of at most 16 MiB. Free with mm_text_file_done, unless this fails.
 *
 * Returns 0; -ENOENT: no such file; -EBADMSG "file:line: found ..., expected ..."; -EIO;
 * -ENOMEM. */
int mm_text_file_read(struct mm_text_file *file, const char *path, struct cca_error *err);
void mm_text_file_done(struct mm_text_file *file);

/* Set `err` to "file:line: message" about the member `key`. Returns -EBADMSG. */
int mm_text_file_refuse(const struct mm_text_file *file, const char *key,
                        struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
