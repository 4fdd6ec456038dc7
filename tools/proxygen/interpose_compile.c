/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_compile.c: the generated C of an interposition library becomes one, where there is a
 * C compiler. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/proxygen/interpose.h"

extern char **environ;

/* Run it; its exit status, or a negative errno. */
static int run(const char **args)
{
    pid_t child;
    int status, result = posix_spawnp(&child, args[0], NULL, NULL, (char **)args, environ);

    if (result)
        return -result;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int pg_interpose_compile(const struct pg_options *options, const char *base,
                         struct cca_error *err)
{
    /* A header may promise that pointers are not NULL; callers may break it, and the marks not. */
    static const char *const flags[] = {"-std=gnu11", "-O2", "-g", "-fPIC", "-shared",
                                        "-fexceptions", "-fvisibility=hidden",
                                        "-U_FORTIFY_SOURCE", "-pthread",
                                        "-fno-delete-null-pointer-checks"};
    const char *chosen = getenv("CC"), *compiler = chosen && *chosen ? chosen : "cc";
    size_t flag_count = sizeof flags / sizeof *flags, n = 0;
    const char **args = calloc(flag_count + (size_t)options->clang_arg_count + 10, sizeof *args);
    char *source = NULL, *made = NULL, *library = NULL, *folder = strdup(options->header);
    int status = -ENOMEM;

    if (args && folder && asprintf(&source, "%s/%s.c", options->directory, base) >= 0 &&
        asprintf(&made, "%s/.%s.%ld.so", options->directory, base, (long)getpid()) >= 0 &&
        asprintf(&library, "%s/%s.so", options->directory, base) >= 0) {
        args[n++] = compiler;
        for (size_t i = 0; i < flag_count; i++)
            args[n++] = flags[i];
        for (int i = 0; i < options->clang_arg_count; i++)
            args[n++] = options->clang_args[i];
        /* Last of all, so that what it holds hides no header of the system's. */
        args[n++] = "-idirafter";
        args[n++] = strrchr(folder, '/') ? folder : ".";
        if (strrchr(folder, '/'))
            strrchr(folder, '/')[strrchr(folder, '/') == folder] = 0;
        args[n++] = "-o";
        args[n++] = made;
        args[n++] = source;
        args[n++] = "-ldl";
        status = run(args);
        if (status == 0 && rename(made, library) < 0)
            status = -errno;
        if (status != 0)
            unlink(made);
        if (status == -ENOENT || status == 127)
            status = 1;
        else if (status > 0)
            status = cca_error_set(err, -EINVAL, "%.200s: error: %.60s cannot compile it", source,
                                   compiler);
    }
    if (status < 0)
        cca_error_set(err, status, "%.200s: error: cannot compile: %s", options->directory,
                      strerror(-status));
    free(args);
    free(folder);
    free(source);
    free(made);
    free(library);
    return status;
}
