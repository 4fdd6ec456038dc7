/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h: the options of the command line, and functions that the commands share. */
#ifndef PROXYGEN_COMMAND_H
#define PROXYGEN_COMMAND_H

#include <limits.h>

#include "tools/proxygen/read/header.h"

enum { DONE = 0, MISUSE = 2, BAD_INPUT = 3, IO_ERROR = 5 };

struct command {
    struct pg_options options;
    const char **clang_args;
    const char **include_dirs;
    char *own_headers; /* "-I" and the directory of the headers that came with this
                          program */
    int describe, signature, interpose, suggest;
    const char *functions, *tables;
};

/* Print the message; return `status`, or IO_ERROR where memory is out. */
int pg_report(const struct cca_error *err, int status);
/* Flush standard output. -1: done; else IO_ERROR, after a message. */
int pg_told(void);

/* How generated code includes the header: relative to the first -I, or for a header of a
 * library to the first directory of the system's, that it lies in by the name given or by
 * that which links lead to; else by its last name. Returns a part of `full`, which it
 * fills; NULL after a message: code cannot include a file of that name. */
const char *pg_include_name(const struct pg_options *options, char full[PATH_MAX]);
/* "zlib_interpose" of "zlib.h" and "_interpose", without folders. */
void pg_base_name(const char *header, const char *ending, char *base, size_t size);
/* True if an #include can hold the last name of the header; else a message is printed. */
int pg_header_named_ok(const struct pg_options *options);
/* Read a whole file, new, with its size; NULL with `err`. */
char *pg_read_file(const char *path, size_t *size, struct cca_error *err);

/* Write the interface of the port as JSON, into a file of options->directory or, if that
 * is NULL, to standard output. An exit status, after a message. */
int pg_write_description(const struct pg_options *options, const struct pg_port *port);

/* Read the command line, with words of C compilers as `pkg-config --cflags` prints them.
 * 0: go on; -1: done, as after --help; MISUSE or IO_ERROR after a message. */
int pg_options_parse(int argc, char **argv, struct command *command);

/* The two commands for headers of libraries. Return an exit status. */
int pg_run_interpose(const struct command *command);
int pg_run_tables(const struct command *command);

#endif
