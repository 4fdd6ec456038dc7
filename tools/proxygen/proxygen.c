/* SPDX-License-Identifier: BSD-3-Clause */
/* proxygen.c: the program: a port header in, the C of its proxy component out. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/proxygen/command.h"
#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/read/fence.h"
#include "tools/proxygen/guard.h"
#include "tools/proxygen/emit/output.h"
#include "tools/proxygen/perf/describe.h"
#include "tools/proxygen/read/verify.h"

static const char usage[] =
    "usage: proxygen HEADER [-o DIR] [-I DIR]... [-D NAME[=VALUE]]... [--sidecar FILE]\n"
    "       proxygen --describe HEADER [-o DIR] ...\n"
    "       proxygen --signature HEADER [-o DIR] ...\n"
    "       proxygen --interpose HEADER --functions NAME,NAME... [-o DIR] ...\n"
    "       proxygen --table NAME,NAME... HEADER [-o DIR] ...\n";

static const char help[] =
    "Write the proxy component of a port, from the header of the port.\n"
    "\n"
    "  -o DIR            write <port>_proxy.c to DIR, made if absent (default: .)\n"
    "  -I DIR            search DIR for included headers; the generated code includes "
    "HEADER\n"
    "                    by its name relative to DIR\n"
    "  -D NAME[=VALUE]   define a macro\n"
    "  --sidecar FILE    take marks from FILE, for a header that must not be changed\n"
    "  --describe        write the interface as JSON instead of code: to standard "
    "output, or\n"
    "                    with -o to DIR/TYPE.describe.json, where FfiProxy finds it\n"
    "  --signature       write HEADER_signature.h instead of code: a class states with "
    "it "
    "the\n"
    "                    prototypes that it was compiled with\n"
    "  --interpose       HEADER belongs to a library: write HEADER_interpose.c, which "
    "is\n"
    "                    preloaded in front of its functions, and compile it with $CC or "
    "cc\n"
    "  --functions LIST  the functions to interpose; a name may be a pattern, as "
    "'gzip*'\n"
    "  --available       leave out functions of the list that the header lacks or that\n"
    "                    cannot be forwarded, with a line for each\n"
    "  --table LIST      HEADER has structs of function pointers with these names: "
    "write\n"
    "                    HEADER_tables.c and .h; their NAME_wrap() makes a table that\n"
    "                    forwards to another one\n"
    "  --suggest         with --interpose or --table: print proposed marks as a sidecar, "
    "from\n"
    "                    names and types, and write nothing\n"
    "  -h, --help        print this text\n"
    "  -V, --version     print the version\n"
    "\n"
    "Output of pkg-config --cflags may be given: -U -include -isystem -iquote -idirafter "
    "-std=\n"
    "-pthread -f... -m... are passed to clang; -W... -O... -g... -l... -L... are "
    "ignored.\n"
    "\n"
    "Exit status: 0 done; 2 misuse; 3 bad header or sidecar; 5 I/O or memory.\n";

/* --- The command line ----------------------------------------------------- */

/* "-I" and `dir``rest`, new, if the framework's headers are there; else NULL. */
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

/* The headers that came with this program: installed beside its bin/, else those of the
 * tree of sources that it was built in. New, or NULL. */
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

static int misuse(const char *what, const char *word)
{
    fprintf(stderr, "proxygen: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
            word ? "'" : "", usage);
    return MISUSE;
}

/* Is this NAME, NAME=VALUE or NAME(ARGUMENTS)=VALUE? */
static int is_macro(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789");

    return length > 0 && (*text < '0' || *text > '9') && strchr("=(", text[length]);
}

