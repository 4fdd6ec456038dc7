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

#include "tools/proxygen/emit.h"
#include "tools/proxygen/header.h"
#include "tools/proxygen/interpose.h"
#include "tools/proxygen/output.h"
#include "tools/proxygen/perf/describe.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/table.h"

enum { DONE = 0, MISUSE = 2, BAD_INPUT = 3, IO_ERROR = 5 };

static const char usage[] =
    "usage: proxygen HEADER [-o DIR] [-I DIR]... [-D NAME[=VALUE]]... [--sidecar FILE]\n"
    "       proxygen --describe HEADER [-o DIR] ...\n"
    "       proxygen --interpose HEADER --functions NAME,NAME... [-o DIR] ...\n"
    "       proxygen --table NAME,NAME... HEADER [-o DIR] ...\n";

static const char help[] =
    "Write the proxy component of the port in a header.\n\n"
    "  -o DIR          write <port>_proxy.c into DIR, made if absent (default: .)\n"
    "  -I DIR          search DIR for included headers; the code includes HEADER relative to it\n"
    "  -D NAME[=VALUE] define a macro\n"
    "  --sidecar FILE  marks from FILE, for a header that must not be touched\n"
    "  --describe      write the interface as JSON, and no code: to standard output, or with\n"
    "                  -o to DIR/TYPE.describe.json, where FfiProxy looks for it\n"
    "  --interpose     HEADER is of a library: write HEADER_interpose.c, which is preloaded in\n"
    "                  front of its functions, and compile it with $CC or cc\n"
    "  --functions LIST  of these functions, among them patterns as 'gzip*'\n"
    "  --table LIST    HEADER has structs of functions of these names: write HEADER_tables.c\n"
    "                  and .h, whose NAME_wrap() makes of a table one that forwards to it\n"
    "  --suggest       with --interpose or --table: print the marks that names and types speak\n"
    "                  for, as a sidecar, and write nothing\n"
    "  -h, --help      this text\n"
    "  -V, --version   version\n\n"
    "Exit status: 0 done; 2 misuse; 3 the header or the sidecar is bad; 5 cannot write, or\n"
    "out of memory.\n";

struct command {
    struct pg_options options;
    const char **clang_args;
    const char **include_dirs;
    char *own_headers; /* "-I" and the directory of the headers that came with this program */
    int describe, interpose, suggest;
    const char *functions, *tables;
};

static int report(const struct cca_error *err, int status)
{
    fprintf(stderr, "%s\n", err->text);
    return err->code == -ENOMEM ? IO_ERROR : status;
}

/* --- The command line ------------------------------------------------------------------- */

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

/* The headers that came with this program: installed beside its bin/, else those of the tree of
 * sources that it was built in. New, or NULL. */
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

/* What was asked for is on standard output: -1, done, or the status where it could not be. */
static int told(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return -1;
    fprintf(stderr, "proxygen: cannot write: %s\n", strerror(errno));
    return IO_ERROR;
}

