/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_inspect.c: ccafe inspect: print a class descriptor. Runs no code of the class. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cmd/cmd.h"

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

/* The command line of inspect. */
struct request {
    struct cca_repository *repository;
    const char *what; /* CLASS or FILE.so */
    int as_json;
};

static int print_class(const struct request *request, const struct cca_class_info *info)
{
    struct ccafe_inspected inspected = {.repository = request->repository, .info = info};

    if (cca_run_path_read(&inspected.run_path, info->file) == -ENOMEM) {
        cca_run_path_done(&inspected.run_path);
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    }
    if (request->as_json)
        ccafe_inspect_json(&inspected);
    else
        ccafe_inspect_text(&inspected);
    cca_run_path_done(&inspected.run_path);
    return CCA_EXIT_DONE;
}

/* If the file is an interposition library, print its functions and return true. */
static int print_functions(const char *file, int as_json)
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

/* If the file wraps tables of functions, print them and return true. */
static int print_tables(const char *file, int as_json)
{
    struct ccafe_methods table;
    size_t count = 0;

    /* read one table at a time: a hostile file could claim to have very many */
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

    if (!info && (print_functions(request->what, request->as_json) ||
                  print_tables(request->what, request->as_json)))
        return CCA_EXIT_DONE;
    if (!info)
        return ccafe_complain(err.code == -ENOMEM || err.code == -EIO
                                  ? CCA_EXIT_IO_OR_MEMORY
                                  : CCA_EXIT_BAD_INPUT,
                              "%s", err.text);
    status = print_class(request, info);
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

    return info ? print_class(request, info) : unknown_class(request);
}

/* --- The verb ------------------------------------------------------------- */

enum { JSON, PATH };
static const struct cca_option option_table[] = {
    [JSON] = {"--json", NULL, "print one document, ccafe/inspect/1"},
    [PATH] = {"--path", "DIR", "search DIR for components first; may be repeated"},
};

/* Read the options of inspect. Returns -1 to go on; else an exit status. */
static int take_options(struct request *request, const struct cca_args *args)
{
    const struct cca_given *path = &args->options[PATH];
    struct cca_error err = {0};

    request->as_json = args->options[JSON].given;
    for (int i = 0; i < path->given; i++)
        if (cca_repository_path_append(request->repository, path->values[i], &err) < 0)
            return ccafe_complain(ccafe_bad_directory(err.code), "--path: %s", err.text);
    if (args->count != 1)
        return ccafe_complain(CCA_EXIT_MISUSE,
                              "inspect takes one CLASS or FILE.so, found %d arguments",
                              args->count);
    request->what = args->words[0];
    return -1;
}

static int inspect_verb(const struct cca_args *args)
{
    struct request request = {.repository = cca_repository_new()};
    char *own = ccafe_component_dir();
    struct cca_error err = {0};
    int status = -1;

    if (!request.repository || !own)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    if (status < 0)
        status = take_options(&request, args);
    if (status < 0 && ccafe_component_path(request.repository, own, &err) < 0)
        status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text);
    if (status < 0)
        status = is_file(request.what) ? inspect_file(&request) : inspect_class(&request);
    cca_repository_free(request.repository);
    free(own);
    return status;
}

const struct cca_verb ccafe_verb_inspect = {
    .name = "inspect",
    .summary = "print the class descriptor of a component",
    .usage = "ccafe inspect [--json] [--path DIR] CLASS|FILE.so\n",
    .about = "Print a class descriptor: ports, parameters, qualities, and the recorded "
             "values of the methods. Runs nothing of the component.\n",
    CCA_OPTIONS(option_table),
    .run = inspect_verb,
};
