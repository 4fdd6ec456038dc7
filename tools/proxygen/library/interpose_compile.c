/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_compile.c: compile the generated C code of an interposition library, if there
 * is a C compiler. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/child.h"
#include "tools/proxygen/library/interpose.h"
#include "tools/proxygen/read/reader.h"

/* Wait for the compiler. Returns 0 or a negative errno; -ETIMEDOUT: it took too long and
 * was ended. */
static int wait_for(pid_t child, int limit_s, int *status)
{
    struct timespec nap = {.tv_nsec = 2000000};
    time_t end = time(NULL) + limit_s;
    int late = 0;

    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);

        if (ended < 0 && errno != EINTR)
            return -errno;
        if (ended > 0)
            return late ? -ETIMEDOUT : 0;
        if (time(NULL) > end + 2)
            kill(child, SIGKILL);
        if (time(NULL) > end && !late++) {
            signal(SIGTERM, SIG_IGN); /* ignore the next signal here: it goes to the
                                         process group, to which this process belongs */
            kill(0, SIGTERM);
        }
        nanosleep(&nap, NULL);
    }
}

/* Run the compiler; its messages go to the file descriptor `words`. Returns its exit
 * status or a negative errno. */
static int run_compiler(const char **args, int words, int limit_s)
{
    pid_t child;
    int status, result = cca_child_start(args, words, words, &child);

    if (!result)
        result = wait_for(child, limit_s, &status);
    return result < 0 ? result : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Copy the first line with an error from the compiler's messages in `words`, or else
 * their first line. */
static void first_error(int words, char *text, size_t size)
{
    FILE *file = fdopen(words, "r");
    char line[400];

    *text = 0;
    if (!file) {
        close(words);
        return;
    }
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        int is_error = strstr(line, "error") != NULL;

        line[strcspn(line, "\n")] = 0;
        if (is_error || !*text)
            snprintf(text, size, "%.140s", line);
        if (is_error)
            break;
    }
    fclose(file);
}

/* Return the prefix ("./" or "") for a path that a compiler might else read as an option
 * ("-...") or an option file ("@..."). */
static const char *path_prefix(const char *directory)
{
    return *directory == '/' ? "" : "./";
}

int pg_interpose_compile(const struct pg_options *options, const char *base, int limit_s,
                         struct cca_error *err)
{
    /* Flags that remove promises of the header, such as pointers that are never NULL:
     * callers may break them, and the marks must still be safe. */
    static const char *const flags[] = {
        "-std=gnu11",
        "-O2",
        "-g1", /* line numbers for backtraces; -g, with variables, would take a fifth more
                  time */
        "-fPIC",
        "-shared",
        "-fexceptions",
        "-fvisibility=hidden",
        "-D_GNU_SOURCE", /* on the command line, because this macro must be defined before
                            the files of -include are read */
        "-U_FORTIFY_SOURCE",
        "-pthread",
        "-fno-delete-null-pointer-checks"};
    const char *chosen = getenv("CC"), *compiler = chosen && *chosen ? chosen : "cc";
    size_t flag_count = sizeof flags / sizeof *flags, n = 0;
    const char **args =
        calloc(flag_count + (size_t)options->clang_arg_count + 10, sizeof *args);
    char *source = NULL, *made = NULL, *library = NULL, *folder = strdup(options->header);
    const char *directory = options->directory, *own = path_prefix(options->directory);
    int status = -ENOMEM, words = memfd_create("words", MFD_CLOEXEC);
    char said[150];

    if (args && folder && asprintf(&source, "%s%s/%s.c", own, directory, base) >= 0 &&
        asprintf(&made, "%s%s/.%s.%ld.so", own, directory, base, (long)getpid()) >= 0 &&
        asprintf(&library, "%s%s/%s.so", own, directory, base) >= 0) {
        args[n++] = compiler;
        for (size_t i = 0; i < flag_count; i++)
            args[n++] = flags[i];
        for (int i = 0; i < options->clang_arg_count; i++)
            args[n++] = options->clang_args[i];
        /* this folder is searched last, so that it hides no system header */
        args[n++] = "-idirafter";
        args[n++] = strrchr(folder, '/') ? folder : ".";
        if (strrchr(folder, '/'))
            strrchr(folder, '/')[strrchr(folder, '/') == folder] = 0;
        args[n++] = "-o";
        args[n++] = made;
        args[n++] = source;
        args[n++] = "-ldl";
        setenv("LC_ALL", "C", 1);
        status = words < 0 ? -errno : run_compiler(args, words, limit_s);
        if (status == 0 && rename(made, library) < 0)
            status = -errno;
        if (status != 0)
            unlink(made);
        if (status == -ETIMEDOUT) {
            unlink(source);
            status = cca_error_set(err, -EINVAL,
                                   "%.150s: error: %.60s has not compiled the "
                                   "generated code in %d s",
                                   options->header, compiler, limit_s);
        }
        if (status == -ENOENT || status == 127)
            status = 1;
        else if (status > 0) {
            first_error(dup(words), said, sizeof said);
            unlink(source);
            status = cca_error_set(err, -EINVAL,
                                   "%.60s: error: the generated code does not compile: "
                                   "%s",
                                   options->header, said);
            pg_reader_printable(err->text);
        }
    }
    if (words >= 0)
        close(words);
    if (status < 0)
        cca_error_set(err, status, "%.200s: error: cannot compile: %s",
                      options->directory, strerror(-status));
    free(args);
    free(folder);
    free(source);
    free(made);
    free(library);
    return status;
}