/* 0: go on. */
static int parse_options(int argc, char **argv, struct command *command)
{
    enum { DESCRIBE = 256, SIDECAR, INTERPOSE, FUNCTIONS, SUGGEST, TABLE };
    static const struct option longs[] = {{"describe", no_argument, NULL, DESCRIBE},
                                          {"sidecar", required_argument, NULL, SIDECAR},
                                          {"interpose", no_argument, NULL, INTERPOSE},
                                          {"functions", required_argument, NULL, FUNCTIONS},
                                          {"table", required_argument, NULL, TABLE},
                                          {"suggest", no_argument, NULL, SUGGEST},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    struct pg_options *options = &command->options;
    int letter;

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
            command->clang_args[options->clang_arg_count++] = "-D";
            command->clang_args[options->clang_arg_count++] = optarg;
            break;
        case SIDECAR:
            options->sidecar = optarg;
            break;
        case DESCRIBE:
            command->describe = 1;
            break;
        case INTERPOSE:
            command->interpose = 1;
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
            return told();
        case 'V':
            puts("proxygen " PG_VERSION);
            return told();
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
    if (!command->interpose && command->functions)
        return misuse("--functions goes with --interpose", NULL);
    if (!command->interpose && !command->tables && command->suggest)
        return misuse("--suggest goes with --interpose or --table", NULL);
    if (command->interpose && command->tables)
        return misuse("--interpose or --table, not both", NULL);
    if ((command->interpose || command->tables) && command->describe)
        return misuse("--describe does not go with --interpose or --table", NULL);
    options->header = argv[optind];
    if (!options->directory && !command->describe)
        options->directory = ".";
    if (options->directory && !*options->directory)
        return misuse("an empty directory for -o", NULL);
    return 0;
}

/* --- The work --------------------------------------------------------------------------- */

/* How the code includes the header: relative to the first -I that it lies in, else by its last
 * name. Returns a part of `real`, which it fills. */
static const char *include_name(const struct pg_options *options, char real[PATH_MAX])
{
    const char *slash;

    if (!realpath(options->header, real))
        return NULL;
    for (int i = 0; i < options->include_dir_count; i++) {
        char dir[PATH_MAX];
        size_t length;

        if (!realpath(options->include_dirs[i], dir))
            continue;
        length = strlen(dir);
        if (strncmp(real, dir, length) == 0 && real[length] == '/')
            return real + length + 1;
    }
    slash = strrchr(real, '/');
    return slash ? slash + 1 : real;
}

/* True for a name that can stand between the quotes of an #include. */
static int include_ok(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_./+-") == strlen(name);
}

/* A whole file, new, with its size; NULL with `err`. */
static char *read_file(const char *path, size_t *size, struct cca_error *err)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0, used = 0;
    int status = file ? 0 : -errno;

    while (status == 0) {
        if (used == room) {
            char *grown = room > (1u << 24) ? NULL : realloc(text, room += 65536);

            if (!grown) {
                status = room > (1u << 24) ? -EFBIG : -ENOMEM;
                break;
            }
            text = grown;
        }
        size_t got = fread(text + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            status = ferror(file) ? -EIO : 1;
            break;
        }
    }
    if (file)
        fclose(file);
    if (status < 0) {
        free(text);
        cca_error_set(err, status, "%.200s: error: cannot read the sidecar: %s", path,
                      strerror(-status));
        return NULL;
    }
    *size = used;
    return text;
}

static int apply_sidecar(const struct pg_options *options, struct pg_port *port,
                         struct cca_error *err)
{
    struct pg_source source = {.file = options->sidecar, .line = 1, .column = 1, .lines = 1};
    char *text = read_file(options->sidecar, &source.length, err);
    int status;

    if (!text)
        return err->code;
    source.text = text;
    status = pg_marks_sidecar(port, &source, err);
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
        cca_error_set(&err, -ENAMETOOLONG, "%.200s: error: the type is too long for a file name",
                      options->header);
    for (char *c = name; (c = strchr(c, '/'));)
        *c = '-';
    if (!err.code)
        pg_output_write(options->directory, name, text, strlen(text), &err);
    return err.code ? report(&err, IO_ERROR) : DONE;
}

static int describe(const struct pg_options *options, const struct pg_port *port)
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

