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

/* Print the message of `err`. Returns `status`, or IO_ERROR if memory has run out. */
int pg_report(const struct cca_error *err, int status);
/* Print "proxygen: MESSAGE", where the message is formatted as by printf. Returns
 * `status`. */
int pg_refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush standard output. Returns `status`, or IO_ERROR after a message. */
int pg_finish(int status);

/* Find the name by which generated code includes the header: its path relative to the
 * first -I directory that contains it (for a header of a library also the system's
 * directories), as given or with links resolved; else the file's name without folders.
 * Returns a part of `full`, which is filled; NULL after a message if no #include can have
 * this name. */
const char *pg_include_name(const struct pg_options *options, char full[PATH_MAX]);
/* Write the base name of generated files to `base`: "zlib_interpose" for the header
 * "zlib.h" and the ending "_interpose". Folders are removed. */
void pg_base_name(const char *header, const char *ending, char *base, size_t size);
/* True if an #include can have the header's name without folders; else a message is
 * printed. */
int pg_header_named_ok(const struct pg_options *options);
/* Read a whole file into a new buffer, and its size; NULL with `err`. */
char *pg_read_file(const char *path, size_t *size, struct cca_error *err);

/* Write the description of the port as JSON, into a file of options->directory or, if
 * that is NULL, to standard output. Returns an exit status; if that is not DONE, a
 * message has been printed. */
int pg_write_description(const struct pg_options *options, const struct pg_port *port);

/* Fill `command` from the command line; its arrays must be large enough. Returns 0 to
 * continue, else an exit status after a message. */
int pg_options_read(const struct cca_args *args, struct command *command);
/* Return how many words of the command line, from `word` on, are one option of C
 * compilers, such as `pkg-config --cflags` prints; 0: `word` begins no such option. */
int pg_compiler_words(const char *word);
enum { PG_OPTIONS = 11 };
extern const struct cca_option pg_option_table[PG_OPTIONS];

/* The two commands for headers of libraries. Each returns an exit status. */
int pg_run_interpose(const struct command *command);
int pg_run_tables(const struct command *command);

#endif