/* 0: go on. */
static int parse_options(int argc, char **argv, struct command *command)
{
    enum {
        DESCRIBE = 256,
        SIGNATURE,
        SIDECAR,
        INTERPOSE,
        FUNCTIONS,
        AVAILABLE,
        SUGGEST,
        TABLE
    };
    static const struct option longs[] = {
        {"describe", no_argument, NULL, DESCRIBE},
        {"signature", no_argument, NULL, SIGNATURE},
        {"sidecar", required_argument, NULL, SIDECAR},
        {"interpose", no_argument, NULL, INTERPOSE},
        {"functions", required_argument, NULL, FUNCTIONS},
        {"available", no_argument, NULL, AVAILABLE},
        {"table", required_argument, NULL, TABLE},
        {"suggest", no_argument, NULL, SUGGEST},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0}};
    struct pg_options *options = &command->options;
    int letter;

    argc = pg_compiler_words(argc, argv, command);
    if (argc < 0)
        return misuse("an argument is missing behind the last word", NULL);
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":o:I:D:hV", longs, NULL)) >= 0) {
        switch (letter) {
        case 'o':
            options->directory = optarg;
            break;
        case 'I':
            command->include_dirs[options->include_dir_count++] = optarg;
            command->clang_args[options->clang_arg_count++] = "-I";
            command->clang_args[options->clang_arg_count++] = optarg;
            break;
        case 'D':
            if (!is_macro(optarg))
                return misuse("-D takes NAME or NAME=VALUE, found", optarg);
            command->clang_args[options->clang_arg_count++] = "-D";
            command->clang_args[options->clang_arg_count++] = optarg;
            break;
        case SIDECAR:
            options->sidecar = optarg;
            break;
        case DESCRIBE:
            command->describe = 1;
            break;
        case SIGNATURE:
            command->signature = 1;
            break;
        case INTERPOSE:
            command->interpose = 1;
            break;
        case AVAILABLE:
            options->available = 1;
            break;
        case FUNCTIONS:
            command->functions = optarg;
            break;
        case TABLE:
            command->tables = optarg;
            break;
        case SUGGEST:
            command->suggest = 1;
            break;
        case 'h':
            printf("%s\n%s", usage, help);
            return pg_told();
        case 'V':
            puts("proxygen " PG_VERSION);
            return pg_told();
        case ':':
            return misuse("an argument is missing after", argv[optind - 1]);
        default:
            return misuse("unknown option", argv[optind - 1]);
        }
    }
    if (optind == argc)
        return misuse("no header given", NULL);
    if (optind + 1 < argc)
        return misuse("one header, please; found also", argv[optind + 1]);
    if (command->interpose && !command->functions)
        return misuse("--interpose takes --functions NAME,NAME...", NULL);
    if (options->available && !command->interpose)
        return misuse("--available goes with --interpose", NULL);
    if (!command->interpose && command->functions)
        return misuse("--functions goes with --interpose", NULL);
    if (!command->interpose && !command->tables && command->suggest)
        return misuse("--suggest goes with --interpose or --table", NULL);
    if (command->interpose && command->tables)
        return misuse("--interpose or --table, not both", NULL);
    if (command->signature &&
        (command->interpose || command->tables || command->describe || options->sidecar))
        return misuse("--signature goes with -o, -I and -D alone", NULL);
    if ((command->interpose || command->tables) && command->describe &&
        (options->directory || command->suggest))
        return misuse("--describe of functions or of a table goes to standard output",
                      NULL);
    if (command->describe && command->tables && strchr(command->tables, ','))
        return misuse("--describe takes one table, found", command->tables);
    options->library = command->interpose || command->tables;
    options->header = argv[optind];
    if (!options->directory && !command->describe)
        options->directory = ".";
    if (options->directory && !*options->directory)
        return misuse("an empty directory for -o", NULL);
    return 0;
}

/* --- The work ------------------------------------------------------------- */

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

static int describe_file(const struct pg_options *options, const struct pg_port *port,
                         const char *text)
{
    struct cca_error err = {0};
    char name[300];
    int length = snprintf(name, sizeof name, "%s.describe.json", port->type);

    if ((size_t)length >= sizeof name)
        cca_error_set(&err, -ENAMETOOLONG,
                      "%.200s: error: the type is too long for a file name",
                      options->header);
    for (char *c = name; (c = strchr(c, '/'));)
        *c = '-';
    if (!err.code)
        pg_output_write(options->directory, name, text, strlen(text), &err);
    return err.code ? pg_report(&err, IO_ERROR) : DONE;
}

static int write_description(const struct pg_options *options, const struct pg_port *port)
{
    char *text = pg_describe_write(port);
    int status = DONE;

    if (!text) {
        fputs("proxygen: out of memory\n", stderr);
        return IO_ERROR;
    }
    if (options->directory)
        status = describe_file(options, port, text);
    else if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "proxygen: cannot write: %s\n", strerror(errno));
        status = IO_ERROR;
    }
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

    if (!include || !pg_include_ok(include)) {
        fprintf(stderr, "%.200s: error: code cannot include a header of this name\n",
                options->header);
        return BAD_INPUT;
    }
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

/* HEADER_signature.h, of all ports of the header. */
static int write_signatures(const struct pg_options *options,
                            const struct pg_ports *ports)
{
    struct cca_error err = {0};
    char full[PATH_MAX], base[250], name[300], *text = NULL;
    const char *include = pg_include_name(options, full);
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int status = IO_ERROR;

    if (!memory || !include) {
        cca_error_set(&err, -ENOMEM, "out of memory");
    } else {
        pg_base_name(include, "_signature", base, sizeof base);
        if (pg_emit_signatures(memory, ports->list, ports->count, include, base) < 0)
            cca_no_memory(&err);
    }
    if (memory && fclose(memory) != 0)
        cca_error_set(&err, -ENOMEM, "out of memory");
    snprintf(name, sizeof name, "%s.h", base);
    if (err.code)
        ;
    else if (!pg_include_ok(include) ||
             pg_fence_header(ports->list[0], include, &text, &size, &err) < 0 ||
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
            status = command->describe ? write_description(options, ports.list[i])
                                       : write_proxy(options, ports.list[i]);
    }
    pg_ports_done(&ports);
    return status;
}

int main(int argc, char **argv)
{
    struct command command = {0};
    int status, installed = 0;

    command.clang_args = calloc(2 * (size_t)argc + 8, sizeof *command.clang_args);
    command.include_dirs = calloc((size_t)argc + 2, sizeof *command.include_dirs);
    command.own_headers = own_headers(&installed);
    if (!command.clang_args || !command.include_dirs) {
        fputs("proxygen: out of memory\n", stderr);
        status = IO_ERROR;
    } else {
        status = parse_options(argc, argv, &command);
        if (status == 0) {
            if (command.own_headers)
                command.clang_args[command.options.clang_arg_count++] =
                    command.own_headers;
            if (command.own_headers && installed)
                command.include_dirs[command.options.include_dir_count++] =
                    command.own_headers + 2;
            command.options.clang_args = command.clang_args;
            command.options.include_dirs = command.include_dirs;
            status = pg_guard_run(run_command, &command);
        }
    }
    free(command.clang_args);
    free(command.include_dirs);
    free(command.own_headers);
    return status < 0 ? DONE : status;
}
