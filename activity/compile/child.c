/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c: run a compiled model in a child process. */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "activity/compile/compile.h"
#include "activity/compile/emit.h"
#include "common/clock.h"

/* Struct of a compiled model; the prelude of the generated C (prelude.c) defines the same
 * one. */
struct act_object {
    uint32_t event_bytes, peers_at, system_at, next_at;
    size_t state_bytes;
    int (*next)(const struct act_program *, struct act_state *, struct act_event *,
                struct cca_error *);
};

static int start(const struct act_program *program, struct act_state *state,
                 struct cca_error *err)
{
    (void)program;
    (void)err;
    state->pc = 0;
    return 0;
}

int act_compile_load(const char *path, const char *suffix, const struct act_model *model,
                     const struct act_costs *costs, struct act_program *program,
                     void **handle, struct cca_error *err)
{
    const struct act_object *object;
    char symbol[200];

    snprintf(symbol, sizeof symbol, "act_object%s", suffix);
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    object = *handle ? dlsym(*handle, symbol) : NULL;
    if (!object || object->event_bytes != sizeof(struct act_event) ||
        object->peers_at != offsetof(struct act_event, peers) ||
        object->system_at != offsetof(struct act_program, system) ||
        object->next_at != offsetof(struct act_program, next))
        return cca_error_set(err, -EINVAL, "%s: %s", path,
                             *handle ? "found an object of another version" : dlerror());
    *program = (struct act_program){.model = model,
                                    .state_bytes = object->state_bytes,
                                    .system = {.costs = costs},
                                    .start = start,
                                    .next = object->next};
    return 0;
}

struct run {
    const struct act_model *model;
    const struct act_costs *costs;
    const char *path;
    int is_again; /* 1: the object was compiled by this run, so the reason why it cannot
                   * be loaded is reported */
    int (*work)(struct act_program *program, void *context);
    void *context;
};

enum { NOT_LOADED = 126 };

static void in_child(const struct run *run)
{
    const struct rlimit no_core = {0, 0};
    struct act_program program;
    struct cca_error err = {0};
    void *handle;
    int code = NOT_LOADED;

    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGILL, SIG_DFL); /* the signal handlers inherited from the caller must not run
                              * in the child */
    signal(SIGTRAP, SIG_DFL);
    if (act_compile_load(run->path, "", run->model, run->costs, &program, &handle,
                         &err) == 0)
        code = run->work(&program, run->context);
    else if (run->is_again)
        fprintf(stderr, "activity: %s\n", err.text);
    fflush(NULL);
    _exit(code);
}

/* Wait until the child closes the pipe, to which only the child can write. Returns 1:
 * closed, 0: timeout. */
static int wait_for(int fd, double seconds)
{
    double until = cca_clock_s(CLOCK_MONOTONIC) + seconds;

    for (;;) {
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        double left = until - cca_clock_s(CLOCK_MONOTONIC);
        int rc;

        if (left <= 0)
            return 0;
        rc = poll(&poll_fd, 1, left > 1e6 ? 1000000000 : (int)(left * 1e3) + 1);
        if (rc > 0)
            return 1;
    }
}

static int run_child(const struct run *run, double seconds, enum act_compiled *how,
                     int *code, struct cca_error *err)
{
    int fds[2], status = 0, ended;
    pid_t pid;

    if (pipe(fds) != 0)
        return cca_error_set(err, -errno, "a pipe: %s", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        in_child(run);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return cca_error_set(err, -EAGAIN, "a process: %s", strerror(errno));
    }
    ended = wait_for(fds[0], seconds);
    close(fds[0]);
    if (!ended)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    *how = !ended                                ? ACT_COMPILED_TOO_LONG
           : WIFEXITED(status)                   ? ACT_COMPILED_ENDED
           : *code == SIGILL || *code == SIGTRAP ? ACT_COMPILED_FAULT
                                                 : ACT_COMPILED_DIED;
    return 0;
}

/* The complete C text of a model; NULL with `err`. */
static char *text_of(const struct act_model *model, struct cca_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int rc = out ? act_emit_prelude(out) : cca_no_memory(err);

    rc = rc ? rc : act_emit(model, "", 1, out, err);
    if (out && fclose(out) != 0 && !rc)
        rc = cca_no_memory(err);
    if (!rc)
        return text;
    free(text);
    return NULL;
}

int act_compile_run(const struct act_model *model, const struct act_costs *costs,
                    int allow_c, double seconds,
                    int (*work)(struct act_program *program, void *context),
                    void *context, enum act_compiled *how, int *code,
                    struct cca_error *err)
{
    struct run run = {.model = model, .costs = costs, .work = work, .context = context};
    char *path, *folder, *text;
    int rc;

    if (model->has_raw && !allow_c)
        return cca_error_set(err, -EINVAL,
                             "%s: found C of its own, which could do anything; --allow-c "
                             "lets it run",
                             model->file);
    text = text_of(model, err);
    if (!text)
        return err->code;
    for (run.is_again = 0; run.is_again < 2; run.is_again++) {
        rc = act_compile(model->file, text, &path, &folder, err);
        run.path = path;
        rc = rc ? rc : run_child(&run, seconds, how, code, err);
        if (rc || *how != ACT_COMPILED_ENDED || *code != NOT_LOADED)
            break;
        if (!folder)
            unlink(path); /* the cached file is damaged */
        act_compile_done(path, folder);
        path = folder = NULL;
    }
    free(text);
    act_compile_done(path, folder);
    if (!rc && *how == ACT_COMPILED_ENDED && *code == NOT_LOADED)
        rc = cca_error_set(err, -ENOEXEC, "%s: its object cannot be loaded", model->file);
    return rc;
}
