/* SPDX-License-Identifier: BSD-3-Clause */
/* script_assembly.c: commands that change the assembly, set its parameters and call go.
 *
 * If the script continues after mistakes (.check, .compat), a function named ..._ghost
 * replaces a command that names a ghost: an instance that could not be created. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly/assembly.h"
#include "framework/script/script_core.h"
#include "ports/swap_port.h"

static int no_memory(struct cca_error *err)
{
    return cca_script_outcome(-ENOMEM, err);
}

/* --- Instances ------------------------------------------------------------ */

/* Create an instance. Ccaffeine's default names begin with the class name used in the
 * script. */
static int make_instance(struct cca_script *script, const struct cca_class_info *info,
                         const char *shown, const char *name, struct cca_error *err)
{
    char buffer[300];

    if (!name && script->options.compat) {
        cca_script_default_name(script, shown, buffer, sizeof buffer);
        name = buffer;
    }
    return cca_framework_create(script->framework, info->cls.name, name, err);
}

/* Finish the creation of an instance: remove it from the ghosts, add its class to the
 * palette, and set its overridden parameters. */
static int after_making(struct cca_script *script, const struct cca_class_info *info,
                        const char *name, struct cca_error *err)
{
    if (name)
        cca_script_pairs_remove(&script->ghosts, name);
    else
        name = cca_framework_last_created(script->framework);
    if (cca_script_on_palette(script, info) < 0)
        return no_memory(err);
    return cca_script_override_instance(script, name, 0, err);
}

int cca_script_make_ghost(struct cca_script *script, const char *class_name,
                          const char *name)
{
    struct cca_error unused = {0};
    char buffer[300];

    if (!name) {
        cca_script_default_name(script, class_name, buffer, sizeof buffer);
        name = buffer;
    }
    if (cca_script_is_ghost(script, name))
        return 0;
    if (cca_script_pairs_add(&script->ghosts, name, NULL) < 0 ||
        cca_script_override_instance(script, name, 1, &unused) != CCA_EXIT_DONE)
        return -ENOMEM;
    return 0;
}

/* Create an instance by the command `instantiate`. `override`: the option that names
 * the class, or NULL. */
static int instantiate(struct cca_script *script, const char *wanted, const char *name,
                       const struct cca_script_override *override, struct cca_error *err)
{
    const char *shown = wanted;
    const struct cca_class_info *info = cca_script_class(script, wanted, &shown, err);
    int status = info ? CCA_EXIT_DONE : cca_script_outcome(-ENOENT, err);

    if (info) {
        int bad_name =
            name && (!cca_name_valid(name) || cca_script_has_instance(script, name));
        int code = make_instance(script, info, shown, name, err);

        if (code == 0)
            return after_making(script, info, name, err);
        status = cca_script_outcome(code, err);
        if (bad_name)
            return status;
        if (status == CCA_EXIT_BAD_INPUT) /* the class is at fault, not the script */
            status = CCA_EXIT_COMPONENT;
    }
    if (override && cca_script_override_failed(override, err) == CCA_EXIT_MISUSE && !info)
        status = CCA_EXIT_MISUSE;
    if (cca_script_presumes(script) && cca_script_make_ghost(script, wanted, name) < 0)
        return no_memory(err);
    return cca_script_class_may_exist(script, wanted) ? CCA_EXIT_DONE : status;
}

int cca_script_instantiate(struct cca_script *script, char **words, size_t count,
                           struct cca_error *err)
{
    const struct cca_script_override *override =
        cca_script_class_override(script, words, count);

    if (!override)
        return instantiate(script, words[1], count > 2 ? words[2] : NULL, NULL, err);
    cca_script_override_note(script, override);
    return instantiate(script, override->value, override->instance, override, err);
}

int cca_script_remove_ghost(struct cca_script *script, char **words, size_t count,
                            struct cca_error *err)
{
    (void)count;
    (void)err;
    cca_script_pairs_remove(&script->ghosts, words[1]);
    return CCA_EXIT_DONE;
}

int cca_script_remove(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    int code;

    (void)count;
    if (cca_script_is_builtin(script, words[1]))
        return cca_script_bad(err, "'%s' is built in and cannot be removed", words[1]);
    code = cca_framework_remove(script->framework, words[1], err);
    cca_script_forget_removed(script, words[1]);
    return cca_script_outcome(code, err);
}

/* Remove all instances that can be removed, the last created first. Returns their number.
 * `refused` gets the first refusal; `after` the first error of a listener after a
 * removal. */
static size_t nuke_pass(struct cca_script *script, struct cca_error *refused,
                        struct cca_error *after)
{
    struct builder_instance item;
    size_t gone = 0, count = 0;

