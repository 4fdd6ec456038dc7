/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: the commands for headers of libraries, which write interposition libraries
 * and tables. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/proxygen/command.h"
#include "tools/proxygen/read/read.h"
#include "tools/proxygen/guard.h"
#include "tools/proxygen/library/interpose.h"
#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/library/table.h"
#include "tools/proxygen/suggest/suggest.h"

/* MANY: from this number of functions on, a terminal shows an estimate of the compiler's
 * time; PER_SECOND: functions that a compiler takes per second. */
enum { MANY = 300, PER_SECOND = 50 };

/* --- Interposition -------------------------------------------------------- */

static int write_library(const struct pg_options *options, const struct pg_port *port,
                         const char *include, const char *base, struct cca_error *err)
{
    char name[300], *text = NULL;
    size_t size = 0;
    FILE *memory;
    int failed;

    memory = open_memstream(&text, &size);
    failed = !memory || pg_interpose_emit(memory, port, include) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    snprintf(name, sizeof name, "%s.c", base);
    if (failed)
        cca_no_memory(err);
    else if (pg_fence_code(port, include, &text, &size, err) == 0)
        pg_output_write(options->directory, name, text, size, err);
    free(text);
    return err->code;
}

static int write_and_compile(const struct pg_options *options, const struct pg_port *port)
{
    struct cca_error err = {0};
    char real[PATH_MAX], base[250];
    const char *include = pg_include_name(options, real);
    int status;

    if (!include)
        return BAD_INPUT;
    pg_base_name(port->name, "_interpose", base, sizeof base);
    status = write_library(options, port, include, base, &err);
    if (status < 0)
        return pg_report(&err, status == -EINVAL ? BAD_INPUT : IO_ERROR);
    if (port->method_count >= MANY && isatty(STDERR_FILENO))
        fprintf(stderr, "proxygen: compiling %zu functions, about %zu s of a processor\n",
                port->method_count, port->method_count / PER_SECOND);
    status = pg_interpose_compile(options, base, pg_guard_lift(), &err);
    if (status > 0) {
        fprintf(stderr,
                "%s/%s.c: error: no C compiler '%s' here to make %s.so of it; set CC\n",
                options->directory, base, getenv("CC") ? getenv("CC") : "cc", base);
        return IO_ERROR;
    }
    return status < 0 ? pg_report(&err, status == -EINVAL ? BAD_INPUT : IO_ERROR) : DONE;
}

/* Write the description of functions or of a table as if they were a port; the port's
 * type is their name. */
static int describe(const struct pg_options *options, struct pg_port *port)
{
    if (!port->type)
        port->type = strdup(port->name);
    return pg_write_description(options, port);
}

/* Read the sidecar and split it into `sections`; lines that are about code rather than
 * values are taken out of its text. */
static int cut_sidecar(const struct pg_options *options, struct pg_sections *sections,
                       struct cca_error *err)
{
    size_t length;
    char *text = pg_read_file(options->sidecar, &length, err);
    int status = text ? pg_sections_cut(sections, options->sidecar, text, length,
                                        "header", pg_interpose_notes, err)
                      : err->code;

    free(text);
    return status;
}

static int apply_cut_sidecar(const struct pg_sections *sections, struct pg_port *port,
                             struct cca_error *err)
{
    struct pg_source source = {.file = sections->file,
                               .text = sections->text,
                               .length = sections->length,
                               .line = 1,
                               .column = 1,
                               .lines = 1};

    for (size_t i = 0; i < sections->note_count; i++) {
        const char *method = sections->notes[i].method;

        if (!method || !pg_port_find_method(port, method, strlen(method)) ||
            !(pg_port_find_method(port, method, strlen(method))->forward ||
              pg_port_find_method(port, method, strlen(method))->has_rest))
            return pg_note_fail(
                sections, &sections->notes[i], err,
                "'%s' comes after 'function' and a requested variadic one",
                sections->notes[i].word);
    }
    return pg_marks_sidecar(port, &source, err);
}

