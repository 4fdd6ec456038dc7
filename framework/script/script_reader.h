/* SPDX-License-Identifier: BSD-3-Clause */
/* script_reader.h: read the statements of a script: join lines, drop comments, split
 * words, resolve quotes and variables. docs/reference/script.md describes the language.
 *
 * It does not interpret commands. After an error it can continue with the next
 * statement. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_READER_H
#define FRAMEWORK_SCRIPT_SCRIPT_READER_H

#include <stddef.h>
#include <stdio.h>

#include "ports/cca_error.h"

enum {
    CCA_SCRIPT_LONGEST_LINE = 64 * 1024,        /* bytes of a line with its continuation
                                                 * lines */
    CCA_SCRIPT_LONGEST_STATEMENT = 1024 * 1024, /* bytes of a statement with its variables
                                                 * expanded */
};

/* Callback that returns the value of a variable, borrowed until the next call, or NULL:
 * undefined. */
typedef const char *(*cca_script_lookup)(void *context, const char *name);

struct cca_script_buffer {
    char *bytes;
    size_t size, room;
};

struct cca_script_reader {
    FILE *file; /* borrowed */
    cca_script_lookup lookup;
    void *context;
    int plain; /* true for Ccaffeine's syntax: only whole lines are comments, and there
                  are no quotes and no variables; but "; #" ends a command, too */
    int next_line; /* line number of the next line to read */
    int ended;     /* true if the reader has met the end of the file, or #!eof */
    struct cca_script_buffer raw;  /* the line with its continuations */
    struct cca_script_buffer text; /* all words of the statement, NUL after each */
    char **words;
    size_t word_room;
    size_t word; /* index of the current word, for `lookup` */
};

/* A command with its arguments, borrowed until the next statement is read. */
struct cca_script_statement {
    int line; /* line number of the statement's first line */
    size_t count;
    char **words;
};

void cca_script_reader_init(struct cca_script_reader *reader, FILE *file,
                            cca_script_lookup lookup, void *context);
void cca_script_reader_done(struct cca_script_reader *reader);

/* Read the next statement that has a word. Returns 1; 0 at the end; -EINVAL with `err`
 * and the line set: the statement is malformed, and the next call continues after it;
 * -EIO, -ENOMEM: the reader cannot continue. */
int cca_script_reader_next(struct cca_script_reader *reader,
                           struct cca_script_statement *statement, struct cca_error *err);

/* Report that a variable is undefined; returns -EINVAL. */
int cca_script_undefined(const char *name, struct cca_error *err);

/* True if `name` can be a variable's name: a letter or '_', then also digits. */
int cca_script_is_variable(const char *name);

#endif