static int generate(const struct pg_options *options, const struct pg_port *port)
{
    struct cca_error err = {0};
    char real[PATH_MAX], name[300];
    const char *include = include_name(options, real);
    char *text = NULL;
    size_t size = 0;
    FILE *memory;
    int failed;

    if (!include || !include_ok(include)) {
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
        cca_error_set(&err, -ENOMEM, "out of memory");
    else
        failed = pg_output_write(options->directory, name, text, size, &err) < 0;
    free(text);
    return failed ? report(&err, IO_ERROR) : DONE;
}

/* --- Interposition ------------------------------------------------------------------------ */

/* As the code includes a library's header: relative to -I or to where compilers look. */
static const char *library_include(const struct pg_options *options, char real[PATH_MAX])
{
    static const char *const roots[] = {"/usr/include/x86_64-linux-gnu/",
                                        "/usr/include/aarch64-linux-gnu/",
                                        "/usr/local/include/", "/usr/include/"};
    const char *include = include_name(options, real);

    for (size_t i = 0; include && !strchr(include, '/') && i < sizeof roots / sizeof *roots; i++)
        if (strncmp(real, roots[i], strlen(roots[i])) == 0)
            return real + strlen(roots[i]);
    return include;
}

/* "zlib_interpose" of "zlib.h". */
static void library_base(const char *header, const char *ending, char *base, size_t size)
{
    snprintf(base, size, "%.200s", header);
    if (strrchr(base, '.') > base)
        *strrchr(base, '.') = 0;
    strncat(base, ending, size - strlen(base) - 1);
}

static int write_library(const struct pg_options *options, const struct pg_port *port,
                         const char *base, struct cca_error *err)
{
    char real[PATH_MAX], name[300], *text = NULL;
    const char *include = library_include(options, real);
    size_t size = 0;
    FILE *memory;
    int failed;

    if (!include || !include_ok(include))
        return cca_error_set(err, -EINVAL,
                             "%.200s: error: code cannot include a header of this name",
                             options->header);
    memory = open_memstream(&text, &size);
    failed = !memory || pg_interpose_emit(memory, port, include) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    snprintf(name, sizeof name, "%s.c", base);
    if (failed)
        cca_error_set(err, -ENOMEM, "out of memory");
    else
        pg_output_write(options->directory, name, text, size, err);
    free(text);
    return err->code;
}

static int write_and_compile(const struct pg_options *options, const struct pg_port *port)
{
    struct cca_error err = {0};
    char base[250];
    int status;

    library_base(port->name, "_interpose", base, sizeof base);
    status = write_library(options, port, base, &err);
    if (status < 0)
        return report(&err, status == -EINVAL ? BAD_INPUT : IO_ERROR);
    status = pg_interpose_compile(options, base, &err);
    if (status > 0) {
        fprintf(stderr, "%s/%s.c: error: no C compiler '%s' here to make %s.so of it; set CC\n",
                options->directory, base, getenv("CC") ? getenv("CC") : "cc", base);
        return IO_ERROR;
    }
    return status < 0 ? report(&err, IO_ERROR) : DONE;
}

/* The sidecar without its lines about code, which are kept aside. */
static int cut_sidecar(const struct pg_options *options, struct pg_sections *sections,
                       struct cca_error *err)
{
    size_t length;
    char *text = read_file(options->sidecar, &length, err);
    int status = text ? pg_sections_cut(sections, options->sidecar, text, length, "header",
                                        pg_interpose_notes, err)
                      : err->code;

    free(text);
    return status;
}

static int apply_cut_sidecar(const struct pg_sections *sections, struct pg_port *port,
                             struct cca_error *err)
{
    struct pg_source source = {.file = sections->file, .text = sections->text,
                               .length = sections->length, .line = 1, .column = 1, .lines = 1};

    for (size_t i = 0; i < sections->note_count; i++) {
        const char *method = sections->notes[i].method;

        if (!method || !pg_port_find_method(port, method, strlen(method)) ||
            !(pg_port_find_method(port, method, strlen(method))->forward ||
              pg_port_find_method(port, method, strlen(method))->has_rest))
            return pg_note_fail(sections, &sections->notes[i], err,
                                "'%s' stands behind 'function' and a variadic one that is asked for",
                                sections->notes[i].word);
    }
    return pg_marks_sidecar(port, &source, err);
}

static int interpose(const struct command *command)
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
        status = report(&err, BAD_INPUT);
    else if (!command->suggest)
        status = write_and_compile(options, port);
    else if (told() != -1)
        status = IO_ERROR;
    pg_sections_done(&sections);
    pg_port_free(port);
    return status;
}