    while (script->builder->instance(script->builder, count, 0, &item) == 0)
        count++;
    while (count-- > 0) {
        char name[CCA_NAME_LONGEST + 1] = "";
        struct cca_error why = {0};
        int there;

        if (script->builder->instance(script->builder, count, 0, &item) < 0)
            continue;
        strncat(name, item.name, sizeof name - 1);
        cca_framework_remove(script->framework, name, &why);
        there = cca_script_has_instance(script, name);
        gone += !there;
        if (why.code)
            cca_error_raise(there ? refused : after, why.code, why.exception, "%s",
                            why.text);
    }
    return gone;
}

/* An instance that cannot be removed, because another holds its port, can perhaps be
 * removed in the next pass. */
int cca_script_nuke(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    struct cca_error refused;

    (void)count;
    if (strcmp(words[1], "all") != 0)
        return cca_script_bad(err, "'nuke' takes the word 'all', found '%s'", words[1]);
    cca_script_pairs_done(&script->ghosts);
    do
        refused = (struct cca_error){0};
    while (nuke_pass(script, &refused, err) > 0 && refused.code);
    cca_script_forget_removed(script, NULL);
    if (refused.code)
        cca_error_raise(err, refused.code, refused.exception, "%s", refused.text);
    return cca_script_outcome(err->code, err);
}

/* --- Connections ---------------------------------------------------------- */

/* Check the existing end of a connection whose other end is a ghost, an instance that
 * could not be created. */
int cca_script_connect_ghost(struct cca_script *script, char **words, size_t count,
                             struct cca_error *err)
{
    int user = cca_script_is_ghost(script, words[1]);
    int provider = cca_script_is_ghost(script, words[3]);

