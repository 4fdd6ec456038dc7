/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_inspect.c: ccafe inspect: what a class descriptor says, and which libraries could
 * be loaded. Nothing is run. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"
#include "framework/cmd/inspect.h"
#include "framework/cmd/json.h"
#include "framework/cmd/verdicts.h"

const char *ccafe_type_name(enum cca_type type)
{
    switch (type) {
    case CCA_INT:
        return "int";
    case CCA_LONG:
        return "long";
    case CCA_FLOAT:
        return "float";
    case CCA_DOUBLE:
        return "double";
    case CCA_BOOL:
        return "bool";
    default:
        return "string";
    }
}

const char *ccafe_compose_name(enum cca_compose compose)
{
    return compose == CCA_MIN ? "min" : compose == CCA_SUM ? "sum" : "max";
}

int ccafe_inspect_methods(const struct cca_repository *repository,
                          const struct cca_class_info *info, const char *type,
                          struct ccafe_methods *methods)
{
    int own = info->cls.proxy_for && strcmp(info->cls.proxy_for, type) == 0;
    const struct cca_class_info *proxy =
        own ? info : cca_repository_proxy_for(repository, type);

    *methods = (struct ccafe_methods){.items = NULL};
    return proxy ? ccafe_methods_read(methods, proxy->file, type) : -1;
}

static int is_file(const char *what)
{
    size_t length = strlen(what);

    return strchr(what, '/') || (length > 3 && strcmp(what + length - 3, ".so") == 0);
}

/* What was asked for. */
struct request {
    struct cca_repository *repository;
    const char *cache; /* directory, or NULL: the user's */
    const char *what;  /* CLASS or FILE.so; NULL: none */
    int as_json, list, forget;
};

static int show(const struct request *request, const struct cca_class_info *info)
{
    struct ccafe_inspected inspected = {.repository = request->repository, .info = info};

    if (!ccafe_probe_blocked(request->cache, info, inspected.blocked,
                             sizeof inspected.blocked))
        inspected.blocked[0] = '\0';
    if (ccafe_run_path_read(&inspected.run_path, info->file) == -ENOMEM) {
        ccafe_run_path_done(&inspected.run_path);
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    }
    if (request->as_json)
        ccafe_inspect_json(&inspected);
    else
        ccafe_inspect_text(&inspected);
    ccafe_run_path_done(&inspected.run_path);
    return CCA_EXIT_DONE;
}

/* True where the file is an interposition library, which has been shown. */
static int show_functions(const char *file, int as_json)
{
    struct ccafe_methods functions;
    int found = ccafe_functions_read(&functions, file) == 0;

    if (found && as_json) {
        printf("{\"schema\": \"ccafe/inspect/1\"");
        ccafe_json_member("header", functions.type);
        ccafe_json_member("file", file);
        ccafe_json_member("build_id", functions.elf.build_id);
        ccafe_inspect_json_methods(&functions);
        puts("}");
    } else if (found) {
        printf("%-9s %s\n%-9s %s\n%-9s %s\n", "header", functions.type, "file", file,
               "build id", functions.elf.build_id);
        for (size_t i = 0; i < functions.count; i++) {
            printf("%-9s ", "function");
            ccafe_inspect_text_method(&functions.items[i]);
        }
    }
    ccafe_methods_done(&functions);
    return found;
}

enum { TABLES_MAX = 256 };

/* True where the file wraps tables, which have been shown. */
static int show_tables(const char *file, int as_json)
{
    struct ccafe_methods table;
    size_t count = 0;

    /* Each is read from the file anew: a hostile one could say that it has very many. */
    for (; count < TABLES_MAX && ccafe_table_read(&table, file, count) == 0; count++) {
        if (as_json && !count) {
            printf("{\"schema\": \"ccafe/inspect/1\"");
            ccafe_json_member("file", file);
            ccafe_json_member("build_id", table.elf.build_id);
        }
        if (as_json) {
            printf(count ? ", {\"type\": " : ", \"tables\": [{\"type\": ");
            ccafe_json_string(table.type);
            ccafe_inspect_json_methods(&table);
            putchar('}');
        } else {
            if (!count)
                printf("%-9s %s\n%-9s %s\n", "file", file, "build id",
                       table.elf.build_id);
            printf("%-9s %s\n", "table", table.type);
        }
        for (size_t i = 0; !as_json && i < table.count; i++) {
            printf("%-9s ", "function");
            ccafe_inspect_text_method(&table.items[i]);
        }
        ccafe_methods_done(&table);
    }
    if (count < TABLES_MAX)
        ccafe_methods_done(&table);
    if (as_json && count)
        puts("]}");
    return count != 0;
}