int pg_run_interpose(const struct command *command)
{
    struct cca_error err = {0};
    const struct pg_options *options = &command->options;
    struct pg_sections sections = {.file = NULL};
    int given = options->sidecar && !command->suggest;
    int status = given ? cut_sidecar(options, &sections, &err) : 0;
    struct pg_port *port = status < 0 ? NULL
                                      : pg_interpose_read(options, command->functions,
                                                          given ? &sections : NULL, &err);

    if (port && given)
        status = apply_cut_sidecar(&sections, port, &err);
    else if (port)
        status = pg_interpose_suggest(port, command->suggest ? stdout : stderr, &err);
    if (!port || status < 0)
        status = pg_report(&err, BAD_INPUT);
    else if (command->describe)
        status = describe(options, port);
    else
        status = command->suggest ? pg_finish(status) : write_and_compile(options, port);
    pg_sections_done(&sections);
    pg_port_free(port);
    return status;
}

/* --- Tables --------------------------------------------------------------- */

/* Return the new text of one of the two generated files: of the header if `include` is
 * not NULL, else of the C file. NULL with `err`. */
static char *tables_text(const struct pg_tables *tables, const char *base,
                         const char *include, size_t *size, struct cca_error *err)
{
    const struct pg_port *port = tables->list[0].port;
    char *text = NULL, own[300];
    FILE *memory = open_memstream(&text, size);
    int failed = !memory;

    if (memory)
        failed = (include ? pg_tables_emit_header(memory, tables, include, base)
                          : pg_tables_emit(memory, tables, base)) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    snprintf(own, sizeof own, "%s.h", base);
    if (failed)
        cca_no_memory(err);
    else if (include)
        pg_fence_header(port, include, &text, size, err);
    else
        pg_fence_code(port, own, &text, size, err);
    if (!err->code)
        return text;
    free(text);
    return NULL;
}

/* Write both files, or none. Returns an exit status. */
static int write_tables(const struct pg_options *options, const struct pg_tables *tables,
                        const char *base, const char *include)
{
    struct cca_error err = {0};
    size_t code_size = 0, header_size = 0;
    char *code = tables_text(tables, base, NULL, &code_size, &err);
    char *header = code ? tables_text(tables, base, include, &header_size, &err) : NULL;
    char code_name[300], header_name[300];
    struct pg_file files[] = {{code_name, code, code_size},
                              {header_name, header, header_size}};
    int status = BAD_INPUT;

    snprintf(code_name, sizeof code_name, "%s.c", base);
    snprintf(header_name, sizeof header_name, "%s.h", base);
    if (header && pg_verify(options, files, 2, &err) == 0) {
        status = IO_ERROR;
        if (pg_output_write(options->directory, code_name, code, code_size, &err) == 0)
            pg_output_write(options->directory, header_name, header, header_size, &err);
    }
    free(code);
    free(header);
    return err.code ? pg_report(&err, status) : DONE;
}

static int tables_marks(const struct command *command, struct pg_tables *tables,
                        struct cca_error *err)
{
    const char *file = command->options.sidecar;
    char *text;
    size_t length;
    int status;

    if (!file || command->suggest)
        return pg_tables_suggest(tables, command->suggest ? stdout : stderr, err);
    text = pg_read_file(file, &length, err);
    if (!text)
        return err->code;
    status = pg_tables_sidecar(tables, file, text, length, err);
    free(text);
    return status;
}

int pg_run_tables(const struct command *command)
{
    struct cca_error err = {0};
    struct pg_tables *tables = pg_tables_read(&command->options, command->tables, &err);
    char real[PATH_MAX], base[250];
    const char *include;
    int status;

    if (!tables)
        return pg_report(&err, BAD_INPUT);
    pg_base_name(tables->header, "_tables", base, sizeof base);
    if (tables_marks(command, tables, &err) < 0) {
        status = pg_report(&err, BAD_INPUT);
    } else if (command->suggest) {
        status = pg_finish(DONE);
    } else if (command->describe) {
        status = describe(&command->options, tables->list[0].port);
    } else {
        include = pg_include_name(&command->options, real);
        status =
            include ? write_tables(&command->options, tables, base, include) : BAD_INPUT;
    }
    pg_tables_free(tables);
    return status;
}
