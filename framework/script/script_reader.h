/* SPDX-License-Identifier: BSD-3-Clause */
/* script_reader.h: from the bytes of a script to its statements: lines joined, comments
 * gone, words split, quotes and variables resolved. docs/reference/script.md describes the
 * language.
 *
 * It knows nothing of commands. After an error it can go on with the next statement. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_READER_H
#define FRAMEWORK_SCRIPT_SCRIPT_READER_H

#include <stddef.h>
#include <stdio.h>

#include "ports/cca_error.h"

enum {
    CCA_SCRIPT_LONGEST_LINE = 64 * 1024,        /* bytes, continuation lines joined */
    CCA_SCRIPT_LONGEST_STATEMENT = 1024 * 1024, /* bytes, variables expanded */
};

/* The value of a variable, borrowed until the next call, or NULL: undefined. */
typedef const char *(*cca_script_lookup)(void *context, const char *name);

struct cca_script_buffer {
    char *bytes;
    size_t size, room;
};

struct cca_script_reader {
    FILE *file; /* borrowed */
    cca_script_lookup lookup;
    void *context;
    int plain;     /* as Ccaffeine: only whole lines are comments, no quotes,
                    * no variables; but "; #" ends a command, too */
    int next_line; /* number of the line that is read next */
    int ended;     /* end of file, or #!eof */
    struct cca_script_buffer raw;  /* the joined line */
    struct cca_script_buffer text; /* all words, NUL after each */
    char **words;
    size_t word_room;
    size_t word; /* number of the one at work, for `lookup` */
};

/* One command with its arguments, borrowed until the next one is read. */
struct cca_script_statement {
    int line; /* where it starts */
    size_t count;
    char **words;
};

void cca_script_reader_init(struct cca_script_reader *reader, FILE *file,
                            cca_script_lookup lookup, void *context);
void cca_script_reader_done(struct cca_script_reader *reader);

/* Read the next statement with a word. 1; 0 at the end; -EINVAL with `err` and the line
 * set: malformed, the next call goes on after it; -EIO, -ENOMEM: cannot go on. */
int cca_script_reader_next(struct cca_script_reader *reader,
                           struct cca_script_statement *statement, struct cca_error *err);

/* Say that a variable is undefined; -EINVAL. */
int cca_script_undefined(const char *name, struct cca_error *err);

/* 1 if `name` can name a variable: a letter or '_', then also digits. */
int cca_script_is_variable(const char *name);

#endif
