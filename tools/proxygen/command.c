/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c: read files named on the command line, name generated files, report
 * errors. */
#include "tools/proxygen/command.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "tools/proxygen/emit/emit.h"
#include "tools/proxygen/perf/describe.h"
#include "tools/proxygen/read/reader.h"

int pg_report(const struct cca_error *err, int status)
{
    fprintf(stderr, "%s\n", err->text);
    return err->code == -ENOMEM ? IO_ERROR : status;
}

int pg_refuse(int status, const char *format, ...)
{
    va_list args;

    fputs("proxygen: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}

int pg_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return pg_refuse(IO_ERROR, "cannot write: %s", strerror(errno));
}

/* --- Files ---------------------------------------------------------------- */

/* Write the absolute path of `path`, with links resolved, to `full`. Returns `full`, or
 * NULL if the path is too long or there is no such file. */
static const char *path_from_root(const char *path, char full[PATH_MAX])
{
    size_t length = 0;

    if (access(path, F_OK) < 0 || (*path != '/' && !getcwd(full, PATH_MAX)))
        return NULL;
    if (*path != '/')
        length = strlen(full);
    while (*path) {
        size_t part = strcspn(path, "/");

        if (length + part + 2 > PATH_MAX)
            return NULL;
        if (part == 2 && memcmp(path, "..", 2) == 0) {
            char real[PATH_MAX]; /* resolve links first: ".." after a link leads to the
                                    parent of the link's target */

            full[length] = 0;
            if (!realpath(length ? full : "/", real))
                return NULL;
            length = (size_t)(strrchr(strcpy(full, real), '/') - full);
        } else if (part > 1 || (part == 1 && *path != '.')) {
            full[length++] = '/';
            memcpy(full + length, path, part);
            length += part;
        }
        path += part + (path[part] == '/');
    }
    full[length] = 0;
    return full;
}

/* Return the part of `path` that follows the folder `dir`, or NULL if `path` is not in
 * `dir`. */
static const char *path_below(const char *path, const char *dir)
{
    size_t length = strlen(dir);

    return strncmp(path, dir, length) == 0 && path[length] == '/' ? path + length + 1
                                                                  : NULL;
}

static const char *include_name(const struct pg_options *options, char full[PATH_MAX])
{
    static const char *const system_dirs[] = {"/usr/include/x86_64-linux-gnu",
                                              "/usr/include/aarch64-linux-gnu",
                                              "/usr/local/include", "/usr/include"};
    const int dirs = options->include_dir_count;
    const int count = dirs + (options->library ? 4 : 0);
    char name[PATH_MAX], real[PATH_MAX], dir[PATH_MAX];
    const char *rest = NULL;

    if (!path_from_root(options->header, name) || !realpath(options->header, real))
        return NULL;
    for (int i = 0; i < count && !rest; i++) {
        const char *given = i < dirs ? options->include_dirs[i] : system_dirs[i - dirs];

        if (path_from_root(given, dir) && (rest = path_below(name, dir)))
            strcpy(full, name);
        else if (realpath(given, dir) && (rest = path_below(real, dir)))
            strcpy(full, real);
        if (rest)
            return full + strlen(full) - strlen(rest);
    }
    strcpy(full, name);
    return strrchr(full, '/') + 1;
}

void pg_base_name(const char *header, const char *ending, char *base, size_t size)
{
    const char *slash = strrchr(header, '/');

    snprintf(base, size, "%.200s", slash ? slash + 1 : header);
    if (strrchr(base, '.') > base)
        *strrchr(base, '.') = 0;
    strncat(base, ending, size - strlen(base) - 1);
}

/* True if `name` may be quoted in an #include; else a message is printed. */
static int include_ok(const struct pg_options *options, const char *name)
{
    struct cca_error err = {0};

    if (name && *name &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789_./+-") == strlen(name))
        return 1;
    cca_error_set(&err, -EINVAL,
                  "%.200s: error: code cannot include a header of this name",
                  options->header);
    pg_reader_printable(err.text);
    fprintf(stderr, "%s\n", err.text);
    return 0;
}

const char *pg_include_name(const struct pg_options *options, char full[PATH_MAX])
{
    const char *name = include_name(options, full);

    return include_ok(options, name) ? name : NULL;
}

int pg_header_named_ok(const struct pg_options *options)
{
    const char *slash = strrchr(options->header, '/');

    return include_ok(options, slash ? slash + 1 : options->header);
}

char *pg_read_file(const char *path, size_t *size, struct cca_error *err)
{
    char *text = NULL;
    int status = cca_file_read(path, 1 << 24, &text, size);

    if (status < 0) {
        cca_error_set(err, status, "%.200s: error: cannot read the sidecar: %s", path,
                      strerror(-status));
        return NULL;
    }
    if (*size >= 3 &&
        memcmp(text, "\xef\xbb\xbf", 3) == 0) /* skip a UTF-8 byte order mark */
        memmove(text, text + 3, *size -= 3);
    return text;
}

/* --- Descriptions --------------------------------------------------------- */

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

int pg_write_description(const struct pg_options *options, const struct pg_port *port)
{
    char *text = port->type ? pg_describe_write(port) : NULL;
    int status;

    if (!text) {
        fputs("proxygen: out of memory\n", stderr);
        return IO_ERROR;
    }
    if (options->directory) {
        status = describe_file(options, port, text);
    } else {
        fputs(text, stdout);
        status = pg_finish(DONE);
    }
    free(text);
    return status;
}