static int inspect_file(const struct request *request)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(request->what, &err);
    int status;

    if (!info && (show_functions(request->what, request->as_json) ||
                  show_tables(request->what, request->as_json)))
        return CCA_EXIT_DONE;
    if (!info)
        return ccafe_complain(err.code == -ENOMEM || err.code == -EIO
                                  ? CCA_EXIT_IO_OR_MEMORY
                                  : CCA_EXIT_BAD_INPUT,
                              "%s", err.text);
    status = show(request, info);
    cca_class_info_free(info);
    return status;
}

static int unknown_class(const struct request *request)
{
    struct cca_error err = {0};

    return ccafe_complain(
        cca_repository_unknown(request->repository, request->what, &err) == -ENOMEM
            ? CCA_EXIT_IO_OR_MEMORY
            : CCA_EXIT_BAD_INPUT,
        "%s", err.text);
}

static int inspect_class(const struct request *request)
{
    const struct cca_class_info *info =
        cca_repository_find(request->repository, request->what);

    return info ? show(request, info) : unknown_class(request);
}

/* --- What is known of libraries ------------------------------------------- */

static int no_cache(void)
{
    return ccafe_complain(CCA_EXIT_IO_OR_MEMORY,
                          "there is no cache directory that can be written");
}

static int list(const struct request *request)
{
    char *file = ccafe_verdicts_file(request->cache, 0);
    int status = file ? ccafe_verdicts_print(file, request->as_json) : 0;

    if (!file)
        return no_cache();
    if (status < 0)
        status =
            ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "'%s': %s", file, strerror(-status));
    free(file);
    return status;
}

/* The path of the library that is meant: new, or NULL. A file may be gone. */
static char *library_of(const struct request *request)
{
    const struct cca_class_info *info = NULL;
    char *real;

    if (!is_file(request->what)) {
        info = cca_repository_find(request->repository, request->what);
        return info ? strdup(info->file) : NULL;
    }
    real = realpath(request->what, NULL);
    return real ? real : strdup(request->what);
}

/* Status 1: nothing was known. */
static int forget(const struct request *request)
{
    char *file = ccafe_verdicts_file(request->cache, 0), *library = library_of(request);
    int status;

    if (!file)
        status = no_cache();
    else if (!library)
        status = unknown_class(request);
    else if ((status = ccafe_verdicts_forget(file, library)) < 0)
        status =
            ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "'%s': %s", file, strerror(-status));
    else
        status = printf("%s %s\n", status ? "forgotten" : "not known:", library) < 0
                     ? CCA_EXIT_IO_OR_MEMORY
                 : status ? CCA_EXIT_DONE
                          : CCA_EXIT_NO;
    free(library);
    free(file);
    return status;
}

/* --- The verb ------------------------------------------------------------- */

static const char usage[] =
    "usage: ccafe inspect [--json] [--path DIR] [--cache=DIR] CLASS|FILE.so\n"
    "       ccafe inspect [--json] --cache[=DIR]    which libraries could be loaded\n"
    "       ccafe inspect --forget [--path DIR] [--cache=DIR] CLASS|FILE.so\n"
    "                                               try it again when it is loaded "
    "next\n";

/* -1: go on; else an exit status. */
static int take_options(struct request *request, int argc, char **argv)
{
    static const struct option longs[] = {
        {"json", no_argument, NULL, 'j'},        {"path", required_argument, NULL, 'p'},
        {"cache", optional_argument, NULL, 'c'}, {"forget", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
    struct cca_error err = {0};
    int letter;

    optind = 1;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        if (letter == 'j')
            request->as_json = 1;
        else if (letter == 'f')
            request->forget = 1;
        else if (letter == 'c' && (request->list = 1))
            request->cache = optarg;
        else if (letter == 'h')
            return fputs(usage, stdout) < 0 ? CCA_EXIT_IO_OR_MEMORY : CCA_EXIT_DONE;
        else if (letter != 'p')
            return ccafe_bad_option(letter, argv);
        else if (cca_repository_path_append(request->repository, optarg, &err) < 0)
            return ccafe_complain(ccafe_bad_directory(err.code), "--path: %s", err.text);
    }
    request->list = request->list && !request->forget && optind == argc;
    if (optind + !request->list != argc)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "inspect takes one CLASS or FILE.so, found %d arguments",
                              argc - optind);
    request->what = argv[optind]; /* NULL at the end */
    return -1;
}

static int answer(const struct request *request)
{
    if (request->list)
        return list(request);
    if (request->forget)
        return forget(request);
    return is_file(request->what) ? inspect_file(request) : inspect_class(request);
}

int cmd_inspect(int argc, char **argv)
{
    struct request request = {.repository = cca_repository_new()};
    char *own = ccafe_component_dir();
    struct cca_error err = {0};
    int status = -1;

    if (!request.repository || !own)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    if (status < 0)
        status = take_options(&request, argc, argv);
    if (status < 0 && ccafe_component_path(request.repository, own, &err) < 0)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text);
    if (status < 0)
        status = answer(&request);
    cca_repository_free(request.repository);
    free(own);
    return status;
}
