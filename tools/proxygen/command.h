/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h: the options of the command line, and functions that the commands share. */
#ifndef PROXYGEN_COMMAND_H
#define PROXYGEN_COMMAND_H

#include <limits.h>

#include "common/verbs/verbs.h"
#include "tools/proxygen/read/read.h"

enum { DONE = 0, MISUSE = 2, BAD_INPUT = 3, IO_ERROR = 5 };

struct command {
    struct pg_options options;
    const char **clang_args;
    const char **include_dirs;
    char *own_headers; /* compiler option "-I" with the directory of the headers
                        * installed with this program */
    int describe, signature, interpose, suggest;
    const char *functions, *tables;
};

/* Print the message; return `status`, or IO_ERROR if memory is out. */
int pg_report(const struct cca_error *err, int status);
/* Print "proxygen: MESSAGE". Returns `status`. */
int pg_refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush standard output. Returns `status`, or IO_ERROR after a message. */
int pg_finish(int status);

/* The name by which generated code includes the header: relative to the first -I
 * directory that contains it (for a header of a library also the system's directories),
 * with the path as given or with links resolved; else its last name alone. Returns a part
 * of `full`, which it fills; NULL after a message: no #include can have this name. */
const char *pg_include_name(const struct pg_options *options, char full[PATH_MAX]);
/* Write "zlib_interpose" for "zlib.h" and "_interpose", without folders. */
void pg_base_name(const char *header, const char *ending, char *base, size_t size);
/* True if an #include can hold the last name of the header; else a message is printed. */
int pg_header_named_ok(const struct pg_options *options);
/* Read a whole file, new, and its size; NULL with `err`. */
char *pg_read_file(const char *path, size_t *size, struct cca_error *err);

/* Write the description of the port as JSON, into a file of options->directory or, if
 * that is NULL, to standard output. Returns an exit status, after a message. */
int pg_write_description(const struct pg_options *options, const struct pg_port *port);

/* Fill `command`, whose arrays of words have room. 0: go on; else an exit status after a
 * message. */
int pg_options_read(const struct cca_args *args, struct command *command);
/* The number of words from this one on that are an option of C compilers, as `pkg-config
 * --cflags` prints them; 0: it is none. */
int pg_compiler_words(const char *word);
enum { PG_OPTIONS = 11 };
extern const struct cca_option pg_option_table[PG_OPTIONS];

/* The two commands for headers of libraries. Each returns an exit status. */
int pg_run_interpose(const struct command *command);
int pg_run_tables(const struct command *command);

#endif