/* --- Tables --------------------------------------------------------------------------------- */

/* One of the two files. */
static int write_tables(const struct command *command, const struct pg_tables *tables,
                        const char *base, const char *include, struct cca_error *err)
{
    char name[300], *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int failed = !memory;

    if (memory)
        failed = (include ? pg_tables_emit_header(memory, tables, include, base)
                          : pg_tables_emit(memory, tables, base)) < 0;
    if (memory && fclose(memory) != 0)
        failed = 1;
    snprintf(name, sizeof name, "%s.%c", base, include ? 'h' : 'c');
    if (failed)
        cca_error_set(err, -ENOMEM, "out of memory");
    else
        pg_output_write(command->options.directory, name, text, size, err);
    free(text);
    return err->code;
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
    text = read_file(file, &length, err);
    if (!text)
        return err->code;
    status = pg_tables_sidecar(tables, file, text, length, err);
    free(text);
    return status;
}

static int wrap_tables(const struct command *command)
{
    struct cca_error err = {0};
    struct pg_tables *tables = pg_tables_read(&command->options, command->tables, &err);
    char real[PATH_MAX], base[250];
    const char *include;
    int status;

    if (!tables)
        return report(&err, BAD_INPUT);
    include = library_include(&command->options, real);
    library_base(tables->header, "_tables", base, sizeof base);
    if (tables_marks(command, tables, &err) < 0) {
        status = report(&err, BAD_INPUT);
    } else if (command->suggest) {
        status = told() == -1 ? DONE : IO_ERROR;
    } else if (!include || !include_ok(include)) {
        fprintf(stderr, "%.200s: error: code cannot include a header of this name\n",
                command->options.header);
        status = BAD_INPUT;
    } else {
        status = write_tables(command, tables, base, NULL, &err) < 0 ||
                         write_tables(command, tables, base, include, &err) < 0
                     ? report(&err, IO_ERROR)
                     : DONE;
    }
    pg_tables_free(tables);
    return status;
}

static int run(const struct command *command)
{
    struct cca_error err = {0};
    struct pg_port *port;
    int status;

    if (command->interpose)
        return interpose(command);
    if (command->tables)
        return wrap_tables(command);
    port = pg_header_read(&command->options, &err);
    if (!port)
        return report(&err, BAD_INPUT);
    if (command->options.sidecar && apply_sidecar(&command->options, port, &err) < 0)
        status = report(&err, BAD_INPUT);
    else
        status = command->describe ? describe(&command->options, port)
                                   : generate(&command->options, port);
    pg_port_free(port);
    return status;
}

int main(int argc, char **argv)
{
    struct command command = {0};
    int status, installed = 0;

    command.clang_args = calloc(2 * (size_t)argc + 6, sizeof *command.clang_args);
    command.include_dirs = calloc((size_t)argc + 2, sizeof *command.include_dirs);
    command.own_headers = own_headers(&installed);
    if (!command.clang_args || !command.include_dirs) {
        fputs("proxygen: out of memory\n", stderr);
        status = IO_ERROR;
    } else {
        status = parse_options(argc, argv, &command);
        if (status == 0) {
            if (command.own_headers)
                command.clang_args[command.options.clang_arg_count++] = command.own_headers;
            if (command.own_headers && installed)
                command.include_dirs[command.options.include_dir_count++] =
                    command.own_headers + 2;
            if (command.interpose || command.tables) {
                command.clang_args[command.options.clang_arg_count++] = "-D";
                command.clang_args[command.options.clang_arg_count++] = "_GNU_SOURCE";
            }
            command.options.clang_args = command.clang_args;
            command.options.include_dirs = command.include_dirs;
            status = run(&command);
        }
    }
    free(command.clang_args);
    free(command.include_dirs);
    free(command.own_headers);
    return status < 0 ? DONE : status;
}
