/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c: output formats of shared objects. Loading a shared object runs code of it, so
 * a child process loads it first, with a deadline; a second child loads it and writes the
 * model. A crash there does not stop `activity`. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "activity/walk/forms.h"

enum { DEADLINE_MS = 10000, TEXT = 400 };

/* Load a format; NULL with the reason in text[TEXT]. */
static const struct act_form *load(const char *path, char *text, void **handle)
{
    const struct act_form *form = NULL;

    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        snprintf(text, TEXT, "%s", dlerror());
        return NULL;
    }
    form = dlsym(*handle, "act_form");
    if (!form)
        snprintf(text, TEXT, "%s: found no symbol act_form, expected a form", path);
    else if (form->version == ACT_FORM_VERSION && !form->begin)
        snprintf(text, TEXT, "%s: found a form without begin, expected one", path);
    else if (form->version != ACT_FORM_VERSION)
        snprintf(text, TEXT, "%s: found a form of version %d, expected %d", path,
                 form->version, ACT_FORM_VERSION);
    else
        return form;
    dlclose(*handle);
    *handle = NULL;
    return NULL;
}

/* In the child: load the object, and write to the pipe the reason why it cannot be used;
 * nothing if it can. */
static void try_in_child(const char *path, int to)
{
    char text[TEXT] = "";
    void *handle;

    if (!load(path, text, &handle) && write(to, text, strlen(text)) < 0)
        _exit(1);
    _exit(0);
}

/* Set the error from the exit status of a child that did `work`, for example "loading
 * it". */
static int judge_end(pid_t child, const char *path, const char *work,
                     struct cca_error *err)
{
    int status;

    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        return cca_error_set(err, -EINVAL, "%s: %s dies of signal %d (%s)", path, work,
                             WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status)
               ? cca_error_set(err, -EINVAL, "%s: %s ends the process with %d", path,
                               work, WEXITSTATUS(status))
               : 0;
}

static int judge(pid_t child, const char *path, const char *text, int late,
                 struct cca_error *err)
{
    if (late)
        kill(child, SIGKILL);
    if (late || *text)
        waitpid(child, NULL, 0);
    if (late)
        return cca_error_set(err, -EINVAL, "%s: found no end of loading it within 10 s",
                             path);
    if (*text)
        return cca_error_set(err, -EINVAL, "%s", text);
    return judge_end(child, path, "loading it", err);
}

static int probe(const char *path, struct cca_error *err)
{
    char text[TEXT] = "";
    size_t used = 0;
    int pipes[2], late = 0;
    pid_t child;

    if (pipe(pipes) != 0)
        return cca_error_set(err, -errno, "%s", strerror(errno));
    child = fork();
    if (child == 0) {
        close(pipes[0]);
        try_in_child(path, pipes[1]);
    }
    close(pipes[1]);
    while (child > 0) {
        struct pollfd from = {.fd = pipes[0], .events = POLLIN};
        ssize_t got;

        if (poll(&from, 1, DEADLINE_MS) <= 0) {
            late = 1;
            break;
        }
        got = read(pipes[0], text + used, sizeof text - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
    close(pipes[0]);
    return child < 0 ? cca_error_set(err, -EAGAIN, "no process: %s", strerror(errno))
                     : judge(child, path, text, late, err);
}

/* --- Writing. --- */

/* Write a model to `out` in the format. */
static int write_form(const char *path, const struct act_model *model, FILE *out,
                      struct cca_error *err)
{
    static const struct act_form_host host = {act_expr_print, act_kind_name};
    struct act_content_handler handler = {NULL, NULL, NULL};
    const struct act_form *form;
    char text[TEXT];
    void *handle;
    int rc;

    form = load(path, text, &handle);
    if (!form)
        return cca_error_set(err, -EINVAL, "%s", text);
    rc = form->begin(&handler, out, &host, err);
    if (!rc) {
        rc = act_form_walk(model, form->along_flow, &handler, err);
        if (form->end)
            form->end(&handler);
    }
    return rc && !err->code
               ? cca_error_set(err, rc, "%s: %s: %s", path,
                               form->name ? form->name : "a form", strerror(-rc))
               : rc;
}

/* In the child: write the model to one pipe, then the error to the other. */
static void write_in_child(const char *path, const struct act_model *model, int form_to,
                           int error_to)
{
    struct cca_error err = {0};
    FILE *out = fdopen(form_to, "w");

    if (!out)
        _exit(1);
    write_form(path, model, out, &err);
    fflush(stdout);
    if (fclose(out) != 0)
        _exit(1);
    _exit(write(error_to, &err, sizeof err) != (ssize_t)sizeof err);
}

static void copy(int from, FILE *out)
{
    char block[4096];
    ssize_t got;

    while ((got = read(from, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            fwrite(block, 1, (size_t)got, out);
}

static int write_apart(const char *path, const struct act_model *model, FILE *out,
                       struct cca_error *err)
{
    struct cca_error own = {0};
    int form[2], error[2], rc;
    pid_t child;

    if (pipe(form) != 0)
        return cca_error_set(err, -errno, "%s", strerror(errno));
    if (pipe(error) != 0) {
        rc = cca_error_set(err, -errno, "%s", strerror(errno));
        close(form[0]);
        close(form[1]);
        return rc;
    }
    child = fork();
    if (child == 0) {
        close(form[0]);
        close(error[0]);
        write_in_child(path, model, form[1], error[1]);
    }
    close(form[1]);
    close(error[1]);
    copy(form[0], out);
    if (read(error[0], &own, sizeof own) != (ssize_t)sizeof own)
        own = (struct cca_error){0};
    close(form[0]);
    close(error[0]);
    rc = child < 0 ? cca_error_set(err, -EAGAIN, "no process: %s", strerror(errno))
                   : judge_end(child, path, "writing it", err);
    return !rc && own.code ? cca_error_set(err, own.code, "%s", own.text) : rc;
}

int act_form_plugin(const char *path, const struct act_model *model, FILE *out,
                    struct cca_error *err)
{
    int rc = probe(path, err);

    return rc ? rc : write_apart(path, model, out, err);
}
