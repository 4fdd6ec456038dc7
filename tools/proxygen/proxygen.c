/* SPDX-License-Identifier: BSD-3-Clause */
/* proxygen.c: the program proxygen: read a port header, write the C code of its proxy
 * component. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/proxygen/command.h"
#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/read/read.h"
#include "tools/proxygen/guard.h"

/* --- Headers of our own ---------------------------------------------------- */

/* Return a new compiler option "-I" with the folder `dir` + `rest` if the framework's
 * headers are there; else NULL. */
static char *headers_in(const char *dir, const char *rest)
{
    char *found, *header;
    int there;

    if (asprintf(&found, "-I%s%s", dir, rest) < 0)
        return NULL;
    if (asprintf(&header, "%s/ports/cca_port.h", found + 2) < 0) {
        free(found);
        return NULL;
    }
    there = access(header, R_OK) == 0;
    free(header);
    if (there)
        return found;
    free(found);
    return NULL;
}

/* Return the compiler option for the folder of the headers that belong to this program:
 * beside the folder bin/ where it is installed, else in its source tree. A new string, or
 * NULL. */
static char *own_headers(int *installed)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *found = NULL, *slash;

    path[length < 0 ? 0 : length] = 0;
    for (int up = 0; !found && (slash = strrchr(path, '/')); up++) {
        *slash = 0;
        if (up == 1)
            found = headers_in(path, "/include/mastermind");
        *installed = found != NULL;
        if (!found)
            found = headers_in(path, "");
    }
    return found;
}

/* --- Reading and writing -------------------------------------------------- */

static int apply_sidecar(const struct pg_options *options, struct pg_ports *ports,
                         struct cca_error *err)
{
    size_t length;
    char *text = pg_read_file(options->sidecar, &length, err);
    int status =
        text ? pg_ports_sidecar(ports, options->sidecar, text, length, err) : err->code;

    free(text);
    return status;
}

static int write_proxy(const struct pg_options *options, const struct pg_port *port)
{
    struct cca_error err = {0};
    char real[PATH_MAX], name[300];
    const char *include = pg_include_name(options, real);
    char *text = NULL;
    size_t size = 0;
    FILE *memory;
    int failed, status = IO_ERROR;

    if (!include)
        return BAD_INPUT;
    memory = open_memstream(&text, &size);
    failed = !memory || pg_emit_proxy(memory, port, include) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    snprintf(name, sizeof name, "%s_proxy.c", port->name);
    if (failed)
        cca_no_memory(&err);
    else if (pg_fence_code(port, include, &text, &size, &err) < 0 ||
             pg_verify(options, &(struct pg_file){name, text, size}, 1, &err) < 0)
        status = BAD_INPUT;
    else
        pg_output_write(options->directory, name, text, size, &err);
    free(text);
    return err.code ? pg_report(&err, status) : DONE;
}

/* Write HEADER_signature.h, with all ports of the header. */
static int write_signatures(const struct pg_options *options,
                            const struct pg_ports *ports)
{
    struct cca_error err = {0};
    char full[PATH_MAX], base[250], name[300], *text = NULL;
    const char *include = pg_include_name(options, full);
    size_t size = 0;
    FILE *memory;
    int failed, status = IO_ERROR;

    if (!include)
        return BAD_INPUT;
    pg_base_name(include, "_signature", base, sizeof base);
    snprintf(name, sizeof name, "%s.h", base);
    memory = open_memstream(&text, &size);
    failed = !memory ||
             pg_emit_signatures(memory, ports->list, ports->count, include, base) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    if (failed)
        cca_no_memory(&err);
    else if (pg_fence_header(ports->list[0], include, &text, &size, &err) < 0 ||
             pg_verify(options, &(struct pg_file){name, text, size}, 1, &err) < 0)
        status = BAD_INPUT;
    else
        pg_output_write(options->directory, name, text, size, &err);
    free(text);
    return err.code ? pg_report(&err, status) : DONE;
}

static int run_command(const struct command *command)
{
    const struct pg_options *options = &command->options;
    struct cca_error err = {0};
    struct pg_ports ports;
    int status = DONE;

    if ((options->library || !command->describe) && !pg_header_named_ok(options))
        return BAD_INPUT;
    if (command->interpose)
        return pg_run_interpose(command);
    if (command->tables)
        return pg_run_tables(command);
    if (pg_header_read(options, &ports, &err) < 0)
        return pg_report(&err, BAD_INPUT);
    if (options->sidecar && apply_sidecar(options, &ports, &err) < 0) {
        status = pg_report(&err, BAD_INPUT);
    } else if (command->signature) {
        status = write_signatures(options, &ports);
    } else if (command->describe && !options->directory && ports.count > 1) {
        fprintf(
            stderr,
            "%.200s: error: %zu ports in the header; -o DIR makes a document of each\n",
            options->header, ports.count);
        status = MISUSE;
    } else {
        for (size_t i = 0; i < ports.count && status == DONE; i++)
            status = command->describe ? pg_write_description(options, ports.list[i])
                                       : write_proxy(options, ports.list[i]);
    }
    pg_ports_done(&ports);
    return status;
}

static int run_verb(const struct cca_args *args)
{
    struct command command = {0};
    struct pg_options *options = &command.options;
    int status, installed = 0;

    command.clang_args =
        calloc(2 * (size_t)args->all_count + 8, sizeof *command.clang_args);
    command.include_dirs =
        calloc((size_t)args->all_count + 2, sizeof *command.include_dirs);
    command.own_headers = own_headers(&installed);
    if (!command.clang_args || !command.include_dirs)
        status = pg_refuse(IO_ERROR, "out of memory");
    else
        status = pg_options_read(args, &command);
    if (status == 0) {
        if (command.own_headers)
            command.clang_args[options->clang_arg_count++] = command.own_headers;
        if (command.own_headers && installed)
            command.include_dirs[options->include_dir_count++] = command.own_headers + 2;
        options->clang_args = command.clang_args;
        options->include_dirs = command.include_dirs;
        status = pg_guard_run(run_command, &command);
    }
    free(command.clang_args);
    free(command.include_dirs);
    free(command.own_headers);
    return status;
}

static const struct cca_verb verb = {
    .name = "proxygen",
    .usage =
        "proxygen HEADER [-o DIR] [-I DIR]... [-D NAME[=VALUE]]... [--sidecar FILE]\n"
        "proxygen --describe HEADER [-o DIR] ...\n"
        "proxygen --signature HEADER [-o DIR] ...\n"
        "proxygen --interpose HEADER --functions NAME,NAME... [-o DIR] ...\n"
        "proxygen --table NAME,NAME... HEADER [-o DIR] ...\n",
    .about = "Write the proxy component of a port, from the header of the port.\n",
    .options = pg_option_table,
    .option_count = PG_OPTIONS,
    .foreign = pg_compiler_words,
    .notes = "Output of pkg-config --cflags may be given: -U -include -isystem -iquote "
             "-idirafter -std= -pthread -f... -m... are passed to clang; -W... -O... "
             "-g... -l... -L... are ignored.\n\n"
             "Exit status: 0 done; 2 misuse; 3 bad header or sidecar; 5 I/O or memory.\n",
    .run = run_verb,
};

static const struct cca_program program = {
    .name = "proxygen",
    .version = PG_VERSION,
    .summary = "write proxies of ports, and interposers of libraries",
    .verbs = (const struct cca_verb *const[]){&verb},
    .verb_count = 1,
    .default_verb = &verb,
    .refuse = pg_refuse,
    .finish = pg_finish,
};

int main(int argc, char **argv)
{
    return cca_program_run(&program, argc, argv);
}