    (void)count;
    if (!user && cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    if (user && (provider || cca_script_is_builtin(script, words[3])))
        return CCA_EXIT_DONE;
    return user ? cca_script_check_port(script, words[3], words[4], 0, err)
                : cca_script_check_port(script, words[1], words[2], 1, err);
}

int cca_script_connect(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err)
{
    int code;

    (void)count;
    if (cca_script_is_builtin(script, words[3]))
        return cca_script_connect_builtin(script, words, err);
    code = cca_framework_connect(script->framework, words[1], words[2], words[3],
                                 words[4], err);
    if (code < 0 && cca_script_presumes(script) &&
        cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    return cca_script_outcome(code, err);
}

int cca_script_disconnect(struct cca_script *script, char **words, size_t count,
                          struct cca_error *err)
{
    (void)count;
    if (cca_script_is_builtin(script, words[3]))
        return cca_script_connect_builtin(script, words, err);
    if (cca_script_is_doubtful(script, words[1], words[2]))
        return CCA_EXIT_DONE;
    return cca_script_outcome(cca_framework_disconnect(script->framework, words[1],
                                                       words[2], words[3], words[4], err),
                              err);
}

int cca_script_insert(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    int code;

    code = cca_framework_insert(script->framework, words[1], words[2],
                                count > 3 ? words[3] : NULL, err);
    if (code < 0 && cca_script_presumes(script) &&
        cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    if (code < 0 && (count > 3 || code == -ENOTSUP) &&
        cca_script_class_may_exist(script, count > 3 ? words[3] : NULL)) {
        *err = (struct cca_error){0};
        return CCA_EXIT_DONE;
    }
    return cca_script_outcome(code, err);
}

int cca_script_eject(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    (void)count;
    if (cca_script_is_doubtful(script, words[1], words[2]))
        return CCA_EXIT_DONE;
    return cca_script_outcome(
        cca_framework_eject(script->framework, words[1], words[2], err), err);
}

int cca_script_dispatch(struct cca_script *script, char **words, size_t count,
                        struct cca_error *err)
{
    char *path = cca_script_beside(script->file, words[3]);
    int code =
        path ? cca_framework_dispatch(script->framework, words[1], words[2], path, err)
             : cca_no_memory(err);

    (void)count;
    free(path);
    return cca_script_outcome(code, err);
}

/* Print the swaps that failed since the last call; ranks have the same ones. */
static void report_swaps(struct cca_script *script)
{
    struct swap_port *port = cca_framework_swap_port(script->framework);
    const struct swap_outcome *swap;

    for (; port->outcome(port, script->swaps_told, &swap) == 0; script->swaps_told++)
        if (swap->status && (!script->cohort || script->cohort->rank == 0))
            fprintf(script->options.words, "%s:%d: '%s' stays %s, no %s: %s\n",
                    script->file, script->line, swap->instance, swap->from, swap->to,
                    swap->text);
}

/* Read a number of steps. Returns -1 unless it is one from 1 on. */
static int64_t read_steps(const char *word)
{
    char *end;
    long long steps;

    errno = 0;
    steps = strtoll(word, &end, 10);
    return errno || end == word || *end || steps < 1 ? -1 : steps;
}

int cca_script_swap(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    int64_t at = -1;
    int code;

    if (count == 4 || (count == 5 && strcmp(words[3], "at") != 0))
        return cca_script_bad(
            err, "found '%s', expected 'at STEP' or the end of the line", words[3]);
    if (count == 5 && (at = read_steps(words[4])) < 0)
        return cca_script_bad(err, "found '%s', expected a number of steps from 1 on",
                              words[4]);
    code = cca_framework_swap(script->framework, words[1], count > 2 ? words[2] : NULL,
                              at, err);
    report_swaps(script);
    if (code <= 0)
        return cca_script_outcome(code, err);
    *err = (struct cca_error){0}; /* the class is as before, and the run goes on */
    return CCA_EXIT_DONE;
}

int cca_script_shadow(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    (void)count;
    return cca_script_outcome(cca_framework_shadow(script->framework, words[1], words[2],
                                                   words[3], words[4], err),
                              err);
}

/* --- parameter ------------------------------------------------------------ */

static int parameter_all(struct cca_script *script, char **words, struct cca_error *err)
{
    struct parameter_port *port =
        cca_framework_parameters(script->framework, words[1], words[2], err);
    const struct cca_param_decl *decl;

    if (!port && script->options.check && !err->code)
        return CCA_EXIT_DONE; /* in a dry run the component's own parameters are
                               * unknown */
    if (!port)
        return cca_script_outcome(err->code ? err->code : -ENOENT, err);
    for (size_t i = 0; (decl = port->decl(port, i)); i++)
        cca_script_say_parameter(script, words[1], words[2], decl->name,
                                 port->get(port, decl->name));
    return CCA_EXIT_DONE;
}

static int parameter_get(struct cca_script *script, char **words, struct cca_error *err)
{
    const char *value;

    if (strcmp(words[3], "ALL") == 0)
        return parameter_all(script, words, err);
    value = cca_framework_parameter(script->framework, words[1], words[2], words[3], err);
    if (!value)
        return cca_script_outcome(err->code ? err->code : -ENOENT, err);
    cca_script_say(script, "%s\n", value);
    return CCA_EXIT_DONE;
}

int cca_script_parameter(struct cca_script *script, char **words, size_t count,
                         struct cca_error *err)
{
    struct cca_script_override *override;
    char *value;
    int code, status;

    if (count == 4)
        return parameter_get(script, words, err);
    if (strcmp(words[3], "ALL") == 0)
        return cca_script_bad(err, "'ALL' is for reading: name one parameter to set");
    override = cca_script_parameter_override(script, words[1], words[2], words[3]);
    if (override && override->settled && script->options.check)
        return CCA_EXIT_DONE;
    if (override) {
        cca_script_override_note(script, override);
        return cca_script_override_set(script, override, err);
    }
    value = cca_script_join(words, 4, count);
    if (!value)
        return no_memory(err);
    code = cca_framework_set_parameter(script->framework, words[1], words[2], words[3],
                                       value, err);
    status = cca_script_outcome(code, err);
    if (status == CCA_EXIT_DONE)
        status = cca_script_was_set(script, words[1], words[2], words[3], value, err);
    free(value);
    return status;
}

/* --- go ------------------------------------------------------------------- */

static void put_learned(void *context, const char *text)
{
    const struct cca_script *script = context;

    if (script->cohort)
        fprintf(script->options.words, "rank %d: ", script->cohort->rank);
    fprintf(script->options.words, "%s\n", text);
}

int cca_script_go(struct cca_script *script, char **words, size_t count,
                  struct cca_error *err)
{
    int code, status;

    (void)count;
    script->went = 1;
    fflush(script->options.out);
    status = cca_script_override_late(script, err);
    if (status == CCA_EXIT_DONE)
        status = cca_script_publish(script, err);
    if (status == CCA_EXIT_DONE) /* starting the measurement may fail */
        status = cca_script_outcome(cca_framework_settle(script->framework, err), err);
    status = cca_script_agree_to_go(script, status, err);
    if (status != CCA_EXIT_DONE)
        return status;
    code = cca_framework_go(script->framework, words[1], words[2], err);
    report_swaps(script);
    cca_framework_learned(script->framework, put_learned, script);
    if (code == -ENOTCONN && cca_script_presumes(script)) {
        int missing = cca_script_missing(script, words[1]);

        if (missing < 0)
            return no_memory(err);
        if (missing > 0)
            return CCA_EXIT_DONE; /* each was reported */
    }
    if (code > 0) /* the component returned a positive code of its own */
        code = cca_error_raise(err, -ECANCELED, CCA_EXCEPTION_UNEXPECTED,
                               "'%s' of '%s' returned %d", words[2], words[1], code);
    if (code < 0 && err->exception == CCA_EXCEPTION_UNEXPECTED)
        return CCA_EXIT_COMPONENT; /* a failure of the application, whatever its code */
    return cca_script_outcome(code, err);
}
